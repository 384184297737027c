/* SPDX-License-Identifier: ISC */
/*
 * test_text.c: the text form, written and read again: every field comes back;
 * a pipe is read as it fills; and whatever the bytes, samples are only those
 * that were there.
 */
#include <ctype.h>
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/to_file.h"
#include "profile.h"

#define STRINGS 40
#define FRAMES 300
#define THREADS 5
#define SAMPLES 3000
#define DEPTH_MAX 12

/* ---- a profile of all that there can be ---------------------------------- */

struct made {
	struct tach_table *table;
	struct trace trace;
	struct tach_meta meta;
};

/* Names of any bytes, more of those that mean something. */
static void
add_name(struct tach_table *t)
{
	static const char odd[] = "\\;:# \t\n\r~-0\xc3\xa9\xff\xed\xa0\x80\x7f";
	char name[20];
	size_t n = random_below(sizeof(name));

	for (size_t i = 0; i < n; i++)
		name[i] = random_below(2) != 0 ? (char)random_below(256) :
		    odd[random_below(sizeof(odd))];
	if (n == 0 || name[0] != '\0')
		tach_table_add_string(t, name, n);
}

static int32_t
any_number(void)
{
	static const int32_t some[] = {-1, 0, 1, -2, INT32_MAX, INT32_MIN};

	return random_below(2) != 0 ? some[random_below(6)] :
	    (int32_t)random_below(100000);
}

static struct tach_table *
odd_table(void)
{
	struct tach_table *t = tach_table_new();

	if (t == NULL)
		err(2, NULL);
	tach_table_add_string(t, "~", 1);
	while (tach_table_string_count(t) < STRINGS)
		add_name(t);
	while (tach_table_frame_count(t) < FRAMES)
		tach_table_add_frame(t, &(struct tach_frame){
		    random_below(STRINGS), random_below(STRINGS), any_number(),
		    any_number(), any_number(), any_number(),
		    (uint8_t)random_below(256)});
	tach_table_add_note(t, "input 0-3 start=17 a name; with\\ all\xff:");
	tach_table_add_note(t, "");
	return t;
}

static double
any_double(void)
{
	double d;
	uint64_t bits;

	do {
		bits = (uint64_t)random_below(UINT32_MAX) << 32 |
		    random_below(UINT32_MAX);
		memcpy(&d, &bits, sizeof(d));
	} while (d != d);
	return d;
}

static void
any_meta(struct tach_meta *m)
{
	*m = (struct tach_meta){.size = sizeof(*m), {3, 15, (uint8_t)random_below(256)},
	    UINT64_MAX - random_below(3), random_below(3), random_below(3),
	    {random_below(4) != 0, random_below(2) != 0,
		random_below(2) != 0, any_double(), any_double(), 0, 0}};
	if (m->quality.has_errors)
		m->quality.errors = any_double();
	if (m->quality.has_missed)
		m->quality.missed = any_double();
	if (!m->quality.known)
		m->quality = (struct tach_quality){0};
}

/* Stacks that change like those of a program: some innermost frames. */
static struct made
make(size_t samples)
{
	struct made m = {.table = odd_table()};
	uint32_t frames[THREADS][DEPTH_MAX] = {{0}}, depth[THREADS] = {0};
	uint64_t time[THREADS] = {0};

	any_meta(&m.meta);
	for (size_t i = 0; i < samples; i++) {
		uint32_t k = random_below(THREADS), keep, n;
		if (random_below(3) == 0) {
			keep = random_below(depth[k] + 1);
			n = keep + random_below(DEPTH_MAX - keep + 1);
			memmove(frames[k] + n - keep,
			    frames[k] + depth[k] - keep,
			    keep * sizeof(frames[k][0]));
			for (uint32_t j = 0; j < n - keep; j++)
				frames[k][j] = random_below(FRAMES);
			depth[k] = n;
		}
		time[k] += random_below(3) * 1000;
		trace_add(&m.trace, k % 2 != 0 ? UINT64_MAX - k : k, k / 4,
		    time[k], (uint8_t)random_below(256), frames[k], depth[k]);
	}
	return m;
}

static void
made_clear(struct made *m)
{
	tach_table_free(m->table);
	trace_clear(&m->trace);
}

/* ---- to text and back ---------------------------------------------------- */

/* The text; where[i] is where sample i ends, and where[n] where the header
 * does.  Each sample is a run of its own. */
static struct bytes
print(const struct made *m, size_t *where)
{
	struct bytes b = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct tach_output to = to_file(f);
	struct tach_sink *sink = tach_text_new(&to, true);

	check(tach_sink_begin(sink, &m->meta, m->table) == TACH_OK);
	for (size_t i = 0; i < m->trace.n; i++) {
		const struct sample *s = &m->trace.samples[i];
		struct tach_tick tick = {s->time, s->status, 0};
		check(tach_sink_run(sink,
			  &(struct tach_run){s->thread, s->interp, 0, s->frames,
			      s->depth, 0, &tick, 1}) == TACH_OK);
		fflush(f);
		if (where != NULL)
			where[i] = len;
	}
	check(tach_sink_end(sink) == TACH_OK);
	tach_sink_free(sink);
	fclose(f);
	bytes_add(&b, text, len);
	free(text);
	return b;
}

static bool
same_name(struct tach_string a, struct tach_string b)
{
	return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

static bool
same_frame(const struct tach_table *ta, uint32_t ia,
    const struct tach_table *tb, uint32_t ib)
{
	const struct tach_frame *a = tach_table_frame(ta, ia);
	const struct tach_frame *b = tach_table_frame(tb, ib);

	return same_name(tach_table_string(ta, a->file),
	    tach_table_string(tb, b->file)) &&
	    same_name(tach_table_string(ta, a->func),
	    tach_table_string(tb, b->func)) &&
	    a->line == b->line && a->end_line == b->end_line &&
	    a->column == b->column && a->end_column == b->end_column &&
	    a->opcode == b->opcode;
}

static bool
same_sample(const struct made *m, size_t at, const struct tach_run *run,
    size_t tick, const struct tach_table *table)
{
	const struct sample *s = &m->trace.samples[at];

	if (at >= m->trace.n || s->thread != run->thread ||
	    s->interp != run->interp || s->depth != run->depth ||
	    s->time != run->ticks[tick].time ||
	    s->status != run->ticks[tick].status)
		return false;
	for (uint32_t i = 0; i < s->depth; i++)
		if (!same_frame(m->table, s->frames[i], table, run->frames[i]))
			return false;
	return true;
}

/* Reads samples as long as they are those of the profile; gives how many. */
static size_t
compare(const struct made *m, struct tach_reader *r, int *res)
{
	struct tach_run run;
	size_t n = 0;

	while ((*res = tach_reader_next(r, &run)) == TACH_OK)
		for (size_t i = 0; i < run.count; i++, n++)
			if (!same_sample(m, n, &run, i, tach_reader_table(r)))
				return n;
	return n;
}

static struct tach_reader *
open_text(const struct bytes *b, int *res)
{
	struct tach_reader *r = tach_reader_new();
	int fd = bytes_fd(b);

	if (r == NULL)
		err(2, NULL);
	*res = tach_reader_open_fd(r, fd);
	close(fd);
	return r;
}

static bool
has_string(const struct tach_table *t, struct tach_string s)
{
	for (uint32_t i = 0; i < tach_table_string_count(t); i++)
		if (same_name(tach_table_string(t, i), s))
			return true;
	return false;
}

static void
check_notes(const struct tach_table *t, const struct tach_table *want)
{
	struct tach_string note;

	for (uint32_t i = 0; i < tach_table_string_count(want); i++)
		if (tach_string_note(tach_table_string(want, i), &note))
			check(has_string(t, tach_table_string(want, i)));
}

static void
check_meta(const struct tach_meta *a, const struct tach_meta *b)
{
	const struct tach_quality *p = &a->quality, *q = &b->quality;

	check(memcmp(a->python, b->python, sizeof(a->python)) == 0);
	check_number(a->start_us, b->start_us);
	check_number(a->interval_us, b->interval_us);
	check_number(a->config, b->config);
	check(p->known == q->known && p->has_errors == q->has_errors &&
	    p->has_missed == q->has_missed);
	check(p->duration == q->duration && p->rate == q->rate);
	check(p->errors == q->errors && p->missed == q->missed);
}

static void
test_round_trip(void)
{
	for (int i = 0; i < 30; i++) {
		struct made m = make(i == 0 ? 0 : SAMPLES);
		struct bytes b = print(&m, NULL);
		int res;
		struct tach_reader *r = open_text(&b, &res);
		check_number((uint64_t)res, TACH_OK);
		check_meta(tach_reader_meta(r), &m.meta);
		check_number(compare(&m, r, &res), m.trace.n);
		check_number((uint64_t)res, TACH_END);
		check_number(tach_reader_stats(r)->samples, m.trace.n);
		check(tach_reader_info(r)->input == TACH_INPUT_TEXT);
		check_notes(tach_reader_table(r), m.table);
		tach_reader_free(r);
		check(read_profile(&b, NULL) == TACH_END);
		bytes_clear(&b);
		made_clear(&m);
	}
}

/* Whether all that is missing of a line is the rest of an opcode's name, or of
 * its number, and its end.  The name is for people. */
static bool
lacks_opcode(const struct bytes *b, size_t from, size_t to)
{
	while (from < to && (isupper((unsigned char)b->p[from]) ||
	    isdigit((unsigned char)b->p[from]) || b->p[from] == '_' ||
	    b->p[from] == '/'))
		from++;
	return from + 1 == to;
}

/* A text that ends at any byte: the samples whose lines are whole, and then
 * perhaps one whose last number lacks digits. */
static void
test_cut(void)
{
	struct made m = make(60);
	size_t where[60], n = 0, got;
	struct bytes b = print(&m, where), cut;
	struct tach_reader *r;
	int res;

	for (size_t len = 1; len <= b.n; len++) {
		cut = (struct bytes){b.p, len, len};
		r = open_text(&cut, &res);
		while (n < m.trace.n && where[n] <= len)
			n++;
		got = res == TACH_OK ? compare(&m, r, &res) : 0;
		check(got == n ||
		    (got == n + 1 && lacks_opcode(&b, len, where[n])));
		check(len < b.n || got == m.trace.n);
		tach_reader_free(r);
	}
	bytes_clear(&b);
	made_clear(&m);
}

/* ---- a pipe that fills slowly -------------------------------------------- */

/* Reads the one sample that has just arrived: nothing else ever will. */
static void
check_next(struct tach_reader *r, uint64_t time, uint32_t depth)
{
	struct tach_run run;

	check(tach_reader_next(r, &run) == TACH_OK);
	check_number(run.count, 1);
	check_number(run.ticks[0].time, time);
	check_number(run.depth, depth);
}

static void
say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err(2, "pipe");
}

static void
test_live(void)
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	int fds[2];

	if (r == NULL || pipe(fds) != 0)
		err(2, NULL);
	alarm(20); /* if it waits where it must not */
	say(fds[1], "# tach 1\n# python 3.14.2\n0\t0\t7\tgil\ta:f:1\n9");
	check(tach_reader_open_fd(r, fds[0]) == TACH_OK);
	check_number(tach_reader_meta(r)->python[1], 14);
	check_next(r, 0, 1);
	say(fds[1], "9\t0\t7\tgil\ta:f:1\n# a comment\n");
	check_next(r, 99, 1);
	say(fds[1], "100\t0\t7\tgil\ta:f:1;b:");
	say(fds[1], "g:2\n# note late\n");
	check_next(r, 100, 2);
	say(fds[1], "101\t0\t7\t-\t\n\n");
	check_next(r, 101, 0);
	close(fds[1]);
	check(tach_reader_next(r, &run) == TACH_END);
	check(tach_reader_next(r, &run) == TACH_END);
	check(has_string(tach_reader_table(r),
	    (struct tach_string){"\0late", 5}));
	alarm(0);
	tach_reader_free(r);
	close(fds[0]);
}

/* ---- damage -------------------------------------------------------------- */

/* Some bytes changed for others of the kind that texts have. */
static void
damage(struct bytes *b)
{
	static const char some[] = "\t\t\n;:\\-#0198,g \xff";

	for (uint32_t i = 0, n = 1 + random_below(3); i < n; i++)
		b->p[random_below((uint32_t)b->n)] =
		    (uint8_t)(random_below(2) != 0 ? random_below(256) :
			(uint32_t)(unsigned char)some[random_below(
			    sizeof(some))]);
}

/* Any bytes: an end or an error that says where, and no more. */
static void
test_damage(void)
{
	struct made m = make(100);
	struct bytes b = print(&m, NULL), c;
	int res;

	for (int i = 0; i < 2000; i++) {
		c = bytes_copy(&b);
		damage(&c);
		res = read_profile(&c, NULL);
		check(res == TACH_END || res == TACH_FATAL);
		check(res == TACH_END || c.p[0] != '#' ||
		    strncmp(read_error, "line ", 5) == 0);
		bytes_clear(&c);
	}
	bytes_clear(&b);
	made_clear(&m);
}

static void
test_noise(void)
{
	for (int i = 0; i < 1000; i++) {
		struct bytes b = {0};
		bytes_u8(&b, random_below(2) != 0 ? '#' : '0');
		for (uint32_t n = random_below(300); n > 0; n--)
			bytes_u8(&b, random_below(256));
		read_profile(&b, NULL);
		bytes_clear(&b);
	}
}

/* Stacks that differ from the one before in a single byte, at every place. */
static void
test_one_byte(void)
{
	enum { LEN = 40 };
	struct bytes b = {0};
	struct tach_reader *r;
	struct tach_run run;
	int res;

	for (int i = 0; i < 2 * LEN; i++) {
		char line[] = "0\t0\t7\tgil\t"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:f:1;c\n";
		if (i % 2 != 0)
			line[10 + i / 2] = 'b';
		bytes_add(&b, line, strlen(line));
	}
	r = open_text(&b, &res);
	while ((res = tach_reader_next(r, &run)) == TACH_OK)
		check_number(run.shared, 0);
	check_number(tach_table_frame_count(tach_reader_table(r)), LEN + 2);
	tach_reader_free(r);
	bytes_clear(&b);
}

/* A line of exactly so many bytes, by the length of a name in it. */
static int
read_long(size_t len)
{
	static const char start[] = "1\t0\t7\tgil\tf:", end[] = ":1\n";
	size_t name = len - strlen(start) - strlen(end) + 1;
	struct bytes b = {0};
	int res;

	bytes_add(&b, "0\t0\t7\tgil\tf:g:1\n", 16);
	bytes_add(&b, start, strlen(start));
	while (name > 0) {
		static const char x[1024] = {0};
		size_t n = name < sizeof(x) ? name : sizeof(x);
		bytes_add(&b, x, n);
		memset(b.p + b.n - n, 'x', n);
		name -= n;
	}
	bytes_add(&b, end, strlen(end));
	res = read_profile(&b, NULL);
	bytes_clear(&b);
	return res;
}

static void
test_long(void)
{
	check(read_long(16 << 20) == TACH_END);
	check_number(read_stats.samples, 2);
	check(read_long((16 << 20) + 1) == TACH_FATAL);
	check_number(read_stats.samples, 1);
	check_text(read_error, "line 2: longer than 16 MiB");
}

int
main(void)
{
	test_round_trip();
	test_cut();
	test_live();
	test_damage();
	test_noise();
	test_one_byte();
	test_long();
	return failures != 0;
}
