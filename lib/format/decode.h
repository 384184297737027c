/* SPDX-License-Identifier: ISC */
/*
 * decode.h: the records of a TACH file's sample data, as runs.  Nothing that
 * the file says about itself is believed before it is seen: memory grows
 * with the data, not with counts.
 */
#ifndef FORMAT_DECODE_H
#define FORMAT_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/head.h"
#include "format/source.h"
#include "tach.h"

struct decoder;

/* Reads what a descriptor has from byte 64 up to an offset, as the head says
 * it is to be read.  NULL: out of memory.  What it meets is counted in the
 * input's stats, and what is wrong said in its error. */
struct decoder *decoder_new(struct source_input *, int fd, const struct head *,
    uint64_t end, bool unfinished);
void decoder_free(struct decoder *);

/* There is more by now: the head counts it, too. */
void decoder_extend(struct decoder *, const struct head *, uint64_t end);

/* As tach_reader_next. */
int decoder_next(struct decoder *, struct tach_run *);

/* Whether all that the head counts has come.  TACH_WARN: the input's error
 * says what has not. */
int decoder_check(const struct decoder *);

#endif
