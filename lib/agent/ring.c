/* SPDX-License-Identifier: ISC */
/*
 * ring.c: see ring.h.
 *
 * The producer writes all bytes before head, then stores head (release); the
 * consumer loads head (acquire), then reads them.  In the same way tail says
 * which bytes the consumer has read, and the producer may write again.
 * t/unit/test_ring_model.c tries all orders of these steps.
 */
#include "agent/ring.h"

#include <string.h>

_Static_assert((WIRE_RING & (WIRE_RING - 1)) == 0, "not a power of two");
_Static_assert(RING_RECORD_MAX <= WIRE_RING, "a record would never fit");

/* The bytes from a position to the end of the ring; n if there are more. */
static size_t
until_end(uint64_t pos, size_t n)
{
	size_t left = WIRE_RING - pos % WIRE_RING;

	return n < left ? n : left;
}

static void
copy_in(struct wire_area *a, uint64_t pos, const uint8_t *bytes, size_t n)
{
	size_t first = until_end(pos, n);

	memcpy(a->ring + pos % WIRE_RING, bytes, first);
	memcpy(a->ring, bytes + first, n - first);
}

static void
copy_out(const struct wire_area *a, uint64_t pos, uint8_t *bytes, size_t n)
{
	size_t first = until_end(pos, n);

	memcpy(bytes, a->ring + pos % WIRE_RING, first);
	memcpy(bytes + first, a->ring, n - first);
}

/* Reads the head of a record, once: the target could change it between two
 * reads.  It is aligned, so it does not wrap. */
static struct wire_record
record_at(const struct wire_area *a, uint64_t pos)
{
	const void *p = a->ring + pos % WIRE_RING;
	uint64_t word = *(const volatile uint64_t *)p;
	struct wire_record r;

	memcpy(&r, &word, sizeof(r));
	return r;
}

bool
ring_put(struct wire_area *a, const struct ring_piece *pieces, size_t n)
{
	uint64_t head = atomic_load_explicit(&a->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&a->tail, memory_order_acquire);
	uint64_t end = head;

	for (size_t i = 0; i < n; i++)
		end += pieces[i].size;
	if (end - tail > WIRE_RING)
		return false;
	for (size_t i = 0; i < n; head += pieces[i++].size)
		copy_in(a, head, pieces[i].bytes, pieces[i].size);
	atomic_store_explicit(&a->head, end, memory_order_release);
	if (end - tail > atomic_load_explicit(&a->high, memory_order_relaxed))
		atomic_store_explicit(&a->high, (uint32_t)(end - tail),
		    memory_order_relaxed);
	return true;
}

enum ring_result
ring_take(struct ring_reader *r, void *buf)
{
	uint64_t head = atomic_load_explicit(&r->area->head,
	    memory_order_acquire);
	uint64_t held = head - r->tail;
	struct wire_record record;

	if (held == 0)
		return RING_EMPTY;
	if (held > WIRE_RING || held % 8 != 0)
		return RING_BAD;
	record = record_at(r->area, r->tail);
	if (record.size < sizeof(record) || record.size % 8 != 0 ||
	    record.size > held || record.size > RING_RECORD_MAX)
		return RING_BAD;
	copy_out(r->area, r->tail, buf, record.size);
	/* Its head may have changed in the ring since. */
	memcpy(buf, &record, sizeof(record));
	r->tail += record.size;
	atomic_store_explicit(&r->area->tail, r->tail, memory_order_release);
	return RING_RECORD;
}
