/* SPDX-License-Identifier: ISC */
/* frame_cache.c: see frame_cache.h. */
#include "engine/code/frame_cache.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"

#define SPOTS_MAX 65536 /* then all are forgotten, and made anew */

static void
forget_spots(struct frame_cache *c)
{
	c->count = 0;
	set_clear(&c->set);
}

void
frame_cache_free(struct frame_cache *c)
{
	forget_spots(c);
	free(c->spots);
}

struct spot_key {
	const struct frame_cache *cache;
	struct frame_spot spot;
};

static bool
spot_equal(const void *arg, uint32_t index)
{
	const struct spot_key *k = arg;
	const struct frame_spot *a = &k->cache->spots[index], *b = &k->spot;

	return a->instr == b->instr && a->code == b->code && a->opcode == b->opcode;
}

static uint64_t
spot_hash(struct frame_spot s)
{
	return hash_of(&s.instr, sizeof(s.instr), s.code);
}

uint32_t
frame_cache_find(const struct frame_cache *c, struct frame_spot s)
{
	struct spot_key key = {c, s};
	uint32_t found = set_find(&c->set, spot_hash(s), spot_equal, &key);

	return found != TACH_NONE ? c->spots[found].frame : TACH_NONE;
}

uint32_t
frame_cache_add(struct frame_cache *c, struct tach_table *table,
    struct frame_spot s, uint32_t file, uint32_t func,
    const struct py_location *l)
{
	struct frame_spot *p;

	if (c->count == SPOTS_MAX)
		forget_spots(c);
	p = array_grow(c->spots, c->count, &c->max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	c->spots = p;
	s.frame = tach_table_add_frame(table, &(struct tach_frame){
	    .file = file, .func = func, .line = l->line, .end_line = l->end_line,
	    .column = l->column, .end_column = l->end_column,
	    .opcode = s.opcode});
	if (s.frame == TACH_NONE ||
	    !set_add(&c->set, spot_hash(s), (uint32_t)c->count))
		return TACH_NONE;
	p[c->count++] = s;
	return s.frame;
}
