/* SPDX-License-Identifier: ISC */
/*
 * varint.h: LEB128, numbers in as many bytes as they need: seven bits a byte, the
 * lowest first.  A signed number is folded by zigzag first.
 */
#ifndef VARINT_H
#define VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 10 /* bytes */

/* The number of bytes that varint_put writes. */
static inline size_t
varint_size(uint64_t v)
{
	/* ceil(bits / 7) by a product, which is exact up to 64 bits. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);

	return (bits * 9 + 64) / 64;
}

/* Writes v, and returns the place behind it. */
static inline uint8_t *
varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Reads a number that varint_put wrote, and moves *p behind it.  Bytes of a file,
 * which can be cut or damaged, are for format/cursor.h. */
static inline uint64_t
varint_get(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p >= 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t)*(*p)++ << shift;
}

static inline uint64_t
zigzag_fold(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
zigzag_unfold(uint64_t v)
{
	uint64_t half = v >> 1;

	return v & 1 ? -(int64_t)half - 1 : (int64_t)half;
}

#endif
