/* SPDX-License-Identifier: ISC */
/* cframes.c: see cframes.h. */
#include "python/cframes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "python/segments.h"

/* ---- segments ---------------------------------------------------------- */

static bool
add_segment(struct py_segments *s, uint64_t entry)
{
	struct py_segment *p = array_grow(s->list, s->count, &s->max, sizeof(*p));
	size_t first;

	if (p == NULL)
		return false;
	s->list = p;
	first = s->count > 0 ? p[s->count - 1].first + p[s->count - 1].count : 0;
	p[s->count++] = (struct py_segment){entry,
	    s->nframes > first ? s->frames[first] : 0, first, s->nframes - first};
	return true;
}

static bool
add_frame_address(struct py_segments *s, uint64_t frame)
{
	uint64_t *p = array_grow(s->frames, s->nframes, &s->frames_max, sizeof(*p));

	if (p == NULL)
		return false;
	s->frames = p;
	p[s->nframes++] = frame;
	return true;
}

bool
segments_read(const struct py_offsets *o, const struct py_memory *memory,
    uint64_t thread, struct py_segments *s)
{
	struct segment_walk w;
	enum segment_step step;

	s->count = s->nframes = 0;
	if (!segment_walk_begin(&w, o, memory, thread))
		return false;
	while ((step = segment_walk_next(&w)) < SEGMENT_DONE)
		if (!(step == SEGMENT_FRAME ? add_frame_address(s, w.at) :
			add_segment(s, w.at)))
			return false;
	return step == SEGMENT_DONE;
}

void
segments_free(struct py_segments *s)
{
	free(s->list);
	free(s->frames);
	*s = (struct py_segments){0};
}

/* ---- the loop's code ---------------------------------------------------- */

bool
loop_has(const struct loop_code *l, uint64_t pc)
{
	for (size_t i = 0; i < l->count; i++)
		if (pc >= l->parts[i].start && pc < l->parts[i].end)
			return true;
	return false;
}

static bool
is_loop(const struct loop_code *l, const struct native_frame *f)
{
	return !f->lost && loop_has(l, f->exact ? f->pc : f->pc - 1);
}

/* ---- loops without entries ----------------------------------------------- */

/* A search for the loops of segments. */
struct loop_search {
	struct py_segments *segments;
	const struct native_frame *frames;
	const struct loop_code *loop;
	struct native_stack *stack;
	const uint64_t *registers;
	size_t nregisters;
};

static size_t
count_loops(const struct loop_code *l, const struct native_frame *f, size_t n)
{
	size_t loops = 0;

	for (size_t i = 0; i < n; i++)
		loops += is_loop(l, &f[i]);
	return loops;
}

/* Whether a part of the stack has a word. */
static bool
stack_has(struct native_stack *s, uint64_t from, uint64_t to, uint64_t word)
{
	uint64_t w;

	for (; from < to && native_stack_word(s, from, &w); from += sizeof(w))
		if (w == word)
			return true;
	return false;
}

static bool
registers_have(const struct loop_search *s, uint64_t word)
{
	for (size_t i = 0; i < s->nregisters; i++)
		if (s->registers[i] == word)
			return true;
	return false;
}

/* Whether each of so many segments has its frame kept by the next loop, from a frame of C
 * on, which lie from an address on. */
static bool
loops_keep(const struct loop_search *s, size_t i, uint64_t from, size_t count)
{
	for (size_t k = 0; k < count; i++) {
		const struct native_frame *f = &s->frames[i];
		uint64_t frame = s->segments->list[k].frame;
		if (!is_loop(s->loop, f))
			continue;
		if (frame != 0 && !stack_has(s->stack, from, f->cfa, frame) &&
		    (from != s->frames[0].sp || !registers_have(s, frame)))
			return false;
		from = f->cfa;
		k++;
	}
	return true;
}

/* Gives so many segments their entries, from a frame of C on. */
static void
set_entries(const struct loop_search *s, size_t i, size_t count)
{
	for (size_t k = 0; k < count; i++)
		if (is_loop(s->loop, &s->frames[i]))
			s->segments->list[k++].entry = s->frames[i].sp;
}

size_t
segments_link(struct py_segments *segments, const struct native_frame *frames, size_t n,
    const struct loop_code *loop, struct native_stack *stack, const uint64_t *registers,
    size_t nregisters)
{
	const struct loop_search s = {segments, frames, loop, stack, registers,
	    nregisters};
	size_t left = count_loops(loop, frames, n), found = 0, first = 0;
	size_t count = left < segments->count ? left : segments->count;
	uint64_t from = n > 0 ? frames[0].sp : 0;

	if (count == 0)
		return 0;
	for (size_t i = 0; left >= count && found < 2; i++) {
		if (!is_loop(loop, &frames[i]))
			continue;
		if (loops_keep(&s, i, from, count) && found++ == 0)
			first = i;
		from = frames[i].cfa;
		left--;
	}
	if (found != 1)
		return 0;
	set_entries(&s, first, count);
	return count;
}

/* ---- merging ----------------------------------------------------------- */

struct merge {
	const struct py_chain *chain;
	const struct py_segments *segments;
	const struct native_frame *frames;
	size_t n;
	const struct loop_code *loop;
	struct merged *to;
	size_t place;	/* of the chain: the next one */
	size_t segment; /* the next one */
	size_t skip;	/* loops without a frame of Python as yet */
	size_t placed;	/* places of the chain up to the last one that a segment has */
	bool nomem;
};

static void
add_merged(struct merge *m, enum merged_kind kind, size_t index)
{
	struct merged_place *p = array_grow(m->to->list, m->to->count,
	    &m->to->max, sizeof(*p));

	m->nomem = m->nomem || p == NULL;
	if (m->nomem)
		return;
	m->to->list = p;
	p[m->to->count++] = (struct merged_place){kind, index, SIZE_MAX};
}

/* The number of the next place at or behind one that is a frame; the depth if there
 * is none. */
static size_t
next_frame(const struct py_chain *c, size_t place)
{
	while (place < c->depth && place_is_mark(&c->places[place]))
		place++;
	return place;
}

/* Adds the places of a segment, and the marks above them.  A frame of the interpreter's
 * own is no place. */
static void
add_places(struct merge *m, const struct py_segment *s)
{
	for (size_t i = 0; i < s->count; i++) {
		uint64_t frame = m->segments->frames[s->first + i];
		size_t at = next_frame(m->chain, m->place);
		if (at == m->chain->depth || m->chain->places[at].frame != frame)
			continue;
		for (; m->place <= at; m->place++)
			add_merged(m, MERGED_PYTHON, m->place);
	}
}

/* How many places there are up to the last one that a segment has: behind it there
 * can be places that were added to the chain. */
static size_t
count_placed(const struct merge *m)
{
	size_t at = 0, placed = 0;

	for (size_t i = 0; i < m->segments->nframes; i++) {
		at = next_frame(m->chain, at);
		if (at < m->chain->depth &&
		    m->chain->places[at].frame == m->segments->frames[i])
			placed = ++at;
	}
	return placed;
}

/* Whether the next segment's loop is a frame of C. */
static bool
is_next_loop(struct merge *m, const struct native_frame *f)
{
	const struct py_segment *s = &m->segments->list[m->segment];

	if (s->entry != 0)
		return !f->lost && s->entry >= f->sp && s->entry < f->cfa;
	if (!is_loop(m->loop, f))
		return false;
	if (m->skip == 0)
		return true;
	m->skip--;
	return false;
}

static void
set_fault(struct merge *m, enum merge_fault fault)
{
	if (m->to->fault == MERGE_EXACT)
		m->to->fault = fault;
}

/* Marks that frames of C are missing, unless that was marked at this place. */
static void
add_lost(struct merge *m)
{
	const struct merged *to = m->to;

	if (to->count == 0 || to->list[to->count - 1].kind != MERGED_LOST)
		add_merged(m, MERGED_LOST, 0);
}

/* Adds segments whose loops lie below a frame of C, but were not among the frames. */
static void
add_missed(struct merge *m, const struct native_frame *f)
{
	bool missed = false;

	while (m->segment < m->segments->count && !f->lost &&
	    m->segments->list[m->segment].entry != 0 &&
	    m->segments->list[m->segment].entry < f->sp) {
		if (!missed)
			add_lost(m);
		missed = true;
		add_places(m, &m->segments->list[m->segment++]);
		set_fault(m, MERGE_BROKEN);
	}
}

/* Adds the next segment's loop, and what it runs. */
static void
add_loop(struct merge *m, size_t i)
{
	add_merged(m, MERGED_LOOP, i);
	if (!m->nomem)
		m->to->list[m->to->count - 1].segment = m->segment;
	add_places(m, &m->segments->list[m->segment++]);
}

static void
add_c(struct merge *m, size_t i)
{
	const struct native_frame *f = &m->frames[i];

	if (m->segment < m->segments->count && is_next_loop(m, f)) {
		add_loop(m, i);
		return;
	}
	if (f->lost)
		set_fault(m, MERGE_BROKEN);
	add_merged(m, f->lost ? MERGED_LOST : is_loop(m->loop, f) ? MERGED_LOOP :
	    MERGED_C, i);
}

/* Without entries: whether there are as many loops as frames of Python.  There may be one
 * more: the innermost one has not linked its frame yet, or has unlinked it. */
static bool
counts_fit(struct merge *m)
{
	size_t loops;

	if (m->segments->count == 0 || m->segments->list[0].entry != 0)
		return true;
	loops = count_loops(m->loop, m->frames, m->n);
	m->skip = loops - m->segments->count;
	return loops == m->segments->count || loops == m->segments->count + 1;
}

/* Adds the frames of C above the first loop, or all if there is none. */
static void
add_leaf(struct merge *m)
{
	for (size_t i = 0; i < m->n && !is_loop(m->loop, &m->frames[i]); i++)
		add_c(m, i);
}

/* Adds what is left of the chain behind a mark that frames of C are missing there.  Behind
 * the last place that a segment has, frames that follow a mark were added to the chain. */
static void
add_rest(struct merge *m)
{
	const struct py_chain *c = m->chain;
	bool strange = m->place == m->placed && next_frame(c, m->place) < c->depth &&
	    (m->placed == 0 || !place_is_mark(&c->places[m->place]));

	if (m->place < m->placed || strange) {
		add_lost(m);
		set_fault(m, strange ? MERGE_STRANGE : MERGE_BROKEN);
	}
	while (m->place < c->depth)
		add_merged(m, MERGED_PYTHON, m->place++);
}

/* Adds the frames of C below all of Python, from one on. */
static void
add_below(struct merge *m, size_t i)
{
	enum merge_fault fault = m->to->fault;

	for (; i < m->n; i++) {
		m->to->below_lost |= m->frames[i].lost;
		add_c(m, i);
	}
	m->to->fault = fault;
}

bool
cframes_merge(const struct py_chain *c, const struct py_segments *s,
    const struct native_frame *frames, size_t n, const struct loop_code *loop,
    struct merged *to)
{
	struct merge m = {.chain = c, .segments = s, .frames = frames, .n = n,
	    .loop = loop, .to = to};
	size_t i = 0;

	to->count = 0;
	to->below_lost = false;
	to->fault = MERGE_EXACT;
	m.placed = count_placed(&m);
	if (!counts_fit(&m)) {
		set_fault(&m, MERGE_COUNT);
		add_leaf(&m);
		i = n;
	}
	for (; i < n && m.place < m.placed; i++) {
		add_missed(&m, &frames[i]);
		if (m.place == m.placed)
			break;
		add_c(&m, i);
	}
	add_rest(&m);
	to->below = to->count;
	add_below(&m, i);
	return !m.nomem;
}

void
merged_free(struct merged *m)
{
	free(m->list);
	*m = (struct merged){0};
}
