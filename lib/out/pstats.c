/* SPDX-License-Identifier: ISC */
/*
 * pstats.c: the file of Python's pstats module: a dictionary of functions and
 * their callers, as the marshal module writes it.
 *
 *	{(file, line, function): (self samples, samples, self seconds,
 *	    seconds, {caller: (samples, self samples, self seconds, seconds)})}
 *
 * The numbers of calls are numbers of samples, as in CPython 3.15's own
 * profiler.  A sample counts once for a function, however often that is in the
 * stack.  Functions of C that Python calls have the names that cProfile gives them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/calls.h"
#include "out/emit.h"
#include "out/out.h"
#include "utf8.h"

/* Types of marshal. */
enum {
	M_DICT = '{', /* keys and values up to M_NULL */
	M_NULL = '0',
	M_TUPLE = '(',
	M_INT = 'i',  /* 32 bits */
	M_LONG = 'l', /* digits of 15 bits */
	M_FLOAT = 'g',
	M_TEXT = 'u', /* UTF-8 */
	M_REF = 'r',  /* an earlier object, by its number */
	M_KEEP = 0x80 /* added to a type: the object gets the next number */
};

#define AHEAD 8 /* calls */

struct pstats {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct calls calls;
	struct emit out;
	struct calls_index callers;
	uint32_t *numbers, nnumbers; /* of the keys written, by callee */
	struct error error;
};

/* ---- marshal ------------------------------------------------------------- */

static void
add_byte(struct buf *b, uint64_t byte)
{
	buf_add_char(b, (char)byte);
}

/* Adds a type and a little-endian number. */
static void
add_word(struct buf *b, int type, uint64_t word, size_t size)
{
	char bytes[9] = {(char)type};

	for (size_t i = 1; i <= size; i++, word >>= 8)
		bytes[i] = (char)(word & 0xff);
	buf_add(b, bytes, size + 1);
}

static void
add_int(struct buf *b, int32_t n)
{
	add_word(b, M_INT, (uint32_t)n, 4);
}

static void
add_count(struct buf *b, uint64_t n)
{
	uint64_t digits = 0;

	if (n <= INT32_MAX) {
		add_int(b, (int32_t)n);
		return;
	}
	for (uint64_t rest = n; rest != 0; rest >>= 15)
		digits++;
	add_word(b, M_LONG, digits, 4);
	for (; n != 0; n >>= 15) {
		add_byte(b, n & 0xff);
		add_byte(b, n >> 8 & 0x7f);
	}
}

static void
add_seconds(struct buf *b, uint64_t us)
{
	double d = (double)us / 1e6;
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	add_word(b, M_FLOAT, bits, 8);
}

static void
add_tuple(struct buf *b, int flag, uint32_t size)
{
	add_word(b, M_TUPLE | flag, size, 4);
}

/* Adds a text as UTF-8.  Python could not load or print other bytes. */
static void
add_marshal_text(struct buf *b, struct tach_string s)
{
	size_t at = b->len;
	uint32_t len;

	add_word(b, M_TEXT, 0, 4);
	utf8_add(b, s.bytes, s.len);
	len = (uint32_t)(b->len - at - 5);
	for (size_t i = 0; i < 4 && !b->failed; i++)
		b->text[at + 1 + i] = (char)(len >> 8 * i & 0xff);
}

/* ---- functions ----------------------------------------------------------- */

/* Types of Python whose names have no capital, up to NULL. */
static const char *const types[] = {"bool", "bytearray", "bytes", "complex", "dict",
	"float", "frozenset", "generator", "int", "list", "memoryview", "object", "range",
	"set", "slice", "str", "tuple", "type", "_thread.lock", "array.array",
	"collections.deque", NULL};

/* Functions of the module builtins, likewise. */
static const char *const builtins[] = {"__build_class__", "__import__", "abs", "aiter",
	"all", "anext", "any", "ascii", "bin", "breakpoint", "callable", "chr", "compile",
	"delattr", "dir", "divmod", "eval", "exec", "format", "getattr", "globals",
	"hasattr", "hash", "hex", "id", "input", "isinstance", "issubclass", "iter", "len",
	"locals", "max", "min", "next", "oct", "ord", "pow", "print", "repr", "round",
	"setattr", "sorted", "sum", "vars", NULL};

static bool
is_in_list(const char *const list[], struct tach_string name)
{
	for (; *list != NULL; list++)
		if (name.len == strlen(*list) && memcmp(name.bytes, *list, name.len) == 0)
			return true;
	return false;
}

/* Whether a name is that of a type: of Python's own, or with a capital. */
static bool
names_type(struct tach_string name)
{
	const char *dot = memrchr(name.bytes, '.', name.len);
	const char *last = dot != NULL ? dot + 1 : name.bytes;

	return is_in_list(types, name) ||
	    (last < name.bytes + name.len && *last >= 'A' && *last <= 'Z');
}

/* Adds "<method 'sort' of 'list' objects>" of list.sort, "<built-in method time.sleep>"
 * of time.sleep, "<built-in method builtins.len>" of len, and of a name of several words,
 * such as "type Decimal", "<built-in type Decimal>". */
static void
add_builtin_name(struct buf *b, struct tach_string func)
{
	const char *dot = func.len > 0 ? memrchr(func.bytes, '.', func.len) : NULL;
	struct tach_string owner = {func.bytes,
	    dot != NULL ? (size_t)(dot - func.bytes) : 0};

	if (func.len > 0 && memchr(func.bytes, ' ', func.len) != NULL) {
		buf_add_text(b, "<built-in ");
		buf_add(b, func.bytes, func.len);
		buf_add_text(b, ">");
	} else if (owner.len > 0 && names_type(owner)) {
		buf_add_text(b, "<method '");
		buf_add(b, dot + 1, func.len - owner.len - 1);
		buf_add_text(b, "' of '");
		buf_add(b, owner.bytes, owner.len);
		buf_add_text(b, "' objects>");
	} else {
		buf_add_text(b, "<built-in method ");
		buf_add_text(b, is_in_list(builtins, func) ? "builtins." : "");
		buf_add(b, func.bytes, func.len);
		buf_add_text(b, ">");
	}
}

/* Adds the name of a frame that has no file in pstats. */
static void
add_name_without_file(struct buf *b, enum frame_kind kind, struct tach_string func)
{
	struct buf name = {0};

	if (kind == KIND_CALLEE) {
		add_builtin_name(&name, func);
	} else {
		buf_add_text(&name, "<wait ");
		buf_add(&name, func.bytes, func.len);
		buf_add_text(&name, ">");
	}
	add_marshal_text(b, (struct tach_string){NO_FILE, 1});
	add_marshal_text(b, (struct tach_string){name.text, name.failed ? 0 : name.len});
	b->failed |= name.failed;
	buf_clear(&name);
}

/* The names of a function, as they are written.  Functions with equal names are
 * one function, since they would be one key of the dictionary. */
static void
function_text(struct buf *b, struct tach_string file, struct tach_string func,
    int32_t line)
{
	enum frame_kind kind = kind_of_frame(file, func, line);

	if (kind == KIND_CALLEE || kind == KIND_WAIT) {
		add_name_without_file(b, kind, func);
		return;
	}
	add_marshal_text(b, file);
	add_marshal_text(b, func);
}

static size_t
text_size(struct tach_string s)
{
	const unsigned char *p = (const unsigned char *)s.bytes;

	return 5 + ((size_t)p[1] | (size_t)p[2] << 8 | (size_t)p[3] << 16 |
	    (size_t)p[4] << 24);
}

static void
put_function(struct pstats *p, uint32_t callee)
{
	struct buf *b = &p->out.buf;
	const struct location *location;
	size_t file;

	add_tuple(b, M_KEEP, 3);
	if (callee == p->stacks.locations.count) {
		add_marshal_text(b, (struct tach_string){NO_FILE, 1});
		add_int(b, 0);
		add_marshal_text(b, (struct tach_string){NO_FRAMES,
		    sizeof(NO_FRAMES) - 1});
		return;
	}
	location = &p->stacks.locations.all[callee];
	file = text_size(location->text);
	emit_bytes(&p->out, location->text.bytes, file);
	add_int(b, location_has_caller(location) ? 0 : location->line);
	emit_bytes(&p->out, location->text.bytes + file,
	    location->text.len - file);
}

static void
put_key(struct pstats *p, uint32_t callee)
{
	if (p->numbers[callee] != TACH_NONE) {
		add_word(&p->out.buf, M_REF, p->numbers[callee], 4);
		return;
	}
	p->numbers[callee] = p->nnumbers++;
	put_function(p, callee);
}

/* A thread is not written as a caller. */
static void
put_caller(struct pstats *p, const struct call *call)
{
	struct buf *b = &p->out.buf;

	if (call->from >= p->stacks.locations.count)
		return;
	put_key(p, call->from);
	add_tuple(b, 0, 4);
	add_count(b, call->total.samples);
	add_count(b, call->self.samples);
	add_seconds(b, call->self.time);
	add_seconds(b, call->total.time);
}

/* A function and its callers. */
static void
put_callee(struct pstats *p, uint32_t callee)
{
	struct buf *b = &p->out.buf;
	const struct callee *s = &p->calls.callees[callee];
	const uint32_t *begin = &p->callers.begin[callee];

	put_key(p, callee);
	add_tuple(b, 0, 5);
	add_count(b, s->self.samples);
	add_count(b, s->total.samples);
	add_seconds(b, s->self.time);
	add_seconds(b, s->total.time);
	add_byte(b, M_DICT);
	for (uint32_t i = begin[0]; i < begin[1]; i++) {
		/* Calls are scattered: prefetches a few. */
		if (begin[1] - i > AHEAD)
			__builtin_prefetch(&p->calls.calls[
			    p->callers.calls[i + AHEAD]]);
		put_caller(p, &p->calls.calls[p->callers.calls[i]]);
	}
	add_byte(b, M_NULL);
}

static void
pstats_put_all(struct pstats *p)
{
	add_byte(&p->out.buf, M_DICT);
	for (uint32_t i = 0; i < p->calls.ncallees; i++)
		if (p->calls.callees[i].total.samples > 0) {
			put_callee(p, i);
			emit_bytes(&p->out, "", 0); /* flushes a full block */
		}
	add_byte(&p->out.buf, M_NULL);
}

/* ---- the sink ------------------------------------------------------------ */

static int
pstats_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct pstats *p = sink->arg;

	p->meta = meta;
	aggregate_init(&p->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_TEXTS, .text = function_text,
	    .interps = true, .thread_frames = true,
	    .by = by_or(p->options->by, TACH_BY_NONE)});
	return TACH_OK;
}

static int
pstats_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct pstats *p = sink->arg;

	return aggregate_run(&p->stacks, run) ? TACH_OK :
	    aggregate_failed(&p->stacks, &p->error);
}

/* The microseconds of a sample, or 0 if each sample has its own.  If the
 * interval is not known, a sample is a second, so that the number of samples
 * can be read. */
static uint64_t
sample_us(const struct pstats *p)
{
	if (p->options->weight == TACH_WEIGHT_TIME)
		return 0;
	return p->meta->interval_us != 0 ? 0 : 1000000;
}

static int
pstats_end(struct tach_sink *sink)
{
	struct pstats *p = sink->arg;
	struct calls_options options = {NULL, 0, sample_us(p), &p->error, NULL};

	if (!aggregate_settle(&p->stacks))
		return aggregate_failed(&p->stacks, &p->error);
	options.ncallees = p->stacks.locations.count;
	if (!calls_init(&p->calls, &p->stacks, options) ||
	    !calls_by_callee(&p->callers, &p->calls))
		return error_system(&p->error, "", ENOMEM);
	p->numbers = malloc(p->calls.ncallees * sizeof(*p->numbers));
	if (p->numbers == NULL)
		return error_system(&p->error, "", ENOMEM);
	memset(p->numbers, 0xff, p->calls.ncallees * sizeof(*p->numbers));
	pstats_put_all(p);
	return emit_finish(&p->out, &p->error);
}

static void
pstats_free(struct tach_sink *sink)
{
	struct pstats *p = sink->arg;

	aggregate_clear(&p->stacks);
	calls_clear(&p->calls);
	calls_index_clear(&p->callers);
	emit_clear(&p->out);
	free(p->numbers);
	free(p);
}

static enum tach_error
pstats_error(const struct tach_sink *sink, const char **line)
{
	const struct pstats *p = sink->arg;

	return error_get(&p->error, line);
}

struct tach_sink *
pstats_open(FILE *out, const struct tach_format_options *options)
{
	struct pstats *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->sink = (struct tach_sink){.size = sizeof(p->sink),
	    .arg = p,
	    .begin = pstats_begin,
	    .run = pstats_run,
	    .end = pstats_end,
	    .free = pstats_free,
	    .error = pstats_error};
	p->options = options;
	p->out.file = out;
	return &p->sink;
}
