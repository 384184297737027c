/* SPDX-License-Identifier: ISC */
/*
 * decode.h: the records of a TACH file's sample data, as runs.  No number in
 * the file is believed before it is seen: memory grows with the data, not with
 * counts.
 */
#ifndef FORMAT_DECODE_H
#define FORMAT_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/head.h"
#include "format/source.h"
#include "tach.h"

struct decoder;

/* Reads what an origin has from byte 64 up to an offset, as the head says
 * it is to be read.  NULL: out of memory.  What it meets is counted in the
 * input's stats, and what is wrong said in its error. */
struct decoder *decoder_new(struct source_input *, const struct origin *,
    const struct head *,
    uint64_t end, bool unfinished);
void decoder_free(struct decoder *);

/* The data has grown: the head has the new counts. */
void decoder_extend(struct decoder *, const struct head *, uint64_t end);

/* Like tach_reader_next. */
int decoder_next(struct decoder *, struct tach_run *);

/* Checks that as many samples and threads came as the head counts.  TACH_WARN
 * if not: the input's error says which are missing. */
int decoder_check(const struct decoder *);

#endif
