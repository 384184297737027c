/* SPDX-License-Identifier: ISC */
/*
 * ticks.c: see ticks.h.  Consecutive ticks with the same stack and status are a
 * group: the difference of the stack to the one before, the status, the number
 * of ticks, and the duration of each.  If a tick does not begin at the end of the
 * one before, the lowest bit of the duration is set, and the time between them
 * follows.  Numbers are as varint.h has them.
 */
#include "out/ticks.h"

#include "varint.h"

/* ---- writing ------------------------------------------------------------- */

static bool
add_group(struct ticks *t, uint32_t stack, const struct tach_tick *ticks,
    size_t count)
{
	char *room = buf_reserve(&t->bytes, (count + 2) * 2 * VARINT_MAX);
	uint8_t *to = (uint8_t *)room;

	if (to == NULL)
		return false;
	to = varint_put(to, zigzag_fold((int64_t)stack - t->stack));
	*to++ = ticks->status;
	to = varint_put(to, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t gap = ticks[i].time - t->until;
		to = varint_put(to, (uint64_t)ticks[i].duration << 1 | (gap != 0));
		if (gap != 0)
			to = varint_put(to, zigzag_fold((int64_t)gap));
		t->until = ticks[i].time + ticks[i].duration;
	}
	t->stack = stack;
	t->count += count;
	t->bytes.len += (size_t)((char *)to - room);
	return true;
}

bool
ticks_add(struct ticks *t, uint32_t stack, const struct tach_tick *ticks,
    size_t count)
{
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count &&
		     ticks[to].status == ticks[from].status;)
			to++;
		if (!add_group(t, stack, ticks + from, to - from))
			return false;
	}
	return true;
}

void
ticks_clear(struct ticks *t)
{
	buf_clear(&t->bytes);
	*t = (struct ticks){0};
}

/* ---- reading ------------------------------------------------------------- */

struct ticks_cursor
ticks_first(const struct ticks *t)
{
	const uint8_t *bytes = (const uint8_t *)t->bytes.text;

	return (struct ticks_cursor){.pos = bytes,
	    .end = bytes != NULL ? bytes + t->bytes.len : NULL};
}

bool
ticks_next(struct ticks_cursor *c)
{
	uint64_t n;

	if (c->left == 0) {
		if (c->pos == c->end)
			return false;
		c->stack += (uint32_t)zigzag_unfold(varint_get(&c->pos));
		c->tick.status = *c->pos++;
		c->left = varint_get(&c->pos);
	}
	c->left--;
	n = varint_get(&c->pos);
	c->tick.time = c->until;
	if ((n & 1) != 0)
		c->tick.time += (uint64_t)zigzag_unfold(varint_get(&c->pos));
	c->tick.duration = (uint32_t)(n >> 1);
	c->until = c->tick.time + c->tick.duration;
	return true;
}
