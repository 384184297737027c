/* SPDX-License-Identifier: ISC */
/* array.h: arrays that grow by one entry at a time. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_MIN 16 /* entries */

/*
 * Makes room for one more entry behind the `count` ones of an array with
 * room for *max.  Returns the array, which may have moved, or NULL: out of
 * memory, and the array is as before.  No array has more entries than a
 * uint32_t can number.
 */
static inline void *
array_grow(void *entries, size_t count, size_t *max, size_t size)
{
	size_t want = *max != 0 ? *max * 2 : ARRAY_MIN;
	void *p;

	if (count >= UINT32_MAX)
		return NULL;
	if (count < *max)
		return entries;
	if ((p = reallocarray(entries, want, size)) == NULL)
		return NULL;
	*max = want;
	return p;
}

#endif
