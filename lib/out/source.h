/* SPDX-License-Identifier: ISC */
/* source.h: the text of Python source files on this machine, if they are
 * here, for pages to show beside what was recorded of them. */
#ifndef OUT_SOURCE_H
#define OUT_SOURCE_H

#include "buf.h"
#include "tach.h"

#define SOURCE_MAX ((size_t)1 << 20) /* bytes of a file */

/*
 * Reads a file that a profile names.  Only what can be nothing but a program
 * is read, for a profile may come from anybody and its page go to anybody: a
 * regular file by an absolute name that ends in .py, and no larger than
 * SOURCE_MAX.  False: it is not, or it cannot be read.
 */
bool source_read(struct buf *, struct tach_string path);

/* The next line of what was read, from *at on, without its end; false after
 * the last. */
bool source_line(const struct buf *, size_t *at, struct tach_string *line);

#endif
