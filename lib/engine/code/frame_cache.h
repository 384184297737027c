/* SPDX-License-Identifier: ISC */
/*
 * frame_cache.h: maps an instruction of a code object to its frame of the table.
 *
 * A line is found by a walk through the code object's table of lines.  Without the
 * cache, the in-process engine takes 0.028 core instead of 0.011 for a loop at the
 * end of a function of 5,000 lines, at 10 kHz.
 */
#ifndef ENGINE_CODE_FRAME_CACHE_H
#define ENGINE_CODE_FRAME_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "python/code.h"
#include "set.h"
#include "tach.h"

/* An instruction, by its address or offset, of a code object, by a number that no
 * other one has. */
struct frame_spot {
	uint64_t instr;
	uint32_t code;
	uint8_t opcode; /* that the frame shows */
	uint32_t frame; /* of the table; the cache's own */
};

/* All zero: empty. */
struct frame_cache {
	struct frame_spot *spots;
	size_t count, max;
	struct set set;
};

void frame_cache_free(struct frame_cache *);

/* The frame of a spot.  TACH_NONE if the cache does not have it. */
uint32_t frame_cache_find(const struct frame_cache *, struct frame_spot);

/* Adds a frame to the table, and to the cache.  file, func: strings of the table.
 * TACH_NONE if out of memory. */
uint32_t frame_cache_add(struct frame_cache *, struct tach_table *,
    struct frame_spot, uint32_t file, uint32_t func, const struct py_location *);

#endif
