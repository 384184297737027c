/* SPDX-License-Identifier: ISC */
/*
 * leaves.c: opcodes as frames, for all formats that know of functions alone:
 * a source that puts one below each stack of another, or above the C code that the
 * opcode has led to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "kind.h"
#include "tablecopy.h"
#include "tach.h"

struct opcode_leaves {
	struct tach_source source, *from;
	struct tablecopy table;
	uint32_t *stack; /* of a run */
	size_t room;
	struct error error;
};

static uint32_t
leaf_of(struct opcode_leaves *l, uint8_t opcode)
{
	const char *name = tach_opcode_name(l->source.meta, opcode);
	char number[sizeof("opcode 255")];

	if (name != NULL)
		return tablecopy_mark(&l->table, name);
	snprintf(number, sizeof(number), "opcode %u", opcode);
	return tablecopy_mark(&l->table, number);
}

static bool
reserve_stack(struct opcode_leaves *l, size_t depth)
{
	uint32_t *p = array_reserve(l->stack, &l->room, depth, sizeof(*p));

	if (p != NULL)
		l->stack = p;
	return p != NULL;
}

/* Whether a frame is C code. */
static bool
is_c_frame(const struct tach_table *table, const struct tach_frame *f)
{
	return f->opcode == TACH_NO_OPCODE && kind_is_c(kind_of_frame(
	    tach_table_string(table, f->file), tach_table_string(table, f->func),
	    f->line));
}

/* The opcode of the innermost frame that is no C code.  inner: how many frames are
 * inside of it. */
static uint8_t
opcode_of(const struct opcode_leaves *l, const struct tach_run *run, uint32_t *inner)
{
	const struct tach_table *table = l->from->table;

	for (*inner = 0; *inner < run->depth; ++*inner) {
		const struct tach_frame *f = tach_table_frame(table,
		    run->frames[*inner]);
		if (!is_c_frame(table, f))
			return f->opcode;
	}
	return TACH_NO_OPCODE;
}

/* Makes the stack to give.  An opcode comes behind so many inner frames.  What a run
 * shares with another one it still does: a frame has its opcode in both. */
static bool
make_stack(struct opcode_leaves *l, const struct tach_run *run, uint32_t inner, uint8_t opcode)
{
	uint32_t n = 0;

	if (!tablecopy_notes(&l->table) ||
	    !reserve_stack(l, (size_t)run->depth + 1))
		return false;
	for (uint32_t i = 0; i < run->depth; i++) {
		if (i == inner && opcode != TACH_NO_OPCODE &&
		    (l->stack[n++] = leaf_of(l, opcode)) == TACH_NONE)
			return false;
		if ((l->stack[n++] = tablecopy_frame(&l->table,
			run->frames[i])) == TACH_NONE)
			return false;
	}
	return true;
}

static int
leaves_no_memory(struct opcode_leaves *l)
{
	return error_system(&l->error, "", ENOMEM);
}

static int
leaves_next(struct tach_source *source, struct tach_run *run)
{
	struct opcode_leaves *l = source->arg;
	int rc = tach_source_next(l->from, run);
	uint32_t inner;
	uint8_t opcode;

	if (rc != TACH_OK)
		return tablecopy_notes(&l->table) ? rc : leaves_no_memory(l);
	opcode = opcode_of(l, run, &inner);
	if (!make_stack(l, run, inner, opcode))
		return leaves_no_memory(l);
	run->frames = l->stack;
	run->depth += opcode != TACH_NO_OPCODE;
	return TACH_OK;
}

static void
leaves_free(struct tach_source *source)
{
	struct opcode_leaves *l = source->arg;

	tach_source_free(l->from);
	tablecopy_clear(&l->table);
	free(l->stack);
	free(l);
}

static enum tach_error
leaves_error(const struct tach_source *source, const char **line)
{
	const struct opcode_leaves *l = source->arg;

	return error_or(&l->error, l->from, line);
}

struct tach_source *
tach_opcodes_new(struct tach_source *from)
{
	struct opcode_leaves *l = from != NULL ? calloc(1, sizeof(*l)) : NULL;

	if (l == NULL || !tablecopy_init(&l->table, from->table)) {
		tach_source_free(from);
		free(l);
		return NULL;
	}
	l->source = (struct tach_source){.size = sizeof(l->source),
	    .arg = l,
	    .meta = from->meta,
	    .table = l->table.to,
	    .next = leaves_next,
	    .free = leaves_free,
	    .error = leaves_error};
	l->from = from;
	return &l->source;
}
