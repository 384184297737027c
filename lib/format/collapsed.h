/* SPDX-License-Identifier: ISC */
/* collapsed.h: how lines of collapsed stacks look, for sniff.c.  The lines are
 * without their newlines. */
#ifndef FORMAT_COLLAPSED_H
#define FORMAT_COLLAPSED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line is a comment: `#` alone or with a space behind it.  A stack
 * may begin with a name such as #1. */
bool collapsed_comment(const char *line, size_t len);
/* Whether a line is the first line of austin's output. */
bool collapsed_austin(const char *line, size_t len);
/* Whether a line is a stack with a word behind it that should be a number. */
bool collapsed_counted(const char *line, size_t len);

#endif
