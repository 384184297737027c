/* SPDX-License-Identifier: ISC */
/*
 * test_edges: calls that were seen are known, by their place, by who calls whom,
 * and by the callers of the caller; and where it is made, if in one line only.
 * Calls that are looked for stay known, others are forgotten, never a part of
 * those that belong together.
 */
#include "engine/code/edges.h"

#include "profile.h"
#include "tach.h"

#define RESUMED 1
#define MANY 1000
#define FULL 65536

static struct edge
call(uint64_t instr, uint32_t caller, uint32_t callee)
{
	return (struct edge){.instr = instr, .caller = caller,
	    .callee = callee};
}

static void
test_has(void)
{
	struct edges e = {0};

	check(!edges_has(&e, call(100, 1, 2)));
	check(edges_add(&e, call(100, 1, 2)));
	check(edges_add(&e, call(0, TACH_NONE, 1)));
	check(edges_add(&e, call(100, 1, 2)));
	check_number(e.young.count, 2);
	check(edges_has(&e, call(100, 1, 2)));
	check(edges_has(&e, call(0, TACH_NONE, 1)));
	check(!edges_has(&e, call(102, 1, 2)));
	check(!edges_has(&e, call(100, 2, 1)));
	check(!edges_has(&e, call(100 | RESUMED, 1, 2)));
	check(edges_has_pair(&e, call(0, 1, 2)));
	check(!edges_has_pair(&e, call(0, 2, 1)));
	check(!edges_has_pair(&e, call(RESUMED, 1, 2)));
	edges_clear(&e);
	check(!edges_has(&e, call(100, 1, 2)));
	check(!edges_has_pair(&e, call(0, 1, 2)));
	check_number(e.learned, 2);
	edges_free(&e);
}

/* Through others it is another call, of the same two. */
static void
test_through(void)
{
	struct edges e = {0};
	struct edge one = call(100, 1, 2), other = one;

	one.through = 7;
	other.through = 8;
	check(edges_add(&e, one));
	check(edges_has(&e, one));
	check(!edges_has(&e, other));
	check(!edges_has(&e, call(100, 1, 2)));
	check(edges_has_pair(&e, one));
	check(!edges_has_pair(&e, other));
	edges_free(&e);
}

/* The place of a call is known as long as there is but one. */
static void
test_place(void)
{
	struct edges e = {0};
	struct edge one = call(101, 1, 2), other = call(201, 1, 2);

	check_number(edges_place(&e, one), 0);
	check(edges_add(&e, one));
	check_number(edges_place(&e, other), 100);
	check_number(edges_place(&e, call(100, 1, 2)), 0);
	other.through = 7;
	check(edges_add(&e, other));
	check_number(edges_place(&e, one), 100);
	check_number(edges_place(&e, other), 200);
	other.through = 0;
	other.line = one.line + 1;
	check(edges_add(&e, other));
	check_number(edges_place(&e, one), 0);
	edges_free(&e);
}

/* Or as long as all are in one line: then it is the last one. */
static void
test_line(void)
{
	struct edges e = {0};

	check(edges_add(&e, call(100, 1, 2)));
	check(edges_add(&e, call(300, 1, 2)));
	check(edges_add(&e, call(200, 1, 2)));
	check_number(edges_place(&e, call(100, 1, 2)), 0);
	check_number(edges_place(&e, call(102, 1, 2)), 100);
	check_number(edges_place(&e, call(210, 1, 2)), 200);
	check_number(edges_place(&e, call(400, 1, 2)), 300);
	for (uint64_t i = 400; i < 500; i++)
		check(edges_add(&e, call(2 * i, 1, 2)));
	check_number(edges_place(&e, call(102, 1, 2)), 0); /* too many */
	edges_clear(&e);
	for (uint64_t i = 1; i < 3; i++) {
		struct edge none = call(100 * i, 1, 2);
		none.line = -1;
		check(edges_add(&e, none));
	}
	check_number(edges_place(&e, call(300, 1, 2)), 0);
	edges_free(&e);
}

/* However many there are, each is found. */
static void
test_many(void)
{
	struct edges e = {0};

	for (uint32_t i = 1; i <= MANY; i++)
		check(edges_add(&e, call(2 * i, 1, 2)) &&
		    edges_add(&e, call(2, i, i)));
	for (uint32_t i = 1; i <= MANY; i++)
		check(edges_has(&e, call(2 * i, 1, 2)) &&
		    edges_has_pair(&e, call(0, i, i)));
	edges_free(&e);
}

/* A call from a place of its line, through callers. */
static struct edge
context(uint64_t instr, uint32_t callee, uint64_t through, int32_t line)
{
	return (struct edge){.instr = instr, .caller = 1, .callee = callee,
	    .through = through, .line = line};
}

/* Ends a generation that has one more edge. */
static void
end_generation(struct edges *e)
{
	static uint32_t other = 1000;

	check(edges_add(e, call(2, other++, 1)));
	check(!edges_age(e, e->young.count));
	check(edges_age(e, e->young.count - 1));
	check_number(e->young.count, 0);
}

/* What is looked for stays, what is not is forgotten with the second generation
 * after it. */
static void
test_age(void)
{
	struct edges e = {0};

	check(edges_add(&e, call(100, 1, 2)));
	check(edges_add(&e, call(100, 3, 4)));
	for (int i = 0; i < 4; i++) {
		end_generation(&e);
		check(edges_has(&e, call(100, 1, 2)));
		check(edges_has_pair(&e, call(0, 1, 2)));
		check(edges_has_pair(&e, call(0, 3, 4)) == (i == 0));
		check(edges_add(&e, call(100, 1, 2)));
	}
	check(!edges_has(&e, call(100, 3, 4)));
	check_number(e.learned, 6); /* also the four other ones */
	check(edges_add(&e, call(100, 3, 4)));
	check_number(e.learned, 7);
	edges_clear(&e);
	check(!edges_has(&e, call(100, 1, 2)));
	edges_free(&e);
}

/* Of a pair all places stay, also if only one is looked for, or a new one comes:
 * else the others would be taken for the only ones. */
static void
test_age_pair(void)
{
	struct edges e = {0};

	check(edges_add(&e, context(100, 2, 7, 10)));
	check(edges_add(&e, context(200, 2, 7, 11)));
	check(edges_add(&e, context(300, 3, 7, 10)));
	for (int i = 0; i < 4; i++) {
		end_generation(&e);
		if (i & 1)
			check(edges_has(&e, context(100, 2, 7, 0)));
		else
			check_number(edges_place(&e, context(400, 2, 7, 0)), 0);
		check_number(edges_place(&e, context(400, 3, 7, 0)), 300);
	}
	end_generation(&e);
	check(edges_add(&e, context(500, 3, 7, 11)));
	check_number(edges_place(&e, context(600, 3, 7, 0)), 0);
	end_generation(&e);
	end_generation(&e);
	check_number(edges_place(&e, context(600, 3, 7, 0)), 0);
	check(!edges_has_pair(&e, context(0, 3, 7, 0)));
	check(!edges_has_pair(&e, context(0, 2, 7, 0)));
	edges_free(&e);
}

/* With a call through callers, what is known through any stays. */
static void
test_age_any(void)
{
	struct edges e = {0};

	check(edges_add(&e, context(100 | RESUMED, 2, 7, 10)));
	check(edges_add(&e, context(100 | RESUMED, 2, 0, 10)));
	check(edges_add(&e, context(100, TACH_NONE, 0, 0)));
	check(edges_add(&e, context(101, TACH_NONE, 0, 0)));
	check(edges_add(&e, context(100 | RESUMED, 2, 8, 10)));
	for (int i = 0; i < 4; i++) {
		end_generation(&e);
		check(edges_has(&e, context(100 | RESUMED, 2, 7, 0)));
	}
	check(edges_has(&e, context(100 | RESUMED, 2, 0, 0)));
	check(edges_has(&e, context(100, TACH_NONE, 0, 0)));
	check(edges_has(&e, context(101, TACH_NONE, 0, 0)));
	check(!edges_has(&e, context(100 | RESUMED, 2, 8, 0)));
	edges_free(&e);
}

/* However many calls come, those that are made now and then are known, and the
 * set does not grow for ever. */
static void
test_age_many(void)
{
	struct edges e = {0};

	for (uint32_t i = 0; i < MANY; i++)
		check(edges_add(&e, call(2, i, 1)));
	for (uint32_t i = 0; i < 5 * FULL; i++) {
		check(edges_add(&e, call(2, MANY + i, 1)));
		check(edges_has(&e, call(2, i % MANY, 1)));
		edges_age(&e, FULL);
	}
	check(!edges_has(&e, call(2, MANY, 1)));
	check(e.young.count + e.old.count <= 2 * FULL + 2);
	check_number(e.learned, MANY + 5 * FULL);
	edges_free(&e);
}

int
main(void)
{
	test_has();
	test_through();
	test_place();
	test_line();
	test_many();
	test_age();
	test_age_pair();
	test_age_any();
	test_age_many();
	return failures != 0;
}
