/* SPDX-License-Identifier: ISC */
/*
 * leaves.c: opcodes as frames, for all formats that know of functions alone:
 * a sink that puts one below each stack, and passes it on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tach.h"

struct leaves {
	struct tach_sink sink;
	struct tach_sink *next;
	const struct tach_meta *meta;
	const struct tach_table *from;
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
	struct tach_string s = tach_table_string(l->from, index);

	return tach_table_add_string(l->to, s.bytes, s.len);
}

/* The notes that the table has got since the last call. */
static bool
take_notes(struct leaves *l)
{
	struct tach_string note;

	for (; l->noted < tach_table_strings(l->from); l->noted++)
		if (tach_string_note(tach_table_string(l->from, l->noted),
			&note) && add_string(l, l->noted) == TACH_NONE)
			return false;
	return true;
}

/* Makes room to know every frame that the table has by now. */
static bool
reserve_frames(struct leaves *l)
{
	uint32_t n = tach_table_frames(l->from);
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
	struct tach_frame f = *tach_table_frame(l->from, index);

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
	const char *name = tach_opcode_name(l->meta, opcode);
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

/* ---- the sink ------------------------------------------------------------ */

static bool
reserve_stack(struct leaves *l, size_t depth)
{
	uint32_t *p;

	if (depth <= l->room)
		return true;
	if ((p = reallocarray(l->stack, depth * 2, sizeof(*p))) == NULL)
		return false;
	l->stack = p;
	l->room = depth * 2;
	return true;
}

/* Makes the stack to pass on, behind room for the leaf. */
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
leaves_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct leaves *l = sink->arg;
	uint8_t opcode = run->depth > 0 ?
	    tach_table_frame(l->from, run->frames[0])->opcode : TACH_NO_OPCODE;
	bool leaf = opcode != TACH_NO_OPCODE;
	struct tach_run to = *run;

	if (!make_stack(l, run, opcode))
		return error_set(&l->error, TACH_FATAL, "out of memory");
	to.frames = l->stack + !leaf;
	to.depth += leaf;
	return l->next->run(l->next, &to);
}

static int
leaves_end(struct tach_sink *sink)
{
	struct leaves *l = sink->arg;

	if (!take_notes(l))
		return error_set(&l->error, TACH_FATAL, "out of memory");
	return tach_sink_end(l->next);
}

static void
leaves_free(struct tach_sink *sink)
{
	struct leaves *l = sink->arg;

	tach_sink_free(l->next);
	free(l->frame_of);
	free(l->stack);
	free(l);
}

static enum tach_error
leaves_error(const struct tach_sink *sink, const char **line)
{
	const struct leaves *l = sink->arg;

	return l->error.text[0] != '\0' ? error_get(&l->error, line) :
	    tach_sink_error(l->next, line);
}

struct tach_sink *
tach_opcodes_new(const struct tach_meta *meta, const struct tach_table *from,
    struct tach_table *to, struct tach_sink *next)
{
	struct leaves *l = next != NULL ? calloc(1, sizeof(*l)) : NULL;

	if (l == NULL) {
		if (next != NULL)
			tach_sink_free(next);
		return NULL;
	}
	l->sink = (struct tach_sink){.arg = l, .run = leaves_run,
	    .end = leaves_end, .free = leaves_free, .error = leaves_error};
	l->next = next;
	l->meta = meta;
	l->from = from;
	l->to = to;
	return &l->sink;
}
