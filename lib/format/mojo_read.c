/* SPDX-License-Identifier: ISC */
/*
 * mojo_read.c: MOJO, austin's binary format, of the versions 1 to 4, as a source of
 * runs.  It is `MOJ`, the version, and events:
 *
 *	1 metadata	key, value
 *	2 stack		process, interpreter (since 3), thread: a sample begins
 *	3 frame		key, file, function, line and (since 2) end line, columns
 *	4 invalid frame
 *	5 frame of the sample, by its key
 *	6 frame of the kernel	name
 *	7 garbage is collected
 *	8 the thread is idle
 *	9 time of the sample, 10 bytes of memory
 *	11 string	key, text; 12 the same again
 *	13 (since 4) the frames of the thread's sample before this one
 *	14 task		task, name; frames and a time belong to it
 *	15 task, task that waits for it
 *
 * Frames come outermost first.  Keys are those of one process.  In a number the
 * first byte has a sign and six bits, each other one seven; text ends with a zero.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "format/frametext.h"
#include "format/number.h"
#include "format/source.h"
#include "format/stacks.h"
#include "format/zio.h"
#include "hash.h"
#include "note.h"
#include "set.h"
#include "tach.h"

#define VERSION_MAX 4
#define TEXT_MAX 65536 /* bytes */
#define KEYS_MAX (UINT32_C(1) << 22)
#define INTERVAL_ASSUMED 1000 /* us, if the metadata do not say */

enum event {
	EVENT_METADATA = 1, EVENT_STACK, EVENT_FRAME, EVENT_INVALID,
	EVENT_FRAME_REF, EVENT_KERNEL, EVENT_GC, EVENT_IDLE, EVENT_TIME,
	EVENT_MEMORY, EVENT_STRING, EVENT_STRING_REF, EVENT_REPEAT, EVENT_TASK,
	EVENT_WAITER
};

/* The string or the frame that a key stands for. */
struct keyed {
	uint64_t process, key;
	bool frame;
	uint32_t index; /* in the table */
};

struct mojo_reader {
	struct source source;
	struct source_input *in;
	uint64_t size;
	struct zin zin;
	uint64_t version;
	struct keyed *keyed;
	uint32_t nkeyed;
	size_t keyed_max;
	struct set keyed_set;
	struct buf text;
	uint64_t process;
	bool begun;	/* a stack was seen */
	bool open;	/* the sample is not given yet */
	bool in_task;	/* frames and time are a task's */
	bool has_time, has_memory;
	uint64_t sample_at, time; /* of the sample: offset, us */
	struct stacks stacks;
};

/* ---- what can be wrong --------------------------------------------------- */

static int
mojo_no_memory(struct mojo_reader *m)
{
	return error_memory(&m->in->error);
}

static uint64_t
mojo_at(const struct mojo_reader *m)
{
	return zin_offset(&m->zin);
}

static int __attribute__((format(printf, 3, 4)))
bad_event(struct mojo_reader *m, uint64_t at, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&m->in->error, TACH_EDAMAGED, "byte %" PRIu64 ": %s",
	    at, what);
}

/* The bytes end, or cannot be read. */
static int
mojo_bad_end(struct mojo_reader *m, const char *what)
{
	const struct error *problem = &m->zin.problem;

	if (problem->text[0] != '\0')
		return error_set(&m->in->error, problem->code, "%s",
		    problem->text);
	return error_set(&m->in->error, TACH_ETRUNCATED, "byte %" PRIu64
	    ": truncated: %s", m->size, what);
}

/* ---- numbers and text ---------------------------------------------------- */

static int
take_byte(struct mojo_reader *m, uint8_t *byte)
{
	zin_need(&m->zin, 1);
	if (cursor_left(&m->zin.cur) == 0)
		return mojo_bad_end(m, "the last event is not complete");
	*byte = cursor_u8(&m->zin.cur);
	return TACH_OK;
}

static int
take_signed(struct mojo_reader *m, uint64_t *n, bool *negative)
{
	uint64_t at = mojo_at(m);
	uint8_t byte = 0;

	if (take_byte(m, &byte) != TACH_OK)
		return TACH_FATAL;
	*n = byte & 0x3f;
	*negative = (byte & 0x40) != 0;
	for (unsigned shift = 6; byte >= 0x80; shift += 7) {
		if (take_byte(m, &byte) != TACH_OK)
			return TACH_FATAL;
		if (shift > 63 || (shift > 57 && (byte & 0x7f) >> (64 - shift)))
			return bad_event(m, at, "a number of more than 64 bits");
		*n |= (uint64_t)(byte & 0x7f) << shift;
	}
	return TACH_OK;
}

static int
take_number(struct mojo_reader *m, const char *field, uint64_t *n)
{
	uint64_t at = mojo_at(m);
	bool negative;

	if (take_signed(m, n, &negative) != TACH_OK)
		return TACH_FATAL;
	return !negative || *n == 0 ? TACH_OK :
	    bad_event(m, at, "%s -%" PRIu64 " is out of range", field, *n);
}

/* Reads a text into m->text. */
static int
take_text(struct mojo_reader *m, const char *field)
{
	uint64_t at = mojo_at(m);
	struct cursor *c = &m->zin.cur;
	const uint8_t *end = NULL;

	for (m->text.len = 0; end == NULL;) {
		size_t n;
		zin_need(&m->zin, 1);
		if (cursor_left(c) == 0)
			return mojo_bad_end(m, "the last text is not complete");
		end = memchr(c->pos, '\0', cursor_left(c));
		n = end != NULL ? (size_t)(end - c->pos) : cursor_left(c);
		if (n > TEXT_MAX - m->text.len)
			return bad_event(m, at, "%s of more than %d bytes",
			    field, TEXT_MAX);
		buf_add(&m->text, (const char *)c->pos, n);
		c->pos += n + (end != NULL);
	}
	return m->text.failed ? mojo_no_memory(m) : TACH_OK;
}

static bool
text_is(const struct mojo_reader *m, const char *word)
{
	return m->text.len == strlen(word) &&
	    memcmp(m->text.text, word, m->text.len) == 0;
}

/* ---- keys ---------------------------------------------------------------- */

static bool
keyed_equal(const void *arg, uint32_t index)
{
	const void *const *key = arg;
	const struct keyed *a = key[1];
	const struct keyed *b =
	    &((const struct mojo_reader *)key[0])->keyed[index];

	return a->process == b->process && a->key == b->key &&
	    a->frame == b->frame;
}

static uint64_t
keyed_hash(const struct keyed *k)
{
	return hash_of(&k->key, sizeof(k->key), k->process * 2 + k->frame);
}

/* NULL: there is none. */
static struct keyed *
find_keyed(struct mojo_reader *m, const struct keyed *k)
{
	const void *key[] = {m, k};
	uint32_t index = set_find(&m->keyed_set, keyed_hash(k), keyed_equal,
	    key);

	return index == TACH_NONE ? NULL : &m->keyed[index];
}

/* A key that is used again stands for what came last. */
static int
set_keyed(struct mojo_reader *m, const struct keyed *k)
{
	struct keyed *p = find_keyed(m, k);

	if (k->index == TACH_NONE)
		return mojo_no_memory(m);
	if (p != NULL) {
		p->index = k->index;
		return source_check_names(m->in);
	}
	if (m->nkeyed == KEYS_MAX)
		return error_set(&m->in->error, TACH_ELIMIT, "more than %u keys "
		    "are not read", KEYS_MAX);
	p = array_grow(m->keyed, m->nkeyed, &m->keyed_max, sizeof(*p));
	if (p == NULL)
		return mojo_no_memory(m);
	m->keyed = p;
	p[m->nkeyed] = *k;
	if (!set_add(&m->keyed_set, keyed_hash(k), m->nkeyed))
		return mojo_no_memory(m);
	m->nkeyed++;
	return source_check_names(m->in);
}

static int
take_string(struct mojo_reader *m)
{
	struct keyed k = {.process = m->process};

	if (take_number(m, "key", &k.key) != TACH_OK ||
	    take_text(m, "string") != TACH_OK)
		return TACH_FATAL;
	k.index = tach_table_add_string(m->in->table, m->text.text,
	    m->text.len);
	return set_keyed(m, &k);
}

/* ---- frames -------------------------------------------------------------- */

/* The string of a key.  austin writes 1 for a name that it could not read. */
static int
take_key_name(struct mojo_reader *m, const char *field, uint32_t *index)
{
	struct keyed k = {.process = m->process}, *found;
	uint64_t at = mojo_at(m);

	if (take_number(m, field, &k.key) != TACH_OK)
		return TACH_FATAL;
	found = find_keyed(m, &k);
	if (found == NULL && k.key > 1)
		return bad_event(m, at, "%s %" PRIu64 " is of no string", field,
		    k.key);
	*index = found != NULL ? found->index :
	    tach_table_add_string(m->in->table, "<unknown>", 9);
	return *index != TACH_NONE ? TACH_OK : mojo_no_memory(m);
}

/* A line or a column; 0 is none. */
static int
take_place(struct mojo_reader *m, const char *field, int32_t *n)
{
	uint64_t at = mojo_at(m), value;

	if (take_number(m, field, &value) != TACH_OK)
		return TACH_FATAL;
	if (value > INT32_MAX)
		return bad_event(m, at, "%s %" PRIu64 " is out of range", field,
		    value);
	*n = (int32_t)value;
	return TACH_OK;
}

static int
take_positions(struct mojo_reader *m, struct tach_frame *f)
{
	int32_t end_line, column, end_column;

	if (m->version < 2)
		return TACH_OK;
	if (take_place(m, "end line", &end_line) != TACH_OK ||
	    take_place(m, "column", &column) != TACH_OK ||
	    take_place(m, "end column", &end_column) != TACH_OK)
		return TACH_FATAL;
	if (end_line > 0)
		f->end_line = end_line;
	/* austin counts columns from 1. */
	f->column = column - 1;
	f->end_column = end_column - 1;
	return TACH_OK;
}

static int
take_frame(struct mojo_reader *m)
{
	struct keyed k = {.process = m->process, .frame = true};
	struct tach_frame f = {.column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE};

	if (take_number(m, "key", &k.key) != TACH_OK ||
	    take_key_name(m, "file", &f.file) != TACH_OK ||
	    take_key_name(m, "function", &f.func) != TACH_OK ||
	    take_place(m, "line", &f.line) != TACH_OK)
		return TACH_FATAL;
	f.end_line = f.line;
	if (take_positions(m, &f) != TACH_OK)
		return TACH_FATAL;
	k.index = tach_table_add_frame(m->in->table, &f);
	return set_keyed(m, &k);
}

static int
push_name(struct mojo_reader *m, const char *file, struct piece func,
    int32_t line)
{
	struct frametext t = {{file, strlen(file)}, func, line};
	struct tach_frame f;
	uint32_t index = TACH_NONE;

	if (frametext_intern(m->in->table, &t, &f))
		index = tach_table_add_frame(m->in->table, &f);
	if (index == TACH_NONE)
		return mojo_no_memory(m);
	return stacks_push(&m->stacks, index);
}

static int
take_frame_ref(struct mojo_reader *m, uint64_t at)
{
	struct keyed k = {.process = m->process, .frame = true}, *found;

	if (take_number(m, "frame", &k.key) != TACH_OK)
		return TACH_FATAL;
	if ((found = find_keyed(m, &k)) == NULL)
		return bad_event(m, at, "key %" PRIu64 " is of no frame",
		    k.key);
	return m->in_task ? TACH_OK : stacks_push(&m->stacks, found->index);
}

static int
take_kernel(struct mojo_reader *m)
{
	if (take_text(m, "name") != TACH_OK ||
	    push_name(m, "kernel", (struct piece){m->text.text, m->text.len},
		0) != TACH_OK)
		return TACH_FATAL;
	return source_check_names(m->in);
}

/* Whether a frame is of Python, by its file, as austin's own reader tells it. */
static bool
is_python(const struct mojo_reader *m, uint32_t frame)
{
	struct tach_string s = tach_table_string(m->in->table,
	    tach_table_frame(m->in->table, frame)->file);

	return (s.len >= 3 && memcmp(s.bytes + s.len - 3, ".py", 3) == 0) ||
	    (s.len >= 2 && s.bytes[0] == '<' && s.bytes[s.len - 1] == '>');
}

/* Takes the frames of the thread's last sample, without native ones on top of
 * them: those follow anew. */
static int
repeat_frames(struct mojo_reader *m, uint64_t at)
{
	const struct stack *stack = &stacks_current(&m->stacks)->stack;
	const uint32_t *frames = stack_frames(stack);
	uint32_t i = 0;

	if (m->stacks.nfresh > 0)
		return bad_event(m, at, "frames before the repeated ones");
	while (i < stack->depth && !is_python(m, frames[i]))
		i++;
	for (uint32_t n = stack->depth; n > i; n--)
		if (stacks_push(&m->stacks, frames[n - 1]) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}

/* ---- samples ------------------------------------------------------------- */

/* Makes the sample that has ended the next to be given. */
static int
end_sample(struct mojo_reader *m)
{
	uint64_t interval = m->in->meta.interval_us, count = 1;
	char where[32];

	m->open = false;
	if (m->has_time) {
		count = m->time / interval +
		    (m->time % interval >= interval - interval / 2);
		count += count == 0;
	}
	snprintf(where, sizeof(where), "byte %" PRIu64 ": ", m->sample_at);
	return stacks_take(&m->stacks, false, count, where);
}

/* The number of a thread in hexadecimal digits. */
static bool
hex_number(const struct buf *text, uint64_t *n)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;

	*n = 0;
	for (size_t i = 0; i < text->len; i++) {
		digit = memchr(digits, text->text[i], 16);
		if (digit == NULL || i == 16)
			return false;
		*n = *n << 4 | (uint64_t)(digit - digits);
	}
	return text->len > 0;
}

/* Begins a sample.  Since version 4 a thread may be called by its name. */
static int
take_mojo_stack(struct mojo_reader *m, uint64_t at)
{
	uint64_t interp_at, interp = 0, thread;
	struct tach_string name;
	bool negative = false;

	if (take_number(m, "process", &m->process) != TACH_OK)
		return TACH_FATAL;
	interp_at = mojo_at(m);
	if ((m->version >= 3 && take_signed(m, &interp, &negative) != TACH_OK) ||
	    take_text(m, "thread") != TACH_OK)
		return TACH_FATAL;
	if (interp > UINT32_MAX)
		return bad_event(m, interp_at, "interpreter %" PRIu64 " is out "
		    "of range", interp);
	m->open = m->begun = true;
	m->in_task = m->has_time = m->has_memory = false;
	m->sample_at = at;
	stacks_begin(&m->stacks);
	name = (struct tach_string){m->text.text, m->text.len};
	if (hex_number(&m->text, &thread))
		return stacks_thread(&m->stacks, thread,
		    negative ? 0 : (uint32_t)interp, note_behind(name, name.len));
	return stacks_named(&m->stacks, m->process, name);
}

static int
take_time(struct mojo_reader *m)
{
	uint64_t time;

	if (take_number(m, "time", &time) != TACH_OK)
		return TACH_FATAL;
	if (m->in_task) {
		m->in_task = false;
		return TACH_OK;
	}
	m->has_time = true;
	m->time = time;
	return TACH_OK;
}

static int
take_memory(struct mojo_reader *m)
{
	uint64_t bytes;
	bool negative;

	m->has_memory = true;
	return take_signed(m, &bytes, &negative);
}

/* Takes two numbers that are not looked at. */
static int
pass_pair(struct mojo_reader *m)
{
	uint64_t n;

	return take_number(m, "task", &n) != TACH_OK ? TACH_FATAL :
	    take_number(m, "task", &n);
}

/* ---- metadata ------------------------------------------------------------ */

static int
take_interval(struct mojo_reader *m, uint64_t at)
{
	struct tach_string s = {m->text.text, m->text.len};
	uint64_t n;

	if (!note_number(&s, UINT64_MAX, &n) || s.len > 0 || n == 0)
		return bad_event(m, at, "the interval is no number of "
		    "microseconds");
	m->in->meta.interval_us = n;
	return TACH_OK;
}

/* MAJOR.MINOR.MICRO */
static void
take_python(struct mojo_reader *m)
{
	struct tach_string s = {m->text.text, m->text.len};
	uint64_t n[3];

	for (int i = 0; i < 3; i++)
		if (!note_number(&s, UINT8_MAX, &n[i]) ||
		    (i < 2 && !note_char(&s, '.')))
			return;
	for (int i = 0; i < 3; i++)
		m->in->meta.python[i] = (uint8_t)n[i];
}

/* What holds for all of the profile stands before its samples. */
static int
take_metadata(struct mojo_reader *m, uint64_t at)
{
	bool interval, python;

	if (take_text(m, "metadata") != TACH_OK)
		return TACH_FATAL;
	interval = text_is(m, "interval");
	python = text_is(m, "python");
	if (take_text(m, "metadata") != TACH_OK)
		return TACH_FATAL;
	if (python && !m->begun)
		take_python(m);
	return interval && !m->begun ? take_interval(m, at) : TACH_OK;
}

/* ---- events -------------------------------------------------------------- */

static int
take_mark(struct mojo_reader *m, uint8_t event)
{
	static const struct piece gc = {"<GC>", 4}, invalid = {":INVALID:", 9};

	if (event == EVENT_IDLE)
		return TACH_OK;
	return push_name(m, "~", event == EVENT_GC ? gc : invalid, -1);
}

/* Takes what may stand anywhere. */
static int
take_anywhere(struct mojo_reader *m, uint8_t event, uint64_t at)
{
	uint64_t key;

	switch (event) {
	case EVENT_METADATA:
		return take_metadata(m, at);
	case EVENT_FRAME:
		return take_frame(m);
	case EVENT_STRING:
		return take_string(m);
	case EVENT_STRING_REF:
		return take_number(m, "key", &key);
	case EVENT_WAITER:
		return pass_pair(m);
	}
	return bad_event(m, at, "event %u is not known", event);
}

/* Takes a part of a sample, or anything else but the beginning of one. */
static int
take_event(struct mojo_reader *m, uint8_t event, uint64_t at)
{
	switch (event) {
	case EVENT_INVALID:
	case EVENT_GC:
	case EVENT_IDLE:
		return take_mark(m, event);
	case EVENT_FRAME_REF:
		return take_frame_ref(m, at);
	case EVENT_KERNEL:
		return take_kernel(m);
	case EVENT_TIME:
		return take_time(m);
	case EVENT_MEMORY:
		return take_memory(m);
	case EVENT_REPEAT:
		return repeat_frames(m, at);
	case EVENT_TASK:
		m->in_task = true;
		return pass_pair(m);
	}
	return take_anywhere(m, event, at);
}

/* The input ends between two events. */
static int
mojo_at_end(struct mojo_reader *m)
{
	if (m->zin.problem.text[0] != '\0')
		return mojo_bad_end(m, "");
	if (!m->open)
		return TACH_END;
	return m->has_time || m->has_memory ? end_sample(m) :
	    mojo_bad_end(m, "the last sample is not complete");
}

/* Goes on to the next sample, whose stack event is taken at the call after.  TACH_OK
 * also if there is more to take before it. */
static int
mojo_step(struct mojo_reader *m)
{
	uint64_t at = mojo_at(m);
	uint8_t event;

	zin_need(&m->zin, 1);
	if (cursor_left(&m->zin.cur) == 0)
		return mojo_at_end(m);
	event = *m->zin.cur.pos;
	if (event == EVENT_STACK && m->open)
		return end_sample(m);
	m->zin.cur.pos++;
	if (event == EVENT_STACK)
		return take_mojo_stack(m, at);
	if (!m->open)
		return take_anywhere(m, event, at);
	return take_event(m, event, at);
}

/* ---- the source ---------------------------------------------------------- */

static int
mojo_reader_next(struct source *source, struct tach_run *run)
{
	struct mojo_reader *m = (struct mojo_reader *)source;
	int res;

	while (m->stacks.left == 0)
		if ((res = mojo_step(m)) != TACH_OK)
			return res;
	stacks_run(&m->stacks, run);
	return TACH_OK;
}

static void
mojo_reader_free(struct source *source)
{
	struct mojo_reader *m = (struct mojo_reader *)source;

	zin_close(&m->zin);
	set_clear(&m->keyed_set);
	stacks_clear(&m->stacks);
	buf_clear(&m->text);
	free(m->keyed);
	free(m);
}

/* Reads up to the first sample. */
static int
get_head(struct mojo_reader *m)
{
	/* The file can have become shorter since it was recognised. */
	zin_need(&m->zin, 4);
	if (!cursor_has(&m->zin.cur, 4))
		return mojo_bad_end(m, "the head is not complete");
	m->zin.cur.pos += 3; /* MOJ */
	if (take_number(m, "version", &m->version) != TACH_OK)
		return TACH_FATAL;
	if (m->version < 1 || m->version > VERSION_MAX)
		return error_set(&m->in->error, TACH_EVERSION, "byte 3: version "
		    "%" PRIu64 " of MOJO is not known", m->version);
	zin_need(&m->zin, 1);
	while (cursor_left(&m->zin.cur) > 0 &&
	    *m->zin.cur.pos != EVENT_STACK) {
		if (mojo_step(m) != TACH_OK)
			return TACH_FATAL;
		zin_need(&m->zin, 1);
	}
	return TACH_OK;
}

bool
mojo_known(const uint8_t *p, size_t n)
{
	return n >= 4 && memcmp(p, "MOJ", 3) == 0 && (p[3] & 0xe0) == 0;
}

struct source *
mojo_source(struct source_input *in, struct origin *from, uint64_t size)
{
	struct mojo_reader *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	m->source = (struct source){.next = mojo_reader_next,
	    .free = mojo_reader_free};
	m->in = in;
	m->size = size;
	in->info.input = TACH_INPUT_MOJO;
	in->info.file_size = size;
	in->meta.interval_us = INTERVAL_ASSUMED;
	if (!stacks_init(&m->stacks, in) ||
	    !zin_open(&m->zin, from, 0, size, TACH_PLAIN, false))
		mojo_no_memory(m);
	else {
		zin_need(&m->zin, 4);
		if (get_head(m) == TACH_OK)
			return &m->source;
	}
	mojo_reader_free(&m->source);
	return NULL;
}
