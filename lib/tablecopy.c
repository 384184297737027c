/* SPDX-License-Identifier: ISC */
/* tablecopy.c: see tablecopy.h. */
#include "tablecopy.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "kind.h"

bool
tablecopy_init(struct tablecopy *c, const struct tach_table *from)
{
	*c = (struct tablecopy){.from = from, .to = tach_table_new()};
	return c->to != NULL;
}

void
tablecopy_clear(struct tablecopy *c)
{
	tach_table_free(c->to);
	free(c->frame_of);
}

static uint32_t
copy_string(struct tablecopy *c, uint32_t index)
{
	struct tach_string s = tach_table_string(c->from, index);

	return tach_table_add_string(c->to, s.bytes, s.len);
}

bool
tablecopy_notes(struct tablecopy *c)
{
	struct tach_string note;

	for (; c->noted < tach_table_string_count(c->from); c->noted++)
		if (tach_string_note(tach_table_string(c->from, c->noted),
			&note) && copy_string(c, c->noted) == TACH_NONE)
			return false;
	return true;
}

/* Makes room to know every frame that the other table has by now. */
static bool
know_frames(struct tablecopy *c)
{
	uint32_t n = tach_table_frame_count(c->from);
	uint32_t *all = array_reserve(c->frame_of, &c->room, n, sizeof(*all));

	if (all == NULL)
		return false;
	c->frame_of = all;
	while (c->nframes < n)
		all[c->nframes++] = TACH_NONE;
	return true;
}

uint32_t
tablecopy_frame(struct tablecopy *c, uint32_t index)
{
	struct tach_frame f;

	if (index >= c->nframes && !know_frames(c))
		return TACH_NONE;
	if (c->frame_of[index] != TACH_NONE)
		return c->frame_of[index];
	f = *tach_table_frame(c->from, index);
	f.file = copy_string(c, f.file);
	f.func = copy_string(c, f.func);
	return c->frame_of[index] = tach_table_add_frame(c->to, &f);
}

uint32_t
tablecopy_mark(struct tablecopy *c, const char *name)
{
	struct tach_frame f = {.line = -1, .end_line = -1, .column = -1,
	    .end_column = -1, .opcode = TACH_NO_OPCODE};

	f.file = tach_table_add_string(c->to, NO_FILE, 1);
	f.func = tach_table_add_string(c->to, name, strlen(name));
	return tach_table_add_frame(c->to, &f);
}
