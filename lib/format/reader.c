/* SPDX-License-Identifier: ISC */
/*
 * reader.c: a TACH file as a source of runs.
 *
 * The file is mapped; header, footer and tables are checked and taken at
 * once, the records one by one.  Nothing that the file says about itself is
 * believed before it is seen: memory grows with the data, not with counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "array.h"
#include "error.h"
#include "format/delta.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/tables.h"
#include "format/zio.h"
#include "set.h"
#include "table.h"
#include "tach.h"

#define BATCH 4096 /* ticks of a run, at most */

/* Frames that the stacks of all threads have room for: 256 MiB.  A few
 * bytes of zstd can decode to any number of them. */
#define FRAMES_MAX (UINT32_C(1) << 26)

struct thread {
	uint64_t id;
	uint32_t interp;
	uint64_t time; /* of the last sample */
	struct stack stack;
};

struct tach_reader {
	struct error error;
	bool dead; /* error is final */
	const uint8_t *map;
	size_t map_size;
	struct head head;
	struct tach_file_info info;
	struct tach_decode_stats stats;
	struct tach_table *table;
	struct zin in;

	struct thread *threads;
	uint32_t nthreads;
	size_t threads_max;
	struct set thread_set;
	uint32_t last;	      /* thread of the last record */
	uint64_t frames_room; /* in the stacks of all threads */

	uint64_t repeat_left; /* samples of a REPEAT not handed out yet */
	uint32_t *scratch;    /* frames whose place is not known yet */
	size_t scratch_max;
	struct tach_tick ticks[BATCH];
};

struct tach_reader *
tach_reader_new(void)
{
	struct tach_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->in.ended = true;
	if ((r->table = tach_table_new()) == NULL) {
		free(r);
		return NULL;
	}
	return r;
}

void
tach_reader_free(struct tach_reader *r)
{
	if (r == NULL)
		return;
	for (uint32_t i = 0; i < r->nthreads; i++)
		stack_clear(&r->threads[i].stack);
	free(r->threads);
	free(r->scratch);
	set_clear(&r->thread_set);
	zin_close(&r->in);
	tach_table_free(r->table);
	if (r->map != NULL)
		munmap((void *)(uintptr_t)r->map, r->map_size);
	free(r);
}

const struct tach_meta *
tach_reader_meta(const struct tach_reader *r)
{
	return &r->head.meta;
}

const struct tach_file_info *
tach_reader_info(const struct tach_reader *r)
{
	return &r->info;
}

const struct tach_decode_stats *
tach_reader_stats(const struct tach_reader *r)
{
	return &r->stats;
}

const struct tach_table *
tach_reader_table(const struct tach_reader *r)
{
	return r->table;
}

const char *
tach_reader_error(const struct tach_reader *r)
{
	return r->error.text;
}

/* ---- opening ------------------------------------------------------------ */

static int
no_memory(struct tach_reader *r)
{
	return error_set(&r->error, TACH_FATAL, "out of memory");
}

static int
system_error(struct tach_reader *r, const char *what)
{
	return error_set(&r->error, TACH_FATAL, "%s%s", what,
	    strerror(errno));
}

static int
write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Copies what comes from a pipe to a file without a name; gives its
 * descriptor, or -1. */
static int
spool(struct tach_reader *r, int from)
{
	char path[] = "/tmp/tach.XXXXXX", buf[65536];
	int fd = mkostemp(path, O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return system_error(r, "no temporary file in /tmp: "), -1;
	unlink(path);
	while ((n = read(from, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			system_error(r, "cannot read: ");
			close(fd);
			return -1;
		}
		if (write_all(fd, buf, (size_t)n) != 0) {
			system_error(r, "cannot write to /tmp: ");
			close(fd);
			return -1;
		}
	}
	return fd;
}

static int
map_file(struct tach_reader *r, int fd)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) != 0)
		return system_error(r, "");
	/* An empty file cannot be mapped; head_get has a word for it. */
	if (st.st_size == 0)
		return TACH_OK;
	if ((uintmax_t)st.st_size > SIZE_MAX)
		return error_set(&r->error, TACH_FATAL, "the file is too "
		    "large for this machine");
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return system_error(r, "cannot map: ");
	r->map = map;
	r->map_size = (size_t)st.st_size;
	madvise(map, r->map_size, MADV_SEQUENTIAL);
	return TACH_OK;
}

static void
fill_info(struct tach_reader *r)
{
	const struct head *h = &r->head;

	r->info = (struct tach_file_info){
	    .layout = h->layout,
	    .big_endian = h->big_endian,
	    .compression = h->compression,
	    .samples = h->samples,
	    .threads = h->threads,
	    .strings = h->strings,
	    .frames = h->frames,
	    .file_size = r->map_size,
	    .data_size = h->strings_at - HEAD_SIZE,
	};
}

static int
load(struct tach_reader *r)
{
	if (head_get(&r->head, r->map, r->map_size, &r->error) != TACH_OK)
		return TACH_FATAL;
	fill_info(r);
	if (tables_get(r->table, r->map, &r->head, &r->error) != TACH_OK)
		return TACH_FATAL;
	if (!zin_open(&r->in, r->map + HEAD_SIZE, (size_t)r->info.data_size,
		r->head.compression, cursor_swaps(r->head.big_endian)))
		return no_memory(r);
	return TACH_OK;
}

static int
open_any(struct tach_reader *r, int fd)
{
	struct stat st;
	int res, copy;

	if (fstat(fd, &st) != 0)
		return system_error(r, "");
	if (S_ISREG(st.st_mode))
		return map_file(r, fd);
	if ((copy = spool(r, fd)) < 0)
		return TACH_FATAL;
	res = map_file(r, copy);
	close(copy);
	return res;
}

int
tach_reader_open_fd(struct tach_reader *r, int fd)
{
	if (open_any(r, fd) == TACH_OK && load(r) == TACH_OK)
		return TACH_OK;
	r->dead = true;
	return TACH_FATAL;
}

int
tach_reader_open(struct tach_reader *r, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int res;

	if (fd < 0) {
		r->dead = true;
		return system_error(r, "");
	}
	res = tach_reader_open_fd(r, fd);
	close(fd);
	return res;
}

/* ---- what can be wrong with a record ------------------------------------ */

/* Fails with a line that begins with the place of the field in question. */
static int __attribute__((format(printf, 2, 3)))
damaged(struct tach_reader *r, const char *fmt, ...)
{
	bool plain = r->head.compression == TACH_PLAIN;
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	r->dead = true;
	return error_set(&r->error, TACH_FATAL, "%sbyte %" PRIu64 ": %s",
	    plain ? "" : "sample data ", zin_offset(&r->in) +
	    (plain ? HEAD_SIZE : 0), what);
}

/* The data ends where a record does not. */
static int
cut_short(struct tach_reader *r, const char *field, const char *record)
{
	if (r->in.problem.text[0] != '\0') {
		r->dead = true;
		return error_set(&r->error, TACH_FATAL, "%s",
		    r->in.problem.text);
	}
	return damaged(r, "the sample data ends inside the %s of %s", field,
	    record);
}

static int
bad_number(struct tach_reader *r, enum cursor_result res, const char *field,
    unsigned kind)
{
	char record[32];

	snprintf(record, sizeof(record), "a %s record", delta_name(kind));
	if (res == CURSOR_SHORT)
		return cut_short(r, field, record);
	return damaged(r, "the %s of %s is out of range", field, record);
}

/* ---- threads ------------------------------------------------------------ */

struct thread_key {
	const struct tach_reader *reader;
	const struct delta_id *id;
};

static bool
is_thread(const struct thread *t, const struct delta_id *id)
{
	return t->id == id->thread && t->interp == id->interp;
}

static bool
thread_equal(const void *arg, uint32_t index)
{
	const struct thread_key *k = arg;

	return is_thread(&k->reader->threads[index], k->id);
}

static int
add_thread(struct tach_reader *r, const struct delta_id *id, uint64_t hash)
{
	struct thread *p, *t;

	if (r->nthreads == r->head.threads)
		return damaged(r, "one thread more than the header counts "
		    "(%" PRIu32 " at byte %u)", r->head.threads,
		    head_threads_at(&r->head));
	p = array_grow(r->threads, r->nthreads, &r->threads_max, sizeof(*p));
	if (p == NULL)
		return no_memory(r);
	r->threads = p;
	t = &p[r->nthreads];
	*t = (struct thread){.id = id->thread, .interp = id->interp};
	if (!stack_init(&t->stack))
		return no_memory(r);
	r->last = r->nthreads++; /* from here on it is freed */
	r->frames_room += t->stack.room;
	return set_add(&r->thread_set, hash, r->last) ? TACH_OK : no_memory(r);
}

/* Makes r->last the record's thread. */
static int
find_thread(struct tach_reader *r, const struct delta_id *id)
{
	struct thread_key key = {r, id};
	uint64_t hash;
	uint32_t found;

	if (r->nthreads > 0 && is_thread(&r->threads[r->last], id))
		return TACH_OK;
	hash = XXH3_64bits_withSeed(&id->thread, sizeof(id->thread),
	    id->interp);
	found = set_find(&r->thread_set, hash, thread_equal, &key);
	if (found == TACH_NONE)
		return add_thread(r, id, hash);
	r->last = found;
	return TACH_OK;
}

/* ---- records ------------------------------------------------------------ */

/* Checks the number of samples of a REPEAT against the header. */
static int
check_repeat(struct tach_reader *r, uint64_t n)
{
	uint64_t left = r->head.samples - r->stats.samples;

	if (n <= left)
		return TACH_OK;
	return damaged(r, "a REPEAT record of %" PRIu64 " samples, but the "
	    "header's sample count (%" PRIu64 " at byte %d) leaves %" PRIu64,
	    n, r->head.samples, HEAD_SAMPLES, left);
}

static int
get_tick(struct tach_reader *r, struct thread *t, struct tach_tick *tick,
    unsigned kind)
{
	const uint8_t *start = r->in.cur.pos;
	uint64_t elapsed;
	enum cursor_result res = delta_get_tick(&r->in.cur, &elapsed,
	    &tick->status);

	if (res != CURSOR_OK)
		return bad_number(r, res, "time and status", kind);
	if (__builtin_add_overflow(t->time, elapsed, &t->time)) {
		r->in.cur.pos = start;
		return damaged(r, "the time of a %s record is out of range",
		    delta_name(kind));
	}
	tick->time = t->time;
	return TACH_OK;
}

/* Hands out what get_tick and the like have made. */
static int
hand_out(struct tach_reader *r, struct tach_run *run, uint32_t shared,
    size_t count)
{
	const struct thread *t = &r->threads[r->last];

	run->thread = t->id;
	run->interp = t->interp;
	run->index = r->last;
	run->frames = stack_frames(&t->stack);
	run->depth = t->stack.depth;
	run->shared = shared;
	run->ticks = r->ticks;
	run->count = count;
	r->stats.samples += count;
	r->stats.frames_total += (uint64_t)count * t->stack.depth;
	r->stats.data_size = zin_offset(&r->in);
	return TACH_OK;
}

/* The next samples of a REPEAT.  What comes before a damaged one is handed
 * out first: the error is kept for the next call. */
static int
get_batch(struct tach_reader *r, struct tach_run *run)
{
	struct thread *t = &r->threads[r->last];
	size_t want = r->repeat_left < BATCH ? (size_t)r->repeat_left : BATCH;
	size_t n;

	for (n = 0; n < want; n++) {
		zin_need(&r->in, TICK_MAX);
		if (get_tick(r, t, &r->ticks[n], DELTA_REPEAT) != TACH_OK)
			break;
	}
	if (n == 0)
		return TACH_FATAL;
	r->repeat_left -= n;
	r->stats.repeated += n;
	return hand_out(r, run, t->stack.depth, n);
}

static int
get_repeat(struct tach_reader *r, const struct delta_id *id)
{
	struct cursor after = r->in.cur;
	uint64_t n;
	enum cursor_result res = cursor_varint(&after, &n);

	if (res != CURSOR_OK)
		return bad_number(r, res, "count", DELTA_REPEAT);
	/* A record of nothing does not make its thread known. */
	if (n > 0 && (check_repeat(r, n) != TACH_OK ||
			 find_thread(r, id) != TACH_OK))
		return TACH_FATAL;
	r->in.cur = after;
	r->repeat_left = n;
	r->stats.records[DELTA_REPEAT]++;
	return TACH_OK;
}

/* The cursor stands at a frame index that does not exist. */
static int
bad_frame(struct tach_reader *r, unsigned kind)
{
	struct cursor c = r->in.cur;
	uint64_t index;

	if (cursor_varint(&c, &index) != CURSOR_OK)
		return bad_number(r, CURSOR_LONG, "frame index", kind);
	return damaged(r, "frame index %" PRIu64 " of a %s record, but there "
	    "are %" PRIu32 " frames", index, delta_name(kind),
	    r->head.frames);
}

/* Reads n frames to where they belong, over as many buffers as they fill. */
static int
get_frames(struct tach_reader *r, uint32_t *frames, size_t n, unsigned kind)
{
	enum cursor_result res;
	size_t got;

	for (;;) {
		res = delta_get_frames(&r->in.cur, frames, n, r->head.frames,
		    &got);
		frames += got;
		n -= got;
		if (res != CURSOR_SHORT || r->in.ended)
			break;
		zin_fill(&r->in);
	}
	if (res == CURSOR_OK)
		return TACH_OK;
	if (res == CURSOR_LONG)
		return bad_frame(r, kind);
	return bad_number(r, res, "frames", kind);
}

/* Reads n frames that have not all arrived: room is made as they do. */
static int
gather_frames(struct tach_reader *r, size_t n, unsigned kind)
{
	size_t have = 0;

	while (have < n) {
		size_t some = n - have < ZIN_SIZE ? n - have : ZIN_SIZE;
		if (have + some > r->scratch_max) {
			size_t max = have + have / 2 + some;
			uint32_t *p = reallocarray(r->scratch, max,
			    sizeof(*p));
			if (p == NULL)
				return no_memory(r);
			r->scratch = p;
			r->scratch_max = max;
		}
		if (get_frames(r, r->scratch + have, some, kind) != TACH_OK)
			return TACH_FATAL;
		have += some;
	}
	return TACH_OK;
}

static int
reserve(struct tach_reader *r, struct thread *t, uint32_t depth)
{
	r->frames_room -= t->stack.room;
	if (!stack_reserve(&t->stack, depth))
		return no_memory(r);
	r->frames_room += t->stack.room;
	t->stack.depth = depth;
	return TACH_OK;
}

/* Turns the thread's stack into the next one.  A frame takes a byte or more,
 * so a count that is not above the bytes at hand can be believed. */
static int
change_stack(struct tach_reader *r, struct thread *t, const struct delta *d,
    unsigned kind)
{
	uint64_t depth = (uint64_t)d->shared + d->fresh;
	bool here;

	zin_need(&r->in, d->fresh);
	here = cursor_has(&r->in.cur, d->fresh);
	if (!here && r->in.ended)
		return bad_number(r, CURSOR_SHORT, "frames", kind);
	if (!here && gather_frames(r, d->fresh, kind) != TACH_OK)
		return TACH_FATAL;
	if (reserve(r, t, (uint32_t)depth) != TACH_OK)
		return TACH_FATAL;
	r->stats.frames_written += d->fresh;
	if (here)
		return get_frames(r, stack_frames(&t->stack), d->fresh, kind);
	memcpy(stack_frames(&t->stack), r->scratch,
	    d->fresh * sizeof(*r->scratch));
	return TACH_OK;
}

/* Whether the stacks of all threads may grow so far. */
static int
check_depth(struct tach_reader *r, const struct thread *t, uint64_t depth)
{
	uint64_t others = r->frames_room - t->stack.room;

	if (others < FRAMES_MAX && depth <= FRAMES_MAX - others)
		return TACH_OK;
	return damaged(r, "a stack of %" PRIu64 " frames: the stacks of all "
	    "threads may have %" PRIu32 " together", depth, FRAMES_MAX);
}

/* The counts of a record, and whether the stack before it allows them. */
static int
get_delta(struct tach_reader *r, const struct thread *t, struct delta *d,
    enum delta_kind kind)
{
	struct cursor after = r->in.cur;
	uint32_t counts[2];
	enum cursor_result res = delta_get_counts(&after, kind, counts);

	if (res != CURSOR_OK)
		return bad_number(r, res, "number of frames", kind);
	if (!delta_from_counts(d, kind, counts, t->stack.depth))
		return damaged(r, "a %s record %s %" PRIu32 " frames of a "
		    "stack of %" PRIu32, delta_name(kind),
		    kind == DELTA_SUFFIX ? "keeps" : "removes", counts[0],
		    t->stack.depth);
	if (check_depth(r, t, (uint64_t)d->shared + d->fresh) != TACH_OK)
		return TACH_FATAL;
	r->in.cur = after;
	return TACH_OK;
}

static int
get_change(struct tach_reader *r, const struct delta_id *id,
    struct tach_run *run)
{
	struct thread *t;
	struct delta d;

	if (r->stats.samples == r->head.samples)
		return damaged(r, "one sample more than the header counts "
		    "(%" PRIu64 " at byte %d)", r->head.samples,
		    HEAD_SAMPLES);
	if (find_thread(r, id) != TACH_OK)
		return TACH_FATAL;
	t = &r->threads[r->last];
	if (get_tick(r, t, &r->ticks[0], id->kind) != TACH_OK ||
	    get_delta(r, t, &d, (enum delta_kind)id->kind) != TACH_OK ||
	    change_stack(r, t, &d, id->kind) != TACH_OK)
		return TACH_FATAL;
	r->stats.records[id->kind]++;
	return hand_out(r, run, d.shared, 1);
}

/* The data ends between two records: are these all? */
static int
at_end(struct tach_reader *r)
{
	if (r->in.problem.text[0] != '\0')
		return error_set(&r->error, TACH_FATAL, "%s",
		    r->in.problem.text);
	if (r->stats.samples != r->head.samples)
		return damaged(r, "the sample data ends after %" PRIu64
		    " samples, but the header's sample count at byte %d is "
		    "%" PRIu64, r->stats.samples, HEAD_SAMPLES,
		    r->head.samples);
	return TACH_END;
}

/* Reads one record; a REPEAT only up to its samples. */
static int
get_record(struct tach_reader *r, struct tach_run *run)
{
	struct delta_id id;

	zin_need(&r->in, RECORD_HEAD_MAX);
	if (!cursor_has(&r->in.cur, 1))
		return at_end(r);
	if (!cursor_has(&r->in.cur, RECORD_ID_SIZE))
		return cut_short(r, "head", "a record");
	delta_get_id(&r->in.cur, &id);
	if (id.kind == DELTA_REPEAT)
		return get_repeat(r, &id);
	if (id.kind <= DELTA_POP_PUSH)
		return get_change(r, &id, run);
	r->in.cur.pos--;
	return damaged(r, "encoding %u of a record is not known", id.kind);
}

int
tach_reader_next(struct tach_reader *r, struct tach_run *run)
{
	int res = TACH_OK;

	if (r->dead)
		return TACH_FATAL;
	run->count = 0;
	while (res == TACH_OK && run->count == 0)
		res = r->repeat_left > 0 ? get_batch(r, run) :
		    get_record(r, run);
	if (res == TACH_FATAL)
		r->dead = true;
	return res;
}
