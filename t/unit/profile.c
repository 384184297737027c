/* SPDX-License-Identifier: ISC */
/* profile.c: see profile.h. */
#include "../../cmd/why.h"
#include "profile.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

int failures;
char read_error[512], read_warning[512], read_rule[512];
struct tach_meta read_meta;
struct tach_file_info read_info;
struct tach_decode_stats read_stats;

void
fail_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	failures++;
}

void
check_number_at(const char *file, int line, const char *what, uint64_t got,
    uint64_t want)
{
	if (got != want)
		fail_at(file, line, "%s is %llu, not %llu", what,
		    (unsigned long long)got, (unsigned long long)want);
}

void
check_text_at(const char *file, int line, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_at(file, line, "\n\tgot  %s\n\twant %s", got, want);
}

static void *
grow(void *p, size_t n, size_t *room, size_t size)
{
	if (n <= *room)
		return p;
	*room = n + n / 2 + 64;
	if ((p = reallocarray(p, *room, size)) == NULL)
		err(2, NULL);
	return p;
}

/* ---- bytes ----------------------------------------------------------- */

void
bytes_add(struct bytes *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	b->p = grow(b->p, b->n + n, &b->room, 1);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void
bytes_u8(struct bytes *b, unsigned v)
{
	uint8_t byte = (uint8_t)v;

	bytes_add(b, &byte, 1);
}

void
bytes_number(struct bytes *b, uint64_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		bytes_u8(b, (unsigned)(v >> 8 * (big ? size - 1 - i : i)));
}

void
bytes_varint(struct bytes *b, uint64_t v)
{
	for (; v >= 128; v /= 128)
		bytes_u8(b, 128 + v % 128);
	bytes_u8(b, (unsigned)v);
}

void
bytes_pack(struct bytes *b, const struct bytes *data)
{
	size_t room = ZSTD_compressBound(data->n), n;

	b->p = grow(b->p, b->n + room, &b->room, 1);
	n = ZSTD_compress(b->p + b->n, room, data->n != 0 ? data->p : b->p,
	    data->n, 3);
	if (ZSTD_isError(n))
		errx(2, "%s", ZSTD_getErrorName(n));
	b->n += n;
}

struct bytes
bytes_copy(const struct bytes *b)
{
	struct bytes copy = {0};

	bytes_add(&copy, b->p, b->n);
	return copy;
}

struct bytes
bytes_of_file(const char *path)
{
	struct bytes b = {0};
	char buf[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		err(2, "%s", path);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		bytes_add(&b, buf, n);
	fclose(f);
	return b;
}

void
bytes_clear(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){0};
}

int
bytes_fd(const struct bytes *b)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	if (fd < 0 ||
	    (b->n > 0 && pwrite(fd, b->p, b->n, 0) != (ssize_t)b->n))
		err(2, "memfd");
	return fd;
}

/* ---- profiles by hand ------------------------------------------------ */

static void
hand_tables(struct bytes *out, const struct hand *h, uint64_t *frames_at)
{
	bytes_add(out, "\4a.py\1f", 7);
	*frames_at = out->n;
	for (uint32_t i = 0; i < h->frames; i++) {
		bytes_u8(out, 0);
		bytes_u8(out, 1);
		bytes_varint(out, 2 * (uint64_t)i);
		bytes_add(out, "\0\2\6\xff", 4);
	}
}

struct bytes
hand_file(const struct hand *h)
{
	struct bytes b = {0}, tail = {0};
	uint64_t strings_at, frames_at;

	if (h->zstd)
		bytes_pack(&tail, &h->data);
	else
		bytes_add(&tail, h->data.p, h->data.n);
	strings_at = 64 + tail.n;
	hand_tables(&tail, h, &frames_at);
	frames_at += 64;
	bytes_number(&b, 0x54414348, 4, h->big);
	bytes_number(&b, 1, 4, h->big);
	bytes_add(&b, "\3\17\0\0", 4);
	bytes_number(&b, 5000000, 8, h->big);
	bytes_number(&b, 1000, 8, h->big);
	bytes_number(&b, h->samples, h->wide ? 8 : 4, h->big);
	bytes_number(&b, h->threads, 4, h->big);
	bytes_number(&b, strings_at, 8, h->big);
	bytes_number(&b, frames_at, 8, h->big);
	bytes_number(&b, h->zstd, 4, h->big);
	bytes_number(&b, 0, h->wide ? 4 : 8, h->big);
	bytes_add(&b, tail.p, tail.n);
	bytes_number(&b, 2, 4, h->big);
	bytes_number(&b, h->frames, 4, h->big);
	bytes_number(&b, b.n + 24, 8, h->big);
	bytes_number(&b, 0, 8, h->big);
	bytes_number(&b, 0, 8, h->big);
	bytes_clear(&tail);
	return b;
}

void
hand_record(struct hand *h, uint64_t thread, uint32_t interp,
    unsigned encoding)
{
	bytes_number(&h->data, thread, 8, h->big);
	bytes_number(&h->data, interp, 4, h->big);
	bytes_u8(&h->data, encoding);
}

/* ---- the other byte order -------------------------------------------- */

static void
reverse(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t byte = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = byte;
	}
}

static uint64_t
number_at(const uint8_t *p, size_t n, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

static uint64_t
varint_at(uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do {
		v |= (uint64_t)(**p & 127) << shift;
		shift += 7;
	} while (*(*p)++ & 128);
	return v;
}

static void
swap_records(uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		unsigned encoding = p[12];
		uint64_t n;
		reverse(p, 8);
		reverse(p + 8, 4);
		p += 13;
		if (encoding == 0) {
			for (n = varint_at(&p); n > 0; n--, p++)
				varint_at(&p);
			continue;
		}
		varint_at(&p);
		p++;
		if (encoding != 1)
			varint_at(&p);
		for (n = varint_at(&p); n > 0; n--)
			varint_at(&p);
	}
}

/* The whole of a frame that came from zstd's streaming. */
static struct bytes
unpacked(const uint8_t *p, size_t n)
{
	struct bytes b = {0};
	ZSTD_inBuffer in = {p, n, 0};
	ZSTD_DCtx *z = ZSTD_createDCtx();
	size_t left = 1;
	char buf[4096];

	while (left != 0) {
		ZSTD_outBuffer out = {buf, sizeof(buf), 0};
		left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(left))
			errx(2, "%s", ZSTD_getErrorName(left));
		bytes_add(&b, buf, out.pos);
	}
	ZSTD_freeDCtx(z);
	return b;
}

/* Reverses the fields from p on: one of each width in a list that ends with
 * 0; a negative width is skipped. */
static void
swap_fields(uint8_t *p, const int8_t *widths)
{
	for (; *widths != 0; widths++) {
		if (*widths > 0)
			reverse(p, (size_t)*widths);
		p += abs(*widths);
	}
}

/* Appends the sample data, which lies between two offsets, as it would have
 * been written on the other kind of machine. */
static void
add_swapped_data(struct bytes *out, const struct bytes *in, uint64_t end,
    bool zstd)
{
	struct bytes data = {0};

	if (zstd)
		data = unpacked(in->p + 64, end - 64);
	else
		bytes_add(&data, in->p + 64, end - 64);
	swap_records(data.p, data.p + data.n);
	if (zstd)
		bytes_pack(out, &data);
	else
		bytes_add(out, data.p, data.n);
	bytes_clear(&data);
}

void
put_checksum(struct bytes *b)
{
	struct bytes rest = {0};
	XXH128_canonical_t hash;

	bytes_add(&rest, b->p + 64, b->n - 64 - 16);
	bytes_add(&rest, b->p, 64);
	XXH128_canonicalFromHash(&hash, XXH3_128bits(rest.p, rest.n));
	memcpy(b->p + b->n - 16, hash.digest, 16);
	bytes_clear(&rest);
}

static void
store(uint8_t *p, uint64_t v, bool big)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * (big ? 7 - i : i));
}

/* Takes a file with the early or the wide header. */
struct bytes
swapped(const struct bytes *in)
{
	static const int8_t doc[] = {4, 4, -4, 8, 8, 4, 4, 8, 8, 4, 0};
	static const int8_t wide[] = {4, 4, -4, 8, 8, 8, 4, 8, 8, 4, 4, 0};
	static const int8_t foot[] = {4, 4, 8, 0};
	static const int8_t stat[] = {8, 8, 8, 8, 4, 4, -8, 4, 4, 0};
	static const uint8_t none[16];
	bool big = in->p[0] == 'T';
	uint64_t there = number_at(in->p + 36, 8, big);
	bool is_wide = there < 64 || there > in->n;
	unsigned strings = is_wide ? 40 : 36, compression = is_wide ? 56 : 52;
	uint64_t old_at = number_at(in->p + strings, 8, big), moved;
	struct bytes out = {0};

	bytes_add(&out, in->p, 64);
	add_swapped_data(&out, in, old_at,
	    number_at(in->p + compression, 4, big) == 1);
	moved = out.n - old_at; /* modulo 2^64 */
	bytes_add(&out, in->p + old_at, in->n - old_at);
	store(out.p + strings, old_at + moved, big);
	store(out.p + strings + 8,
	    number_at(in->p + strings + 8, 8, big) + moved, big);
	store(out.p + out.n - 24, out.n, big);
	swap_fields(out.p, is_wide ? wide : doc);
	swap_fields(out.p + out.n - 32, foot);
	if (out.n > 150 && memcmp(out.p + out.n - 48, "TACHSTAT", 8) == 0)
		swap_fields(out.p + out.n - 88, stat);
	if (memcmp(in->p + in->n - 16, none, 16) != 0)
		put_checksum(&out);
	return out;
}

/* ---- samples --------------------------------------------------------- */

void
trace_add(struct trace *t, uint64_t thread, uint32_t interp, uint64_t time,
    uint8_t status, const uint32_t *frames, uint32_t depth)
{
	struct sample *s;

	t->samples = grow(t->samples, t->n + 1, &t->room, sizeof(*s));
	s = &t->samples[t->n++];
	*s = (struct sample){thread, interp, time, status, depth, NULL};
	if (depth == 0)
		return;
	if ((s->frames = malloc(depth * sizeof(*frames))) == NULL)
		err(2, NULL);
	memcpy(s->frames, frames, depth * sizeof(*frames));
}

void
trace_clear(struct trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->samples[i].frames);
	free(t->samples);
	*t = (struct trace){0};
}

/* By interpreter and thread, then as they were: both are in one array. */
static int
by_thread(const void *a, const void *b)
{
	const struct sample *x = *(const struct sample *const *)a;
	const struct sample *y = *(const struct sample *const *)b;

	if (x->interp != y->interp)
		return x->interp < y->interp ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x < y ? -1 : x > y;
}

static const struct sample **
sorted(const struct trace *t)
{
	const struct sample **v = calloc(t->n + 1, sizeof(*v));

	if (v == NULL)
		err(2, NULL);
	for (size_t i = 0; i < t->n; i++)
		v[i] = &t->samples[i];
	qsort(v, t->n, sizeof(*v), by_thread);
	return v;
}

static bool
same_stack(const struct sample *a, const struct sample *b)
{
	return a->depth == b->depth && (a->depth == 0 || memcmp(a->frames,
	    b->frames, a->depth * sizeof(*a->frames)) == 0);
}

bool
trace_equal(const struct trace *a, const struct trace *b)
{
	const struct sample **x = sorted(a), **y = sorted(b);
	bool equal = a->n == b->n;

	for (size_t i = 0; equal && i < a->n; i++)
		equal = x[i]->thread == y[i]->thread &&
		    x[i]->interp == y[i]->interp &&
		    x[i]->time == y[i]->time &&
		    x[i]->status == y[i]->status && same_stack(x[i], y[i]);
	free(x);
	free(y);
	return equal;
}

/* ---- reading --------------------------------------------------------- */

/* What tach.h promises about a run and the thread's run before it. */
struct seen {
	uint64_t thread;
	uint32_t interp;
	uint64_t time;
	uint32_t *frames;
	uint32_t depth;
};

struct reading {
	struct seen *seen;
	size_t n, room;
};

static void
check_run(struct reading *r, const struct tach_run *run)
{
	struct seen *s;

	check(run->count > 0 && run->index <= r->n);
	if (run->index == r->n) {
		r->seen = grow(r->seen, ++r->n, &r->room, sizeof(*s));
		r->seen[run->index] = (struct seen){run->thread, run->interp,
		    0, NULL, 0};
	}
	s = &r->seen[run->index];
	check(s->thread == run->thread && s->interp == run->interp);
	check(run->shared <= run->depth && run->shared <= s->depth);
	check(run->shared == 0 || memcmp(run->frames + run->depth -
	    run->shared, s->frames + s->depth - run->shared,
	    run->shared * sizeof(*s->frames)) == 0);
	for (size_t i = 0; i < run->count; i++) {
		check(run->ticks[i].time >= s->time);
		s->time = run->ticks[i].time;
	}
	s->depth = run->depth;
	if ((s->frames = reallocarray(s->frames, run->depth + 1u,
		 sizeof(*s->frames))) == NULL)
		err(2, NULL);
	memcpy(s->frames, run->frames, run->depth * sizeof(*s->frames));
}

static int
read_runs(struct tach_reader *r, struct trace *t)
{
	struct reading reading = {0};
	struct tach_run run;
	int res;

	while ((res = tach_reader_next(r, &run)) == TACH_OK) {
		check_run(&reading, &run);
		for (uint32_t i = 0; i < run.depth; i++)
			if (run.frames[i] >=
			    tach_table_frame_count(tach_reader_table(r)))
				fail_at(__FILE__, __LINE__, "frame index");
		for (size_t i = 0; t != NULL && i < run.count; i++)
			trace_add(t, run.thread, run.interp,
			    run.ticks[i].time, run.ticks[i].status,
			    run.frames, run.depth);
	}
	/* The end is final. */
	check(tach_reader_next(r, &run) == res);
	for (size_t i = 0; i < reading.n; i++)
		free(reading.seen[i].frames);
	free(reading.seen);
	return res;
}

int
read_profile(const struct bytes *b, struct trace *t)
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	int fd = bytes_fd(b), res, checked;

	if (r == NULL)
		err(2, NULL);
	res = tach_reader_open_fd(r, fd);
	close(fd);
	snprintf(read_warning, sizeof(read_warning), "%s",
	    tach_reader_warning(r));
	check((res == TACH_WARN) <= (read_warning[0] != '\0'));
	if (res != TACH_FATAL)
		res = read_runs(r, t);
	checked = res == TACH_END ? tach_reader_verify(r) : TACH_OK;
	if (checked == TACH_FATAL)
		res = TACH_FATAL;
	snprintf(read_rule, sizeof(read_rule), "%s",
	    checked == TACH_WARN ? reader_why(r) : "");
	read_meta = *tach_reader_meta(r);
	read_info = *tach_reader_info(r);
	read_stats = *tach_reader_stats(r);
	snprintf(read_error, sizeof(read_error), "%s",
	    checked == TACH_WARN ? "" : reader_why(r));
	check((res == TACH_FATAL) == (read_error[0] != '\0'));
	/* What was odd to one call is not what the next one says. */
	if (checked == TACH_WARN) {
		check(tach_reader_next(r, &run) == TACH_END);
		check_number(tach_reader_error(r, NULL), TACH_ENONE);
	}
	tach_reader_free(r);
	return res;
}

/* ---- writing --------------------------------------------------------- */

struct tach_meta write_meta = {.size = sizeof(write_meta),
    .python = {3, 13, 7},
    .start_us = 123456789,
    .interval_us = 1000};
uint64_t write_deep;

struct writing {
	struct tach_writer *writer;
	const struct trace *trace;
	enum hint hint;
	/* The last sample of each thread; its place is the run's index. */
	const struct sample *last[64];
	uint32_t threads;
};

static uint32_t
index_of(struct writing *w, const struct sample *s)
{
	uint32_t i;

	for (i = 0; i < w->threads; i++)
		if (w->last[i]->thread == s->thread &&
		    w->last[i]->interp == s->interp)
			return i;
	if (i == 64)
		errx(2, "too many threads");
	w->last[w->threads++] = s;
	return i;
}

static uint32_t
shared_with(const struct sample *a, const struct sample *b)
{
	uint32_t n = 0;

	while (n < a->depth && n < b->depth &&
	    a->frames[a->depth - 1 - n] == b->frames[b->depth - 1 - n])
		n++;
	return n;
}

static size_t
write_run(struct writing *w, size_t at)
{
	const struct sample *s = &w->trace->samples[at];
	uint32_t index = index_of(w, s), shared;
	struct tach_tick ticks[100];
	size_t n;

	shared = w->last[index] == s ? 0 : shared_with(w->last[index], s);
	for (n = 0; n < 100 && at + n < w->trace->n; n++) {
		if (s[n].thread != s->thread || s[n].interp != s->interp ||
		    !same_stack(&s[n], s))
			break;
		ticks[n] = (struct tach_tick){s[n].time, s[n].status, 0};
	}
	if (w->hint == HINT_NONE)
		shared = 0;
	else if (w->hint == HINT_SOME)
		shared = random_below(shared + 1);
	check(tach_writer_run(w->writer, &(struct tach_run){s->thread,
	    s->interp, index, s->frames, s->depth, shared, ticks, n}) ==
	    TACH_OK);
	w->last[index] = &s[n - 1];
	return n;
}

struct bytes
write_profile(const struct trace *t, const struct tach_writer_options *options,
    const struct tach_table *table, enum hint hint)
{
	struct bytes b = {0};
	int fd = bytes_fd(&b);
	struct writing w = {tach_writer_new(fd, options, table), t, hint,
	    {NULL}, 0};
	struct stat st;

	if (w.writer == NULL)
		err(2, NULL);
	for (size_t i = 0; i < t->n;)
		i += write_run(&w, i);
	check(tach_writer_finish(w.writer, &write_meta) == TACH_OK);
	check_text(writer_why(w.writer), "");
	check_number(tach_writer_samples(w.writer), t->n);
	check_number(tach_writer_threads(w.writer), w.threads);
	if (fstat(fd, &st) != 0)
		err(2, NULL);
	check_number(tach_writer_layout(w.writer), options->layout);
	write_deep = tach_writer_deep(w.writer);
	check_number(tach_writer_bytes(w.writer), (uint64_t)st.st_size);
	tach_writer_free(w.writer);
	b.p = grow(b.p, (size_t)st.st_size, &b.room, 1);
	b.n = (size_t)st.st_size;
	if (pread(fd, b.p, b.n, 0) != (ssize_t)b.n)
		err(2, NULL);
	close(fd);
	return b;
}

struct tach_table *
make_table(uint32_t frames)
{
	struct tach_table *t = tach_table_new();
	struct tach_frame f = {0, 0, 0, 0, 4, 9, TACH_NO_OPCODE};

	if (t == NULL)
		err(2, NULL);
	f.file = tach_table_add_string(t, "prog.py", 7);
	f.func = tach_table_add_string(t, "work", 4);
	for (uint32_t i = 0; i < frames; i++) {
		f.line = f.end_line = (int32_t)i;
		tach_table_add_frame(t, &f);
	}
	return t;
}

uint32_t
random_below(uint32_t n)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) % n);
}
