/* SPDX-License-Identifier: ISC */
/*
 * writer.c: a TACH file as a sink.
 *
 * A thread's equal stacks are gathered, already encoded, until another stack
 * comes or enough of them wait; then they are written as one REPEAT.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "error.h"
#include "format/delta.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/journal.h"
#include "format/tables.h"
#include "format/zio.h"
#include "hash.h"
#include "options.h"
#include "set.h"
#include "tach.h"

#define PENDING_MIN 64	  /* bytes of ticks that a thread gathers at first */
#define PENDING_MAX 16384 /* and at most */
#define PENDING_ALL (8 << 20) /* all threads together, beyond their first */
#define FRAMES_AT_ONCE 4096
#define LEVEL_MAX 22 /* of zstd */

struct writer_thread {
	bool used;
	bool recent; /* it has had a sample since the last checkpoint */
	uint64_t id;
	uint32_t interp;
	uint64_t time;	/* of the last sample */
	uint32_t depth; /* of the last run, whose stack may be forgotten */
	struct stack stack;
	/* Ticks that wait for their REPEAT. */
	uint8_t *ticks;
	size_t ticks_used, ticks_room;
	uint64_t pending;
};

struct tach_writer {
	struct error error;
	bool dead; /* failed or finished */
	struct tach_writer_options options;
	const struct tach_table *table;
	struct zout out;
	struct writer_thread *threads; /* by run->index */
	size_t threads_room;
	uint32_t nthreads; /* used ones */
	size_t pending_room; /* for ticks, in all threads */
	uint64_t samples;
	uint64_t deep; /* of these, deeper than CPython's reader takes */
	struct journal_out journal;
	struct tach_sink sink; /* see tach_writer_sink */
	bool adds;	       /* by tach_writer_add, which finds threads */
	struct set ids;	       /* of threads, if so */
};

static int sink_run(struct tach_sink *, const struct tach_run *);
static enum tach_error sink_error(const struct tach_sink *,
    const char **line);

/* The fault of a writer's options, or NULL. */
static const char *
values_fault(const struct tach_writer_options *o)
{
	if ((unsigned)o->layout > TACH_LAYOUT_EARLY)
		return "there is no such layout";
	if ((unsigned)o->compression > TACH_ZSTD)
		return "there is no such compression";
	if (o->compression == TACH_ZSTD &&
	    (o->level < 1 || o->level > LEVEL_MAX))
		return "a level is 1 to 22";
	return NULL;
}

/* Copies the options.  False: they cannot be used, and the error says so. */
static bool
take_options(struct tach_writer *w, const struct tach_writer_options *options)
{
	const char *fault = "the options " OPTIONS_FAULT;

	if (options_take(&w->options, sizeof(w->options), options) &&
	    (fault = values_fault(&w->options)) == NULL)
		return true;
	error_set(&w->error, TACH_EUSE, "%s", fault);
	w->options = (struct tach_writer_options){.size = sizeof(w->options)};
	return false;
}

struct tach_writer *
tach_writer_new(int fd, const struct tach_writer_options *options,
    const struct tach_table *table)
{
	static const uint8_t placeholder[HEAD_SIZE];
	struct tach_writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->sink = (struct tach_sink){.size = sizeof(w->sink),
	    .arg = w,
	    .run = sink_run,
	    .error = sink_error};
	if (!take_options(w, options)) {
		w->dead = true;
		return w;
	}
	w->table = table;
	if (!zout_open(&w->out, fd, HEAD_SIZE, w->options.compression,
		w->options.level, &w->error)) {
		free(w);
		return NULL;
	}
	/* A header of zeros tells an unfinished file. */
	if (zout_write_at(&w->out, 0, placeholder, HEAD_SIZE) != TACH_OK)
		w->dead = true;
	return w;
}

void
tach_writer_free(struct tach_writer *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < w->threads_room; i++) {
		stack_clear(&w->threads[i].stack);
		free(w->threads[i].ticks);
	}
	free(w->threads);
	buf_clear(&w->journal.buf);
	set_clear(&w->ids);
	zout_close(&w->out);
	free(w);
}

uint64_t
tach_writer_bytes(const struct tach_writer *w)
{
	return w->out.at;
}

uint64_t
tach_writer_samples(const struct tach_writer *w)
{
	return w->samples;
}

uint32_t
tach_writer_threads(const struct tach_writer *w)
{
	return w->nthreads;
}

uint64_t
tach_writer_deep(const struct tach_writer *w)
{
	return w->deep;
}

enum tach_layout
tach_writer_layout(const struct tach_writer *w)
{
	struct head h = {.layout = w->options.layout, .samples = w->samples};

	head_fit(&h);
	return h.layout;
}

enum tach_error
tach_writer_error(const struct tach_writer *w, const char **line)
{
	return error_get(&w->error, line);
}

/* ---- threads ------------------------------------------------------------ */

static int
writer_no_memory(struct tach_writer *w)
{
	return error_memory(&w->error);
}

/* Nothing can be written any more.  If it failed, that error stays. */
static int
finished(struct tach_writer *w)
{
	return error_set(&w->error, TACH_EUSE, "the profile is finished");
}

static int
grow_threads(struct tach_writer *w, uint32_t index)
{
	struct writer_thread *p;

	if (index == UINT32_MAX ||
	    (p = array_reserve_set(w->threads, &w->threads_room, index + 1,
		 sizeof(*p), 0)) == NULL)
		return writer_no_memory(w);
	w->threads = p;
	return TACH_OK;
}

static int
add_writer_thread(struct tach_writer *w, const struct tach_run *run)
{
	struct writer_thread *t;

	if (run->index >= w->threads_room &&
	    grow_threads(w, run->index) != TACH_OK)
		return TACH_FATAL;
	t = &w->threads[run->index];
	t->id = run->thread;
	t->interp = run->interp;
	t->used = true;
	w->nthreads++;
	return TACH_OK;
}

static int
give_room(struct tach_writer *w, struct writer_thread *t)
{
	if (!stack_init(&t->stack) ||
	    (t->ticks = malloc(PENDING_MIN)) == NULL)
		return writer_no_memory(w);
	t->ticks_room = PENDING_MIN;
	return TACH_OK;
}

static struct writer_thread *
writer_thread_of(struct tach_writer *w, const struct tach_run *run)
{
	struct writer_thread *t;

	if (run->index >= w->threads_room || !w->threads[run->index].used)
		if (add_writer_thread(w, run) != TACH_OK)
			return NULL;
	t = &w->threads[run->index];
	if (t->ticks == NULL && give_room(w, t) != TACH_OK)
		return NULL;
	t->recent = true;
	return t;
}

/* Most of those that have no samples any more have ended. */
static void
forget_stack(struct tach_writer *w, struct writer_thread *t)
{
	if (t->ticks == NULL)
		return;
	w->pending_room -= t->ticks_room - PENDING_MIN;
	free(t->ticks);
	t->ticks = NULL;
	stack_clear(&t->stack);
}

/* ---- records ------------------------------------------------------------ */

/* Writes what waits in a thread. */
static int
put_repeat(struct tach_writer *w, struct writer_thread *t)
{
	struct delta_id id = {t->id, t->interp, DELTA_REPEAT};
	uint8_t *p;

	if (t->pending == 0)
		return TACH_OK;
	p = zout_put(&w->out, RECORD_ID_SIZE + VARINT_MAX + t->ticks_used);
	if (p == NULL)
		return TACH_FATAL;
	p = delta_put_id(p, &id);
	p = varint_put(p, t->pending);
	memcpy(p, t->ticks, t->ticks_used);
	zout_put_end(&w->out, p + t->ticks_used);
	t->ticks_used = 0;
	t->pending = 0;
	return TACH_OK;
}

/* Moves the thread's time on; false: backwards is not possible. */
static bool
elapsed_of_thread(struct tach_writer *w, struct writer_thread *t, uint64_t time,
    uint64_t *out)
{
	*out = time - t->time;
	if (time < t->time) {
		error_set(&w->error, TACH_EUSE, "thread %" PRIu64
		    ": a sample at %" PRIu64 " us comes after one at %" PRIu64
		    " us", t->id, time, t->time);
		return false;
	}
	t->time = time;
	return true;
}

/* Makes room for one more tick: a larger buffer, or an empty one. */
static int
make_room(struct tach_writer *w, struct writer_thread *t)
{
	uint8_t *p;

	if (t->ticks_room >= PENDING_MAX || w->pending_room >= PENDING_ALL)
		return put_repeat(w, t);
	if ((p = realloc(t->ticks, t->ticks_room * 2)) == NULL)
		return writer_no_memory(w);
	t->ticks = p;
	w->pending_room += t->ticks_room;
	t->ticks_room *= 2;
	return TACH_OK;
}

/* Ticks of the stack that the thread has. */
static int
add_ticks(struct tach_writer *w, struct writer_thread *t,
    const struct tach_tick *ticks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t since;
		uint8_t *p;
		if (t->ticks_room - t->ticks_used < TICK_MAX &&
		    make_room(w, t) != TACH_OK)
			return TACH_FATAL;
		if (!elapsed_of_thread(w, t, ticks[i].time, &since))
			return TACH_FATAL;
		p = delta_put_tick(t->ticks + t->ticks_used, since,
		    ticks[i].status);
		t->ticks_used = (size_t)(p - t->ticks);
		t->pending++;
	}
	return TACH_OK;
}

static int
put_frame_indices(struct tach_writer *w, const uint32_t *frames, size_t n)
{
	while (n > 0) {
		size_t some = n < FRAMES_AT_ONCE ? n : FRAMES_AT_ONCE;
		uint8_t *p = zout_put(&w->out, some * FRAME_INDEX_MAX);
		if (p == NULL)
			return TACH_FATAL;
		zout_put_end(&w->out, delta_put_frames(p, frames, some));
		frames += some;
		n -= some;
	}
	return TACH_OK;
}

/* Makes the frames the thread's stack; the outermost `shared` are it
 * already. */
static int
keep_stack(struct tach_writer *w, struct stack *s, const uint32_t *frames,
    uint32_t depth, uint32_t shared)
{
	if (!stack_reserve(s, depth))
		return writer_no_memory(w);
	s->depth = depth;
	if (depth > shared)
		memcpy(stack_frames(s), frames,
		    (depth - shared) * sizeof(*frames));
	return TACH_OK;
}

/* Writes one sample of a stack that the thread did not have. */
static int
put_change(struct tach_writer *w, struct writer_thread *t, const uint32_t *frames,
    uint32_t depth, uint32_t shared, const struct tach_tick *tick)
{
	struct delta d;
	enum delta_kind kind = delta_choose(&d, &t->stack, frames, depth,
	    shared);
	struct delta_id id = {t->id, t->interp, (uint8_t)kind};
	uint64_t since;
	uint8_t *p;

	if (put_repeat(w, t) != TACH_OK ||
	    !elapsed_of_thread(w, t, tick->time, &since) ||
	    (p = zout_put(&w->out, RECORD_HEAD_MAX)) == NULL)
		return TACH_FATAL;
	p = delta_put_id(p, &id);
	p = delta_put_tick(p, since, tick->status);
	p = delta_put_counts(p, kind, &d, t->stack.depth);
	zout_put_end(&w->out, p);
	if (put_frame_indices(w, frames, d.fresh) != TACH_OK)
		return TACH_FATAL;
	return keep_stack(w, &t->stack, frames, depth, shared);
}

/* ---- runs --------------------------------------------------------------- */

static int
put_run(struct tach_writer *w, struct writer_thread *t, const struct tach_run *run)
{
	uint32_t depth = run->depth, shared;
	bool same;
	int res;

	/* Most often nothing has changed, and nothing need be compared. */
	if (run->shared >= depth && t->depth == depth)
		return add_ticks(w, t, run->ticks, run->count);
	/* A stack that was forgotten is empty here, but not where it is read. */
	shared = delta_shared(&t->stack, run->frames, depth,
	    t->depth == t->stack.depth ? run->shared : 0);
	same = shared == depth && depth == t->stack.depth &&
	    (depth > 0 || t->depth == 0);
	t->depth = depth;
	if (same)
		return add_ticks(w, t, run->ticks, run->count);
	res = put_change(w, t, run->frames, depth, shared, run->ticks);
	if (res != TACH_OK)
		return res;
	return add_ticks(w, t, run->ticks + 1, run->count - 1);
}

static int
take_run(struct tach_writer *w, const struct tach_run *run)
{
	struct writer_thread *t;

	if (w->dead)
		return finished(w);
	if (run->count == 0)
		return TACH_OK;
	if ((t = writer_thread_of(w, run)) == NULL ||
	    put_run(w, t, run) != TACH_OK) {
		w->dead = true;
		return TACH_FATAL;
	}
	w->samples += run->count;
	if (run->depth > TACH_CPYTHON_DEPTH)
		w->deep += run->count;
	return TACH_OK;
}

static int
misused(struct tach_writer *w, const char *why)
{
	w->dead = true;
	return error_set(&w->error, TACH_EUSE, "%s", why);
}

int
tach_writer_run(struct tach_writer *w, const struct tach_run *run)
{
	return !w->adds ? take_run(w, run) :
	    misused(w, "a run after samples without one");
}

/* ---- samples ------------------------------------------------------------- */

struct sample_key {
	const struct tach_writer *writer;
	uint64_t thread;
	uint32_t interp;
};

static bool
is_thread(const void *arg, uint32_t index)
{
	const struct sample_key *k = arg;
	const struct writer_thread *t = &k->writer->threads[index];

	return t->id == k->thread && t->interp == k->interp;
}

/* The number of a thread, which is a new one at its first sample.  TACH_NONE: out
 * of memory. */
static uint32_t
number_of(struct tach_writer *w, uint64_t thread, uint32_t interp)
{
	struct sample_key key = {w, thread, interp};
	uint64_t words[] = {thread, interp};
	uint64_t hash = hash_of(words, sizeof(words), 0);
	uint32_t index = set_find(&w->ids, hash, is_thread, &key);

	if (index == UINT32_MAX && set_add(&w->ids, hash, w->nthreads))
		index = w->nthreads;
	return index;
}

static bool
frames_known(const struct tach_writer *w, const uint32_t *frames, size_t n)
{
	uint32_t count = tach_table_frame_count(w->table);

	for (size_t i = 0; i < n; i++)
		if (frames[i] >= count)
			return false;
	return n <= UINT32_MAX;
}

int
tach_writer_add(struct tach_writer *w, uint64_t thread, uint32_t interp,
    uint64_t time_us, uint8_t status, const uint32_t *frames, size_t n)
{
	struct tach_tick tick = {time_us, status, 0};
	struct tach_run run = {.thread = thread, .interp = interp,
	    .frames = frames, .depth = (uint32_t)n, .ticks = &tick,
	    .count = 1};

	if (w->dead)
		return finished(w);
	if (!w->adds && w->nthreads > 0)
		return misused(w, "a sample without a run after runs");
	if (!frames_known(w, frames, n))
		return misused(w, "a frame that is not in the table");
	w->adds = true;
	if ((run.index = number_of(w, thread, interp)) == TACH_NONE) {
		w->dead = true;
		return writer_no_memory(w);
	}
	return take_run(w, &run);
}

/* ---- while it is not finished ------------------------------------------- */

static int
put_pending(struct tach_writer *w)
{
	for (size_t i = 0; i < w->threads_room; i++)
		if (put_repeat(w, &w->threads[i]) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}

static void
forget_stacks(struct tach_writer *w)
{
	for (size_t i = 0; i < w->threads_room; i++) {
		struct writer_thread *t = &w->threads[i];
		if (!t->recent)
			forget_stack(w, t);
		t->recent = false;
	}
}

static struct head
head_of(const struct tach_writer *w, const struct tach_meta *meta)
{
	struct head h = {
	    .layout = w->options.layout,
	    .compression = w->options.compression,
	    .samples = w->samples,
	    .threads = w->nthreads,
	};

	options_take(&h.meta, sizeof(h.meta), meta);
	head_fit(&h);
	return h;
}

/* Whether a meta can be written.  A profile that is finished has none. */
static int
check_meta(struct tach_writer *w, const struct tach_meta *meta)
{
	if (w->dead)
		return finished(w);
	return options_known(meta, sizeof(*meta), sizeof(meta->size)) ?
	    TACH_OK :
	    error_set(&w->error, TACH_EUSE, "the meta " OPTIONS_FAULT);
}

static int
put_journal(struct tach_writer *w, int fd, const struct tach_meta *meta)
{
	struct head h = head_of(w, meta);
	XXH128_canonical_t hash;

	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(w->out.hash));
	return journal_put(&w->journal, fd, w->table, &h, w->out.at,
	    hash.digest, &w->error);
}

int
tach_writer_checkpoint(struct tach_writer *w, int journal_fd,
    const struct tach_meta *meta)
{
	if (check_meta(w, meta) != TACH_OK)
		return TACH_FATAL;
	if (put_pending(w) != TACH_OK || zout_sync(&w->out) != TACH_OK ||
	    put_journal(w, journal_fd, meta) != TACH_OK) {
		w->dead = true;
		return TACH_FATAL;
	}
	forget_stacks(w);
	return TACH_OK;
}

/* ---- the end ------------------------------------------------------------ */

static int
put_stat(struct tach_writer *w, const struct head *h)
{
	uint8_t *p;

	if (!h->meta.quality.known || h->layout != TACH_LAYOUT_CPYTHON)
		return TACH_OK;
	if ((p = zout_put(&w->out, STAT_SIZE)) == NULL)
		return TACH_FATAL;
	stat_put(p, &h->meta.quality);
	zout_put_end(&w->out, p + STAT_SIZE);
	return TACH_OK;
}

/* The footer and, last, the header: with it the file is whole. */
static int
put_ends(struct tach_writer *w, struct head *h)
{
	uint8_t head[HEAD_SIZE], foot[FOOT_SIZE];
	XXH128_canonical_t hash;
	uint64_t size;

	if (zout_flush(&w->out) != TACH_OK)
		return TACH_FATAL;
	size = zout_offset(&w->out) + FOOT_SIZE;
	head_put(head, h);
	foot_put(foot, h, size);
	XXH3_128bits_update(w->out.hash, foot, FOOT_CHECK);
	XXH3_128bits_update(w->out.hash, head, HEAD_SIZE);
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(w->out.hash));
	memcpy(h->check, hash.digest, sizeof(h->check));
	foot_put(foot, h, size);
	if (zout_write(&w->out, foot, FOOT_SIZE) != TACH_OK ||
	    zout_flush(&w->out) != TACH_OK)
		return TACH_FATAL;
	/* On the disk, too, the header comes last: until then the file is
	 * read by its journal. */
	if (w->journal.at > 0 && fdatasync(w->out.fd) != 0)
		return error_system(&w->error, "cannot write", errno);
	return zout_write_at(&w->out, 0, head, HEAD_SIZE);
}

int
tach_writer_finish(struct tach_writer *w, const struct tach_meta *meta)
{
	struct head h;

	if (check_meta(w, meta) != TACH_OK)
		return TACH_FATAL;
	h = head_of(w, meta);
	w->dead = true;
	if (put_pending(w) != TACH_OK || zout_plain(&w->out) != TACH_OK ||
	    tables_put(&w->out, w->table, &h) != TACH_OK ||
	    put_stat(w, &h) != TACH_OK)
		return TACH_FATAL;
	return put_ends(w, &h);
}

/* ---- as a sink ----------------------------------------------------------- */

static int
sink_run(struct tach_sink *sink, const struct tach_run *run)
{
	return tach_writer_run(sink->arg, run);
}

static enum tach_error
sink_error(const struct tach_sink *sink, const char **line)
{
	const struct tach_writer *w = sink->arg;

	return error_get(&w->error, line);
}

struct tach_sink *
tach_writer_sink(struct tach_writer *w)
{
	return &w->sink;
}
