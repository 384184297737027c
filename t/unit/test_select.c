/* SPDX-License-Identifier: ISC */
/*
 * test_select.c: what a selection gives, sample by sample, and that it keeps
 * what tach.h promises of runs.
 */
#include <err.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FRAMES 8
#define DEPTH_MAX 6
#define TICKS_MAX 40

/* ---- a sink that checks and keeps ---------------------------------------- */

struct seen {
	uint64_t thread;
	uint32_t interp;
	uint64_t time;
	uint32_t frames[DEPTH_MAX];
	uint32_t depth;
};

struct keeper {
	struct tach_sink sink;
	struct trace trace;
	struct seen seen[8]; /* by a run's index */
	uint32_t nseen;
	size_t runs;
	uint64_t shared; /* frames, of all runs */
	int ended;
	bool fails; /* each run is to */
};

static struct seen *
seen_of(struct keeper *k, const struct tach_run *run)
{
	check(run->index <= k->nseen);
	if (run->index == k->nseen)
		k->seen[k->nseen++] = (struct seen){.thread = run->thread,
		    .interp = run->interp};
	return &k->seen[run->index];
}

static int
keeper_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct keeper *k = sink->arg;
	struct seen *s = seen_of(k, run);

	check(run->count > 0);
	check(s->thread == run->thread && s->interp == run->interp);
	check(run->shared <= run->depth && run->shared <= s->depth);
	for (uint32_t i = 1; i <= run->shared; i++)
		check(run->frames[run->depth - i] == s->frames[s->depth - i]);
	for (size_t i = 0; i < run->count; i++) {
		check(run->ticks[i].time >= s->time);
		s->time = run->ticks[i].time;
		trace_add(&k->trace, run->thread, run->interp, s->time,
		    run->ticks[i].status, run->frames, run->depth);
	}
	s->depth = run->depth;
	for (uint32_t i = 0; i < run->depth; i++)
		s->frames[i] = run->frames[i];
	k->runs++;
	k->shared += run->shared;
	return k->fails ? TACH_FATAL : TACH_OK;
}

static int
keeper_end(struct tach_sink *sink)
{
	struct keeper *k = sink->arg;

	k->ended++;
	return TACH_OK;
}

static void
keeper_init(struct keeper *k)
{
	*k = (struct keeper){.sink = {.size = sizeof(struct tach_sink), .arg = k, .run = keeper_run,
	    .end = keeper_end}};
}

/* ---- a trace, and its runs ----------------------------------------------- */

static uint32_t
add_frame(struct tach_table *t, const char *file, const char *func,
    int32_t line)
{
	struct tach_frame f = {0, 0, line, line, -1, -1, TACH_NO_OPCODE};

	f.file = tach_table_add_string(t, file, strlen(file));
	f.func = tach_table_add_string(t, func, strlen(func));
	return tach_table_add_frame(t, &f);
}

static struct tach_table *
small_table(void)
{
	struct tach_table *t = tach_table_new();

	if (t == NULL)
		err(2, NULL);
	add_frame(t, "/srv/app.py", "main", 1);
	add_frame(t, "/srv/app.py", "work", 22);
	add_frame(t, "/srv/app.py", "work", 23);
	add_frame(t, "/lib/json/encoder.py", "encode", 200);
	add_frame(t, "/lib/json/decoder.py", "decode", 20);
	add_frame(t, "~", "<GC>", -1);
	add_frame(t, "odd.py", "under", -7);
	add_frame(t, "a b.py", "<lambda>", 0);
	check_number(tach_table_frame_count(t), FRAMES);
	return t;
}

/* Stacks that share their outer end for a while, in six threads. */
static void
random_sample(struct trace *t, uint32_t who)
{
	static struct seen last[6];
	struct seen *s = &last[who];
	uint32_t stack[DEPTH_MAX], kept;

	kept = random_below(3) == 0 ? random_below(s->depth + 1) : s->depth;
	if (random_below(8) == 0 || kept < s->depth) {
		uint32_t fresh = random_below(DEPTH_MAX + 1 - kept);
		memcpy(stack, s->frames + s->depth - kept,
		    kept * sizeof(*stack));
		memcpy(s->frames + fresh, stack, kept * sizeof(*stack));
		for (uint32_t i = 0; i < fresh; i++)
			s->frames[i] = random_below(FRAMES);
		s->depth = fresh + kept;
	}
	s->time += random_below(20);
	trace_add(t, 100 + who % 3, who / 3, s->time,
	    (uint8_t)(random_below(3) == 0 ? random_below(256) : 3), s->frames,
	    s->depth);
}

static struct trace
random_trace(size_t n)
{
	struct trace t = {0};

	while (t.n < n) {
		uint32_t who = random_below(6);
		for (uint32_t i = random_below(10); i > 0; i--)
			random_sample(&t, who);
	}
	return t;
}

static bool
same_thread(const struct sample *a, const struct sample *b)
{
	return a->thread == b->thread && a->interp == b->interp;
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

/* The last sample of each thread; its place is the run's index. */
struct source {
	const struct sample *last[6];
	uint32_t n;
};

static uint32_t
index_of(struct source *src, const struct sample *s)
{
	uint32_t i;

	for (i = 0; i < src->n; i++)
		if (same_thread(src->last[i], s))
			return i;
	src->last[src->n++] = s;
	return i;
}

/* The trace as a source, of which equal neighbours are one run, as a reader's are. */
struct feeder {
	struct tach_source source;
	const struct trace *trace;
	struct source threads;
	size_t at, upto;
	int end; /* what there is then */
	struct tach_tick ticks[TICKS_MAX];
	int freed;
};

static int
feeder_next(struct tach_source *source, struct tach_run *run)
{
	struct feeder *f = source->arg;
	const struct sample *s = &f->trace->samples[f->at];
	size_t left = f->upto - f->at, n;
	uint32_t index, shared;

	if (left == 0)
		return f->end;
	index = index_of(&f->threads, s);
	shared = f->threads.last[index] == s ? 0 :
	    shared_with(f->threads.last[index], s);
	for (n = 0; n < TICKS_MAX && n < left && same_thread(&s[n], s) &&
	    s[n].depth == s->depth && shared_with(&s[n], s) == s->depth; n++)
		f->ticks[n] = (struct tach_tick){s[n].time, s[n].status, 0};
	*run = (struct tach_run){s->thread, s->interp, index, s->frames,
	    s->depth, shared, f->ticks, n};
	f->threads.last[index] = &s[n - 1];
	f->at += n;
	return TACH_OK;
}

static void
feeder_free(struct tach_source *source)
{
	struct feeder *f = source->arg;

	f->freed++;
}

static enum tach_error
feeder_error(const struct tach_source *source, const char **line)
{
	(void)source;
	*line = "the file is damaged";
	return TACH_EFAILED;
}

static struct tach_source *
feeder_init(struct feeder *f, const struct tach_table *table,
    const struct trace *t)
{
	*f = (struct feeder){.source = {.size = sizeof(struct tach_source),
	    .arg = f, .table = table,
	    .next = feeder_next, .free = feeder_free, .error = feeder_error},
	    .trace = t, .upto = t->n, .end = TACH_END};
	return &f->source;
}

/* Gives a sink what is selected of a trace, and ends it. */
static void
feed(struct keeper *k, const struct tach_table *table, const struct trace *t,
    const struct tach_selection *w)
{
	struct feeder f;
	struct tach_source *source = tach_select_new(
	    feeder_init(&f, table, t), w);

	keeper_init(k);
	check_number(tach_pump(source, &k->sink), TACH_END);
	check_number((uint64_t)k->ended, 1);
	tach_source_free(source);
	check_number((uint64_t)f.freed, 1);
}

/* ---- what is selected, said again, sample by sample ---------------------- */

static bool
in_list(const uint64_t *list, const uint32_t *list32, size_t n, uint64_t what)
{
	bool found = false;

	for (size_t i = 0; i < n; i++)
		found |= (list != NULL ? list[i] : list32[i]) == what;
	return found;
}

static regex_t
regex(const char *text)
{
	regex_t re;

	if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB) != 0)
		errx(2, "%s", text);
	return re;
}

static bool
matches(const struct tach_table *table, const struct sample *s,
    const char *expression)
{
	char text[256], line[16];
	regex_t re = regex(expression);
	bool found = false;

	for (uint32_t i = 0; i < s->depth; i++) {
		const struct tach_frame *f = tach_table_frame(table,
		    s->frames[i]);
		struct tach_string a = tach_table_string(table, f->file);
		struct tach_string b = tach_table_string(table, f->func);
		snprintf(line, sizeof(line), "%d", f->line);
		snprintf(text, sizeof(text), "%.*s:%.*s:%s", (int)a.len,
		    a.bytes, (int)b.len, b.bytes, f->line == -1 ? "" : line);
		found |= regexec(&re, text, 0, NULL, 0) == 0;
	}
	regfree(&re);
	return found;
}

static bool
is_selected(const struct tach_table *table, const struct tach_selection *w,
    const struct sample *s)
{
	if (w->nthreads > 0 && !in_list(w->threads, NULL, w->nthreads,
	    s->thread))
		return false;
	if (w->ninterps > 0 && !in_list(NULL, w->interps, w->ninterps,
	    s->interp))
		return false;
	if (in_list(w->not_threads, NULL, w->nnot_threads, s->thread) ||
	    in_list(NULL, w->not_interps, w->nnot_interps, s->interp))
		return false;
	if ((s->status & w->status) != w->status ||
	    (s->status & w->not_status) != 0)
		return false;
	if (s->time < w->since || (w->until != 0 && s->time >= w->until))
		return false;
	for (size_t i = 0; i < w->nmatch; i++)
		if (!matches(table, s, w->match[i]))
			return false;
	for (size_t i = 0; i < w->nnot_match; i++)
		if (matches(table, s, w->not_match[i]))
			return false;
	return true;
}

static struct trace
selected(const struct tach_table *table, const struct tach_selection *w,
    const struct trace *t)
{
	struct trace out = {0};

	for (size_t i = 0; i < t->n; i++) {
		const struct sample *s = &t->samples[i];
		if (is_selected(table, w, s))
			trace_add(&out, s->thread, s->interp, s->time,
			    s->status, s->frames, s->depth);
	}
	return out;
}

/* ---- selections ---------------------------------------------------------- */

/* Not only equal a thread, but in the order in which it came. */
static void
check_order(const struct trace *got, const struct trace *want)
{
	for (size_t i = 0; i < got->n && i < want->n; i++)
		check(same_thread(&got->samples[i], &want->samples[i]) &&
		    got->samples[i].time == want->samples[i].time);
}

static void
check_selection_at(int line, const struct tach_table *table,
    const struct trace *t, const struct tach_selection *w, bool some)
{
	struct keeper k;
	struct trace want = selected(table, w, t);

	feed(&k, table, t, w);
	check_number_at(__FILE__, line, "samples", k.trace.n, want.n);
	if (!trace_equal(&k.trace, &want))
		fail_at(__FILE__, line, "not the samples that are selected");
	check_order(&k.trace, &want);
	/* A selection that takes all or nothing tests little. */
	if (some && (want.n == 0 || want.n == t->n))
		fail_at(__FILE__, line, "takes %zu of %zu", want.n, t->n);
	trace_clear(&k.trace);
	trace_clear(&want);
}

#define check_selection(table, t, some, ...) \
	check_selection_at(__LINE__, table, t, \
	    &(struct tach_selection){ \
		.size = sizeof(struct tach_selection), __VA_ARGS__}, \
	    some)

static void
check_threads(const struct tach_table *table, const struct trace *t)
{
	static const uint64_t one[] = {101}, two[] = {100, 102};
	static const uint64_t all[] = {100, 101, 102}, none[] = {5};
	static const uint32_t second[] = {1}, both[] = {1, 0};

	check_selection(table, t, true, .threads = one, .nthreads = 1);
	check_selection(table, t, true, .threads = two, .nthreads = 2);
	check_selection(table, t, true, .not_threads = one, .nnot_threads = 1);
	check_selection(table, t, true, .not_threads = two, .nnot_threads = 2);
	check_selection(table, t, false, .threads = none, .nthreads = 1);
	check_selection(table, t, false, .not_threads = all,
	    .nnot_threads = 3);
	check_selection(table, t, true, .interps = second, .ninterps = 1);
	check_selection(table, t, false, .interps = both, .ninterps = 2);
	check_selection(table, t, true, .not_interps = second,
	    .nnot_interps = 1);
	check_selection(table, t, true, .threads = two, .nthreads = 2,
	    .not_threads = none, .nnot_threads = 1, .interps = second,
	    .ninterps = 1);
	/* Both listed and excluded. */
	check_selection(table, t, false, .threads = one, .nthreads = 1,
	    .not_threads = one, .nnot_threads = 1);
}

static void
check_ticks(const struct tach_table *table, const struct trace *t)
{
	for (unsigned bit = 1; bit < 256; bit *= 2) {
		check_selection(table, t, true, .status = (uint8_t)bit);
		check_selection(table, t, true, .not_status = (uint8_t)bit);
	}
	check_selection(table, t, true, .status = 0x03, .not_status = 0x10);
	check_selection(table, t, false, .status = 1, .not_status = 1);
	for (uint64_t at = 10; at < 2000; at += 97) {
		check_selection(table, t, true, .since = at);
		check_selection(table, t, true, .until = at);
		check_selection(table, t, true, .since = at,
		    .until = at + 300);
	}
	check_selection(table, t, false, .since = UINT64_MAX);
	check_selection(table, t, false, .until = UINT64_MAX);
}

static void
check_matches(const struct tach_table *table, const struct trace *t)
{
	static const char *const texts[] = {"json", "^/srv/app.py:main:1$",
	    ":work:", ":2[23]$", "~:<GC>:$", "^odd.py:under:-7$",
	    " .*lambda>:0", "coder|<GC>"};
	static const uint64_t one[] = {101};
	static const char *const never = "nosuch", *const always = "";

	for (size_t i = 0; i < COUNT(texts); i++) {
		check_selection(
		    table, t, true, .match = &texts[i], .nmatch = 1);
		check_selection(table, t, true, .not_match = &texts[i],
		    .nnot_match = 1);
	}
	check_selection(table, t, true, .match = texts, .nmatch = 2);
	check_selection(table, t, true, .not_match = texts, .nnot_match = 3);
	check_selection(table, t, true, .match = texts, .nmatch = 1,
	    .not_match = texts + 4, .nnot_match = 3);
	check_selection(table, t, true, .match = texts + 2, .nmatch = 1,
	    .not_match = texts + 5, .nnot_match = 2, .threads = one,
	    .nthreads = 1, .status = 1, .since = 100, .until = 2000);
	/* No frame, no match. */
	check_selection(table, t, true, .match = &always, .nmatch = 1);
	check_selection(table, t, true, .not_match = &always, .nnot_match = 1);
	check_selection(table, t, false, .match = &never, .nmatch = 1);
	check_selection(table, t, false, .not_match = &never, .nnot_match = 1);
}

/* ---- single things ------------------------------------------------------- */

static void
check_nothing_to_do(const struct tach_table *table)
{
	const struct tach_selection all = {.size = sizeof(all)};
	const struct tach_selection some = {.size = sizeof(some), .since = 1};
	const struct trace none = {0};
	struct feeder f;
	struct tach_source *source = feeder_init(&f, table, &none);

	check(tach_select_new(source, &all) == source);
	check(tach_select_new(NULL, &some) == NULL);
	check_number((uint64_t)f.freed, 0);
}

/* Without a word about ticks a run stays one; with it, what lies together
 * does. */
static void
check_parts(const struct tach_table *table)
{
	static const uint64_t one[] = {7};
	static const uint32_t stack[] = {2, 0};
	static const uint8_t status[] = {1, 1, 0, 1, 0, 0, 1, 1};
	struct trace t = {0};
	struct keeper whole, parts;

	for (size_t i = 0; i < COUNT(status); i++)
		trace_add(&t, 7, 0, i, status[i], stack, 2);
	feed(&whole, table, &t,
	    &(struct tach_selection){.size = sizeof(struct tach_selection),
		.threads = one,
		.nthreads = 1});
	feed(&parts, table, &t,
	    &(struct tach_selection){
		.size = sizeof(struct tach_selection), .status = 1});
	check_number(whole.runs, 1);
	check_number(whole.trace.n, COUNT(status));
	check_number(parts.runs, 3);
	check_number(parts.trace.n, 5);
	check_number(parts.shared, 4); /* all but the first */
	trace_clear(&whole.trace);
	trace_clear(&parts.trace);
	trace_clear(&t);
}

/* Where nothing is left out, what is known to be shared stays so. */
static void
check_shared(const struct tach_table *table, const struct trace *t)
{
	static const uint64_t none[] = {5};
	struct keeper direct, k;

	feed(&direct, table, t,
	    &(struct tach_selection){.size = sizeof(struct tach_selection)});
	feed(&k, table, t,
	    &(struct tach_selection){.size = sizeof(struct tach_selection),
		.not_threads = none,
		.nnot_threads = 1});
	check_number(k.shared, direct.shared);
	check(k.shared > 0);
	trace_clear(&direct.trace);
	trace_clear(&k.trace);
}

/* A sink that fails gets no more; damage is told, and ends the sink. */
static void
check_failure(const struct tach_table *table)
{
	static const struct tach_selection some = {
	    .size = sizeof(some), .status = 1};
	static const uint32_t stack[] = {2, 0};
	struct trace t = {0};
	struct feeder f;
	struct tach_source *source;
	const char *why;
	struct keeper k;

	for (uint64_t i = 0; i < 9; i++)
		trace_add(&t, 7, 0, i, i % 2, stack, 2);
	keeper_init(&k);
	k.fails = true;
	source = tach_select_new(feeder_init(&f, table, &t), &some);
	check(tach_pump(source, &k.sink) == TACH_REFUSED);
	check_number(k.runs, 1);
	check_number((uint64_t)k.ended, 0);
	k.fails = false;
	f.end = TACH_FATAL;
	check(tach_pump(source, &k.sink) == TACH_FATAL);
	check_number((uint64_t)k.ended, 1);
	check_number(tach_source_error(source, &why), TACH_EFAILED);
	check_text(why, "the file is damaged");
	tach_source_free(source);
	trace_clear(&k.trace);
	trace_clear(&t);
}

/* A source that has no more for now gives the rest when it is asked again. */
static void
check_again(const struct tach_table *table)
{
	static const struct tach_selection some = {
	    .size = sizeof(some), .status = 1};
	static const uint32_t stack[] = {2, 0};
	struct trace t = {0};
	struct feeder f;
	struct tach_source *source;
	struct keeper k;

	keeper_init(&k);
	for (uint64_t i = 0; i < 9; i++)
		trace_add(&t, 7, 0, i, i % 2, stack, 2);
	source = tach_select_new(feeder_init(&f, table, &t), &some);
	f.end = TACH_AGAIN;
	for (f.upto = 0; f.upto < t.n; f.upto++)
		check(tach_pump(source, &k.sink) == TACH_AGAIN);
	check_number(k.trace.n, 4);
	check_number(k.runs, 4);
	check_number((uint64_t)k.ended, 0);
	f.end = TACH_END;
	check(tach_pump(source, &k.sink) == TACH_END);
	check_number((uint64_t)k.ended, 1);
	tach_source_free(source);
	trace_clear(&k.trace);
	trace_clear(&t);
}

static struct tach_frame
place(struct tach_table *t, struct tach_string file, struct tach_string func)
{
	return (struct tach_frame){tach_table_add_string(t, file.bytes,
	    file.len), tach_table_add_string(t, func.bytes, func.len), 3, 3,
	    -1, -1, TACH_NO_OPCODE};
}

/* How many of the samples, one frame each, have a match. */
static size_t
count_matches(const struct tach_table *table, const struct trace *t,
    const char *text)
{
	struct keeper k;
	size_t n;

	feed(&k, table, t,
	    &(struct tach_selection){.size = sizeof(struct tach_selection),
		.match = &text,
		.nmatch = 1});
	n = k.trace.n;
	trace_clear(&k.trace);
	return n;
}

/* NUL bytes, bytes that are no UTF-8, no name at all, and names that are
 * longer than what is looked at. */
static void
check_odd_names(void)
{
	static char huge[200000];
	struct tach_table *table = tach_table_new();
	struct tach_string names[] = {{"a\0b.py", 6}, {"bad\xff\xc0.py", 8},
	    {"", 0}, {huge, sizeof(huge)}};
	struct trace t = {0};

	memset(huge, 'x', sizeof(huge));
	memcpy(huge + sizeof(huge) - 3, "end", 3);
	for (uint32_t i = 0; i < COUNT(names); i++) {
		struct tach_frame f = place(table, names[i], names[i]);
		uint32_t index = tach_table_add_frame(table, &f);
		trace_add(&t, 1, 0, i, 0, &index, 1);
	}
	check_number(count_matches(table, &t, "^a.b.py:a.b.py:3$"), 1);
	check_number(count_matches(table, &t, "^bad\xff\xc0.py:bad"), 1);
	check_number(count_matches(table, &t, "^::3$"), 1);
	check_number(count_matches(table, &t, "^x+:x+:3$"), 1);
	check_number(count_matches(table, &t, "end"), 0);
	check_number(count_matches(table, &t, ":3$"), COUNT(names));
	trace_clear(&t);
	tach_table_free(table);
}

/* A table that grows while samples come, as a recorder's does. */
static void
check_live(void)
{
	struct tach_table *table = tach_table_new();
	static const char *const texts[] = {"7", "8"};
	struct trace t = {0};
	struct feeder f;
	struct keeper k;
	struct tach_source *source;
	size_t want = 0;

	for (uint32_t i = 0; i < 2000; i++)
		trace_add(&t, 1, 0, i, 1, &i, 1);
	source = tach_select_new(feeder_init(&f, table, &t),
	    &(struct tach_selection){.size = sizeof(struct tach_selection),
		.match = texts,
		.nmatch = 1,
		.not_match = texts + 1,
		.nnot_match = 1});
	f.end = TACH_AGAIN;
	keeper_init(&k);
	for (f.upto = 1; f.upto <= t.n; f.upto++) {
		int line = (int)f.upto - 1;
		char text[16];
		check_number(add_frame(table, "a.py", "f", line), line);
		snprintf(text, sizeof(text), "%d", line);
		want += strchr(text, '7') != NULL && strchr(text, '8') == NULL;
		check(tach_pump(source, &k.sink) == TACH_AGAIN);
	}
	check_number(k.trace.n, want);
	tach_source_free(source);
	trace_clear(&k.trace);
	trace_clear(&t);
	tach_table_free(table);
}

/* What is no expression is told at once. */
static void
check_no_expression(const struct tach_table *table)
{
	static const char *const texts[] = {"a", "[a"};
	struct trace none = {0};
	struct feeder f;
	struct tach_source *source = tach_select_new(feeder_init(&f, table,
	    &none), &(struct tach_selection){
	    .size = sizeof(struct tach_selection), .match = texts,
	    .nmatch = 1, .not_match = texts + 1, .nnot_match = 1});
	struct tach_run run;
	const char *line;

	check_number(tach_source_error(source, &line), TACH_EUSE);
	check(strncmp(line, "[a: ", 4) == 0 && strlen(line) > 4);
	check(tach_source_next(source, &run) == TACH_FATAL);
	check_number(tach_source_error(source, NULL), TACH_EUSE);
	tach_source_free(source);
}

int
main(void)
{
	struct tach_table *table = small_table();
	struct trace t = random_trace(5000);

	check_nothing_to_do(table);
	check_threads(table, &t);
	check_ticks(table, &t);
	check_matches(table, &t);
	check_parts(table);
	check_shared(table, &t);
	check_failure(table);
	check_again(table);
	check_no_expression(table);
	check_odd_names();
	check_live();
	trace_clear(&t);
	tach_table_free(table);
	return failures != 0;
}
