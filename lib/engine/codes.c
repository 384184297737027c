/* SPDX-License-Identifier: ISC */
/* codes.c: see codes.h. */
#include "engine/codes.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "array.h"
#include "engine/known.h"
#include "engine/suspects.h"
#include "python/copies.h"
#include "set.h"

#define CHECK_BATCH 64 /* code objects checked by one read */
/* A program that makes code as it goes would fill our memory: from so many
 * on, all is forgotten, and learnt anew. */
#define HOMES_MAX 4096
#define SPOTS_MAX 65536
#define CALLS_MAX 65536
#define FEW_HOMES 16 /* that are new: more are sorted all together */
#define RECENT_HOMES 64 /* that are found without a look into the set */
/* A stamp that is a number of our own, and no interpreter's count. */
#define OWN_COUNT (UINT64_C(1) << 63)
#define CALLS_NOTHING (TACH_NONE - 1) /* no code object has this number */
#define THROUGH 16 /* callers of a caller that are part of a call */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15) /* odd */
#define STEADY 64 /* chains, after which no new call is to be expected */
/* No object has so many references; what is freed is overwritten from its
 * first word on, by an address or 0. */
#define REFS_MAX (UINT64_C(1) << 32)

/* An address and the code object that is there. */
struct home {
	struct py_code code;
	uint32_t file, func; /* strings of the table */
	uint32_t serial;     /* number of the code object, from 0 */
	bool known;
	bool resumed; /* it was seen to be a generator's */
	unsigned steady; /* chains with known calls of its since one was new */
	uint64_t counted; /* number of the check before the last of those */
	/* Chains with calls of its that were learned from, and the last one's
	 * number. */
	unsigned watched;
	uint64_t watch;
	/* For which it is known to be right. */
	uint64_t interp, count;
	uint64_t settled; /* number of the check that read it */
	uint64_t checked; /* number of the check that compared it */
};

/* One instruction of one code object. */
struct spot {
	uint64_t instr;
	uint32_t serial;
	uint32_t frame;
	uint8_t opcode;
};

/* Where a home is. */
struct place_of {
	uint64_t addr;
	uint32_t home;
};

/* Where a copy of a code object's bytecode lies. */
struct copy {
	uint64_t code, bytecode;
	uint64_t interp, count; /* for which that is right */
	uint32_t number;
};

struct codes {
	bool with_opcodes;
	const struct py_offsets *offsets;
	const struct py_memory *memory;
	struct tach_table *table;
	struct home *homes;
	struct spot *spots;
	struct copy *copies;
	size_t nhomes, homes_max, nspots, spots_max;
	size_t ncopies, copies_max;
	struct set home_set, spot_set, copy_set;
	struct place_of recent[RECENT_HOMES]; /* by address; or 0 */
	struct known known;
	struct known seen; /* calls that were in a doubtful chain */
	struct place_of *by_addr; /* the first nby_addr homes, by address */
	size_t nby_addr, by_addr_max;
	uint32_t next_serial;
	struct py_shims shims;
	uint64_t own_count; /* the last that was given */
	bool no_versions; /* they are not where they should be */
	uint64_t replaced;
	uint64_t check; /* number of the current check, from 1 */
	uint64_t watch; /* number of the newest chain that was learned from */
	struct suspects suspects;
	size_t doubted; /* see codes_doubted */
	bool unsteady;	/* see codes_is_unsteady */
	struct code_check checks[CHECK_BATCH];
	struct py_piece pieces[CHECK_BATCH * CODE_PIECES];
	uint32_t batch[CHECK_BATCH]; /* homes */
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
	c->check = 1;
	c->doubted = CODES_NONE;
	return c;
}

static void
forget_homes(struct codes *c)
{
	for (size_t i = 0; i < c->nhomes; i++)
		code_free(&c->homes[i].code);
	c->nhomes = c->nby_addr = 0;
	c->replaced++;
	set_clear(&c->home_set);
	memset(c->recent, 0, sizeof(c->recent));
}

static void
forget_spots(struct codes *c)
{
	c->nspots = 0;
	set_clear(&c->spot_set);
}

void
codes_free(struct codes *c)
{
	if (c == NULL)
		return;
	forget_homes(c);
	forget_spots(c);
	known_free(&c->known);
	known_free(&c->seen);
	suspects_free(&c->suspects);
	set_clear(&c->copy_set);
	free(c->by_addr);
	free(c->homes);
	free(c->spots);
	free(c->copies);
	free(c);
}

void
codes_trim(struct codes *c, size_t depth)
{
	if (c->nhomes > HOMES_MAX && c->nhomes / 4 > depth)
		forget_homes(c);
}

const struct py_shims *
codes_shims(const struct codes *c)
{
	return &c->shims;
}

uint64_t
codes_replaced(const struct codes *c)
{
	return c->replaced;
}

/* ---- homes ------------------------------------------------------------- */

struct home_key {
	const struct codes *codes;
	uint64_t addr;
};

static bool
home_equal(const void *arg, uint32_t index)
{
	const struct home_key *k = arg;

	return k->codes->homes[index].code.addr == k->addr;
}

/* Where a home is noted that was found of late. */
static size_t
recent_slot(uint64_t addr)
{
	return (addr * FACTOR >> 32) % RECENT_HOMES;
}

/* TACH_NONE: it has none yet. */
static uint32_t
known_home(const struct codes *c, uint64_t addr)
{
	const struct place_of *recent = &c->recent[recent_slot(addr)];
	struct home_key key = {c, addr};

	if (recent->addr == addr && addr != 0)
		return recent->home;
	return set_find(&c->home_set, XXH3_64bits(&addr, sizeof(addr)),
	    home_equal, &key);
}

static uint32_t
find_home(struct codes *c, uint64_t addr)
{
	uint32_t found = known_home(c, addr);
	struct home *p;

	if (found != TACH_NONE) {
		c->recent[recent_slot(addr)] = (struct place_of){addr, found};
		return found;
	}
	p = array_grow(c->homes, c->nhomes, &c->homes_max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	c->homes = p;
	if (!set_add(&c->home_set, XXH3_64bits(&addr, sizeof(addr)),
		(uint32_t)c->nhomes))
		return TACH_NONE;
	c->homes[c->nhomes] = (struct home){.code.addr = addr};
	return (uint32_t)c->nhomes++;
}

/* NULL: a mark, or out of memory. */
static struct home *
place_home(struct codes *c, const struct py_place *p)
{
	uint32_t home = place_is_mark(p) ? TACH_NONE : find_home(c, p->code);

	return home != TACH_NONE ? &c->homes[home] : NULL;
}

static bool
is_right_for(const struct home *h, const struct stamp *s)
{
	return h->known && h->count == s->count && h->interp == s->interp;
}

static void
renew(struct home *h, const struct stamp *s)
{
	h->interp = s->interp;
	h->count = s->count;
}

/* A new code object may be at the address of an old one; the newest of the
 * other shims is forgotten where there is no room. */
static void
note_shim(struct codes *c, const struct py_code *code)
{
	uint64_t *kept = c->shims.codes;
	bool shim = frame_is_shim(code->name.bytes, code->name.len,
	    code->file.bytes, code->file.len);
	size_t n = 0;

	for (size_t i = 0; i < SHIMS_MAX && kept[i] != 0; i++)
		if (kept[i] != code->addr)
			kept[n++] = kept[i];
	n -= shim && n == SHIMS_MAX;
	if (shim)
		kept[n++] = code->addr;
	while (n < SHIMS_MAX)
		kept[n++] = 0;
}

/* Reads the code object that is at a home now. */
static void
settle(struct codes *c, struct home *h, const struct stamp *s)
{
	struct py_code code;

	h->settled = c->check;
	if (!code_read(c->offsets, c->memory, h->code.addr, &code))
		return;
	if (h->known) {
		code_free(&h->code);
		c->replaced++;
	}
	h->code = code;
	h->file = tach_table_add_string(c->table, code.file.bytes,
	    code.file.len);
	h->func = tach_table_add_string(c->table, code.name.bytes,
	    code.name.len);
	note_shim(c, &code);
	h->serial = c->next_serial++;
	h->resumed = false;
	h->steady = 0;
	h->known = h->file != TACH_NONE && h->func != TACH_NONE;
	renew(h, s);
}

/* ---- checks ------------------------------------------------------------ */

/* Checks a batch of known homes by one read; the stamp of those that proved
 * to be the same is renewed. */
static void
check_batch(struct codes *c, size_t n, const struct stamp *s)
{
	size_t pieces = 0;

	for (size_t i = 0; i < n; i++)
		pieces += code_pieces(c->offsets, &c->homes[c->batch[i]].code,
		    &c->checks[i], &c->pieces[pieces]);
	if (n == 0 || !c->memory->read(c->memory, c->pieces, pieces))
		return;
	for (size_t i = 0; i < n; i++) {
		struct home *h = &c->homes[c->batch[i]];
		if (code_check(c->offsets, &h->code, &c->checks[i]))
			renew(h, s);
	}
}

/* Checks what is known of a chain's code objects, each once. */
static void
check_known(struct codes *c, const struct py_chain *chain,
    const struct stamp *s)
{
	size_t n = 0;

	for (size_t i = 0; i < chain->depth; i++) {
		struct home *h = place_home(c, &chain->places[i]);
		if (h == NULL || !h->known || is_right_for(h, s) ||
		    h->checked == c->check)
			continue;
		h->checked = c->check;
		c->batch[n++] = (uint32_t)(h - c->homes);
		if (n == CHECK_BATCH) {
			check_batch(c, n, s);
			n = 0;
		}
	}
	check_batch(c, n, s);
}

/* Reads the code objects of a chain that are not known.  Returns how many
 * that were. */
static size_t
settle_unknown(struct codes *c, const struct py_chain *chain,
    const struct stamp *s)
{
	size_t n = 0;

	for (size_t i = 0; i < chain->depth; i++) {
		struct home *h = place_home(c, &chain->places[i]);
		if (h == NULL || h->settled == c->check || is_right_for(h, s))
			continue;
		settle(c, h, s);
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

	/* Version numbers have an end: then they are 0, all of them. */
	if (n == 0 ||
	    (sum == 0 && !py_has(c->offsets->interp_code_generation)))
		return (struct stamp){interp, OWN_COUNT | ++c->own_count,
		    false};
	return (struct stamp){interp, sum, sum_of(at, n, before) == sum};
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
 * Where versions are counted: whether a code object that was just read, while
 * the count stood still, is the one that its address had before.  No other was
 * made, but it may have been freed before it was read: it must have been alive
 * at the end.
 */
static bool
was_alive(struct codes *c, const struct home *h, uint64_t count)
{
	/* The next one's number, or a later one: we count something else. */
	if (h->code.version >= count)
		c->no_versions = true;
	return !c->no_versions && h->code.refs != 0 && h->code.refs < REFS_MAX;
}

/* Whether what was read now is what was there when the chain was read.  A
 * count of freed objects says it all. */
static bool
is_fresh(struct codes *c, const struct py_chain *chain, const struct stamp *s)
{
	if (!is_steady(c, s))
		return false;
	if (py_has(c->offsets->interp_code_generation))
		return true;
	for (size_t i = 0; i < chain->depth; i++) {
		uint32_t home = known_home(c, chain->places[i].code);
		if (home != TACH_NONE && c->homes[home].settled == c->check &&
		    !was_alive(c, &c->homes[home], s->count))
			return false;
	}
	return true;
}

/* Whether a place is where its code object can be, and that is known to be
 * the one that was there; `fresh` ones count too. */
static bool
is_proven(const struct codes *c, struct py_place *p, const struct stamp *s,
    bool fresh)
{
	uint32_t home = known_home(c, p->code);
	const struct home *h = home != TACH_NONE ? &c->homes[home] : NULL;

	if (place_is_mark(p))
		return true;
	if (shims_has(&c->shims, p->code)) /* the next walk passes over it */
		return false;
	if (h == NULL || !is_right_for(h, s) ||
	    (!fresh && h->settled == c->check))
		return false;
	p->left = p->left ||
	    (p->calls && !code_allows(c->offsets, &h->code, p->instr, true));
	return code_allows(c->offsets, &h->code, p->instr, false);
}

/* Whether code objects were freed while a chain was read, which look as they
 * did until their memory is used again. */
static bool
may_be_freed(const struct codes *c, const struct stamp *s)
{
	return py_has(c->offsets->interp_code_generation) && !s->steady;
}

size_t
codes_check(struct codes *c, struct py_chain *chain, const struct stamp *s)
{
	size_t n = 0;
	bool fresh;

	if (may_be_freed(c, s))
		return 0;
	check_known(c, chain, s);
	fresh = settle_unknown(c, chain, s) == 0 || is_fresh(c, chain, s);
	while (n < chain->depth && is_proven(c,
		&chain->places[chain->depth - 1 - n], s, fresh))
		n++;
	c->check++;
	return n;
}

bool
codes_has_all(const struct codes *c, const struct py_chain *chain,
    size_t shared)
{
	for (size_t i = 0; i < chain->depth - shared; i++) {
		const struct py_place *p = &chain->places[i];
		uint32_t home = known_home(c, p->code);
		if (!place_is_mark(p) &&
		    (home == TACH_NONE || !c->homes[home].known))
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

/* NULL: out of memory. */
static struct copy *
find_copy(struct codes *c, uint64_t code, uint32_t number)
{
	struct copy_key key = {c, code, number};
	uint64_t hash = XXH3_64bits_withSeed(&code, sizeof(code), number);
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

/* Looks where a copy lies now, if it was there when the chain was read. */
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

/* What a frame at its first instruction called has returned. */
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
	if (!py_has(c->offsets->frame_copy))
		return true;
	/* From the outermost on, which stays where it is. */
	for (size_t n = 1; n <= chain->depth; n++) {
		struct py_place *p = &chain->places[chain->depth - n];
		uint64_t original = p->code + c->offsets->code_bytecode;
		struct copy *y;
		if (p->copy == 0)
			continue;
		if ((y = find_copy(c, p->code, p->copy)) == NULL ||
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

size_t
codes_frame_size(const void *codes, uint64_t code)
{
	const struct codes *c = codes;
	uint32_t home = known_home(c, code);

	return home != TACH_NONE && c->homes[home].known ?
	    c->homes[home].code.frame_size : 0;
}

/* ---- what frames have forgotten ---------------------------------------- */

static int
compare_places(const void *a, const void *b)
{
	const struct place_of *p = a, *q = b;

	return (p->addr > q->addr) - (p->addr < q->addr);
}

/* Moves the last of them to where it belongs. */
static void
sift_home(struct place_of *p, size_t n)
{
	struct place_of last = p[n - 1];
	size_t i = n - 1;

	for (; i > 0 && p[i - 1].addr > last.addr; i--)
		p[i] = p[i - 1];
	p[i] = last;
}

/* Sorts the homes by address if there are new ones, of which there are most
 * often few.  False: out of memory. */
static bool
sort_homes(struct codes *c)
{
	bool few = c->nhomes - c->nby_addr <= FEW_HOMES;
	struct place_of *p = c->by_addr;

	if (c->nby_addr == c->nhomes)
		return true;
	while (c->nby_addr < c->nhomes) {
		size_t home = c->nby_addr;
		p = array_grow(p, home, &c->by_addr_max, sizeof(*p));
		if (p == NULL) {
			c->nby_addr = 0; /* they may not be in order */
			return false;
		}
		c->by_addr = p;
		p[c->nby_addr++] = (struct place_of){
		    c->homes[home].code.addr, (uint32_t)home};
		if (few)
			sift_home(p, c->nby_addr);
	}
	if (!few)
		qsort(p, c->nby_addr, sizeof(*p), compare_places);
	return true;
}

/* The code object whose bytecode has an instruction; NULL: none that is
 * known. */
static const struct py_code *
code_at(const struct codes *c, uint64_t instr)
{
	size_t low = 0, high = c->nby_addr;
	const struct home *h;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->by_addr[middle].addr < instr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	h = &c->homes[c->by_addr[low - 1].home];
	return h->known && code_allows(c->offsets, &h->code, instr, false) ?
	    &h->code : NULL;
}

bool
codes_name_past(struct codes *c, struct py_chain *chain)
{
	const struct py_code *code;

	for (size_t i = 0; i < chain->depth - chain->live; i++) {
		struct py_place *p = &chain->places[i];
		if (p->code != PLACE_PAST)
			continue;
		/* Of a copy, only the frame knew which it was. */
		if (p->copy != 0 || !sort_homes(c) ||
		    (code = code_at(c, p->instr)) == NULL)
			return false;
		p->code = code->addr;
	}
	return true;
}

/* ---- calls ------------------------------------------------------------- */

/* Whether the call of a place resumes a generator.  To 3.10 nothing calls one
 * to make it, and one that has ended does not tell what it was. */
static bool
resumes(const struct codes *c, const struct py_place *callee)
{
	return callee->resumed && !py_has(c->offsets->frame_generator);
}

/* The number of a caller's code object.  One that makes a generator calls
 * nothing: the generator's own frame is another one. */
static uint32_t
caller_serial(const struct codes *c, const struct py_place *p, uint32_t home)
{
	const struct home *h = &c->homes[home];

	return h->resumed && !p->resumed &&
	    !py_has(c->offsets->frame_generator) ? CALLS_NOTHING : h->serial;
}

/* The calls of a chain's frames, from the outermost one on. */
struct calls {
	const struct codes *codes;
	const struct py_chain *chain;
	size_t n, end; /* places that were passed, and are to be, from outside */
	struct py_place *caller, *callee; /* NULL: nobody */
	uint32_t caller_home, callee_home;
	/* The caller's own callers, by turns: a recursion would make no end of
	 * paths, so only the innermost place of each code object counts. */
	struct outer {
		uint64_t place; /* what stands for it; 0: it does not count */
		uint32_t serial;
	} outer[THROUGH];
	size_t nouter;
};

/* The caller becomes one of the callers of the next one. */
static void
step_in(struct calls *w)
{
	uint32_t serial = caller_serial(w->codes, w->caller, w->caller_home);

	for (size_t i = 0; i < THROUGH; i++)
		if (w->outer[i].serial == serial)
			w->outer[i].place = 0;
	w->outer[w->nouter++ % THROUGH] = (struct outer){
	    XXH3_64bits_withSeed(&w->caller->instr, sizeof(w->caller->instr),
		serial), serial};
}

/* Goes on to the next frame.  False: there is none. */
static bool
next_frame(struct calls *w)
{
	struct py_place *p;

	do {
		if (w->n == w->end)
			return false;
		p = &w->chain->places[w->chain->depth - ++w->n];
	} while (place_is_mark(p));
	if (w->caller != NULL)
		step_in(w);
	w->caller = w->callee;
	w->caller_home = w->callee_home;
	w->callee = p;
	w->callee_home = known_home(w->codes, p->code);
	return true;
}

/* Begins behind the `shared` outermost places. */
static struct calls
calls_begin(const struct codes *c, const struct py_chain *chain, size_t shared)
{
	struct calls w = {.codes = c, .chain = chain, .n = shared,
	    .end = shared};

	for (size_t i = 0; i < THROUGH + 1 && w.n > 0; w.n--)
		i += !place_is_mark(&chain->places[chain->depth - w.n]);
	while (next_frame(&w))
		;
	w.end = chain->depth;
	return w;
}

/* What stands for all through whom the caller is called; not 0. */
static uint64_t
through(const struct calls *w)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < THROUGH; i++) {
		uint64_t place = w->outer[(w->nouter + i) % THROUGH].place;
		if (place != 0)
			sum = sum * FACTOR + place;
	}
	return sum;
}

static struct known_call
call_of(const struct calls *w)
{
	struct known_call call = {.instr = resumes(w->codes, w->callee),
	    .caller = TACH_NONE,
	    .callee = w->codes->homes[w->callee_home].serial};

	if (w->caller == NULL)
		return call;
	call.instr |= w->caller->instr;
	call.caller = caller_serial(w->codes, w->caller, w->caller_home);
	call.through = through(w);
	return call;
}

/* The same, through anybody. */
static struct known_call
through_any(struct known_call call)
{
	call.through = 0;
	return call;
}

/* What it calls may be a frame that has forgotten its code object. */
bool
codes_may_call(const void *codes, const struct py_place *caller,
    const struct py_place *callee)
{
	const struct codes *c = codes;
	uint32_t home = known_home(c, caller->code);
	const struct home *from, *to;

	if (place_is_mark(caller) || place_is_mark(callee) ||
	    home == TACH_NONE || known_home(c, callee->code) == TACH_NONE)
		return false;
	from = &c->homes[home];
	to = &c->homes[known_home(c, callee->code)];
	/* Being made, it is at its beginning; one that is not has ended. */
	if (to->resumed && !callee->resumed)
		return false;
	return known_has_pair(&c->known, (struct known_call){
	    .instr = resumes(c, callee), .caller = from->serial,
	    .callee = to->serial});
}

/* That a place calls anything is known as a call of nothing; odd: by any means,
 * not only by the interpreter's loop. */
static struct known_call
site_of(const struct codes *c, const struct py_place *p, uint32_t home,
    bool any)
{
	return (struct known_call){.instr = p->instr | any,
	    .caller = caller_serial(c, p, home), .callee = TACH_NONE};
}

/* Whether a caller cannot be calling what it called. */
static bool
has_left(const struct codes *c, const struct py_place *p,
    const struct home *h)
{
	return p->left || (p->calls &&
		!code_allows(c->offsets, &h->code, p->instr, true));
}

/* Notes a caller that may not have left, if it most likely has, should the call
 * be over soon: it is where it calls something else, and not this. */
static void
note_doubted(struct codes *c, const struct calls *w, struct known_call call)
{
	bool site = known_has(&c->known,
	    site_of(c, w->caller, w->caller_home, true));
	struct suspect here = {.instr = call.instr, .caller = call.caller,
	    .callee = call.callee};

	c->unsteady = !suspects_clear(&c->suspects, here,
	    c->homes[w->caller_home].watched, site);
	if (site && !c->unsteady)
		c->doubted = (size_t)(w->caller - w->chain->places);
}

/* Takes a caller that has left the place of a call back to it.  False: it is
 * not known, or it may not have left, or there may be another place. */
static bool
take_back(struct codes *c, const struct calls *w, struct known_call call)
{
	uint64_t place = w->caller != NULL ? known_place(&c->known, call) : 0;
	const struct home *h;

	if (place == 0)
		return false;
	h = &c->homes[w->caller_home];
	c->unsteady = h->steady < STEADY;
	if (c->unsteady)
		return false;
	if (!has_left(c, w->caller, h)) {
		note_doubted(c, w, call);
		return false;
	}
	w->caller->instr = place;
	w->caller->left = false;
	return true;
}

/* A chain that is looked at more than once counts once. */
static void
note_steady(struct codes *c, const struct calls *w)
{
	struct home *h = w->caller != NULL ? &c->homes[w->caller_home] : NULL;

	if (h == NULL || h->counted == c->check)
		return;
	h->counted = c->check;
	h->steady++;
}

bool
codes_know_calls(struct codes *c, struct py_chain *chain, size_t shared)
{
	struct calls w = calls_begin(c, chain, shared);

	c->doubted = CODES_NONE;
	c->unsteady = false;
	while (next_frame(&w)) {
		struct known_call call = call_of(&w);
		if (known_has(&c->known, call))
			note_steady(c, &w);
		else if (!take_back(c, &w, call))
			return false;
	}
	return true;
}

size_t
codes_doubted(const struct codes *c)
{
	return c->doubted;
}

bool
codes_is_unsteady(const struct codes *c)
{
	return c->unsteady;
}

bool
codes_know_places(const struct codes *c, const struct py_chain *chain,
    size_t shared)
{
	struct calls w = calls_begin(c, chain, shared);

	while (next_frame(&w))
		if (!known_has(&c->known, through_any(call_of(&w))))
			return false;
	return true;
}

/* Whether an unknown call was seen before; from now on it was.  One from another
 * place than those from where it was seen beyond doubt most often is one of two
 * moments; through other callers it may well be made. */
static bool
trust_call(struct codes *c, struct known_call call)
{
	bool seen = known_has(&c->seen, call);

	if (c->seen.count > CALLS_MAX)
		known_clear(&c->seen);
	return known_add(&c->seen, call) && seen &&
	    call.caller != CALLS_NOTHING &&
	    (known_has(&c->known, through_any(call)) ||
		!known_has_pair(&c->known, through_any(call)));
}

size_t
codes_trust_calls(struct codes *c, const struct py_chain *chain, size_t shared,
    bool seen)
{
	struct calls w = calls_begin(c, chain, shared);
	size_t trusted = chain->depth;

	while (next_frame(&w)) {
		struct known_call call = call_of(&w);
		if (!known_has(&c->known, call) &&
		    !(seen && trust_call(c, call)) && trusted == chain->depth)
			trusted = w.n - 1;
	}
	return trusted;
}

bool
codes_know_root(const struct codes *c, const struct py_chain *chain)
{
	struct calls w = calls_begin(c, chain, 0);

	return !next_frame(&w) || (w.callee_home != TACH_NONE &&
	    known_has(&c->known, call_of(&w)));
}

uint64_t
codes_learned(const struct codes *c)
{
	return c->known.learned;
}

bool
codes_is_calling(const struct codes *c, const struct py_chain *chain)
{
	const struct py_place *p = chain->places;
	uint32_t home;

	return chain->depth > 0 && !place_is_mark(p) &&
	    (home = known_home(c, p->code)) != TACH_NONE &&
	    known_has(&c->known, site_of(c, p, home, false));
}

/* Where a caller is, in its file; or -1. */
static int32_t
line_of(const struct codes *c, const struct calls *w)
{
	struct py_location l;

	code_locate(c->offsets, &c->homes[w->caller_home].code,
	    w->caller->instr, &l);
	return l.line;
}

/* A chain counts once, however often its caller is in it. */
static void
note_watched(const struct codes *c, struct home *h)
{
	h->watched += h->watch != c->watch;
	h->watch = c->watch;
}

/* False: nothing can make such a call, or memory ran out. */
static bool
learn_call(struct codes *c, const struct calls *w)
{
	struct known_call call = call_of(w);
	struct home *h;

	if (call.caller == CALLS_NOTHING)
		return false;
	if (resumes(c, w->callee))
		c->homes[w->callee_home].resumed = true;
	if (w->caller == NULL)
		return known_add(&c->known, call);
	h = &c->homes[w->caller_home];
	note_watched(c, h);
	if (!known_has(&c->known, call))
		call.line = line_of(c, w);
	if (!known_has(&c->known, through_any(call)))
		h->steady = 0;
	/* Only what the interpreter's loop calls makes its caller's place one
	 * of calls. */
	return known_add(&c->known, call) &&
	    known_add(&c->known, through_any(call)) &&
	    known_add(&c->known,
		site_of(c, w->caller, w->caller_home, true)) &&
	    (!w->caller->calls || known_add(&c->known,
		site_of(c, w->caller, w->caller_home, false)));
}

bool
codes_learn_calls(struct codes *c, const struct py_chain *chain, size_t shared)
{
	struct calls w = calls_begin(c, chain, shared);

	c->watch++;
	if (c->known.count > CALLS_MAX)
		known_clear(&c->known);
	while (next_frame(&w))
		if (!learn_call(c, &w))
			return false;
	return true;
}

/* ---- frames ------------------------------------------------------------ */

struct spot_key {
	const struct codes *codes;
	uint64_t instr;
	uint32_t serial;
	uint8_t opcode;
};

static bool
spot_equal(const void *arg, uint32_t index)
{
	const struct spot_key *k = arg;
	const struct spot *s = &k->codes->spots[index];

	return s->instr == k->instr && s->serial == k->serial &&
	    s->opcode == k->opcode;
}

static uint32_t
make_frame(struct codes *c, const struct home *h, uint64_t instr,
    uint8_t opcode)
{
	struct py_location l;

	code_locate(c->offsets, &h->code, instr, &l);
	return tach_table_add_frame(c->table, &(struct tach_frame){
	    .file = h->file, .func = h->func, .line = l.line,
	    .end_line = l.end_line, .column = l.column,
	    .end_column = l.end_column, .opcode = opcode});
}

static uint32_t
add_spot(struct codes *c, uint64_t hash, struct spot s)
{
	struct spot *p;

	if (c->nspots == SPOTS_MAX)
		forget_spots(c);
	p = array_grow(c->spots, c->nspots, &c->spots_max, sizeof(*p));
	if (p == NULL || s.frame == TACH_NONE)
		return TACH_NONE;
	c->spots = p;
	if (!set_add(&c->spot_set, hash, (uint32_t)c->nspots))
		return TACH_NONE;
	c->spots[c->nspots++] = s;
	return s.frame;
}

uint32_t
codes_frame(struct codes *c, const struct py_place *p)
{
	uint32_t home = find_home(c, p->code), found;
	struct home *h = home != TACH_NONE ? &c->homes[home] : NULL;
	struct spot_key key = {c, p->instr, 0, TACH_NO_OPCODE};
	uint64_t hash;

	if (h == NULL || !h->known)
		return TACH_NONE;
	key.serial = h->serial;
	if (c->with_opcodes)
		key.opcode = code_opcode(c->offsets, c->memory, &h->code,
		    p->instr);
	hash = XXH3_64bits_withSeed(&p->instr, sizeof(p->instr), h->serial);
	found = set_find(&c->spot_set, hash, spot_equal, &key);
	if (found != TACH_NONE)
		return c->spots[found].frame;
	return add_spot(c, hash, (struct spot){p->instr, h->serial,
	    make_frame(c, h, p->instr, key.opcode), key.opcode});
}
