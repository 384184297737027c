/* SPDX-License-Identifier: ISC */
/* head.h: the header, in both layouts, and the footer: bytes <-> numbers. */
#ifndef FORMAT_HEAD_H
#define FORMAT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "tach.h"

struct head {
	enum tach_layout layout;
	bool big_endian;
	enum tach_compression compression;
	struct tach_meta meta;
	uint64_t samples;
	uint32_t threads;
	uint64_t strings_at, frames_at; /* offsets of the tables */
	/* The footer and what stands before it. */
	uint32_t strings, frames;
	uint64_t frames_end; /* where the frame table must end */
};

/* Checks and takes a whole file's header and footer.  After it
 * HEAD_SIZE <= strings_at <= frames_at <= frames_end <= size - FOOT_SIZE. */
int head_get(struct head *, const uint8_t *file, uint64_t size,
    struct error *);

/* Offset of the thread count in the header. */
unsigned head_threads_at(const struct head *);

/* Both are written in this machine's byte order. */
void head_put(uint8_t *p, const struct head *);
void foot_put(uint8_t *p, const struct head *, uint64_t file_size);

#endif
