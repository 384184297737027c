/* SPDX-License-Identifier: ISC */
/* offsets.c: loads and checks a version's offsets; see offsets.h. */
#include "python/offsets.h"

#include <string.h>

#define SIZE_MAX_SANE (1u << 24) /* no struct of CPython's is larger */

const struct py_layout *
py_layout_find(unsigned minor, bool free_threaded)
{
	for (const struct py_layout *const *l = py_layouts; *l != NULL; l++)
		if ((*l)->minor == minor &&
		    (*l)->free_threaded == free_threaded)
			return *l;
	return NULL;
}

unsigned
py_newest_minor(void)
{
	unsigned minor = 0;

	for (const struct py_layout *const *l = py_layouts; *l != NULL; l++)
		if ((*l)->minor > minor)
			minor = (*l)->minor;
	return minor;
}

/* Returns a value from the target's table or, if that has none, from the headers.
 * A value that cannot be an offset becomes SIZE_MAX_SANE, which fits in no
 * section. */
static uint32_t
value(const struct py_layout *l, const uint8_t *debug, uint32_t fixed,
    uint32_t told)
{
	uint64_t v;

	if (l->debug_size == 0 || !py_has(told) ||
	    told + sizeof(v) > l->debug_size)
		return fixed;
	memcpy(&v, debug + told, sizeof(v));
	return v < SIZE_MAX_SANE ? (uint32_t)v : SIZE_MAX_SANE;
}

static bool
fits(uint32_t offset, uint32_t width, uint32_t size)
{
	if (!py_has(offset))
		return true;
	return py_has(size) && size < SIZE_MAX_SANE && offset <= size &&
	    width <= size - offset;
}

/* Checks the objects that are read at once and used without another check: their
 * fields must lie in the part that is read.  NULL, or the field that does not
 * fit. */
static const char *
check_heads(const struct py_offsets *o)
{
	if (o->code_size > PY_CODE_MAX || !fits(o->object_type, 8, o->code_size))
		return "code.size";
	if (o->unicode_ascii_size > PY_HEAD_MAX ||
	    !fits(o->unicode_length, 8, o->unicode_ascii_size) ||
	    !fits(o->unicode_state, 4, o->unicode_ascii_size))
		return "unicode.ascii_size";
	if (o->bytes_data > PY_HEAD_MAX ||
	    !fits(o->bytes_length, 8, o->bytes_data))
		return "bytes.data";
	if (o->int_digits > PY_HEAD_MAX || (py_has(o->int_tag) ?
	    !fits(o->int_tag, 8, o->int_digits) :
	    !fits(o->int_length, 8, o->int_digits)))
		return "int.digits";
	if (py_has(o->generator_frame) && o->frame_size > PY_FRAME_MAX)
		return "frame.size";
	/* An object's count of references lies before its type. */
	if (o->object_type == 0 || o->object_type % sizeof(uint64_t) != 0)
		return "object.type";
	return NULL;
}

const char *
py_offsets_load(const struct py_layout *l, const uint8_t *debug,
    struct py_offsets *o)
{
	const struct py_offsets *f = &l->fixed, *t = &l->told;

	*o = *f;
	o->opcodes = l->opcodes;
#define X(section, field, width)                                               \
	o->section##_##field =                                                 \
	    value(l, debug, f->section##_##field, t->section##_##field);
	PY_OFFSETS(X)
#undef X
	if (o->chunk_to_top != 0)
		o->thread_stack_top = o->thread_chunk + o->chunk_to_top;
#define X(section, field, width)                                               \
	if (!fits(o->section##_##field, width, o->section##_size))             \
		return #section "." #field;
	PY_OFFSETS(X)
#undef X
	if (o->interp_own_gil_locked < o->interp_own_gil ||
	    o->interp_own_gil_holder < o->interp_own_gil)
		return "interp.own_gil";
	o->gil_locked = o->interp_own_gil_locked - o->interp_own_gil;
	o->gil_holder = o->interp_own_gil_holder - o->interp_own_gil;
	if (!fits(o->gil_locked, 4, o->gil_size) ||
	    !fits(o->gil_holder, 8, o->gil_size))
		return "gil";
	/* These values are from the headers: they hold if the struct has the
	 * size that it has there. */
	if (o->code_size != f->code_size)
		o->code_version = o->code_locals = PY_ABSENT;
	if (o->generator_size != f->generator_size)
		o->generator_exc_item = PY_ABSENT;
	if (o->frame_size != f->frame_size)
		o->frame_stacktop = o->frame_is_entry = PY_ABSENT;
	return check_heads(o);
}
