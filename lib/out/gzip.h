/* SPDX-License-Identifier: ISC */
/* gzip.h: a file that is written compressed. */
#ifndef OUT_GZIP_H
#define OUT_GZIP_H

#include <stdio.h>

/*
 * Gives a file to write to: what is written there goes to another one as
 * gzip.  fclose writes the rest, and tells as it does whether all could be
 * written; the other file stays open and may have to be flushed.  NULL, with
 * errno, if there can be none.
 *
 * The stream can be read from its first byte and from its ninth, see gzip.c.
 */
FILE *gzip_open(FILE *to);

#endif
