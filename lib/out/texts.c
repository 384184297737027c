/* SPDX-License-Identifier: ISC */
/* texts.c: see texts.h. */
#include "out/texts.h"

#include <stdlib.h>
#include <string.h>

#include "out/limits.h"

void
texts_init(struct texts *t, texts_make_fn *make, void *arg)
{
	*t = (struct texts){.make = make, .arg = arg};
}

void
texts_clear(struct texts *t)
{
	for (uint32_t i = 0; i < t->max; i++)
		free((char *)(uintptr_t)t->kept[i].bytes);
	free(t->kept);
	buf_clear(&t->scratch);
}

/* Makes room for all locations, and for as many again. */
static bool
reserve_texts(struct texts *t, uint32_t count)
{
	uint32_t max = count < UINT32_MAX / 2 ? count * 2 : UINT32_MAX;
	struct tach_string *p;

	if (count <= t->max)
		return true;
	if ((p = reallocarray(t->kept, max, sizeof(*p))) == NULL)
		return false;
	memset(p + t->max, 0, (max - t->max) * sizeof(*p));
	t->kept = p;
	t->max = max;
	return true;
}

struct tach_string
texts_find(struct texts *t, const struct locations *locations,
    uint32_t location)
{
	struct buf *b = &t->scratch;
	char *copy;

	b->len = 0;
	t->make(t->arg, b, &locations->all[location]);
	if (b->failed || !reserve_texts(t, locations->count))
		return (struct tach_string){NULL, 0};
	if (b->len > LIMIT_KEPT - t->size || (copy = malloc(b->len)) == NULL)
		return (struct tach_string){b->text, b->len};
	t->size += b->len;
	return t->kept[location] = (struct tach_string){
	    memcpy(copy, b->text, b->len), b->len};
}
