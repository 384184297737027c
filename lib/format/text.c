/* SPDX-License-Identifier: ISC */
/*
 * text.c: samples as text, one line a sample; tach-cat(1) has the grammar.
 * Each frame's text is made once, and a run's stack once for all its ticks.
 */
#define LIBBSD_OPENBSD_VIS /* which strnvis(3) is meant: none is used here */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vis.h>

#include "buf.h"
#include "error.h"
#include "tach.h"
#include "utf8.h"

/* Limits on what is kept, so that a small hostile file, whose deep stacks
 * repeat one long name, cannot ask for memory without end.  Text beyond them
 * is made anew whenever it is printed. */
#define KEPT_MAX (64u << 20)  /* bytes of frames */
#define STACK_MAX (1u << 20) /* bytes of a stack */

/* What a name must not hold as it is, since it ends a name, a frame, a stack
 * or a word; the backslash begins an escape. */
#define MARKS " \t\n\\;:"

struct text {
	struct tach_sink sink;
	FILE *out;
	const struct tach_table *table;
	struct tach_string *frames; /* by index; NULL bytes: not made yet */
	uint32_t frames_max;
	size_t kept;
	struct buf frame, stack, line;
	struct error error;
};

/* The length of a character that is printed as it is, or 0. */
static size_t
plain(const char *bytes, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode(bytes, len, &code);

	if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	return n == 1 && strchr(MARKS, (int)code) != NULL ? 0 : n;
}

static void
add_escape(struct buf *b, char c)
{
	char escape[8]; /* \ooo */
	char *end = svis(escape, (unsigned char)c, VIS_OCTAL | VIS_NOLOCALE, 0,
	    MARKS);

	if (end == NULL)
		b->failed = true;
	else
		buf_add(b, escape, (size_t)(end - escape));
}

static void
add_name(struct buf *b, struct tach_string name)
{
	for (size_t i = 0, n; i < name.len; i += n) {
		n = plain(name.bytes + i, name.len - i);
		if (n > 0) {
			buf_add(b, name.bytes + i, n);
		} else {
			add_escape(b, name.bytes[i]);
			n = 1;
		}
	}
}

/* A frame such as <GC>, which stands for no place in a file. */
static bool
synthetic(const struct tach_frame *f, struct tach_string file,
    struct tach_string func)
{
	return f->line == -1 && func.len > 0 &&
	    (file.len == 0 || (file.len == 1 && file.bytes[0] == '~'));
}

static void
add_line(struct buf *b, int32_t line)
{
	if (line == -1)
		return;
	if (line < 0)
		buf_add_char(b, '-');
	buf_add_number(b, line < 0 ? -(int64_t)line : line);
}

static void
make_frame(struct buf *b, const struct tach_table *table, uint32_t index)
{
	const struct tach_frame *f = tach_table_frame(table, index);
	struct tach_string file = tach_table_string(table, f->file);
	struct tach_string func = tach_table_string(table, f->func);

	b->len = 0;
	if (synthetic(f, file, func)) {
		add_name(b, func);
		return;
	}
	add_name(b, file);
	buf_add_char(b, ':');
	add_name(b, func);
	buf_add_char(b, ':');
	add_line(b, f->line);
}

/* Makes room to keep the text of every frame that the table has by now. */
static bool
reserve_frames(struct text *t)
{
	uint32_t n = tach_table_frames(t->table);
	struct tach_string *p = reallocarray(t->frames, n, sizeof(*p));

	if (p == NULL)
		return false;
	memset(p + t->frames_max, 0, (n - t->frames_max) * sizeof(*p));
	t->frames = p;
	t->frames_max = n;
	return true;
}

/* The text of a frame, valid until the next call.  NULL bytes: out of
 * memory. */
static struct tach_string
frame_text(struct text *t, uint32_t index)
{
	struct buf *b = &t->frame;
	char *copy;

	if (index < t->frames_max && t->frames[index].bytes != NULL)
		return t->frames[index];
	make_frame(b, t->table, index);
	if (b->failed || (index >= t->frames_max && !reserve_frames(t)))
		return (struct tach_string){NULL, 0};
	if (b->len > KEPT_MAX - t->kept || (copy = malloc(b->len)) == NULL)
		return (struct tach_string){b->text, b->len};
	t->kept += b->len;
	return t->frames[index] = (struct tach_string){
	    memcpy(copy, b->text, b->len), b->len};
}

/* Puts the run's stack, root first, into t->stack, to its end of line. */
static bool
make_stack(struct text *t, const struct tach_run *run)
{
	struct buf *b = &t->stack;

	b->len = 0;
	for (uint32_t i = run->depth; i-- > 0 && b->len <= STACK_MAX;) {
		struct tach_string s = frame_text(t, run->frames[i]);
		buf_add(b, s.bytes, s.len);
		buf_add_char(b, i > 0 ? ';' : '\n');
		if (s.bytes == NULL)
			return false;
	}
	if (run->depth == 0)
		buf_add_char(b, '\n');
	return !b->failed;
}

static bool
put(struct text *t, const char *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, t->out) == len)
		return true;
	error_set(&t->error, TACH_FATAL, "%s", strerror(errno));
	return false;
}

/* A stack that is too long to be kept, frame by frame. */
static bool
put_stack(struct text *t, const struct tach_run *run)
{
	for (uint32_t i = run->depth; i-- > 0;) {
		struct tach_string s = frame_text(t, run->frames[i]);
		if (s.bytes == NULL || !put(t, s.bytes, s.len) ||
		    !put(t, i > 0 ? ";" : "\n", 1))
			return false;
	}
	return true;
}

static void
add_status(struct buf *b, uint8_t status)
{
	static const char *const words[8] = {"gil", "cpu", "unknown",
	    "gil-wanted", "exception", "main", "0x40", "0x80"};
	const char *comma = "";

	if (status == 0)
		buf_add_char(b, '-');
	for (int i = 0; i < 8; i++) {
		if ((status & 1 << i) == 0)
			continue;
		buf_add(b, comma, strlen(comma));
		buf_add(b, words[i], strlen(words[i]));
		comma = ",";
	}
}

/* All of a line that stands before the stack. */
static bool
make_head(struct text *t, const struct tach_run *run,
    const struct tach_tick *tick)
{
	struct buf *b = &t->line;

	b->len = 0;
	buf_add_number(b, tick->time);
	buf_add_char(b, '\t');
	buf_add_number(b, run->interp);
	buf_add_char(b, '\t');
	buf_add_number(b, run->thread);
	buf_add_char(b, '\t');
	add_status(b, tick->status);
	buf_add_char(b, '\t');
	return !b->failed;
}

static int
text_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct text *t = (struct text *)sink;
	bool ok = make_stack(t, run);
	bool kept = t->stack.len <= STACK_MAX;

	for (size_t i = 0; ok && i < run->count; i++) {
		ok = make_head(t, run, &run->ticks[i]) &&
		    put(t, t->line.text, t->line.len) &&
		    (kept ? put(t, t->stack.text, t->stack.len) :
			    put_stack(t, run));
	}
	if (!ok) /* unless put has told its own reason */
		return error_set(&t->error, TACH_FATAL, "%s", strerror(ENOMEM));
	return TACH_OK;
}

static int
text_end(struct tach_sink *sink)
{
	(void)sink;
	return TACH_OK;
}

static void
text_free(struct tach_sink *sink)
{
	struct text *t = (struct text *)sink;

	for (uint32_t i = 0; i < t->frames_max; i++)
		free((char *)(uintptr_t)t->frames[i].bytes);
	free(t->frames);
	buf_clear(&t->frame);
	buf_clear(&t->stack);
	buf_clear(&t->line);
	free(t);
}

static const char *
text_error(const struct tach_sink *sink)
{
	return ((const struct text *)sink)->error.text;
}

struct tach_sink *
tach_text_new(FILE *out, const struct tach_table *table)
{
	struct text *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->sink = (struct tach_sink){text_run, text_end, text_free, text_error};
	t->out = out;
	t->table = table;
	return &t->sink;
}
