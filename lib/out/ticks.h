/* SPDX-License-Identifier: ISC */
/*
 * ticks.h: the samples of a thread, kept to the end of the profile by a format
 * that writes columns: two bytes or so for each.
 */
#ifndef OUT_TICKS_H
#define OUT_TICKS_H

#include "buf.h"
#include "tach.h"

struct ticks {
	uint64_t count;
	/* private */
	struct buf bytes;
	uint32_t stack; /* of the last tick */
	uint64_t until; /* end of the last tick's duration */
};

/* Adds ticks of a stack, which can be any number.  False if out of memory. */
bool ticks_add(struct ticks *, uint32_t stack, const struct tach_tick *,
    size_t count);
void ticks_clear(struct ticks *);

/* Goes through the ticks, from the first on. */
struct ticks_cursor {
	uint32_t stack;
	struct tach_tick tick;
	/* private */
	const uint8_t *pos, *end;
	uint64_t left, until;
};

struct ticks_cursor ticks_first(const struct ticks *);
bool ticks_next(struct ticks_cursor *);

#endif
