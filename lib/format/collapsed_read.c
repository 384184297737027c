/* SPDX-License-Identifier: ISC */
/*
 * collapsed_read.c: collapsed stacks as a source of runs, one line a stack,
 *
 *	FRAME;FRAME;... COUNT
 *
 * outermost frame first.  The grammar of a frame is CPython's, py-spy's or
 * austin's, or a frame is a name alone.  Such a file has no times.  The times
 * of the runs are made up, in each thread one sample an interval after the
 * other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "format/collapsed.h"
#include "format/escape.h"
#include "format/frametext.h"
#include "format/linebuf.h"
#include "format/number.h"
#include "format/source.h"
#include "format/stacktext.h"
#include "tach.h"

#define BATCH 4096	      /* ticks of a run, at most */
#define INTERVAL_ASSUMED 1000 /* us, if the file does not say */

/* The unit of the number behind a stack. */
enum metric {
	METRIC_SAMPLES,
	METRIC_TIME, /* austin's: microseconds of one sample */
	METRIC_NONE, /* austin's bytes of memory: the line is one sample */
};

struct collapsed_reader {
	struct source source;
	struct source_input *in;
	struct linebuf lines;
	char *line; /* the current one */
	size_t len;
	bool ahead; /* the line was not parsed yet */
	bool austin, begun; /* austin's header was seen; a stack was seen */
	enum metric metric;
	struct stacktext stacks;
	uint64_t counted; /* samples of all lines up to this one */
	uint64_t left;	 /* samples of the line that are still to come */
	uint32_t shared; /* frames of the next run */
	struct buf name; /* of the line's thread */
	uint64_t good, odd; /* numbers of lines; odd ones are skipped */
	uint64_t first;	    /* number of the first odd one */
	struct error why;   /* the fault of that line */
	struct tach_tick ticks[BATCH];
};

/* ---- what can be wrong --------------------------------------------------- */

static int
collapsed_no_memory(struct collapsed_reader *c)
{
	return error_memory(&c->in->error);
}

static int __attribute__((format(printf, 2, 3)))
bad_line(struct collapsed_reader *c, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&c->in->error, TACH_EDAMAGED, "line %" PRIu64 ": %s",
	    c->lines.number, what);
}

/* A line without a stack is skipped, as flamegraph.pl and speedscope do. */
static int __attribute__((format(printf, 2, 3)))
odd_line(struct collapsed_reader *c, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	if (c->odd++ > 0)
		return TACH_WARN;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	c->first = c->lines.number;
	return error_warn(&c->why, TACH_EDAMAGED, "%s", what);
}

/* Reports a word that should be a count.  A number that is not supported is an
 * error: if its line was skipped, its stack would be missed. */
static int
bad_count(struct collapsed_reader *c, struct piece p)
{
	char quoted[QUOTE_SIZE];
	const char *fault = number_fault(p.text, p.len);

	escape_quote(quoted, p.text, p.len);
	if (strspn(p.text, "0123456789.,-") < p.len)
		return odd_line(c, "count \"%s\" is %s", quoted, fault);
	if (strspn(p.text, "0123456789.") >= p.len)
		fault = memchr(p.text, '.', p.len) == NULL ? "out of range" :
		    "not a whole number (multiply those of all lines alike)";
	return bad_line(c, "count \"%s\" is %s", quoted, fault);
}

/* ---- the kinds of lines -------------------------------------------------- */

static bool
piece_begins(struct piece p, const char *with)
{
	size_t n = strlen(with);

	return p.len >= n && memcmp(p.text, with, n) == 0;
}

bool
collapsed_comment(const char *line, size_t len)
{
	return len > 0 && line[0] == '#' && (len == 1 || line[1] == ' ');
}

bool
collapsed_austin(const char *line, size_t len)
{
	return piece_begins((struct piece){line, len}, "# austin: ");
}

/* The part behind the last blank, or nothing. */
static struct piece
last_word(struct piece line)
{
	size_t at = line.len;

	while (at > 0 && line.text[at - 1] != ' ' && line.text[at - 1] != '\t')
		at--;
	if (at == 0)
		return (struct piece){line.text + line.len, 0};
	return (struct piece){line.text + at, line.len - at};
}

bool
collapsed_counted(const char *line, size_t len)
{
	struct piece word = last_word((struct piece){line, len});

	for (size_t i = 0; i < word.len; i++)
		if (memchr("0123456789.,-", word.text[i], 13) == NULL)
			return false;
	return word.len > 0 && (*word.text == '-' ||
	    (*word.text >= '0' && *word.text <= '9'));
}

/* ---- austin's header ----------------------------------------------------- */

static int
get_interval(struct collapsed_reader *c, struct piece value)
{
	uint64_t n;
	char quoted[QUOTE_SIZE];

	if (number_get(value.text, UINT64_MAX, &n) != value.text + value.len ||
	    n == 0)
		return bad_line(c, "interval \"%s\" is not one in microseconds",
		    escape_quote(quoted, value.text, value.len));
	c->in->meta.interval_us = n;
	return TACH_OK;
}

static int
get_mode(struct collapsed_reader *c, struct piece value)
{
	static const struct {
		const char *name;
		enum metric metric;
	} modes[] = {
	    {"wall", METRIC_TIME},
	    {"cpu", METRIC_TIME},
	    {"full", METRIC_TIME},
	    {"memory", METRIC_NONE},
	};
	char quoted[QUOTE_SIZE];

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (piece_begins(value, modes[i].name) &&
		    value.len == strlen(modes[i].name)) {
			c->metric = modes[i].metric;
			return TACH_OK;
		}
	return bad_line(c, "austin's mode \"%s\" is not known",
	    escape_quote(quoted, value.text, value.len));
}

static int
get_comment(struct collapsed_reader *c)
{
	static const char interval[] = "# interval: ", mode[] = "# mode: ";
	struct piece line = {c->line, c->len}, value;

	if (collapsed_austin(c->line, c->len)) {
		if (c->austin || c->begun)
			return bad_line(c, "another \"# austin\": tach-merge "
			    "makes one profile of several");
		c->austin = true;
		c->metric = METRIC_TIME;
	}
	if (!c->austin || c->begun)
		return TACH_OK;
	value = last_word(line);
	if (piece_begins(line, interval))
		return get_interval(c, value);
	return piece_begins(line, mode) ? get_mode(c, value) : TACH_OK;
}

/* ---- a line's thread ----------------------------------------------------- */

struct id {
	uint64_t thread;
	uint32_t interp;
};

/* Takes a prefix of a stack. */
static bool
take_prefix(struct piece *p, const char *what)
{
	size_t n = strlen(what);

	if (!piece_begins(*p, what))
		return false;
	p->text += n;
	p->len -= n;
	return true;
}

static bool
take_number(struct piece *p, uint64_t max, uint64_t *n)
{
	const char *end = number_get(p->text, max, n);

	if (end == NULL)
		return false;
	p->len -= (size_t)(end - p->text);
	p->text = end;
	return true;
}

/* `tid:7;` */
static bool
take_cpython(struct piece *p, struct id *id)
{
	struct piece rest = *p;

	if (!take_prefix(&rest, "tid:") ||
	    !take_number(&rest, UINT64_MAX, &id->thread) ||
	    !take_prefix(&rest, ";"))
		return false;
	*p = rest;
	return true;
}

/* `P7;T0:8;` or `P7;T8;`: process, interpreter and thread.  The system numbers
 * the threads, so no two processes have the same number. */
static bool
take_austin(struct piece *p, struct id *id)
{
	struct piece rest = *p;
	uint64_t pid, first;

	if (!take_prefix(&rest, "P") || !take_number(&rest, UINT64_MAX, &pid) ||
	    !take_prefix(&rest, ";T") ||
	    !take_number(&rest, UINT64_MAX, &first))
		return false;
	*id = (struct id){first, 0};
	if (take_prefix(&rest, ":")) {
		if (first > UINT32_MAX ||
		    !take_number(&rest, UINT64_MAX, &id->thread))
			return false;
		id->interp = (uint32_t)first;
	}
	if (!take_prefix(&rest, ";"))
		return false;
	*p = rest;
	return true;
}

/* `0X7F12` or `7`. */
static bool
take_any_number(struct piece *p, uint64_t *n)
{
	char *end;

	if (!piece_begins(*p, "0x") && !piece_begins(*p, "0X"))
		return take_number(p, UINT64_MAX, n);
	errno = 0;
	*n = strtoull(p->text, &end, 16);
	if (errno != 0)
		return false;
	p->len -= (size_t)(end - p->text);
	p->text = end;
	return true;
}

/* `thread (0X7F12): NAME;`, after the processes that the thread runs in,
 * `process 7:"COMMAND";`.  The processes stay as frames, at the text from which
 * the thread was cut. */
static bool
take_py_spy(struct piece *p, struct id *id, struct buf *name)
{
	struct piece rest = *p;
	const char *quote, *end;
	size_t processes = 0;

	if (piece_begins(rest, "process ")) {
		quote = memmem(rest.text, rest.len, "\";thread (", 10);
		if (quote == NULL)
			return false;
		processes = (size_t)(quote + 2 - rest.text);
		rest = (struct piece){quote + 2, rest.len - processes};
	}
	if (!take_prefix(&rest, "thread (") ||
	    !take_any_number(&rest, &id->thread) || !piece_begins(rest, ")"))
		return false;
	if ((end = memchr(rest.text, ';', rest.len)) == NULL)
		return false;
	if (piece_begins(rest, "): "))
		buf_add(name, rest.text + 3, (size_t)(end - rest.text) - 3);
	end++;
	rest.len = (size_t)(rest.text + rest.len - end) + processes;
	rest.text = end - processes;
	memmove((char *)(uintptr_t)rest.text, p->text, processes);
	*p = rest;
	return true;
}

/* Cuts the thread and its name from a stack.  A stack without a thread has
 * thread 0 and an empty name. */
static struct id
take_thread(struct piece *stack, struct buf *name)
{
	struct id id = {0, 0};

	name->len = 0;
	if (!take_cpython(stack, &id) && !take_austin(stack, &id) &&
	    !take_py_spy(stack, &id, name))
		return (struct id){0, 0};
	return id;
}

/* Adds the name of a new thread as a note. */
static int
note_thread_name(struct collapsed_reader *c, struct id id)
{
	const struct buf *name = &c->name;

	if (name->failed)
		return collapsed_no_memory(c);
	return source_name_thread(c->in, id.interp, id.thread,
	    (struct tach_string){name->text, name->len});
}

/* Makes the line's thread the current one, and cuts it from the stack. */
static int
find_line_thread(struct collapsed_reader *c, struct piece *stack)
{
	uint32_t known = c->stacks.nthreads;
	struct id id = take_thread(stack, &c->name);

	if (stacktext_thread(&c->stacks, id.thread, id.interp) != TACH_OK)
		return TACH_FATAL;
	return c->stacks.nthreads > known ? note_thread_name(c, id) : TACH_OK;
}

/* ---- a line's stack ------------------------------------------------------ */

static int
parse_frame(void *arg, struct piece p, struct tach_frame *f)
{
	struct collapsed_reader *c = arg;
	struct frametext t = frametext_any(p);

	return frametext_intern(c->in->table, &t, f) ? TACH_OK :
	    collapsed_no_memory(c);
}

/* Skips a point and the zeros behind it. */
static const char *
skip_zeros(const char *p)
{
	if (*p == '.')
		do
			p++;
		while (*p == '0');
	return p;
}

/* Takes the count from the end of the line, as a number of samples. */
static int
get_count(struct collapsed_reader *c, struct piece *stack, uint64_t *count)
{
	uint64_t interval = c->in->meta.interval_us;
	struct piece word = last_word(*stack);
	const char *end;

	if (word.len == 0)
		return odd_line(c, "no count behind the stack");
	stack->len -= word.len + 1;
	*count = 1;
	if (c->metric == METRIC_NONE)
		return TACH_OK;
	/* In austin's full mode more numbers follow behind commas. */
	end = number_get(word.text, UINT64_MAX, count);
	if (end != NULL)
		end = skip_zeros(end);
	if (end == NULL || (end != word.text + word.len &&
	    (c->metric == METRIC_SAMPLES || *end != ',')))
		return bad_count(c, word);
	if (c->metric == METRIC_TIME) {
		*count = *count / interval +
		    (*count % interval >= interval - interval / 2);
		*count += *count == 0;
	}
	return TACH_OK;
}

/* Removes empty frames, and puts a semicolon behind each frame.  There is room
 * for a byte behind the stack. */
static void
separate(struct piece *stack)
{
	char *to = (char *)(uintptr_t)stack->text;
	size_t n = 0;

	to[stack->len++] = ';';
	if (to[0] != ';' && memmem(to, stack->len, ";;", 2) == NULL)
		return;
	for (size_t i = 0; i < stack->len; i++)
		if (to[i] != ';' || (n > 0 && to[n - 1] != ';'))
			to[n++] = to[i];
	stack->len = n;
}

/* Parses the line except its frames.  TACH_WARN if it has no stack. */
static int
get_stack(struct collapsed_reader *c, struct piece *stack, uint64_t *count)
{
	int res;

	*stack = (struct piece){c->line, c->len};
	if (memchr(stack->text, '\0', stack->len) != NULL)
		return bad_line(c, "a byte of zero, which no text has");
	if ((res = get_count(c, stack, count)) != TACH_OK)
		return res;
	while (stack->len > 0 && (stack->text[stack->len - 1] == ' ' ||
	    stack->text[stack->len - 1] == '\t'))
		stack->len--;
	separate(stack);
	if (stack->len == 0)
		return odd_line(c, "no stack before the count");
	return TACH_OK;
}

/* Whether so many more samples can be counted and can have times. */
static int
check_count(struct collapsed_reader *c, uint64_t count)
{
	const struct text_thread *t = stacktext_current(&c->stacks);
	uint64_t end;

	if (count > SOURCE_COUNTED_MAX - c->counted)
		return bad_line(c, "the counts add up to more than %" PRIu64
		    " samples (divide those of all lines alike)",
		    SOURCE_COUNTED_MAX);
	c->counted += count;
	if (__builtin_mul_overflow(count, c->in->meta.interval_us, &end) ||
	    __builtin_add_overflow(t->time, end, &end))
		return bad_line(c, "the counts of thread %" PRIu64 " add up to "
		    "a time that is out of range, at an interval of %" PRIu64
		    " us", t->id, c->in->meta.interval_us);
	return TACH_OK;
}

/* Makes the samples of the line the next to be given.  There may be none. */
static int
take_stack_line(struct collapsed_reader *c)
{
	struct piece stack;
	uint64_t count = 0;
	int res;

	c->ahead = false;
	res = get_stack(c, &stack, &count);
	if (res == TACH_FATAL)
		return TACH_FATAL;
	c->good += res == TACH_OK;
	if (res == TACH_WARN || count == 0)
		return TACH_OK;
	if (find_line_thread(c, &stack) != TACH_OK ||
	    check_count(c, count) != TACH_OK ||
	    stacktext_change(&c->stacks, stack, &c->shared) != TACH_OK)
		return TACH_FATAL;
	c->left = count;
	return TACH_OK;
}

/* ---- the source ---------------------------------------------------------- */

static int
bad_input(struct collapsed_reader *c, enum linebuf_result res)
{
	if (res == LINEBUF_LONG)
		return bad_line(c, "longer than %u MiB",
		    LINEBUF_LONGEST >> 20);
	return origin_failed(c->lines.from, &c->in->error);
}

/* Reads up to the next line with a stack. */
static int
get_line(struct collapsed_reader *c)
{
	enum linebuf_result res;

	while ((res = linebuf_next(&c->lines, &c->line, &c->len)) ==
	    LINEBUF_OK) {
		c->len -= c->len > 0 && c->line[c->len - 1] == '\r';
		if (c->len == 0)
			continue;
		if (!collapsed_comment(c->line, c->len)) {
			c->ahead = c->begun = true;
			return TACH_OK;
		}
		if (get_comment(c) != TACH_OK)
			return TACH_FATAL;
	}
	return res == LINEBUF_END ? TACH_END : bad_input(c, res);
}

static void
collapsed_give_run(struct collapsed_reader *c, struct tach_run *run)
{
	struct text_thread *t = stacktext_current(&c->stacks);
	uint64_t time = t->time, interval = c->in->meta.interval_us;
	size_t n = c->left < BATCH ? (size_t)c->left : BATCH;

	for (size_t i = 0; i < n; i++)
		c->ticks[i].time = time + i * interval;
	t->time += n * interval;
	c->left -= n;
	*run = stacktext_run(&c->stacks, c->shared);
	run->ticks = c->ticks;
	run->count = n;
	c->shared = run->depth;
	c->in->stats.samples += n;
	c->in->stats.frames_total += (uint64_t)n * run->depth;
}

/* Warns once of the skipped lines.  If most lines were skipped, the file is not
 * one of collapsed stacks. */
static int
at_end(struct collapsed_reader *c)
{
	uint64_t odd = c->odd;

	c->odd = 0;
	if (odd > c->good)
		return error_set(&c->in->error,
		    c->good == 0 ? TACH_EFOREIGN : TACH_EDAMAGED,
		    "%" PRIu64 " of %" PRIu64
		    " lines are no collapsed stacks; line %" PRIu64 ": %s",
		    odd, odd + c->good, c->first, c->why.text);
	if (odd > 0)
		error_add(&c->in->warning, TACH_WARN, "%" PRIu64 " line%s "
		    "passed over; line %" PRIu64 ": %s", odd, odd == 1 ?
		    " is" : "s are", c->first, c->why.text);
	return TACH_END;
}

static int
collapsed_check(struct source *source)
{
	struct collapsed_reader *c = (struct collapsed_reader *)source;

	if (c->first == 0)
		return TACH_OK;
	return error_warn(&c->in->error, TACH_EDAMAGED, "%s",
	    c->in->warning.text);
}

static int
collapsed_reader_next(struct source *source, struct tach_run *run)
{
	struct collapsed_reader *c = (struct collapsed_reader *)source;
	int res;

	while (c->left == 0) {
		if (!c->ahead && (res = get_line(c)) != TACH_OK)
			return res == TACH_END ? at_end(c) : res;
		if (take_stack_line(c) != TACH_OK)
			return TACH_FATAL;
	}
	collapsed_give_run(c, run);
	return TACH_OK;
}

static void
collapsed_reader_free(struct source *source)
{
	struct collapsed_reader *c = (struct collapsed_reader *)source;

	stacktext_clear(&c->stacks);
	buf_clear(&c->name);
	linebuf_clear(&c->lines);
	free(c);
}

/* Such files have no status of a thread. */
static void
fill_ticks(struct collapsed_reader *c)
{
	for (size_t i = 0; i < BATCH; i++)
		c->ticks[i].status = TACH_STATUS_UNKNOWN;
}

struct source *
collapsed_source(struct source_input *in, struct origin *from, const char *head,
    size_t len)
{
	struct collapsed_reader *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	c->source = (struct source){.next = collapsed_reader_next,
	    .check = collapsed_check, .free = collapsed_reader_free};
	c->in = in;
	c->stacks = (struct stacktext){.in = in, .parse = parse_frame,
	    .arg = c};
	fill_ticks(c);
	in->info.input = TACH_INPUT_COLLAPSED;
	in->meta.interval_us = INTERVAL_ASSUMED;
	if (!linebuf_init(&c->lines, from, head, len) ||
	    !stacktext_init(&c->stacks))
		collapsed_no_memory(c);
	else if (get_line(c) != TACH_FATAL)
		return &c->source;
	collapsed_reader_free(&c->source);
	return NULL;
}
