/* SPDX-License-Identifier: ISC */
/*
 * source.h: the text of Python source files on this machine, if they are
 * here, for pages to show beside what was recorded of them.
 *
 * A profile may come from anybody, and its page go to anybody.  So a file is
 * read only if it can be nothing but a program that everybody here may read:
 * a regular file that all may read, that belongs to the reader or to root,
 * whose own absolute name ends in .py, and to which no symbolic link leads.
 */
#ifndef OUT_SOURCE_H
#define OUT_SOURCE_H

#include "buf.h"
#include "tach.h"

#define SOURCE_MAX ((size_t)1 << 20) /* bytes of a file */

/*
 * Reads a file that a profile names, as UTF-8: from the coding that its first
 * bytes or lines tell, if that is one that is known, else as it is.  Counts in
 * `sources`, which may be NULL: nothing is read then.  False: there is no
 * text.
 */
bool source_read(struct buf *, struct tach_string path,
    struct tach_source_texts *);

/* The next line of what was read, from *at on, without its end; false after
 * the last. */
bool source_line(const struct buf *, size_t *at, struct tach_string *line);

#endif
