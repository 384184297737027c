/* SPDX-License-Identifier: ISC */
/* head.h: the header, in both layouts, and the footer: bytes <-> numbers. */
#ifndef FORMAT_HEAD_H
#define FORMAT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "format/layout.h"
#include "tach.h"

struct head {
	enum tach_layout layout;
	bool big_endian;
	enum tach_compression compression;
	struct tach_meta meta;
	uint64_t samples;
	uint32_t threads;
	uint64_t strings_at, frames_at; /* offsets of the tables */
	/* The footer. */
	uint32_t strings, frames;
	uint8_t check[FOOT_CHECK_SIZE];
	unsigned reserved_at; /* a reserved byte that is not 0, or 0 */
};

/* Whether the first bytes of a file are the header of an unfinished profile. */
bool head_unfinished(const uint8_t *, size_t n);

/* Checks and reads the header, from the file's first n bytes: fewer than
 * HEAD_SIZE only if the file has no more.  Afterwards HEAD_SIZE <= strings_at
 * <= frames_at <= size - FOOT_SIZE. */
int head_get(struct head *, const uint8_t *, size_t n, uint64_t size,
    struct error *);
/* Reads the footer, which has FOOT_SIZE bytes. */
int foot_get(struct head *, const uint8_t *, uint64_t size, struct error *);
/* Takes CPython's statistics, which end n bytes if they are there: in any form whose
 * trailer is known.  Returns their size; 0: there are none. */
size_t stat_get(struct tach_quality *, const uint8_t *, size_t n,
    bool big_endian);

/* The facts about the file except its sizes. */
struct tach_file_info head_info(const struct head *);

/* Offset of the thread count in the header. */
unsigned head_threads_at(const struct head *);

/* Chooses the wide header if the early one cannot count so many samples. */
void head_fit(struct head *);

/* Write in the byte order of this machine.  The footer has the checksum of the
 * head; the statistics take STAT_SIZE bytes. */
void head_put(uint8_t *p, const struct head *);
void stat_put(uint8_t *p, const struct tach_quality *);
void foot_put(uint8_t *p, const struct head *, uint64_t file_size);

#endif
