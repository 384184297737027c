/* SPDX-License-Identifier: ISC */
/*
 * test_edges: calls that were seen are known, by their place, by who calls whom,
 * and by the callers of the caller; and where it is made, if in one line only.
 */
#include "engine/code/edges.h"

#include "profile.h"
#include "tach.h"

#define RESUMED 1
#define MANY 1000

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
	check_number(e.count, 2);
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

int
main(void)
{
	test_has();
	test_through();
	test_place();
	test_line();
	test_many();
	return failures != 0;
}
