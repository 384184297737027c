/* SPDX-License-Identifier: ISC */
/*
 * options.h: structs that callers fill, and that can grow at their end.  Each has
 * its size, as its filler knows it, as its first member.  Members beyond that
 * count as zero; members that this library does not know must be zero.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a struct of which this library knows `size` bytes can be used: it has the
 * first `least` bytes, and what is not known of it is zero. */
bool options_known(const void *from, size_t size, size_t least);

/* Copies such a struct, whose size becomes `size`.  False: it cannot be used; the
 * copy is zero but for its size. */
bool options_take(void *to, size_t size, const void *from);

/* Whether a struct has a member. */
#define OPTIONS_HAS(s, member) \
	((s)->size >= offsetof(__typeof__(*(s)), member) + sizeof((s)->member))

/* For the error of whoever is given one that cannot be used. */
#define OPTIONS_FAULT "has no size, or members that this libtach does not know"

#endif
