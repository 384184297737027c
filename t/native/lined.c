/* SPDX-License-Identifier: ISC */
/*
 * lined.c: code whose lines and shares of time are known.
 *
 * As a program: lined SECONDS.  As a library: twice_and_once(N).  Three quarters of the
 * time are spent in the lines with FIRST, one in those with SECOND; the latter are in a
 * function that is inlined at the line with CALL.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

static inline __attribute__((always_inline)) void
inlined(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) /* SECOND */
		sum ^= i; /* SECOND */
}

__attribute__((noinline)) void
twice_and_once(unsigned long n)
{
	for (unsigned long i = 0; i < 3 * n; i++) /* FIRST */
		sum ^= i; /* FIRST */
	inlined(n); /* CALL */
}

int
main(int argc, char *argv[])
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		twice_and_once(100000);
	return 0;
}
