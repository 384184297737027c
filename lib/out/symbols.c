/* SPDX-License-Identifier: ISC */
/* symbols.c: see symbols.h. */
#include "out/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

static const char no_frames[] = NO_FRAMES;

/* ---- order --------------------------------------------------------------- */

static int
compare_functions(const struct symbol *a, const struct symbol *b)
{
	int order = string_order(a->file, b->file);

	return order != 0 ? order : string_order(a->func, b->func);
}

static int
compare_symbols(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;
	int order = compare_functions(a, b);

	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

bool
symbols_init(struct symbols *s, const struct locations *p)
{
	s->list = reallocarray(NULL, (size_t)p->count + 1, sizeof(*s->list));
	s->of = reallocarray(NULL, (size_t)p->count + 1, sizeof(*s->of));
	s->count = p->count + 1;
	if (s->list == NULL || s->of == NULL)
		return false;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct location *location = &p->all[i];
		s->list[i] = (struct symbol){location->file, location->func,
		    location->line > 0 ? location->line : 0, i};
	}
	qsort(s->list, p->count, sizeof(*s->list), compare_symbols);
	s->list[p->count] = (struct symbol){{NO_FILE, 1},
	    {no_frames, sizeof(no_frames) - 1}, 0, p->count};
	for (uint32_t i = 0; i < s->count; i++)
		s->of[s->list[i].location] = i;
	return true;
}

void
symbols_clear(struct symbols *s)
{
	free(s->list);
	free(s->of);
	*s = (struct symbols){0};
}

/* The last symbol is a file of its own. */
uint32_t
symbols_next_file(const struct symbols *s, uint32_t from)
{
	uint32_t i = from + 1;

	while (i < s->count - 1 &&
	    string_order(s->list[i].file, s->list[from].file) == 0)
		i++;
	return i;
}

uint32_t
symbols_next_function(const struct symbols *s, uint32_t from)
{
	uint32_t i = from + 1;

	while (i < s->count - 1 &&
	    compare_functions(&s->list[i], &s->list[from]) == 0)
		i++;
	return i;
}

/* ---- names --------------------------------------------------------------- */

/* Functions that google-pprof and pprof leave out with all their callees, or
 * take for an end mark. */
static const char *const reserved[] = {"_fini", "__restore",
    "__pthread_sighandler", "__FRAME_END__"};

static bool
is_reserved(struct tach_string name)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (name.len == strlen(reserved[i]) &&
		    memcmp(name.bytes, reserved[i], name.len) == 0)
			return true;
	return false;
}

/* Both readers cut <...> and (...) out of names.  google-pprof takes -- for a
 * separator of two names, and in some places a space, too. */
static char
passing(char c, char before)
{
	switch (c) {
	case '<':
		return '[';
	case '>':
		return ']';
	case '(':
		return '{';
	case ')':
		return '}';
	case ' ':
		return '_';
	case '-':
		return before == '-' ? '_' : '-';
	default:
		return c;
	}
}

void
symbol_add_name(struct buf *b, struct tach_string func)
{
	bool marked = is_reserved(func);
	char before = '\0';
	size_t from;

	if (func.len == 0)
		func = (struct tach_string){"?", 1};
	if (marked)
		buf_add_char(b, '[');
	from = b->len;
	utf8_add_visible(b, func.bytes, func.len);
	for (; from < b->len; from++)
		before = b->text[from] = passing(b->text[from], before);
	if (marked)
		buf_add_char(b, ']');
}

void
symbol_add_file(struct buf *b, struct tach_string file)
{
	if (file.len == 0)
		buf_add_char(b, '?');
	utf8_add_visible(b, file.bytes, file.len);
}
