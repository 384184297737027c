/* SPDX-License-Identifier: ISC */
/*
 * depths: compares lib/python/depths.c with records of t/python/depths.py, which is
 * standard input.  Prints how many code objects, depths and calls there were, and the
 * first few that differ; exits 1 if some do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "python/depths.h"

#define SHOWN 10
#define NOT_COMPARED (-2) /* in a record, in the place of a depth */

struct head {
	int32_t minor, units, table_size, stack_size;
	/* The expected depths are all there; and so they must be known. */
	int32_t expected, strict;
	int32_t depths; /* pairs: unit, depth that was seen there */
	int32_t calls; /* unit, number of slots that held the callable, slots */
};

struct code {
	struct head head;
	const struct py_effects *effects;
	uint16_t *units;
	uint8_t *table;
	int16_t *depths;
	int32_t label; /* of the record, for messages */
};

static struct {
	uint64_t codes, units, compared, deepest, seen, unknown, calls, sure,
	    unplaced, wrong;
} totals;

static void
read_all(void *p, size_t size)
{
	if (fread(p, 1, size, stdin) != size) {
		fputs("depths: the input ends too early\n", stderr);
		exit(2);
	}
}

/* Exactly as large as what is read, for ASan. */
static void *
read_bytes(size_t size)
{
	void *p = malloc(size != 0 ? size : 1);
	uint8_t padding[4];

	if (p == NULL)
		exit(2);
	read_all(p, size);
	read_all(padding, -size & 3);
	return p;
}

static int32_t
read_number(void)
{
	int32_t n;

	read_all(&n, sizeof(n));
	return n;
}

static void
differ(const struct code *c, const char *what, int32_t unit, int32_t ours,
    int32_t theirs)
{
	if (totals.wrong++ >= SHOWN)
		return;
	printf("%s: code object %d, unit %d, opcode %d: %d, not %d\n", what,
	    c->label, unit, c->units[unit] & 0xff, ours, theirs);
}

static void
compare_expected(const struct code *c)
{
	for (int32_t i = 0; i < c->head.units; i++) {
		int32_t depth = read_number();
		if (depth == NOT_COMPARED ||
		    (c->depths[i] == DEPTH_UNKNOWN && !c->head.strict))
			continue;
		totals.compared++;
		if (c->depths[i] != depth)
			differ(c, "expected", i, c->depths[i], depth);
	}
}

static void
compare_seen(const struct code *c)
{
	for (int32_t i = 0; i < c->head.depths; i++) {
		int32_t unit = read_number(), depth = read_number();
		totals.seen++;
		if (c->depths[unit] == DEPTH_UNKNOWN)
			totals.unknown++;
		else if (c->depths[unit] != depth)
			differ(c, "seen", unit, c->depths[unit], depth);
	}
}

/* depth: of the record, if it has one that the bytecode need not tell. */
static void
compare_call(const struct code *c)
{
	int32_t unit = read_number(), depth = read_number();
	int32_t n = read_number(), slot = -1;
	int places[2], count;
	bool found = false;

	if (depth < 0)
		depth = c->depths[unit];
	count = call_places(c->effects, c->units, (size_t)c->head.units, unit,
	    places);
	if (operator_at(c->effects, c->units, (size_t)c->head.units, unit) != PY_CALL)
		count = 0;
	for (int32_t i = 0; i < n; i++) {
		slot = read_number();
		for (int k = 0; k < count; k++)
			found |= slot == depth - places[k];
	}
	totals.calls++;
	if (depth == DEPTH_UNKNOWN || count == 0)
		totals.unplaced++;
	else if (!found)
		differ(c, "call", unit, depth - places[0], slot);
	else
		totals.sure += n == 1;
}

static void
compare_stack(const struct code *c)
{
	int32_t most = 0;

	for (int32_t i = 0; i < c->head.units; i++)
		if (c->depths[i] > most)
			most = c->depths[i];
	if (most > c->head.stack_size)
		differ(c, "stack size", 0, most, c->head.stack_size);
	totals.deepest += most == c->head.stack_size;
}

static void
compare(const struct head *h)
{
	struct code c = {.head = *h, .effects = py_effects_find((unsigned)h->minor)};

	c.units = read_bytes((size_t)h->units * sizeof(*c.units));
	c.table = read_bytes((size_t)h->table_size);
	c.depths = malloc((size_t)h->units * sizeof(*c.depths));
	c.label = (int32_t)totals.codes++;
	if (c.effects == NULL || c.depths == NULL ||
	    !depths_find(c.effects, c.units, (size_t)h->units, c.table,
		(size_t)h->table_size, c.depths))
		exit(2);
	totals.units += (uint64_t)h->units;
	compare_stack(&c);
	if (h->expected)
		compare_expected(&c);
	compare_seen(&c);
	for (int32_t i = 0; i < h->calls; i++)
		compare_call(&c);
	free(c.units);
	free(c.table);
	free(c.depths);
}

int
main(void)
{
	struct head h;

	while (fread(&h, sizeof(h), 1, stdin) == 1)
		compare(&h);
	printf("%" PRIu64 " code objects, %" PRIu64 " as deep as their stack, %"
	    PRIu64 " code units, %" PRIu64 " compared\n"
	    "%" PRIu64 " depths seen, %" PRIu64 " unknown\n"
	    "%" PRIu64 " calls seen, %" PRIu64 " in one slot, %" PRIu64
	    " unknown\n%" PRIu64 " wrong\n",
	    totals.codes, totals.deepest, totals.units, totals.compared,
	    totals.seen, totals.unknown, totals.calls, totals.sure,
	    totals.unplaced, totals.wrong);
	return totals.wrong != 0;
}
