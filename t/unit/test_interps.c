/* SPDX-License-Identifier: ISC */
/*
 * test_interps: looks at a GIL miss no thread that has had it in between, whenever each of
 * its words was read.  A thread before one that has not counted itself yet is seen at the
 * next look.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "engine/threads/interps.h"

#define THREADS 3
#define TAKES 4			/* in a history, at most */
#define MOMENTS (2 * TAKES + 1) /* before, amid and after each of them */

/* The words of a GIL, and how they lie in its memory. */
struct words {
	uint64_t holder, switches;
	uint32_t locked, unused;
};

/* Who takes the GIL one after the other.  A thread writes itself as the holder, then
 * counts. */
struct history {
	uint64_t taker[TAKES + 1]; /* the first one has it at the beginning */
	size_t moments;
};

static struct words
words_at(const struct history *h, size_t moment)
{
	return (struct words){.holder = h->taker[(moment + 1) / 2],
	    .switches = moment / 2, .locked = 1};
}

/* Whether a thread has the GIL at some moment of these. */
static bool
has_had(const struct history *h, uint64_t thread, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		if (words_at(h, i).holder == thread)
			return true;
	return false;
}

/* A look that reads the switches, the holder, and the switches again. */
static void
look(const struct history *h, const struct interps *is, struct interp *in,
    const size_t *moments)
{
	struct words before = words_at(h, moments[0]), w = words_at(h, moments[1]);
	struct py_span span = {in->gil_at, sizeof(w), (const uint8_t *)&w};
	struct py_view view = {.spans = &span, .count = 1};
	struct snapshot s = {.bytes = (uint8_t *)&before};

	w.switches = words_at(h, moments[2]).switches;
	in->before_at = offsetof(struct words, switches);
	assert(interp_look(is, in, &view, &s));
}

/* Two looks, and one at the end. */
static unsigned long
try_looks(const struct history *h, const struct interps *is, const size_t *moments)
{
	struct interp in = {.gil_at = 4096, .counted = true};
	size_t end[3] = {h->moments - 1, h->moments - 1, h->moments - 1};
	bool seen[THREADS + 1];

	look(h, is, &in, moments);
	look(h, is, &in, moments + 3);
	for (uint64_t t = 1; t <= THREADS; t++)
		seen[t] = interp_may_have_run(&in, t);
	look(h, is, &in, end);
	for (uint64_t t = 1; t <= THREADS; t++)
		assert(seen[t] || interp_may_have_run(&in, t) ||
		    !has_had(h, t, moments[1], moments[4]));
	return 1;
}

/* All ways to read six words one after the other. */
static unsigned long
try_moments(const struct history *h, const struct interps *is, size_t *moments, size_t n)
{
	unsigned long tried = 0;

	if (n == 6)
		return try_looks(h, is, moments);
	for (size_t i = n > 0 ? moments[n - 1] : 0; i < h->moments; i++) {
		moments[n] = i;
		tried += try_moments(h, is, moments, n + 1);
	}
	return tried;
}

static unsigned long
try_histories(struct history *h, const struct interps *is, size_t takes)
{
	size_t moments[6];
	unsigned long tried = 0;

	if (takes == TAKES) {
		h->moments = MOMENTS;
		return try_moments(h, is, moments, 0);
	}
	for (uint64_t t = 1; t <= THREADS; t++) {
		h->taker[takes + 1] = t;
		if (t != h->taker[takes])
			tried += try_histories(h, is, takes + 1);
	}
	return tried;
}

/* A GIL that nobody takes is the same, and only its holder can have run. */
static void
test_same(const struct interps *is)
{
	struct history h = {.taker = {1, 2}, .moments = 3};
	struct interp in = {.gil_at = 4096, .counted = true};

	look(&h, is, &in, (size_t[]){0, 0, 0});
	look(&h, is, &in, (size_t[]){0, 0, 0});
	assert(interp_is_same(&in) && interp_is_kept(&in));
	assert(interp_may_have_run(&in, 1) && !interp_may_have_run(&in, 2));
	look(&h, is, &in, (size_t[]){2, 2, 2});
	assert(!interp_is_same(&in));
	assert(interp_may_have_run(&in, 1) && interp_may_have_run(&in, 2) &&
	    !interp_may_have_run(&in, 3));
}

int
main(void)
{
	struct py_runtime rt = {0};
	struct interps is = {.runtime = &rt};
	struct history h = {.taker = {1}};

	memset(&rt.offsets, 0xff, sizeof(rt.offsets));
	rt.offsets.gil_holder = offsetof(struct words, holder);
	rt.offsets.gil_switches = offsetof(struct words, switches);
	rt.offsets.gil_locked = offsetof(struct words, locked);
	rt.offsets.gil_size = sizeof(struct words);
	test_same(&is);
	printf("%lu pairs of looks\n", try_histories(&h, &is, 0));
	return 0;
}
