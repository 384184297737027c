/* SPDX-License-Identifier: ISC */
/* mixed.c: see mixed.h. */
#include "engine/native/mixed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/native/glue.h"
#include "engine/native/unwinder.h"
#include "engine/sample/emit.h"

#define LOST_NAME "<native?>"

struct mixed {
	const struct py_offsets *offsets;
	struct tach_table *table;
	bool all;
	struct unwinder unwinder;
	struct py_segments segments;
	struct merged merged;
	struct py_chain chain; /* the result */
	const char *cause; /* why the stack is not exact; "" if it is */
	bool nomem;
};

struct mixed *
mixed_new(const struct process *p, const struct py_offsets *o,
    const struct py_memory *memory, struct tach_table *table, bool all)
{
	struct mixed *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->offsets = o;
	m->table = table;
	m->all = all;
	if (!unwinder_init(&m->unwinder, p, memory)) {
		mixed_free(m);
		return NULL;
	}
	return m;
}

void
mixed_free(struct mixed *m)
{
	if (m == NULL)
		return;
	unwinder_free(&m->unwinder);
	segments_free(&m->segments);
	merged_free(&m->merged);
	chain_free(&m->chain);
	free(m);
}

/* ---- places ------------------------------------------------------------ */

/* The frame of C at a place of the merged list. */
static const struct native_frame *
frame_at(const struct mixed *m, size_t place)
{
	return &m->unwinder.frames[m->merged.list[place].index];
}

static void
add_place(struct mixed *m, struct py_place p)
{
	m->nomem = m->nomem || !chain_add(&m->chain, p);
}

static void
add_frame_index(struct mixed *m, uint32_t index)
{
	m->nomem = m->nomem || index == TACH_NONE;
	add_place(m, (struct py_place){.code = PLACE_FRAME, .instr = index});
}

static void
add_lost(struct mixed *m)
{
	add_frame_index(m, emit_lineless(m->table, m->cause,
	    (struct tach_string){LOST_NAME, strlen(LOST_NAME)}));
}

/* A function of C: its module and its name. */
struct c_function {
	struct module *of; /* NULL: code that was made at run time */
	const char *name;  /* until the next one is asked for */
	bool nameless;	   /* the name is an address, or its file's */
};

static struct c_function
function_of_frame(struct mixed *m, const struct native_frame *f)
{
	uint64_t pc = unwinder_inside(f);
	struct modules *ms = &m->unwinder.modules.modules;
	struct c_function c = {process_modules_find(&m->unwinder.modules, pc),
	    "<jit>", false};
	struct native_symbol symbol;
	const char *slash;

	if (c.of == NULL)
		return c;
	if (module_symbol(ms, c.of, pc - c.of->bias, &symbol)) {
		c.name = symbol.name;
		c.nameless = symbol.source == SYMBOL_NAMELESS;
		return c;
	}
	slash = strrchr(c.of->path, '/');
	c.name = slash != NULL ? slash + 1 : c.of->path;
	c.nameless = true;
	return c;
}

static void
add_c_frame(struct mixed *m, const struct native_frame *f)
{
	struct c_function c = function_of_frame(m, f);

	add_frame_index(m, c.of == NULL ? emit_synthetic(m->table, c.name) :
	    emit_lineless(m->table, c.of->path,
		(struct tach_string){c.name, strlen(c.name)}));
}

/* Whether a frame of C only passes a call on: it is the loop as it begins or ends, or
 * the interpreter's glue, or was made at run time. */
static bool
passes_on(struct mixed *m, const struct native_frame *f)
{
	struct c_function c = function_of_frame(m, f);

	return c.of == NULL || unwinder_is_loop(&m->unwinder, f) ||
	    (!c.nameless && glue_has(c.name));
}

/* The number of places from `from` to before `to`, all of frames of C, without the
 * functions of the loop's module that have no name and stand between the loop and a
 * function that has one: they pass the call on, too. */
static size_t
without_nameless(struct mixed *m, size_t from, size_t to)
{
	const struct module *loops = process_modules_find(&m->unwinder.modules,
	    unwinder_inside(frame_at(m, to)));

	for (size_t i = to; i > from; i--) {
		const struct native_frame *f = frame_at(m, i - 1);
		struct c_function c = function_of_frame(m, f);
		if (!passes_on(m, f) && (c.of != loops || !c.nameless))
			return i;
	}
	return to;
}

/* Adds the frames of C from place i of the merged list on, up to the next place of
 * another kind.  Returns the number of that place. */
static size_t
add_run(struct mixed *m, size_t i)
{
	size_t end = i, shown;

	while (end < m->merged.count && m->merged.list[end].kind == MERGED_C)
		end++;
	shown = !m->all && end < m->merged.count &&
	    m->merged.list[end].kind == MERGED_LOOP ?
	    without_nameless(m, i, end) : end;
	for (; i < shown; i++)
		if (m->all || !passes_on(m, frame_at(m, i)))
			add_c_frame(m, frame_at(m, i));
	return end;
}

/* Adds the callee of the innermost frame of Python, once. */
static void
add_callee(struct mixed *m, uint32_t *callee)
{
	if (*callee != TACH_NONE)
		add_frame_index(m, *callee);
	*callee = TACH_NONE;
}

/* Makes the chain of the merged list. */
static void
list_places(struct mixed *m, const struct py_chain *c, uint32_t callee)
{
	size_t end = m->all ? m->merged.count : m->merged.below;

	for (size_t i = 0; i < end;) {
		const struct merged_place *p = &m->merged.list[i];
		switch (p->kind) {
		case MERGED_C:
			i = add_run(m, i);
			continue;
		case MERGED_PYTHON:
			if (!place_is_mark(&c->places[p->index]))
				add_callee(m, &callee);
			add_place(m, c->places[p->index]);
			break;
		case MERGED_LOST:
			add_lost(m);
			break;
		case MERGED_LOOP:
			add_callee(m, &callee);
			if (m->all)
				add_c_frame(m, frame_at(m, i));
			break;
		}
		i++;
	}
}

/* ---- merging ----------------------------------------------------------- */

/* The cause of a fault. */
static const char *
cause_of_fault(const struct mixed *m)
{
	static const char *const causes[] = {
		[MERGE_EXACT] = "",
		[MERGE_BROKEN] = "frames that are missing",
		[MERGE_COUNT] = "loops and frames that differ in number",
		[MERGE_STRANGE] = "frames that have changed",
	};

	return m->merged.fault == MERGE_BROKEN && m->unwinder.cause[0] != '\0' ?
	    m->unwinder.cause : causes[m->merged.fault];
}

/* Unwinds the thread.  A thread whose registers are not known has no frames of C. */
static void
read_frames(struct mixed *m, const struct native_capture *from, uint64_t state)
{
	if (!segments_read(m->offsets, from->memory, state, &m->segments))
		m->segments.count = m->segments.nframes = 0;
	if (from->registers.count > 0)
		unwinder_read(&m->unwinder, from, &m->segments);
	else
		unwinder_forget(&m->unwinder, from->without);
}

static void
learn_loops(struct mixed *m)
{
	for (size_t i = 0; i < m->merged.count; i++) {
		const struct merged_place *p = &m->merged.list[i];
		if (p->kind == MERGED_LOOP && p->segment != SIZE_MAX)
			unwinder_learn(&m->unwinder, frame_at(m, i),
			    m->segments.list[p->segment].entry);
	}
}

bool
mixed_merge(struct mixed *m, const struct native_capture *from, uint64_t state,
    const struct py_chain *c)
{
	const struct unwinder *w = &m->unwinder;

	read_frames(m, from, state);
	if (!cframes_merge(c, &m->segments, w->frames, w->count, &w->code,
		&m->merged))
		return false;
	m->cause = cause_of_fault(m);
	learn_loops(m);
	return true;
}

struct py_chain *
mixed_name(struct mixed *m, const struct py_chain *c, uint32_t callee)
{
	m->nomem = false;
	m->chain.depth = 0;
	list_places(m, c, callee);
	m->chain.live = m->chain.depth;
	return m->nomem ? NULL : &m->chain;
}
