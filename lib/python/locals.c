/* SPDX-License-Identifier: ISC */
/* locals.c: see locals.h. */
#include "python/locals.h"

#include <stdio.h>

/* The variables of a frame, as its code object names them. */
struct variables {
	uint64_t names[LOCALS_MAX];
	bool cells[LOCALS_MAX];
	size_t count;
};

/* The contents of a frame at one moment. */
struct values {
	uint64_t code;
	uint64_t slots[LOCALS_MAX];
};

/* ---- names ------------------------------------------------------------- */

static bool
open_tuple(const struct py_objects *p, uint64_t at, struct py_object *tuple)
{
	uint64_t addr;

	return py_read(p->memory, at, &addr, sizeof(addr)) &&
	    object_read(p, addr, tuple) && tuple->kind == OBJECT_TUPLE;
}

/* Adds the names in a tuple of the code object. */
static bool
add_names(const struct py_objects *p, uint64_t at, bool cells,
    struct variables *v)
{
	struct py_object tuple;
	uint64_t length;
	size_t n;

	if (!open_tuple(p, at, &tuple) ||
	    !object_items(p, &tuple, v->names + v->count,
		LOCALS_MAX - v->count, &n, &length))
		return false;
	for (size_t i = 0; i < n; i++)
		v->cells[v->count++] = cells;
	return true;
}

static bool
find_cells(const struct py_objects *p, uint64_t at, struct variables *v)
{
	char kinds[LOCALS_MAX];
	struct py_taken taken;
	struct py_object o;
	uint64_t addr;

	if (!py_read(p->memory, at, &addr, sizeof(addr)) ||
	    !object_read(p, addr, &o) || o.kind != OBJECT_BYTES ||
	    !object_text(p, &o, kinds, sizeof(kinds), &taken) ||
	    taken.len < v->count)
		return false;
	for (size_t i = 0; i < v->count; i++)
		v->cells[i] = (kinds[i] & PY_KIND_CELL) != 0;
	return true;
}

static bool
find_variables(const struct py_objects *p, uint64_t code, struct variables *v)
{
	const struct py_offsets *o = p->offsets;

	v->count = 0;
	if (py_has(o->code_local_names))
		return add_names(p, code + o->code_local_names, false, v) &&
		    find_cells(p, code + o->code_local_kinds, v);
	return add_names(p, code + o->code_varnames, false, v) &&
	    add_names(p, code + o->code_cellvars, true, v) &&
	    add_names(p, code + o->code_freevars, true, v);
}

/* ---- values ------------------------------------------------------------ */

static bool
read_values(const struct py_objects *p, const struct py_place *f, size_t count,
    struct values *v)
{
	const struct py_offsets *o = p->offsets;
	struct py_piece pieces[] = {
		{f->frame + o->frame_code, sizeof(v->code), &v->code},
		{f->frame + o->slots_first, count * sizeof(*v->slots),
		    v->slots},
	};

	return p->memory->read(p->memory, pieces, 2) &&
	    frame_untag(o, v->code) == f->code;
}

/* The address of the value in a cell, or 0.  If the object is no cell, its own
 * address: an argument is put into its cell only when its function begins. */
static uint64_t
open_cell(const struct py_objects *p, uint64_t addr)
{
	struct py_object o;
	uint64_t value;

	if (!object_read(p, addr, &o) || strcmp(o.type_name, "cell") != 0 ||
	    !py_read(p->memory, addr + p->offsets->cell_value, &value,
		sizeof(value)))
		return addr;
	return value;
}

static size_t
show(const struct py_objects *p, uint64_t slot, bool cell, char *buf,
    size_t size)
{
	const struct py_offsets *o = p->offsets;
	uint64_t addr = frame_untag(o, slot);

	if (o->number_tag != 0 && (slot & o->tags) == o->number_tag)
		return (size_t)snprintf(buf, size, "%lld",
		    (long long)((int64_t)slot >> o->number_shift));
	if (cell && addr != 0)
		addr = open_cell(p, addr);
	return addr != 0 ? object_repr(p, addr, buf, size) : 0;
}

bool
locals_read(const struct py_objects *p, const struct py_place *f, local_fn *fn,
    void *arg)
{
	struct variables names;
	struct values before, after;
	size_t n;

	if (!find_variables(p, f->code, &names) ||
	    !read_values(p, f, names.count, &before))
		return false;
	n = names.count;
	for (size_t i = 0; i < n; i++) {
		char name[LOCAL_NAME_MAX], value[LOCAL_VALUE_MAX];
		size_t len = show(p, before.slots[i], names.cells[i], value,
		    sizeof(value));
		if (len > 0 && object_string(p, names.names[i], name,
			sizeof(name)))
			fn(arg, name, value, len);
	}
	return read_values(p, f, n, &after) &&
	    memcmp(before.slots, after.slots, n * sizeof(*after.slots)) == 0;
}
