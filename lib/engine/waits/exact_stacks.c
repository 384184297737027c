/* SPDX-License-Identifier: ISC */
/* exact_stacks.c: see exact_stacks.h. */
#include "engine/waits/exact_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "python/traits.h"

#define MORE_SPANS 2 /* besides those of frames: of the state and of the cframe */

bool
exact_way(const struct py_offsets *o, struct switch_way *w)
{
	bool told = py_has(o->thread_current_frame);
	bool objects = py_frames_are_objects(o);

	*w = (struct switch_way){.size = o->frame_size, .previous = o->frame_previous,
	    .code = o->frame_code, .cframe = !told,
	    .current = told ? o->thread_current_frame : o->thread_cframe,
	    .cframe_current = told ? 0 : o->cframe_current_frame,
	    .instr = objects ? o->frame_lasti : o->frame_instr,
	    .instr_bits = objects ? UINT32_MAX : UINT64_MAX};
	return o->frame_size <= SWITCH_FRAME_SIZE;
}

static void
forget_stack_copies(struct exact_stacks *s)
{
	for (size_t i = 0; i < s->count; i++) {
		chain_free(&s->list[i].chain);
		free(s->list[i].frames);
		free(s->list[i].copied);
	}
	s->count = 0;
	set_clear(&s->set);
}

void
exact_stacks_free(struct exact_stacks *s)
{
	forget_stack_copies(s);
	free(s->list);
	free(s->spans);
}

/* ---- counts ---------------------------------------------------------------- */

/* Reads the counts of code objects as they are now. */
static void
read_counts(struct exact_stacks *s, struct exact_counts *to)
{
	struct range at[CODES_COUNTS];
	struct py_piece pieces[CODES_COUNTS];
	size_t n = codes_counts(s->codes, s->interp, at), size = 0;

	*to = (struct exact_counts){.time = clock_ns()};
	for (size_t i = 0; i < n; size += at[i++].size)
		pieces[i] = (struct py_piece){at[i].addr, at[i].size,
		    to->counts + size};
	if (n > 0 && !s->memory->read(s->memory, pieces, n))
		to->time = 0;
}

void
exact_stacks_begin(struct exact_stacks *s, uint64_t interp)
{
	if (interp != s->interp)
		s->before.time = s->next.time = 0;
	s->interp = interp;
	s->looks++;
	read_counts(s, &s->now);
}

void
exact_stacks_end(struct exact_stacks *s, uint64_t until)
{
	if (s->next.time != 0 && s->next.time <= until) {
		s->before = s->next;
		s->next.time = 0;
	}
	if (s->next.time == 0)
		s->next = s->now;
}

/* The stamp by which code objects are proven now: where they are counted, for all the
 * time since `before`.  False if there is none. */
static bool
stamp_now(const struct exact_stacks *s, struct stamp *stamp)
{
	bool counted = codes_are_counted(s->codes);

	if (s->now.time == 0 || (counted && s->before.time == 0))
		return false;
	*stamp = codes_stamp(s->codes, s->interp, s->before.counts, s->now.counts);
	return !counted || stamp->steady;
}

/* ---- stacks ---------------------------------------------------------------- */

struct number_key {
	const struct exact_stacks *stacks;
	uint64_t number;
};

static bool
has_number(const void *arg, uint32_t index)
{
	const struct number_key *k = arg;

	return k->stacks->list[index].number == k->number;
}

static struct exact_stack *
find_number(const struct exact_stacks *s, uint64_t number)
{
	struct number_key key = {s, number};
	uint32_t i = set_find(&s->set, number, has_number, &key);

	return i != UINT32_MAX ? &s->list[i] : NULL;
}

/* The stack of a number, added if it is new.  NULL if out of memory. */
static struct exact_stack *
add_stack_number(struct exact_stacks *s, uint64_t number)
{
	struct exact_stack *k = find_number(s, number);

	if (k != NULL)
		return k;
	if (s->count == STACKS_KEPT)
		forget_stack_copies(s);
	k = array_grow(s->list, s->count, &s->max, sizeof(*k));
	if (k == NULL)
		return NULL;
	s->list = k;
	if (!set_add(&s->set, number, (uint32_t)s->count))
		return NULL;
	k += s->count++;
	*k = (struct exact_stack){.number = number};
	return k;
}

bool
exact_stacks_note(struct exact_stacks *s, const struct switch_left *left)
{
	struct exact_stack *k = add_stack_number(s, left->stack);
	size_t size = left->frames * sizeof(*k->copied);
	void *copied = k != NULL ? realloc(k->copied, size) : NULL;

	if (copied == NULL)
		return false;
	memcpy(copied, left + 1, size);
	k->copied = copied;
	k->ncopied = left->frames;
	k->cframe = left->cframe;
	k->proven = false;
	k->looked = k->since = 0;
	s->ops->know(s->feed, left->stack, true);
	return true;
}

/* ---- proving them ---------------------------------------------------------- */

static struct py_span
word_span(uint64_t addr, uint8_t *word, uint64_t value)
{
	memcpy(word, &value, sizeof(value));
	return (struct py_span){addr, sizeof(value), word};
}

/* Lists the memory that was copied.  Returns how many spans that are; 0 if out of
 * memory. */
static size_t
list_spans(struct exact_stacks *s, const struct exact_stack *k, uint64_t thread)
{
	const struct py_offsets *o = s->offsets;
	bool told = py_has(o->thread_current_frame);
	uint64_t first = k->copied[0].addr;
	struct py_span *p = array_reserve(s->spans, &s->spans_max,
	    k->ncopied + MORE_SPANS, sizeof(*p));
	size_t n = 0;

	if (p == NULL)
		return 0;
	s->spans = p;
	for (; n < k->ncopied; n++)
		p[n] = (struct py_span){k->copied[n].addr, o->frame_size,
		    k->copied[n].bytes};
	p[n++] = told ? word_span(thread + o->thread_current_frame, s->words, first) :
	    word_span(thread + o->thread_cframe, s->words, k->cframe);
	if (!told)
		p[n++] = word_span(k->cframe + o->cframe_current_frame,
		    s->words + sizeof(first), first);
	return n;
}

/* Walks the copied frames. */
static bool
walk_copied(struct exact_stacks *s, struct exact_stack *k, const struct thread *t)
{
	struct py_marks marks = {.shims = codes_shims(s->codes)};
	struct py_view view = {.memory = {view_read}};

	k->chain.depth = 0;
	view.count = list_spans(s, k, t->py.addr);
	view.spans = s->spans;
	return view.count > 0 && walk_frames(s->offsets, &view, t->py.addr, &marks,
	    &k->chain) == WALK_OK && k->chain.depth > 0 && !chain_is_cut(&k->chain);
}

/* Makes the frames of the table. */
static bool
name_frames(struct exact_stacks *s, struct exact_stack *k)
{
	uint32_t *p = array_reserve(k->frames, &k->frames_max, k->chain.depth,
	    sizeof(*p));

	if (p == NULL)
		return false;
	k->frames = p;
	for (size_t i = 0; i < k->chain.depth; i++)
		if (place_is_mark(&k->chain.places[i]) ||
		    (p[i] = codes_frame(s->codes, &k->chain.places[i])) == TACH_NONE)
			return false;
	return true;
}

/* Notes since when a proven stack's code objects have been the same. */
static void
note_since(const struct exact_stacks *s, struct exact_stack *k, const struct stamp *stamp)
{
	bool counted = codes_are_counted(s->codes);
	uint64_t replaced = codes_replaced(s->codes);

	if (k->since == 0 || k->replaced != replaced || (counted && k->count != stamp->count))
		k->since = counted ? s->before.time : s->now.time;
	k->count = stamp->count;
	k->replaced = replaced;
}

/* Proves a stack's code objects as they are now. */
static bool
prove_stack(struct exact_stacks *s, struct exact_stack *k, const struct thread *t)
{
	struct stamp stamp;

	if (!stamp_now(s, &stamp))
		return false;
	if (k->since != 0 && codes_are_counted(s->codes) && stamp.count == k->count &&
	    codes_replaced(s->codes) == k->replaced)
		return true;
	if (!walk_copied(s, k, t) || !codes_originals(s->codes, &k->chain, &stamp) ||
	    codes_check(s->codes, &k->chain, &stamp, NULL) != k->chain.depth)
		return false;
	note_since(s, k, &stamp);
	return name_frames(s, k);
}

const struct exact_stack *
exact_stacks_find(struct exact_stacks *s, const struct thread *t, uint64_t number,
    uint64_t time)
{
	struct exact_stack *k;

	if (number == 0 || t->py.interp != s->interp)
		return NULL;
	if ((k = find_number(s, number)) == NULL) {
		s->ops->know(s->feed, number, false);
		return NULL;
	}
	if (k->looked != s->looks) {
		k->looked = s->looks;
		k->proven = prove_stack(s, k, t);
		k->since = k->proven ? k->since : 0;
	}
	return k->proven && k->since <= time ? k : NULL;
}
