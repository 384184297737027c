/* SPDX-License-Identifier: ISC */
/*
 * test_unfinished.c: a profile that was not finished and its journal, cut
 * at every byte, damaged at every byte, and growing: what is read is always
 * the beginning of what was written.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "profile.h"

#define BATCHES 5	 /* each ends with a checkpoint */
#define BATCH 30	 /* samples */
#define BATCH_FRAMES 4	 /* new ones */
#define DEPTH_MAX 12
#define THREADS 3
#define SAMPLES (BATCHES * BATCH)
#define HEAD_SIZE 64

static char folder[] = "/tmp/tach.XXXXXX";
static char path[64], names_path[80];

/* ---- what is recorded ---------------------------------------------------- */

/* A profile as it grew.  Frame i has the line i. */
struct growth {
	struct trace trace;
	struct bytes data, names; /* as they are before the end */
	struct bytes whole;
	size_t saved[BATCHES]; /* size of the names after each batch */
};

static void
add_frame(struct tach_table *t, unsigned i)
{
	char file[16], func[16];
	size_t nfile = (size_t)snprintf(file, sizeof(file), "file%u", i % 7);
	size_t nfunc = (size_t)snprintf(func, sizeof(func), "func%u", i);
	struct tach_frame f = {
	    .file = tach_table_add_string(t, file, nfile),
	    .func = tach_table_add_string(t, func, nfunc),
	    .line = (int32_t)i, .end_line = (int32_t)i,
	    .column = -1, .end_column = -1, .opcode = TACH_NO_OPCODE};

	if (tach_table_add_frame(t, &f) != i)
		errx(2, "frame %u", i);
}

/* One sample, most often with the stack of the one before it. */
static void
add_sample(struct growth *g, unsigned nframes)
{
	static uint32_t frames[THREADS][DEPTH_MAX];
	static uint32_t depth[THREADS];
	size_t n = g->trace.n;
	uint32_t t = random_below(THREADS);

	if (n == 0)
		memset(depth, 0, sizeof(depth));
	if (depth[t] == 0 || random_below(3) == 0) {
		depth[t] = 1 + random_below(DEPTH_MAX);
		for (uint32_t i = 0; i < depth[t]; i++)
			frames[t][i] = random_below(nframes);
	}
	trace_add(&g->trace, 1000 + t, 0, 10 * n, (uint8_t)random_below(64),
	    frames[t], depth[t]);
}

/* shared: outermost frames that are known to be the last ones. */
static void
write_sample(struct tach_writer *w, const struct sample *s, uint32_t shared)
{
	struct tach_tick tick = {s->time, s->status, 0};
	struct tach_run run = {.thread = s->thread,
	    .index = (uint32_t)(s->thread - 1000), .frames = s->frames,
	    .depth = s->depth, .shared = shared, .ticks = &tick, .count = 1};

	check_number(tach_writer_run(w, &run), TACH_OK);
}

static void
write_batch(struct growth *g, struct tach_writer *w, struct tach_table *t,
    int names)
{
	static const struct tach_meta meta = {
	    .size = sizeof(meta), {3, 12, 1}, 5000, 1000, 0, {0}};
	unsigned from = tach_table_frame_count(t);

	for (unsigned i = 0; i < BATCH_FRAMES; i++)
		add_frame(t, from + i);
	for (unsigned i = 0; i < BATCH; i++) {
		add_sample(g, from + BATCH_FRAMES);
		write_sample(w, &g->trace.samples[g->trace.n - 1], 0);
	}
	check_number(tach_writer_checkpoint(w, names, &meta), TACH_OK);
}

static struct bytes
bytes_of_fd(int fd)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return bytes_of_file(name);
}

static struct growth
grow(const struct tach_writer_options *options)
{
	static const struct tach_meta meta = {
	    .size = sizeof(meta), {3, 12, 1}, 5000, 1000, 0, {0}};
	struct growth g = {0};
	struct tach_table *t = tach_table_new();
	int data = bytes_fd(&g.data), names = bytes_fd(&g.names);
	struct tach_writer *w = tach_writer_new(data, options, t);

	for (size_t i = 0; i < BATCHES; i++) {
		write_batch(&g, w, t, names);
		g.saved[i] = (size_t)lseek(names, 0, SEEK_END);
	}
	g.data = bytes_of_fd(data);
	g.names = bytes_of_fd(names);
	check_number(tach_writer_finish(w, &meta), TACH_OK);
	g.whole = bytes_of_fd(data);
	tach_writer_free(w);
	tach_table_free(t);
	close(data);
	close(names);
	return g;
}

static void
growth_clear(struct growth *g)
{
	trace_clear(&g->trace);
	bytes_clear(&g->data);
	bytes_clear(&g->names);
	bytes_clear(&g->whole);
}

/* ---- what is read -------------------------------------------------------- */

static void
store(const char *file, const uint8_t *p, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n ||
	    ftruncate(fd, (off_t)n) != 0 || close(fd) != 0)
		err(2, "%s", file);
}

static bool
is_frame(const struct tach_table *t, uint32_t frame, uint32_t want)
{
	const struct tach_frame *f = tach_table_frame(t, frame);
	struct tach_string s = tach_table_string(t, f->func);
	char func[16];
	size_t n = (size_t)snprintf(func, sizeof(func), "func%u",
	    (unsigned)want);

	return f->line == (int32_t)want && s.len == n &&
	    memcmp(s.bytes, func, n) == 0;
}

/* Where a thread's next sample is in the trace, from a place on. */
static size_t
next_of(const struct trace *t, uint64_t thread, size_t from)
{
	while (from < t->n && t->samples[from].thread != thread)
		from++;
	return from;
}

/* How far each thread has been read. */
struct place {
	size_t next[THREADS];
	size_t samples;
	bool wrong;
};

/* A thread's samples are those of the trace, one after the other. */
static bool
is_next(struct place *p, const struct trace *t, const struct tach_table *table,
    const struct tach_run *run, size_t tick)
{
	const struct sample *s;
	size_t at;

	if (run->thread < 1000 || run->thread >= 1000 + THREADS)
		return false;
	at = next_of(t, run->thread, p->next[run->thread - 1000]);
	if (at == t->n)
		return false;
	s = &t->samples[at];
	p->next[run->thread - 1000] = at + 1;
	p->samples++;
	if (s->time != run->ticks[tick].time || s->depth != run->depth ||
	    s->status != run->ticks[tick].status)
		return false;
	for (uint32_t i = 0; i < s->depth; i++)
		if (!is_frame(table, run->frames[i], s->frames[i]))
			return false;
	return true;
}

/* Reads what there is by now. */
static int
read_on(struct tach_reader *r, struct place *p, const struct trace *t)
{
	struct tach_run run;
	int res;

	while ((res = tach_reader_next(r, &run)) == TACH_OK)
		for (size_t i = 0; i < run.count; i++)
			if (!is_next(p, t, tach_reader_table(r), &run, i))
				p->wrong = true;
	return res;
}

static int
read_back(const struct growth *g, struct place *p)
{
	struct tach_reader *r = tach_reader_new();
	int res = tach_reader_open(r, path);

	*p = (struct place){0};
	if (res != TACH_FATAL)
		res = read_on(r, p, &g->trace);
	snprintf(read_error, sizeof(read_error), "%s", reader_why(r));
	tach_reader_free(r);
	return res;
}

/* How many samples the first n bytes of the names vouch for. */
static size_t
vouched(const struct growth *g, size_t n)
{
	size_t batches = 0;

	while (batches < BATCHES && g->saved[batches] <= n)
		batches++;
	return batches * BATCH;
}

/* ---- cut ----------------------------------------------------------------- */

static void
check_cut_names(const struct growth *g)
{
	struct place p;

	store(path, g->data.p, g->data.n);
	for (size_t n = 0; n <= g->names.n; n++) {
		store(names_path, g->names.p, n);
		check_number(read_back(g, &p), TACH_END);
		check_number(p.samples, vouched(g, n));
		check(!p.wrong);
	}
}

static void
check_cut_data(const struct growth *g)
{
	struct place p;
	size_t before = 0;

	store(names_path, g->names.p, g->names.n);
	for (size_t n = 0; n <= g->data.n; n++) {
		store(path, g->data.p, n);
		check_number(read_back(g, &p), TACH_END);
		check(!p.wrong && p.samples >= before);
		check_number(p.samples % BATCH, 0);
		before = p.samples;
	}
	check_number(before, SAMPLES);
}

static void
check_cut_both(const struct growth *g)
{
	struct place p;

	for (unsigned i = 0; i < 500; i++) {
		size_t n = random_below((uint32_t)g->names.n + 1);
		store(path, g->data.p, random_below((uint32_t)g->data.n + 1));
		store(names_path, g->names.p, n);
		check_number(read_back(g, &p), TACH_END);
		check(!p.wrong && p.samples <= vouched(g, n));
	}
}

/* ---- damaged ------------------------------------------------------------- */

/* Changes each byte of one of the two files in turn.  No sample is wrong; and
 * but for the first bytes, which say what the file is, it is no error. */
static void
check_damaged(const struct growth *g, const char *file, const struct bytes *b,
    size_t kind)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff};
	struct place p;

	store(path, g->data.p, g->data.n);
	store(names_path, g->names.p, g->names.n);
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < sizeof(changes); k++) {
			b->p[i] ^= changes[k];
			store(file, b->p, b->n);
			b->p[i] ^= changes[k];
			check_number(read_back(g, &p), i < kind ? TACH_FATAL :
								  TACH_END);
			check(!p.wrong && p.samples < SAMPLES);
		}
	}
	store(file, b->p, b->n);
	check_number(read_back(g, &p), TACH_END);
	check_number(p.samples, SAMPLES);
}

/* The names of another recording, and none at all. */
static void
check_foreign(const struct growth *g, const struct growth *other)
{
	struct place p;

	store(path, g->data.p, g->data.n);
	store(names_path, other->names.p, other->names.n);
	check_number(read_back(g, &p), TACH_END);
	check_number(p.samples, 0);
	unlink(names_path);
	check_number(read_back(g, &p), TACH_FATAL);
	check_text(read_error, "the profile is unfinished, and its journal, "
	    "with .journal after its name, is not here");
	store(names_path, (const uint8_t *)"no names", 8);
	check_number(read_back(g, &p), TACH_FATAL);
	check_text(read_error,
	    "its journal has a wrong magic number at byte 0");
}

/* A journal by the name that it had before the first release. */
static void
check_former_name(const struct growth *g)
{
	char former[80];
	struct place p;

	snprintf(former, sizeof(former), "%s.names", path);
	store(path, g->data.p, g->data.n);
	unlink(names_path);
	store(former, g->names.p, g->names.n);
	check_number(read_back(g, &p), TACH_END);
	check_number(p.samples, SAMPLES);
	unlink(former);
}

/* ---- growing ------------------------------------------------------------- */

static void
append(const char *file, const struct bytes *b, size_t *at, size_t n)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (n > b->n - *at)
		n = b->n - *at;
	if (fd < 0 || write(fd, b->p + *at, n) != (ssize_t)n || close(fd) != 0)
		err(2, "%s", file);
	*at += n;
}

/* Follows a profile whose names come in pieces after its data, and which is
 * finished then. */
static void
check_growing(const struct growth *g)
{
	struct tach_reader *r = tach_reader_new();
	struct place p = {0};
	size_t names = 0, data = 0;
	int res;

	store(path, NULL, 0);
	store(names_path, NULL, 0);
	check_number(tach_reader_open(r, path), TACH_WARN);
	check_number(read_on(r, &p, &g->trace), TACH_END);
	append(path, &g->data, &data, g->data.n);
	while (names < g->names.n) {
		append(names_path, &g->names, &names, 1 + random_below(300));
		res = tach_reader_poll(r);
		check(res == TACH_OK || res == TACH_WARN);
		check_number(read_on(r, &p, &g->trace), TACH_END);
		check_number(p.samples, vouched(g, names));
		check(tach_reader_info(r)->unfinished);
	}
	store(path, g->whole.p, g->whole.n);
	check_number(tach_reader_poll(r), TACH_END);
	check(!tach_reader_info(r)->unfinished && !p.wrong);
	check_number(p.samples, SAMPLES);
	tach_reader_free(r);
}

/* ---- resting ------------------------------------------------------------- */

/* A thread that had no sample for a while goes on from the stack that it had,
 * though the writer has forgotten that. */
static void
check_resting(const struct tach_writer_options *options)
{
	static const struct tach_meta meta = {
	    .size = sizeof(meta), {3, 12, 1}, 5000, 1000, 0, {0}};
	static const uint32_t depths[] = {3, 3, 0, 0, 2, 3, 1, 1, 0, 3};
	static const uint32_t frames[] = {0, 1, 2};
	struct growth g = {0};
	struct tach_table *t = tach_table_new();
	int data = bytes_fd(&g.data), names = bytes_fd(&g.names);
	struct tach_writer *w = tach_writer_new(data, options, t);
	struct place p;
	uint32_t last = 0;

	for (unsigned i = 0; i < 3; i++)
		add_frame(t, i);
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		uint32_t n = depths[i];
		trace_add(&g.trace, 1000, 0, 10 * i, 0, frames + (3 - n), n);
		write_sample(w, &g.trace.samples[i], n < last ? n : last);
		last = n;
		for (int j = 0; j < 2; j++)
			check_number(tach_writer_checkpoint(w, names, &meta),
			    TACH_OK);
	}
	check_number(tach_writer_finish(w, &meta), TACH_OK);
	g.whole = bytes_of_fd(data);
	store(path, g.whole.p, g.whole.n);
	check_number(read_back(&g, &p), TACH_END);
	check_number(p.samples, g.trace.n);
	check(!p.wrong);
	tach_writer_free(w);
	tach_table_free(t);
	close(data);
	close(names);
	growth_clear(&g);
}

/* ---- all of it ----------------------------------------------------------- */

static void
check_all(const struct tach_writer_options *options)
{
	struct growth other = grow(options), g = grow(options);

	check_cut_names(&g);
	check_cut_data(&g);
	check_cut_both(&g);
	check_damaged(&g, path, &g.data, HEAD_SIZE);
	check_damaged(&g, names_path, &g.names, 8);
	check_foreign(&g, &other);
	check_former_name(&g);
	check_growing(&g);
	check_resting(options);
	growth_clear(&g);
	growth_clear(&other);
}

int
main(void)
{
	if (mkdtemp(folder) == NULL)
		err(2, "%s", folder);
	snprintf(path, sizeof(path), "%s/p.bin.part", folder);
	snprintf(names_path, sizeof(names_path), "%s.journal", path);
	check_all(&(struct tach_writer_options){
	    .size = sizeof(struct tach_writer_options),
	    TACH_LAYOUT_EARLY,
	    TACH_PLAIN,
	    0});
	check_all(&(struct tach_writer_options){
	    .size = sizeof(struct tach_writer_options),
	    TACH_LAYOUT_CPYTHON,
	    TACH_ZSTD,
	    TACH_LEVEL_DEFAULT});
	unlink(path);
	unlink(names_path);
	rmdir(folder);
	return failures != 0;
}
