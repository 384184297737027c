/* SPDX-License-Identifier: ISC */
/*
 * texts.h: what a format writes for a place, made once.  How much is kept is
 * limited, so that a small hostile file, in which many frames have one long
 * name, cannot ask for memory without end; the rest is made anew each time.
 */
#ifndef OUT_TEXTS_H
#define OUT_TEXTS_H

#include "buf.h"
#include "out/places.h"
#include "tach.h"

typedef void texts_make_fn(void *arg, struct buf *, const struct place *);

struct texts {
	texts_make_fn *make;
	void *arg;
	/* private */
	struct tach_string *kept; /* by place; NULL bytes: not made yet */
	uint32_t max;
	size_t size; /* of all that is kept */
	struct buf scratch;
};

void texts_init(struct texts *, texts_make_fn *, void *arg);
void texts_clear(struct texts *);

/* Makes it; see texts_of. */
struct tach_string texts_find(struct texts *, const struct places *,
    uint32_t place);

/* The text of a place, valid until the next call.  NULL bytes: no memory. */
static inline struct tach_string
texts_of(struct texts *t, const struct places *places, uint32_t place)
{
	if (place < t->max && t->kept[place].bytes != NULL)
		return t->kept[place];
	return texts_find(t, places, place);
}

#endif
