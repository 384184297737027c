/* SPDX-License-Identifier: ISC */
/* hottest.c: see hottest.h. */
#include "hottest.h"

#include <stdio.h>

#include "tally_table.h"

#define SHOWN 10

static void
show_of(struct tach_reader *r)
{
	struct tach_source *source = tach_durations_new(tach_reader_source(r));
	struct tally t;

	if (tally_init(&t, TALLY_FUNCTION) && source != NULL &&
	    tach_pump(source, &t.sink) == TACH_END && t.all.samples > 0)
		tally_print_short(stderr, &t, SHOWN);
	tally_clear(&t);
	tach_source_free(source);
}

void
hottest_show(int fd)
{
	struct tach_reader *r = tach_reader_new();

	if (r != NULL && tach_reader_open_fd(r, fd) == TACH_OK)
		show_of(r);
	tach_reader_free(r);
}
