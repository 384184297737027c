/* SPDX-License-Identifier: ISC */
/*
 * perf_read.c: the text of `perf script` as a source of runs:
 *
 *	python3 7 [001] 30535.763220:   10101010 cpu-clock:
 *		          28faf6 sum+0x12 (/usr/bin/python3.15)
 *		    7fe7957b1c40 py::main:/tmp/x.py+0xb (/tmp/perf-7.map)
 *
 * and an empty line.  Frames come innermost first.  The trampolines that Python 3.12
 * and later makes with -X perf are Python frames, of which no line is known.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/frametext.h"
#include "format/linebuf.h"
#include "format/number.h"
#include "format/perf.h"
#include "format/source.h"
#include "format/stacks.h"
#include "tach.h"

#define INTERVAL_ASSUMED 1000 /* us, if the events do not say */
#define TIME_LONGEST 32	      /* bytes of a time */

struct perf_reader {
	struct source source;
	struct source_input *in;
	struct linebuf lines;
	struct piece line;	/* the current one */
	struct perf_head head;	/* of the sample that is to come */
	bool ahead;		/* there is one */
	bool begun;		/* a sample was seen */
	uint64_t first;		/* time of the first sample */
	struct stacks stacks;
};

/* ---- lines --------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct piece
trimmed(struct piece p)
{
	while (p.len > 0 && is_blank(*p.text))
		p = (struct piece){p.text + 1, p.len - 1};
	while (p.len > 0 && is_blank(p.text[p.len - 1]))
		p.len--;
	return p;
}

/* Cuts the last word from a text. */
static struct piece
cut_word(struct piece *p)
{
	size_t n = 0;

	*p = trimmed(*p);
	while (n < p->len && !is_blank(p->text[p->len - n - 1]))
		n++;
	p->len -= n;
	return (struct piece){p->text + p->len, n};
}

/* Whether a word is a number, or a number behind another one and a slash. */
static bool
parse_perf_thread(struct piece word, uint64_t *thread)
{
	const char *end = number_get(word.text, UINT64_MAX, thread);

	if (end != NULL && *end == '/')
		end = number_get(end + 1, UINT64_MAX, thread);
	return end != NULL && end == word.text + word.len;
}

/* SECONDS.FRACTION, before a colon, as microseconds. */
static bool
parse_time(struct piece word, uint64_t *us)
{
	uint64_t seconds, fraction = 0;
	const char *p = number_get(word.text, UINT64_MAX / 2000000, &seconds);
	int digits = 0;

	if (p == NULL || *p != '.')
		return false;
	for (p++; *p >= '0' && *p <= '9'; p++)
		if (digits++ < 6)
			fraction = fraction * 10 + (uint64_t)(*p - '0');
	*us = seconds * 1000000 + fraction;
	return (digits == 6 || digits == 9) && p == word.text + word.len;
}

/* The word that ends a text and can be a time: of a longer one its end, which is
 * none, so that a line of many colons is not read anew at each. */
static struct piece
last_word(struct piece p)
{
	size_t n = 0;

	while (n < p.len && n <= TIME_LONGEST && !is_blank(p.text[p.len - n - 1]))
		n++;
	return (struct piece){p.text + p.len - n, n};
}

/* Parses the part behind the time. */
static void
parse_event(struct piece p, struct perf_head *h)
{
	const char *end = NULL, *colon = NULL;

	p = trimmed(p);
	/* The number ends before the line does, behind which may be nothing. */
	if (p.len > 0 && (p.text[p.len - 1] < '0' || p.text[p.len - 1] > '9'))
		end = number_get(p.text, UINT64_MAX, &h->period);
	if (end != NULL && is_blank(*end))
		p = trimmed((struct piece){end, (size_t)
		    (p.text + p.len - end)});
	else
		h->period = 0;
	/* The colons in `cpu-clock:u:` are no end. */
	for (size_t i = 0; i < p.len && colon == NULL; i++)
		if (p.text[i] == ':' && (i + 1 == p.len || is_blank(p.text[i + 1])))
			colon = p.text + i;
	if (colon == NULL)
		colon = p.text + p.len;
	h->event = (struct piece){p.text, (size_t)(colon - p.text)};
	h->rest = trimmed((struct piece){colon, (size_t)
	    (p.text + p.len - colon)});
	if (h->rest.len > 0)
		h->rest = trimmed((struct piece){h->rest.text + 1,
		    h->rest.len - 1});
}

bool
perf_head_parse(struct piece line, struct perf_head *h)
{
	const char *end = line.text + line.len, *colon = line.text;

	while ((colon = memchr(colon, ':', (size_t)(end - colon))) != NULL) {
		struct piece before = {line.text, (size_t)(colon - line.text)};
		struct piece word = last_word(before);
		colon++;
		if (word.len > TIME_LONGEST || !parse_time(word, &h->time))
			continue;
		before.len -= word.len;
		word = cut_word(&before);
		if (word.len > 0 && *word.text == '[')
			word = cut_word(&before);
		h->comm = trimmed(before);
		if (!parse_perf_thread(word, &h->thread) || h->comm.len == 0)
			return false;
		parse_event((struct piece){colon, (size_t)(end - colon)}, h);
		return true;
	}
	return false;
}

/* ---- frames -------------------------------------------------------------- */

static bool
piece_is(struct piece p, const char *text)
{
	return p.len == strlen(text) && memcmp(p.text, text, p.len) == 0;
}

/* `py::FUNCTION:FILE` */
static void
parse_trampoline(struct frametext *t)
{
	const char *colon;
	struct piece name = {t->func.text + 4, t->func.len - 4};

	if (t->func.len < 4 || memcmp(t->func.text, "py::", 4) != 0 ||
	    (colon = memchr(name.text, ':', name.len)) == NULL)
		return;
	t->func = (struct piece){name.text, (size_t)(colon - name.text)};
	t->file = (struct piece){colon + 1, (size_t)
	    (name.text + name.len - colon - 1)};
}

/* Cuts the offset from a name, `+0x12`. */
static void
cut_offset(struct piece *name)
{
	const char *plus = memrchr(name->text, '+', name->len);

	if (plus != NULL && plus > name->text &&
	    name->text + name->len - plus > 3 && plus[1] == '0' &&
	    plus[2] == 'x')
		name->len = (size_t)(plus - name->text);
}

/* Parses `ADDRESS NAME+OFFSET (OBJECT)`.  Without a name the address, with 0x before
 * it in `hex`, is the function.  False: it is another line. */
static bool
parse_frame_line(struct piece line, struct frametext *t, char hex[20])
{
	size_t n = strspn(line.text, "0123456789abcdef");
	struct piece rest;

	if (n == 0 || n > 16 || n >= line.len || !is_blank(line.text[n]))
		return false;
	rest = trimmed((struct piece){line.text + n, line.len - n});
	if (rest.len == 0 || rest.text[rest.len - 1] != ')')
		return false;
	*t = frametext_py_spy(rest);
	t->line = -1;
	cut_offset(&t->func);
	parse_trampoline(t);
	if (piece_is(t->func, "[unknown]")) {
		int len = snprintf(hex, 20, "0x%.*s", (int)n, line.text);
		t->func = (struct piece){hex, (size_t)len};
	}
	if (piece_is(t->file, "[unknown]") || piece_is(t->file, "inlined"))
		t->file = (struct piece){"~", 1};
	return true;
}

/* Adds the frame of a line, if it is one. */
static int
push_line(struct perf_reader *r, struct piece line)
{
	struct frametext t;
	struct tach_frame f;
	char hex[20];
	uint32_t index = TACH_NONE;

	if (!parse_frame_line(line, &t, hex))
		return TACH_OK;
	if (frametext_intern(r->in->table, &t, &f))
		index = tach_table_add_frame(r->in->table, &f);
	if (index == TACH_NONE)
		return error_memory(&r->in->error);
	return stacks_push(&r->stacks, index);
}

/* ---- samples ------------------------------------------------------------- */

static int __attribute__((format(printf, 2, 3)))
perf_bad_line(struct perf_reader *r, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&r->in->error, TACH_EDAMAGED, "line %" PRIu64 ": %s",
	    r->lines.number, what);
}

static int
read_line(struct perf_reader *r)
{
	char *text;
	enum linebuf_result res = linebuf_next(&r->lines, &text, &r->line.len);

	r->line.text = text;
	if (res == LINEBUF_LONG)
		return perf_bad_line(r, "longer than %u MiB", LINEBUF_LONGEST >> 20);
	if (res == LINEBUF_FAILED)
		return origin_failed(r->lines.from, &r->in->error);
	if (res == LINEBUF_END)
		return TACH_END;
	if (memchr(text, '\0', r->line.len) != NULL)
		return perf_bad_line(r, "a byte of zero, which no text has");
	if (r->line.len > 0 && text[r->line.len - 1] == '\r')
		r->line.len--;
	r->line = trimmed(r->line);
	return TACH_OK;
}

/* Reads up to the next line that begins a sample. */
static int
find_head(struct perf_reader *r)
{
	int res;

	while ((res = read_line(r)) == TACH_OK) {
		if (r->line.len == 0 || *r->line.text == '#')
			continue;
		if (!perf_head_parse(r->line, &r->head))
			return perf_bad_line(r, "no first line of a sample: a "
			    "thread's name and number, a time, an event");
		r->ahead = true;
		return TACH_OK;
	}
	return res;
}

/* The time of the sample in its thread. */
static int
check_time(struct perf_reader *r, const struct perf_head *h)
{
	struct stacks_thread *t = stacks_current(&r->stacks);

	if (!r->begun)
		r->first = h->time;
	r->begun = true;
	if (h->time < r->first || h->time - r->first < t->latest)
		return perf_bad_line(r, "the time goes back to %" PRIu64 ".%06" PRIu64
		    " in thread %" PRIu64, h->time / 1000000,
		    h->time % 1000000, h->thread);
	t->latest = t->time = h->time - r->first;
	return TACH_OK;
}

/* Takes the sample that has begun, which an empty line ends. */
static int
take_perf_sample(struct perf_reader *r)
{
	const struct perf_head *h = &r->head;
	struct tach_string comm = {h->comm.text, h->comm.len};
	char where[32];
	int res;

	r->ahead = false;
	snprintf(where, sizeof(where), "line %" PRIu64 ": ", r->lines.number);
	stacks_begin(&r->stacks);
	if (stacks_thread(&r->stacks, h->thread, 0, comm) != TACH_OK ||
	    check_time(r, h) != TACH_OK || push_line(r, h->rest) != TACH_OK)
		return TACH_FATAL;
	while ((res = read_line(r)) == TACH_OK && r->line.len > 0) {
		/* Samples without stacks have no empty line between them. */
		if (perf_head_parse(r->line, &r->head)) {
			r->ahead = true;
			break;
		}
		if (push_line(r, r->line) != TACH_OK)
			return TACH_FATAL;
	}
	if (res == TACH_FATAL ||
	    stacks_take(&r->stacks, true, 1, where) != TACH_OK)
		return TACH_FATAL;
	return source_check_names(r->in);
}

/* ---- the source ---------------------------------------------------------- */

static int
perf_reader_next(struct source *source, struct tach_run *run)
{
	struct perf_reader *r = (struct perf_reader *)source;
	int res;

	if (!r->ahead && (res = find_head(r)) != TACH_OK)
		return res;
	if (take_perf_sample(r) != TACH_OK)
		return TACH_FATAL;
	stacks_run(&r->stacks, run);
	return TACH_OK;
}

static void
perf_reader_free(struct source *source)
{
	struct perf_reader *r = (struct perf_reader *)source;

	stacks_clear(&r->stacks);
	linebuf_clear(&r->lines);
	free(r);
}

/* The period of an event that counts time is the interval, in nanoseconds. */
static uint64_t
interval_of(const struct perf_head *h)
{
	bool clock = h->event.len >= 9 &&
	    (memcmp(h->event.text, "cpu-clock", 9) == 0 ||
		(h->event.len >= 10 &&
		    memcmp(h->event.text, "task-clock", 10) == 0));

	if (!clock || h->period == 0)
		return INTERVAL_ASSUMED;
	return h->period < 1000 ? 1 : h->period / 1000;
}

struct source *
perf_source(struct source_input *in, struct origin *from, const char *head,
    size_t len)
{
	struct perf_reader *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	r->source = (struct source){.next = perf_reader_next,
	    .free = perf_reader_free};
	r->in = in;
	in->info.input = TACH_INPUT_PERF;
	in->meta.interval_us = INTERVAL_ASSUMED;
	if (!linebuf_init(&r->lines, from, head, len) ||
	    !stacks_init(&r->stacks, in)) {
		error_memory(&in->error);
	} else if (find_head(r) != TACH_FATAL) {
		/* A text with a header alone has no first sample. */
		if (r->ahead)
			in->meta.interval_us = interval_of(&r->head);
		return &r->source;
	}
	perf_reader_free(&r->source);
	return NULL;
}
