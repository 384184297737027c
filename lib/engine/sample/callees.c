/* SPDX-License-Identifier: ISC */
/* callees.c: see callees.h. */
#include "engine/sample/callees.h"

#include <string.h>

#include "engine/sample/emit.h"
#include "python/callee.h"

#define BUILTIN_FILE "<built-in>"

/* The object may be freed while it is read: the name counts if the frame still holds
 * it afterwards. */
uint32_t
callees_frame(const struct callees *c, const struct py_chain *chain)
{
	const struct py_objects objects = {c->by.offsets, c->by.memory};
	const struct py_place *p = chain->places;
	char name[CALLEE_NAME_MAX];
	struct py_code *code;
	struct py_site site;

	if (chain->depth == 0 || place_is_mark(p) || p->left ||
	    (code = codes_code(c->codes, p)) == NULL ||
	    !site_open(&c->by, code, p, &site) ||
	    !callee_name(&objects, site.callable, name) ||
	    !site_goes_on(&c->by, &site))
		return TACH_NONE;
	return emit_lineless(c->table, BUILTIN_FILE,
	    (struct tach_string){name, strlen(name)});
}
