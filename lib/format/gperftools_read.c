/* SPDX-License-Identifier: ISC */
/*
 * gperftools_read.c: a CPU profile of gperftools as a source of runs.  It
 * consists of slots, words of 4 or 8 bytes in either byte order:
 *
 *	0, header slots, version, period in us, padding
 *	count, depth, addresses innermost first; and so on
 *	0, 1, 0
 *
 * and of text behind them, which names the addresses: gperftools_text.h reads
 * it.  The profile has no times and one thread.  The times of its samples are
 * made up, one period apart.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "format/cursor.h"
#include "format/delta.h"
#include "format/gperftools_text.h"
#include "format/source.h"
#include "hash.h"
#include "io.h"
#include "set.h"
#include "tach.h"

#define BATCH 4096   /* ticks of a run, at most */
#define WINDOW 65536 /* bytes read at once */
#define HEADER_MIN 3 /* slots after the first two */
#define HEADER_MAX 4096

/* The size and byte order of words; the first two words tell them. */
struct shape {
	unsigned word; /* bytes */
	bool swap, big_endian;
	uint64_t header; /* slots after the first two */
};

/* An address whose frame is known. */
struct known_address {
	uint64_t address;
	bool leaf;
	uint32_t frame;
};

struct gperftools_reader {
	struct source source;
	struct source_input *in;
	struct origin *from;
	uint64_t size;
	struct shape shape;
	struct gperftools_text text;
	uint64_t records; /* offset of the first one */
	bool exact; /* callers' addresses are calls, not return addresses */

	uint8_t window[WINDOW];
	uint64_t window_at; /* its offset in the file */
	size_t window_len;
	uint64_t at; /* offset of the next slot */

	struct known_address *known;
	uint32_t nknown;
	size_t known_max;
	struct set known_set;

	struct stack stack, fresh;
	uint32_t shared; /* frames of the next run */
	uint64_t time, left;
	uint64_t counted; /* samples of all records up to this one */
	struct tach_tick ticks[BATCH];
};

/* ---- what can be wrong --------------------------------------------------- */

static int
gperftools_no_memory(struct gperftools_reader *s)
{
	return error_memory(&s->in->error);
}

static int __attribute__((format(printf, 4, 5)))
refuse(struct gperftools_reader *s, enum tach_error code, uint64_t at,
    const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&s->in->error, code, "byte %" PRIu64 ": %s", at,
	    what);
}

/* ---- slots --------------------------------------------------------------- */

static uint64_t
load_slot(const uint8_t *p, const struct shape *shape)
{
	return shape->word == 8 ? load_u64(p, shape->swap) :
				  load_u32(p, shape->swap);
}

static bool
has_shape(const uint8_t *p, size_t n, struct shape *shape)
{
	if (n < 2 * shape->word || load_slot(p, shape) != 0)
		return false;
	shape->header = load_slot(p + shape->word, shape);
	return shape->header >= HEADER_MIN && shape->header <= HEADER_MAX;
}

/* At most one of four shapes fits: the second word is small and not 0. */
static bool
find_shape(const uint8_t *p, size_t n, struct shape *shape)
{
	for (int i = 0; i < 4; i++) {
		bool big = (i & 1) != 0;
		*shape = (struct shape){i < 2 ? 4 : 8, cursor_swaps(big), big,
		    0};
		if (has_shape(p, n, shape))
			return true;
	}
	return false;
}

bool
gperftools_known(const uint8_t *p, size_t n)
{
	struct shape shape;

	return find_shape(p, n, &shape) ||
	    gperftools_text_wrapped((const char *)p, n);
}

static int
fill_window(struct gperftools_reader *s)
{
	size_t n = s->size - s->at < WINDOW ? (size_t)(s->size - s->at) :
					      WINDOW;
	ssize_t got = origin_read_at(s->from, s->window, n, s->at);

	if (got < 0)
		return refuse(s, error_code(errno), s->at, "cannot read: %s",
		    strerror(errno));
	if ((size_t)got < n)
		return refuse(s, TACH_ETRUNCATED, s->at + (uint64_t)got,
		    "the file has become shorter");
	s->window_at = s->at;
	s->window_len = n;
	return TACH_OK;
}

/* The number of whole slots that are left. */
static uint64_t
slots_left(const struct gperftools_reader *s)
{
	return (s->size - s->at) / s->shape.word;
}

/* The next slot.  There must be one. */
static int
get_slot(struct gperftools_reader *s, uint64_t *value)
{
	uint64_t at = s->at - s->window_at;

	if ((at > s->window_len || s->window_len - at < s->shape.word) &&
	    fill_window(s) != TACH_OK)
		return TACH_FATAL;
	*value = load_slot(s->window + (s->at - s->window_at), &s->shape);
	s->at += s->shape.word;
	return TACH_OK;
}

/* ---- records ------------------------------------------------------------- */

struct record {
	uint64_t at, count, depth;
	bool trailer;
};

/* Reads the first two slots of a record, or all of the trailer. */
static int
get_record(struct gperftools_reader *s, struct record *r)
{
	uint64_t first;

	*r = (struct record){.at = s->at};
	if (s->at == s->size)
		return refuse(s, TACH_ETRUNCATED, s->at,
		    "truncated: no trailer, which is the "
		    "slots 0, 1 and 0, after the last record");
	if (slots_left(s) < 3)
		return refuse(s, TACH_ETRUNCATED, s->at,
		    "truncated: %" PRIu64 " bytes, and a "
		    "record takes %u",
		    s->size - s->at, 3 * s->shape.word);
	if (get_slot(s, &r->count) != TACH_OK ||
	    get_slot(s, &r->depth) != TACH_OK)
		return TACH_FATAL;
	if (r->depth == 0)
		return refuse(
		    s, TACH_EDAMAGED, r->at, "a record without addresses");
	if (r->depth > slots_left(s) || r->depth > UINT32_MAX / 2)
		return refuse(s, TACH_EDAMAGED, r->at,
		    "a record of %" PRIu64 " addresses, "
		    "and %" PRIu64 " are left",
		    r->depth, slots_left(s));
	if (r->count != 0 || r->depth != 1)
		return TACH_OK;
	if (get_slot(s, &first) != TACH_OK)
		return TACH_FATAL;
	r->trailer = first == 0;
	s->at -= r->trailer ? 0 : s->shape.word;
	return TACH_OK;
}

/* Skips the records, up to the text, if there is one.  Faults of a record are
 * reported when it is read. */
static int
skip_records(struct gperftools_reader *s)
{
	struct record r;
	int res;

	while ((res = get_record(s, &r)) == TACH_OK && !r.trailer)
		s->at += r.depth * s->shape.word;
	if (res == TACH_OK)
		return TACH_OK;
	error_clear(&s->in->error);
	return TACH_END;
}

/* ---- addresses ----------------------------------------------------------- */

static bool
known_equal(const void *arg, uint32_t index)
{
	const void *const *key = arg;
	const struct known_address *a = key[1];
	const struct known_address *b =
	    &((const struct gperftools_reader *)key[0])->known[index];

	return a->address == b->address && a->leaf == b->leaf;
}

/* A caller's address is its return address; the call is before it. */
static int
add_known(struct gperftools_reader *s, const struct known_address *k,
    uint64_t hash)
{
	uint64_t call = k->leaf || s->exact || k->address == 0 ? k->address :
								 k->address - 1;
	struct known_address *p = array_grow(s->known, s->nknown, &s->known_max,
	    sizeof(*p));
	uint32_t frame;

	if (p == NULL)
		return gperftools_no_memory(s);
	s->known = p;
	frame = gperftools_text_frame(&s->text, k->address, call);
	if (frame == TACH_NONE || !set_add(&s->known_set, hash, s->nknown))
		return gperftools_no_memory(s);
	p[s->nknown] = *k;
	p[s->nknown++].frame = frame;
	return TACH_OK;
}

static int
get_address_frame(struct gperftools_reader *s, bool leaf, uint32_t *frame)
{
	struct known_address k = {.leaf = leaf};
	const void *key[] = {s, &k};
	uint64_t hash;
	uint32_t found;

	if (get_slot(s, &k.address) != TACH_OK)
		return TACH_FATAL;
	hash = hash_of(&k.address, sizeof(k.address), leaf);
	found = set_find(&s->known_set, hash, known_equal, key);
	if (found == TACH_NONE) {
		found = s->nknown;
		if (add_known(s, &k, hash) != TACH_OK)
			return TACH_FATAL;
	}
	*frame = s->known[found].frame;
	return TACH_OK;
}

/* Reads the stack of a record into the thread's stack. */
static int
get_stack(struct gperftools_reader *s, const struct record *r)
{
	struct stack swap = s->stack;
	uint32_t depth = (uint32_t)r->depth;
	uint32_t *frames;

	s->fresh.depth = 0;
	if (!stack_reserve(&s->fresh, depth))
		return gperftools_no_memory(s);
	s->fresh.depth = depth;
	frames = stack_frames(&s->fresh);
	for (uint32_t i = 0; i < depth; i++)
		if (get_address_frame(s, i == 0, &frames[i]) != TACH_OK)
			return TACH_FATAL;
	s->shared = delta_shared(&s->stack, frames, depth, 0);
	s->stack = s->fresh;
	s->fresh = swap;
	return TACH_OK;
}

/* ---- opening ------------------------------------------------------------- */

static int
get_period(struct gperftools_reader *s)
{
	uint64_t at = s->at - s->shape.word, version;

	if (slots_left(s) < s->shape.header)
		return refuse(s, TACH_ETRUNCATED, at,
		    "truncated: a header of %" PRIu64 " slots, and %" PRIu64
		    " are left",
		    s->shape.header, slots_left(s));
	at = s->at;
	if (get_slot(s, &version) != TACH_OK ||
	    get_slot(s, &s->in->meta.interval_us) != TACH_OK)
		return TACH_FATAL;
	if (version > 1)
		return refuse(s, TACH_EVERSION, at,
		    "version %" PRIu64 " of the format is "
		    "not known",
		    version);
	if (s->in->meta.interval_us == 0)
		return refuse(
		    s, TACH_EDAMAGED, at + s->shape.word, "the period is 0");
	s->exact = s->exact || version == 1;
	s->records = s->at + (s->shape.header - 2) * s->shape.word;
	return TACH_OK;
}

static int
get_header(struct gperftools_reader *s)
{
	uint8_t p[16];
	size_t n = s->size - s->at < sizeof(p) ? (size_t)(s->size - s->at) :
						 sizeof(p);
	ssize_t got = origin_read_at(s->from, p, n, s->at);

	if (got < 0)
		return refuse(s, error_code(errno), s->at, "cannot read: %s",
		    strerror(errno));
	if (!find_shape(p, (size_t)got, &s->shape))
		return refuse(
		    s, TACH_EDAMAGED, s->at, "no header of a CPU profile");
	s->in->info.big_endian = s->shape.big_endian;
	s->at += 2 * s->shape.word;
	return get_period(s);
}

/* Reads the texts before and after the slots, and goes back to the first
 * record. */
static int
load_profile(struct gperftools_reader *s)
{
	uint64_t start;
	int res;

	if (gperftools_text_before(&s->text, s->from, &start) != TACH_OK)
		return TACH_FATAL;
	s->exact = start > 0;
	s->at = start;
	if (get_header(s) != TACH_OK)
		return TACH_FATAL;
	s->at = s->records;
	if ((res = skip_records(s)) == TACH_OK)
		res = gperftools_text_after(&s->text, s->from, s->at);
	if (res == TACH_FATAL)
		return TACH_FATAL;
	s->at = s->records;
	return TACH_OK;
}

/* ---- the source ---------------------------------------------------------- */

static int
check_count(struct gperftools_reader *s, const struct record *r)
{
	uint64_t end;

	if (r->count > SOURCE_COUNTED_MAX - s->counted)
		return refuse(s, TACH_ELIMIT, r->at,
		    "the counts add up to more than %" PRIu64 " samples",
		    SOURCE_COUNTED_MAX);
	s->counted += r->count;
	if (__builtin_mul_overflow(r->count, s->in->meta.interval_us, &end) ||
	    __builtin_add_overflow(s->time, end, &end))
		return refuse(s, TACH_ELIMIT, r->at,
		    "the counts add up to a time that is "
		    "out of range, at a period of %" PRIu64 " us",
		    s->in->meta.interval_us);
	return TACH_OK;
}

/* Makes the samples of the next record the next to be given. */
static int
take_counted_record(struct gperftools_reader *s)
{
	struct record r;
	int res = get_record(s, &r);

	if (res != TACH_OK)
		return res;
	if (r.trailer) {
		s->at = r.at; /* every later call ends here */
		return TACH_END;
	}
	if (r.count == 0) {
		s->at += r.depth * s->shape.word;
		return TACH_OK;
	}
	if (check_count(s, &r) != TACH_OK || get_stack(s, &r) != TACH_OK)
		return TACH_FATAL;
	s->left = r.count;
	return TACH_OK;
}

static void
gperftools_give_run(struct gperftools_reader *s, struct tach_run *run)
{
	uint64_t period = s->in->meta.interval_us;
	size_t n = s->left < BATCH ? (size_t)s->left : BATCH;

	for (size_t i = 0; i < n; i++)
		s->ticks[i].time = s->time + i * period;
	s->time += n * period;
	s->left -= n;
	*run = (struct tach_run){.frames = stack_frames(&s->stack),
	    .depth = s->stack.depth, .shared = s->shared, .ticks = s->ticks,
	    .count = n};
	s->shared = run->depth;
	s->in->stats.samples += n;
	s->in->stats.frames_total += (uint64_t)n * run->depth;
}

static int
gperftools_reader_next(struct source *source, struct tach_run *run)
{
	struct gperftools_reader *s = (struct gperftools_reader *)source;
	int res;

	while (s->left == 0)
		if ((res = take_counted_record(s)) != TACH_OK)
			return res;
	gperftools_give_run(s, run);
	return TACH_OK;
}

static void
gperftools_reader_free(struct source *source)
{
	struct gperftools_reader *s = (struct gperftools_reader *)source;

	gperftools_text_clear(&s->text);
	stack_clear(&s->stack);
	stack_clear(&s->fresh);
	set_clear(&s->known_set);
	free(s->known);
	free(s);
}

struct source *
gperftools_source(struct source_input *in, struct origin *from, uint64_t size)
{
	struct gperftools_reader *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	s->source = (struct source){.next = gperftools_reader_next,
	    .free = gperftools_reader_free};
	s->in = in;
	s->text.in = in;
	s->from = from;
	s->size = size;
	for (size_t i = 0; i < BATCH; i++)
		s->ticks[i].status = TACH_STATUS_UNKNOWN;
	in->info.input = TACH_INPUT_GPERFTOOLS;
	in->info.file_size = size;
	if (!stack_init(&s->stack) || !stack_init(&s->fresh))
		gperftools_no_memory(s);
	else if (load_profile(s) == TACH_OK)
		return &s->source;
	gperftools_reader_free(&s->source);
	return NULL;
}
