/* SPDX-License-Identifier: ISC */
/* stream.h: outputs of callers, also as a FILE, which formats print to. */
#ifndef STREAM_H
#define STREAM_H

#include <stdio.h>

#include "buf.h"
#include "error.h"

/* A FILE that writes to an output: to a function without a buffer, and to a
 * descriptor, which stays the caller's, by the block.  NULL: the error says why. */
FILE *stream_open(const struct tach_output *, struct error *);
/* Writes a text to an output at once.  TACH_ENONE, or why it cannot. */
enum tach_error stream_write(const struct tach_output *, const struct buf *);

#endif
