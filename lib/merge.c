/* SPDX-License-Identifier: ISC */
/*
 * merge.c: several sources as one, in order of time.
 *
 * A heap finds the input whose next run begins earliest.  Strings and frames
 * are interned anew when a run first needs them, threads and interpreters
 * numbered anew when they are first seen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "buf.h"
#include "error.h"
#include "options.h"
#include "tach.h"
#include "utf8.h"

#define MERGE_LESS ": merge fewer profiles"

/* A thread of an input, as it is in what is given on. */
struct merge_thread {
	bool seen;
	uint32_t index, interp;
};

/* What an index of an input's table is in the merged one. */
struct map {
	uint32_t *to; /* TACH_NONE: not asked for yet */
	uint32_t room;
};

struct merge_input {
	struct tach_source *from, *selected;
	struct tach_source counted; /* as many samples of `from` as are wanted */
	struct tach_merge *merge;
	struct tach_merge_options place;
	struct error error;
	size_t number;
	struct tach_run run; /* the next; count 0: not read yet */
	uint64_t begins;     /* when that is, merged */
	uint64_t taken;	     /* samples */
	uint32_t *deepest;   /* stack of each thread, by a run's index */
	size_t nthreads, threads_max;
	struct map strings, frames;
	struct merge_thread *threads; /* by a selected run's index */
	size_t threads_room;
};

struct tach_merge {
	struct tach_source source;
	struct error error;
	struct tach_table *table;
	struct merge_input **inputs; /* all of them */
	size_t ninputs, inputs_max;
	struct merge_input **heap; /* those that have not ended */
	size_t nheap;
	size_t last; /* number of the input that the last call was about */
	uint32_t nthreads;
	/* Of all inputs, also what is not selected: their readers keep it. */
	uint64_t threads_read, frames_read;
	bool full; /* it is too much */
	uint32_t *frames; /* scratch: of a run */
	size_t frames_room;
	struct tach_tick *ticks; /* likewise */
	size_t ticks_room;
};

static int next_run(struct tach_source *, struct tach_run *);
static enum tach_error merge_error(const struct tach_source *,
    const char **line);

struct tach_merge *
tach_merge_new(const struct tach_meta *meta)
{
	struct tach_merge *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	if ((m->table = tach_table_new()) == NULL) {
		free(m);
		return NULL;
	}
	m->source = (struct tach_source){.size = sizeof(m->source),
	    .arg = m,
	    .meta = meta,
	    .table = m->table,
	    .next = next_run,
	    .error = merge_error};
	return m;
}

/* Lets go of what only an input that has not ended needs. */
static void
input_clear(struct merge_input *in)
{
	tach_source_free(in->selected);
	in->selected = NULL;
	free(in->strings.to);
	free(in->frames.to);
	free(in->threads);
	free(in->deepest);
	in->strings = in->frames = (struct map){0};
	in->threads = NULL;
	in->deepest = NULL;
}

void
tach_merge_free(struct tach_merge *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->ninputs; i++) {
		input_clear(m->inputs[i]);
		free(m->inputs[i]);
	}
	free(m->inputs);
	free(m->heap);
	free(m->frames);
	free(m->ticks);
	tach_table_free(m->table);
	free(m);
}

struct tach_source *
tach_merge_source(struct tach_merge *m)
{
	return &m->source;
}

static enum tach_error
merge_error(const struct tach_source *source, const char **line)
{
	const struct tach_merge *m = source->arg;

	return error_get(&m->error, line);
}

enum tach_error
tach_merge_error(const struct tach_merge *m, const char **line)
{
	return error_get(&m->error, line);
}

size_t
tach_merge_input(const struct tach_merge *m)
{
	return m->last;
}

static int
merge_no_memory(struct tach_merge *m)
{
	return error_memory(&m->error);
}

int
tach_merge_note(struct tach_merge *m, const char *text)
{
	struct buf b = {0};
	uint32_t note = TACH_NONE;

	error_forget(&m->error);
	utf8_add(&b, text, strlen(text));
	buf_add_char(&b, '\0');
	if (!b.failed)
		note = tach_table_add_note(m->table, b.text);
	buf_clear(&b);
	return note != TACH_NONE ? TACH_OK : merge_no_memory(m);
}

/* ---- interning anew ------------------------------------------------------ */

/* Makes room for an index, and for all others that the table has by now. */
static bool
map_reserve(struct map *map, uint32_t index, uint32_t count)
{
	size_t room = (size_t)map->room * 2;
	uint32_t *p;

	if (index < map->room)
		return true;
	if (room < count || room > UINT32_MAX)
		room = count;
	if ((p = reallocarray(map->to, room, sizeof(*p))) == NULL)
		return false;
	memset(p + map->room, 0xff, (room - map->room) * sizeof(*p));
	map->to = p;
	map->room = (uint32_t)room;
	return true;
}

static uint32_t
string_of(struct merge_input *in, uint32_t index)
{
	const struct tach_table *from = in->selected->table;
	struct tach_string s;

	if (!map_reserve(&in->strings, index, tach_table_string_count(from)))
		return TACH_NONE;
	if (in->strings.to[index] == TACH_NONE) {
		s = tach_table_string(from, index);
		in->strings.to[index] = tach_table_add_string(
		    in->merge->table, s.bytes, s.len);
	}
	return in->strings.to[index];
}

static uint32_t
new_frame(struct merge_input *in, uint32_t index)
{
	const struct tach_table *from = in->selected->table;
	struct tach_frame f;

	if (!map_reserve(&in->frames, index, tach_table_frame_count(from)))
		return TACH_NONE;
	f = *tach_table_frame(from, index);
	f.file = string_of(in, f.file);
	f.func = string_of(in, f.func);
	if (in->place.no_opcodes)
		f.opcode = TACH_NO_OPCODE;
	if (f.file == TACH_NONE || f.func == TACH_NONE)
		return TACH_NONE;
	return in->frames.to[index] =
	    tach_table_add_frame(in->merge->table, &f);
}

static uint32_t
merged_frame(struct merge_input *in, uint32_t index)
{
	if (index < in->frames.room && in->frames.to[index] != TACH_NONE)
		return in->frames.to[index];
	return new_frame(in, index);
}

static int
intern_stack(struct merge_input *in, struct tach_run *run)
{
	struct tach_merge *m = in->merge;

	if (run->depth > m->frames_room) {
		uint32_t *p = reallocarray(m->frames, run->depth, sizeof(*p));
		if (p == NULL)
			return merge_no_memory(m);
		m->frames = p;
		m->frames_room = run->depth;
	}
	for (uint32_t i = 0; i < run->depth; i++)
		if ((m->frames[i] =
		    merged_frame(in, run->frames[i])) == TACH_NONE)
			return merge_no_memory(m);
	run->frames = m->frames;
	return TACH_OK;
}

/* ---- threads and times --------------------------------------------------- */

/* How many of the other interpreters come before this one. */
static size_t
rank(const struct tach_merge_options *p, uint32_t interp)
{
	size_t low = 0, high = p->nothers;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (p->others[mid] < interp)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int
new_thread(struct merge_input *in, struct merge_thread *t,
    const struct tach_run *run)
{
	const struct tach_merge_options *p = &in->place;
	uint64_t interp = p->interp +
	    (run->interp < p->kept ? run->interp :
		p->kept + rank(p, run->interp));

	if (interp > UINT32_MAX || in->merge->nthreads == UINT32_MAX)
		return error_set(&in->merge->error, TACH_ELIMIT,
		    "more interpreters or threads than can be numbered");
	t->seen = true;
	t->interp = (uint32_t)interp;
	t->index = in->merge->nthreads++;
	return TACH_OK;
}

static int
number_thread(struct merge_input *in, struct tach_run *run)
{
	struct merge_thread *t;

	if (run->index >= in->threads_room) {
		size_t room = (size_t)run->index * 2 + 4;
		if ((t = reallocarray(in->threads, room, sizeof(*t))) == NULL)
			return merge_no_memory(in->merge);
		memset(t + in->threads_room, 0,
		    (room - in->threads_room) * sizeof(*t));
		in->threads = t;
		in->threads_room = room;
	}
	t = &in->threads[run->index];
	if (!t->seen && new_thread(in, t, run) != TACH_OK)
		return TACH_FATAL;
	run->index = t->index;
	run->interp = t->interp;
	return TACH_OK;
}

static int
shift_ticks(struct merge_input *in, struct tach_run *run)
{
	struct tach_merge *m = in->merge;
	uint64_t shift = in->place.shift;

	if (shift == 0)
		return TACH_OK;
	if (run->count > m->ticks_room) {
		struct tach_tick *p = reallocarray(m->ticks, run->count,
		    sizeof(*p));
		if (p == NULL)
			return merge_no_memory(m);
		m->ticks = p;
		m->ticks_room = run->count;
	}
	/* No tick is later than the last. */
	if (run->ticks[run->count - 1].time > UINT64_MAX - shift)
		return error_set(&m->error, TACH_ELIMIT, "a time of %" PRIu64
		    " us, moved by %" PRIu64 " us, is out of range",
		    run->ticks[run->count - 1].time, shift);
	for (size_t i = 0; i < run->count; i++)
		m->ticks[i] = (struct tach_tick){run->ticks[i].time + shift,
		    run->ticks[i].status, 0};
	run->ticks = m->ticks;
	return TACH_OK;
}

/* ---- the budget ---------------------------------------------------------- */

static int
add_deepest(struct merge_input *in, uint32_t index)
{
	uint32_t *p;

	while (in->nthreads <= index) {
		p = array_grow(in->deepest, in->nthreads, &in->threads_max,
		    sizeof(*p));
		if (p == NULL)
			return merge_no_memory(in->merge);
		in->deepest = p;
		p[in->nthreads++] = 0;
		in->merge->threads_read++;
	}
	return TACH_OK;
}

/* Whether the readers of all inputs may keep so much. */
static int
check_budget(struct merge_input *in, const struct tach_run *run)
{
	struct tach_merge *m = in->merge;

	if (add_deepest(in, run->index) != TACH_OK)
		return TACH_FATAL;
	if (run->depth > in->deepest[run->index]) {
		m->frames_read += run->depth - in->deepest[run->index];
		in->deepest[run->index] = run->depth;
	}
	if (m->threads_read > THREADS_MAX)
		return error_set(&m->error, TACH_ELIMIT, "the profiles have "
		    "more than %" PRIu32 " threads together" MERGE_LESS,
		    THREADS_MAX);
	if (m->frames_read > FRAMES_MAX)
		return error_set(&m->error, TACH_ELIMIT, "the stacks of all "
		    "threads have more than %" PRIu32 " frames together"
		    MERGE_LESS, FRAMES_MAX);
	return TACH_OK;
}

/* ---- an input's samples -------------------------------------------------- */

/* Notes a run of an input's, whether it is selected or not: in the merge, it has
 * its place by its beginning. */
static int
note_input_run(struct merge_input *in, const struct tach_run *run)
{
	if (check_budget(in, run) != TACH_OK) {
		in->merge->full = true;
		return TACH_FATAL;
	}
	in->taken += run->count;
	in->begins = run->ticks[0].time;
	if (__builtin_add_overflow(in->begins, in->place.shift, &in->begins))
		in->begins = UINT64_MAX;
	return TACH_OK;
}

/* Gets an input's next run, as much of it as is wanted. */
static int
counted_next(struct tach_source *source, struct tach_run *run)
{
	struct merge_input *in = source->arg;
	uint64_t wanted = in->place.samples, left = wanted - in->taken;
	int res;

	if (wanted != 0 && left == 0)
		return TACH_END;
	res = tach_source_next(in->from, run);
	if (res == TACH_END && wanted != 0)
		return error_set(&in->error, TACH_ETRUNCATED, "it has %" PRIu64
		    " samples less than when it was first read", left);
	if (res != TACH_OK)
		return res;
	if (wanted != 0 && run->count > left)
		run->count = (size_t)left;
	return note_input_run(in, run);
}

static enum tach_error
counted_error(const struct tach_source *source, const char **line)
{
	const struct merge_input *in = source->arg;

	return error_or(&in->error, in->from, line);
}

/* ---- the heap ------------------------------------------------------------ */

static bool
before(const struct merge_input *a, const struct merge_input *b)
{
	if (a->begins != b->begins)
		return a->begins < b->begins;
	return a->number < b->number;
}

/* Moves the topmost input to where it belongs. */
static void
sift(struct tach_merge *m)
{
	struct merge_input *in = m->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < m->nheap) {
		if (child + 1 < m->nheap &&
		    before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m->heap[child], in))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = in;
}

/* Adds an input where it belongs. */
static void
rise(struct tach_merge *m, struct merge_input *in)
{
	size_t at = m->nheap++;

	for (; at > 0 && before(in, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = in;
}

static void
drop_first(struct tach_merge *m)
{
	input_clear(m->heap[0]);
	m->heap[0] = m->heap[--m->nheap];
	if (m->nheap > 0)
		sift(m);
}

static struct merge_input *
new_input(struct tach_merge *m, struct tach_source *from,
    const struct tach_merge_options *place)
{
	struct merge_input *in = calloc(1, sizeof(*in));

	if (in == NULL)
		return NULL;
	in->counted = (struct tach_source){.size = sizeof(in->counted),
	    .arg = in,
	    .meta = from->meta,
	    .table = from->table,
	    .next = counted_next,
	    .error = counted_error};
	in->from = from;
	in->merge = m;
	in->place = *place;
	in->number = m->ninputs;
	in->selected = place->selection == NULL ? &in->counted :
	    tach_select_new(&in->counted, place->selection);
	in->selected = tach_depth_new(in->selected,
	    place->depth <= UINT32_MAX ? (uint32_t)place->depth : 0);
	if (in->selected == NULL) {
		free(in);
		return NULL;
	}
	return in;
}

/* Makes room for one more input. */
static int
reserve_input(struct tach_merge *m)
{
	struct merge_input **p = array_grow(m->inputs, m->ninputs, &m->inputs_max,
	    sizeof(struct merge_input *));

	if (p == NULL)
		return merge_no_memory(m);
	m->inputs = p;
	p = reallocarray(m->heap, m->inputs_max, sizeof(struct merge_input *));
	if (p == NULL)
		return merge_no_memory(m);
	m->heap = p;
	return TACH_OK;
}

/* An input that cannot be used is an error of that call alone. */
static int
refuse_input(struct tach_merge *m, enum tach_error code, const char *line)
{
	error_warn(&m->error, code, "%s", line);
	return TACH_FATAL;
}

/* Whether an input and its selection are such that they can be used. */
static int
check_input(struct tach_merge *m, const struct merge_input *in)
{
	const char *line;
	enum tach_error code = tach_source_error(in->selected, &line);

	return code == TACH_ENONE ? TACH_OK : refuse_input(m, code, line);
}

static int
add_input(struct tach_merge *m, struct tach_source *from,
    const struct tach_merge_options *place)
{
	struct merge_input *in;

	if (reserve_input(m) != TACH_OK)
		return TACH_FATAL;
	if ((in = new_input(m, from, place)) == NULL)
		return merge_no_memory(m);
	if (check_input(m, in) != TACH_OK) {
		input_clear(in);
		free(in);
		return TACH_FATAL;
	}
	m->inputs[m->ninputs++] = in;
	/* It begins at 0 until more is known, so that it is read in time. */
	rise(m, in);
	return TACH_OK;
}

int
tach_merge_add(struct tach_merge *m, struct tach_source *from,
    const struct tach_merge_options *place)
{
	struct tach_merge_options known;

	error_forget(&m->error);
	if (!options_take(&known, sizeof(known), place))
		return refuse_input(m, TACH_EUSE,
		    "the place of an input " OPTIONS_FAULT);
	return add_input(m, from, &known);
}

/* ---- merging ------------------------------------------------------------- */

/* What becomes of an input whose next run was not to be had. */
static int
input_ended(struct merge_input *in, int res)
{
	struct tach_merge *m = in->merge;
	enum tach_error code;
	const char *why;

	if (m->full)
		return TACH_FATAL;
	if (res < TACH_OK) {
		code = tach_source_error(in->selected, &why);
		if (code == TACH_ENOMEM)
			return merge_no_memory(m);
		error_warn(&m->error, code, "%s", why);
	}
	drop_first(m);
	return res < TACH_OK ? TACH_WARN : TACH_OK;
}

/* Reads the topmost input, which is dropped if it has ended. */
static int
read_first(struct tach_merge *m)
{
	struct merge_input *in = m->heap[0];
	int res = tach_source_next(in->selected, &in->run);

	m->last = in->number;
	if (res != TACH_OK)
		return input_ended(in, res);
	sift(m);
	return TACH_OK;
}

static int
next_run(struct tach_source *source, struct tach_run *run)
{
	struct tach_merge *m = source->arg;
	struct merge_input *in;
	int res;

	error_forget(&m->error);
	if (m->error.code != TACH_ENONE)
		return TACH_FATAL;
	/* An input that was read from is read again only now: until then its
	 * run belongs to the sink. */
	while (m->nheap > 0 && m->heap[0]->run.count == 0)
		if ((res = read_first(m)) < TACH_OK)
			return res;
	if (m->nheap == 0)
		return TACH_END;
	in = m->heap[0];
	m->last = in->number;
	*run = in->run;
	in->run.count = 0;
	if (number_thread(in, run) != TACH_OK ||
	    shift_ticks(in, run) != TACH_OK ||
	    intern_stack(in, run) != TACH_OK)
		return TACH_FATAL;
	return TACH_OK;
}
