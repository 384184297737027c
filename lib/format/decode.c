/* SPDX-License-Identifier: ISC */
/* decode.c: the records of a TACH file's sample data; see decode.h. */
#include "format/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "format/delta.h"
#include "format/layout.h"
#include "format/zio.h"
#include "hash.h"
#include "set.h"

#define BATCH 4096 /* ticks of a run, at most */
#define RECENT_BITS 6

struct decoder_thread {
	uint64_t id;
	uint32_t interp;
	uint64_t time; /* of the last sample */
	struct stack stack;
};

struct decoder {
	struct source_input *input;
	struct head head;
	struct zin in;

	struct decoder_thread *threads;
	uint32_t nthreads;
	size_t threads_max;
	struct set thread_set;
	uint32_t last;	      /* thread of the last record */
	/* Threads that were looked up last, by a hash of their own. */
	uint32_t recent[1 << RECENT_BITS];
	uint64_t frames_room; /* in the stacks of all threads */

	uint64_t repeat_left; /* samples of a REPEAT that were not given yet */
	uint32_t *scratch;    /* frames, before room is made for them */
	size_t scratch_max;
	struct tach_tick ticks[BATCH];
};

struct decoder *
decoder_new(struct source_input *input, const struct origin *from,
    const struct head *h, uint64_t end, bool unfinished)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->input = input;
	d->head = *h;
	if (!zin_open(&d->in, from, HEAD_SIZE, end, h->compression,
		cursor_swaps(h->big_endian))) {
		free(d);
		return NULL;
	}
	d->in.unfinished = unfinished;
	return d;
}

void
decoder_free(struct decoder *d)
{
	if (d == NULL)
		return;
	for (uint32_t i = 0; i < d->nthreads; i++)
		stack_clear(&d->threads[i].stack);
	free(d->threads);
	free(d->scratch);
	set_clear(&d->thread_set);
	zin_close(&d->in);
	free(d);
}

void
decoder_extend(struct decoder *d, const struct head *h, uint64_t end)
{
	d->head = *h;
	zin_extend(&d->in, end);
}

static int
decoder_no_memory(struct decoder *d)
{
	return error_memory(&d->input->error);
}

/* ---- what can be wrong with a record ------------------------------------ */

/* Fails with a line that begins with the place of the field in question. */
static int __attribute__((format(printf, 3, 4)))
refuse_record(struct decoder *d, enum tach_error code, const char *fmt, ...)
{
	bool plain = d->head.compression == TACH_PLAIN;
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&d->input->error, code, "%sbyte %" PRIu64 ": %s",
	    plain ? "" : "sample data ", zin_offset(&d->in) +
	    (plain ? HEAD_SIZE : 0), what);
}

/* The data ends inside a record. */
static int
cut_short(struct decoder *d, const char *field, const char *record)
{
	if (d->in.problem.text[0] != '\0')
		return error_set(&d->input->error, d->in.problem.code, "%s",
		    d->in.problem.text);
	return refuse_record(d, TACH_EDAMAGED,
	    "the sample data ends inside the %s of %s", field, record);
}

static int
bad_record_number(struct decoder *d, enum cursor_result res, const char *field,
    unsigned kind)
{
	char record[32];

	snprintf(record, sizeof(record), "a %s record", delta_name(kind));
	if (res == CURSOR_SHORT)
		return cut_short(d, field, record);
	return refuse_record(
	    d, TACH_EDAMAGED, "the %s of %s is out of range", field, record);
}

/* ---- threads ------------------------------------------------------------ */

struct decoder_key {
	const struct decoder *decoder;
	const struct delta_id *id;
};

static bool
is_thread(const struct decoder_thread *t, const struct delta_id *id)
{
	return t->id == id->thread && t->interp == id->interp;
}

static bool
decoder_thread_equal(const void *arg, uint32_t index)
{
	const struct decoder_key *k = arg;

	return is_thread(&k->decoder->threads[index], k->id);
}

static int
add_decoder_thread(struct decoder *d, const struct delta_id *id, uint64_t hash)
{
	struct decoder_thread *p, *t;

	if (d->nthreads == d->head.threads)
		return refuse_record(d, TACH_EDAMAGED,
		    "one thread more than the header counts "
		    "(%" PRIu32 " at byte %u)",
		    d->head.threads, head_threads_at(&d->head));
	if (d->nthreads == THREADS_MAX)
		return refuse_record(d, TACH_ELIMIT,
		    "more than %" PRIu32 " threads are not read", THREADS_MAX);
	p = array_grow(d->threads, d->nthreads, &d->threads_max, sizeof(*p));
	if (p == NULL)
		return decoder_no_memory(d);
	d->threads = p;
	t = &p[d->nthreads];
	*t = (struct decoder_thread){.id = id->thread, .interp = id->interp};
	if (!stack_init(&t->stack))
		return decoder_no_memory(d);
	d->last = d->nthreads++; /* from here on it is freed */
	d->frames_room += t->stack.room;
	return set_add(&d->thread_set, hash, d->last) ? TACH_OK :
	    decoder_no_memory(d);
}

static int
look_up(struct decoder *d, const struct delta_id *id)
{
	struct decoder_key key = {d, id};
	uint64_t hash = hash_of(&id->thread, sizeof(id->thread),
	    id->interp);
	uint32_t found = set_find(&d->thread_set, hash, decoder_thread_equal,
	    &key);

	if (found == TACH_NONE)
		return add_decoder_thread(d, id, hash);
	d->last = found;
	return TACH_OK;
}

/* Sets d->last to the thread of the record. */
static int
find_record_thread(struct decoder *d, const struct delta_id *id)
{
	uint64_t mixed = (id->thread + id->interp) *
	    UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *recent = &d->recent[mixed >> (64 - RECENT_BITS)];

	if (d->nthreads > 0 && is_thread(&d->threads[*recent], id)) {
		d->last = *recent;
		return TACH_OK;
	}
	if (look_up(d, id) != TACH_OK)
		return TACH_FATAL;
	*recent = d->last;
	return TACH_OK;
}

/* ---- records ------------------------------------------------------------ */

/* Checks the number of samples of a REPEAT against the header. */
static int
check_repeat(struct decoder *d, uint64_t n)
{
	uint64_t left = d->head.samples - d->input->stats.samples;

	if (n <= left)
		return TACH_OK;
	return refuse_record(d, TACH_EDAMAGED,
	    "a REPEAT record of %" PRIu64 " samples, but the "
	    "header's sample count (%" PRIu64 " at byte %d) leaves %" PRIu64,
	    n, d->head.samples, HEAD_SAMPLES, left);
}

static int
get_tick(struct decoder *d, struct decoder_thread *t, struct tach_tick *tick,
    unsigned kind)
{
	const uint8_t *start = d->in.cur.pos;
	uint64_t elapsed, time;
	enum cursor_result res = delta_get_tick(&d->in.cur, &elapsed,
	    &tick->status);

	if (res != CURSOR_OK)
		return bad_record_number(d, res, "time and status", kind);
	if (__builtin_add_overflow(t->time, elapsed, &time)) {
		d->in.cur.pos = start;
		return refuse_record(d, TACH_EDAMAGED,
		    "the time of a %s record is out of range",
		    delta_name(kind));
	}
	tick->time = t->time = time;
	return TACH_OK;
}

/* Gives the run that get_tick or get_batch has made. */
static int
decoder_give_run(struct decoder *d, struct tach_run *run, uint32_t shared,
    size_t count)
{
	const struct decoder_thread *t = &d->threads[d->last];

	run->thread = t->id;
	run->interp = t->interp;
	run->index = d->last;
	run->frames = stack_frames(&t->stack);
	run->depth = t->stack.depth;
	run->shared = shared;
	run->ticks = d->ticks;
	run->count = count;
	d->input->stats.samples += count;
	d->input->stats.frames_total += (uint64_t)count * t->stack.depth;
	d->input->stats.data_size = zin_offset(&d->in);
	return TACH_OK;
}

/* The next samples of a REPEAT.  Samples before a damaged one are given first:
 * the error is kept for the next call. */
static int
get_batch(struct decoder *d, struct tach_run *run)
{
	struct decoder_thread *t = &d->threads[d->last];
	size_t want = d->repeat_left < BATCH ? (size_t)d->repeat_left : BATCH;
	size_t n;

	for (n = 0; n < want; n++) {
		n += delta_get_ticks(&d->in.cur, d->ticks + n, want - n,
		    &t->time);
		if (n == want)
			break;
		zin_need(&d->in, TICK_MAX);
		if (get_tick(d, t, &d->ticks[n], DELTA_REPEAT) != TACH_OK)
			break;
	}
	if (n == 0)
		return TACH_FATAL;
	d->repeat_left -= n;
	d->input->stats.repeated += n;
	return decoder_give_run(d, run, t->stack.depth, n);
}

static int
get_repeat(struct decoder *d, const struct delta_id *id)
{
	struct cursor after = d->in.cur;
	uint64_t n;
	enum cursor_result res = cursor_varint(&after, &n);

	if (res != CURSOR_OK)
		return bad_record_number(d, res, "count", DELTA_REPEAT);
	/* An empty record does not make its thread known. */
	if (n > 0 && (check_repeat(d, n) != TACH_OK ||
			 find_record_thread(d, id) != TACH_OK))
		return TACH_FATAL;
	d->in.cur = after;
	d->repeat_left = n;
	d->input->stats.records[DELTA_REPEAT]++;
	return TACH_OK;
}

/* The cursor stands at a frame index that does not exist. */
static int
bad_frame(struct decoder *d, unsigned kind)
{
	struct cursor c = d->in.cur;
	uint64_t index;

	if (cursor_varint(&c, &index) != CURSOR_OK)
		return bad_record_number(d, CURSOR_LONG, "frame index", kind);
	return refuse_record(d, TACH_EDAMAGED,
	    "frame index %" PRIu64 " of a %s record, but there "
	    "are %" PRIu32 " frames",
	    index, delta_name(kind), d->head.frames);
}

/* Reads n frames into their final array, from as many buffers as they fill. */
static int
get_frames(struct decoder *d, uint32_t *frames, size_t n, unsigned kind)
{
	enum cursor_result res;
	size_t got;

	for (;;) {
		res = delta_get_frames(&d->in.cur, frames, n, d->head.frames,
		    &got);
		frames += got;
		n -= got;
		if (res != CURSOR_SHORT || d->in.ended)
			break;
		zin_fill(&d->in);
	}
	if (res == CURSOR_OK)
		return TACH_OK;
	if (res == CURSOR_LONG)
		return bad_frame(d, kind);
	return bad_record_number(d, res, "frames", kind);
}

/* Reads n frames that have not all arrived: the array grows with them. */
static int
gather_frames(struct decoder *d, size_t n, unsigned kind)
{
	size_t have = 0;

	while (have < n) {
		size_t some = n - have < ZIN_SIZE ? n - have : ZIN_SIZE;
		uint32_t *p = array_reserve(d->scratch, &d->scratch_max,
		    have + some, sizeof(*p));

		if (p == NULL)
			return decoder_no_memory(d);
		d->scratch = p;
		if (get_frames(d, d->scratch + have, some, kind) != TACH_OK)
			return TACH_FATAL;
		have += some;
	}
	return TACH_OK;
}

static int
reserve_decoder_stack(struct decoder *d, struct decoder_thread *t,
    uint32_t depth)
{
	d->frames_room -= t->stack.room;
	if (!stack_reserve(&t->stack, depth))
		return decoder_no_memory(d);
	d->frames_room += t->stack.room;
	t->stack.depth = depth;
	return TACH_OK;
}

/* Turns the thread's stack into the next one.  A frame takes a byte or more, so
 * a count of frames that does not exceed the bytes at hand is trusted. */
static int
change_stack(struct decoder *d, struct decoder_thread *t, const struct delta *delta,
    unsigned kind)
{
	uint64_t depth = (uint64_t)delta->shared + delta->fresh;
	bool here;

	zin_need(&d->in, delta->fresh);
	here = cursor_has(&d->in.cur, delta->fresh);
	if (!here && d->in.ended)
		return bad_record_number(d, CURSOR_SHORT, "frames", kind);
	if (!here && gather_frames(d, delta->fresh, kind) != TACH_OK)
		return TACH_FATAL;
	if (reserve_decoder_stack(d, t, (uint32_t)depth) != TACH_OK)
		return TACH_FATAL;
	d->input->stats.frames_written += delta->fresh;
	if (here)
		return get_frames(d, stack_frames(&t->stack), delta->fresh, kind);
	memcpy(stack_frames(&t->stack), d->scratch,
	    delta->fresh * sizeof(*d->scratch));
	return TACH_OK;
}

/* Whether the stacks of all threads may grow to this size. */
static int
check_depth(struct decoder *d, const struct decoder_thread *t, uint64_t depth)
{
	uint64_t others = d->frames_room - t->stack.room;

	if (others < FRAMES_MAX && depth <= FRAMES_MAX - others)
		return TACH_OK;
	return refuse_record(d, TACH_ELIMIT,
	    "a stack of %" PRIu64 " frames: the stacks of all "
	    "threads may have %" PRIu32 " together",
	    depth, FRAMES_MAX);
}

/* Reads the counts of a record and checks them against the stack before it. */
static int
get_delta(struct decoder *d, const struct decoder_thread *t, struct delta *delta,
    enum delta_kind kind)
{
	struct cursor after = d->in.cur;
	uint32_t counts[2];
	enum cursor_result res = delta_get_counts(&after, kind, counts);

	if (res != CURSOR_OK)
		return bad_record_number(d, res, "number of frames", kind);
	if (!delta_from_counts(delta, kind, counts, t->stack.depth))
		return refuse_record(d, TACH_EDAMAGED,
		    "a %s record %s %" PRIu32 " frames of a "
		    "stack of %" PRIu32,
		    delta_name(kind),
		    kind == DELTA_SUFFIX ? "keeps" : "removes", counts[0],
		    t->stack.depth);
	if (check_depth(d, t, (uint64_t)delta->shared + delta->fresh) != TACH_OK)
		return TACH_FATAL;
	d->in.cur = after;
	return TACH_OK;
}

static int
get_change(struct decoder *d, const struct delta_id *id,
    struct tach_run *run)
{
	struct decoder_thread *t;
	struct delta delta = {0, 0};

	if (d->input->stats.samples == d->head.samples)
		return refuse_record(d, TACH_EDAMAGED,
		    "one sample more than the header counts "
		    "(%" PRIu64 " at byte %d)",
		    d->head.samples, HEAD_SAMPLES);
	if (find_record_thread(d, id) != TACH_OK)
		return TACH_FATAL;
	t = &d->threads[d->last];
	if (get_tick(d, t, &d->ticks[0], id->kind) != TACH_OK ||
	    get_delta(d, t, &delta, (enum delta_kind)id->kind) != TACH_OK ||
	    change_stack(d, t, &delta, id->kind) != TACH_OK)
		return TACH_FATAL;
	d->input->stats.records[id->kind]++;
	return decoder_give_run(d, run, delta.shared, 1);
}

/* The data ends between two records.  Checks that all samples have come. */
static int
at_end(struct decoder *d)
{
	if (d->in.problem.text[0] != '\0')
		return error_set(&d->input->error, d->in.problem.code, "%s",
		    d->in.problem.text);
	if (d->input->stats.samples != d->head.samples)
		return refuse_record(d, TACH_EDAMAGED,
		    "the sample data ends after %" PRIu64
		    " samples, but the header's sample count at byte %d is "
		    "%" PRIu64,
		    d->input->stats.samples, HEAD_SAMPLES, d->head.samples);
	return TACH_END;
}

/* Reads one record; a REPEAT only up to its samples. */
static int
get_record(struct decoder *d, struct tach_run *run)
{
	struct delta_id id;

	zin_need(&d->in, RECORD_HEAD_MAX);
	if (!cursor_has(&d->in.cur, 1))
		return at_end(d);
	if (!cursor_has(&d->in.cur, RECORD_ID_SIZE))
		return cut_short(d, "head", "a record");
	delta_get_id(&d->in.cur, &id);
	if (id.kind == DELTA_REPEAT)
		return get_repeat(d, &id);
	if (id.kind <= DELTA_POP_PUSH)
		return get_change(d, &id, run);
	d->in.cur.pos--;
	return refuse_record(
	    d, TACH_EDAMAGED, "encoding %u of a record is not known", id.kind);
}

int
decoder_next(struct decoder *d, struct tach_run *run)
{
	int res = TACH_OK;

	run->count = 0;
	while (res == TACH_OK && run->count == 0)
		res = d->repeat_left > 0 ? get_batch(d, run) :
		    get_record(d, run);
	return res;
}

/* More samples or threads than the header counts are damage; so are fewer
 * samples. */
int
decoder_check(const struct decoder *d)
{
	if (d->nthreads == d->head.threads)
		return TACH_OK;
	return error_warn(&d->input->error, TACH_EDAMAGED,
	    "the header's thread "
	    "count at byte %u is %" PRIu32 ", but %" PRIu32 " have samples",
	    head_threads_at(&d->head), d->head.threads, d->nthreads);
}
