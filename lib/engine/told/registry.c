/* SPDX-License-Identifier: ISC */
/* registry.c: see registry.h. */
#include "engine/told/registry.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/code/frame_cache.h"
#include "engine/code/intern.h"
#include "hash.h"
#include "python/code.h"
#include "python/frames.h"
#include "python/unicode.h"
#include "set.h"

/* A code object. */
struct known {
	uint64_t print;  /* hash of its content */
	uint32_t holders; /* 0: its place may be used again */
	uint32_t serial; /* no two code objects have the same */
	uint32_t file, func; /* strings of the table */
	int32_t firstlineno;
	uint32_t units; /* bytes of bytecode */
	uint8_t *lines;
	size_t lines_len;
	struct py_code *body; /* as it was read for its calls; or NULL */
};

struct registry {
	struct tach_table *table;
	const struct py_memory *memory;
	struct known *codes;
	size_t ncodes, codes_max;
	struct set code_set;
	size_t dead; /* code objects in `code_set` that are not held */
	uint32_t *unused; /* numbers of others, which are not in the set */
	size_t nunused;
	struct frame_cache frames;
	uint32_t next_serial;
	uint64_t asked, hits;
};

/* Frees all that belongs to a code object. */
static void
free_parts(struct known *k)
{
	free(k->lines);
	if (k->body != NULL)
		code_free(k->body);
	free(k->body);
	k->lines = NULL;
	k->body = NULL;
}

struct registry *
registry_new(struct tach_table *t, const struct py_memory *m)
{
	struct registry *r = calloc(1, sizeof(*r));

	if (r != NULL) {
		r->table = t;
		r->memory = m;
	}
	return r;
}

void
registry_free(struct registry *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->ncodes; i++)
		free_parts(&r->codes[i]);
	free(r->codes);
	free(r->unused);
	frame_cache_free(&r->frames);
	set_clear(&r->code_set);
	free(r);
}

/* ---- records --------------------------------------------------------------- */

/* A record's parts, checked. */
struct parts {
	const uint8_t *name, *file, *lines;
	size_t name_size, file_size, lines_size;
};

static bool
text_size(const struct wire_text *t, size_t *size)
{
	*size = (size_t)t->length * t->kind;
	return (t->kind == 1 || t->kind == 2 || t->kind == 4) &&
	    t->length <= WIRE_TEXT_MAX;
}

static bool
split(const struct wire_code *c, size_t size, struct parts *p)
{
	const uint8_t *bytes = (const uint8_t *)c;

	if (size < sizeof(*c) || !text_size(&c->name, &p->name_size) ||
	    !text_size(&c->file, &p->file_size) ||
	    c->lines > WIRE_LINES_MAX)
		return false;
	p->lines_size = c->lines;
	if (p->name_size + p->file_size + p->lines_size > size - sizeof(*c))
		return false;
	p->name = bytes + sizeof(*c);
	p->file = p->name + p->name_size;
	p->lines = p->file + p->file_size;
	return true;
}

static uint64_t
print_of(const struct wire_code *c, const struct parts *p)
{
	uint64_t head[] = {(uint32_t)c->firstlineno, c->units, c->lines,
	    c->name.length, c->name.kind, c->file.length, c->file.kind};
	uint64_t hash = hash_of(head, sizeof(head), 0);

	return hash_of(p->name, p->name_size + p->file_size + p->lines_size,
	    hash);
}

static uint32_t
add_text(struct registry *r, const struct wire_text *t, const uint8_t *bytes)
{
	char *text = malloc((size_t)t->length * UTF8_MAX + 1);
	uint32_t string = TACH_NONE;

	if (text != NULL)
		string = intern_name(r->table, text,
		    unicode_utf8(bytes, t->length, t->kind, text));
	free(text);
	return string;
}

/* ---- what is not in a record ------------------------------------------------ */

static bool
is_string(const struct registry *r, uint32_t string, const struct py_name *n)
{
	struct tach_string s = tach_table_string(r->table, string);

	return s.len == n->len && memcmp(s.bytes, n->bytes, s.len) == 0;
}

/* Reads the code object that lies at an address now, if it has the same names and first
 * line.  False if it has not. */
static bool
fetch_code(const struct registry *r, const struct py_offsets *o, uint64_t addr,
    const struct known *k, struct py_code *code)
{
	if (!code_read(o, r->memory, addr, code))
		return false;
	if (code->firstlineno == k->firstlineno && is_string(r, k->func, &code->name) &&
	    is_string(r, k->file, &code->file))
		return true;
	code_free(code);
	return false;
}

/* Reads the table of lines.  Only an empty or a very long table needs that. */
static void
fetch_lines(const struct registry *r, const struct py_offsets *o,
    const struct wire_code *c, struct known *k)
{
	struct py_code code;

	if (!fetch_code(r, o, c->addr, k, &code))
		return;
	k->lines = code.lines;
	k->lines_len = code.lines_len;
	code.lines = NULL;
	code_free(&code);
}

/* Reads the whole code object, for its calls.  Another one has other lines, or another
 * size, unless it is equal. */
static void
fetch_body(const struct registry *r, const struct py_offsets *o, uint64_t addr,
    struct known *k)
{
	struct py_code code;

	if (!fetch_code(r, o, addr, k, &code))
		return;
	if (2 * (uint64_t)code.units == k->units && code.lines_len == k->lines_len &&
	    memcmp(code.lines, k->lines, k->lines_len) == 0 &&
	    (k->body = malloc(sizeof(*k->body))) != NULL)
		*k->body = code;
	else
		code_free(&code);
}

/* ---- code objects ---------------------------------------------------------- */

struct code_key {
	const struct registry *registry;
	uint64_t print;
};

static bool
code_equal(const void *arg, uint32_t index)
{
	const struct code_key *k = arg;
	const struct known *c = &k->registry->codes[index];

	return c->holders > 0 && c->print == k->print;
}

/* Takes code objects that are not held out of the set, so that their places can be
 * used again.  False if memory ran out. */
static bool
sweep(struct registry *r)
{
	uint32_t *unused = reallocarray(r->unused, r->ncodes,
	    sizeof(*unused));

	if (unused == NULL)
		return false;
	r->unused = unused;
	r->nunused = r->dead = 0;
	set_clear(&r->code_set);
	for (size_t i = 0; i < r->ncodes; i++) {
		if (r->codes[i].holders == 0)
			r->unused[r->nunused++] = (uint32_t)i;
		else if (!set_add(&r->code_set, r->codes[i].print, (uint32_t)i))
			return false;
	}
	return true;
}

/* A place for another code object; TACH_NONE if memory ran out. */
static uint32_t
new_code(struct registry *r)
{
	struct known *p;

	if (r->nunused == 0 && r->dead > 1024 && r->dead > r->ncodes / 2 &&
	    !sweep(r))
		return TACH_NONE;
	if (r->nunused > 0)
		return r->unused[--r->nunused];
	p = array_grow(r->codes, r->ncodes, &r->codes_max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	r->codes = p;
	r->codes[r->ncodes] = (struct known){0};
	return (uint32_t)r->ncodes++;
}

static bool
learn(struct registry *r, const struct py_offsets *o,
    const struct wire_code *c, const struct parts *p, struct known *k)
{
	k->firstlineno = c->firstlineno;
	k->units = c->units;
	k->func = add_text(r, &c->name, p->name);
	k->file = add_text(r, &c->file, p->file);
	if (k->func == TACH_NONE || k->file == TACH_NONE)
		return false;
	if (p->lines_size == 0) {
		fetch_lines(r, o, c, k);
		return true;
	}
	if ((k->lines = malloc(p->lines_size)) == NULL)
		return false;
	memcpy(k->lines, p->lines, p->lines_size);
	k->lines_len = p->lines_size;
	return true;
}

enum registry_result
registry_take(struct registry *r, const struct py_offsets *o,
    const struct wire_code *c, size_t size, uint32_t *code)
{
	struct parts parts;
	struct code_key key = {r, 0};
	struct known k = {0};

	if (!split(c, size, &parts))
		return REGISTRY_BAD;
	key.print = k.print = print_of(c, &parts);
	*code = set_find(&r->code_set, k.print, code_equal, &key);
	if (*code != TACH_NONE) {
		r->codes[*code].holders++;
		return REGISTRY_OK;
	}
	k.holders = 1;
	k.serial = r->next_serial++;
	if (!learn(r, o, c, &parts, &k) || (*code = new_code(r)) == TACH_NONE ||
	    !set_add(&r->code_set, k.print, *code)) {
		free(k.lines);
		return REGISTRY_MEMORY;
	}
	r->codes[*code] = k;
	return REGISTRY_OK;
}

void
registry_drop(struct registry *r, uint32_t code)
{
	struct known *k = &r->codes[code];

	if (--k->holders > 0)
		return;
	free_parts(k);
	r->dead++;
}

bool
registry_allows(const struct registry *r, uint32_t code, uint32_t instr)
{
	return instr == UINT32_MAX || instr < r->codes[code].units;
}

/* ---- frames ---------------------------------------------------------------- */

static uint32_t
make_frame(struct registry *r, const struct py_offsets *o, const struct known *k,
    struct frame_spot s)
{
	static const uint8_t none;
	struct py_location l;

	lines_find(o->lines, k->lines != NULL ? k->lines : &none, k->lines_len,
	    k->firstlineno, s.instr == UINT32_MAX ? -1 : (int64_t)(s.instr / 2), &l);
	return frame_cache_add(&r->frames, r->table, s, k->file, k->func, &l);
}

uint32_t
registry_frame(struct registry *r, const struct py_offsets *o, uint32_t code,
    uint32_t instr, uint8_t opcode)
{
	const struct known *k = &r->codes[code];
	struct frame_spot s = {.instr = instr, .code = k->serial, .opcode = opcode};
	uint32_t found = frame_cache_find(&r->frames, s);

	r->asked++;
	r->hits += found != TACH_NONE;
	return found != TACH_NONE ? found : make_frame(r, o, k, s);
}

/* Equal code objects may differ in their bytecode: each one counts alone. */
bool
registry_call(struct registry *r, const struct py_calls *by, uint32_t code,
    uint64_t addr, uint32_t instr, struct py_call_place *p)
{
	struct known *k = &r->codes[code];

	if (k->body == NULL)
		fetch_body(r, by->offsets, addr, k);
	return k->body != NULL && k->body->addr == addr && instr != UINT32_MAX &&
	    call_place(by, k->body, instr / 2, p);
}

void
registry_counts(const struct registry *r, uint64_t *asked, uint64_t *known)
{
	*asked = r->asked;
	*known = r->hits;
}
