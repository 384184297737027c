/* SPDX-License-Identifier: ISC */
/* known.c: see known.h. */
#include "engine/code/known.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"
#include "tach.h"

#define KEY offsetof(struct known_call, line)
#define PLACES_MAX 16 /* of one call in one line, that are looked at */

struct call_key {
	const struct known *known;
	struct known_call call;
};

void
known_clear(struct known *k)
{
	k->count = 0;
	set_clear(&k->by_place);
	set_clear(&k->by_pair);
}

void
known_free(struct known *k)
{
	known_clear(k);
	free(k->calls);
}

static bool
call_equal(const void *arg, uint32_t index)
{
	const struct call_key *k = arg;
	const struct known_call *a = &k->known->calls[index], *b = &k->call;

	return a->instr == b->instr && a->caller == b->caller &&
	    a->callee == b->callee && a->through == b->through;
}

static bool
pair_equal(const void *arg, uint32_t index)
{
	const struct call_key *k = arg;
	const struct known_call *a = &k->known->calls[index], *b = &k->call;

	return a->caller == b->caller && a->callee == b->callee &&
	    a->through == b->through && (a->instr & 1) == (b->instr & 1);
}

static uint64_t
call_hash(struct known_call call)
{
	return hash_of(&call, KEY, 0);
}

static uint64_t
pair_hash(struct known_call call)
{
	call.instr &= 1;
	return call_hash(call);
}

bool
known_has(const struct known *k, struct known_call call)
{
	struct call_key key = {k, call};

	return set_find(&k->by_place, call_hash(call), call_equal, &key) !=
	    TACH_NONE;
}

/* The first one of the same two through the same, or TACH_NONE. */
static uint32_t
find_pair(const struct known *k, struct known_call call)
{
	struct call_key key = {k, call};

	return set_find(&k->by_pair, pair_hash(call), pair_equal, &key);
}

bool
known_has_pair(const struct known *k, struct known_call call)
{
	return find_pair(k, call) != TACH_NONE;
}

static uint64_t
place_of(const struct known_call *call)
{
	return call->instr & ~UINT64_C(1);
}

uint64_t
known_place(const struct known *k, struct known_call call)
{
	uint32_t first = find_pair(k, call), i = first;
	uint64_t before = 0;

	if (first == TACH_NONE)
		return 0;
	if (k->calls[first].next == TACH_NONE)
		return place_of(&k->calls[first]);
	for (int n = 0; i != TACH_NONE; n++, i = k->calls[i].next) {
		const struct known_call *p = &k->calls[i];
		if (n == PLACES_MAX || p->line < 0 ||
		    p->line != k->calls[first].line)
			return 0;
		if (place_of(p) < call.instr && place_of(p) > before)
			before = place_of(p);
	}
	return before;
}

bool
known_add(struct known *k, struct known_call call)
{
	struct known_call *p;
	uint32_t first;

	if (known_has(k, call))
		return true;
	p = array_grow(k->calls, k->count, &k->max, sizeof(*p));
	if (p == NULL)
		return false;
	k->calls = p;
	call.next = TACH_NONE;
	if ((first = find_pair(k, call)) != TACH_NONE) {
		call.next = p[first].next;
		p[first].next = (uint32_t)k->count;
	} else if (!set_add(&k->by_pair, pair_hash(call), (uint32_t)k->count))
		return false;
	p[k->count] = call;
	k->learned++;
	return set_add(&k->by_place, call_hash(call), (uint32_t)k->count++);
}
