/* SPDX-License-Identifier: ISC */
/* mixed.c: see mixed.h. */
#include "engine/native/mixed.h"

#include <stdlib.h>

#include "engine/native/c_frames.h"
#include "engine/native/kept_stacks.h"
#include "engine/native/unwinder.h"
#include "python/traits.h"

#define CUT "a stack that was copied in part"
#define KEPT 64 /* bytes above a loop's frame that are copied, too */

struct mixed {
	const struct py_offsets *offsets;
	struct tach_table *table;
	bool all;   /* also the interpreter's own frames, and those below all of
		     * Python */
	bool tells; /* the frame of what is not known has the cause for a file */
	struct native_faults *faults;
	struct unwinder unwinder;
	struct c_frames names;
	struct kept_stacks kept;
	struct py_segments segments;
	struct py_segments *by; /* those of the stack */
	bool unread; /* they could not be read */
	bool unlinked; /* which one is of which loop is not certain */
	bool cut; /* the copy of the stack ends too early for them */
	struct merged merged;
	struct py_chain chain; /* the result */
	const char *cause; /* why the stack is not exact; "" if it is */
	bool nomem;
};

struct mixed *
mixed_new(const struct process *p, const struct py_offsets *o,
    const struct py_memory *memory, struct tach_table *table,
    struct native_faults *faults, struct late_lines *lines,
    const struct tach_recorder_options *options)
{
	struct mixed *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->offsets = o;
	m->table = table;
	m->faults = faults;
	m->all = options->mixed == TACH_MIXED_ALL;
	m->tells = options->careful;
	if (!unwinder_init(&m->unwinder, p, memory)) {
		mixed_free(m);
		return NULL;
	}
	c_frames_init(&m->names, &m->unwinder, table, lines);
	return m;
}

void
mixed_free(struct mixed *m)
{
	if (m == NULL)
		return;
	unwinder_free(&m->unwinder);
	c_frames_free(&m->names);
	kept_stacks_free(&m->kept);
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
	add_frame_index(m, c_frames_lost(&m->names, m->tells ? m->cause : NULL));
}

/* The function of C of a frame.  NULL if out of memory. */
static struct c_frame *
function_of_frame(struct mixed *m, const struct native_frame *f)
{
	struct c_frame *c = c_frames_find(&m->names, f);

	m->nomem = m->nomem || c == NULL;
	return c;
}

static void
add_c_frame(struct mixed *m, const struct native_frame *f)
{
	struct c_frame *c = function_of_frame(m, f);

	if (c != NULL)
		add_frame_index(m, c_frames_frame(&m->names, c));
}

/* Whether a function of C only passes a call on: it is the loop as it begins or ends, or
 * the interpreter's glue, or was made at run time. */
static bool
passes_on(const struct mixed *m, const struct c_frame *c)
{
	return c->of == NULL || c->glue ||
	    (c->start != 0 && unwinder_is_loop(&m->unwinder, c->start));
}

/* The number of places from `from` to before `to`, all of frames of C, without the
 * functions of the loop's module that have no name and stand between the loop and a
 * function that has one: they pass the call on, too. */
static size_t
without_nameless(struct mixed *m, size_t from, size_t to)
{
	const struct c_frame *c = function_of_frame(m, frame_at(m, to));
	const struct module *loops = c != NULL ? c->of : NULL;

	for (size_t i = to; i > from; i--) {
		c = function_of_frame(m, frame_at(m, i - 1));
		if (c != NULL && !passes_on(m, c) && (c->of != loops || !c->nameless))
			return i;
	}
	return to;
}

static bool
is_shown(struct mixed *m, const struct native_frame *f)
{
	const struct c_frame *c = function_of_frame(m, f);

	return c != NULL && !passes_on(m, c);
}

/* Whether the innermost frame is code that was made at run time, for a function of C that
 * is shown: the time is spent there.  Code that Python has made of its own functions is
 * called by the loop. */
static bool
is_in_made_code(struct mixed *m, size_t end)
{
	const struct c_frame *c = end > 0 ? function_of_frame(m, frame_at(m, 0)) : NULL;

	if (c == NULL || c->of != NULL)
		return false;
	for (size_t i = 1; i < end; i++)
		if (is_shown(m, frame_at(m, i)))
			return true;
	return false;
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
	if (i == 0 && !m->all && is_in_made_code(m, shown))
		add_c_frame(m, frame_at(m, 0));
	for (; i < shown; i++)
		if (m->all || is_shown(m, frame_at(m, i)))
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

/* The first place to show: our agent's call that waits (see agent/waits.h) is shown, but
 * not what it calls. */
static size_t
begin_of_places(struct mixed *m)
{
	size_t first = 0;

	for (size_t i = 0; !m->all && i < m->merged.count &&
	    m->merged.list[i].kind == MERGED_C; i++) {
		const struct c_frame *c = function_of_frame(m, frame_at(m, i));
		if (c != NULL && c->agent)
			first = i;
	}
	return first;
}

/* Makes the chain of the merged list. */
static void
list_places(struct mixed *m, const struct py_chain *c, uint32_t callee)
{
	size_t end = m->all ? m->merged.count : m->merged.below;

	for (size_t i = begin_of_places(m); i < end;) {
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

	if (m->merged.fault == MERGE_EXACT || m->unlinked ||
	    (m->merged.fault == MERGE_STRANGE && m->unwinder.count > 0 &&
		!m->unwinder.short_of_stack))
		return causes[m->merged.fault];
	if (m->unwinder.cause[0] != '\0')
		return m->unwinder.cause;
	return m->unwinder.short_of_stack ? CUT :
					    causes[m->merged.fault];
}

void
mixed_begin(struct mixed *m, const struct native_capture *from, uint64_t state)
{
	m->unread = !segments_read(m->offsets, from->memory, state, &m->segments);
	if (m->unread)
		m->segments.count = m->segments.nframes = 0;
	m->by = &m->segments;
}

void
mixed_take(struct mixed *m, struct py_segments *s)
{
	m->by = s;
	m->unread = false;
}

/* Whether an entry is followed by a frame of the segments. */
static bool
leads_to_frame(struct mixed *m, uint64_t entry)
{
	const struct py_segments *s = m->by;
	uint64_t previous;

	if (!native_stack_word(&m->unwinder.window.stack,
		entry + m->offsets->frame_previous, &previous))
		return false;
	for (size_t i = 0; i < s->nframes; i++)
		if (s->frames[i] == previous)
			return true;
	return false;
}

/* Learns the loop from a process's first stack, by its outermost entry. */
static void
learn_outermost(struct mixed *m)
{
	struct unwinder *w = &m->unwinder;
	size_t i = 0;

	if (unwinder_reaches(w->frames, w->count, m->by->list[m->by->count - 1].entry,
		&i))
		unwinder_learn(w, &w->frames[i], 0);
}

/*
 * Whether the chain lacks an entry that is on the stack of C: greenlet unlinks the entries,
 * innermost first, before it leaves a stack.  A loop without an entry may also be of
 * another interpreter, which the thread uses meanwhile; but not if the thread has told of
 * its chain itself, as it tells of the one that it uses.  The innermost frame of C may be
 * a loop that has not linked its entry yet, or has unlinked it.
 */
static bool
lacks_entry(struct mixed *m)
{
	const struct py_segments *s = m->by;
	struct unwinder *w = &m->unwinder;
	uint64_t entry;
	size_t next = 0;

	if (!py_has_entry_frames(m->offsets) || s->count == 0)
		return false;
	if (s->list[s->count - 1].entry == 0)
		return true;
	if (w->nloops == 0)
		learn_outermost(m);
	for (size_t i = 1; i < w->count; i++) {
		const struct native_frame *f = &w->frames[i];
		while (next < s->count && s->list[next].entry < f->sp)
			next++;
		if (next == s->count)
			break;
		if (s->list[next].entry >= f->cfa && unwinder_in_loop(w, f, &entry) &&
		    (s->told || entry == 0 || leads_to_frame(m, entry)))
			return true;
	}
	return false;
}

/* To 3.10: finds the segments' loops, if the frames' addresses are known.  False if that is
 * not certain. */
static bool
link_segments(struct mixed *m, const struct native_capture *from)
{
	struct unwinder *w = &m->unwinder;
	struct py_segments *s = m->by;

	return !py_frames_are_objects(m->offsets) || s->count == 0 ||
	    s->list[0].frame == 0 ||
	    segments_link(s, w->frames, w->count, &w->code, &w->window.stack,
		from->registers.value, from->registers.count) > 0;
}

/* Whether it is not certain which segment is of which loop. */
static bool
is_unlinked(struct mixed *m, const struct native_capture *from)
{
	return lacks_entry(m) || !link_segments(m, from);
}

/* Above the outermost loop, and what it keeps, by its entry; 0: not known, or all of the
 * stack is wanted. */
static uint64_t
needed_end(const struct mixed *m)
{
	const struct loop_frame *l = &m->unwinder.loop;
	uint64_t entry = m->by->count > 0 ? m->by->list[m->by->count - 1].entry : 0;

	return !m->all && l->known && entry != 0 ? entry + l->above + KEPT : 0;
}

/* Whether a copy of the stack ends before the outermost loop does.  In 3.11 the segments
 * are linked on the stack, and cannot be read from a copy that ends too early.  The copies
 * that threads tell of have no better ones. */
static bool
is_cut(const struct mixed *m, const struct native_capture *from)
{
	const struct py_segments *s = m->by;
	uint64_t end = from->low + from->len, outermost;

	if (!m->unwinder.short_of_stack || (s->count == 0 && !m->unread))
		return false;
	if (m->all || m->unread)
		return true;
	outermost = s->list[s->count - 1].entry;
	return !s->told && (outermost == 0 || outermost < from->low || outermost >= end ||
	    needed_end(m) > end);
}

/* A thread whose registers are not known has no frames of C. */
bool
mixed_unwind(struct mixed *m, const struct native_capture *from)
{
	m->unlinked = m->cut = false;
	if (from->registers.count > 0) {
		unwinder_read(&m->unwinder, from, m->by);
		m->unlinked = is_unlinked(m, from);
		m->cut = is_cut(m, from);
	} else
		unwinder_forget(&m->unwinder, from->without);
	return m->unwinder.end != 0 && !m->unwinder.guessed && !m->unlinked;
}

bool
mixed_is_cut(const struct mixed *m)
{
	return m->cut;
}

void
mixed_keep(struct mixed *m, pid_t task, const struct native_capture *from)
{
	kept_stacks_keep(&m->kept, task, from, &m->unwinder);
}

bool
mixed_recall(struct mixed *m, pid_t task, const struct native_capture *from)
{
	m->cut = false;
	if (!kept_stacks_recall(&m->kept, task, from, &m->unwinder))
		return false;
	m->unlinked = is_unlinked(m, from);
	return true;
}

uint64_t
mixed_stack_end(const struct mixed *m)
{
	return m->unwinder.end;
}

/* An entry is told of a stack without a fault alone. */
static void
learn_loops(struct mixed *m)
{
	bool exact = m->merged.fault == MERGE_EXACT &&
	    !py_frames_are_objects(m->offsets);

	for (size_t i = 0; i < m->merged.count; i++) {
		const struct merged_place *p = &m->merged.list[i];
		if (p->kind == MERGED_LOOP && p->segment != SIZE_MAX)
			unwinder_learn(&m->unwinder, frame_at(m, i), exact ?
			    m->by->list[p->segment].entry : 0);
	}
}

/* What is not known below all of Python counts only if it is shown. */
static const char *
cause_of_stack(const struct mixed *m)
{
	return m->all && m->merged.below_lost && m->merged.fault == MERGE_EXACT ?
	    (m->unwinder.short_of_stack ? CUT : m->unwinder.cause) : cause_of_fault(m);
}

bool
mixed_merge(struct mixed *m, const struct py_chain *c)
{
	const struct unwinder *w = &m->unwinder;

	if (m->unlinked)
		m->by->count = m->by->nframes = 0;
	if (!cframes_merge(c, m->by, w->frames, w->count, &w->code,
		&m->merged))
		return false;
	m->cause = cause_of_stack(m);
	learn_loops(m);
	return native_faults_add(m->faults, m->cause);
}

/* The end of the outermost loop's frame of C; 0: there is none. */
static uint64_t
end_of_loops(const struct mixed *m)
{
	for (size_t i = m->merged.count; i-- > 0;)
		if (m->merged.list[i].kind == MERGED_LOOP &&
		    m->merged.list[i].segment != SIZE_MAX)
			return frame_at(m, i)->cfa;
	return 0;
}

struct mixed_need
mixed_needs(const struct mixed *m)
{
	const struct unwinder *w = &m->unwinder;
	struct mixed_need n = {.cut = m->cut,
	    .low = w->count > 0 ? w->frames[0].sp : 0};

	if (n.cut)
		n.end = needed_end(m);
	else if (m->merged.fault == MERGE_EXACT && !m->all && end_of_loops(m) != 0)
		n.end = end_of_loops(m) + KEPT;
	return n;
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
