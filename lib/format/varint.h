/* SPDX-License-Identifier: ISC */
/*
 * varint.h: numbers in as many bytes as they need, seven bits a byte, the
 * lowest first; signed ones zigzag first.  cursor.h reads them.
 */
#ifndef FORMAT_VARINT_H
#define FORMAT_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that varint_put would write. */
static inline size_t
varint_size(uint64_t v)
{
	/* ceil(bits / 7), by a product that is exact up to 64 bits. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);

	return (bits * 9 + 64) / 64;
}

/* Writes v, returns the byte after it. */
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
