/* SPDX-License-Identifier: ISC */
/*
 * source.h: the text of Python source files on this machine, for pages to show
 * beside their samples.
 *
 * A profile may come from anybody, and its page may go to anybody.  So a file
 * is read only if it is a program that everybody here may read: a regular file
 * that all may read, that belongs to the reader or to root, whose own absolute
 * name ends in .py, and that no symbolic link leads to.
 */
#ifndef OUT_SOURCE_H
#define OUT_SOURCE_H

#include "buf.h"
#include "tach.h"

#define SOURCE_MAX ((size_t)1 << 20) /* bytes of a file */

/*
 * Reads a file that a profile names, and converts it to UTF-8 (coding.h).
 * Counts in `sources`; nothing is read if that is NULL.  False if there is no
 * text.
 */
bool source_read(struct buf *, struct tach_string path,
    struct tach_source_texts *);

/* The next line of the text from *at on, without its end.  Moves *at on.  False
 * after the last line. */
bool source_line(const struct buf *, size_t *at, struct tach_string *line);

#endif
