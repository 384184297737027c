/* SPDX-License-Identifier: ISC */
/* callees.c: see callees.h. */
#include "engine/sample/callees.h"

#include <string.h>

#include "python/callee.h"

#define BUILTIN_FILE "<built-in>"

/* The name of the callable, as a frame without a line. */
static uint32_t
frame_of_callee(struct tach_table *t, const char *name)
{
	return tach_table_add_frame(t, &(struct tach_frame){
	    .file = tach_table_add_string(t, BUILTIN_FILE, strlen(BUILTIN_FILE)),
	    .func = tach_table_add_string(t, name, strlen(name)),
	    .line = -1, .end_line = -1, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE});
}

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
	return frame_of_callee(c->table, name);
}
