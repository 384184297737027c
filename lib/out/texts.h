/* SPDX-License-Identifier: ISC */
/*
 * texts.h: the text of each location, made once.  The kept size is limited, so
 * that a small hostile file, in which many frames have one long name, cannot
 * ask for memory without end; other texts are made again each time.
 */
#ifndef OUT_TEXTS_H
#define OUT_TEXTS_H

#include "buf.h"
#include "out/locations.h"
#include "tach.h"

typedef void texts_make_fn(void *arg, struct buf *, const struct location *);

struct texts {
	texts_make_fn *make;
	void *arg;
	/* private */
	struct tach_string *kept; /* by location; NULL bytes: not made yet */
	uint32_t max;
	size_t size; /* of all kept texts */
	struct buf scratch;
};

void texts_init(struct texts *, texts_make_fn *, void *arg);
void texts_clear(struct texts *);

/* Makes the text; see texts_of. */
struct tach_string texts_find(struct texts *, const struct locations *,
    uint32_t location);

/* The text of a location, valid until the next call.  Bytes are NULL if out of
 * memory. */
static inline struct tach_string
texts_of(struct texts *t, const struct locations *locations, uint32_t location)
{
	if (location < t->max && t->kept[location].bytes != NULL)
		return t->kept[location];
	return texts_find(t, locations, location);
}

#endif
