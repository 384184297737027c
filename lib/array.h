/* SPDX-License-Identifier: ISC */
/* array.h: arrays that grow. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_MIN 16 /* entries */

/*
 * Makes room for `want` entries, which may be 0, in an array with room for
 * *max.  Returns the array, which may have moved.  NULL if out of memory: the
 * array is then as before.
 */
static inline void *
array_reserve(void *entries, size_t *max, size_t want, size_t size)
{
	size_t room = *max != 0 ? *max * 2 : ARRAY_MIN;
	void *p;

	if (*max != 0 && want <= *max)
		return entries;
	if (room < want)
		room = want;
	if ((p = reallocarray(entries, room, size)) == NULL)
		return NULL;
	*max = room;
	return p;
}

/* Likewise, and sets each byte of the new entries. */
static inline void *
array_reserve_set(void *entries, size_t *max, size_t want, size_t size, int byte)
{
	size_t had = *max;
	char *p = array_reserve(entries, max, want, size);

	if (p != NULL)
		memset(p + had * size, byte, (*max - had) * size);
	return p;
}

/* array_reserve for one more entry after the `count` entries.  NULL also if there
 * are as many entries as a uint32_t can number. */
static inline void *
array_grow(void *entries, size_t count, size_t *max, size_t size)
{
	return count < UINT32_MAX ?
	    array_reserve(entries, max, count + 1, size) : NULL;
}

#endif
