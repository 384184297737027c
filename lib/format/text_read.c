/* SPDX-License-Identifier: ISC */
/* text_read.c: text as a source of runs; tach-text(5) has the grammar. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "format/escape.h"
#include "format/linebuf.h"
#include "format/number.h"
#include "format/source.h"
#include "format/stacktext.h"
#include "format/texthead.h"
#include "opcodes/opcodes.h"
#include "tach.h"

#define FIELDS 5
#define BATCH 4096 /* ticks of a run, at most */

/* A parsed line, except its frames. */
struct text_sample {
	uint64_t thread;
	uint32_t interp;
	struct tach_tick tick;
	struct piece stack; /* each frame with a semicolon behind it */
};

/* The parts of a frame.  A frame has 1, 3 or all of them. */
enum { PART_FILE, PART_FUNC, PART_LINE, PART_END_LINE, PART_COLUMN,
	PART_END_COLUMN, PART_OPCODE, PARTS };

/* How much of the next sample was read already. */
enum ahead { AHEAD_NOTHING, AHEAD_LINE, AHEAD_SAMPLE };

struct text_reader {
	struct source source;
	struct source_input *in;
	struct texthead header;
	struct linebuf lines;
	char *line; /* the current one */
	size_t len;
	struct text_sample sample;
	enum ahead ahead;
	struct stacktext stacks;
	struct buf scratch;
	struct tach_tick ticks[BATCH];
};

/* ---- what can be wrong --------------------------------------------------- */

static int
text_no_memory(struct text_reader *t)
{
	return error_memory(&t->in->error);
}

static int __attribute__((format(printf, 2, 3)))
bad_line(struct text_reader *t, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&t->in->error, TACH_EDAMAGED, "line %" PRIu64 ": %s",
	    t->lines.number, what);
}

static int
bad_field_number(struct text_reader *t, const char *field, struct piece p)
{
	char quoted[QUOTE_SIZE];

	return bad_line(t, "%s \"%s\" is %s", field,
	    escape_quote(quoted, p.text, p.len), number_fault(p.text, p.len));
}

/* ---- fields -------------------------------------------------------------- */

static size_t
count_tabs(const char *text, size_t len)
{
	const char *end = text + len;
	size_t n = 0;

	for (; (text = memchr(text, '\t', (size_t)(end - text))) != NULL;
	    text++)
		n++;
	return n;
}

/* Sets the error if the line has not the fields of a sample. */
static int
check_fields(struct text_reader *t)
{
	size_t fields = count_tabs(t->line, t->len) + 1;

	if (fields == FIELDS)
		return TACH_OK;
	if (fields < FIELDS)
		return bad_line(t, "%zu of %d fields", fields, FIELDS);
	return bad_line(t, "%zu fields, not %d", fields, FIELDS);
}

/* The text of a field, up to its tab or the end of the line. */
static struct piece
field_at(const struct text_reader *t, const char *at)
{
	size_t len = t->len - (size_t)(at - t->line);
	const char *tab = memchr(at, '\t', len);

	return (struct piece){at, tab != NULL ? (size_t)(tab - at) : len};
}

/* Reads a number and the tab behind it. */
static int
get_field(struct text_reader *t, const char **at, const char *field,
    uint64_t max, uint64_t *n)
{
	const char *end = number_get(*at, max, n);

	if (end != NULL && *end == '\t') {
		*at = end + 1;
		return TACH_OK;
	}
	if (check_fields(t) != TACH_OK)
		return TACH_FATAL;
	return bad_field_number(t, field, field_at(t, *at));
}

/* The status bit of a word, or 0. */
static uint8_t
status_bit(struct piece word)
{
	const char *name;

	for (unsigned i = 0; (name = tach_status_name(i)) != NULL; i++) {
		if (strlen(name) == word.len &&
		    memcmp(name, word.text, word.len) == 0)
			return (uint8_t)(1 << i);
	}
	return 0;
}

static int
bad_status(struct text_reader *t, struct piece word)
{
	char quoted[QUOTE_SIZE];

	return bad_line(t, "status \"%s\" is not known",
	    escape_quote(quoted, word.text, word.len));
}

static int
get_status(struct text_reader *t, const char **at, uint8_t *status)
{
	const char *p = *at;
	uint8_t bit;

	*status = 0;
	if (p[0] == '-' && p[1] == '\t') {
		*at += 2;
		return TACH_OK;
	}
	for (;; p++) {
		struct piece word = {p, 0};
		while (*p != ',' && *p != '\t' && *p != '\n')
			p++;
		word.len = (size_t)(p - word.text);
		if ((bit = status_bit(word)) == 0)
			return check_fields(t) != TACH_OK ? TACH_FATAL :
			    bad_status(t, word);
		*status |= bit;
		if (*p != ',')
			break;
	}
	if (*p != '\t')
		return check_fields(t);
	*at = p + 1;
	return TACH_OK;
}

/* Parses the line.  The end of the line becomes the end of a frame, if there
 * are any. */
static int
get_sample(struct text_reader *t)
{
	struct text_sample *s = &t->sample;
	const char *at = t->line;
	uint64_t interp;

	if (get_field(t, &at, "time", UINT64_MAX, &s->tick.time) != TACH_OK ||
	    get_field(t, &at, "interpreter", UINT32_MAX, &interp) != TACH_OK ||
	    get_field(t, &at, "thread", UINT64_MAX, &s->thread) != TACH_OK ||
	    get_status(t, &at, &s->tick.status) != TACH_OK)
		return TACH_FATAL;
	s->interp = (uint32_t)interp;
	s->stack.text = at;
	s->stack.len = t->len - (size_t)(at - t->line);
	if (s->stack.len > 0)
		s->stack.len++;
	t->line[t->len] = ';';
	return TACH_OK;
}

/* ---- frames -------------------------------------------------------------- */

/* Sets an error that begins with the frame, or that names a surplus field if
 * this is the fault. */
static int __attribute__((format(printf, 2, 3)))
bad_frame(struct text_reader *t, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	if (check_fields(t) != TACH_OK)
		return TACH_FATAL;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return bad_line(t, "frame %" PRIu32 "%s", t->stacks.nth, what);
}

/* Interns a name. */
static int
get_name(struct text_reader *t, struct piece p, uint32_t *index)
{
	struct buf *b = &t->scratch;
	char quoted[QUOTE_SIZE];
	const char *bad;

	b->len = 0;
	if ((bad = escape_undo(b, p.text, p.len)) != NULL)
		return bad_frame(t, ": \"%s\" %s",
		    escape_quote(quoted, p.text, p.len), escape_fault(bad));
	*index = b->failed ? TACH_NONE :
	    tach_table_add_string(t->in->table, b->text, b->len);
	return *index != TACH_NONE ? TACH_OK : text_no_memory(t);
}

/* Reads a part as a number; an empty part is -1. */
static int
get_part(struct text_reader *t, const struct piece *parts, int part, int32_t *n)
{
	static const char *const names[PARTS] = {
	    [PART_LINE] = "line",
	    [PART_END_LINE] = "end line",
	    [PART_COLUMN] = "column",
	    [PART_END_COLUMN] = "end column",
	};
	struct piece p = parts[part];
	bool minus = p.len > 0 && p.text[0] == '-';
	uint64_t value;
	char quoted[QUOTE_SIZE];

	*n = -1;
	if (p.len == 0)
		return TACH_OK;
	if (number_get(p.text + minus, (uint64_t)INT32_MAX + minus, &value) !=
	    p.text + p.len)
		return bad_frame(t, ": %s \"%s\" is %s", names[part],
		    escape_quote(quoted, p.text, p.len),
		    number_fault(p.text, p.len));
	*n = (int32_t)(minus ? -(int64_t)value : (int64_t)value);
	return TACH_OK;
}

/* Finds an opcode by its name alone, in the Python version of the header
 * lines. */
static int
find_opcode(struct text_reader *t, struct piece p, uint8_t *opcode)
{
	const uint8_t *python = t->in->meta.python;
	int found = opcodes_find(&t->in->meta, p.text, p.len);
	char quoted[QUOTE_SIZE];

	if (found < 0)
		return bad_frame(t, ": opcode \"%s\" is none of Python %u.%u",
		    escape_quote(quoted, p.text, p.len), python[0], python[1]);
	*opcode = (uint8_t)found;
	return TACH_OK;
}

/* Reads an opcode: a number, after which a name for people may stand, or a
 * name, or nothing for none. */
static int
get_opcode(struct text_reader *t, struct piece p, uint8_t *opcode)
{
	const char *slash = memchr(p.text, '/', p.len);
	char quoted[QUOTE_SIZE];
	uint64_t number;

	if (p.len == 0)
		return TACH_OK;
	if (p.text[0] >= 'A' && p.text[0] <= 'Z')
		return find_opcode(t, p, opcode);
	if (slash != NULL)
		p.len = (size_t)(slash - p.text);
	if (number_get(p.text, TACH_NO_OPCODE, &number) != p.text + p.len)
		return bad_frame(t, ": opcode \"%s\" is %s",
		    escape_quote(quoted, p.text, p.len),
		    number_fault(p.text, p.len));
	*opcode = (uint8_t)number;
	return TACH_OK;
}

/* Reads the parts that only the long form has. */
static int
get_positions(struct text_reader *t, const struct piece *parts,
    struct tach_frame *f)
{
	if (get_part(t, parts, PART_END_LINE, &f->end_line) != TACH_OK ||
	    get_part(t, parts, PART_COLUMN, &f->column) != TACH_OK ||
	    get_part(t, parts, PART_END_COLUMN, &f->end_column) != TACH_OK)
		return TACH_FATAL;
	return get_opcode(t, parts[PART_OPCODE], &f->opcode);
}

/* Cuts a frame at its colons.  Returns the number of its parts, of which at
 * most PARTS are stored. */
static size_t
split_frame(struct piece p, struct piece parts[PARTS])
{
	const char *end = p.text + p.len, *colon;
	size_t n = 0;

	for (;; p.text = colon + 1) {
		colon = memchr(p.text, ':', (size_t)(end - p.text));
		if (n < PARTS)
			parts[n] = (struct piece){p.text, (size_t)
			    ((colon != NULL ? colon : end) - p.text)};
		n++;
		if (colon == NULL)
			return n;
	}
}

static int
parse_frame(void *arg, struct piece p, struct tach_frame *f)
{
	static const struct piece nowhere = {"~", 1};
	struct text_reader *t = arg;
	struct piece parts[PARTS];
	size_t n = split_frame(p, parts);

	*f = (struct tach_frame){0, 0, -1, -1, -1, -1, TACH_NO_OPCODE};
	if (p.len == 0)
		return bad_frame(t, " is empty");
	if (n != 1 && n != PART_LINE + 1 && n != PARTS)
		return bad_frame(t, " has %zu colon%s, not 0, 2 or 6", n - 1,
		    n == 2 ? "" : "s");
	if (get_name(t, n == 1 ? nowhere : parts[PART_FILE], &f->file) !=
	    TACH_OK ||
	    get_name(t, n == 1 ? p : parts[PART_FUNC], &f->func) != TACH_OK)
		return TACH_FATAL;
	if (n == 1)
		return TACH_OK;
	if (get_part(t, parts, PART_LINE, &f->line) != TACH_OK)
		return TACH_FATAL;
	f->end_line = f->line;
	return n == PARTS ? get_positions(t, parts, f) : TACH_OK;
}

/* ---- the source ---------------------------------------------------------- */

static int
get_header(struct text_reader *t)
{
	struct error e = {0};

	if (texthead_get(&t->header, t->line, t->len, &e) == TACH_OK)
		return source_check_names(t->in);
	return error_set(&t->in->error, e.code, "line %" PRIu64 ": %s",
	    t->lines.number, e.text);
}

static int
bad_input(struct text_reader *t, enum linebuf_result res)
{
	if (res == LINEBUF_LONG)
		return bad_line(t, "longer than %u MiB",
		    LINEBUF_LONGEST >> 20);
	return origin_failed(t->lines.from, &t->in->error);
}

/* Removes the carriage return of a Windows line; in names both bytes are
 * escaped. */
static void
cut_return(struct text_reader *t)
{
	if (t->len > 0 && t->line[t->len - 1] == '\r')
		t->line[--t->len] = '\n';
}

/* Reads up to the next line with a sample. */
static int
get_line(struct text_reader *t)
{
	enum linebuf_result res;

	while ((res = linebuf_next(&t->lines, &t->line, &t->len)) ==
	    LINEBUF_OK) {
		cut_return(t);
		if (t->len == 0)
			continue;
		if (t->line[0] != '#') {
			t->ahead = AHEAD_LINE;
			t->header.closed = true;
			return TACH_OK;
		}
		if (get_header(t) != TACH_OK)
			return TACH_FATAL;
	}
	return res == LINEBUF_END ? TACH_END : bad_input(t, res);
}

/* Parses the current line, unless that was done. */
static int
get_ahead(struct text_reader *t)
{
	if (t->ahead == AHEAD_LINE && get_sample(t) != TACH_OK)
		return TACH_FATAL;
	t->ahead = AHEAD_SAMPLE;
	return TACH_OK;
}

/* Makes the sample the next tick of the current thread. */
static int
add_tick(struct text_reader *t, size_t n)
{
	struct text_thread *th = stacktext_current(&t->stacks);
	struct tach_tick tick = t->sample.tick;

	if (tick.time < th->time)
		return bad_line(t, "the time goes back from %" PRIu64 " to %"
		    PRIu64 " us in thread %" PRIu64 " (sort -n puts the lines "
		    "in order)", th->time, tick.time, th->id);
	th->time = tick.time;
	t->ticks[n] = tick;
	t->ahead = AHEAD_NOTHING;
	return TACH_OK;
}

/* Gathers the next samples with the same thread and stack, as far as they have
 * arrived.  Another sample is left for the next call. */
static size_t
gather_ticks(struct text_reader *t)
{
	const struct text_thread *th = stacktext_current(&t->stacks);
	const struct text_sample *s = &t->sample;
	size_t n = 1;

	while (n < BATCH && linebuf_ready(&t->lines)) {
		if (get_line(t) != TACH_OK || get_ahead(t) != TACH_OK ||
		    th->id != s->thread || th->interp != s->interp ||
		    !stacktext_same(th, s->stack) ||
		    add_tick(t, n) != TACH_OK)
			break;
		n++;
	}
	return n;
}

static void
text_give_run(struct text_reader *t, struct tach_run *run, uint32_t shared)
{
	*run = stacktext_run(&t->stacks, shared);
	run->ticks = t->ticks;
	run->count = gather_ticks(t);
	t->in->stats.samples += run->count;
	t->in->stats.frames_total += (uint64_t)run->count * run->depth;
}

static int
text_reader_next(struct source *source, struct tach_run *run)
{
	struct text_reader *t = (struct text_reader *)source;
	const struct text_sample *s = &t->sample;
	uint32_t shared;
	int res = TACH_OK;

	if (t->ahead == AHEAD_NOTHING)
		res = get_line(t);
	if (res != TACH_OK)
		return res;
	if (get_ahead(t) != TACH_OK ||
	    stacktext_thread(&t->stacks, s->thread, s->interp) != TACH_OK ||
	    stacktext_change(&t->stacks, s->stack, &shared) != TACH_OK ||
	    add_tick(t, 0) != TACH_OK)
		return TACH_FATAL;
	text_give_run(t, run, shared);
	return TACH_OK;
}

static void
text_reader_free(struct source *source)
{
	struct text_reader *t = (struct text_reader *)source;

	stacktext_clear(&t->stacks);
	buf_clear(&t->scratch);
	linebuf_clear(&t->lines);
	free(t);
}

struct source *
text_source(struct source_input *in, struct origin *from, const char *head,
    size_t len)
{
	struct text_reader *t = calloc(1, sizeof(*t));

	if (t == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	t->source = (struct source){.next = text_reader_next,
	    .free = text_reader_free};
	t->in = in;
	t->header = (struct texthead){.meta = &in->meta, .table = in->table};
	in->info.input = TACH_INPUT_TEXT;
	t->stacks = (struct stacktext){.in = in, .parse = parse_frame,
	    .arg = t};
	if (!linebuf_init(&t->lines, from, head, len) ||
	    !stacktext_init(&t->stacks))
		text_no_memory(t);
	else if (get_line(t) != TACH_FATAL)
		return &t->source;
	text_reader_free(&t->source);
	return NULL;
}
