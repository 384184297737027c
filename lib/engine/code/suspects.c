/* SPDX-License-Identifier: ISC */
/* suspects.c: see suspects.h. */
#include "engine/code/suspects.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"
#include "tach.h"

#define SUSPECTS_MAX 65536 /* of a generation */
#define WATCHES 64 /* chains without the call: then it is never made */
#define BELIEVED_MAX 256 /* times: then the call is watched again */

#define KEY offsetof(struct suspect, since)

struct suspect_key {
	const struct suspect_generation *in;
	struct suspect call;
};

static bool
suspect_equal(const void *arg, uint32_t index)
{
	const struct suspect_key *k = arg;
	const struct suspect *a = &k->in->list[index], *b = &k->call;

	return a->instr == b->instr && a->caller == b->caller &&
	    a->callee == b->callee;
}

static void
clear_suspects(struct suspect_generation *g)
{
	g->count = 0;
	set_clear(&g->set);
}

void
suspects_free(struct suspects *s)
{
	clear_suspects(&s->young);
	clear_suspects(&s->old);
	free(s->young.list);
	free(s->old.list);
}

/* NULL if it is not there. */
static struct suspect *
find_suspect(const struct suspect_generation *g, struct suspect call)
{
	struct suspect_key key = {g, call};
	uint32_t found = set_find(&g->set, hash_of(&call, KEY, 0),
	    suspect_equal, &key);

	return found != TACH_NONE ? &g->list[found] : NULL;
}

/* Begins a new generation if the young one is full. */
static void
age_suspects(struct suspects *s)
{
	struct suspect_generation old = s->old;

	if (s->young.count < SUSPECTS_MAX)
		return;
	s->old = s->young;
	s->young = old;
	clear_suspects(&s->young);
}

/* Adds a new suspect.  NULL if out of memory. */
static struct suspect *
put_suspect(struct suspect_generation *g, struct suspect call)
{
	struct suspect *p = array_grow(g->list, g->count, &g->max, sizeof(*p));

	if (p == NULL)
		return NULL;
	g->list = p;
	if (!set_add(&g->set, hash_of(&call, KEY, 0), (uint32_t)g->count))
		return NULL;
	p[g->count] = call;
	return &p[g->count++];
}

/* The suspect, which is added if it is new.  NULL if out of memory. */
static struct suspect *
suspect_of(struct suspects *s, struct suspect call, unsigned watched)
{
	struct suspect *young = find_suspect(&s->young, call), *old;

	if (young != NULL)
		return young;
	call.since = watched;
	call.believed = 0;
	if ((old = find_suspect(&s->old, call)) != NULL)
		call = *old;
	age_suspects(s);
	return put_suspect(&s->young, call);
}

bool
suspects_clear(struct suspects *s, struct suspect call, unsigned watched,
    bool believe)
{
	struct suspect *p = suspect_of(s, call, watched);

	if (p != NULL && p->believed == BELIEVED_MAX) {
		p->since = watched;
		p->believed = 0;
	}
	if (p == NULL || watched - p->since < WATCHES)
		return false;
	p->believed += believe;
	return true;
}
