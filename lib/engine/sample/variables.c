/* SPDX-License-Identifier: ISC */
/* variables.c: see variables.h. */
#include "engine/sample/variables.h"

#include <string.h>

#include "python/locals.h"

/* The frame of a variable. */
struct local_of {
	const struct tach_locals *locals;
	uint32_t outer;
};

static void
tell_local(void *arg, const char *name, const char *value, size_t len)
{
	const struct local_of *of = arg;

	of->locals->tell(of->locals->arg, of->outer,
	    (struct tach_string){name, strlen(name)},
	    (struct tach_string){value, len});
}

void
variables_tell(const struct tach_locals *l, const struct py_offsets *o,
    const struct py_memory *live, const struct py_chain *c)
{
	struct py_objects objects = {o, live};

	for (size_t i = 0; i < c->depth; i++) {
		struct local_of of = {l, (uint32_t)(c->depth - 1 - i)};
		if (!place_is_mark(&c->places[i]) &&
		    !locals_read(&objects, &c->places[i], tell_local, &of))
			l->tell(l->arg, of.outer, (struct tach_string){0},
			    (struct tach_string){0});
	}
}
