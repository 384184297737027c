/* SPDX-License-Identifier: ISC */
/* inner.c: see inner.h. */
#include "engine/inner.h"

#define INNER_MAX 8 /* more are hardly ever right */

void
inner_clear(struct inner *in)
{
	in->chain.depth = in->chain.live = 0;
}

void
inner_free(struct inner *in)
{
	chain_free(&in->chain);
}

void
inner_keep(struct inner *in, const struct py_chain *c, const struct stamp *s)
{
	if (in->chain.depth > 0)
		return;
	for (size_t i = 0; i < c->depth && i < INNER_MAX; i++)
		if (!chain_add(&in->chain, c->places[i]))
			break;
	in->chain.ending = c->ending;
	in->stamp = *s;
}

/* Whether a place is proven, alone. */
static bool
is_proven(struct inner *in, struct codes *codes, size_t i)
{
	struct py_chain one = {.places = &in->chain.places[i], .depth = 1,
	    .live = 1};

	return one.places->code != PLACE_PAST &&
	    codes_originals(codes, &one, &in->stamp) &&
	    codes_check(codes, &one, &in->stamp) == 1;
}

/* Whether a place was seen to call the one before it, if there is one. */
static bool
makes_call(struct inner *in, const struct codes *codes, size_t i)
{
	struct py_chain two = {.places = &in->chain.places[i > 0 ? i - 1 : 0],
	    .depth = 2, .ending = in->chain.ending && i == 1};

	return i == 0 || codes_know_calls(codes, &two, 1);
}

/* Leaves what is proven, by known calls. */
static void
prove(struct inner *in, struct codes *codes)
{
	size_t n = 0;

	codes_name_past(codes, &in->chain);
	while (n < in->chain.depth && is_proven(in, codes, n) &&
	    makes_call(in, codes, n))
		n++;
	in->chain.depth = n;
}

static bool
same_frame(const struct py_place *a, const struct py_place *b)
{
	return !place_is_mark(a) && a->frame == b->frame && a->code == b->code;
}

/* Whether any of a chain's n outermost frames is of a code object.  Then which
 * of its calls another one was is not to be known. */
static bool
recurs(const struct py_chain *c, size_t n, uint64_t code)
{
	for (size_t i = c->depth - n; i < c->depth; i++)
		if (c->places[i].code == code)
			return true;
	return false;
}

/* Leaves out what a chain still has.  Returns how many of the chain's outermost
 * frames the rest is inside of; 0: nothing was left out. */
static size_t
cut_shared(struct inner *in, const struct py_chain *c)
{
	for (size_t i = 0; i < in->chain.depth; i++)
		for (size_t k = 0; k < c->depth; k++)
			if (same_frame(&in->chain.places[i], &c->places[k])) {
				in->chain.depth = i;
				return c->depth - k;
			}
	return 0;
}

/* How many of a chain's outermost frames lead to one that calls what was kept;
 * 0: none does, or it is not to be known which. */
static size_t
find_caller(const struct inner *in, const struct codes *codes,
    const struct py_chain *c)
{
	const struct py_place *callee = &in->chain.places[in->chain.depth - 1];
	size_t n = c->depth;

	while (n > 0 &&
	    !codes_know_pair(codes, &c->places[c->depth - n], callee))
		n--;
	for (size_t i = 0; i < in->chain.depth; i++)
		if (recurs(c, n, in->chain.places[i].code))
			return 0;
	return n;
}

static bool
add_outer(struct inner *in, const struct py_chain *c, size_t n)
{
	for (size_t i = c->depth - n; i < c->depth; i++)
		if (!chain_add(&in->chain, c->places[i]))
			return false;
	in->chain.places[in->chain.depth - n].left = true;
	in->chain.live = in->chain.depth;
	return true;
}

bool
inner_join(struct inner *in, struct codes *codes, struct py_chain *c)
{
	struct py_chain joined;
	size_t outer;

	prove(in, codes);
	outer = cut_shared(in, c);
	if (in->chain.depth == 0)
		return false;
	if (outer == 0)
		outer = find_caller(in, codes, c);
	if (outer == 0 || !add_outer(in, c, outer) ||
	    !codes_know_calls(codes, &in->chain, outer))
		return false;
	joined = in->chain;
	in->chain = *c;
	*c = joined;
	return true;
}
