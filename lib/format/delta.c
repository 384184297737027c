/* SPDX-License-Identifier: ISC */
/* delta.c: the four encodings of a stack; see delta.h. */
#include "format/delta.h"

#include <stdlib.h>
#include <string.h>

#define STACK_MIN 32 /* frames */

const char *
delta_name(unsigned kind)
{
	static const char *const names[] = {
	    [DELTA_REPEAT] = "REPEAT",
	    [DELTA_FULL] = "FULL",
	    [DELTA_SUFFIX] = "SUFFIX",
	    [DELTA_POP_PUSH] = "POP_PUSH",
	};

	return names[kind];
}

bool
stack_init(struct stack *s)
{
	*s = (struct stack){0};
	return stack_reserve(s, STACK_MIN);
}

void
stack_clear(struct stack *s)
{
	free(s->buf);
	*s = (struct stack){0};
}

bool
stack_reserve(struct stack *s, uint32_t depth)
{
	uint32_t room = s->room;
	uint32_t *buf;

	if (depth <= room)
		return true;
	/* Grows by half: stacks grow by few frames at a time. */
	room = room > UINT32_MAX - room / 2 ? UINT32_MAX : room + room / 2;
	if (room < depth)
		room = depth;
	if ((buf = reallocarray(NULL, room, sizeof(*buf))) == NULL)
		return false;
	if (s->depth > 0)
		memcpy(buf + (room - s->depth), stack_frames(s),
		    s->depth * sizeof(*buf));
	free(s->buf);
	s->buf = buf;
	s->room = room;
	return true;
}

uint32_t
delta_shared(const struct stack *old, const uint32_t *frames, uint32_t depth,
    uint32_t known)
{
	uint32_t most = depth < old->depth ? depth : old->depth;
	const uint32_t *a, *b;
	uint32_t n = known;

	if (n >= most)
		return most;
	a = old->buf + old->room;
	b = frames + depth;
	while (n < most && a[-(ptrdiff_t)n - 1] == b[-(ptrdiff_t)n - 1])
		n++;
	return n;
}

/* The encoded size of n frames, or any number above limit. */
static size_t
frames_size(const uint32_t *frames, size_t n, size_t limit)
{
	size_t size = 0;

	/* A frame takes a byte at least. */
	if (n > limit)
		return n;
	for (size_t i = 0; i < n && size <= limit; i++)
		size += varint_size(frames[i]);
	return size;
}

/*
 * All three write the frames that are not shared, so only the rest is compared:
 * the counts, and for FULL the shared frames.  If sizes are equal, SUFFIX wins:
 * the depth at which a stack changes repeats more often than the number of
 * frames that go, so zstd compresses it better (1 to 4 per cent of a file, with
 * recursion and with a mixed load).  But if no frame is fresh, CPython 3.15.0's
 * reader keeps the wrong end of a SUFFIX.
 */
enum delta_kind
delta_choose(struct delta *d, const struct stack *old, const uint32_t *frames,
    uint32_t depth, uint32_t shared)
{
	uint32_t fresh = depth - shared, popped = old->depth - shared;
	size_t suffix = varint_size(shared) + varint_size(fresh);
	size_t pop_push = varint_size(popped) + varint_size(fresh);
	bool is_suffix = fresh > 0 && suffix <= pop_push;
	size_t least = is_suffix ? suffix : pop_push;
	size_t full = varint_size(depth) +
	    frames_size(frames + fresh, shared, least);

	if (full < least) {
		*d = (struct delta){0, depth};
		return DELTA_FULL;
	}
	*d = (struct delta){shared, fresh};
	return is_suffix ? DELTA_SUFFIX : DELTA_POP_PUSH;
}

uint8_t *
delta_put_id(uint8_t *p, const struct delta_id *id)
{
	memcpy(p, &id->thread, sizeof(id->thread));
	p += sizeof(id->thread);
	memcpy(p, &id->interp, sizeof(id->interp));
	p += sizeof(id->interp);
	*p++ = id->kind;
	return p;
}

uint8_t *
delta_put_counts(uint8_t *p, enum delta_kind kind, const struct delta *d,
    uint32_t old_depth)
{
	if (kind == DELTA_SUFFIX)
		p = varint_put(p, d->shared);
	else if (kind == DELTA_POP_PUSH)
		p = varint_put(p, old_depth - d->shared);
	return varint_put(p, d->fresh);
}

uint8_t *
delta_put_frames(uint8_t *p, const uint32_t *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p = varint_put(p, frames[i]);
	return p;
}

/* Reads frame indices of one or two bytes, which most are.  Stops at a longer
 * one, at one that is not below limit, or at the end.  Returns the number of
 * frames. */
static size_t
short_frames(struct cursor *c, uint32_t *frames, size_t n, uint32_t limit)
{
	const uint8_t *p = c->pos;
	size_t i;

	for (i = 0; i < n && c->end - p >= 2; i++) {
		uint32_t frame = p[0], size = 1;
		if (frame >= 0x80) {
			frame = (frame & 0x7f) | (uint32_t)p[1] << 7;
			size = 2;
		}
		/* Longer indices read as 2^14 or more here. */
		if (frame >= limit || frame >= 1 << 14)
			break;
		frames[i] = frame;
		p += size;
	}
	c->pos = p;
	return i;
}

enum cursor_result
delta_get_frames(struct cursor *c, uint32_t *frames, size_t n, uint32_t limit,
    size_t *got)
{
	enum cursor_result res = CURSOR_OK;
	size_t i;

	for (i = short_frames(c, frames, n, limit); i < n; i++) {
		const uint8_t *start = c->pos;
		if ((res = cursor_varint32(c, &frames[i])) != CURSOR_OK)
			break;
		if (frames[i] >= limit) {
			c->pos = start;
			res = CURSOR_LONG;
			break;
		}
	}
	*got = i;
	return res;
}

size_t
delta_get_ticks(struct cursor *c, struct tach_tick *ticks, size_t n,
    uint64_t *time)
{
	const uint8_t *p = c->pos;
	uint64_t at = *time;
	size_t i;

	/* With this, no later sum overflows. */
	if (at > UINT64_MAX / 2 || n > UINT32_MAX)
		return 0;
	for (i = 0; i < n && c->end - p >= 3; i++) {
		uint32_t elapsed = p[0];
		if (elapsed >= 0x80) {
			if (p[1] >= 0x80)
				break;
			elapsed = (elapsed & 0x7f) | (uint32_t)p[1] << 7;
			p++;
		}
		at += elapsed;
		ticks[i] = (struct tach_tick){at, p[1], 0};
		p += 2;
	}
	c->pos = p;
	*time = at;
	return i;
}
