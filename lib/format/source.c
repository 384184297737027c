/* SPDX-License-Identifier: ISC */
/* source.c: see source.h. */
#include "format/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "budget.h"
#include "table.h"

int
source_check_names(struct source_input *in)
{
	if (table_kept(in->table) <= NAMES_MAX)
		return TACH_OK;
	return error_set(&in->error, TACH_ELIMIT, "the names have more than "
	    "%u MiB together, which is not read", NAMES_MAX >> 20);
}

int
source_name_thread(struct source_input *in, uint32_t interp, uint64_t thread,
    struct tach_string name)
{
	char *note;
	uint32_t index;

	if (name.len == 0)
		return TACH_OK;
	if (asprintf(&note, "thread %" PRIu32 " %" PRIu64 " %.*s", interp,
		thread, (int)name.len, name.bytes) < 0)
		return error_memory(&in->error);
	index = tach_table_add_note(in->table, note);
	free(note);
	return index != TACH_NONE ? TACH_OK : error_memory(&in->error);
}
