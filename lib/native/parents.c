/* SPDX-License-Identifier: ISC */
/* parents.c: see parents.h. */
#include "native/parents.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "set.h"

#define CODE_MAX (6 << 20)    /* bytes: some 50 ms; interpreters have 5 MiB */
#define DATA_LIMIT (64 << 20) /* bytes */
#define GAPS_MAX (1 << 20)    /* bytes: of code in no function */
#define JUMPS_MAX (1 << 20)
#define WORDS_AT_ONCE 4096

/* Jumps to an address from outside of its function.  Places are from the module's base
 * on. */
struct jump {
	uint32_t target;
	uint32_t source; /* the function that jumps there */
	bool several;	 /* others jump there, too */
};

struct parent {
	uint32_t function; /* place of its start */
	uint32_t parent;   /* the same; 0 while searching: it has none */
};

struct parents {
	uint64_t base;
	struct parent *list; /* by function */
	size_t count, max;
};

struct jump_scan {
	const struct elf_module *module;
	native_function *function_of;
	void *arg;
	uint64_t code, code_size; /* from the first code to the end of the last */
	uint8_t *taken; /* a bit for a byte of code: something other than a jump has
			 * its address */
	struct jump *list;
	size_t count, max;
	struct set by_target;
	bool failed; /* out of memory, or too much */
};

/* ---- references ---------------------------------------------------------- */

static void
find_code(struct jump_scan *s)
{
	uint64_t end = 0;

	s->code = UINT64_MAX;
	for (size_t i = 0; i < s->module->nsegments; i++) {
		const struct elf_segment *segment = &s->module->segments[i];
		if (segment->executable && segment->addr < s->code)
			s->code = segment->addr;
		if (segment->executable && segment->addr + segment->size > end)
			end = segment->addr + segment->size;
	}
	s->code_size = end > s->code ? end - s->code : 0;
	s->failed = s->code_size == 0 || s->code_size > CODE_MAX ||
	    (s->taken = calloc((size_t)s->code_size / 8 + 1, 1)) == NULL;
}

static bool
may_be_code(const struct jump_scan *s, uint64_t addr)
{
	return addr - s->code < s->code_size;
}

static void
note_taken(struct jump_scan *s, uint64_t addr)
{
	if (may_be_code(s, addr))
		s->taken[(addr - s->code) / 8] |= 1 << ((addr - s->code) % 8);
}

static bool
is_taken(const struct jump_scan *s, uint64_t addr)
{
	return may_be_code(s, addr) &&
	    (s->taken[(addr - s->code) / 8] >> ((addr - s->code) % 8) & 1) != 0;
}

static bool
equals_target(const void *arg, uint32_t index)
{
	const struct jump_scan *s = arg;

	/* The wanted one is behind the last one. */
	return s->list[index].target == s->list[s->count].target;
}

/* The entry of a target; NULL if there can be no more. */
static struct jump *
jump_to(struct jump_scan *s, uint32_t target, uint32_t source)
{
	struct jump *p = array_grow(s->list, s->count, &s->max, sizeof(*p));
	uint64_t hash = (uint64_t)target * hash_factor();
	uint32_t index;

	if (p == NULL || s->count == JUMPS_MAX)
		return NULL;
	s->list = p;
	p[s->count] = (struct jump){.target = target, .source = source};
	if ((index = set_find(&s->by_target, hash, equals_target, s)) != UINT32_MAX)
		return &p[index];
	return set_add(&s->by_target, hash, (uint32_t)s->count) ?
	    &p[s->count++] : NULL;
}

static void
note_jump(struct jump_scan *s, uint64_t target, uint64_t source)
{
	uint64_t base = s->module->base;
	struct jump *j;

	if (target <= base || source <= base || target - base > UINT32_MAX ||
	    source - base > UINT32_MAX)
		return;
	j = jump_to(s, (uint32_t)(target - base), (uint32_t)(source - base));
	if (j == NULL)
		s->failed = true;
	else if (j->source != source - base)
		j->several = true;
}

/* ---- code ---------------------------------------------------------------- */

/* jmp rel32, or jcc rel32, before the four bytes of the distance. */
static bool
is_jump(const uint8_t *code, size_t at)
{
	return (at >= 1 && code[at - 1] == 0xe9) ||
	    (at >= 2 && code[at - 2] == 0x0f && (code[at - 1] & 0xf0) == 0x80);
}

/* Notes where a function leads: every four bytes can be a distance or, in a program that
 * is not moved, an address.  Few of the others lead to a function's start. */
static void
scan_function(struct jump_scan *s, const uint8_t *code, uint64_t start, size_t size)
{
	for (size_t at = 0; at + 4 <= size && !s->failed; at++) {
		uint64_t target;
		uint32_t word;
		memcpy(&word, code + at, sizeof(word));
		target = start + at + 4 + (uint64_t)(int64_t)(int32_t)word;
		if (!s->module->movable)
			note_taken(s, word);
		if (!may_be_code(s, target) || target - start < size)
			continue;
		if (is_jump(code, at))
			note_jump(s, target, start);
		else
			note_taken(s, target);
	}
}

static void
scan_functions(struct jump_scan *s, const uint8_t *code, uint64_t from,
    uint64_t size)
{
	uint64_t at = from, start, end;
	size_t gaps = 0;

	while (at - from < size && !s->failed && gaps < GAPS_MAX) {
		if (!s->function_of(s->arg, at, &start, &end) || start > at ||
		    end <= at || end - from > size || start < from) {
			at++, gaps++;
			continue;
		}
		scan_function(s, code + (start - from), start,
		    (size_t)(end - start));
		at = end;
	}
}

static void
scan_code(struct jump_scan *s)
{
	uint64_t left = CODE_MAX;

	for (size_t i = 0; i < s->module->nsegments && !s->failed; i++) {
		const struct elf_segment *segment = &s->module->segments[i];
		uint8_t *code;
		if (!segment->executable || segment->size == 0 ||
		    segment->size > left)
			continue;
		left -= segment->size;
		if ((code = malloc((size_t)segment->size)) == NULL) {
			s->failed = true;
			return;
		}
		if (elf_module_read(s->module, segment->offset, code,
			(size_t)segment->size))
			scan_functions(s, code, segment->addr, segment->size);
		free(code);
	}
}

/* ---- data ---------------------------------------------------------------- */

static void
note_relocated(void *arg, uint64_t at, uint64_t value)
{
	(void)at;
	note_taken(arg, value);
}

static void
scan_words(struct jump_scan *s, const struct elf_segment *segment)
{
	uint64_t words[WORDS_AT_ONCE], skip = -segment->addr & 7;

	for (uint64_t at = skip; at + 8 <= segment->size && !s->failed;
	     at += sizeof(words)) {
		size_t n = (segment->size - at) / 8 < WORDS_AT_ONCE ?
		    (size_t)((segment->size - at) / 8) : WORDS_AT_ONCE;
		if (!elf_module_read(s->module, segment->offset + at, words, n * 8))
			return;
		for (size_t i = 0; i < n; i++)
			note_taken(s, words[i]);
	}
}

static void
scan_data(struct jump_scan *s)
{
	uint64_t left = DATA_LIMIT;

	elf_module_relocated(s->module, note_relocated, s);
	for (size_t i = 0; i < s->module->nsegments; i++) {
		const struct elf_segment *segment = &s->module->segments[i];
		if (segment->executable || segment->size > left)
			continue;
		left -= segment->size;
		scan_words(s, segment);
	}
}

/* ---- parents ------------------------------------------------------------- */

static bool
add_parent(struct parents *p, uint64_t function, uint32_t parent)
{
	struct parent *list = array_grow(p->list, p->count, &p->max, sizeof(*list));

	if (list == NULL)
		return false;
	p->list = list;
	list[p->count++] = (struct parent){(uint32_t)(function - p->base), parent};
	return true;
}

/* Adds the function that jumps to another one, maybe into its midst. */
static bool
take_jump(struct parents *p, const struct jump_scan *s, const struct jump *j)
{
	uint64_t start, end;

	if (!s->function_of(s->arg, p->base + j->target, &start, &end) ||
	    start <= p->base || start - p->base > UINT32_MAX || is_taken(s, start))
		return true;
	return add_parent(p, start, j->several ? 0 : j->source);
}

static int
compare_parents(const void *one, const void *other)
{
	const struct parent *a = one, *b = other;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->parent < b->parent ? -1 : a->parent > b->parent;
}

/* Keeps functions of one parent each. */
static void
settle_parents(struct parents *p)
{
	size_t kept = 0, n;
	struct parent *list;

	if (p->count > 0)
		qsort(p->list, p->count, sizeof(*p->list), compare_parents);
	for (size_t i = 0; i < p->count; i += n) {
		const struct parent *first = &p->list[i], *last;
		for (n = 1; i + n < p->count &&
		     p->list[i + n].function == first->function; n++)
			continue;
		last = &p->list[i + n - 1];
		if (first->parent != 0 && first->parent == last->parent)
			p->list[kept++] = *last;
	}
	p->count = kept;
	if (kept > 0 && (list = reallocarray(p->list, kept, sizeof(*list))) != NULL) {
		p->list = list;
		p->max = kept;
	}
}

static bool
take_jumps(struct parents *p, const struct jump_scan *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!take_jump(p, s, &s->list[i]))
			return false;
	settle_parents(p);
	return p->count > 0;
}

struct parents *
parents_new(const struct elf_module *m, native_function *function_of, void *arg)
{
	struct jump_scan s = {.module = m, .function_of = function_of, .arg = arg};
	struct parents *p;

	if (m->machine != EM_X86_64 || (p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->base = m->base;
	find_code(&s);
	if (!s.failed)
		scan_data(&s);
	if (!s.failed)
		scan_code(&s);
	if (s.failed || !take_jumps(p, &s)) {
		parents_free(p);
		p = NULL;
	}
	free(s.taken);
	free(s.list);
	set_clear(&s.by_target);
	return p;
}

bool
parents_find(const struct parents *p, uint64_t start, uint64_t *parent)
{
	uint64_t place = start - p->base;
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->list[middle].function < place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->count || p->list[low].function != place)
		return false;
	*parent = p->base + p->list[low].parent;
	return true;
}

size_t
parents_memory(const struct parents *p)
{
	return sizeof(*p) + p->max * sizeof(*p->list);
}

void
parents_free(struct parents *p)
{
	if (p == NULL)
		return;
	free(p->list);
	free(p);
}
