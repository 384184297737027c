/* SPDX-License-Identifier: ISC */
/* suspects.c: see suspects.h. */
#include "engine/code/suspects.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"
#include "tach.h"

#define SUSPECTS_MAX 65536 /* then all are forgotten */
#define WATCHES 64 /* chains, one of which would have had the call */
#define BELIEVED_MAX 256 /* times, before it is watched for again */

#define KEY offsetof(struct suspect, since)

struct suspect_key {
	const struct suspects *suspects;
	struct suspect call;
};

static bool
suspect_equal(const void *arg, uint32_t index)
{
	const struct suspect_key *k = arg;
	const struct suspect *a = &k->suspects->list[index], *b = &k->call;

	return a->instr == b->instr && a->caller == b->caller &&
	    a->callee == b->callee;
}

static void
forget(struct suspects *s)
{
	s->count = 0;
	set_clear(&s->set);
}

void
suspects_free(struct suspects *s)
{
	forget(s);
	free(s->list);
}

/* NULL: out of memory. */
static struct suspect *
find(struct suspects *s, struct suspect call, unsigned watched)
{
	struct suspect_key key = {s, call};
	uint64_t hash = hash_of(&call, KEY, 0);
	uint32_t found = set_find(&s->set, hash, suspect_equal, &key);
	struct suspect *p;

	if (found != TACH_NONE)
		return &s->list[found];
	if (s->count == SUSPECTS_MAX)
		forget(s);
	p = array_grow(s->list, s->count, &s->max, sizeof(*p));
	if (p == NULL)
		return NULL;
	s->list = p;
	if (!set_add(&s->set, hash, (uint32_t)s->count))
		return NULL;
	call.since = watched;
	call.believed = 0;
	p[s->count] = call;
	return &p[s->count++];
}

bool
suspects_clear(struct suspects *s, struct suspect call, unsigned watched,
    bool believe)
{
	struct suspect *p = find(s, call, watched);

	if (p != NULL && p->believed == BELIEVED_MAX) {
		p->since = watched;
		p->believed = 0;
	}
	if (p == NULL || watched - p->since < WATCHES)
		return false;
	p->believed += believe;
	return true;
}
