/* SPDX-License-Identifier: ISC */
/* contexts.c: see contexts.h. */
#include "engine/code/contexts.h"

#include <stdlib.h>
#include <xxhash.h>

#include "engine/code/edges.h"
#include "python/traits.h"
#include "tach.h"

#define NOTHING (TACH_NONE - 1) /* no code object has this number */
#define THROUGH 16 /* callers of a caller that are part of a context */
#define CUT (2 * THROUGH) /* outermost places of a cut chain: known */
#define EXACT 6	   /* innermost of these callers, which count in any case */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15) /* odd */
#define STEADY 64 /* chains without a new call: then none is expected */

struct contexts {
	const struct py_offsets *offsets;
	struct codemap *map;
	size_t max; /* edges of a generation */
	struct edges known;
	struct edges seen; /* calls that were in a doubtful chain */
	bool unsteady;	/* see contexts_is_unsteady */
	bool failed;	/* memory ran out */
};

struct contexts *
contexts_new(const struct py_offsets *o, struct codemap *m, size_t max)
{
	struct contexts *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->offsets = o;
	c->map = m;
	c->max = max;
	return c;
}

void
contexts_free(struct contexts *c)
{
	if (c == NULL)
		return;
	edges_free(&c->known);
	edges_free(&c->seen);
	free(c);
}

bool
contexts_failed(const struct contexts *c)
{
	return c->failed;
}

/* Adds an edge to a set.  False if out of memory. */
static bool
add_edge(struct contexts *c, struct edges *to, struct edge call)
{
	c->failed = !edges_add(to, call) || c->failed;
	return !c->failed;
}

/* ---- the calls of a chain ---------------------------------------------- */

/* Whether the call of a place resumes a generator.  To 3.10 always false: no
 * frame runs to make a generator, and the frame of a generator that has ended
 * does not say that it was one. */
static bool
resumes(const struct contexts *c, const struct py_place *callee)
{
	return callee->resumed && !py_frames_are_objects(c->offsets);
}

/* The number of a caller's code object; NOTHING if its frame only makes a
 * generator.  Such a frame calls nothing: the generator has its own frame. */
static uint32_t
caller_serial(const struct contexts *c, const struct py_place *p,
    const struct code_home *h)
{
	return h->notes.resumed && !p->resumed &&
	    !py_frames_are_objects(c->offsets) ? NOTHING : h->serial;
}

/* A walk over the calls of a chain, from the outermost frame on. */
struct call_walk {
	const struct contexts *contexts;
	const struct py_chain *chain;
	size_t n, end; /* outermost places that are passed, and to be passed */
	struct py_place *caller, *callee; /* NULL if there is none */
	struct code_home *caller_home, *callee_home;
	/* A ring of the caller's own callers.  Behind the EXACT innermost, a
	 * place counts only if its code object has no place further in: a
	 * recursion would make paths without end. */
	struct outer {
		uint64_t place; /* its hash; 0: it does not count */
		uint32_t serial;
	} outer[THROUGH];
	size_t nouter;
};

/* The n-th innermost of the caller's own callers, from 0.  With n THROUGH - 1
 * also the room for the next one. */
static struct outer *
nth_outer(struct call_walk *w, size_t n)
{
	return &w->outer[(w->nouter - 1 - n) % THROUGH];
}

/* Takes the places of a code object behind the EXACT innermost out of the count,
 * as the code object has a new place further in. */
static void
fold_outer(struct call_walk *w, uint32_t serial)
{
	for (size_t n = EXACT; n < THROUGH; n++)
		if (nth_outer(w, n)->serial == serial)
			nth_outer(w, n)->place = 0;
}

/* Whether a code object has one of the EXACT innermost places. */
static bool
has_exact(struct call_walk *w, uint32_t serial)
{
	for (size_t n = 0; n < EXACT; n++)
		if (nth_outer(w, n)->serial == serial)
			return true;
	return false;
}

/* Adds the caller to the callers of the next caller. */
static void
step_in(struct call_walk *w)
{
	uint32_t serial = caller_serial(w->contexts, w->caller, w->caller_home);
	struct outer *o = &w->outer[w->nouter++ % THROUGH];

	*o = (struct outer){
	    XXH3_64bits_withSeed(&w->caller->instr, sizeof(w->caller->instr),
		serial), serial};
	fold_outer(w, serial);
	/* One more place is behind the EXACT innermost. */
	o = nth_outer(w, EXACT);
	if (o->place != 0 && has_exact(w, o->serial))
		o->place = 0;
}

/* Goes on to the next frame.  False if there is none. */
static bool
next_frame(struct call_walk *w)
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
	w->callee_home = codemap_find(w->contexts->map, p->code);
	return true;
}

/* Begins a walk behind the `shared` outermost places.  In a cut chain the CUT
 * outermost places are passed over, too: their callers are not known. */
static struct call_walk
begin_walk(const struct contexts *c, const struct py_chain *chain, size_t shared)
{
	struct call_walk w = {.contexts = c, .chain = chain};

	if (chain_is_cut(chain) && shared < CUT)
		shared = CUT < chain->depth ? CUT : chain->depth;
	w.n = w.end = shared;

	for (size_t i = 0; i < THROUGH + 1 && w.n > 0; w.n--)
		i += !place_is_mark(&chain->places[chain->depth - w.n]);
	while (next_frame(&w))
		;
	w.end = chain->depth;
	return w;
}

/* The hash of the caller's own callers; not 0. */
static uint64_t
through(const struct call_walk *w)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < THROUGH; i++) {
		uint64_t place = w->outer[(w->nouter + i) % THROUGH].place;
		if (place != 0)
			sum = sum * FACTOR + place;
	}
	return sum;
}

static struct edge
call_of(const struct call_walk *w)
{
	struct edge call = {.instr = resumes(w->contexts, w->callee),
	    .caller = TACH_NONE, .callee = w->callee_home->serial};

	if (w->caller == NULL)
		return call;
	call.instr |= w->caller->instr;
	call.caller = caller_serial(w->contexts, w->caller, w->caller_home);
	call.through = through(w);
	return call;
}

/* The same call, through any callers. */
static struct edge
through_any(struct edge call)
{
	call.through = 0;
	return call;
}

/* The edge that says that a place makes calls by the interpreter's loop: its callee
 * is TACH_NONE. */
static struct edge
site_of(const struct contexts *c, const struct py_place *p,
    const struct code_home *h)
{
	return (struct edge){.instr = p->instr,
	    .caller = caller_serial(c, p, h), .callee = TACH_NONE};
}

/* ---- knowing calls ----------------------------------------------------- */

/* Whether a caller may have left the place of its call: the walk said so, or its
 * instruction cannot be calling. */
static bool
caller_has_left(const struct contexts *c, const struct py_place *p,
    const struct code_home *h)
{
	return p->left || (p->calls &&
		!code_allows(c->offsets, &h->code, p->instr, true));
}

/* Takes a caller that has left the place of its call back to it.  False if that
 * place is not known, if the caller may still be at it, or if new places are to
 * be expected. */
static bool
take_back(struct contexts *c, const struct call_walk *w, struct edge call)
{
	uint64_t place = w->caller != NULL ? edges_place(&c->known, call) : 0;

	if (place == 0)
		return false;
	c->unsteady = w->caller_home->notes.steady < STEADY;
	if (c->unsteady || !caller_has_left(c, w->caller, w->caller_home))
		return false;
	w->caller->instr = place;
	w->caller->left = false;
	return true;
}

/* Counts a chain with a known call of this caller.  A chain that is looked at
 * more than once counts once.  caller: NULL if there is none. */
static void
note_steady(const struct contexts *c, struct code_home *caller)
{
	if (caller == NULL || caller->notes.counted == c->map->check)
		return;
	caller->notes.counted = c->map->check;
	caller->notes.steady++;
}

bool
contexts_know(struct contexts *c, struct py_chain *chain, size_t shared)
{
	struct call_walk w = begin_walk(c, chain, shared);

	c->unsteady = false;
	while (next_frame(&w)) {
		struct edge call = call_of(&w);
		if (edges_has(&c->known, call))
			note_steady(c, w.caller_home);
		else if (!take_back(c, &w, call))
			return false;
	}
	return true;
}

bool
contexts_is_unsteady(const struct contexts *c)
{
	return c->unsteady;
}

/* Whether an unknown call was in a doubtful chain before, and may be believed;
 * notes the call.  If its caller is known to make it from other places only, the
 * call most often has two moments in it.  If it is only known through other
 * callers, the program may well make it. */
static bool
trust_call(struct contexts *c, struct edge call)
{
	bool seen = edges_has(&c->seen, call);

	return add_edge(c, &c->seen, call) && seen && call.caller != NOTHING &&
	    (edges_has(&c->known, through_any(call)) ||
		!edges_has_pair(&c->known, through_any(call)));
}

size_t
contexts_trust(struct contexts *c, const struct py_chain *chain, size_t shared,
    bool seen)
{
	struct call_walk w = begin_walk(c, chain, shared);
	size_t trusted = chain->depth;

	while (next_frame(&w)) {
		struct edge call = call_of(&w);
		if (!edges_has(&c->known, call) &&
		    !(seen && trust_call(c, call)) && trusted == chain->depth)
			trusted = w.n - 1;
	}
	return trusted;
}

bool
contexts_know_root(struct contexts *c, const struct py_chain *chain)
{
	struct call_walk w = begin_walk(c, chain, 0);

	return chain_is_cut(chain) || !next_frame(&w) || (w.callee_home != NULL &&
	    edges_has(&c->known, call_of(&w)));
}

/* ---- learning calls ---------------------------------------------------- */

/* The source line that a caller is at, or -1. */
static int32_t
line_of(const struct contexts *c, const struct call_walk *w)
{
	struct py_location l;

	code_locate(c->offsets, &w->caller_home->code, w->caller->instr, &l);
	return l.line;
}

/* Makes a call known.  False if the call is impossible, or after a failure. */
static bool
learn_call(struct contexts *c, const struct call_walk *w)
{
	struct edge call = call_of(w);

	if (call.caller == NOTHING)
		return false;
	if (resumes(c, w->callee))
		w->callee_home->notes.resumed = true;
	if (w->caller == NULL)
		return add_edge(c, &c->known, call);
	if (!edges_has(&c->known, call))
		call.line = line_of(c, w);
	if (!edges_has(&c->known, through_any(call)))
		w->caller_home->notes.steady = 0;
	return add_edge(c, &c->known, call) &&
	    add_edge(c, &c->known, through_any(call)) &&
	    (!w->caller->calls || add_edge(c, &c->known,
		site_of(c, w->caller, w->caller_home)));
}

bool
contexts_learn(struct contexts *c, const struct py_chain *chain, size_t shared)
{
	struct call_walk w = begin_walk(c, chain, shared);

	while (next_frame(&w))
		if (!learn_call(c, &w))
			return false;
	return true;
}

uint64_t
contexts_learned(const struct contexts *c)
{
	return c->known.learned;
}

/* A caller may have lost a place of its calls, which it may then take again.
 * Therefore no caller is taken back before that is not to be expected.  All
 * code objects count as replaced, so that no call of a thread's next chain is
 * passed over, and the calls that go on for long are of the new generation. */
void
contexts_trim(struct contexts *c)
{
	edges_age(&c->seen, c->max);
	if (!edges_age(&c->known, c->max))
		return;
	for (size_t i = 0; i < c->map->count; i++)
		c->map->homes[i].notes.steady = 0;
	c->map->replaced++;
}

/* ---- two frames -------------------------------------------------------- */

bool
contexts_is_calling(struct contexts *c, const struct py_chain *chain)
{
	const struct py_place *p = chain->places;
	const struct code_home *h;

	return chain->depth > 0 && !place_is_mark(p) &&
	    (h = codemap_find(c->map, p->code)) != NULL &&
	    edges_has(&c->known, site_of(c, p, h));
}

/* False for a callee that has forgotten its code object: it is a mark. */
bool
contexts_may_call(const struct contexts *c, const struct py_place *caller,
    const struct py_place *callee)
{
	const struct code_home *from = codemap_find(c->map, caller->code);
	const struct code_home *to = codemap_find(c->map, callee->code);

	if (place_is_mark(caller) || place_is_mark(callee) || from == NULL ||
	    to == NULL)
		return false;
	/* A frame that makes a generator is at its beginning, or has ended. */
	if (to->notes.resumed && !callee->resumed)
		return false;
	return edges_has_pair(&c->known, (struct edge){
	    .instr = resumes(c, callee), .caller = from->serial,
	    .callee = to->serial});
}
