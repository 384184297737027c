/* SPDX-License-Identifier: ISC */
/*
 * pprof_read.c: pprof's profile.proto as a source of runs.  lib/out/profile.proto
 * has the numbers of the fields.
 *
 * The bytes are read field by field, not by protobuf-c: that makes an allocation of
 * each message, which may have two bytes, and holds all of them at once.  The
 * samples stand before what they refer to, so the file is read twice: first all but
 * the samples, then the samples.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "buf.h"
#include "format/frametext.h"
#include "format/source.h"
#include "format/stacks.h"
#include "format/threadname.h"
#include "format/zio.h"
#include "hash.h"
#include "note.h"
#include "set.h"
#include "table.h"
#include "tach.h"

#define STRING_MAX (16u << 20) /* bytes */
#define ENTRIES_MAX (UINT32_C(1) << 22) /* of each table */
#define TYPES_MAX 64
#define INTERVAL_ASSUMED 1000 /* us, if the profile does not say */

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

struct field {
	uint64_t at; /* offset */
	unsigned number;
	enum wire wire;
	uint64_t value; /* of WIRE_VARINT */
	uint64_t end;	/* of WIRE_BYTES: its offset */
};

struct value_type {
	uint64_t type, unit; /* strings */
};

struct pprof_mapping {
	uint64_t id, start, offset, file;
};

struct pprof_function {
	uint64_t id, name, file;
};

struct pprof_line {
	uint64_t function, line, column;
	uint32_t frame; /* TACH_NONE: not made yet */
};

struct place {
	uint64_t id, mapping, address;
	uint32_t first, count; /* lines */
	uint32_t frame;	       /* without lines; TACH_NONE: not made yet */
};

/* Entries that are found by their id, which they begin with. */
struct ids {
	void *entries;
	size_t size; /* bytes of one */
	uint32_t count;
	size_t max;
	struct set set;
	const char *name;
};

/* What labels say of a sample's thread. */
struct labels {
	uint64_t thread, interp;
	bool has_thread;
	size_t rank; /* of the key that told the thread: lower ones are better */
	struct tach_string name, status;
};

struct pprof_reader {
	struct source source;
	struct source_input *in;
	struct origin *from;
	uint64_t size;
	struct zin zin;
	struct value_type types[TYPES_MAX], period_type;
	uint32_t ntypes, which; /* the value that counts */
	uint64_t default_type, period;
	uint64_t divisor; /* of that value, for a number of samples */
	struct tach_table *texts; /* all strings */
	uint32_t *strings;	  /* as indices of the former */
	uint32_t nstrings;
	size_t strings_max;
	struct ids mappings, functions, places;
	struct pprof_line *lines;
	uint32_t nlines;
	size_t lines_max;
	struct stacks stacks;
	struct buf scratch;
};

/* ---- what can be wrong --------------------------------------------------- */

static int
pprof_no_memory(struct pprof_reader *p)
{
	return error_memory(&p->in->error);
}

static int __attribute__((format(printf, 4, 5)))
bad_field(struct pprof_reader *p, enum tach_error code, uint64_t at,
    const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(&p->in->error, code, "byte %" PRIu64 ": %s", at,
	    what);
}

/* The bytes end, or cannot be read. */
static int
pprof_bad_end(struct pprof_reader *p, const char *what)
{
	const struct error *problem = &p->zin.problem;

	if (problem->text[0] != '\0')
		return error_set(&p->in->error, problem->code, "%s",
		    problem->text);
	return bad_field(p, TACH_ETRUNCATED, p->size, "truncated: %s", what);
}

static int
too_many(struct pprof_reader *p, const char *what)
{
	return error_set(&p->in->error, TACH_ELIMIT, "more than %u %s are not "
	    "read", ENTRIES_MAX, what);
}

/* ---- fields -------------------------------------------------------------- */

static uint64_t
pprof_at(const struct pprof_reader *p)
{
	return zin_offset(&p->zin);
}

/* A number that ends before an offset. */
static int
take_varint(struct pprof_reader *p, uint64_t end, uint64_t *n)
{
	uint64_t at = pprof_at(p);
	enum cursor_result res;

	zin_need(&p->zin, VARINT_MAX);
	res = cursor_varint(&p->zin.cur, n);
	if (res == CURSOR_LONG)
		return bad_field(p, TACH_EDAMAGED, at,
		    "a number of more than 64 bits");
	if (res == CURSOR_SHORT)
		return pprof_bad_end(p, "the last number is not complete");
	return pprof_at(p) <= end ? TACH_OK : bad_field(p, TACH_EDAMAGED, at,
	    "a number that is longer than its field");
}

static int
skip_to(struct pprof_reader *p, uint64_t end)
{
	while (pprof_at(p) < end) {
		uint64_t n = end - pprof_at(p);
		zin_need(&p->zin, 1);
		if (cursor_left(&p->zin.cur) == 0)
			return pprof_bad_end(p, "the last field is not complete");
		if (n > cursor_left(&p->zin.cur))
			n = cursor_left(&p->zin.cur);
		p->zin.cur.pos += n;
	}
	return TACH_OK;
}

/* Takes a field of bytes up to its bytes. */
static int
take_length(struct pprof_reader *p, uint64_t end, struct field *f)
{
	uint64_t n, left;

	if (take_varint(p, end, &n) != TACH_OK)
		return TACH_FATAL;
	left = end - pprof_at(p);
	f->end = pprof_at(p) + n;
	if (n <= left)
		return TACH_OK;
	return end == p->size ?
	    bad_field(p, TACH_ETRUNCATED, f->at, "truncated: a field of %" PRIu64
		" bytes, and %" PRIu64 " are left", n, left) :
	    bad_field(p, TACH_EDAMAGED, f->at, "a field of %" PRIu64 " bytes in "
		"a message that has %" PRIu64 " left", n, left);
}

/* Takes the next field of a message that ends at an offset: of one that has bytes,
 * all before these.  TACH_END: there is none. */
static int
next_field(struct pprof_reader *p, uint64_t end, struct field *f)
{
	uint64_t tag;

	*f = (struct field){.at = pprof_at(p)};
	if (f->at >= end)
		return TACH_END;
	if (take_varint(p, end, &tag) != TACH_OK)
		return TACH_FATAL;
	f->number = tag >> 3 < UINT32_MAX ? (unsigned)(tag >> 3) : 0;
	f->wire = (enum wire)(tag & 7);
	switch (f->wire) {
	case WIRE_VARINT:
		return take_varint(p, end, &f->value);
	case WIRE_BYTES:
		return take_length(p, end, f);
	case WIRE_64:
	case WIRE_32:
		f->end = pprof_at(p) + (f->wire == WIRE_64 ? 8 : 4);
		return f->end <= end ? skip_to(p, f->end) :
		    pprof_bad_end(p, "the last field is not complete");
	}
	return bad_field(p, TACH_EDAMAGED, f->at, "a field of the kind %u, which "
	    "is none of protobuf's", (unsigned)f->wire);
}

/* Passes over the bytes of a field that is not looked at. */
static int
leave_field(struct pprof_reader *p, const struct field *f)
{
	return f->wire == WIRE_BYTES ? skip_to(p, f->end) : TACH_OK;
}

/* Takes the numbers of a message whose fields 1 to n are numbers, and has others
 * passed over or, if `other` is not NULL, taken by it. */
static int
take_numbers(struct pprof_reader *p, const struct field *message, uint64_t *to,
    unsigned n, int (*other)(struct pprof_reader *, const struct field *))
{
	struct field f;
	int res;

	if (message->wire != WIRE_BYTES)
		return bad_field(p, TACH_EDAMAGED, message->at,
		    "a number in the place of a message");
	while ((res = next_field(p, message->end, &f)) == TACH_OK) {
		if (f.wire == WIRE_VARINT && f.number >= 1 && f.number <= n)
			to[f.number - 1] = f.value;
		res = other != NULL && f.wire == WIRE_BYTES ? other(p, &f) :
							      TACH_OK;
		if (res != TACH_OK || leave_field(p, &f) != TACH_OK)
			return TACH_FATAL;
	}
	return res == TACH_END ? TACH_OK : res;
}

/* ---- strings ------------------------------------------------------------- */

static int
take_string(struct pprof_reader *p, const struct field *f)
{
	struct buf *b = &p->scratch;
	uint32_t *s;

	if (f->wire != WIRE_BYTES)
		return bad_field(p, TACH_EDAMAGED, f->at,
		    "a number in the place of a string");
	if (f->end - pprof_at(p) > STRING_MAX)
		return bad_field(p, TACH_ELIMIT, f->at, "a string of more than "
		    "%u MiB", STRING_MAX >> 20);
	for (b->len = 0; pprof_at(p) < f->end;) {
		size_t n = (size_t)(f->end - pprof_at(p));
		zin_need(&p->zin, 1);
		if (n > cursor_left(&p->zin.cur))
			n = cursor_left(&p->zin.cur);
		if (n == 0)
			return pprof_bad_end(p, "the last string is not complete");
		buf_add(b, (const char *)p->zin.cur.pos, n);
		p->zin.cur.pos += n;
	}
	if (p->nstrings == ENTRIES_MAX)
		return too_many(p, "strings");
	s = array_grow(p->strings, p->nstrings, &p->strings_max, sizeof(*s));
	if (s == NULL || b->failed)
		return pprof_no_memory(p);
	p->strings = s;
	s[p->nstrings] = tach_table_add_string(p->texts, b->text, b->len);
	if (s[p->nstrings++] == TACH_NONE)
		return pprof_no_memory(p);
	if (table_kept(p->texts) > NAMES_MAX)
		return error_set(&p->in->error, TACH_ELIMIT, "the strings have "
		    "more than %u MiB together, which is not read",
		    NAMES_MAX >> 20);
	return TACH_OK;
}

/* A string by its number.  One that is not there is empty, as other readers take
 * it; a NUL at its beginning would make it a note. */
static struct tach_string
pprof_string(const struct pprof_reader *p, uint64_t number)
{
	struct tach_string s = {"", 0};

	if (number < p->nstrings)
		s = tach_table_string(p->texts, p->strings[number]);
	while (s.len > 0 && s.bytes[0] == '\0')
		s = (struct tach_string){s.bytes + 1, s.len - 1};
	return s;
}

static bool
string_is(struct tach_string s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.bytes, text, s.len) == 0;
}

/* ---- entries with ids ---------------------------------------------------- */

static uint64_t
id_at(const struct ids *ids, uint32_t index)
{
	uint64_t id;

	memcpy(&id, (const char *)ids->entries + index * ids->size,
	    sizeof(id));
	return id;
}

struct ids_key {
	const struct ids *ids;
	uint64_t id;
};

static bool
ids_equal(const void *arg, uint32_t index)
{
	const struct ids_key *k = arg;

	return id_at(k->ids, index) == k->id;
}

/* NULL: there is none of that id. */
static void *
ids_find(const struct ids *ids, uint64_t id)
{
	struct ids_key key = {ids, id};
	uint32_t index = set_find(&ids->set, hash_of(&id, sizeof(id), 0),
	    ids_equal, &key);

	return index == TACH_NONE ? NULL :
	    (char *)ids->entries + index * ids->size;
}

/* Of entries with equal ids the first one is found. */
static int
ids_add(struct pprof_reader *p, struct ids *ids, const void *entry)
{
	uint64_t id;
	void *all;

	if (ids->count == ENTRIES_MAX)
		return too_many(p, ids->name);
	all = array_grow(ids->entries, ids->count, &ids->max, ids->size);
	if (all == NULL)
		return pprof_no_memory(p);
	ids->entries = all;
	memcpy((char *)all + ids->count * ids->size, entry, ids->size);
	id = id_at(ids, ids->count++);
	if (ids_find(ids, id) == NULL && !set_add(&ids->set,
		hash_of(&id, sizeof(id), 0), ids->count - 1))
		return pprof_no_memory(p);
	return TACH_OK;
}

static void
ids_clear(struct ids *ids)
{
	set_clear(&ids->set);
	free(ids->entries);
}

/* ---- the tables ---------------------------------------------------------- */

static int
take_value_type(struct pprof_reader *p, const struct field *f,
    struct value_type *t)
{
	uint64_t n[2] = {0};

	if (take_numbers(p, f, n, 2, NULL) != TACH_OK)
		return TACH_FATAL;
	*t = (struct value_type){n[0], n[1]};
	return TACH_OK;
}

static int
take_sample_type(struct pprof_reader *p, const struct field *f)
{
	if (p->ntypes == TYPES_MAX)
		return bad_field(p, TACH_ELIMIT, f->at, "more than %d kinds of "
		    "values are not read", TYPES_MAX);
	return take_value_type(p, f, &p->types[p->ntypes++]);
}

static int
take_mapping(struct pprof_reader *p, const struct field *f)
{
	uint64_t n[5] = {0};
	struct pprof_mapping m;

	if (take_numbers(p, f, n, 5, NULL) != TACH_OK)
		return TACH_FATAL;
	m = (struct pprof_mapping){n[0], n[1], n[3], n[4]};
	return ids_add(p, &p->mappings, &m);
}

static int
take_function(struct pprof_reader *p, const struct field *f)
{
	uint64_t n[4] = {0};
	struct pprof_function function;

	if (take_numbers(p, f, n, 4, NULL) != TACH_OK)
		return TACH_FATAL;
	/* Without a name there is the one that the linker knows. */
	function = (struct pprof_function){n[0], n[1] != 0 ? n[1] : n[2], n[3]};
	return ids_add(p, &p->functions, &function);
}

/* Takes a line of a location. */
static int
take_place_line(struct pprof_reader *p, const struct field *f)
{
	uint64_t n[3] = {0};
	struct pprof_line *lines;

	if (f->number != 4)
		return TACH_OK;
	if (take_numbers(p, f, n, 3, NULL) != TACH_OK)
		return TACH_FATAL;
	if (p->nlines == ENTRIES_MAX)
		return too_many(p, "lines");
	lines = array_grow(p->lines, p->nlines, &p->lines_max, sizeof(*lines));
	if (lines == NULL)
		return pprof_no_memory(p);
	p->lines = lines;
	lines[p->nlines++] = (struct pprof_line){n[0], n[1], n[2], TACH_NONE};
	return TACH_OK;
}

static int
take_place(struct pprof_reader *p, const struct field *f)
{
	uint64_t n[3] = {0};
	struct place place = {.first = p->nlines, .frame = TACH_NONE};

	if (take_numbers(p, f, n, 3, take_place_line) != TACH_OK)
		return TACH_FATAL;
	place.id = n[0];
	place.mapping = n[1];
	place.address = n[2];
	place.count = p->nlines - place.first;
	return ids_add(p, &p->places, &place);
}

/* Takes what is no sample. */
static int
take_entry(struct pprof_reader *p, const struct field *f)
{
	switch (f->number) {
	case 1:
		return take_sample_type(p, f);
	case 3:
		return take_mapping(p, f);
	case 4:
		return take_place(p, f);
	case 5:
		return take_function(p, f);
	case 6:
		return take_string(p, f);
	case 11:
		return take_value_type(p, f, &p->period_type);
	case 12:
		p->period = f->value;
		break;
	case 14:
		p->default_type = f->value;
		break;
	}
	return leave_field(p, f);
}

/* ---- what counts --------------------------------------------------------- */

/* The nanoseconds of a unit of time; 0: it is another unit. */
static uint64_t
unit_time(const struct pprof_reader *p, uint64_t unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
	    {"nanoseconds", 1},
	    {"microseconds", 1000},
	    {"milliseconds", 1000000},
	    {"seconds", 1000000000},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (string_is(pprof_string(p, unit), units[i].name))
			return units[i].ns;
	return 0;
}

static bool
counts(const struct pprof_reader *p, const struct value_type *t)
{
	return string_is(pprof_string(p, t->unit), "count");
}

/* How well a kind of values tells the number of samples; 0: not at all. */
static int
worth(const struct pprof_reader *p, const struct value_type *t)
{
	struct tach_string type = pprof_string(p, t->type);

	if (counts(p, t) &&
	    (string_is(type, "samples") || string_is(type, "sample")))
		return 4;
	if (!counts(p, t) && unit_time(p, t->unit) == 0)
		return 0;
	if (p->default_type != 0 && t->type == p->default_type)
		return 3;
	return counts(p, t) ? 1 : 2;
}

/* Whether the value that is shown first is of memory: of a heap, whose objects are no
 * samples. */
static bool
measures_memory(const struct pprof_reader *p)
{
	for (uint32_t i = 0; i < p->ntypes; i++)
		if (p->types[i].type == p->default_type && p->default_type != 0)
			return string_is(pprof_string(p, p->types[i].unit), "bytes");
	return string_is(pprof_string(p, p->period_type.unit), "bytes");
}

static int
no_samples(struct pprof_reader *p)
{
	struct tach_string unit = p->ntypes == 0 ?
	    (struct tach_string){"nothing", 7} : measures_memory(p) ?
	    (struct tach_string){"bytes", 5} :
	    pprof_string(p, p->types[0].unit);

	return error_set(&p->in->error, TACH_EFOREIGN, "its values are neither "
	    "numbers of samples nor times: they are in \"%.*s\"",
	    unit.len < 64 ? (int)unit.len : 64, unit.bytes);
}

/* Finds out the interval, and which value becomes how many samples. */
static int
find_count(struct pprof_reader *p)
{
	uint64_t unit = unit_time(p, p->period_type.unit), ns;
	int best = 0;

	for (uint32_t i = 0; i < p->ntypes; i++) {
		int w = worth(p, &p->types[i]);
		if (w > best)
			p->which = i;
		best = w > best ? w : best;
	}
	if (best == 0 || (best < 4 && measures_memory(p)))
		return no_samples(p);
	if (unit == 0 || __builtin_mul_overflow(p->period, unit, &ns) ||
	    ns == 0 || ns > INT64_MAX)
		ns = INTERVAL_ASSUMED * UINT64_C(1000);
	p->in->meta.interval_us = ns < 1000 ? 1 : (ns + 500) / 1000;
	unit = unit_time(p, p->types[p->which].unit);
	if (unit != 0)
		p->divisor = ns / unit > 0 ? ns / unit : 1;
	return TACH_OK;
}

/* A mapping that is called so is a Python's, by tach-convert. */
static void
find_python(struct pprof_reader *p)
{
	struct tach_string s = {"", 0}, rest;
	uint64_t major, minor;

	if (p->mappings.count > 0)
		s = pprof_string(p, ((struct pprof_mapping *)p->mappings.entries)->file);
	if (s.len < 8 || memcmp(s.bytes, "python", 6) != 0)
		return;
	rest = (struct tach_string){s.bytes + 6, s.len - 6};
	if (note_number(&rest, UINT8_MAX, &major) && note_char(&rest, '.') &&
	    note_number(&rest, UINT8_MAX, &minor) && rest.len == 0) {
		p->in->meta.python[0] = (uint8_t)major;
		p->in->meta.python[1] = (uint8_t)minor;
	}
}

/* ---- frames -------------------------------------------------------------- */

static uint32_t
add_place_frame(struct pprof_reader *p, struct tach_string file,
    struct tach_string func, uint64_t line, uint64_t column)
{
	struct frametext t = {{file.bytes, file.len}, {func.bytes, func.len},
	    line > 0 && line <= INT32_MAX ? (int32_t)line : -1};
	struct tach_frame f;

	if (file.len == 0)
		t.file = (struct piece){"~", 1};
	if (!frametext_intern(p->in->table, &t, &f))
		return TACH_NONE;
	if (column > 0 && column <= INT32_MAX)
		f.column = (int32_t)column - 1;
	return tach_table_add_frame(p->in->table, &f);
}

static uint32_t
line_frame(struct pprof_reader *p, const struct pprof_line *line)
{
	const struct pprof_function *f = ids_find(&p->functions, line->function);
	struct tach_string name = pprof_string(p, f != NULL ? f->name : 0);

	if (name.len == 0)
		name = (struct tach_string){"?", 1};
	return add_place_frame(p, pprof_string(p, f != NULL ? f->file : 0), name,
	    line->line, line->column);
}

/* Without lines the function is the offset in the mapped object. */
static uint32_t
nameless_frame(struct pprof_reader *p, const struct place *place)
{
	const struct pprof_mapping *m = ids_find(&p->mappings, place->mapping);
	char text[32];
	int n = snprintf(text, sizeof(text), "0x%" PRIx64, m == NULL ?
	    place->address : place->address - m->start + m->offset);

	return add_place_frame(p, pprof_string(p, m != NULL ? m->file : 0),
	    (struct tach_string){text, (size_t)n}, 0, 0);
}

static int
push_frame(struct pprof_reader *p, uint32_t frame)
{
	if (frame == TACH_NONE)
		return pprof_no_memory(p);
	return stacks_push(&p->stacks, frame);
}

/* Adds the frames of a location.  Inlined functions come first. */
static int
push_place(struct pprof_reader *p, uint64_t id, uint64_t at)
{
	struct place *place = ids_find(&p->places, id);

	if (place == NULL)
		return bad_field(p, TACH_EDAMAGED, at, "location_id %" PRIu64
		    " is of no location", id);
	if (place->count == 0) {
		if (place->frame == TACH_NONE)
			place->frame = nameless_frame(p, place);
		return push_frame(p, place->frame);
	}
	for (uint32_t i = 0; i < place->count; i++) {
		struct pprof_line *line = &p->lines[place->first + i];
		if (line->frame == TACH_NONE)
			line->frame = line_frame(p, line);
		if (push_frame(p, line->frame) != TACH_OK)
			return TACH_FATAL;
	}
	return TACH_OK;
}

/* ---- samples ------------------------------------------------------------- */

/* A sample as far as it was read. */
struct pprof_sample {
	uint64_t at;
	uint32_t nvalues;
	uint64_t value; /* the one that counts */
	struct labels labels;
};

/* Takes the number of a field, or of a packed one all, by a function. */
static int
take_repeated(struct pprof_reader *p, const struct field *f,
    struct pprof_sample *s, int (*take)(struct pprof_reader *,
    struct pprof_sample *, uint64_t, uint64_t at))
{
	uint64_t at, n;

	if (f->wire == WIRE_VARINT)
		return take(p, s, f->value, f->at);
	if (f->wire != WIRE_BYTES)
		return TACH_OK;
	while ((at = pprof_at(p)) < f->end)
		if (take_varint(p, f->end, &n) != TACH_OK ||
		    take(p, s, n, at) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}

static int
take_location(struct pprof_reader *p, struct pprof_sample *s, uint64_t id,
    uint64_t at)
{
	(void)s;
	return push_place(p, id, at);
}

static int
take_value(struct pprof_reader *p, struct pprof_sample *s, uint64_t value,
    uint64_t at)
{
	if (s->nvalues++ != p->which)
		return TACH_OK;
	if (value > INT64_MAX)
		return bad_field(p, TACH_EDAMAGED, at, "value %" PRId64 " is "
		    "negative: the difference of two profiles is not read",
		    (int64_t)value);
	s->value = value;
	return TACH_OK;
}

/* Takes the number of a thread, which may be text. */
static void
take_thread_label(struct labels *l, struct tach_string key,
    struct tach_string text, uint64_t number)
{
	static const char *const keys[] = {"thread_id", "thread native id",
	    "tid", "thread id"};

	if (text.len > 0 &&
	    (!note_number(&text, UINT64_MAX, &number) || text.len > 0))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (string_is(key, keys[i]) && (!l->has_thread || i < l->rank)) {
			l->thread = number;
			l->has_thread = true;
			l->rank = i;
		}
}

/* What a label is about, by its key. */
static int
take_label(struct pprof_reader *p, const struct field *f, struct labels *l)
{
	static const char *const names[] = {"thread", "thread_name",
	    "thread name"};
	uint64_t n[3] = {0};
	struct tach_string key, text;

	if (take_numbers(p, f, n, 3, NULL) != TACH_OK)
		return TACH_FATAL;
	key = pprof_string(p, n[0]);
	text = pprof_string(p, n[1]);
	take_thread_label(l, key, text, n[2]);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (string_is(key, names[i]))
			l->name = text;
	if (string_is(key, "interp"))
		l->interp = n[2];
	if (string_is(key, "status"))
		l->status = text;
	return TACH_OK;
}

static int
take_pprof_sample(struct pprof_reader *p, const struct field *message,
    struct pprof_sample *s)
{
	struct field f;
	int res, part = TACH_OK;

	stacks_begin(&p->stacks);
	if (message->wire != WIRE_BYTES)
		return bad_field(p, TACH_EDAMAGED, message->at,
		    "a number in the place of a sample");
	while ((res = next_field(p, message->end, &f)) == TACH_OK) {
		if (f.number == 1)
			part = take_repeated(p, &f, s, take_location);
		else if (f.number == 2)
			part = take_repeated(p, &f, s, take_value);
		else if (f.number == 3)
			part = take_label(p, &f, &s->labels);
		if (part != TACH_OK || leave_field(p, &f) != TACH_OK)
			return TACH_FATAL;
	}
	return res == TACH_END ? TACH_OK : res;
}

/* The bits of a status in words, as tach-convert writes it. */
static uint8_t
status_of_label(struct tach_string s)
{
	uint8_t status = 0;

	if (s.len == 0)
		return TACH_STATUS_UNKNOWN;
	while (s.len > 0) {
		const char *comma = memchr(s.bytes, ',', s.len), *name;
		size_t n = comma != NULL ? (size_t)(comma - s.bytes) : s.len;
		for (unsigned i = 0; (name = tach_status_name(i)) != NULL; i++)
			if (string_is((struct tach_string){s.bytes, n}, name))
				status |= (uint8_t)(1 << i);
		s = note_behind(s, n + (comma != NULL));
	}
	return status;
}

/* Makes the sample's thread the current one. */
static int
find_sample_thread(struct pprof_reader *p, const struct labels *l)
{
	struct threadname t = {l->thread, 0, l->name};
	uint32_t interp = l->interp <= UINT32_MAX ? (uint32_t)l->interp : 0;

	if (l->name.len > 0 && threadname_parse(l->name, &t) &&
	    l->has_thread && t.thread != l->thread)
		t = (struct threadname){l->thread, 0, l->name};
	if (l->has_thread)
		return stacks_thread(&p->stacks, l->thread, interp, t.name);
	if (l->name.len > 0)
		return stacks_named(&p->stacks, 0, l->name);
	return stacks_thread(&p->stacks, 0, 0, l->name);
}

static void
fill_status(struct pprof_reader *p, uint8_t status)
{
	if (p->stacks.ticks[0].status == status)
		return;
	for (size_t i = 0; i < STACKS_BATCH; i++)
		p->stacks.ticks[i].status = status;
}

/* A value as a number of samples. */
static uint64_t
samples_of(const struct pprof_reader *p, uint64_t value)
{
	uint64_t n = value;

	if (p->divisor > 1)
		n = value / p->divisor +
		    (value % p->divisor >= p->divisor - p->divisor / 2);
	return n == 0 && value > 0 ? 1 : n;
}

/* Makes the samples of the next message the next to be given.  There may be
 * none. */
static int
take_message(struct pprof_reader *p)
{
	struct field f;
	struct pprof_sample s = {0};
	char where[32];
	int res = next_field(p, p->size, &f);

	if (res != TACH_OK)
		return res;
	if (f.number != 2)
		return leave_field(p, &f);
	if (take_pprof_sample(p, &f, &s) != TACH_OK ||
	    find_sample_thread(p, &s.labels) != TACH_OK)
		return TACH_FATAL;
	snprintf(where, sizeof(where), "byte %" PRIu64 ": ", f.at);
	fill_status(p, status_of_label(s.labels.status));
	res = stacks_take(&p->stacks, true, samples_of(p, s.value), where);
	return res == TACH_FATAL ? res : source_check_names(p->in);
}

/* ---- the source ---------------------------------------------------------- */

static int
pprof_reader_next(struct source *source, struct tach_run *run)
{
	struct pprof_reader *p = (struct pprof_reader *)source;
	int res;

	while (p->stacks.left == 0)
		if ((res = take_message(p)) != TACH_OK)
			return res;
	stacks_run(&p->stacks, run);
	return TACH_OK;
}

static void
pprof_reader_free(struct source *source)
{
	struct pprof_reader *p = (struct pprof_reader *)source;

	zin_close(&p->zin);
	ids_clear(&p->mappings);
	ids_clear(&p->functions);
	ids_clear(&p->places);
	stacks_clear(&p->stacks);
	tach_table_free(p->texts);
	buf_clear(&p->scratch);
	free(p->strings);
	free(p->lines);
	free(p);
}

static int
open_pass(struct pprof_reader *p)
{
	zin_close(&p->zin);
	return zin_open(&p->zin, p->from, 0, p->size, TACH_PLAIN, false) ?
	    TACH_OK : pprof_no_memory(p);
}

static int
load_tables(struct pprof_reader *p)
{
	struct field f;
	int res;

	if (open_pass(p) != TACH_OK)
		return TACH_FATAL;
	while ((res = next_field(p, p->size, &f)) == TACH_OK)
		if (take_entry(p, &f) != TACH_OK)
			return TACH_FATAL;
	if (res != TACH_END || find_count(p) != TACH_OK)
		return TACH_FATAL;
	find_python(p);
	return open_pass(p);
}

/* Whether a field is the type of a value: two small numbers, or one. */
static bool
is_value_type(const struct cursor *c, uint64_t n)
{
	return n >= 2 && n <= 16 && cursor_has(c, 1) &&
	    (*c->pos == 0x08 || *c->pos == 0x10);
}

/* Whether a field is a sample: its locations or values, packed or not, come first. */
static bool
is_sample(const struct cursor *c, uint64_t n)
{
	return n >= 2 && cursor_has(c, 1) && (*c->pos == 0x08 || *c->pos == 0x0a ||
	    *c->pos == 0x10 || *c->pos == 0x12);
}

/* Go's programs write times before the types of values, libdatadog the samples; others
 * write the types first. */
bool
pprof_known(const uint8_t *p, size_t n)
{
	struct cursor c = {p, p + n, false};
	uint64_t value;

	while (cursor_has(&c, 2)) {
		uint8_t tag = cursor_u8(&c);
		if (tag >= 0x80 || cursor_varint(&c, &value) != CURSOR_OK)
			return false;
		if (tag == (1 << 3 | WIRE_BYTES) ||
		    tag == (11 << 3 | WIRE_BYTES))
			return is_value_type(&c, value);
		if (tag == (2 << 3 | WIRE_BYTES))
			return is_sample(&c, value);
		if ((tag & 7) != WIRE_VARINT || tag >> 3 < 7)
			return false;
	}
	return false;
}

struct source *
pprof_source(struct source_input *in, struct origin *from, uint64_t size)
{
	struct pprof_reader *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	p->source = (struct source){.next = pprof_reader_next,
	    .free = pprof_reader_free};
	p->in = in;
	p->from = from;
	p->size = size;
	p->divisor = 1;
	p->mappings = (struct ids){.size = sizeof(struct pprof_mapping),
	    .name = "mappings"};
	p->functions = (struct ids){.size = sizeof(struct pprof_function),
	    .name = "functions"};
	p->places = (struct ids){.size = sizeof(struct place),
	    .name = "locations"};
	in->info.input = TACH_INPUT_PPROF;
	in->info.file_size = size;
	if ((p->texts = tach_table_new()) == NULL ||
	    !stacks_init(&p->stacks, in))
		pprof_no_memory(p);
	else if (load_tables(p) == TACH_OK)
		return &p->source;
	pprof_reader_free(&p->source);
	return NULL;
}
