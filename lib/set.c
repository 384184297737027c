/* SPDX-License-Identifier: ISC */
/* set.c: see set.h. */
#include "set.h"

#include <stdlib.h>

#define SET_MIN 64 /* slots */

/* The lower half of a hash chooses the slot.  Growth keeps only tag and index,
 * so the lower half must follow from the tag: it is the tag, mixed. */
static uint32_t
tag_of(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

static size_t
first_slot(uint32_t tag, size_t mask)
{
	return (tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
}

uint32_t
set_find(const struct set *s, uint64_t hash, set_equal_fn *equal,
    const void *arg)
{
	uint32_t tag = tag_of(hash);

	if (s->slots == NULL)
		return UINT32_MAX;
	for (size_t i = first_slot(tag, s->mask);; i = (i + 1) & s->mask) {
		const struct set_slot *slot = &s->slots[i];
		if (slot->index == 0)
			return UINT32_MAX;
		if (slot->tag == tag && equal(arg, slot->index - 1))
			return slot->index - 1;
	}
}

static void
place_slot(struct set_slot *slots, size_t mask, struct set_slot slot)
{
	size_t i = first_slot(slot.tag, mask);

	while (slots[i].index != 0)
		i = (i + 1) & mask;
	slots[i] = slot;
}

static bool
grow_slots(struct set *s)
{
	size_t n = s->slots != NULL ? (s->mask + 1) * 2 : SET_MIN;
	struct set_slot *slots = calloc(n, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; s->slots != NULL && i <= s->mask; i++)
		if (s->slots[i].index != 0)
			place_slot(slots, n - 1, s->slots[i]);
	free(s->slots);
	s->slots = slots;
	s->mask = n - 1;
	return true;
}

bool
set_add(struct set *s, uint64_t hash, uint32_t index)
{
	/* At most two thirds full: probes stay short. */
	if (s->slots == NULL || s->count * 3 >= (s->mask + 1) * 2)
		if (!grow_slots(s))
			return false;
	place_slot(s->slots, s->mask,
	    (struct set_slot){tag_of(hash), index + 1});
	s->count++;
	return true;
}

void
set_clear(struct set *s)
{
	free(s->slots);
	*s = (struct set){0};
}
