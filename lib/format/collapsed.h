/* SPDX-License-Identifier: ISC */
/* collapsed.h: what lines of collapsed stacks look like, for sniff.c.  None
 * has its end. */
#ifndef FORMAT_COLLAPSED_H
#define FORMAT_COLLAPSED_H

#include <stdbool.h>
#include <stddef.h>

/* A line of `#` alone, or with a space behind it: a stack may begin with a
 * name such as #1. */
bool collapsed_comment(const char *line, size_t len);
/* The first line of what austin writes. */
bool collapsed_austin(const char *line, size_t len);
/* A stack with what should be a number behind it. */
bool collapsed_counted(const char *line, size_t len);

#endif
