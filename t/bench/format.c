/* SPDX-License-Identifier: ISC */
/*
 * format.c: our side of the benchmark of the file format, by tach.h alone;
 * peer.py is CPython's, and run calls both.
 *
 *	format make LOAD SAMPLES none|zstd FILE
 *	format write CASE ROUNDS compared|known FILE
 *	format read FILE
 *	format recode FILE OUT
 *	format repeat FILE OUT SAMPLES
 *	format limits FILE
 *	format time COMMAND...
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "../../cmd/why.h"
#include "tach.h"

#define START 5000000 /* us */
#define INTERVAL 1000 /* us */
#define HEADER 64     /* bytes before the sample data */
#define DEPTH_MAX 256

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* peer.py draws the same numbers. */
static uint32_t
draw(uint32_t below)
{
	static uint64_t x = 315;

	x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(x >> 33) % below;
}

static void *
get_memory(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		err(2, NULL);
	return p;
}

static uint64_t
number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*end != '\0' || n == 0)
		errx(2, "not a number: %s", text);
	return n;
}

/* The frame that peer.py makes for a number. */
static uint32_t
add_frame(struct tach_table *t, uint32_t n)
{
	struct tach_frame f = {.line = (int32_t)n + 1,
	    .end_line = (int32_t)n + 1, .column = 4, .end_column = 30,
	    .opcode = TACH_NO_OPCODE};
	char name[32];
	int len = snprintf(name, sizeof(name), "dir/m%" PRIu32 ".py", n % 7);

	f.file = tach_table_add_string(t, name, (size_t)len);
	len = snprintf(name, sizeof(name), "f%" PRIu32, n % 300);
	f.func = tach_table_add_string(t, name, (size_t)len);
	n = tach_table_add_frame(t, &f);
	if (n == TACH_NONE)
		err(2, NULL);
	return n;
}

static struct tach_writer *
open_writer(const char *path, enum tach_compression compression,
    const struct tach_table *t)
{
	struct tach_writer_options o = {.size = sizeof(o),
	    .layout = TACH_LAYOUT_CPYTHON,
	    .compression = compression,
	    .level = TACH_LEVEL_DEFAULT};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct tach_writer *w;

	if (fd < 0 || (w = tach_writer_new(fd, &o, t)) == NULL)
		err(2, "%s", path);
	return w;
}

static void
put(struct tach_writer *w, const struct tach_run *run)
{
	if (tach_writer_run(w, run) != TACH_OK)
		errx(1, "%s", writer_why(w));
}

static void
finish(struct tach_writer *w)
{
	struct tach_meta meta = {.size = sizeof(meta),
	    .python = {3, 15, 0},
	    .start_us = START,
	    .interval_us = INTERVAL};

	if (tach_writer_finish(w, &meta) != TACH_OK)
		errx(1, "%s", writer_why(w));
	tach_writer_free(w);
}

/* ---- write: rounds of equal or changing stacks --------------------------- */

/* Every thread has the same stack: one of `stacks`, drawn anew each round,
 * whose `fresh` innermost frames are its own. */
struct load {
	const char *name;
	uint32_t depth, fresh, stacks, threads;
};

static const struct load loads[] = {
    {"equal", 20, 0, 1, 1},
    {"leaf", 20, 1, 64, 1},
    {"differ", 20, 20, 64, 1},
    {"deep", 200, 1, 64, 1},
    {"threads", 6, 0, 1, 100},
};

struct round {
	const uint32_t *frames;
	struct tach_tick tick;
};

static const struct load *
find_load(const char *name)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (strcmp(name, loads[i].name) == 0)
			return &loads[i];
	errx(2, "no load of that name: %s", name);
}

struct plan {
	const struct load *load;
	struct tach_table *table;
	uint32_t *frames; /* of all stacks */
	struct round *rounds;
	uint64_t count;
	uint32_t shared; /* that a sampler would know of */
};

/* Frames get their indices as they come: both sides' are then the same. */
static const uint32_t *
get_stack(struct plan *p, uint32_t k)
{
	const struct load *l = p->load;
	uint32_t *frames = p->frames + (size_t)k * l->depth;

	/* Zeros at first; no frame is in a stack twice. */
	if (frames[0] == frames[1])
		for (uint32_t i = 0; i < l->depth; i++)
			frames[i] = add_frame(p->table, i < l->fresh ?
			    l->depth + k * l->fresh + i : i);
	return frames;
}

static void
make_plan(struct plan *p)
{
	const struct load *l = p->load;
	uint64_t time = 0;
	uint32_t k = 0;

	p->table = tach_table_new();
	p->frames = get_memory((size_t)l->stacks * l->depth,
	    sizeof(*p->frames));
	p->rounds = get_memory(p->count, sizeof(*p->rounds));
	for (uint64_t i = 0; i < p->count; i++) {
		if (l->stacks > 1)
			k = (k + 1 + draw(l->stacks - 1)) % l->stacks;
		time += INTERVAL + draw(32);
		p->rounds[i] = (struct round){get_stack(p, k),
		    {time, TACH_STATUS_GIL | TACH_STATUS_CPU, 0}};
	}
}

static void
put_round(struct tach_writer *w, const struct plan *p, uint64_t i)
{
	const struct round *r = &p->rounds[i];
	struct tach_run run = {.frames = r->frames, .depth = p->load->depth,
	    .shared = i > 0 ? p->shared : 0, .ticks = &r->tick, .count = 1};

	for (uint32_t k = 0; k < p->load->threads; k++) {
		run.index = k;
		run.thread = 100000 + k;
		put(w, &run);
	}
}

static void
do_write(char *argv[])
{
	struct plan p = {find_load(argv[0]), .count = number(argv[1])};
	struct tach_writer *w;
	double start;

	if (strcmp(argv[2], "known") == 0)
		p.shared = p.load->depth - p.load->fresh;
	make_plan(&p);
	start = seconds();
	w = open_writer(argv[3], TACH_ZSTD, p.table);
	for (uint64_t i = 0; i < p.count; i++)
		put_round(w, &p, i);
	finish(w);
	printf("%.6f\n", seconds() - start);
	free(p.frames);
	free(p.rounds);
	tach_table_free(p.table);
}

/* ---- make: files to read ------------------------------------------------- */

#define THREADS 4
#define FRAMES 3000

struct walk {
	struct tach_table *table;
	struct tach_writer *writer;
	uint32_t frames[FRAMES];
	struct {
		uint32_t stack[DEPTH_MAX], depth; /* outermost first */
	} threads[THREADS];
};

/* Gives a sample of a stack to the writer. */
static void
put_stack(struct walk *w, uint32_t index, const uint32_t *outermost,
    uint32_t depth, uint64_t time)
{
	struct tach_tick tick = {time, TACH_STATUS_CPU, 0};
	uint32_t frames[DEPTH_MAX];
	struct tach_run run = {.index = index, .thread = 100000 + index,
	    .frames = frames, .depth = depth, .ticks = &tick, .count = 1};

	for (uint32_t i = 0; i < depth; i++)
		frames[i] = outermost[depth - 1 - i];
	put(w->writer, &run);
}

/* Threads that return from some calls and make some others before each
 * sample: few stacks are seen twice. */
static void
make_unique(struct walk *w, uint64_t samples)
{
	for (uint64_t i = 0; i < samples; i++) {
		uint32_t k = (uint32_t)(i % THREADS);
		uint32_t *stack = w->threads[k].stack;
		uint32_t depth = w->threads[k].depth;
		uint32_t returns = draw(3), calls = draw(3);
		depth -= returns < depth ? returns : depth;
		for (uint32_t n = 0; n < calls && depth < 30; n++)
			stack[depth++] = w->frames[draw(FRAMES)];
		w->threads[k].depth = depth;
		put_stack(w, k, stack, depth, i / THREADS * 100);
	}
}

#define STACKS 6207

struct tree {
	uint32_t stack[STACKS][32], depth[STACKS];
};

/* Stacks of 4 to 25 frames, each a branch of one before it. */
static void
grow_tree(const struct walk *w, struct tree *t)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t from = i > 0 ? draw(i) : 0;
		uint32_t depth = 4 + draw(22), kept = 1 + draw(depth - 1);
		if (kept > t->depth[from])
			kept = t->depth[from];
		memcpy(t->stack[i], t->stack[from], kept * sizeof(uint32_t));
		while (kept < depth)
			t->stack[i][kept++] = w->frames[draw(FRAMES)];
		t->depth[i] = depth;
	}
}

/* Threads that stay in such a stack for four samples, on average. */
static void
make_stacks(struct walk *w, uint64_t samples)
{
	struct tree *t = get_memory(1, sizeof(*t));
	uint32_t at[THREADS] = {0};

	grow_tree(w, t);
	for (uint64_t i = 0; i < samples; i++) {
		uint32_t k = (uint32_t)(i % THREADS);
		if (draw(4) == 0)
			at[k] = draw(STACKS);
		put_stack(w, k, t->stack[at[k]], t->depth[at[k]],
		    i / THREADS * 100);
	}
	free(t);
}

static void
do_make(char *argv[])
{
	struct walk *w = get_memory(1, sizeof(*w));

	w->table = tach_table_new();
	for (uint32_t i = 0; i < FRAMES; i++)
		w->frames[i] = add_frame(w->table, i);
	w->writer = open_writer(argv[3], strcmp(argv[2], "none") == 0 ?
	    TACH_PLAIN : TACH_ZSTD, w->table);
	if (strcmp(argv[0], "unique") == 0)
		make_unique(w, number(argv[1]));
	else
		make_stacks(w, number(argv[1]));
	finish(w->writer);
	tach_table_free(w->table);
	free(w);
}

/* ---- read, recode, limits ------------------------------------------------ */

static struct tach_reader *
open_reader(const char *path)
{
	struct tach_reader *r = tach_reader_new();

	if (r == NULL)
		err(2, NULL);
	if (tach_reader_open(r, path) == TACH_FATAL)
		errx(1, "%s: %s", path, reader_why(r));
	return r;
}

static bool
get(struct tach_reader *r, struct tach_run *run)
{
	int res = tach_reader_next(r, run);

	if (res == TACH_FATAL)
		errx(1, "%s", reader_why(r));
	return res != TACH_END;
}

/* Also prints the samples, and KiB of memory at most. */
static void
do_read(char *argv[])
{
	double start = seconds();
	struct tach_reader *r = open_reader(argv[0]);
	struct tach_run run;
	struct rusage usage;
	uint64_t samples = 0;

	while (get(r, &run))
		samples += run.count;
	tach_reader_free(r);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.6f %" PRIu64 " %ld\n", seconds() - start, samples,
	    usage.ru_maxrss);
}

/* The same samples, level and compression. */
static void
do_recode(char *argv[])
{
	struct tach_reader *r = open_reader(argv[0]);
	struct tach_writer *w = open_writer(argv[1],
	    tach_reader_info(r)->compression, tach_reader_table(r));
	struct tach_run run;

	while (get(r, &run))
		put(w, &run);
	if (tach_writer_finish(w, tach_reader_meta(r)) != TACH_OK)
		errx(1, "%s: %s", argv[1], writer_why(w));
	tach_writer_free(w);
	tach_reader_free(r);
}

/* Puts a run again, later. */
static uint64_t
put_later(struct tach_writer *w, const struct tach_run *run, uint64_t by)
{
	struct tach_run one = *run;
	struct tach_tick tick = {0};

	one.count = 1;
	one.shared = 0;
	one.ticks = &tick;
	for (size_t i = 0; i < run->count; i++) {
		tick = run->ticks[i];
		tick.time += by;
		put(w, &one);
	}
	return tick.time;
}

/* A recording over and over, until there are so many samples.  One that
 * zstd's window does not hold is packed as if it went on. */
static void
do_repeat(char *argv[])
{
	struct tach_reader *r = open_reader(argv[0]);
	struct tach_writer *w = open_writer(argv[1], TACH_ZSTD,
	    tach_reader_table(r));
	uint64_t samples = number(argv[2]), by = 0, last = 0;
	struct tach_run run;

	while (tach_writer_samples(w) < samples) {
		struct tach_reader *again = open_reader(argv[0]);
		while (get(again, &run)) {
			uint64_t time = put_later(w, &run, by);
			if (time > last)
				last = time;
		}
		by = last;
		tach_reader_free(again);
	}
	finish(w);
	tach_reader_free(r);
}

struct bytes {
	uint8_t *p;
	size_t len, max;
};

/* A file's sample data as it lies there; it is zstd's. */
static struct bytes
load_data(const char *path)
{
	struct tach_reader *r = open_reader(path);
	const struct tach_file_info *info = tach_reader_info(r);
	struct bytes b = {.len = (size_t)info->data_size};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	b.p = get_memory(1, b.len);
	for (size_t n = 0; n < b.len;) {
		ssize_t got = pread(fd, b.p + n, b.len - n,
		    (off_t)(HEADER + n));
		if (got <= 0)
			err(1, "%s", path);
		n += (size_t)got;
	}
	close(fd);
	tach_reader_free(r);
	return b;
}

/* Decodes into one small buffer, or to the end of all if that is given. */
static void
unpack(const struct bytes *from, struct bytes *all)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer in = {from->p, from->len, 0};
	static uint8_t buf[128 << 10];
	size_t left = 1;

	while (left != 0) {
		ZSTD_outBuffer out = {buf, sizeof(buf), 0};
		left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(left))
			errx(1, "%s", ZSTD_getErrorName(left));
		if (all == NULL)
			continue;
		if (all->len + out.pos > all->max &&
		    (all->p = realloc(all->p, all->max += 64 << 20)) == NULL)
			err(2, NULL);
		memcpy(all->p + all->len, buf, out.pos);
		all->len += out.pos;
	}
	ZSTD_freeDCtx(z);
}

static void
pack(const struct bytes *from)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	ZSTD_inBuffer in = {from->p, from->len, 0};
	static uint8_t buf[128 << 10];
	size_t left = 1;

	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, TACH_LEVEL_DEFAULT);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	while (left != 0) {
		ZSTD_outBuffer out = {buf, sizeof(buf), 0};
		left = ZSTD_compressStream2(z, &out, &in, ZSTD_e_end);
		if (ZSTD_isError(left))
			errx(1, "%s", ZSTD_getErrorName(left));
	}
	ZSTD_freeCCtx(z);
}

static void
copy(const struct bytes *from)
{
	static uint8_t buf[128 << 10];
	size_t n;

	for (size_t at = 0; at < from->len; at += n) {
		n = from->len - at < sizeof(buf) ? from->len - at :
		    sizeof(buf);
		memcpy(buf, from->p + at, n);
		__asm__ volatile("" : : "r"(buf) : "memory");
	}
}

/* Prints the size of the decoded sample data, and the seconds that are
 * needed to copy it, to unpack it and to pack it. */
static void
do_limits(char *argv[])
{
	struct bytes packed = load_data(argv[0]), plain = {0};
	double t[4];

	unpack(&packed, &plain);
	t[0] = seconds();
	copy(&plain);
	t[1] = seconds();
	unpack(&packed, NULL);
	t[2] = seconds();
	pack(&plain);
	t[3] = seconds();
	printf("%zu %.6f %.6f %.6f\n", plain.len, t[1] - t[0], t[2] - t[1],
	    t[3] - t[2]);
	free(packed.p);
	free(plain.p);
}

static double
of_timeval(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Prints the seconds that a command takes, whose own output is dropped, KiB
 * of memory at most, and the seconds of CPU time. */
static void
do_time(char *argv[])
{
	struct timespec a, b;
	struct rusage usage;
	pid_t pid;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &a);
	if ((pid = fork()) == 0) {
		if (freopen("/dev/null", "w", stdout) != NULL)
			execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		err(1, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (status != 0)
		errx(1, "%s failed", argv[0]);
	printf("%.6f %ld %.6f\n", (double)(b.tv_sec - a.tv_sec) +
	    (double)(b.tv_nsec - a.tv_nsec) * 1e-9, usage.ru_maxrss,
	    of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime));
}

static const struct action {
	const char *name;
	int nargs; /* at least */
	void (*run)(char *argv[]);
} actions[] = {
    {"make", 4, do_make},
    {"write", 4, do_write},
    {"read", 1, do_read},
    {"recode", 2, do_recode},
    {"repeat", 3, do_repeat},
    {"limits", 1, do_limits},
    {"time", 1, do_time},
};

int
main(int argc, char *argv[])
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (argc >= actions[i].nargs + 2 &&
		    strcmp(argv[1], actions[i].name) == 0) {
			actions[i].run(argv + 2);
			return 0;
		}
	errx(2, "usage: see the top of format.c");
}
