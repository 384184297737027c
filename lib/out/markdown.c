/* SPDX-License-Identifier: ISC */
/*
 * markdown.c: a report of a few kilobytes, for people's tickets and for programs that
 * read: what was recorded, where the time went, and what to look at next.
 *
 * Each section has a number of bytes, and rows that do not fit are left out.  So the
 * whole has at most MARKDOWN_MAX bytes, whatever the profile.
 *
 * Names come from strangers.  They are written as code, in which Markdown knows nothing
 * but the backtick; in a table the bar ends a cell.  Both become characters that look
 * alike.  A command has a name only if a shell takes all of it as it is.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "ascii.h"
#include "date.h"
#include "decimal.h"
#include "error.h"
#include "gilwaits.h"
#include "out/calls.h"
#include "out/emit.h"
#include "out/functions.h"
#include "out/limits.h"
#include "out/out.h"
#include "tick.h"
#include "utf8.h"

#define MARKDOWN_MAX 8192 /* bytes of a report */

/* The bytes of the sections. */
#define HEAD_SIZE 900
#define THREADS_SIZE 900
#define FUNCTIONS_SIZE 2000
#define LINES_SIZE 1250
#define PATHS_SIZE 1100
#define WAITS_SIZE 750
#define GIL_SIZE 650
#define NEXT_SIZE 640

static_assert(HEAD_SIZE + THREADS_SIZE + FUNCTIONS_SIZE + LINES_SIZE + PATHS_SIZE +
    WAITS_SIZE + GIL_SIZE + NEXT_SIZE <= MARKDOWN_MAX, "a report is bounded");

#define NAME_MAX_SIZE 44  /* bytes of a name */
#define FILE_MAX_SIZE 52  /* of a file */
#define STEP_MAX_SIZE 28  /* of a function in a path */
#define OUTER_STEPS 2	  /* functions at the ends of a path */
#define INNER_STEPS 4

#define THREADS_MAX_ROWS 10
#define FUNCTIONS_MAX_ROWS 15
#define LINES_MAX_ROWS 10
#define PATHS_MAX_ROWS 5
#define GIL_MAX_ROWS 5
#define PIDS_MAX 8

#define STATUSES (UINT8_MAX + 1)
#define MUCH 0.05 /* the share from which something is worth a command */

/* The time of some samples, and of these how long their threads were what; us. */
struct thread_shares {
	uint64_t time, samples;
	uint64_t gil, cpu, wanted, idle, unknown;
};

struct markdown {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct gil_waits waits;
	uint64_t begin, end; /* of all samples, us */
	struct pairs processes; /* 1 for each that is known, by its first interpreter */
	uint32_t pids[PIDS_MAX], npids; /* of the first ones; of all */
	struct functions functions;
	struct calls busy, idle; /* callees are functions */
	bool is_busy[STATUSES], is_idle[STATUSES];
	struct thread_shares all;
	struct thread_shares *threads; /* by thread of the aggregate */
	uint64_t *lines; /* by location: its own time and that of the C code that it
			  * calls, where threads were not idle; us */
	struct buf text; /* the report */
	size_t limit; /* where its present section ends */
	FILE *out;
	struct error error;
};

/* ---- text ---------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3)))
add_printed(struct buf *b, const char *fmt, ...)
{
	char text[512];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof(text), fmt, list);
	va_end(list);
	buf_add_text(b, text);
}

/* Begins a section of so many bytes. */
static void
begin_section(struct markdown *m, size_t size)
{
	m->limit = m->text.len + size;
}

/* Adds lines as a whole, or nothing if the section has no room for them. */
static bool
put_lines(struct markdown *m, struct buf *lines)
{
	bool fits = m->text.len + lines->len <= m->limit;

	if (lines->failed)
		m->text.failed = true;
	else if (fits)
		buf_add(&m->text, lines->text, lines->len);
	lines->len = 0;
	return fits;
}

/* The bytes of whole characters at the begin of a text, at most `max` ones. */
static size_t
first_bytes(struct tach_string s, size_t max)
{
	size_t n = s.len < max ? s.len : max;

	while (n > 0 && n < s.len && (s.bytes[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* The same at its end. */
static size_t
last_bytes(struct tach_string s, size_t max)
{
	size_t n = s.len < max ? s.len : max;

	while (n > 0 && (s.bytes[s.len - n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Replaces what ends code, or a cell of a table. */
static void
add_code_bytes(struct buf *b, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '|')
			buf_add_text(b, "\xc2\xa6"); /* a broken bar */
		else
			buf_add_char(b, bytes[i] == '`' ? '\'' : bytes[i]);
}

/* Adds a text as code, of which at most `max` bytes are shown: its begin and its end. */
static void
add_code_span(struct buf *b, struct tach_string s, size_t max)
{
	struct buf visible = {0};
	size_t head, tail, shown = s.len < 4 * max ? s.len : 4 * max;
	struct tach_string v;

	/* Of a long name its begin and its end are enough. */
	utf8_add_visible(&visible, s.bytes, first_bytes(s, shown));
	if (shown < s.len) {
		tail = last_bytes(s, max);
		utf8_add_visible(&visible, s.bytes + s.len - tail, tail);
	}
	v = (struct tach_string){visible.text, visible.len};
	b->failed |= visible.failed;
	buf_add_char(b, '`');
	if (v.len == 0) {
		buf_add_char(b, '?');
	} else if (v.len <= max && shown == s.len) {
		add_code_bytes(b, v.bytes, v.len);
	} else {
		head = first_bytes(v, max / 3);
		tail = last_bytes(v, max - max / 3);
		add_code_bytes(b, v.bytes, head);
		buf_add_text(b, "\xe2\x80\xa6"); /* an ellipsis */
		add_code_bytes(b, v.bytes + v.len - tail, tail);
	}
	buf_add_char(b, '`');
	buf_clear(&visible);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Adds a number from 0 to 1e12, with one digit after the point. */
static void
add_tenths(struct buf *b, double d)
{
	char text[DECIMAL_SIZE];

	decimal_cents(text, (double)(uint64_t)(d * 10 + 0.5) / 10, false);
	buf_add(b, text, strlen(text) - 1);
}

static void
add_percent(struct buf *b, uint64_t part, uint64_t whole)
{
	add_tenths(b, percent(part, whole));
	buf_add_char(b, '%');
}

/* The same as a whole number, and a cell. */
static void
add_percent_cell(struct buf *b, uint64_t part, uint64_t whole)
{
	buf_add_number(b, (uint64_t)(percent(part, whole) + 0.5));
	buf_add_text(b, "% | ");
}

static void
add_seconds(struct buf *b, uint64_t us)
{
	char text[DECIMAL_SIZE];

	buf_add_text(b, decimal_cents(text, (double)us / 1e6, false));
	buf_add_text(b, " s");
}

/* ---- places -------------------------------------------------------------- */

static const struct location *
location_at(const struct markdown *m, uint32_t location)
{
	return &m->stacks.locations.all[location];
}

/* The first line of a function; NULL: it stands for samples without frames. */
static const struct location *
function_at(const struct markdown *m, uint32_t function)
{
	const struct functions *f = &m->functions;

	return function < f->count ?
	    location_at(m, f->lines[f->functions[function].begin]) : NULL;
}

static struct tach_string
function_name(const struct markdown *m, uint32_t function)
{
	const struct location *p = function_at(m, function);

	return p != NULL ? p->func :
			   (struct tach_string){NO_FRAMES, sizeof(NO_FRAMES) - 1};
}

/* Adds the file and the line of a place, or nothing if it stands for no code. */
static void
add_place(struct buf *b, const struct location *p)
{
	char line[16] = "";
	struct buf text = {0};
	size_t head;

	if (p == NULL || synthetic(p->file, p->line))
		return;
	if (p->line > 0)
		snprintf(line, sizeof(line), ":%" PRId32, p->line);
	head = p->file.len;
	buf_add(&text, p->file.bytes, head);
	buf_add_text(&text, line);
	add_code_span(b, (struct tach_string){text.text, text.len}, FILE_MAX_SIZE);
	b->failed |= text.failed;
	buf_clear(&text);
}

/* ---- order --------------------------------------------------------------- */

struct ranked {
	uint64_t weight, second;
	uint32_t index;
};

static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Keeps the heaviest of those that are given one by one. */
struct top_list {
	struct ranked list[FUNCTIONS_MAX_ROWS]; /* no list is longer */
	size_t count, max;
};

static void
top_add(struct top_list *t, struct ranked r)
{
	if (r.weight == 0 && r.second == 0)
		return;
	if (t->count < t->max)
		t->list[t->count++] = r;
	else if (compare_ranked(&r, &t->list[t->count - 1]) < 0)
		t->list[t->count - 1] = r;
	else
		return;
	for (size_t i = t->count; i-- > 1 &&
	     compare_ranked(&t->list[i], &t->list[i - 1]) < 0;) {
		struct ranked other = t->list[i];
		t->list[i] = t->list[i - 1];
		t->list[i - 1] = other;
	}
}

/* ---- sums ---------------------------------------------------------------- */

static void
add_shares(struct thread_shares *s, const struct cell *c)
{
	uint8_t status = c->class;
	uint64_t us = c->time;

	s->time += us;
	s->samples += c->samples;
	s->gil += status & TACH_STATUS_GIL ? us : 0;
	s->wanted += (status & TACH_STATUS_GIL_WANTED) != 0 &&
	    (status & TACH_STATUS_GIL) == 0 ? us : 0;
	s->cpu += status & TACH_STATUS_CPU ? us : 0;
	s->unknown += status & TACH_STATUS_UNKNOWN ? us : 0;
	s->idle += tach_status_idle(status) ? us : 0;
}

/* Sums what all stacks and those of each thread weigh.  False: out of memory. */
static bool
sum_threads(struct markdown *m)
{
	const struct aggregate *a = &m->stacks;
	uint32_t *thread = calloc((size_t)a->nnodes + 1, sizeof(*thread));

	m->threads = calloc((size_t)a->nthreads + 1, sizeof(*m->threads));
	for (uint32_t i = 0; thread != NULL && m->threads != NULL &&
	     i < a->nnodes; i++) {
		const struct node *n = &a->nodes[i];
		thread[i] = node_is_root(n) ? n->what : thread[n->parent];
		for (uint32_t c = n->cell; c != TACH_NONE; c = a->cells[c].next) {
			add_shares(&m->all, &a->cells[c]);
			add_shares(&m->threads[thread[i]], &a->cells[c]);
		}
	}
	free(thread);
	return thread != NULL && m->threads != NULL;
}

/* The line of source in which the stacks of a node end, and the function of C that it
 * calls.  TACH_NONE: none. */
static uint32_t
line_of_node(const struct aggregate *a, const struct node *n, uint32_t *called)
{
	*called = TACH_NONE;
	for (; node_is_c(a, n); n = &a->nodes[n->parent])
		*called = n->what;
	return node_is_root(n) ? TACH_NONE : n->what;
}

/* The time of a node's own samples in which its thread was not idle. */
static uint64_t
busy_time(const struct markdown *m, const struct node *n)
{
	uint64_t time = 0;

	for (uint32_t c = n->cell; c != TACH_NONE; c = m->stacks.cells[c].next)
		if (m->is_busy[m->stacks.cells[c].class])
			time += m->stacks.cells[c].time;
	return time;
}

/* Sums the time of each line.  False: out of memory. */
static bool
sum_lines(struct markdown *m)
{
	const struct aggregate *a = &m->stacks;
	uint32_t line, called;

	m->lines = calloc((size_t)a->locations.count + 1, sizeof(*m->lines));
	for (uint32_t i = 0; m->lines != NULL && i < a->nnodes; i++) {
		line = line_of_node(a, &a->nodes[i], &called);
		if (line != TACH_NONE)
			m->lines[line] += busy_time(m, &a->nodes[i]);
	}
	return m->lines != NULL;
}

static bool
count_functions(struct markdown *m)
{
	struct calls_options o = {m->functions.of, m->functions.count, 0, &m->error,
	    m->is_busy};

	if (!calls_init(&m->busy, &m->stacks, o))
		return false;
	o.classes = m->is_idle;
	return calls_init(&m->idle, &m->stacks, o);
}

/* ---- paths --------------------------------------------------------------- */

/* A path of functions, whatever the lines and threads. */
struct way {
	uint32_t parent; /* the same without the innermost one; 0: none */
	uint32_t function;
	uint64_t busy, idle; /* us of the stacks that end with it */
};

struct ways {
	struct way *list; /* the first one has no function */
	uint32_t count;
	size_t max;
	struct pairs indices;
};

static uint32_t
add_way(struct ways *w, uint32_t parent, uint32_t function)
{
	uint32_t found = w->count > 0 ? pairs_find(&w->indices, parent, function) : 0;
	struct way *list;

	if (found != 0)
		return found;
	list = array_grow(w->list, w->count, &w->max, sizeof(*list));
	if (list == NULL)
		return TACH_NONE;
	w->list = list;
	list[w->count] = (struct way){.parent = parent, .function = function};
	if (w->count > 0 && !pairs_add(&w->indices, parent, function, w->count))
		return TACH_NONE;
	return w->count++;
}

static void
weigh_way(const struct aggregate *a, const struct node *n, struct way *w)
{
	for (uint32_t c = n->cell; c != TACH_NONE; c = a->cells[c].next)
		if (tach_status_idle(a->cells[c].class))
			w->idle += a->cells[c].time;
		else
			w->busy += a->cells[c].time;
}

/* False: out of memory. */
static bool
find_ways(const struct markdown *m, struct ways *w)
{
	const struct aggregate *a = &m->stacks;
	uint32_t *of = calloc((size_t)a->nnodes + 1, sizeof(*of));
	bool ok = of != NULL && add_way(w, 0, m->functions.count) == 0;

	for (uint32_t i = 0; ok && i < a->nnodes; i++) {
		const struct node *n = &a->nodes[i];
		of[i] = node_is_root(n) ? 0 :
		    add_way(w, of[n->parent], m->functions.of[n->what]);
		ok = of[i] != TACH_NONE;
		if (ok)
			weigh_way(a, n, &w->list[of[i]]);
	}
	free(of);
	return ok;
}

static void
clear_ways(struct ways *w)
{
	free(w->list);
	pairs_clear(&w->indices);
}

static uint32_t
way_depth(const struct ways *w, uint32_t way)
{
	uint32_t depth = 0;

	for (; way != 0; way = w->list[way].parent)
		depth++;
	return depth;
}

/* The part of a path with its outermost `depth` functions. */
static uint32_t
way_part(const struct ways *w, uint32_t way, uint32_t from, uint32_t depth)
{
	for (; from > depth; from--)
		way = w->list[way].parent;
	return way;
}

/* Adds a path: functions at its outer end, and more at its inner end. */
static void
add_path(const struct markdown *m, struct buf *b, const struct ways *w, uint32_t way,
    uint32_t outer, uint32_t inner)
{
	uint32_t depth = way_depth(w, way);

	if (depth == 0)
		add_code_span(b, function_name(m, m->functions.count), STEP_MAX_SIZE);
	for (uint32_t d = 1; d <= depth; d++) {
		if (d > outer && d + inner <= depth) {
			add_printed(b, "%s(%" PRIu32 " more)", d > 1 ? " \xe2\x86\x92 " : "",
			    depth - outer - inner);
			d = depth - inner;
			continue;
		}
		buf_add_text(b, d > 1 ? " \xe2\x86\x92 " : "");
		add_code_span(b, function_name(m, w->list[way_part(w, way, depth, d)].function),
		    STEP_MAX_SIZE);
	}
}

/* ---- sections ------------------------------------------------------------ */

static const char *const modes[TACH_CONFIG_MODE + 1] = {NULL, "wall: all samples",
	"cpu: threads on a CPU", "gil: threads with the GIL", "all",
	"exception: threads that handle one", NULL, NULL};

static void
put_title(struct markdown *m)
{
	const char *title = m->options->title != NULL ? m->options->title : "profile";
	struct buf b = {0};

	buf_add_text(&b, locations_of_python(&m->stacks.locations, m->meta) ?
	    "# Python profile " : "# Profile ");
	add_code_span(&b, (struct tach_string){title, strlen(title)}, FILE_MAX_SIZE);
	buf_add_text(&b, "\n\n| recorded | |\n|---|---|\n");
	put_lines(m, &b);
	buf_clear(&b);
}

static void
put_python(struct markdown *m)
{
	const uint8_t *v = m->meta->python;
	const char *mode = modes[m->meta->config & TACH_CONFIG_MODE];
	struct buf b = {0};

	if (v[0] != 0)
		add_printed(&b, "| Python | %d.%d.%d |\n", v[0], v[1], v[2]);
	if (mode != NULL)
		add_printed(&b, "| mode | %s |\n", mode);
	put_lines(m, &b);
	buf_clear(&b);
}

/* Puts when the recording began, and of which processes it is. */
static void
put_origin(struct markdown *m)
{
	uint64_t time = tach_table_first_time(m->stacks.locations.table);
	char date[DATE_SIZE];
	struct buf b = {0};

	if (time != 0) {
		date_text(time, false, date);
		add_printed(&b, "| start | %s |\n", date);
	}
	for (uint32_t i = 0; i < m->npids && i < PIDS_MAX; i++)
		add_printed(&b, "%s%" PRIu32, i > 0 ? ", " : m->npids > 1 ?
		    "| processes | " : "| process | ", m->pids[i]);
	if (m->npids > PIDS_MAX)
		add_printed(&b, " and %" PRIu32 " more", m->npids - PIDS_MAX);
	buf_add_text(&b, m->npids > 0 ? " |\n" : "");
	put_lines(m, &b);
	buf_clear(&b);
}

/* The time of samples that were kept from their root only. */
static uint64_t
torn_time(const struct markdown *m)
{
	uint64_t time = 0;

	for (uint32_t i = 0; i < m->functions.count; i++) {
		const struct location *p = function_at(m, i);
		if (synthetic(p->file, p->line) && p->func.len == 6 &&
		    memcmp(p->func.bytes, "<torn>", 6) == 0)
			time += m->busy.callees[i].total.time +
			    m->idle.callees[i].total.time;
	}
	return time;
}

/* Puts a number of quality, if there is one that makes sense. */
static void
put_quality_row(struct markdown *m, const char *what, double number, const char *unit)
{
	struct buf b = {0};

	if (!isfinite(number) || number < 0 || number >= 1e12)
		return;
	add_printed(&b, "| %s | ", what);
	add_tenths(&b, number);
	add_printed(&b, "%s |\n", unit);
	put_lines(m, &b);
	buf_clear(&b);
}

/* Puts how much of the time threads were what. */
static void
put_states(struct markdown *m)
{
	const struct thread_shares *s = &m->all;
	struct buf b = {0};

	buf_add_text(&b, "\nThreads were on a CPU for ");
	add_percent(&b, s->cpu, s->time);
	buf_add_text(&b, " of their time, had the GIL for ");
	add_percent(&b, s->gil, s->time);
	buf_add_text(&b, ", waited for it for ");
	add_percent(&b, s->wanted, s->time);
	buf_add_text(&b, " and were idle for ");
	add_percent(&b, s->idle, s->time);
	buf_add_text(&b, s->unknown > s->time / 2 ? ". Mostly it is not known whether "
	    "they were on a CPU.\n" : ".\n");
	put_lines(m, &b);
	buf_clear(&b);
}

static void
put_recording(struct markdown *m)
{
	const struct tach_quality *q = &m->meta->quality;
	struct buf b = {0};

	put_title(m);
	add_printed(&b, "| samples | %" PRIu64 " in ", m->all.samples);
	add_seconds(&b, m->end - m->begin);
	buf_add_text(&b, ", ");
	add_seconds(&b, m->all.time);
	buf_add_text(&b, " of all threads |\n");
	if (m->meta->interval_us != 0)
		add_printed(&b, "| interval | %" PRIu64 " us |\n", m->meta->interval_us);
	put_lines(m, &b);
	put_python(m);
	put_origin(m);
	if (q->known)
		put_quality_row(m, "rounds a second", q->rate, "");
	if (q->known && q->has_missed)
		put_quality_row(m, "rounds missed", q->missed, "%");
	if (q->known && q->has_errors)
		put_quality_row(m, "samples failed", q->errors, "%");
	put_quality_row(m, "samples torn", percent(torn_time(m), m->all.time), "%");
	put_states(m);
	buf_clear(&b);
}

static void
put_threads(struct markdown *m)
{
	struct top_list top = {.max = THREADS_MAX_ROWS};
	struct buf b = {0}, name = {0};
	uint32_t put = 0;

	begin_section(m, THREADS_SIZE);
	buf_add_text(&b, "\n## Threads\n\n| time | CPU | GIL | wants GIL | idle | "
	    "thread |\n|--:|--:|--:|--:|--:|---|\n");
	for (uint32_t i = 0; i < m->stacks.nthreads; i++)
		top_add(&top, (struct ranked){m->threads[i].time,
		    m->threads[i].samples, i});
	for (size_t i = 0; i < top.count; i++) {
		uint32_t index = top.list[i].index;
		const struct thread_shares *s = &m->threads[index];
		const char *text = aggregate_thread_name(&m->stacks,
		    &m->stacks.threads[index], &name);
		buf_add_text(&b, "| ");
		add_percent(&b, s->time, m->all.time);
		buf_add_text(&b, " | ");
		add_percent_cell(&b, s->cpu, s->time);
		add_percent_cell(&b, s->gil, s->time);
		add_percent_cell(&b, s->wanted, s->time);
		add_percent_cell(&b, s->idle, s->time);
		add_code_span(&b, (struct tach_string){text, strlen(text)}, NAME_MAX_SIZE);
		buf_add_text(&b, " |\n");
		if (!put_lines(m, &b))
			break;
		put++;
	}
	if (put == 0)
		b.len = 0; /* no heading alone */
	else if (m->stacks.nthreads > put)
		add_printed(&b, "\nand %" PRIu32 " more\n", m->stacks.nthreads - put);
	put_lines(m, &b);
	buf_clear(&b);
	buf_clear(&name);
}

static void
put_hot_functions(struct markdown *m)
{
	struct top_list top = {.max = FUNCTIONS_MAX_ROWS};
	uint64_t busy = m->all.time - m->all.idle;
	struct buf b = {0};

	begin_section(m, FUNCTIONS_SIZE);
	buf_add_text(&b, "\n## Functions\n\nThe time in which threads were not idle.\n\n"
	    "| self | total | function | where |\n|--:|--:|---|---|\n");
	for (uint32_t i = 0; i < m->busy.ncallees; i++)
		top_add(&top, (struct ranked){m->busy.callees[i].self.time,
		    m->busy.callees[i].total.time, i});
	for (size_t i = 0; i < top.count; i++) {
		uint32_t f = top.list[i].index;
		buf_add_text(&b, "| ");
		add_percent(&b, m->busy.callees[f].self.time, busy);
		buf_add_text(&b, " | ");
		add_percent(&b, m->busy.callees[f].total.time, busy);
		buf_add_text(&b, " | ");
		add_code_span(&b, function_name(m, f), NAME_MAX_SIZE);
		buf_add_text(&b, " | ");
		add_place(&b, function_at(m, f));
		buf_add_text(&b, " |\n");
		put_lines(m, &b);
	}
	buf_clear(&b);
}

/* The functions of C in which lines spent most of their time, in the order of a list;
 * TACH_NONE: in none.  False: out of memory. */
static bool
find_called(const struct markdown *m, const struct top_list *lines,
    uint32_t called[LINES_MAX_ROWS])
{
	const struct aggregate *a = &m->stacks;
	size_t n = a->locations.count, k;
	uint64_t *sums = calloc(n * lines->count + 1, sizeof(*sums));
	uint32_t line, at;

	for (uint32_t i = 0; sums != NULL && i < a->nnodes; i++) {
		line = line_of_node(a, &a->nodes[i], &at);
		for (k = 0; k < lines->count && lines->list[k].index != line; k++)
			;
		if (k < lines->count && at != TACH_NONE)
			sums[k * n + at] += busy_time(m, &a->nodes[i]);
	}
	for (k = 0; sums != NULL && k < lines->count; k++) {
		called[k] = TACH_NONE;
		for (at = 0; at < n; at++)
			if (sums[k * n + at] > lines->list[k].weight / 2)
				called[k] = at;
	}
	free(sums);
	return sums != NULL;
}

static void
put_hot_lines(struct markdown *m)
{
	uint32_t called[LINES_MAX_ROWS];
	struct top_list top = {.max = LINES_MAX_ROWS};
	uint64_t busy = m->all.time - m->all.idle;
	struct buf b = {0};

	begin_section(m, LINES_SIZE);
	for (uint32_t i = 0; i < m->stacks.locations.count; i++)
		if (!synthetic(location_at(m, i)->file, location_at(m, i)->line))
			top_add(&top, (struct ranked){m->lines[i], 0, i});
	b.failed = !find_called(m, &top, called);
	if (top.count > 0)
		buf_add_text(&b, "\n## Lines\n\n| self | line | function |\n"
		    "|--:|---|---|\n");
	for (size_t i = 0; i < top.count; i++) {
		const struct location *p = location_at(m, top.list[i].index);
		buf_add_text(&b, "| ");
		add_percent(&b, top.list[i].weight, busy);
		buf_add_text(&b, " | ");
		add_place(&b, p);
		buf_add_text(&b, " | ");
		add_code_span(&b, p->func, NAME_MAX_SIZE);
		if (!b.failed && called[i] != TACH_NONE) {
			buf_add_text(&b, " \xe2\x86\x92 ");
			add_code_span(&b, location_at(m, called[i])->func, NAME_MAX_SIZE);
		}
		buf_add_text(&b, " |\n");
		put_lines(m, &b);
	}
	buf_clear(&b);
}

/* Puts a list of paths, the heaviest first, by their idle time or by the other. */
static void
put_ways(struct markdown *m, const struct ways *w, bool idle)
{
	struct top_list top = {.max = PATHS_MAX_ROWS};
	uint64_t whole = idle ? m->all.idle : m->all.time - m->all.idle;
	struct buf b = {0};

	for (uint32_t i = 0; i < w->count; i++)
		top_add(&top, (struct ranked){idle ? w->list[i].idle :
		    w->list[i].busy, 0, i});
	if (top.count > 0 && idle) {
		buf_add_text(&b, "\n## Waits\n\nThe ");
		add_seconds(&b, m->all.idle);
		buf_add_text(&b, " in which threads were idle.\n\n");
	} else if (top.count > 0) {
		buf_add_text(&b, "\n## Paths\n\n");
	}
	for (size_t i = 0; i < top.count; i++) {
		add_printed(&b, "%zu. ", i + 1);
		add_percent(&b, top.list[i].weight, whole);
		buf_add_char(&b, ' ');
		add_path(m, &b, w, top.list[i].index, idle ? 0 : OUTER_STEPS,
		    INNER_STEPS);
		buf_add_text(&b, "\n");
		put_lines(m, &b);
	}
	buf_clear(&b);
}

/* False: out of memory. */
static bool
put_paths(struct markdown *m)
{
	struct ways w = {0};
	bool ok = find_ways(m, &w);

	begin_section(m, PATHS_SIZE);
	if (ok)
		put_ways(m, &w, false);
	begin_section(m, WAITS_SIZE);
	if (ok)
		put_ways(m, &w, true);
	clear_ways(&w);
	return ok;
}

/* ---- the GIL ------------------------------------------------------------- */

/* The places of intervals are locations, whose number is that of stacks without
 * frames, until all functions are known. */
static void
make_functions(const struct markdown *m, struct gil_intervals *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->list[i].place = g->list[i].place < m->stacks.locations.count ?
		    m->functions.of[g->list[i].place] : m->functions.count;
}

static void
put_wait(struct markdown *m, const struct gil_wait *w)
{
	struct buf b = {0};

	buf_add_text(&b, "| ");
	add_percent(&b, w->time, m->all.wanted);
	buf_add_text(&b, " | ");
	add_code_span(&b, function_name(m, w->waiter), NAME_MAX_SIZE);
	buf_add_text(&b, " | ");
	if (w->holder == GIL_NOBODY)
		buf_add_text(&b, "not seen");
	else
		add_code_span(&b, function_name(m, w->holder), NAME_MAX_SIZE);
	buf_add_text(&b, " |\n");
	put_lines(m, &b);
	buf_clear(&b);
}

/* False: out of memory. */
static bool
put_gil(struct markdown *m)
{
	struct gil_pairs pairs;
	struct buf b = {0};
	bool ok;

	make_functions(m, &m->waits.held);
	make_functions(m, &m->waits.wanted);
	ok = gil_waits_join(&m->waits, &pairs);
	begin_section(m, GIL_SIZE);
	if (ok && pairs.count > 0) {
		buf_add_text(&b, "\n## GIL\n\nThreads waited for the GIL for ");
		add_seconds(&b, m->all.wanted);
		buf_add_text(&b, ".\n\n| waits | in | while it was held in |\n"
		    "|--:|---|---|\n");
	}
	put_lines(m, &b);
	for (size_t i = 0; ok && i < pairs.count && i < GIL_MAX_ROWS; i++)
		put_wait(m, &pairs.list[i]);
	gil_pairs_clear(&pairs);
	buf_clear(&b);
	if (m->waits.full)
		error_set(&m->error, TACH_ELIMIT, LIMIT_TEXT("waits for the GIL"));
	return ok;
}

/* ---- what to look at next ------------------------------------------------ */

/* Whether a text has letters, digits and the other characters only. */
static bool
is_plain(struct tach_string s, const char *others)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_word(s.bytes[i]) && (s.bytes[i] == '\0' ||
			strchr(others, s.bytes[i]) == NULL))
			return false;
	return s.len > 0 && s.len <= NAME_MAX_SIZE && s.bytes[0] != '-';
}

static void __attribute__((format(printf, 2, 3)))
put_command(struct markdown *m, const char *fmt, ...)
{
	char text[512];
	struct buf b = {0};
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof(text), fmt, list);
	va_end(list);
	buf_add_text(&b, text);
	put_lines(m, &b);
	buf_clear(&b);
}

/* The function with the most time of its own, if a command can name it. */
static bool
hottest_name(const struct markdown *m, struct tach_string *name)
{
	struct top_list top = {.max = 1};

	for (uint32_t i = 0; i < m->functions.count; i++)
		top_add(&top, (struct ranked){m->busy.callees[i].self.time, 0, i});
	if (top.count == 0)
		return false;
	*name = function_name(m, top.list[0].index);
	return is_plain(*name, "_.<>") && !synthetic(
	    function_at(m, top.list[0].index)->file, 0);
}

/* Adds an expression that matches a name alone. */
static void
add_pattern(struct buf *b, struct tach_string name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.bytes[i] == '.')
			buf_add_text(b, "[.]");
		else
			buf_add_char(b, name.bytes[i]);
	buf_add_char(b, '\0');
}

static void
put_callers(struct markdown *m, const char *title)
{
	struct tach_string name;
	struct buf pattern = {0};

	if (!hottest_name(m, &name))
		return;
	add_pattern(&pattern, name);
	if (pattern.failed)
		m->text.failed = true;
	else
		put_command(m, "- Callers of the first function: `tach-convert "
		    "--collapsed --by none --match ':%s:' %s`\n", pattern.text,
		    title);
	buf_clear(&pattern);
}

static void
put_next(struct markdown *m)
{
	const char *title = m->options->title != NULL ? m->options->title : "";
	const struct tach_quality *q = &m->meta->quality;
	double time = (double)m->all.time;

	if (!is_plain((struct tach_string){title, strlen(title)}, "./-_+,"))
		title = "FILE";
	begin_section(m, NEXT_SIZE);
	put_command(m, "\n## Next\n\n");
	if (m->all.samples == 0)
		put_command(m, "- There are no samples: `tach-info %s`\n", title);
	if ((double)m->all.idle > time / 2)
		put_command(m, "- A flame graph without waiting: `tach-convert "
		    "--flamegraph --idle drop -o p.html %s`\n", title);
	else
		put_command(m, "- A flame graph: `tach-convert --flamegraph -o p.html "
		    "%s`\n", title);
	put_callers(m, title);
	if ((double)m->all.wanted > time * MUCH)
		put_command(m, "- Who holds the GIL: `tach-top --gil %s`\n", title);
	if (q->known && q->has_missed && q->missed > 100 * MUCH)
		put_command(m, "- Many rounds were missed: a lower rate (`tach-record "
		    "-r`) is truer\n");
	put_command(m, "- Lines in their source: `tach-convert --heatmap -o pages %s`\n",
	    title);
	put_command(m, "- Another profile as the base: `tach-convert --diff BASE %s`\n",
	    title);
}

/* ---- the sink ------------------------------------------------------------ */

static int
markdown_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct markdown *m = sink->arg;

	m->meta = meta;
	aggregate_init(&m->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true,
	    .by = by_or(m->options->by, TACH_BY_NAME),
	    .class_of = class_status});
	for (int i = 0; i < STATUSES; i++) {
		m->is_idle[i] = tach_status_idle((uint8_t)i);
		m->is_busy[i] = !m->is_idle[i];
	}
	return TACH_OK;
}

/* Notes the process of a run, if it is known.  False: out of memory. */
static bool
note_pid(struct markdown *m, const struct tach_run *run)
{
	uint32_t first, pid = tach_table_process(m->stacks.locations.table,
	    run->interp, &first);

	if (pid == 0 || pairs_find(&m->processes, first, 0) != 0)
		return true;
	if (m->npids < PIDS_MAX)
		m->pids[m->npids] = pid;
	m->npids++;
	return pairs_add(&m->processes, first, 0, 1);
}

static int
markdown_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct markdown *m = sink->arg;
	uint32_t node = aggregate_stack(&m->stacks, run);
	const struct node *n;

	if (node == TACH_NONE || !aggregate_run(&m->stacks, run))
		return aggregate_failed(&m->stacks, &m->error);
	if (run->count == 0)
		return TACH_OK;
	if (!note_pid(m, run))
		return error_memory(&m->error);
	if (run->ticks[0].time < m->begin)
		m->begin = run->ticks[0].time;
	if (tick_end(&run->ticks[run->count - 1]) > m->end)
		m->end = tick_end(&run->ticks[run->count - 1]);
	n = &m->stacks.nodes[node];
	while (!node_is_root(n) && location_at(m, n->what)->kind == KIND_WAIT)
		n = &m->stacks.nodes[n->parent]; /* a reason is no place */
	if (gil_waits_add(&m->waits, run, node_is_root(n) ? TACH_NONE : n->what))
		return TACH_OK;
	return m->waits.full ? error_set(&m->error, TACH_ELIMIT,
	    LIMIT_TEXT("changes of state")) : error_memory(&m->error);
}

/* False: out of memory, or the error says why. */
static bool
make_report(struct markdown *m)
{
	if (m->begin > m->end)
		m->begin = m->end;
	if (!functions_init(&m->functions, &m->stacks.locations) ||
	    !count_functions(m) || !sum_threads(m) || !sum_lines(m))
		return false;
	begin_section(m, HEAD_SIZE);
	put_recording(m);
	put_threads(m);
	put_hot_functions(m);
	put_hot_lines(m);
	if (!put_paths(m) || !put_gil(m))
		return false;
	put_next(m);
	return !m->text.failed;
}

static int
markdown_end(struct tach_sink *sink)
{
	struct markdown *m = sink->arg;

	if (!aggregate_settle(&m->stacks))
		return aggregate_failed(&m->stacks, &m->error);
	if (!make_report(m))
		return error_memory(&m->error);
	return fwrite(m->text.text, 1, m->text.len, m->out) == m->text.len ? TACH_OK :
	    error_system(&m->error, "", errno);
}

static void
markdown_free(struct tach_sink *sink)
{
	struct markdown *m = sink->arg;

	aggregate_clear(&m->stacks);
	gil_waits_clear(&m->waits);
	pairs_clear(&m->processes);
	functions_clear(&m->functions);
	calls_clear(&m->busy);
	calls_clear(&m->idle);
	free(m->threads);
	free(m->lines);
	buf_clear(&m->text);
	free(m);
}

static enum tach_error
markdown_error(const struct tach_sink *sink, const char **line)
{
	const struct markdown *m = sink->arg;

	return error_get(&m->error, line);
}

struct tach_sink *
markdown_open(FILE *out, const struct tach_format_options *options)
{
	struct markdown *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->sink = (struct tach_sink){.size = sizeof(m->sink),
	    .arg = m,
	    .begin = markdown_begin,
	    .run = markdown_run,
	    .end = markdown_end,
	    .free = markdown_free,
	    .error = markdown_error};
	m->options = options;
	m->begin = UINT64_MAX;
	m->out = out;
	return &m->sink;
}
