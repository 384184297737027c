/* SPDX-License-Identifier: ISC */
/*
 * contention.h: which functions waited for the GIL, for how long, and which functions
 * held it meanwhile: the table of tach-top --gil.
 */
#ifndef CONTENTION_H
#define CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gilwaits.h"
#include "tally.h"

/* A sink that gives its runs to a tally of functions, too. */
struct contention {
	struct tach_sink sink;
	struct tally tally;
	/* private */
	struct gil_waits waits;
};

/* False: out of memory.  It is to be cleared in any case. */
bool contention_init(struct contention *);
void contention_clear(struct contention *);

/* Once all runs came: prints a line about the whole, and a line for each two functions
 * of which one waited while the other held the GIL, at most so many, that of the
 * longest time first.  False: out of memory; errors of the file are on the file. */
bool contention_print(FILE *, struct contention *, uint32_t most);

#endif
