/* SPDX-License-Identifier: ISC */
/*
 * text.c: samples as text, one line a sample; tach-text(5) has the grammar. The
 * text of a frame is made once, the text of a run's stack once for all its
 * ticks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "buf.h"
#include "error.h"
#include "format/escape.h"
#include "format/texthead.h"
#include "stream.h"
#include "status.h"
#include "tach.h"

/* Characters that are escaped in names, since they end a name, a frame, a stack
 * or a word; the backslash begins an escape. */
#define MARKS " \t\n\\;:"

struct text {
	struct tach_sink sink;
	FILE *out;
	bool long_form;
	const struct tach_meta *meta;
	const struct tach_table *table;
	bool started;	/* the header lines are written */
	uint32_t noted; /* strings that were searched for notes */
	struct tach_string *frames; /* by index; NULL bytes: not made yet */
	size_t frames_max;
	size_t kept;
	struct buf frame, stack, line;
	struct error error;
};

static void
add_escaped_name(struct buf *b, struct tach_string name)
{
	escape_add(b, name.bytes, name.len, MARKS);
}

/* A frame such as <GC>, which has no place in a file. */
static bool
synthetic(const struct tach_frame *f, struct tach_string file,
    struct tach_string func)
{
	return f->line == -1 && func.len > 0 &&
	    (file.len == 0 || (file.len == 1 && file.bytes[0] == '~'));
}

/* Adds a number; nothing if it is not known. */
static void
add_part(struct buf *b, int32_t n)
{
	buf_add_char(b, ':');
	if (n == -1)
		return;
	if (n < 0)
		buf_add_char(b, '-');
	buf_add_number(b, n < 0 ? -(int64_t)n : n);
}

/* Adds an opcode, with its name if it has one. */
static void
add_opcode(struct buf *b, const struct tach_meta *meta, uint8_t opcode)
{
	const char *name = tach_opcode_name(meta, opcode);

	add_part(b, opcode != TACH_NO_OPCODE ? opcode : -1);
	if (name != NULL) {
		buf_add_char(b, '/');
		buf_add_text(b, name);
	}
}

static void
add_positions(struct buf *b, const struct tach_meta *meta,
    const struct tach_frame *f)
{
	add_part(b, f->end_line);
	add_part(b, f->column);
	add_part(b, f->end_column);
	add_opcode(b, meta, f->opcode);
}

static void
make_frame_text(struct text *t, uint32_t index)
{
	struct buf *b = &t->frame;
	const struct tach_frame *f = tach_table_frame(t->table, index);
	struct tach_string file = tach_table_string(t->table, f->file);
	struct tach_string func = tach_table_string(t->table, f->func);

	b->len = 0;
	if (!t->long_form && synthetic(f, file, func)) {
		add_escaped_name(b, func);
		return;
	}
	add_escaped_name(b, file);
	buf_add_char(b, ':');
	add_escaped_name(b, func);
	add_part(b, f->line);
	if (t->long_form)
		add_positions(b, t->meta, f);
}

/* Makes room for the texts of all frames of the table, which grows while a recorder's
 * is printed. */
static bool
reserve_frame_texts(struct text *t)
{
	struct tach_string *p = array_reserve_set(t->frames, &t->frames_max,
	    tach_table_frame_count(t->table), sizeof(*p), 0);

	if (p == NULL)
		return false;
	t->frames = p;
	return true;
}

/* The text of a frame, valid until the next call.  Bytes are NULL if out of
 * memory. */
static struct tach_string
text_of_frame(struct text *t, uint32_t index)
{
	struct buf *b = &t->frame;
	char *copy;

	if (index < t->frames_max && t->frames[index].bytes != NULL)
		return t->frames[index];
	make_frame_text(t, index);
	if (b->failed || (index >= t->frames_max && !reserve_frame_texts(t)))
		return (struct tach_string){NULL, 0};
	if (b->len > LIMIT_KEPT - t->kept || (copy = malloc(b->len)) == NULL)
		return (struct tach_string){b->text, b->len};
	t->kept += b->len;
	return t->frames[index] = (struct tach_string){
	    memcpy(copy, b->text, b->len), b->len};
}

/* Makes the text of the run's stack in t->stack, root first, up to the end of
 * the line. */
static bool
make_stack_text(struct text *t, const struct tach_run *run)
{
	struct buf *b = &t->stack;

	b->len = 0;
	for (uint32_t i = run->depth; i-- > 0 && b->len <= LIMIT_STACK;) {
		struct tach_string s = text_of_frame(t, run->frames[i]);
		buf_add(b, s.bytes, s.len);
		buf_add_char(b, i > 0 ? ';' : '\n');
		if (s.bytes == NULL)
			return false;
	}
	if (run->depth == 0)
		buf_add_char(b, '\n');
	return !b->failed;
}

/* Sets the error if a write failed. */
static bool
text_written(struct text *t, bool ok)
{
	if (!ok)
		error_system(&t->error, "", errno);
	return ok;
}

static bool
text_put(struct text *t, const char *bytes, size_t len)
{
	return text_written(t, fwrite(bytes, 1, len, t->out) == len);
}

/* Writes a stack that is too long to be kept, frame by frame. */
static bool
put_long_stack(struct text *t, const struct tach_run *run)
{
	for (uint32_t i = run->depth; i-- > 0;) {
		struct tach_string s = text_of_frame(t, run->frames[i]);
		if (s.bytes == NULL || !text_put(t, s.bytes, s.len) ||
		    !text_put(t, i > 0 ? ";" : "\n", 1))
			return false;
	}
	return true;
}

static void
add_status(struct buf *b, uint8_t status)
{
	if (status == 0)
		buf_add_char(b, '-');
	status_add_words(b, status);
}

/* Makes the part of a line before the stack. */
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

/* A line is written in one piece. */
static bool
add_stack(struct text *t)
{
	buf_add(&t->line, t->stack.text, t->stack.len);
	return !t->line.failed;
}

/* The notes that the table has got since the last call. */
static bool
put_new_notes(struct text *t)
{
	struct buf *b = &t->line;
	struct tach_string note;

	for (; t->noted < tach_table_string_count(t->table); t->noted++) {
		if (!tach_string_note(tach_table_string(t->table, t->noted),
			&note))
			continue;
		b->len = 0;
		texthead_add_note(b, note);
		if (b->failed || !text_put(t, b->text, b->len))
			return false;
	}
	return true;
}

/* Writes the header lines of the long form, before anything else. */
static bool
text_begin_header(struct text *t)
{
	if (!t->long_form || t->started)
		return true;
	t->started = true;
	return text_written(t, texthead_put(t->out, t->meta)) &&
	    put_new_notes(t);
}

/* The result of a call.  A failure without an error of a write is one of
 * memory. */
static int
result(struct text *t, bool ok)
{
	return ok ? TACH_OK : error_system(&t->error, "", ENOMEM);
}

static int
text_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct text *t = sink->arg;

	t->meta = meta;
	t->table = table;
	return t->out != NULL ? TACH_OK : TACH_FATAL;
}

static int
text_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct text *t = sink->arg;
	bool ok = text_begin_header(t) && make_stack_text(t, run);
	bool kept = t->stack.len <= LIMIT_STACK;

	for (size_t i = 0; ok && i < run->count; i++)
		ok = make_head(t, run, &run->ticks[i]) &&
		    (!kept || add_stack(t)) &&
		    text_put(t, t->line.text, t->line.len) &&
		    (kept || put_long_stack(t, run));
	return result(t, ok);
}

static int
text_end(struct tach_sink *sink)
{
	struct text *t = sink->arg;

	return result(t, text_begin_header(t) &&
	    (!t->long_form || put_new_notes(t)) &&
	    text_written(t, fflush(t->out) == 0));
}

static void
text_free(struct tach_sink *sink)
{
	struct text *t = sink->arg;

	for (size_t i = 0; i < t->frames_max; i++)
		free((char *)(uintptr_t)t->frames[i].bytes);
	free(t->frames);
	if (t->out != NULL)
		fclose(t->out);
	buf_clear(&t->frame);
	buf_clear(&t->stack);
	buf_clear(&t->line);
	free(t);
}

static enum tach_error
text_error(const struct tach_sink *sink, const char **line)
{
	const struct text *t = sink->arg;

	return error_get(&t->error, line);
}

struct tach_sink *
tach_text_new(const struct tach_output *output, bool long_form)
{
	struct text *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->sink = (struct tach_sink){.size = sizeof(t->sink),
	    .arg = t,
	    .begin = text_begin,
	    .run = text_run,
	    .end = text_end,
	    .free = text_free,
	    .error = text_error};
	t->long_form = long_form;
	t->out = stream_open(output, &t->error);
	if (t->out != NULL || t->error.code != TACH_ENOMEM)
		return &t->sink;
	free(t);
	return NULL;
}
