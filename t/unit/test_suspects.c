/* SPDX-License-Identifier: ISC */
/*
 * test_suspects: a call is cleared of being made if it was not seen for long
 * after it was suspected, and that is believed for some times only.
 */
#include "engine/code/suspects.h"

#include "profile.h"

#define LONG 64	  /* chains */
#define TIMES 256
#define MANY 100000

static struct suspect
call(uint64_t instr, uint32_t caller, uint32_t callee)
{
	return (struct suspect){.instr = instr, .caller = caller,
	    .callee = callee};
}

static bool
clear(struct suspects *s, struct suspect c, unsigned watched)
{
	return suspects_clear(s, c, watched, false);
}

static void
test_times(void)
{
	struct suspects s = {0};
	unsigned from = 1000;

	for (int i = 0; i < 3; i++) {
		for (unsigned n = 0; n < LONG; n++)
			check(!clear(&s, call(100, 1, 2), from + n));
		from += LONG;
		for (int n = 0; n < TIMES; n++) {
			check(clear(&s, call(100, 1, 2), from));
			check(suspects_clear(&s, call(100, 1, 2), from, true));
		}
		check(!clear(&s, call(100, 1, 2), from));
	}
	suspects_free(&s);
}

/* Each of them is watched for alone. */
static void
test_others(void)
{
	struct suspects s = {0};

	check(!clear(&s, call(100, 1, 2), 0));
	check(!clear(&s, call(102, 1, 2), LONG));
	check(!clear(&s, call(100, 2, 2), LONG));
	check(!clear(&s, call(100, 1, 3), LONG));
	check(clear(&s, call(100, 1, 2), LONG));
	check(clear(&s, call(102, 1, 2), 2 * LONG));
	suspects_free(&s);
}

/* A program that makes code as it goes does not fill our memory; a call that is
 * asked for now and then is watched for all the time. */
static void
test_bound(void)
{
	struct suspects s = {0};

	check(!clear(&s, call(102, 1, 2), 0));
	for (uint32_t i = 0; i < 3 * MANY; i++) {
		check(!clear(&s, call(100, i, 2), 0));
		if (i % 1000 == 0)
			check(clear(&s, call(102, 1, 2), LONG));
	}
	check(s.young.count < MANY && s.old.count < MANY);
	check(!clear(&s, call(100, 0, 2), LONG)); /* forgotten */
	suspects_free(&s);
}

int
main(void)
{
	test_times();
	test_others();
	test_bound();
	return failures != 0;
}
