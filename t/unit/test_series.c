/* SPDX-License-Identifier: ISC */
/*
 * test_series: copies that one call makes one after the other are of all ranges
 * each, and later each; one looks at them in turn, and back; and they are none
 * where what they share changes, memory cannot be read, or one call is not enough.
 */
#undef NDEBUG
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/copy/snapshot.h"

#define COPIES 6
#define TIMES 2000

static _Atomic uint64_t counter;
static uint64_t steady = 42;
static atomic_bool over;
static struct snapshot none; /* that is shared */

static void *
count(void *arg)
{
	(void)arg;
	while (!atomic_load(&over))
		atomic_fetch_add(&counter, 1);
	return NULL;
}

static void
add(struct snapshot *s, const volatile void *p, size_t size)
{
	assert(snapshot_add(s, (uint64_t)(uintptr_t)p, size));
}

static uint64_t
word(const struct snapshot *s, size_t at)
{
	uint64_t w;

	memcpy(&w, s->bytes + at, sizeof(w));
	return w;
}

/* Returns how often a copy had counted on since the one before it. */
static int
look_at_all(struct snapshot *s)
{
	struct snapshot earlier;
	uint64_t last = word(s, 0);
	int n = 1, went_on = 0;

	assert(!snapshot_earlier(s, &earlier));
	for (; snapshot_next(s); n++) {
		assert(word(s, sizeof(uint64_t)) == steady);
		assert(word(s, 0) >= last);
		went_on += word(s, 0) > last;
		assert(snapshot_earlier(s, &earlier));
		assert(word(&earlier, 0) == last);
		last = word(s, 0);
	}
	assert(n == COPIES);
	return went_on;
}

static void
test_series(void)
{
	struct snapshot s = {0};
	pthread_t thread;
	uint64_t first;
	int went_on = 0;

	assert(pthread_create(&thread, NULL, count, NULL) == 0);
	add(&s, &counter, sizeof(counter));
	add(&s, &steady, sizeof(steady));
	/* The thread that counts may have to wait for a CPU. */
	for (int i = 0; i < TIMES || went_on == 0; i++) {
		assert(snapshot_read_series(&s, &none, getpid(), COPIES));
		first = word(&s, 0);
		went_on += look_at_all(&s);
		assert(!snapshot_next(&s));
		snapshot_back(&s, COPIES - 1);
		assert(word(&s, 0) == first);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	atomic_store(&over, false);
	snapshot_free(&s);
}

/* What copies share is the same before them and after them, or they are none. */
static void
test_shared(void)
{
	struct snapshot s = {0}, shared = {0};
	struct spans spans = {0};
	pthread_t thread;

	add(&s, &counter, sizeof(counter));
	add(&shared, &steady, sizeof(steady));
	assert(snapshot_read_series(&s, &shared, getpid(), COPIES));
	assert(spans_add_shared(&spans, &s) && spans.count == 1);
	assert(memcmp(spans.list[0].bytes, &steady, sizeof(steady)) == 0);
	add(&shared, &counter, sizeof(counter));
	assert(snapshot_read_series(&s, &shared, getpid(), COPIES));
	assert(pthread_create(&thread, NULL, count, NULL) == 0);
	while (snapshot_read_series(&s, &shared, getpid(), COPIES))
		continue;
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	atomic_store(&over, false);
	spans_free(&spans);
	snapshot_free(&shared);
	snapshot_free(&s);
}

/* An ordinary copy is a series of one. */
static void
test_single(void)
{
	struct snapshot s = {0};
	size_t failed;

	add(&s, &steady, sizeof(steady));
	assert(snapshot_read_series(&s, &none, getpid(), COPIES));
	assert(snapshot_next(&s));
	snapshot_clear(&s);
	assert(!snapshot_next(&s));
	add(&s, &steady, sizeof(steady));
	assert(snapshot_read(&s, getpid(), &failed));
	assert(word(&s, 0) == steady);
	assert(!snapshot_next(&s));
	snapshot_free(&s);
}

static void
test_unreadable(void)
{
	struct snapshot s = {0};
	void *p = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);

	assert(p != MAP_FAILED);
	add(&s, &steady, sizeof(steady));
	add(&s, p, sizeof(uint64_t));
	assert(!snapshot_read_series(&s, &none, getpid(), COPIES));
	munmap(p, 4096);
	snapshot_free(&s);
}

static void
test_many(void)
{
	struct snapshot s = {0};

	for (int i = 0; i < IOV_MAX / 2; i++)
		add(&s, &steady, sizeof(steady));
	assert(snapshot_read_series(&s, &none, getpid(), 2));
	assert(!snapshot_read_series(&s, &none, getpid(), 3));
	snapshot_free(&s);
}

int
main(void)
{
	test_series();
	test_shared();
	test_single();
	test_unreadable();
	test_many();
	snapshot_free(&none);
	return 0;
}
