/* SPDX-License-Identifier: ISC */
/* workset.c: see workset.h. */
#include "engine/copy/workset.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The end of the page after the page that a range ends in.  A block that begins
 * before it becomes part of the range: a page more costs less than a range
 * more. */
static uint64_t
reach(uint64_t end)
{
	return ((end - 1) / WORKSET_PAGE + 2) * WORKSET_PAGE;
}

/* Finds the first range that reaches beyond the address. */
size_t
workset_find(const struct workset *w, uint64_t addr)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (reach(w->ranges[mid].addr + w->ranges[mid].size) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Replaces the n ranges from i on by one. */
static void
replace(struct workset *w, size_t i, size_t n, struct range r)
{
	memmove(&w->ranges[i + 1], &w->ranges[i + n],
	    (w->count - i - n) * sizeof(*w->ranges));
	w->ranges[i] = r;
	w->count += 1 - n;
}

struct range
workset_blocks(uint64_t addr, size_t size)
{
	uint64_t mask = ~(uint64_t)(WORKSET_BLOCK - 1);
	uint64_t low = addr & mask;
	uint64_t high = (addr + size + WORKSET_BLOCK - 1) & mask;

	return (struct range){low, high > low ? high - low : 0};
}

enum copy_result
workset_add(struct workset *w, uint64_t addr, size_t size)
{
	struct range blocks = workset_blocks(addr, size);
	uint64_t low = blocks.addr, high = low + blocks.size;
	size_t i = workset_find(w, low), n = 0, old = 0;
	struct range *p;

	if (blocks.size == 0 || blocks.size > WORKSET_MAX)
		return COPY_FAILED;
	p = array_grow(w->ranges, w->count, &w->max, sizeof(*p));
	if (p == NULL)
		return COPY_NOMEM;
	w->ranges = p;
	for (; i + n < w->count && w->ranges[i + n].addr < reach(high); n++) {
		const struct range *r = &w->ranges[i + n];
		low = r->addr < low ? r->addr : low;
		high = r->addr + r->size > high ? r->addr + r->size : high;
		old += r->size;
	}
	if (w->bytes - old + (high - low) > WORKSET_MAX)
		return COPY_FAILED;
	w->bytes += (high - low) - old;
	replace(w, i, n, (struct range){low, high - low});
	return COPY_OK;
}

size_t
workset_nth(const struct workset *w, size_t first, bool reversed, size_t n)
{
	return (first + (reversed ? w->count - 1 - n : n)) % w->count;
}

void
workset_drop(struct workset *w, size_t i)
{
	w->bytes -= w->ranges[i].size;
	memmove(&w->ranges[i], &w->ranges[i + 1],
	    (w->count - i - 1) * sizeof(*w->ranges));
	w->count--;
}

void
workset_clear(struct workset *w)
{
	w->count = 0;
	w->bytes = 0;
}

void
workset_free(struct workset *w)
{
	free(w->ranges);
	*w = (struct workset){0};
}
