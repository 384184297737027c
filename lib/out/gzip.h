/* SPDX-License-Identifier: ISC */
/* gzip.h: files that are written compressed. */
#ifndef OUT_GZIP_H
#define OUT_GZIP_H

#include <stdio.h>

/*
 * Returns a file to write to.  All that is written to it goes to the other file
 * as gzip.  fclose writes the rest, and its result tells whether all could be
 * written.  The other file stays open and may have to be flushed.  NULL, with
 * errno, if that failed.
 *
 * The stream can be read from its first byte and from its ninth: see gzip.c.
 */
FILE *gzip_open(FILE *to);

#endif
