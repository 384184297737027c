/* SPDX-License-Identifier: ISC */
/* lines.c: see lines.h. */
#include "python/lines.h"

#include "python/same.h"

struct lines_cursor {
	const uint8_t *p, *end;
	bool bad; /* ran over the end */
};

static uint8_t
next_byte(struct lines_cursor *c)
{
	if (c->p == c->end) {
		c->bad = true;
		return 0;
	}
	return *c->p++;
}

/* Six bits a byte, least significant first; bit 6: more follow. */
static uint32_t
next_varint(struct lines_cursor *c)
{
	uint32_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = next_byte(c);
		if (shift < 32)
			v |= (uint32_t)(b & 63) << shift;
		shift += 6;
	} while (b & 64);
	return v;
}

static int32_t
next_signed(struct lines_cursor *c)
{
	uint32_t v = next_varint(c);

	return v & 1 ? -(int32_t)(v >> 1) : (int32_t)(v >> 1);
}

/* Adds without a sign: numbers of a damaged table may overflow, and the sum is
 * only a line. */
static int32_t
plus(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a + (uint32_t)b);
}

static void
next_columns(struct lines_cursor *c, unsigned kind, struct py_location *l)
{
	uint8_t b;

	if (kind < PY_LINES_ONE_LINE) {
		b = next_byte(c);
		l->column = (int32_t)(kind << 3 | b >> 4);
		l->end_column = l->column + (b & 15);
	} else {
		l->column = next_byte(c);
		l->end_column = next_byte(c);
	}
}

/* Reads the rest of an entry after its first byte; *line: the running line. */
static void
next_location(struct lines_cursor *c, unsigned kind, int32_t *line,
    struct py_location *l)
{
	int32_t end = 0;

	*l = (struct py_location){-1, -1, -1, -1};
	if (kind == PY_LINES_NONE)
		return;
	if (kind == PY_LINES_LONG || kind == PY_LINES_NO_COLUMNS)
		*line = plus(*line, next_signed(c));
	else if (kind >= PY_LINES_ONE_LINE)
		*line = plus(*line, (int32_t)kind - PY_LINES_ONE_LINE);
	if (kind == PY_LINES_LONG) {
		end = (int32_t)next_varint(c);
		l->column = (int32_t)next_varint(c) - 1;
		l->end_column = (int32_t)next_varint(c) - 1;
	} else if (kind != PY_LINES_NO_COLUMNS) {
		next_columns(c, kind, l);
	}
	l->line = *line;
	l->end_line = plus(*line, end);
}

int64_t
lines_units(const uint8_t *table, size_t len)
{
	int64_t units = 0;

	/* Only the first byte of an entry has the highest bit. */
	for (size_t i = 0; i < len; i++)
		if (table[i] & 0x80)
			units += (table[i] & 7) + 1;
	return units;
}

/* Makes negative numbers -1, as the file format has them.  A location without a
 * line has no columns, and there are both columns or none. */
static void
tidy(struct py_location *l)
{
	if (l->line < 0)
		*l = (struct py_location){-1, -1, -1, -1};
	if (l->end_line < 0)
		l->end_line = -1;
	if (l->column < 0 || l->end_column < 0)
		l->column = l->end_column = -1;
}

static bool
find_location(const uint8_t *table, size_t len, int32_t line, int64_t unit,
    struct py_location *l)
{
	struct lines_cursor c = {table, table + len, false};
	int64_t end = 0;

	while (c.p < c.end && !c.bad) {
		uint8_t first = next_byte(&c);
		if (!(first & 0x80))
			break;
		next_location(&c, first >> 3 & 15, &line, l);
		end += (first & 7) + 1;
		if (unit < end && !c.bad) {
			tidy(l);
			return true;
		}
	}
	return false;
}

/* A table has pairs of bytes: how many bytes of bytecode a range has, and how
 * many lines it is from the range before, or NO_LINE. */
#define NO_LINE (-128)

static bool
find_range(const uint8_t *table, size_t len, int32_t line, int64_t unit,
    struct py_location *l)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		int8_t delta = (int8_t)table[i + 1];
		end += table[i];
		if (delta != NO_LINE)
			line = plus(line, delta);
		if (unit * 2 >= end)
			continue;
		l->line = delta != NO_LINE ? line : -1;
		tidy(l);
		return true;
	}
	return false;
}

/* A table has pairs of bytes: after how many bytes of bytecode the line changes,
 * and by how much.  The last line has no end. */
static bool
find_lnotab(const uint8_t *table, size_t len, int32_t line, int64_t unit,
    struct py_location *l)
{
	int64_t start = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		start += table[i];
		if (start > unit * 2)
			break;
		line = plus(line, (int8_t)table[i + 1]);
	}
	l->line = line;
	tidy(l);
	return true;
}

bool
lines_find(enum lines_form form, const uint8_t *table, size_t len,
    int32_t firstlineno, int64_t unit, struct py_location *l)
{
	bool found = true;

	*l = (struct py_location){-1, -1, -1, -1};
	if (unit < 0) {
		l->line = firstlineno;
		if (form == LINES_LOCATIONS)
			l->end_line = firstlineno;
	} else if (form == LINES_LOCATIONS) {
		found = find_location(table, len, firstlineno, unit, l);
	} else if (form == LINES_RANGES) {
		found = find_range(table, len, firstlineno, unit, l);
	} else {
		found = find_lnotab(table, len, firstlineno, unit, l);
	}
	if (!found)
		*l = (struct py_location){-1, -1, -1, -1};
	return found;
}
