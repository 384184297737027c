/* SPDX-License-Identifier: ISC */
/* codes.c: see codes.h. */
#include "engine/code/codes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/code/codemap.h"
#include "engine/code/frame_cache.h"
#include "engine/code/intern.h"
#include "hash.h"
#include "python/copies.h"
#include "python/traits.h"
#include "set.h"

#define CHECK_BATCH 64 /* code objects checked by one read */
/* Set in the count of a stamp if it is a made-up number. */
#define OWN_COUNT (UINT64_C(1) << 63)

/* Where a copy of a code object's bytecode lies. */
struct copy {
	uint64_t code, bytecode;
	uint64_t interp, count; /* of the stamp for which it is right */
	uint32_t number;
};

struct codes {
	bool with_opcodes;
	const struct py_offsets *offsets;
	const struct py_memory *memory;
	struct tach_table *table;
	struct codemap map;
	struct frame_cache frames;
	struct copy *copies;
	size_t ncopies, copies_max;
	struct set copy_set;
	uint32_t next_serial;
	struct py_shims shims;
	uint64_t own_count; /* the last made-up number of a stamp */
	bool no_versions; /* the count of versions is not at its offset */
	uint64_t lost;
	bool failed; /* memory ran out */
	struct code_check checks[CHECK_BATCH];
	struct py_piece pieces[CHECK_BATCH * CODE_PIECES];
	uint32_t batch[CHECK_BATCH]; /* indices of homes */
};

struct codes *
codes_new(const struct py_offsets *o, const struct py_memory *m,
    struct tach_table *t, bool opcodes)
{
	struct codes *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->offsets = o;
	c->memory = m;
	c->table = t;
	c->with_opcodes = opcodes;
	c->map.check = 1;
	return c;
}

void
codes_free(struct codes *c)
{
	if (c == NULL)
		return;
	codemap_free(&c->map);
	frame_cache_free(&c->frames);
	set_clear(&c->copy_set);
	free(c->copies);
	free(c);
}

void
codes_trim(struct codes *c, size_t depth)
{
	codemap_trim(&c->map, depth);
}

struct codemap *
codes_map(struct codes *c)
{
	return &c->map;
}

const struct py_shims *
codes_shims(const struct codes *c)
{
	return &c->shims;
}

uint64_t
codes_replaced(const struct codes *c)
{
	return c->map.replaced;
}

uint64_t
codes_lost(const struct codes *c)
{
	return c->lost;
}

bool
codes_failed(const struct codes *c)
{
	return c->failed;
}

/* ---- homes ------------------------------------------------------------- */

/* The home of a place.  NULL if the place is a mark, or if out of memory. */
static struct code_home *
place_home(struct codes *c, const struct py_place *p)
{
	struct code_home *h;

	if (place_is_mark(p))
		return NULL;
	h = codemap_add(&c->map, p->code);
	c->failed = c->failed || h == NULL;
	return h;
}

static bool
is_right_for(const struct code_home *h, const struct stamp *s)
{
	return h->known && h->interp == s->interp && h->since <= s->count &&
	    s->count <= h->count;
}

/* Whether a code object has a version number: no other one has it, or had it. */
static bool
is_numbered(const struct code_home *h)
{
	return h->code.version != 0;
}

/* Notes that the code object is the same at a stamp, too.  With a version number
 * it was there all the time in between. */
static void
renew(struct code_home *h, const struct stamp *s)
{
	if (!is_numbered(h) || h->interp != s->interp)
		h->since = s->count;
	h->interp = s->interp;
	h->count = s->count;
}

/* Notes a code object for a stamp alone: nothing is known of the time before. */
static void
begin_home(struct code_home *h, const struct stamp *s)
{
	h->interp = s->interp;
	h->since = h->count = s->count;
}

/* Notes a code object that was read after a chain, and may not be the chain's.
 * It can be proven for later chains, if it is still there. */
static void
defer(struct code_home *h, const struct stamp *s)
{
	h->interp = s->interp;
	h->count = s->count;
	h->since = s->count + 1;
}

/* Whether a code object was read, or may have been, before a chain was. */
static bool
is_before(const struct code_home *h, const struct stamp *s)
{
	return h->interp != s->interp || h->since <= s->count;
}

static void
note_shim(struct codes *c, const struct py_code *code)
{
	shims_note(&c->shims, code->addr, frame_is_shim(c->offsets,
	    code->name.bytes, code->name.len, code->file.bytes,
	    code->file.len));
}

/* Reads the code object that is at a home now.  A freed object may have other
 * strings though it looks as before: it is only of use if its texts were copied
 * with a chain and can be compared (`copied`). */
static void
settle(struct codes *c, struct code_home *h, const struct stamp *s, bool copied)
{
	struct py_code code;

	h->settled = c->map.check;
	if (!code_read(c->offsets, c->memory, h->code.addr, &code))
		return;
	if (!code.held && !copied) {
		code_free(&code);
		return;
	}
	if (h->known) {
		code_free(&h->code);
		c->map.replaced++;
	}
	h->code = code;
	h->file = h->func = TACH_NONE;
	note_shim(c, &code);
	h->serial = c->next_serial++;
	h->notes = (struct code_notes){0};
	h->known = true;
	begin_home(h, s);
}

/* ---- checks ------------------------------------------------------------ */

/* Checks a batch of n known homes by one read, and renews the homes that are
 * still the same. */
static void
check_batch(struct codes *c, size_t n, const struct stamp *s,
    const struct py_memory *m)
{
	size_t pieces = 0;

	for (size_t i = 0; i < n; i++)
		pieces += code_pieces(c->offsets,
		    &c->map.homes[c->batch[i]].code, &c->checks[i],
		    &c->pieces[pieces]);
	if (n == 0 || !m->read(m, c->pieces, pieces))
		return;
	for (size_t i = 0; i < n; i++) {
		struct code_home *h = &c->map.homes[c->batch[i]];
		if (code_check(c->offsets, &h->code, &c->checks[i]))
			renew(h, s);
	}
}

/* By which memory known code objects are checked. */
enum checks {
	CHECK_ANY,  /* copied with the chain */
	CHECK_NOW,  /* read right after the chain */
	CHECK_LATE, /* read long after the chain, which is past */
};

/* Whether a known code object can be proven by a check. */
static bool
can_check(const struct code_home *h, const struct stamp *s, enum checks how)
{
	if (how == CHECK_LATE)
		return is_numbered(h) && h->since <= s->count;
	return how == CHECK_ANY || is_before(h, s);
}

/* Checks the known code objects of a chain, each once. */
static void
check_known(struct codes *c, const struct py_chain *chain,
    const struct stamp *s, const struct py_memory *m, enum checks how)
{
	size_t n = 0;

	for (size_t i = 0; i < chain->depth; i++) {
		struct code_home *h = place_home(c, &chain->places[i]);
		if (h == NULL || !h->known || is_right_for(h, s) ||
		    h->checked == c->map.check || !can_check(h, s, how))
			continue;
		h->checked = c->map.check;
		c->batch[n++] = (uint32_t)(h - c->map.homes);
		if (n == CHECK_BATCH) {
			check_batch(c, n, s, m);
			n = 0;
		}
	}
	check_batch(c, n, s, m);
}

/* Whether it is of use to read a code object now.  An object that was read after
 * the chain is read again only if a copy or a count can prove that it is the
 * chain's. */
static bool
can_settle(const struct code_home *h, const struct stamp *s, bool copied)
{
	return copied || s->steady || !h->known || is_before(h, s);
}

/* Reads the code objects of a chain that are not known to be right for a stamp.
 * They get that stamp, or none if they were copied with the chain.  Returns how
 * many code objects that were. */
static size_t
settle_unknown(struct codes *c, const struct py_chain *chain,
    const struct stamp *s, bool copied)
{
	static const struct stamp never;
	size_t n = 0;

	for (size_t i = 0; i < chain->depth; i++) {
		struct code_home *h = place_home(c, &chain->places[i]);
		if (h == NULL || h->settled == c->map.check ||
		    is_right_for(h, s) || !can_settle(h, s, copied))
			continue;
		settle(c, h, copied ? &never : s, copied);
		n++;
	}
	return n;
}

size_t
codes_counts(const struct codes *c, uint64_t interp,
    struct range at[CODES_COUNTS])
{
	const struct py_offsets *o = c->offsets;
	size_t n = 0;

	if (py_has(o->interp_code_generation))
		at[n++] = (struct range){interp + o->interp_code_generation,
		    sizeof(uint64_t)};
	else if (py_has(o->interp_code_versions) && !c->no_versions)
		at[n++] = (struct range){interp + o->interp_code_versions,
		    sizeof(uint32_t)};
	if (py_has(o->interp_copies_generation))
		at[n++] = (struct range){interp + o->interp_copies_generation,
		    sizeof(uint32_t)};
	return n;
}

size_t
codes_counts_size(const struct codes *c)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c, 0, at), size = 0;

	while (n > 0)
		size += at[--n].size;
	return size;
}

bool
codes_are_counted(const struct codes *c)
{
	struct range at[CODES_COUNTS];

	return codes_counts(c, 0, at) > 0;
}

/* All counts only ever grow, so their sum is a count, too. */
static uint64_t
sum_of(const struct range *at, size_t n, const uint8_t *counts)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; counts += at[i++].size)
		sum += at[i].size == sizeof(uint64_t) ? load_u64(counts) :
							load_u32(counts);
	return sum;
}

struct stamp
codes_stamp(struct codes *c, uint64_t interp, const uint8_t *before,
    const uint8_t *after)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c, interp, at);
	uint64_t sum = sum_of(at, n, after);

	/* When version numbers have run out, the next one is always 0. */
	if (n == 0 ||
	    (sum == 0 && !py_counts_codes(c->offsets)))
		return (struct stamp){interp, OWN_COUNT | ++c->own_count,
		    false, false};
	return (struct stamp){interp, sum, sum_of(at, n, before) == sum,
	    false};
}

/* Whether the count has not changed since before a chain was read. */
static bool
is_steady(const struct codes *c, const struct stamp *s)
{
	uint8_t now[CODES_COUNTS * sizeof(uint64_t)];
	struct py_piece pieces[CODES_COUNTS];
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c, s->interp, at), size = 0;

	for (size_t i = 0; i < n; size += at[i++].size)
		pieces[i] = (struct py_piece){at[i].addr, at[i].size,
		    now + size};
	return s->steady && n > 0 && c->memory->read(c->memory, pieces, n) &&
	    sum_of(at, n, now) == s->count;
}

/*
 * Where versions are counted: whether a code object that was read while the count
 * stood still was at its address before.  It was: no other one was made, and it
 * was alive when it was read.  False if versions are not counted after all.
 */
static bool
is_counted(struct codes *c, const struct code_home *h, uint64_t count)
{
	/* This number is not given yet: the count is of something else. */
	if (h->code.version >= count)
		c->no_versions = true;
	return !c->no_versions;
}

/* Whether the code objects that were just read are the chain's.  A count of freed
 * objects tells this of all of them. */
static bool
is_fresh(struct codes *c, const struct py_chain *chain, const struct stamp *s)
{
	if (!is_steady(c, s))
		return false;
	if (py_counts_codes(c->offsets))
		return true;
	for (size_t i = 0; i < chain->depth; i++) {
		const struct code_home *h = codemap_find(&c->map,
		    chain->places[i].code);
		if (h != NULL && h->settled == c->map.check &&
		    !is_counted(c, h, s->count))
			return false;
	}
	return true;
}

/* Defers the code objects that were just read: they prove nothing for the chain,
 * nor for another one with its stamp. */
static void
defer_settled(struct codes *c, const struct py_chain *chain,
    const struct stamp *s)
{
	for (size_t i = 0; i < chain->depth; i++) {
		struct code_home *h = place_home(c, &chain->places[i]);
		if (h != NULL && h->known && h->settled == c->map.check)
			defer(h, s);
	}
}

/* Whether the code object of a place is proven, and can be at its instruction.
 * Marks the place as `left` if it cannot be calling from there. */
static bool
is_proven(const struct codes *c, struct py_place *p, const struct stamp *s)
{
	const struct code_home *h = codemap_find(&c->map, p->code);

	if (place_is_mark(p))
		return true;
	if (shims_has(&c->shims, p->code)) /* the next walk passes over it */
		return false;
	if (h == NULL || !is_right_for(h, s))
		return false;
	p->left = p->left ||
	    (p->calls && !code_allows(c->offsets, &h->code, p->instr, true));
	return code_allows(c->offsets, &h->code, p->instr, false);
}

/* Whether code objects may have been freed while a chain was read: they look as
 * before until their memory is used again. */
static bool
may_be_freed(const struct codes *c, const struct stamp *s)
{
	return py_counts_codes(c->offsets) && !s->steady;
}

/* Whether all code objects of a chain are known to be right for a stamp. */
static bool
knows_all(const struct codes *c, const struct py_chain *chain,
    const struct stamp *s)
{
	for (size_t i = 0; i < chain->depth; i++) {
		const struct py_place *p = &chain->places[i];
		const struct code_home *h = codemap_find(&c->map, p->code);
		if (!place_is_mark(p) && (h == NULL || !is_right_for(h, s)))
			return false;
	}
	return true;
}

/* Proves code objects by the copies of the chain.  Unknown code objects are read
 * now, and are proven if they equal their copies. */
static void
check_copied(struct codes *c, const struct py_chain *chain,
    const struct stamp *s, const struct py_memory *then)
{
	check_known(c, chain, s, then, CHECK_ANY);
	if (settle_unknown(c, chain, s, true) == 0)
		return;
	c->map.check++;
	check_known(c, chain, s, then, CHECK_ANY);
	c->lost += !knows_all(c, chain, s);
}

/* Proves code objects by the memory of now.  False if none can be proven. */
static bool
check_now(struct codes *c, const struct py_chain *chain, const struct stamp *s)
{
	bool late = s->past && !knows_all(c, chain, s) && !is_steady(c, s);

	if (may_be_freed(c, s))
		return false;
	check_known(c, chain, s, c->memory, late ? CHECK_LATE : CHECK_NOW);
	if (!late && settle_unknown(c, chain, s, false) > 0 &&
	    !is_fresh(c, chain, s))
		defer_settled(c, chain, s);
	c->lost += s->past && !knows_all(c, chain, s);
	return true;
}

size_t
codes_check(struct codes *c, struct py_chain *chain, const struct stamp *s,
    const struct py_memory *then)
{
	size_t n = 0;

	if (then != NULL)
		check_copied(c, chain, s, then);
	else if (!check_now(c, chain, s))
		return 0;
	while (n < chain->depth && is_proven(c,
		&chain->places[chain->depth - 1 - n], s))
		n++;
	c->map.check++;
	return n;
}

bool
codes_has_all(const struct codes *c, const struct py_chain *chain,
    size_t shared)
{
	for (size_t i = 0; i < chain->depth - shared; i++) {
		const struct py_place *p = &chain->places[i];
		const struct code_home *h = codemap_find(&c->map, p->code);
		if (!place_is_mark(p) && (h == NULL || !h->known))
			return false;
	}
	return true;
}

/* ---- copies of the bytecode -------------------------------------------- */

struct copy_key {
	const struct codes *codes;
	uint64_t code;
	uint32_t number;
};

static bool
copy_equal(const void *arg, uint32_t index)
{
	const struct copy_key *k = arg;
	const struct copy *y = &k->codes->copies[index];

	return y->code == k->code && y->number == k->number;
}

/* The copy of a number, added if it is new; valid until the next is added.  NULL
 * if out of memory. */
static struct copy *
find_copy(struct codes *c, uint64_t code, uint32_t number)
{
	struct copy_key key = {c, code, number};
	uint64_t hash = hash_of(&code, sizeof(code), number);
	uint32_t found = set_find(&c->copy_set, hash, copy_equal, &key);
	struct copy *p;

	if (found != TACH_NONE)
		return &c->copies[found];
	p = array_grow(c->copies, c->ncopies, &c->copies_max, sizeof(*p));
	if (p == NULL)
		return NULL;
	c->copies = p;
	if (!set_add(&c->copy_set, hash, (uint32_t)c->ncopies))
		return NULL;
	p[c->ncopies] = (struct copy){.code = code, .number = number};
	return &p[c->ncopies++];
}

/* Finds out where a copy lies now.  False if it cannot be found, or may have been
 * elsewhere when the chain was read. */
static bool
settle_copy(const struct codes *c, struct copy *y, const struct stamp *s)
{
	if (!code_copy(c->offsets, c->memory, y->code, y->number,
		&y->bytecode) ||
	    !is_steady(c, s))
		return false;
	y->interp = s->interp;
	y->count = s->count;
	return true;
}

/* Drops the frames that place i seems to have called: it is at its first
 * instruction, so they have returned. */
static void
drop_returned(struct py_chain *chain, size_t i)
{
	if (!chain->places[i].calls)
		return;
	chain->depth -= i;
	if (chain->live > chain->depth)
		chain->live = chain->depth;
	memmove(chain->places, chain->places + i,
	    chain->depth * sizeof(*chain->places));
	chain->places[0].calls = false;
}

bool
codes_originals(struct codes *c, struct py_chain *chain,
    const struct stamp *s)
{
	if (!py_copies_bytecode(c->offsets))
		return true;
	/* From the outermost place on: only inner places are dropped. */
	for (size_t n = 1; n <= chain->depth; n++) {
		struct py_place *p = &chain->places[chain->depth - n];
		uint64_t original = p->code + c->offsets->code_bytecode;
		struct copy *y;
		if (p->copy == 0)
			continue;
		y = find_copy(c, p->code, p->copy);
		c->failed = c->failed || y == NULL;
		if (y == NULL ||
		    ((y->interp != s->interp || y->count != s->count) &&
			!settle_copy(c, y, s)))
			return false;
		p->instr = p->instr - y->bytecode + original;
		p->copy = 0;
		if (p->instr <= original)
			drop_returned(chain, chain->depth - n);
	}
	return true;
}

/* ---- frames ------------------------------------------------------------ */

bool
codes_name_past(struct codes *c, struct py_chain *chain)
{
	const struct py_code *code;

	for (size_t i = 0; i < chain->depth - chain->live; i++) {
		struct py_place *p = &chain->places[i];
		if (p->code != PLACE_PAST)
			continue;
		/* Only the frame knew which code object a copy is of. */
		if (p->copy != 0 || (code = codemap_code_at(&c->map,
			c->offsets, p->instr)) == NULL)
			return false;
		p->code = code->addr;
	}
	return true;
}

size_t
codes_frame_size(const struct codes *c, uint64_t code)
{
	const struct code_home *h = codemap_find(&c->map, code);

	return h != NULL && h->known ? h->code.frame_size : 0;
}

/* Puts the names of a code object into the table.  This is done with its first
 * frame, when it is proven: an object that was read half made may have any names.
 * False if out of memory. */
static bool
name_home(struct codes *c, struct code_home *h)
{
	const struct py_code *code = &h->code;

	if (h->file == TACH_NONE)
		h->file = intern_name(c->table, code->file.bytes,
		    code->file.len);
	if (h->func == TACH_NONE)
		h->func = intern_name(c->table, code->name.bytes,
		    code->name.len);
	return h->file != TACH_NONE && h->func != TACH_NONE;
}

static uint32_t
make_frame(struct codes *c, struct code_home *h, struct frame_spot s)
{
	struct py_location l;

	if (!name_home(c, h))
		return TACH_NONE;
	code_locate(c->offsets, &h->code, s.instr, &l);
	return frame_cache_add(&c->frames, c->table, s, h->file, h->func, &l);
}

uint32_t
codes_frame(struct codes *c, const struct py_place *p)
{
	struct code_home *h = codemap_add(&c->map, p->code);
	struct frame_spot s = {.instr = p->instr, .opcode = TACH_NO_OPCODE};
	uint32_t found;

	if (h == NULL || !h->known)
		return TACH_NONE;
	s.code = h->serial;
	if (c->with_opcodes)
		s.opcode = code_opcode(c->offsets, c->memory, &h->code,
		    p->instr);
	found = frame_cache_find(&c->frames, s);
	return found != TACH_NONE ? found : make_frame(c, h, s);
}

struct py_code *
codes_code(struct codes *c, const struct py_place *p)
{
	struct code_home *h = codemap_add(&c->map, p->code);

	return h != NULL && h->known ? &h->code : NULL;
}
