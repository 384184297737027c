/* SPDX-License-Identifier: ISC */
/*
 * test_format.c: profiles that are whole: every encoding, both headers, both
 * byte orders, both compressions, written and read.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "format/cursor.h"
#include "format/delta.h"
#include "format/head.h"
#include "profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define SIZE sizeof(struct tach_writer_options)
static const struct tach_writer_options all_options[] = {
    {SIZE, TACH_LAYOUT_EARLY, TACH_PLAIN, 5},
    {SIZE, TACH_LAYOUT_EARLY, TACH_ZSTD, 5},
    {SIZE, TACH_LAYOUT_CPYTHON, TACH_PLAIN, 5},
    {SIZE, TACH_LAYOUT_CPYTHON, TACH_ZSTD, 1},
    {SIZE, TACH_LAYOUT_EARLY, TACH_ZSTD, 22},
};

/* ---- numbers --------------------------------------------------------- */

static void
check_varint(uint64_t v)
{
	struct bytes b = {0};
	uint8_t buf[VARINT_MAX], *end = varint_put(buf, v);
	struct cursor c = {buf, end, false};
	const uint8_t *pos = buf;
	uint64_t back = ~v;

	bytes_varint(&b, v);
	check_number((size_t)(end - buf), b.n);
	check_number(varint_size(v), b.n);
	check(memcmp(buf, b.p, b.n) == 0);
	check(cursor_varint(&c, &back) == CURSOR_OK && back == v);
	check(c.pos == end);
	check(varint_get(&pos) == v && pos == end);
	for (c.end = buf; c.end < end; c.end++) {
		c.pos = buf;
		check(cursor_varint(&c, &back) == CURSOR_SHORT);
		check(c.pos == buf);
	}
	bytes_clear(&b);
}

static void
check_varints(void)
{
	for (unsigned shift = 0; shift < 64; shift++)
		for (int d = -1; d <= 1; d++)
			check_varint((UINT64_C(1) << shift) + (uint64_t)d);
	check_varint(UINT64_MAX);
}

static void
check_zigzag(void)
{
	static const int64_t values[] = {0, -1, 1, -2, 2, INT32_MIN,
	    INT32_MAX, INT64_MIN, INT64_MAX};

	for (unsigned i = 0; i < 5; i++)
		check_number(zigzag_fold(values[i]), i);
	for (unsigned i = 0; i < COUNT(values); i++)
		check(zigzag_unfold(zigzag_fold(values[i])) == values[i]);
}

/* Numbers that do not fit are errors, and the cursor stays. */
static void
check_overlong(void)
{
	static const uint8_t bad[][12] = {
	    {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
	    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
	    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	};
	static const uint8_t max[] = {0xff, 0xff, 0xff, 0xff, 0x0f};
	static const uint8_t more[] = {0x80, 0x80, 0x80, 0x80, 0x10};
	uint64_t v;
	uint32_t v32 = 0;
	int32_t z;

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct cursor c = {bad[i], bad[i] + 12, false};
		check(cursor_varint(&c, &v) == CURSOR_LONG);
		check(c.pos == bad[i]);
	}
	struct cursor c = {max, max + 5, false};
	check(cursor_varint32(&c, &v32) == CURSOR_OK && v32 == UINT32_MAX);
	c = (struct cursor){more, more + 5, false};
	check(cursor_varint32(&c, &v32) == CURSOR_LONG && c.pos == more);
	/* 2^31 zigzag, and the same counted from -1. */
	check(cursor_zigzag32(&c, 0, &z) == CURSOR_LONG && c.pos == more);
	c = (struct cursor){max, max + 5, false};
	check(cursor_zigzag32(&c, 0, &z) == CURSOR_OK && z == INT32_MIN);
	c = (struct cursor){max, max + 5, false};
	check(cursor_zigzag32(&c, -1, &z) == CURSOR_LONG && c.pos == max);
}

/* ---- which encoding -------------------------------------------------- */

static size_t
size_of(enum delta_kind kind, const struct delta *d, const uint32_t *frames,
    uint32_t old_depth)
{
	uint8_t buf[8192], *p = delta_put_counts(buf, kind, d, old_depth);

	return (size_t)(delta_put_frames(p, frames, d->fresh) - buf);
}

/* The choice is the smallest of all that are possible, and says what it
 * does. */
static void
check_choice(const struct stack *old, const uint32_t *frames, uint32_t depth)
{
	uint32_t shared = delta_shared(old, frames, depth, 0), counts[2] = {0};
	struct delta d, back = {0};
	enum delta_kind kind = delta_choose(&d, old, frames, depth, shared);
	size_t size = size_of(kind, &d, frames, old->depth);
	uint8_t buf[32];
	struct cursor c = {buf, delta_put_counts(buf, kind, &d, old->depth),
	    false};

	check(memcmp(stack_frames(old) + old->depth - shared,
	    frames + depth - shared, shared * sizeof(*frames)) == 0);
	check(shared == depth || shared == old->depth ||
	    stack_frames(old)[old->depth - shared - 1] !=
	    frames[depth - shared - 1]);
	check(delta_shared(old, frames, depth, random_below(shared + 1)) ==
	    shared);
	check(d.shared + d.fresh == depth);
	/* CPython's reader would keep the wrong frames. */
	check(kind != DELTA_SUFFIX || d.fresh > 0);
	for (uint32_t s = 0; s <= shared; s++) {
		struct delta other = {s, depth - s};
		check(s == depth || size <= size_of(DELTA_SUFFIX, &other,
		    frames, old->depth));
		check(size <= size_of(DELTA_POP_PUSH, &other, frames,
		    old->depth));
	}
	check(size <= size_of(DELTA_FULL, &(struct delta){0, depth}, frames,
	    old->depth));
	check(delta_get_counts(&c, kind, counts) == CURSOR_OK);
	check(cursor_left(&c) == 0);
	check(delta_from_counts(&back, kind, counts, old->depth));
	check(back.shared == d.shared && back.fresh == d.fresh);
}

static void
check_choices(void)
{
	static const uint32_t depths[] = {0, 1, 2, 5, 126, 127, 128, 129, 140,
	    300, 1000};
	uint32_t a[1000], b[1000];
	struct stack old;

	for (int n = 0; n < 4000; n++) {
		uint32_t da = depths[random_below(COUNT(depths))];
		uint32_t db = depths[random_below(COUNT(depths))];
		uint32_t same = random_below((da < db ? da : db) + 1);
		uint32_t most = random_below(2) ? 3 : 40000;
		for (uint32_t i = 0; i < da; i++)
			a[i] = random_below(most);
		for (uint32_t i = 0; i < db; i++)
			b[i] = random_below(most);
		memcpy(b + db - same, a + da - same, same * sizeof(*a));
		if (!stack_init(&old) || !stack_reserve(&old, da))
			err(2, NULL);
		old.depth = da;
		memcpy(stack_frames(&old), a, da * sizeof(*a));
		check_choice(&old, b, db);
		stack_clear(&old);
	}
}

/* ---- the bytes of each encoding -------------------------------------- */

/* What the writer makes of a few stacks, byte for byte as the format says. */
static void
check_bytes(void)
{
	static const uint32_t frames[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
	struct tach_table *table = make_table(200);
	struct tach_writer_options plain = all_options[0];
	struct hand h = {.big = BIG_HERE};
	struct trace t = {0};
	struct bytes got, want = {0};
	uint32_t deep[130];
	uint8_t bytes[130];

	/* Nothing is known of the thread: FULL, then REPEAT. */
	trace_add(&t, 77, 3, 1000, 3, frames + 5, 5);
	trace_add(&t, 77, 3, 2000, 2, frames + 5, 5);
	trace_add(&t, 77, 3, 2000, 1, frames + 5, 5);
	hand_record(&h, 77, 3, 1);
	bytes_add(&h.data, "\xe8\x07\3\5\4\3\2\1\0", 9);
	hand_record(&h, 77, 3, 0);
	bytes_add(&h.data, "\2\xe8\x07\2\0\1", 6);
	/* A call: SUFFIX. */
	trace_add(&t, 77, 3, 2001, 0, frames + 3, 7);
	hand_record(&h, 77, 3, 2);
	bytes_add(&h.data, "\1\0\5\2\6\5", 6);
	/* A return and a call: SUFFIX as well. */
	trace_add(&t, 77, 3, 2130, 255,
	    (uint32_t[]){199, 4, 3, 2, 1, 0}, 6);
	hand_record(&h, 77, 3, 2);
	bytes_add(&h.data, "\x81\1\xff\5\1\xc7\1", 7);
	/* Nothing shared: FULL. */
	trace_add(&t, 77, 3, 2131, 0, frames, 2);
	hand_record(&h, 77, 3, 1);
	bytes_add(&h.data, "\1\0\2\x9\x8", 5);
	/* Deep down, where less is popped than is kept: POP_PUSH. */
	for (uint8_t i = 0; i < 130; i++)
		deep[i] = bytes[i] = i % 100;
	trace_add(&t, 77, 3, 2132, 0, deep, 130);
	hand_record(&h, 77, 3, 1);
	bytes_add(&h.data, "\1\0\x82\1", 4);
	bytes_add(&h.data, bytes, 130);
	deep[0] = 5;
	trace_add(&t, 77, 3, 2133, 0, deep, 130);
	hand_record(&h, 77, 3, 3);
	bytes_add(&h.data, "\1\0\1\1\5", 5);
	/* Returns and nothing else: not SUFFIX, though it is smaller. */
	trace_add(&t, 77, 3, 2134, 0, deep + 128, 2);
	hand_record(&h, 77, 3, 3);
	bytes_add(&h.data, "\1\0\x80\1\0", 5);
	/* In another thread an empty stack repeats. */
	trace_add(&t, UINT64_MAX, UINT32_MAX, 5, 4, NULL, 0);
	hand_record(&h, UINT64_MAX, UINT32_MAX, 0);
	bytes_add(&h.data, "\1\5\4", 3);

	got = write_profile(&t, &plain, table, HINT_TRUE);
	bytes_add(&want, got.p + 64, h.data.n);
	check_number(got.n > 64 + h.data.n, 1);
	check(memcmp(want.p, h.data.p, h.data.n) == 0);
	check(memcmp(got.p + 64 + h.data.n, "\7prog.py\4work", 13) == 0);
	bytes_clear(&got);
	bytes_clear(&want);
	bytes_clear(&h.data);
	trace_clear(&t);
	tach_table_free(table);
}

/* ---- round trips ----------------------------------------------------- */

/* A thread's life: calls, returns, waits, jumps. */
struct walker {
	uint64_t thread;
	uint32_t interp;
	uint64_t time;
	uint32_t frames[400], depth;
};

static void
walk(struct walker *w, uint32_t nframes)
{
	uint32_t pop = 0, push = 0, *f = w->frames;

	switch (random_below(8)) {
	case 0:
		pop = random_below(w->depth + 1);
		/* FALLTHROUGH */
	case 1:
		push = random_below(random_below(20) == 0 ? 180 : 4);
		break;
	case 2:
		pop = w->depth;
		push = random_below(30);
		break;
	case 3:
		pop = w->depth > 0;
		push = 1;
		break;
	}
	if (w->depth - pop + push > 400)
		push = 0;
	memmove(f + push, f + pop, (w->depth - pop) * sizeof(*f));
	for (uint32_t i = 0; i < push; i++)
		f[i] = random_below(nframes);
	w->depth += push - pop;
	w->time += random_below(10) == 0 ? random_below(UINT32_MAX) :
	    random_below(2000);
}

static struct trace
random_trace(size_t n, uint32_t nframes)
{
	static struct walker walkers[12];
	struct trace t = {0};

	memset(walkers, 0, sizeof(walkers));
	for (uint32_t i = 0; i < 12; i++) {
		walkers[i].thread = i % 3 == 0 ? i : UINT64_MAX - i / 2;
		walkers[i].interp = i % 3 == 0 ? 0 : i;
	}
	while (t.n < n) {
		struct walker *w = &walkers[random_below(12)];
		walk(w, nframes);
		for (uint32_t k = random_below(6) + 1; k > 0; k--) {
			trace_add(&t, w->thread, w->interp, w->time,
			    (uint8_t)random_below(256), w->frames, w->depth);
			w->time += random_below(300);
		}
	}
	return t;
}

static void
check_round(const struct trace *t, const struct tach_writer_options *o,
    const struct tach_table *table, enum hint hint)
{
	struct trace back = {0};
	struct bytes b = write_profile(t, o, table, hint), turned;

	check(read_profile(&b, &back) == TACH_END);
	check_text(read_error, "");
	check(trace_equal(t, &back));
	check_number(read_info.samples, t->n);
	check_number(read_info.layout, o->layout);
	check_number(read_info.compression, o->compression);
	check_number(read_info.file_size, b.n);
	check_number(read_info.big_endian, BIG_HERE);
	check_number(read_stats.samples, t->n);
	trace_clear(&back);
	turned = swapped(&b);
	check(read_profile(&turned, &back) == TACH_END);
	check_text(read_error, "");
	check_number(read_info.big_endian, !BIG_HERE);
	check_number(read_info.layout, o->layout);
	check(trace_equal(t, &back));
	trace_clear(&back);
	bytes_clear(&turned);
	bytes_clear(&b);
}

static void
check_rounds(void)
{
	for (int n = 0; n < 15; n++) {
		const struct tach_writer_options *o = &all_options[n % 5];
		uint32_t nframes = n % 2 ? 100 : 70000;
		struct tach_table *table = make_table(nframes);
		struct trace t = random_trace(3000, nframes);
		check_round(&t, o, table, (enum hint)(n % 3));
		trace_clear(&t);
		tach_table_free(table);
	}
}

/* Deeper than CPython's reader takes: whole, and counted. */
static void
check_told(void)
{
	static const struct tach_writer_options *o = &all_options[2];
	static const uint32_t depths[] = {300, 300, 100, 256, 257, 258, 257,
	    256, 50, 399, 143, 400, 400};
	struct tach_table *table = make_table(5000);
	uint32_t frames[400];

	for (uint32_t i = 0; i < 400; i++)
		frames[i] = i;
	for (int n = 0; n < 3; n++) {
		struct trace t = {0};
		for (uint32_t i = 0; i < COUNT(depths); i++)
			trace_add(&t, 1, 0, i, 0, frames + 400 - depths[i],
			    depths[i]);
		check_round(&t, o, table, (enum hint)n);
		check_number(write_deep, 8);
		trace_clear(&t);
	}
	tach_table_free(table);
}

/* Stacks that fill several buffers, and what changes a little on them. */
static void
check_deep(void)
{
	enum { DEPTH = 300000 };
	uint32_t *f = calloc(DEPTH, sizeof(*f));
	struct tach_table *table = make_table(20000);

	if (f == NULL)
		err(2, NULL);
	for (int n = 0; n < 5; n++) {
		struct trace t = {0};
		for (uint32_t i = 0; i < DEPTH; i++)
			f[i] = random_below(20000);
		trace_add(&t, 1, 0, 10, 0, f + DEPTH - 100000, 100000);
		trace_add(&t, 1, 0, 20, 0, f, DEPTH);
		trace_add(&t, 1, 0, 30, 0, f, DEPTH);
		trace_add(&t, 2, 0, 30, 0, f + 99, DEPTH - 99);
		trace_add(&t, 1, 0, 40, 0, f + 40000, DEPTH - 40000);
		f[150000] ^= 1;
		trace_add(&t, 1, 0, 50, 0, f, DEPTH);
		trace_add(&t, 1, 0, 60, 0, f, 3);
		check_round(&t, &all_options[n], table, (enum hint)(n % 3));
		trace_clear(&t);
	}
	tach_table_free(table);
	free(f);
}

/* A run of a hundred thousand, as one record by hand and as the writer
 * makes it; the last times do not fit 32 bits. */
static void
check_long_repeat(void)
{
	static const uint32_t frames[] = {2, 1, 0};
	struct tach_table *table = make_table(3);

	for (int n = 0; n < 4; n++) {
		struct hand h = {.wide = n & 1, .zstd = n & 2, .threads = 1,
		    .samples = 100001, .frames = 3};
		struct trace t = {0}, back = {0};
		struct bytes b;
		uint64_t time = 7;
		trace_add(&t, 5, 1, 7, 1, frames, 3);
		hand_record(&h, 5, 1, 1);
		bytes_add(&h.data, "\7\1\3\2\1\0", 6);
		hand_record(&h, 5, 1, 0);
		bytes_varint(&h.data, 100000);
		for (int i = 0; i < 100000; i++) {
			time += (uint64_t)i * 997;
			bytes_varint(&h.data, (uint64_t)i * 997);
			bytes_u8(&h.data, (unsigned)i & 63);
			trace_add(&t, 5, 1, time, i & 63, frames, 3);
		}
		b = hand_file(&h);
		check(read_profile(&b, &back) == TACH_END);
		check_text(read_error, "");
		check(trace_equal(&t, &back));
		check_number(read_stats.records[0], 1);
		check_number(read_stats.records[1], 1);
		check_number(read_stats.repeated, 100000);
		check_number(read_stats.frames_written, 3);
		check_number(read_stats.frames_total, 300003);
		check_number(read_stats.data_size, h.data.n);
		check_round(&t, &all_options[n], table, HINT_TRUE);
		bytes_clear(&b);
		bytes_clear(&h.data);
		trace_clear(&back);
		trace_clear(&t);
	}
	tach_table_free(table);
}

/* REPEAT of a thread that had no stack: it is empty.  One of no samples
 * does not make a thread. */
static void
check_first_repeat(void)
{
	struct hand h = {.samples = 3, .threads = 1, .frames = 1};
	struct trace back = {0};
	struct bytes b;

	hand_record(&h, 9, 0, 0);
	bytes_u8(&h.data, 0);
	hand_record(&h, 8, 0, 0);
	bytes_add(&h.data, "\2\1\1\1\2", 5);
	hand_record(&h, 8, 0, 2);
	bytes_add(&h.data, "\1\3\0\1\0", 5);
	b = hand_file(&h);
	check(read_profile(&b, &back) == TACH_END);
	check_text(read_error, "");
	check(back.n == 3 && back.samples[0].depth == 0 &&
	    back.samples[1].time == 2 && back.samples[1].status == 2 &&
	    back.samples[2].depth == 1 && back.samples[2].thread == 8);
	bytes_clear(&b);
	bytes_clear(&h.data);
	trace_clear(&back);
}

/* No sample at all. */
static void
check_empty(void)
{
	struct tach_table *table = tach_table_new();
	struct trace t = {0};

	for (size_t i = 0; i < COUNT(all_options); i++)
		check_round(&t, &all_options[i], table, HINT_NONE);
	tach_table_free(table);
}

/* ---- header and tables ----------------------------------------------- */

/* The header's numbers where the format has them. */
static void
check_head(void)
{
	struct head h = {
	    .layout = TACH_LAYOUT_EARLY,
	    .compression = TACH_ZSTD,
	    .meta = {.python = {3, 15, 2}, .start_us = 0x0102030405060708,
		.interval_us = 0x1112131415161718, .config = 0x71727374},
	    .samples = 0x21222324,
	    .threads = 0x31323334,
	    .strings_at = 0x4142434445464748,
	    .frames_at = 0x5152535455565758,
	};
	uint8_t p[64];
	struct bytes want = {0};

	head_put(p, &h);
	bytes_number(&want, 0x54414348, 4, BIG_HERE);
	bytes_number(&want, 1, 4, BIG_HERE);
	bytes_add(&want, "\3\17\2\0", 4);
	bytes_number(&want, h.meta.start_us, 8, BIG_HERE);
	bytes_number(&want, h.meta.interval_us, 8, BIG_HERE);
	bytes_number(&want, h.samples, 4, BIG_HERE);
	bytes_number(&want, h.threads, 4, BIG_HERE);
	bytes_number(&want, h.strings_at, 8, BIG_HERE);
	bytes_number(&want, h.frames_at, 8, BIG_HERE);
	bytes_number(&want, 1, 4, BIG_HERE);
	bytes_number(&want, 0, 8, BIG_HERE);
	check(want.n == 64 && memcmp(p, want.p, 64) == 0);

	want.n = 28;
	h.layout = TACH_LAYOUT_CPYTHON;
	h.samples = 0x6162636465666768;
	head_put(p, &h);
	bytes_number(&want, h.samples, 8, BIG_HERE);
	bytes_number(&want, h.threads, 4, BIG_HERE);
	bytes_number(&want, h.strings_at, 8, BIG_HERE);
	bytes_number(&want, h.frames_at, 8, BIG_HERE);
	bytes_number(&want, 1, 4, BIG_HERE);
	bytes_number(&want, h.meta.config, 4, BIG_HERE);
	check(want.n == 64 && memcmp(p, want.p, 64) == 0);
	bytes_clear(&want);
}

static struct tach_table *
odd_table(void)
{
	static const struct tach_frame odd[] = {
	    {0, 1, -1, -1, -1, -1, TACH_NO_OPCODE},
	    {1, 2, 5, 5, -1, -1, 0},
	    {2, 3, INT32_MAX, INT32_MAX, 0, INT32_MAX, 254},
	    {3, 0, 0, INT32_MAX, 7, 3, 128},
	    {0, 0, 100, 90, 0, 0, TACH_NO_OPCODE},
	    {4, 4, 1, 2, 300, 301, 1},
	    {4, 1, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN, 2},
	    {4, 1, INT32_MIN, -1, -2, INT32_MIN, 3},
	    {4, 1, 7, -1, 7, -1, 4},
	};
	struct tach_table *t = tach_table_new();
	char *big = malloc(2000000);

	if (t == NULL || big == NULL)
		err(2, NULL);
	memset(big, 'x', 2000000);
	tach_table_add_string(t, "", 0);
	tach_table_add_string(t, "a\0b", 3);
	tach_table_add_string(t, big, 200);
	tach_table_add_string(t, "\xc3\xa9;\n", 4);
	tach_table_add_string(t, big, 2000000);
	free(big);
	for (size_t i = 0; i < COUNT(odd); i++)
		check_number(tach_table_add_frame(t, &odd[i]), i);
	return t;
}

static void
check_same_table(const struct tach_table *a, const struct tach_table *b)
{
	check_number(tach_table_string_count(a), tach_table_string_count(b));
	check_number(tach_table_frame_count(a), tach_table_frame_count(b));
	for (uint32_t i = 0; i < tach_table_string_count(a); i++) {
		struct tach_string x = tach_table_string(a, i);
		struct tach_string y = tach_table_string(b, i);
		check(x.len == y.len && memcmp(x.bytes, y.bytes, x.len) == 0);
	}
	for (uint32_t i = 0; i < tach_table_frame_count(a); i++) {
		const struct tach_frame *x = tach_table_frame(a, i);
		const struct tach_frame *y = tach_table_frame(b, i);
		check(x->file == y->file && x->func == y->func &&
		    x->line == y->line && x->end_line == y->end_line &&
		    x->column == y->column &&
		    x->end_column == y->end_column &&
		    x->opcode == y->opcode);
	}
}

static void
check_tables(void)
{
	struct tach_table *table = odd_table();
	struct trace t = {0};

	trace_add(&t, 1, 0, 5, 0, (uint32_t[]){5, 4, 3}, 3);
	for (size_t i = 0; i < 2 * COUNT(all_options); i++) {
		struct bytes b = write_profile(&t, &all_options[i / 2], table,
		    HINT_NONE), turned = swapped(&b);
		struct tach_reader *r = tach_reader_new();
		int fd = bytes_fd(i % 2 ? &turned : &b);
		check(tach_reader_open_fd(r, fd) == TACH_OK);
		check_text(reader_why(r), "");
		check_same_table(tach_reader_table(r), table);
		tach_reader_free(r);
		close(fd);
		bytes_clear(&b);
		bytes_clear(&turned);
	}
	trace_clear(&t);
	tach_table_free(table);
}

static void
check_opened_twice(void)
{
	struct tach_table *table = odd_table();
	struct trace t = {0};
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;

	trace_add(&t, 1, 0, 5, 0, (uint32_t[]){5, 4, 3}, 3);
	struct bytes b = write_profile(&t, &all_options[0], table, HINT_NONE);
	int fd = bytes_fd(&b);
	check(tach_reader_open_fd(r, fd) == TACH_OK);
	check(tach_reader_open_fd(r, fd) == TACH_FATAL);
	check(tach_reader_open(r, "/nosuch") == TACH_FATAL);
	check_text(reader_why(r), "the reader was opened before: each "
	    "input takes a new one");
	check(tach_reader_next(r, &run) == TACH_OK);
	check(tach_reader_next(r, &run) == TACH_END);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&b);
	trace_clear(&t);
	tach_table_free(table);
}

/* Samples that are added one by one make the file that their runs make. */
static void
check_added(void)
{
	struct tach_table *table = make_table(5);
	struct trace t = {0};
	struct bytes want, none = {0};
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(fd, &all_options[3], table);
	uint8_t got[65536];
	ssize_t n;

	for (uint32_t i = 0; i < 500; i++)
		trace_add(&t, i % 7 / 2, i % 3 == 0, i, (uint8_t)(i & 0x33),
		    (uint32_t[]){i / 50 % 5, i / 90 % 5, 3}, i / 20 % 4);
	want = write_profile(&t, &all_options[3], table, HINT_NONE);
	for (size_t i = 0; i < t.n; i++)
		check(tach_writer_add(w, t.samples[i].thread,
		    t.samples[i].interp, t.samples[i].time,
		    t.samples[i].status, t.samples[i].frames,
		    t.samples[i].depth) == TACH_OK);
	check(tach_writer_finish(w, &write_meta) == TACH_OK);
	n = pread(fd, got, sizeof(got), 0);
	check_number((uint64_t)n, want.n);
	check(n > 0 && memcmp(got, want.p, want.n) == 0);
	tach_writer_free(w);
	close(fd);
	bytes_clear(&want);
	trace_clear(&t);
	tach_table_free(table);
}

/* ---- bytes in memory, and by a function ------------------------------ */

/* A few bytes at a time. */
static ssize_t
read_few(void *arg, void *bytes, size_t n, uint64_t at)
{
	const struct bytes *b = arg;
	size_t some = n < 7 ? n : 7;

	check(at <= b->n && n <= b->n - at);
	memcpy(bytes, b->p + at, some);
	return (ssize_t)some;
}

static ssize_t
read_none(void *arg, void *bytes, size_t n, uint64_t at)
{
	(void)arg;
	(void)bytes;
	(void)n;
	(void)at;
	errno = EACCES;
	return -1;
}

enum origin_kind { BY_FD, BY_MEMORY, BY_FUNCTION, ORIGINS };

static int
open_by(struct tach_reader *r, enum origin_kind kind, struct bytes *b)
{
	int fd, res;

	if (kind == BY_MEMORY)
		return tach_reader_open_memory(r, b->p, b->n);
	if (kind == BY_FUNCTION)
		return tach_reader_open_callback(r, read_few, b->n, b);
	fd = bytes_fd(b);
	res = tach_reader_open_fd(r, fd);
	close(fd);
	return res;
}

/* Reads all there is; gives the result, the samples and the line. */
static int
read_by(enum origin_kind kind, struct bytes *b, struct trace *t,
    char line[512])
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	const char *why;
	int res = open_by(r, kind, b);

	while (res >= TACH_WARN &&
	    (res = tach_reader_next(r, &run)) == TACH_OK)
		for (size_t i = 0; i < run.count; i++)
			trace_add(t, run.thread, run.interp,
			    run.ticks[i].time, run.ticks[i].status,
			    run.frames, run.depth);
	if (res == TACH_END)
		res = tach_reader_verify(r);
	tach_reader_error(r, &why);
	snprintf(line, 512, "%s", why);
	tach_reader_free(r);
	return res;
}

/* The same comes of the bytes, wherever they are; each lot is of its own, so that
 * what is read beyond its end is found. */
static void
check_origin(const uint8_t *bytes, size_t n)
{
	struct trace want = {0}, got;
	char line[512], other[512];
	struct bytes b = {0};
	int res;

	if (n > 0 && (b.p = malloc(n)) == NULL)
		err(2, NULL);
	b.n = n;
	if (n > 0)
		memcpy(b.p, bytes, n);
	res = read_by(BY_FD, &b, &want, line);
	for (int kind = BY_MEMORY; kind < ORIGINS; kind++) {
		got = (struct trace){0};
		check(read_by((enum origin_kind)kind, &b, &got, other) == res);
		check_text(other, line);
		check(got.n == want.n && trace_equal(&got, &want));
		trace_clear(&got);
	}
	trace_clear(&want);
	free(b.p);
}

static void
check_cuts(const struct bytes *b)
{
	for (size_t n = b->n; n > 0; n -= n > 97 ? 41 : n > 2 ? 3 : 1)
		check_origin(b->p, n);
}

static void
check_origins(void)
{
	static const char text[] = "# tach 1\n0\t0\t1\t-\ta.py:f:1\n"
	    "7\t0\t1\tgil\ta.py:f:1;a.py:g:2\n", stacks[] =
	    "a;b 3\na;c 4\n";
	static const unsigned long slots[] = {0, 3, 0, 1000, 0, 2, 2, 17, 18,
	    1, 1, 17, 0, 1, 0};
	struct tach_table *table = make_table(50);
	struct tach_reader *r = tach_reader_new();
	struct trace t = {0};
	struct bytes b;

	for (uint32_t i = 0; i < 200; i++)
		trace_add(&t, i % 3, 0, i, (uint8_t)(i % 4),
		    (uint32_t[]){random_below(50), random_below(50), 3}, 3);
	for (size_t i = 0; i < COUNT(all_options); i++) {
		b = write_profile(&t, &all_options[i], table, HINT_NONE);
		check_cuts(&b);
		bytes_clear(&b);
	}
	check_origin((const uint8_t *)text, sizeof(text) - 1);
	check_origin((const uint8_t *)stacks, sizeof(stacks) - 1);
	check_origin((const uint8_t *)slots, sizeof(slots));
	check_origin(NULL, 0);
	check(tach_reader_open_callback(r, read_none, 100, NULL) ==
	    TACH_FATAL);
	check_number(tach_reader_error(r, NULL), TACH_EPERM);
	tach_reader_free(r);
	trace_clear(&t);
	tach_table_free(table);
}

/* Samples and runs do not go together, nor do frames that are not there. */
static void
check_add_misused(void)
{
	static const uint32_t frames[] = {0, 5};
	static const struct tach_tick tick = {1, 0, 0};
	struct tach_run run = {.frames = frames, .depth = 1, .ticks = &tick,
	    .count = 1};
	struct tach_table *table = make_table(5);
	struct bytes none = {0};
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(fd, &all_options[0], table);

	check(tach_writer_add(w, 1, 0, 0, 0, frames, 1) == TACH_OK);
	check(tach_writer_run(w, &run) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EUSE);
	tach_writer_free(w);
	w = tach_writer_new(fd, &all_options[0], table);
	check(tach_writer_run(w, &run) == TACH_OK);
	check(tach_writer_add(w, 1, 0, 2, 0, frames, 1) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EUSE);
	tach_writer_free(w);
	w = tach_writer_new(fd, &all_options[0], table);
	check(tach_writer_add(w, 1, 0, 2, 0, frames, 2) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EUSE);
	tach_writer_free(w);
	close(fd);
	tach_table_free(table);
}

/* ---- what holds for all ---------------------------------------------- */

static void
check_same_meta(void)
{
	const struct tach_quality *q = &write_meta.quality;
	const struct tach_quality *got = &read_meta.quality;

	check(memcmp(read_meta.python, write_meta.python, 3) == 0);
	check_number(read_meta.start_us, write_meta.start_us);
	check_number(read_meta.interval_us, write_meta.interval_us);
	check_number(read_meta.config, write_meta.config);
	check_number(got->known, q->known);
	if (!got->known)
		return;
	check(got->duration == q->duration && got->rate == q->rate);
	check_number(got->has_errors, q->has_errors);
	check_number(got->has_missed, q->has_missed);
	check(!q->has_errors || got->errors == q->errors);
	check(!q->has_missed || got->missed == q->missed);
}

/* Both ways, in both byte orders. */
static void
check_meta(const struct tach_meta *meta)
{
	struct tach_table *table = make_table(1);
	struct tach_meta old = write_meta;
	struct trace t = {0};

	write_meta = *meta;
	for (size_t i = 0; i < COUNT(all_options); i++) {
		struct bytes b = write_profile(&t, &all_options[i], table,
		    HINT_NONE), turned = swapped(&b);
		check(read_profile(&b, NULL) == TACH_END);
		check_text(read_warning, "");
		check_same_meta();
		check(read_profile(&turned, NULL) == TACH_END);
		check_text(read_warning, "");
		check_same_meta();
		bytes_clear(&b);
		bytes_clear(&turned);
	}
	write_meta = old;
	tach_table_free(table);
}

#define SIZE_OF_META sizeof(struct tach_meta)

static void
check_metas(void)
{
	static const struct tach_meta metas[] = {
	    {SIZE_OF_META, .python = {0, 0, 0}},
	    {SIZE_OF_META, .python = {255, 255, 255}, .start_us = UINT64_MAX,
		.interval_us = UINT64_MAX, .config = UINT32_MAX},
	    {SIZE_OF_META, .python = {3, 15, 0}, .config = 0x59,
		.quality = {true, true, true, 3.02, 999.75, 0.125, 12.5}},
	    {SIZE_OF_META, .python = {3, 15, 0},
		.quality = {true, true, false, 1e-9, 1e9, 100, 0}},
	    {SIZE_OF_META, .python = {3, 15, 0},
		.quality = {true, false, true, 0, 0, 0, 1e-300}},
	    {SIZE_OF_META, .python = {3, 15, 0},
		.quality = {true, false, false, 1, 2, 3, 4}},
	    {SIZE_OF_META, .python = {3, 15, 0},
		.quality = {false, true, true, 1, 2, 3, 4}},
	};

	for (size_t i = 0; i < COUNT(metas); i++)
		check_meta(&metas[i]);
}

/* The statistics' bytes, as CPython 3.15 has them. */
static void
check_stat(void)
{
	static const struct tach_quality q = {true, false, true, 1, 2, 3, 0.5};
	static const struct {
		uint64_t value;
		unsigned size;
	} fields[] = {{0x3ff0000000000000, 8}, {0x4000000000000000, 8}, {0, 8},
	    {0x3fe0000000000000, 8}, {2, 4}, {0, 4}};
	struct bytes want = {0};
	uint8_t p[56];

	stat_put(p, &q);
	for (size_t i = 0; i < COUNT(fields); i++)
		bytes_number(&want, fields[i].value, fields[i].size, BIG_HERE);
	bytes_add(&want, "TACHSTAT", 8);
	bytes_number(&want, 1, 4, BIG_HERE);
	bytes_number(&want, 56, 4, BIG_HERE);
	check(want.n == 56 && memcmp(p, want.p, 56) == 0);
	bytes_clear(&want);
}

/* More samples than the early header can count need the wide one. */
static void
check_fit(void)
{
	struct head h = {.layout = TACH_LAYOUT_EARLY, .samples = UINT32_MAX};

	head_fit(&h);
	check_number(h.layout, TACH_LAYOUT_EARLY);
	h.samples++;
	head_fit(&h);
	check_number(h.layout, TACH_LAYOUT_CPYTHON);
	h.samples = 0;
	head_fit(&h);
	check_number(h.layout, TACH_LAYOUT_CPYTHON);
}

/* The checksum is that of the description. */
static void
check_written_checksum(void)
{
	struct tach_table *table = make_table(100);
	struct trace t = random_trace(500, 100);

	for (size_t i = 0; i < 2; i++) {
		struct bytes b = write_profile(&t, &all_options[i], table,
		    HINT_NONE), copy = bytes_copy(&b);
		memset(copy.p + copy.n - 16, 0, 16);
		put_checksum(&copy);
		check(memcmp(copy.p, b.p, b.n) == 0);
		check(read_profile(&b, NULL) == TACH_END);
		check(read_info.has_checksum && memcmp(read_info.checksum,
		    b.p + b.n - 16, 16) == 0);
		bytes_clear(&b);
		bytes_clear(&copy);
	}
	trace_clear(&t);
	tach_table_free(table);
}

/* ---- other frames ---------------------------------------------------- */

/* Where there is no line or column there is no end of it either, whatever
 * is written for it. */
static void
check_no_line(void)
{
	struct hand h = {.frames = 2};
	struct bytes b = hand_file(&h);
	struct tach_reader *r = tach_reader_new();
	const struct tach_frame *f;
	int fd;

	check(memcmp(b.p + 71, "\0\1\0\0\2\6\xff", 7) == 0);
	memcpy(b.p + 71, "\0\1\1\6\1\7", 6);
	fd = bytes_fd(&b);
	check(tach_reader_open_fd(r, fd) == TACH_OK);
	f = tach_table_frame(tach_reader_table(r), 0);
	check(f->line == -1 && f->end_line == -1);
	check(f->column == -1 && f->end_column == -1);
	f = tach_table_frame(tach_reader_table(r), 1);
	check(f->line == 1 && f->end_line == 1);
	check(f->column == 1 && f->end_column == 4);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&b);
}

/* ---- zstd ------------------------------------------------------------ */

/* Several frames, cut anywhere; empty ones; ones to skip. */
static void
check_frames(void)
{
	struct hand h = {.samples = 2, .threads = 1, .frames = 2};
	struct hand packed = {.samples = 2, .threads = 1, .frames = 2};
	struct bytes part;

	hand_record(&h, 1, 0, 1);
	bytes_add(&h.data, "\1\0\1\0", 4);
	hand_record(&h, 1, 0, 2);
	bytes_add(&h.data, "\1\0\1\1\1", 5);
	for (size_t cut = 0; cut <= h.data.n; cut++) {
		struct bytes file, body = {0};
		uint64_t strings_at;
		part = (struct bytes){h.data.p, cut, 0};
		bytes_pack(&body, &part);
		part = (struct bytes){h.data.p, 0, 0};
		bytes_pack(&body, &part);
		if (cut % 2)
			bytes_add(&body, "\x53\x2a\x4d\x18\3\0\0\0abc", 11);
		part = (struct bytes){h.data.p + cut, h.data.n - cut, 0};
		bytes_pack(&body, &part);
		bytes_add(&body, "\x50\x2a\x4d\x18\0\0\0\0", 8);
		/* As plain bytes that only claim to be zstd. */
		packed.data = body;
		file = hand_file(&packed);
		file.p[52] = 1;
		check(read_profile(&file, NULL) == TACH_END);
		check_text(read_error, "");
		check_number(read_stats.samples, 2);
		strings_at = 64 + body.n;
		check_number(read_info.data_size, strings_at - 64);
		bytes_clear(&file);
		bytes_clear(&body);
	}
	bytes_clear(&h.data);
}

/* ---- other ways in and out ------------------------------------------- */

static void
check_pipe(void)
{
	struct tach_table *table = make_table(10);
	struct trace t = random_trace(100, 10), back = {0};
	struct bytes b = write_profile(&t, &all_options[1], table, HINT_NONE);
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	uint64_t n = 0;
	int fds[2];

	/* All of it fits into a pipe. */
	if (b.n > 60000 || pipe(fds) != 0 ||
	    write(fds[1], b.p, b.n) != (ssize_t)b.n)
		err(2, "pipe");
	close(fds[1]);
	check(tach_reader_open_fd(r, fds[0]) == TACH_OK);
	close(fds[0]);
	while (tach_reader_next(r, &run) == TACH_OK)
		n += run.count;
	check_number(n, t.n);
	tach_reader_free(r);
	bytes_clear(&b);
	trace_clear(&back);
	trace_clear(&t);
	tach_table_free(table);
}

/* ---- CPython's own --------------------------------------------------- */

/* What CPython 3.15.0's reader says of the same files. */
static const struct corpus {
	const char *name;
	bool zstd;
	uint32_t samples, threads, strings, frames;
	uint32_t records[4], repeated;
	uint32_t config; /* the words of it, as it was recorded */
	double rate;
} corpus[] = {
    {"wall", true, 11707, 6, 101, 146, {580, 23, 17, 751}, 10916,
	TACH_CONFIG_WALL | TACH_CONFIG_FEATURES | TACH_CONFIG_ALL_THREADS |
	    TACH_CONFIG_GC, 2000},
    {"gil", true, 2109, 3, 117, 175, {557, 15, 8, 796}, 1290,
	3 /* gil */ | TACH_CONFIG_FEATURES | TACH_CONFIG_ALL_THREADS |
	    TACH_CONFIG_GC, 2000},
    {"opcodes", true, 11682, 6, 109, 172, {616, 23, 13, 806}, 10840,
	TACH_CONFIG_WALL | TACH_CONFIG_FEATURES | TACH_CONFIG_ALL_THREADS |
	    TACH_CONFIG_GC | TACH_CONFIG_OPCODES, 2000},
    {"none", false, 11748, 6, 113, 156, {590, 15, 9, 805}, 10919,
	TACH_CONFIG_WALL | TACH_CONFIG_FEATURES | TACH_CONFIG_ALL_THREADS,
	2000},
};

static void
check_corpus(const struct corpus *c)
{
	const char *root = getenv("TACH_SRCDIR");
	struct trace t = {0}, back = {0};
	char path[4096];
	struct bytes b, turned;

	snprintf(path, sizeof(path), "%s/t/data/cpython315-%s.bin",
	    root != NULL ? root : ".", c->name);
	b = bytes_of_file(path);
	check(read_profile(&b, &t) == TACH_END);
	check_text(read_error, "");
	check_number(read_info.layout, TACH_LAYOUT_CPYTHON);
	check_number(read_info.compression, c->zstd);
	check_number(t.n, c->samples);
	check_number(read_info.threads, c->threads);
	check_number(read_info.strings, c->strings);
	check_number(read_info.frames, c->frames);
	for (int i = 0; i < 4; i++)
		check_number(read_stats.records[i], c->records[i]);
	check_number(read_stats.repeated, c->repeated);
	check_number(read_meta.config, c->config);
	check(read_meta.quality.known && read_meta.quality.has_errors &&
	    read_meta.quality.has_missed);
	check(fabs(read_meta.quality.rate - c->rate) < 1);
	turned = swapped(&b);
	check(read_profile(&turned, &back) == TACH_END);
	check_text(read_error, "");
	check(trace_equal(&t, &back));
	trace_clear(&back);
	trace_clear(&t);
	bytes_clear(&turned);
	bytes_clear(&b);
}

int
main(void)
{
	check_varints();
	check_zigzag();
	check_overlong();
	check_choices();
	check_bytes();
	check_head();
	check_rounds();
	check_told();
	check_deep();
	check_long_repeat();
	check_first_repeat();
	check_empty();
	check_tables();
	check_opened_twice();
	check_added();
	check_origins();
	check_add_misused();
	check_metas();
	check_stat();
	check_fit();
	check_written_checksum();
	check_no_line();
	check_frames();
	check_pipe();
	for (size_t i = 0; i < COUNT(corpus); i++)
		check_corpus(&corpus[i]);
	return failures != 0;
}
