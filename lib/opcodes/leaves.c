/* SPDX-License-Identifier: ISC */
/*
 * leaves.c: opcodes as frames, for all formats that know of functions alone:
 * a source that puts one below each stack of another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "tach.h"

struct leaves {
	struct tach_source source, *from;
	struct tach_table *to;
	uint32_t noted;	    /* strings looked at for notes */
	uint32_t *frame_of; /* by frame; TACH_NONE: not known yet */
	uint32_t nframes;
	uint32_t *stack; /* of a run */
	size_t room;
	struct error error;
};

/* ---- the table ----------------------------------------------------------- */

static uint32_t
add_string(struct leaves *l, uint32_t index)
{
	struct tach_string s = tach_table_string(l->from->table, index);

	return tach_table_add_string(l->to, s.bytes, s.len);
}

/* The notes that the table has got since the last call. */
static bool
take_notes(struct leaves *l)
{
	struct tach_string note;

	for (; l->noted < tach_table_string_count(l->from->table); l->noted++)
		if (tach_string_note(tach_table_string(l->from->table, l->noted),
			&note) && add_string(l, l->noted) == TACH_NONE)
			return false;
	return true;
}

/* Makes room to know every frame that the table has by now. */
static bool
reserve_frames(struct leaves *l)
{
	uint32_t n = tach_table_frame_count(l->from->table);
	uint32_t *all = reallocarray(l->frame_of, n, sizeof(*all));

	if (all == NULL)
		return false;
	l->frame_of = all;
	while (l->nframes < n)
		all[l->nframes++] = TACH_NONE;
	return true;
}

static uint32_t
frame_of(struct leaves *l, uint32_t index)
{
	struct tach_frame f = *tach_table_frame(l->from->table, index);

	if (index >= l->nframes && !reserve_frames(l))
		return TACH_NONE;
	if (l->frame_of[index] != TACH_NONE)
		return l->frame_of[index];
	f.file = add_string(l, f.file);
	f.func = add_string(l, f.func);
	return l->frame_of[index] = tach_table_add_frame(l->to, &f);
}

static uint32_t
leaf_of(struct leaves *l, uint8_t opcode)
{
	const char *name = tach_opcode_name(l->source.meta, opcode);
	char number[sizeof("opcode 255")];
	struct tach_frame f = {.line = -1, .end_line = -1, .column = -1,
	    .end_column = -1, .opcode = TACH_NO_OPCODE};

	if (name == NULL) {
		snprintf(number, sizeof(number), "opcode %u", opcode);
		name = number;
	}
	f.file = tach_table_add_string(l->to, "~", 1);
	f.func = tach_table_add_string(l->to, name, strlen(name));
	return tach_table_add_frame(l->to, &f);
}

/* ---- the source ---------------------------------------------------------- */

static bool
reserve_stack(struct leaves *l, size_t depth)
{
	uint32_t *p = array_reserve(l->stack, &l->room, depth, sizeof(*p));

	if (p != NULL)
		l->stack = p;
	return p != NULL;
}

/* Makes the stack to give, behind room for the leaf. */
static bool
make_stack(struct leaves *l, const struct tach_run *run, uint8_t opcode)
{
	if (!take_notes(l) || !reserve_stack(l, (size_t)run->depth + 1))
		return false;
	for (uint32_t i = 0; i < run->depth; i++)
		if ((l->stack[i + 1] = frame_of(l, run->frames[i])) ==
		    TACH_NONE)
			return false;
	return opcode == TACH_NO_OPCODE ||
	    (l->stack[0] = leaf_of(l, opcode)) != TACH_NONE;
}

static int
leaves_no_memory(struct leaves *l)
{
	return error_system(&l->error, "", ENOMEM);
}

static int
leaves_next(struct tach_source *source, struct tach_run *run)
{
	struct leaves *l = source->arg;
	int rc = tach_source_next(l->from, run);
	uint8_t opcode;
	bool leaf;

	if (rc != TACH_OK)
		return take_notes(l) ? rc : leaves_no_memory(l);
	opcode = run->depth > 0 ? tach_table_frame(l->from->table,
	    run->frames[0])->opcode : TACH_NO_OPCODE;
	leaf = opcode != TACH_NO_OPCODE;
	if (!make_stack(l, run, opcode))
		return leaves_no_memory(l);
	run->frames = l->stack + !leaf;
	run->depth += leaf;
	return TACH_OK;
}

static void
leaves_free(struct tach_source *source)
{
	struct leaves *l = source->arg;

	tach_source_free(l->from);
	tach_table_free(l->to);
	free(l->frame_of);
	free(l->stack);
	free(l);
}

static enum tach_error
leaves_error(const struct tach_source *source, const char **line)
{
	const struct leaves *l = source->arg;

	return error_or(&l->error, l->from, line);
}

struct tach_source *
tach_opcodes_new(struct tach_source *from)
{
	struct leaves *l = from != NULL ? calloc(1, sizeof(*l)) : NULL;

	if (l == NULL || (l->to = tach_table_new()) == NULL) {
		tach_source_free(from);
		free(l);
		return NULL;
	}
	l->source = (struct tach_source){.size = sizeof(l->source),
	    .arg = l,
	    .meta = from->meta,
	    .table = l->to,
	    .next = leaves_next,
	    .free = leaves_free,
	    .error = leaves_error};
	l->from = from;
	return &l->source;
}
