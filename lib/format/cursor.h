/* SPDX-License-Identifier: ISC */
/*
 * cursor.h: reads numbers from a range of untrusted bytes.
 *
 * Getters of fixed width rely on a cursor_has before them.  Getters of variable
 * width check the range themselves.  If they fail the cursor stays at the
 * field, so that a message can name it and it can be read again with more
 * bytes.
 */
#ifndef FORMAT_CURSOR_H
#define FORMAT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "varint.h"

struct cursor {
	const uint8_t *pos, *end;
	bool swap; /* the byte order is not this machine's */
};

enum cursor_result {
	CURSOR_OK,
	CURSOR_SHORT, /* the range ends inside the number */
	CURSOR_LONG,  /* the number does not fit its field */
};

/* Whether a byte order is not this machine's. */
static inline bool
cursor_swaps(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline uint32_t
load_u32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t
load_u64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* Stores a number in the byte order of this machine. */
static inline void
store_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void
store_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline size_t
cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

static inline bool
cursor_has(const struct cursor *c, size_t n)
{
	return cursor_left(c) >= n;
}

static inline uint8_t
cursor_u8(struct cursor *c)
{
	return *c->pos++;
}

static inline uint32_t
cursor_u32(struct cursor *c)
{
	uint32_t v = load_u32(c->pos, c->swap);

	c->pos += sizeof(v);
	return v;
}

static inline uint64_t
cursor_u64(struct cursor *c)
{
	uint64_t v = load_u64(c->pos, c->swap);

	c->pos += sizeof(v);
	return v;
}

/* cursor_varint for a number of any length. */
static inline enum cursor_result
cursor_varint_any(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	const uint8_t *p = c->pos;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;
		if (p == c->end)
			return CURSOR_SHORT;
		byte = *p++;
		/* The tenth byte holds one bit. */
		if (shift == 63 && byte > 1)
			return CURSOR_LONG;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			c->pos = p;
			*out = v;
			return CURSOR_OK;
		}
	}
	return CURSOR_LONG;
}

/* Most numbers are one byte. */
static inline enum cursor_result
cursor_varint(struct cursor *c, uint64_t *out)
{
	if (c->pos == c->end || *c->pos >= 0x80)
		return cursor_varint_any(c, out);
	*out = *c->pos++;
	return CURSOR_OK;
}

/* The cursor stays if the value does not fit the width of the field. */
static inline enum cursor_result
cursor_varint32(struct cursor *c, uint32_t *out)
{
	const uint8_t *start = c->pos;
	uint64_t v;
	enum cursor_result res = cursor_varint(c, &v);

	if (res == CURSOR_OK && v > UINT32_MAX) {
		c->pos = start;
		res = CURSOR_LONG;
	}
	if (res == CURSOR_OK)
		*out = (uint32_t)v;
	return res;
}

/* The sum of base and a zigzag number.  It must be an int32_t. */
static inline enum cursor_result
cursor_zigzag32(struct cursor *c, int32_t base, int32_t *out)
{
	const uint8_t *start = c->pos;
	uint64_t v;
	int64_t sum;
	enum cursor_result res = cursor_varint(c, &v);

	if (res != CURSOR_OK)
		return res;
	if (__builtin_add_overflow(zigzag_unfold(v), base, &sum) ||
	    sum < INT32_MIN || sum > INT32_MAX) {
		c->pos = start;
		return CURSOR_LONG;
	}
	*out = (int32_t)sum;
	return CURSOR_OK;
}

#endif
