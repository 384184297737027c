/* SPDX-License-Identifier: ISC */
/* functions.c: functions of all kinds that have symbols. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

__attribute__((noinline, cold)) void
fail(int n)
{
	fprintf(stderr, "%d\n", n);
	exit(1);
}

NOINLINE static int
local(int n)
{
	return n * 3;
}

NOINLINE int
global(int n)
{
	/* A part that is hardly ever run is split off. */
	if (n > 1000) {
		fail(n);
		fail(n + 1);
	}
	return local(n) + 1;
}

int another_name(int n) __attribute__((alias("global")));
int _a_name_in_the_library(int n) __attribute__((alias("global")));

/* Assembler's, without a type and without a size. */
__asm__(".text\n.globl written_by_hand\n.p2align 4\nwritten_by_hand:\n\tret\n"
	"\t.p2align 4\n");
void written_by_hand(void);

int
main(void)
{
	written_by_hand();
	return another_name(4) == 13 ? 0 : _a_name_in_the_library(1);
}
