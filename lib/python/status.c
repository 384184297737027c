/* SPDX-License-Identifier: ISC */
/* status.c: see status.h. */
#include "python/status.h"

#define ITEMS_MAX 10000 /* no thread has so many generators in a row */
#define ITEM_MAX 64	/* bytes */

/* ---- exceptions -------------------------------------------------------- */

static bool
is_type_of_none(const struct py_offsets *o, const struct py_memory *m,
    uint64_t object, bool *none)
{
	char text[sizeof("NoneType")];
	uint64_t type, name;

	if (!py_read(m, object + o->object_type, &type, sizeof(type)) ||
	    !py_read(m, type + o->type_name, &name, sizeof(name)) ||
	    !py_read(m, name, text, sizeof(text)))
		return false;
	*none = memcmp(text, "NoneType", sizeof(text)) == 0;
	return true;
}

/* Whether the value of an exception item is an exception.  An object that cannot
 * be read any more was one: None always can. */
static bool
is_exception(const struct py_offsets *o, const struct py_memory *m,
    uint64_t value, struct py_none *n)
{
	bool none;

	if (value == 0 || value == n->none)
		return false;
	if (value == n->other || !is_type_of_none(o, m, value, &none))
		return true;
	*(none ? &n->none : &n->other) = value;
	return !none;
}

/* Copies an item of a thread's list of exceptions.  False if it is not known. */
static bool
get_item(const struct py_offsets *o, struct py_view *state,
    const struct py_memory *m, uint64_t thread, uint64_t item, uint8_t *copy)
{
	const uint8_t *p = view_at(state, item, o->exc_item_size);
	const uint8_t *then;
	uint64_t now;
	struct py_piece pieces[] = {{item, o->exc_item_size, copy},
	    {thread + o->thread_exc_info, sizeof(now), &now}};

	if (p != NULL) {
		memcpy(copy, p, o->exc_item_size);
		return true;
	}
	/* An item in a generator: it was there if the thread's innermost item
	 * is still the same. */
	if (!py_has(o->thread_exc_info) ||
	    (then = view_at(state, pieces[1].addr, sizeof(now))) == NULL)
		return false;
	return m->read(m, pieces, 2) && now == load_u64(then);
}

static uint64_t
first_item(const struct py_offsets *o, struct py_view *state, uint64_t thread)
{
	const uint8_t *p;

	if (!py_has(o->thread_exc_info))
		return py_has(o->thread_exc_state) ?
		    thread + o->thread_exc_state : 0;
	p = view_at(state, thread + o->thread_exc_info, sizeof(uint64_t));
	return p != NULL ? load_u64(p) : 0;
}

static bool
handles(const struct py_offsets *o, struct py_view *state,
    const struct py_memory *m, uint64_t thread, struct py_none *n)
{
	uint64_t item = first_item(o, state, thread);
	uint8_t copy[ITEM_MAX];

	if (!py_has(o->exc_item_value) || o->exc_item_size > sizeof(copy))
		return false;
	for (int i = 0; item != 0 && i < ITEMS_MAX; i++) {
		if (!get_item(o, state, m, thread, item, copy))
			return false;
		if (is_exception(o, m, load_u64(copy + o->exc_item_value), n))
			return true;
		item = py_has(o->exc_item_previous) ?
		    load_u64(copy + o->exc_item_previous) : 0;
	}
	return false;
}

bool
status_exception(const struct py_offsets *o, struct py_view *state,
    const struct py_memory *m, uint64_t thread, struct py_none *n)
{
	const uint8_t *raised = !py_has(o->thread_raised) ? NULL :
	    view_at(state, thread + o->thread_raised, sizeof(uint64_t));

	return (raised != NULL && load_u64(raised) != 0) ||
	    handles(o, state, m, thread, n);
}

/* ---- GIL and garbage collection ---------------------------------------- */

/* In 3.6 the GIL's condition is a static variable, as the one that has its holder; both
 * are not initialised, so they lie near each other.  Locks are allocated. */
#define STATIC_NEAR (UINT64_C(192) << 10) /* bytes */

bool
status_waits(const struct py_offsets *o, uint64_t gil, uint64_t addr)
{
	if (py_has(o->gil_cond))
		return addr >= gil + o->gil_cond && addr < gil + o->gil_size;
	return addr != 0 && gil - addr + STATIC_NEAR < 2 * STATIC_NEAR;
}

/* The offsets of the collector's words in its struct: begin and end. */
static uint32_t
gc_low(const struct py_offsets *o)
{
	return py_has(o->gc_frame) && o->gc_frame < o->gc_collecting ?
	    o->gc_frame : o->gc_collecting;
}

static uint32_t
gc_end(const struct py_offsets *o)
{
	uint32_t end = o->gc_collecting + (uint32_t)sizeof(uint32_t);

	return py_has(o->gc_frame) && o->gc_frame + sizeof(uint64_t) > end ?
	    o->gc_frame + (uint32_t)sizeof(uint64_t) : end;
}

bool
status_gc_words(const struct py_offsets *o, uint64_t runtime, uint64_t interp,
    uint64_t *addr, size_t *size)
{
	if (!py_has(o->gc_collecting))
		return false;
	if (py_has(o->interp_gc))
		*addr = interp + o->interp_gc + gc_low(o);
	else if (py_has(o->runtime_gc))
		*addr = runtime + o->runtime_gc + gc_low(o);
	else
		return false;
	*size = gc_end(o) - gc_low(o);
	return *size <= PY_GC_MAX;
}

struct py_gc
status_gc(const struct py_offsets *o, const uint8_t *words)
{
	bool on = load_u32(words + (o->gc_collecting - gc_low(o))) != 0;

	return (struct py_gc){on, on && py_has(o->gc_frame) ?
	    load_u64(words + (o->gc_frame - gc_low(o))) : 0};
}
