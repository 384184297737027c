/* SPDX-License-Identifier: ISC */
/* strings.c: see strings.h. */
#include "out/strings.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"

struct strings_key {
	const struct strings *s;
	struct tach_string string;
};

static bool
equal(const void *arg, uint32_t index)
{
	const struct strings_key *k = arg;
	const struct tach_string *s = &k->s->strings[index];

	return s->len == k->string.len &&
	    (s->len == 0 || memcmp(s->bytes, k->string.bytes, s->len) == 0);
}

uint32_t
strings_find(struct strings *s, struct tach_string string)
{
	struct strings_key key = {s, string};
	uint64_t hash = hash_of(string.bytes, string.len, 0);
	uint32_t found = set_find(&s->set, hash, equal, &key);
	struct tach_string *p;

	if (found != TACH_NONE)
		return found;
	p = array_grow(s->strings, s->count, &s->max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	s->strings = p;
	if (!set_add(&s->set, hash, s->count))
		return TACH_NONE;
	p[s->count] = string;
	return s->count++;
}

void
strings_clear(struct strings *s)
{
	set_clear(&s->set);
	free(s->strings);
	*s = (struct strings){0};
}
