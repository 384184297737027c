/* SPDX-License-Identifier: ISC */
/*
 * test_ring.c: what goes into a ring comes out of it, at all of its places and
 * from a thread to another; what is no ring is told from one.  Also built with
 * ThreadSanitizer, where the compiler has it.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/ring.h"

#define RECORDS 50000 /* that a thread puts */
#define check(cond) \
	((cond) ? (void)0 : errx(1, "%s:%d: %s", __FILE__, __LINE__, #cond))

static struct wire_area *area;
static _Alignas(8) uint8_t out[RING_RECORD_MAX];

static struct ring_reader
begin_at(uint64_t pos)
{
	memset(area, 0, offsetof(struct wire_area, ring));
	atomic_store(&area->head, pos);
	atomic_store(&area->tail, pos);
	return (struct ring_reader){area, pos};
}

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Puts a record whose words all follow from a number, in uneven pieces. */
static bool
put_number(uint32_t size, uint64_t number)
{
	static _Alignas(8) uint8_t bytes[RING_RECORD_MAX];
	struct wire_record r = {size, WIRE_SAMPLE};
	uint64_t state = number + 1;
	size_t cut = number % (size - sizeof(r) + 1);

	for (size_t i = 0; i + 8 <= size - sizeof(r); i += 8) {
		uint64_t word = i == 0 ? number : next_random(&state);
		memcpy(bytes + i, &word, sizeof(word));
	}
	return ring_put(area, (struct ring_piece[]){{&r, sizeof(r)},
	    {bytes, cut}, {bytes + cut, size - sizeof(r) - cut}}, 3);
}

/* The number of the record that was taken, which must be whole. */
static uint64_t
number_of(uint32_t size)
{
	struct wire_record r;
	uint64_t number = 0, word, state;

	memcpy(&r, out, sizeof(r));
	check(r.size == size && r.kind == WIRE_SAMPLE);
	memcpy(&number, out + sizeof(r), sizeof(number));
	state = number + 1;
	for (size_t i = 16; i < size; i += 8) {
		memcpy(&word, out + i, sizeof(word));
		check(word == next_random(&state));
	}
	return number;
}

static void
test_places(void)
{
	struct ring_reader r;

	for (uint64_t pos = 0; pos < WIRE_RING; pos += 8) {
		uint32_t size = 16 + 8 * (pos / 8 % 9);
		r = begin_at(pos - WIRE_RING / 2);
		check(ring_take(&r, out) == RING_EMPTY);
		check(put_number(size, pos));
		check(put_number(24, pos + 1));
		check(ring_take(&r, out) == RING_RECORD);
		check(number_of(size) == pos);
		check(ring_take(&r, out) == RING_RECORD);
		check(number_of(24) == pos + 1);
		check(ring_take(&r, out) == RING_EMPTY);
		check(atomic_load(&area->high) == size + 24);
		check(atomic_load(&area->tail) == r.tail);
	}
}

static void
test_full(void)
{
	struct ring_reader r = begin_at(WIRE_RING - 40);
	uint64_t in = 0;

	while (put_number(RING_RECORD_MAX / 4, in))
		in++;
	check(in == WIRE_RING / (RING_RECORD_MAX / 4));
	while (put_number(16, in))
		in++;
	check(atomic_load(&area->high) == WIRE_RING);
	check(!put_number(16, in));
	check(ring_take(&r, out) == RING_RECORD);
	check(number_of(RING_RECORD_MAX / 4) == 0);
	check(put_number(RING_RECORD_MAX / 4, in));
	check(!put_number(16, in + 1));
}

/* Whatever head and the records say. */
static void
test_hostile(void)
{
	static const uint32_t sizes[] = {0, 1, 4, 7, 9, 12, 64, 1024,
	    RING_RECORD_MAX + 8, WIRE_RING, WIRE_RING + 8, INT32_MAX,
	    UINT32_MAX - 7, UINT32_MAX};
	static const uint64_t heads[] = {1, 7, 12, WIRE_RING + 8, UINT64_MAX,
	    UINT64_MAX - 7, UINT64_C(1) << 32, UINT64_C(1) << 63};
	uint64_t state = 1;
	struct ring_reader r;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		r = begin_at(0);
		check(put_number(16, 0) && put_number(16, 0));
		memcpy(area->ring, &sizes[i], sizeof(*sizes));
		check(ring_take(&r, out) == RING_BAD);
	}
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		r = begin_at(0);
		atomic_store(&area->head, heads[i]);
		check(ring_take(&r, out) == RING_BAD);
	}
	/* The area's own tail does not matter to who reads. */
	r = begin_at(64);
	check(put_number(16, 5));
	atomic_store(&area->tail, 3);
	check(ring_take(&r, out) == RING_RECORD && number_of(16) == 5);
	/* Noise ends, one way or another. */
	for (int i = 0; i < 1000; i++) {
		enum ring_result got = RING_RECORD;
		r = begin_at(0);
		for (size_t k = 0; k < 4096; k += 8) {
			uint64_t word = next_random(&state) & UINT64_C(0x38);
			memcpy(area->ring + k, &word, sizeof(word));
		}
		atomic_store(&area->head, 4096);
		while (got == RING_RECORD)
			got = ring_take(&r, out);
		check(got == RING_BAD || r.tail == 4096);
	}
}

static _Atomic bool done;

static void *
produce(void *arg)
{
	uint64_t *full = arg, state = 7;

	for (uint64_t i = 0; i < RECORDS; i++) {
		uint32_t size = 16 + 8 * (uint32_t)(next_random(&state) % 64);
		while (!put_number(i % 1000 == 0 ? RING_RECORD_MAX : size, i)) {
			++*full;
			sched_yield();
		}
	}
	atomic_store(&done, true);
	return NULL;
}

static void
test_threads(void)
{
	struct ring_reader r = begin_at(0);
	uint64_t full = 0, next = 0;
	pthread_t thread;
	struct wire_record record;

	check(pthread_create(&thread, NULL, produce, &full) == 0);
	while (next < RECORDS) {
		bool last = atomic_load(&done);
		enum ring_result got = ring_take(&r, out);
		check(got != RING_BAD && (got != RING_EMPTY || !last));
		if (got == RING_EMPTY) {
			sched_yield();
			continue;
		}
		memcpy(&record, out, sizeof(record));
		check(number_of(record.size) == next);
		next++;
	}
	check(pthread_join(thread, NULL) == 0);
	check(ring_take(&r, out) == RING_EMPTY);
}

int
main(void)
{
	area = mmap(NULL, sizeof(*area), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, NULL);
	test_places();
	test_full();
	test_hostile();
	test_threads();
	return 0;
}
