/* SPDX-License-Identifier: ISC */
/*
 * delta.h: the four encodings of a stack, in both directions.
 *
 * A record is
 *	thread u64, interpreter u32, encoding u8,
 *	REPEAT:		count, count * tick
 *	FULL:		tick, depth, frames
 *	SUFFIX:		tick, shared, fresh, frames
 *	POP_PUSH:	tick, popped, fresh, frames
 * where a tick is the time since the thread's previous sample, in microseconds,
 * and its status byte.  All encodings replace the innermost frames of the
 * thread's previous stack by fresh ones and keep the outermost `shared` frames.
 */
#ifndef FORMAT_DELTA_H
#define FORMAT_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"
#include "tach.h"

enum delta_kind { DELTA_REPEAT, DELTA_FULL, DELTA_SUFFIX, DELTA_POP_PUSH };

const char *delta_name(unsigned kind); /* kind: one of the four */

/*
 * A thread's stack, innermost frame first.  It is at the end of its buffer and
 * grows downwards: only the innermost end changes, so only that end moves.
 */
struct stack {
	uint32_t *buf;
	uint32_t room, depth;
};

/* False if out of memory.  After a success buf is not NULL. */
bool stack_init(struct stack *);
void stack_clear(struct stack *);

/* Makes room for a stack of this depth, and keeps the present stack. */
bool stack_reserve(struct stack *, uint32_t depth);

static inline uint32_t *
stack_frames(const struct stack *s)
{
	return s->buf + (s->room - s->depth);
}

/* The number of outermost frames that two stacks share.  The first `known` of
 * these need not be compared. */
uint32_t delta_shared(const struct stack *old, const uint32_t *frames,
    uint32_t depth, uint32_t known);

/* The change of a record to the stack before it. */
struct delta {
	uint32_t shared; /* outermost frames kept */
	uint32_t fresh;  /* new innermost frames, which are written */
};

struct delta_id {
	uint64_t thread;
	uint32_t interp;
	uint8_t kind; /* if read from a file: any byte */
};

/* The smallest of FULL, SUFFIX and POP_PUSH for the change from old to frames,
 * which share the `shared` outermost frames.  FULL keeps no frame: its delta
 * has shared 0. */
enum delta_kind delta_choose(struct delta *, const struct stack *old,
    const uint32_t *frames, uint32_t depth, uint32_t shared);

/* Writing: each puts its part at p and returns the byte after it.  layout.h has
 * their greatest sizes. */
uint8_t *delta_put_id(uint8_t *p, const struct delta_id *);
uint8_t *delta_put_counts(uint8_t *p, enum delta_kind, const struct delta *,
    uint32_t old_depth);
uint8_t *delta_put_frames(uint8_t *p, const uint32_t *frames, size_t n);

static inline uint8_t *
delta_put_tick(uint8_t *p, uint64_t elapsed, uint8_t status)
{
	p = varint_put(p, elapsed);
	*p++ = status;
	return p;
}

/* Reading.  The cursor must have RECORD_ID_SIZE bytes. */
static inline void
delta_get_id(struct cursor *c, struct delta_id *id)
{
	id->thread = cursor_u64(c);
	id->interp = cursor_u32(c);
	id->kind = cursor_u8(c);
}

/* Reads the counts of a record: one for FULL, else two. */
static inline enum cursor_result
delta_get_counts(struct cursor *c, enum delta_kind kind, uint32_t counts[2])
{
	enum cursor_result res = cursor_varint32(c, &counts[0]);

	if (res == CURSOR_OK && kind != DELTA_FULL)
		res = cursor_varint32(c, &counts[1]);
	return res;
}

/* Applies the counts to a stack of old_depth frames.  False if they exceed
 * it. */
static inline bool
delta_from_counts(struct delta *d, enum delta_kind kind,
    const uint32_t counts[2], uint32_t old_depth)
{
	if (kind == DELTA_FULL) {
		*d = (struct delta){0, counts[0]};
		return true;
	}
	if (counts[0] > old_depth)
		return false;
	d->shared = kind == DELTA_SUFFIX ? counts[0] : old_depth - counts[0];
	d->fresh = counts[1];
	return true;
}

/* Reads up to n frame indices below limit.  Returns how many were read; if
 * fewer, the result says why.  CURSOR_LONG at a valid number: it is not below
 * limit. */
enum cursor_result delta_get_frames(struct cursor *, uint32_t *frames,
    size_t n, uint32_t limit, size_t *got);

static inline enum cursor_result
delta_get_tick(struct cursor *c, uint64_t *elapsed, uint8_t *status)
{
	const uint8_t *start = c->pos;
	enum cursor_result res = cursor_varint(c, elapsed);

	if (res == CURSOR_OK && !cursor_has(c, 1)) {
		c->pos = start;
		res = CURSOR_SHORT;
	}
	if (res == CURSOR_OK)
		*status = cursor_u8(c);
	return res;
}

/* Reads up to n ticks after a time, and moves the time on.  Returns how many
 * were read.  Stops before an unusual tick, which delta_get_tick reads. */
size_t delta_get_ticks(struct cursor *, struct tach_tick *, size_t n,
    uint64_t *time);

#endif
