/* SPDX-License-Identifier: ISC */
/*
 * test_known: calls that were seen are known, by their place, by who calls whom,
 * and by the callers of the caller; and where it is made, if in one line only.
 */
#include "engine/code/known.h"

#include "profile.h"
#include "tach.h"

#define RESUMED 1
#define MANY 1000

static struct known_call
call(uint64_t instr, uint32_t caller, uint32_t callee)
{
	return (struct known_call){.instr = instr, .caller = caller,
	    .callee = callee};
}

static void
test_has(void)
{
	struct known k = {0};

	check(!known_has(&k, call(100, 1, 2)));
	check(known_add(&k, call(100, 1, 2)));
	check(known_add(&k, call(0, TACH_NONE, 1)));
	check(known_add(&k, call(100, 1, 2)));
	check_number(k.count, 2);
	check(known_has(&k, call(100, 1, 2)));
	check(known_has(&k, call(0, TACH_NONE, 1)));
	check(!known_has(&k, call(102, 1, 2)));
	check(!known_has(&k, call(100, 2, 1)));
	check(!known_has(&k, call(100 | RESUMED, 1, 2)));
	check(known_has_pair(&k, call(0, 1, 2)));
	check(!known_has_pair(&k, call(0, 2, 1)));
	check(!known_has_pair(&k, call(RESUMED, 1, 2)));
	known_clear(&k);
	check(!known_has(&k, call(100, 1, 2)));
	check(!known_has_pair(&k, call(0, 1, 2)));
	check_number(k.learned, 2);
	known_free(&k);
}

/* Through others it is another call, of the same two. */
static void
test_through(void)
{
	struct known k = {0};
	struct known_call one = call(100, 1, 2), other = one;

	one.through = 7;
	other.through = 8;
	check(known_add(&k, one));
	check(known_has(&k, one));
	check(!known_has(&k, other));
	check(!known_has(&k, call(100, 1, 2)));
	check(known_has_pair(&k, one));
	check(!known_has_pair(&k, other));
	known_free(&k);
}

/* The place of a call is known as long as there is but one. */
static void
test_place(void)
{
	struct known k = {0};
	struct known_call one = call(101, 1, 2), other = call(201, 1, 2);

	check_number(known_place(&k, one), 0);
	check(known_add(&k, one));
	check_number(known_place(&k, other), 100);
	check_number(known_place(&k, call(100, 1, 2)), 0);
	other.through = 7;
	check(known_add(&k, other));
	check_number(known_place(&k, one), 100);
	check_number(known_place(&k, other), 200);
	other.through = 0;
	other.line = one.line + 1;
	check(known_add(&k, other));
	check_number(known_place(&k, one), 0);
	known_free(&k);
}

/* Or as long as all are in one line: then it is the last one. */
static void
test_line(void)
{
	struct known k = {0};

	check(known_add(&k, call(100, 1, 2)));
	check(known_add(&k, call(300, 1, 2)));
	check(known_add(&k, call(200, 1, 2)));
	check_number(known_place(&k, call(100, 1, 2)), 0);
	check_number(known_place(&k, call(102, 1, 2)), 100);
	check_number(known_place(&k, call(210, 1, 2)), 200);
	check_number(known_place(&k, call(400, 1, 2)), 300);
	for (uint64_t i = 400; i < 500; i++)
		check(known_add(&k, call(2 * i, 1, 2)));
	check_number(known_place(&k, call(102, 1, 2)), 0); /* too many */
	known_clear(&k);
	for (uint64_t i = 1; i < 3; i++) {
		struct known_call none = call(100 * i, 1, 2);
		none.line = -1;
		check(known_add(&k, none));
	}
	check_number(known_place(&k, call(300, 1, 2)), 0);
	known_free(&k);
}

/* However many there are, each is found. */
static void
test_many(void)
{
	struct known k = {0};

	for (uint32_t i = 1; i <= MANY; i++)
		check(known_add(&k, call(2 * i, 1, 2)) &&
		    known_add(&k, call(2, i, i)));
	for (uint32_t i = 1; i <= MANY; i++)
		check(known_has(&k, call(2 * i, 1, 2)) &&
		    known_has_pair(&k, call(0, i, i)));
	known_free(&k);
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
