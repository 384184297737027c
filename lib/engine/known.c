/* SPDX-License-Identifier: ISC */
/* known.c: see known.h. */
#include "engine/known.h"

#include <stdlib.h>
#include <xxhash.h>

#include "array.h"
#include "tach.h"

#define KEY offsetof(struct known_call, next)
#define SITES_MAX 64 /* places from which one calls another that are looked at */

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
	    a->callee == b->callee;
}

static bool
pair_equal(const void *arg, uint32_t index)
{
	const struct call_key *k = arg;
	const struct known_call *a = &k->known->calls[index], *b = &k->call;

	return a->caller == b->caller && a->callee == b->callee &&
	    (a->instr & 1) == (b->instr & 1);
}

static uint64_t
call_hash(struct known_call call)
{
	return XXH3_64bits(&call, KEY);
}

static uint64_t
pair_hash(struct known_call call)
{
	call.instr &= 1;
	return call_hash(call);
}

/* The one that leads to all others of the same two, or TACH_NONE. */
static uint32_t
find_pair(const struct known *k, struct known_call call)
{
	struct call_key key = {k, call};

	return set_find(&k->by_pair, pair_hash(call), pair_equal, &key);
}

bool
known_has(const struct known *k, struct known_call call)
{
	struct call_key key = {k, call};

	return set_find(&k->by_place, call_hash(call), call_equal, &key) !=
	    TACH_NONE;
}

bool
known_has_pair(const struct known *k, struct known_call call)
{
	return find_pair(k, call) != TACH_NONE;
}

/* Puts a new one behind the first of its pair, if there is one. */
static bool
link_pair(struct known *k, struct known_call *call)
{
	uint32_t first = find_pair(k, *call);

	call->next = TACH_NONE;
	if (first == TACH_NONE)
		return set_add(&k->by_pair, pair_hash(*call),
		    (uint32_t)k->count);
	call->next = k->calls[first].next;
	k->calls[first].next = (uint32_t)k->count;
	return true;
}

bool
known_add(struct known *k, struct known_call call)
{
	struct known_call *p;

	if (known_has(k, call))
		return true;
	p = array_grow(k->calls, k->count, &k->max, sizeof(*p));
	if (p == NULL)
		return false;
	k->calls = p;
	if (!link_pair(k, &call))
		return false;
	p[k->count] = call;
	k->learned++;
	return set_add(&k->by_place, call_hash(call), (uint32_t)k->count++);
}

uint64_t
known_nearest(const struct known *k, struct known_call call, uint64_t here)
{
	uint32_t i = find_pair(k, call);
	uint64_t best = 0;

	for (int n = 0; n < SITES_MAX && i != TACH_NONE; n++) {
		uint64_t there = k->calls[i].instr & ~UINT64_C(1);
		if (best == 0 || (there <= here) > (best <= here) ||
		    ((there <= here) == (best <= here) && there > best))
			best = there;
		i = k->calls[i].next;
	}
	return best;
}
