/* SPDX-License-Identifier: ISC */
/* gperftools_text.c: see gperftools_text.h. */
#include "format/gperftools_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "format/frametext.h"
#include "format/linebuf.h"
#include "io.h"

#define SYMBOLS "--- symbol"
#define PROFILE "--- profile"
#define BUILD "build="
#define BUILD_MARK "$build"

void
gperftools_text_clear(struct gperftools_text *t)
{
	free(t->mappings);
	free(t->symbols);
}

static int
gperftools_text_no_memory(struct gperftools_text *t)
{
	return error_memory(&t->in->error);
}

/* ---- words of a line, which ends with a newline -------------------------- */

static const char *
skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static const char *
skip_word(const char *p)
{
	while (*p != ' ' && *p != '\t' && *p != '\n')
		p++;
	return skip_blanks(p);
}

/* Reads up to 16 hexadecimal digits, with or without 0x before them.  NULL if
 * there are none, or more. */
static const char *
get_hex(const char *p, uint64_t *n)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *digit;
	int i = 0;

	*n = 0;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (; (digit = memchr(digits, *p, sizeof(digits) - 1)) != NULL; p++) {
		ptrdiff_t value = digit - digits;
		*n = *n << 4 | (uint64_t)(value < 16 ? value : value - 6);
		if (++i > 16)
			return NULL;
	}
	return i > 0 ? p : NULL;
}

/* The text from p to the end of the line, without trailing blanks. */
static struct piece
rest_of(const char *p, struct piece line)
{
	const char *end = line.text + line.len;

	while (end > p && (end[-1] == ' ' || end[-1] == '\t' ||
	    end[-1] == '\r'))
		end--;
	return (struct piece){p, (size_t)(end - p)};
}

/* ---- names --------------------------------------------------------------- */

/* Whether a line names an address. */
static bool
get_symbol(struct piece line, uint64_t *address, struct piece *name)
{
	const char *p = skip_blanks(line.text);

	if (p[0] != '0' || p[1] != 'x' || (p = get_hex(p, address)) == NULL ||
	    (*p != ' ' && *p != '\t'))
		return false;
	*name = rest_of(skip_blanks(p), line);
	return name->len > 0;
}

/* google-pprof appends `<ADDRESS>` to equal names. */
static void
cut_address(struct piece *name)
{
	const char *open = memrchr(name->text, '<', name->len), *end;
	uint64_t address;

	if (open == NULL || open == name->text)
		return;
	end = get_hex(open + 1, &address);
	if (end == NULL || end + 1 != name->text + name->len || *end != '>' ||
	    (end - open != 1 + 8 && end - open != 1 + 16))
		return;
	name->len = (size_t)(open - name->text);
}

static int
add_symbol(struct gperftools_text *t, uint64_t address, uint32_t size,
    struct piece name)
{
	struct frametext text = frametext_py_spy(name);
	struct gperftools_symbol *p = array_grow(t->symbols, t->nsymbols,
	    &t->symbols_max, sizeof(*p));
	struct tach_frame f;

	if (p == NULL)
		return gperftools_text_no_memory(t);
	t->symbols = p;
	p += t->nsymbols;
	p->address = address;
	p->size = size;
	cut_address(&text.func);
	if (!frametext_intern(t->in->table, &text, &f) ||
	    (p->frame = tach_table_add_frame(t->in->table, &f)) == TACH_NONE)
		return gperftools_text_no_memory(t);
	t->nsymbols++;
	return TACH_OK;
}

/* ---- mapped objects ------------------------------------------------------ */

/* Whether a line is like those of /proc/PID/maps, or `START-END: PATH`. */
static bool
get_mapping(struct piece line, struct gperftools_mapping *m, struct piece *path)
{
	const char *p = get_hex(skip_blanks(line.text), &m->start);

	if (p == NULL || *p != '-' || (p = get_hex(p + 1, &m->end)) == NULL ||
	    m->end <= m->start)
		return false;
	m->offset = 0;
	if (*p == ':') {
		*path = rest_of(skip_blanks(p + 1), line);
		return true;
	}
	if (*p != ' ' && *p != '\t')
		return false;
	p = get_hex(skip_word(skip_blanks(p)), &m->offset);
	if (p == NULL)
		return false;
	*path = rest_of(skip_word(skip_word(skip_blanks(p))), line);
	return true;
}

static bool
word_byte(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* The next $build in a path, as a word of its own, or NULL.  There is always a
 * byte behind a piece. */
static const char *
find_mark(struct piece path)
{
	const size_t n = strlen(BUILD_MARK);
	const char *end = path.text + path.len, *p = path.text;

	while ((p = memmem(p, (size_t)(end - p), BUILD_MARK, n)) != NULL &&
	    word_byte(p[n]))
		p += n;
	return p;
}

/* The path as a string of the table.  The newest build= takes the place of
 * $build. */
static uint32_t
intern_path(struct gperftools_text *t, struct piece path)
{
	const char *mark = find_mark(path);
	struct buf b = {0};
	uint32_t index = TACH_NONE;

	if (path.len == 0)
		return tach_table_add_string(t->in->table, "~", 1);
	if (mark == NULL || t->build_len == 0)
		return tach_table_add_string(t->in->table, path.text,
		    path.len);
	for (; mark != NULL; mark = find_mark(path)) {
		size_t before = (size_t)(mark - path.text);
		buf_add(&b, path.text, before);
		buf_add(&b, t->build, t->build_len);
		path.text += before + strlen(BUILD_MARK);
		path.len -= before + strlen(BUILD_MARK);
	}
	buf_add(&b, path.text, path.len);
	if (!b.failed)
		index = tach_table_add_string(t->in->table, b.text, b.len);
	buf_clear(&b);
	return index;
}

static int
add_mapping(struct gperftools_text *t, struct gperftools_mapping m,
    struct piece path)
{
	struct gperftools_mapping *p = array_grow(t->mappings, t->nmappings,
	    &t->mappings_max, sizeof(*p));

	if (p == NULL)
		return gperftools_text_no_memory(t);
	t->mappings = p;
	if ((m.file = intern_path(t, path)) == TACH_NONE)
		return gperftools_text_no_memory(t);
	p[t->nmappings++] = m;
	return TACH_OK;
}

static bool
get_build(struct gperftools_text *t, struct piece line)
{
	const char *p = skip_blanks(line.text);
	struct piece path;

	if (strncmp(p, BUILD, strlen(BUILD)) != 0)
		return false;
	path = rest_of(p + strlen(BUILD), line);
	t->build_len = path.len <= BUILD_MAX ? path.len : 0;
	memcpy(t->build, path.text, t->build_len);
	return true;
}

/* ---- lines --------------------------------------------------------------- */

/* Takes a line with a symbol, a mapping or build=.  Ignores other lines and
 * lines with a NUL, which no name has. */
static int
take_symbol_line(struct gperftools_text *t, struct piece line)
{
	bool comment = line.len > 2 && memcmp(line.text, "# ", 2) == 0;
	struct piece text;
	struct gperftools_mapping m;
	uint64_t address;

	if (memchr(line.text, '\0', line.len) != NULL || get_build(t, line))
		return TACH_OK;
	if (comment)
		line = (struct piece){line.text + 2, line.len - 2};
	if (get_symbol(line, &address, &text))
		return add_symbol(t, address, comment ? COMMENT_SIZE : 1,
		    text);
	if (comment)
		return TACH_OK;
	return get_mapping(line, &m, &text) ? add_mapping(t, m, text) :
					      TACH_OK;
}

/* Sorts by address.  Of equal addresses the first one is to be found, so it
 * comes last. */
static int
by_address(const void *pa, const void *pb)
{
	const struct gperftools_symbol *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->frame > b->frame ? -1 : a->frame < b->frame;
}

static int
by_start(const void *pa, const void *pb)
{
	const struct gperftools_mapping *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void
sort(struct gperftools_text *t)
{
	if (t->nsymbols > 0)
		qsort(t->symbols, t->nsymbols, sizeof(*t->symbols),
		    by_address);
	if (t->nmappings > 0)
		qsort(t->mappings, t->nmappings, sizeof(*t->mappings),
		    by_start);
}

/* Takes lines from an offset on, which it moves, up to a line that begins with
 * `last`.  TACH_END if there is no such line. */
static int
take_lines(struct gperftools_text *t, struct linebuf *l, const char *last,
    uint64_t *at)
{
	enum linebuf_result res;
	char *text;
	size_t len;

	while ((res = linebuf_next(l, &text, &len)) == LINEBUF_OK) {
		*at += len + 1;
		if (last != NULL && strncmp(text, last, strlen(last)) == 0)
			return TACH_OK;
		if (take_symbol_line(t, (struct piece){text, len}) != TACH_OK)
			return TACH_FATAL;
	}
	if (res == LINEBUF_END)
		return TACH_END;
	return error_set(&t->in->error, res == LINEBUF_LONG ?
		TACH_EDAMAGED : error_code(errno), "byte %" PRIu64 ": %s",
	    *at, res == LINEBUF_LONG ? "a line that is far too long" :
				       strerror(errno));
}

static int
take_text(
    struct gperftools_text *t, struct origin *from, const char *last,
    uint64_t *at)
{
	struct linebuf lines;
	int res;

	if (!origin_seek(from, *at))
		return error_system(&t->in->error, "cannot read", errno);
	if (!linebuf_init(&lines, from, NULL, 0))
		return gperftools_text_no_memory(t);
	res = take_lines(t, &lines, last, at);
	linebuf_clear(&lines);
	sort(t);
	return res;
}

bool
gperftools_text_wrapped(const char *p, size_t n)
{
	return n >= strlen(SYMBOLS) && memcmp(p, SYMBOLS, strlen(SYMBOLS)) == 0;
}

int
gperftools_text_before(struct gperftools_text *t, struct origin *from,
    uint64_t *start)
{
	char head[sizeof(SYMBOLS)];
	ssize_t n = origin_read_at(from, head, sizeof(head), 0);
	int res;

	*start = 0;
	if (n < 0)
		return error_system(&t->in->error, "cannot read", errno);
	if (!gperftools_text_wrapped(head, (size_t)n))
		return TACH_OK;
	res = take_text(t, from, PROFILE, start);
	if (res != TACH_END)
		return res;
	return error_set(&t->in->error, TACH_EDAMAGED, "symbols without a line "
	    "\"" PROFILE "\" after them");
}

int
gperftools_text_after(struct gperftools_text *t, struct origin *from,
    uint64_t at)
{
	return take_text(t, from, NULL, &at) == TACH_FATAL ? TACH_FATAL :
							     TACH_OK;
}

/* ---- frames -------------------------------------------------------------- */

/* The symbol of an address, or TACH_NONE. */
static uint32_t
find_symbol(const struct gperftools_text *t, uint64_t address)
{
	size_t low = 0, high = t->nsymbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 ||
	    address - t->symbols[low - 1].address >= t->symbols[low - 1].size)
		return TACH_NONE;
	return t->symbols[low - 1].frame;
}

/* The mapping that has an address, or NULL. */
static const struct gperftools_mapping *
find_mapping(const struct gperftools_text *t, uint64_t address)
{
	size_t low = 0, high = t->nmappings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || t->mappings[low - 1].end <= address)
		return NULL;
	return &t->mappings[low - 1];
}

static uint32_t
nameless(const struct gperftools_text *t, uint64_t address)
{
	const struct gperftools_mapping *m = find_mapping(t, address);
	struct tach_table *table = t->in->table;
	struct tach_frame f = {.line = -1, .end_line = -1, .column = -1,
	    .end_column = -1, .opcode = TACH_NO_OPCODE};
	char text[32];
	int n = snprintf(text, sizeof(text), "0x%" PRIx64, m == NULL ?
	    address : address - m->start + m->offset);

	f.file = m != NULL ? m->file : tach_table_add_string(table, "~", 1);
	f.func = tach_table_add_string(table, text, (size_t)n);
	return tach_table_add_frame(table, &f);
}

uint32_t
gperftools_text_frame(const struct gperftools_text *t, uint64_t address,
    uint64_t call)
{
	uint32_t frame = find_symbol(t, address);

	if (frame == TACH_NONE && call != address)
		frame = find_symbol(t, call);
	return frame != TACH_NONE ? frame : nameless(t, call);
}
