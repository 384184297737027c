/* SPDX-License-Identifier: ISC */
/*
 * test_known: calls that were seen are known, by their place and by who calls
 * whom; of several places of a call, the one that a caller came from is found.
 */
#include "engine/known.h"

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

static void
test_nearest(void)
{
	struct known k = {0};

	check_number(known_nearest(&k, call(0, 1, 2), 150), 0);
	check(known_add(&k, call(200, 1, 2)) && known_add(&k, call(100, 1, 2)) &&
	    known_add(&k, call(300, 1, 2)) && known_add(&k, call(140, 1, 3)) &&
	    known_add(&k, call(141, 1, 2)));
	check_number(known_nearest(&k, call(0, 1, 2), 150), 100);
	check_number(known_nearest(&k, call(0, 1, 2), 200), 200);
	check_number(known_nearest(&k, call(0, 1, 2), 900), 300);
	check_number(known_nearest(&k, call(0, 1, 2), 50), 300);
	check_number(known_nearest(&k, call(RESUMED, 1, 2), 150), 140);
	known_free(&k);
}

/* However many there are, one that was made is found, and soon. */
static void
test_many(void)
{
	struct known k = {0};
	uint64_t place;

	for (uint32_t i = 1; i <= MANY; i++)
		check(known_add(&k, call(2 * i, 1, 2)) &&
		    known_add(&k, call(2, i, i)));
	for (uint32_t i = 1; i <= MANY; i++)
		check(known_has(&k, call(2 * i, 1, 2)) &&
		    known_has_pair(&k, call(0, i, i)));
	place = known_nearest(&k, call(0, 1, 2), MANY);
	check(place != 0 && place <= 2 * MANY);
	known_free(&k);
}

int
main(void)
{
	test_has();
	test_nearest();
	test_many();
	return failures != 0;
}
