/* SPDX-License-Identifier: ISC */
/* frametext.c: see frametext.h. */
#include "format/frametext.h"

#include <string.h>

#include "format/number.h"

static struct frametext
bare(struct piece name)
{
	return (struct frametext){{"~", 1}, name, -1};
}

/* Takes `:LINE` from the end, if it is there. */
static bool
take_line_number(struct piece *p, int32_t *line)
{
	const char *colon = memrchr(p->text, ':', p->len);
	uint64_t n;
	bool minus;

	if (colon == NULL)
		return false;
	minus = colon[1] == '-';
	if (number_get(colon + 1 + minus, (uint64_t)INT32_MAX + minus, &n) !=
	    p->text + p->len)
		return false;
	*line = (int32_t)(minus ? -(int64_t)n : (int64_t)n);
	p->len = (size_t)(colon - p->text);
	return true;
}

/* The parenthesis that the last character closes, or NULL.  Names of C++ and of
 * files may have parentheses of their own. */
static const char *
opening(struct piece p)
{
	size_t depth = 0;

	for (size_t i = p.len; i-- > 0;) {
		depth += p.text[i] == ')';
		if (p.text[i] == '(' && --depth == 0)
			return p.text + i;
	}
	return NULL;
}

struct frametext
frametext_py_spy(struct piece p)
{
	struct frametext f = bare(p);
	const char *open;
	struct piece file;

	if (p.len == 0 || p.text[p.len - 1] != ')' ||
	    (open = opening(p)) == NULL || open < p.text + 2 ||
	    open[-1] != ' ')
		return f;
	file = (struct piece){open + 1, (size_t)
	    (p.text + p.len - 1 - (open + 1))};
	take_line_number(&file, &f.line);
	f.func.len = (size_t)(open - 1 - p.text);
	while (f.func.len > 1 && f.func.text[f.func.len - 1] == ' ')
		f.func.len--;
	if (file.len > 0)
		f.file = file;
	else
		f.line = -1;
	return f;
}

/* The colon behind the file.  Names of C++ have pairs of colons inside. */
static const char *
single_colon(struct piece p)
{
	for (size_t i = p.len; i-- > 0;) {
		if (p.text[i] != ':')
			continue;
		if (i == 0 || p.text[i - 1] != ':')
			return p.text + i;
		i--;
	}
	return NULL;
}

static bool
all_digits(struct piece p)
{
	return p.len > 0 && strspn(p.text, "0123456789") >= p.len;
}

/* `FILE:FUNCTION:LINE`, as CPython and austin write it.  False if the function
 * is a number: it is another tool's `FILE:LINE:COLUMN`. */
static bool
get_place(struct piece p, struct frametext *f)
{
	const char *colon;

	if (!take_line_number(&p, &f->line) ||
	    (colon = single_colon(p)) == NULL)
		return false;
	f->file = (struct piece){p.text, (size_t)(colon - p.text)};
	f->func = (struct piece){colon + 1, (size_t)
	    (p.text + p.len - (colon + 1))};
	return !all_digits(f->func);
}

struct frametext
frametext_any(struct piece p)
{
	static const struct piece gc = {"<GC>", 4};
	struct frametext f;

	if (get_place(p, &f))
		return f;
	if (p.len == 4 && memcmp(p.text, ":GC:", 4) == 0)
		return bare(gc);
	return frametext_py_spy(p);
}

/* The line of a frame.  Frames without a file may have the line 0 of "~". */
static int32_t
frametext_line(const struct frametext *t)
{
	bool nowhere = t->file.len == 1 && *t->file.text == '~';

	return nowhere && t->line == 0 ? -1 : t->line;
}

bool
frametext_intern(struct tach_table *table, const struct frametext *t,
    struct tach_frame *f)
{
	*f = (struct tach_frame){
	    .file = tach_table_add_string(table, t->file.text, t->file.len),
	    .func = tach_table_add_string(table, t->func.text, t->func.len),
	    .line = frametext_line(t),
	    .end_line = frametext_line(t),
	    .column = -1,
	    .end_column = -1,
	    .opcode = TACH_NO_OPCODE,
	};
	return f->file != TACH_NONE && f->func != TACH_NONE;
}
