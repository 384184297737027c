/* SPDX-License-Identifier: ISC */
/* runtime.c: see runtime.h. */
#include "python/runtime.h"

#include "array.h"

/* Longer lists run in a circle. */
#define THREADS_MAX 1000000

#define RELEASE_CANDIDATE 0xc /* from here on a minor's layout is fixed */

static bool
get(const struct py_memory *m, uint64_t addr, uint64_t *v)
{
	return py_read(m, addr, v, sizeof(*v));
}

/* What 3.13 and later say of themselves. */
static enum runtime_result
load_debug(const struct py_memory *m, uint64_t addr, struct py_runtime *rt)
{
	uint8_t debug[PY_DEBUG_MAX];
	const struct py_layout *l;

	if (!py_read(m, addr, debug, PY_DEBUG_HEADER))
		return RUNTIME_NONE;
	rt->version = (uint32_t)load_u64(debug + 8);
	if (PY_MAJOR(rt->version) != 3)
		return RUNTIME_NONE;
	if ((l = py_layout_find(PY_MINOR(rt->version))) == NULL ||
	    l->debug_size == 0 || PY_RELEASE(rt->version) < RELEASE_CANDIDATE)
		return RUNTIME_UNKNOWN;
	if (l->debug_size > sizeof(debug) ||
	    !py_read(m, addr, debug, l->debug_size))
		return RUNTIME_NONE;
	if (load_u64(debug + l->debug_free_threaded) != 0)
		return RUNTIME_FREE_THREADED;
	return py_offsets_load(l, debug, &rt->offsets) == NULL ?
	    RUNTIME_OK : RUNTIME_DAMAGED;
}

enum runtime_result
runtime_load(const struct py_memory *m, uint64_t addr, uint32_t version,
    struct py_runtime *rt)
{
	const struct py_layout *l;
	char cookie[8];

	*rt = (struct py_runtime){.addr = addr, .version = version};
	if (!py_read(m, addr, cookie, sizeof(cookie)))
		return RUNTIME_NONE;
	if (memcmp(cookie, PY_DEBUG_COOKIE, sizeof(cookie)) == 0)
		return load_debug(m, addr, rt);
	if (PY_MAJOR(version) != 3)
		return RUNTIME_NONE;
	if ((l = py_layout_find(PY_MINOR(version))) == NULL)
		return RUNTIME_UNKNOWN;
	if (l->debug_size != 0) /* the cookie should be there: not yet loaded */
		return RUNTIME_EMPTY;
	return py_offsets_load(l, NULL, &rt->offsets) == NULL ?
	    RUNTIME_OK : RUNTIME_DAMAGED;
}

enum runtime_result
runtime_check(const struct py_memory *m, const struct py_runtime *rt)
{
	const struct py_offsets *o = &rt->offsets;
	uint64_t interp, thread, owner;

	if (!get(m, rt->addr + o->runtime_interpreters_head, &interp))
		return RUNTIME_NONE;
	if (interp == 0)
		return RUNTIME_EMPTY;
	if (!get(m, interp + o->interp_threads_head, &thread))
		return RUNTIME_NONE;
	if (thread == 0)
		return RUNTIME_EMPTY;
	if (!get(m, thread + o->thread_interp, &owner) || owner != interp)
		return RUNTIME_NONE;
	return RUNTIME_OK;
}

static bool
add_thread(struct py_threads *t, struct py_thread thread)
{
	struct py_thread *p = array_grow(t->list, t->count, &t->max,
	    sizeof(*p));

	if (p == NULL || t->count == THREADS_MAX)
		return false;
	t->list = p;
	p[t->count++] = thread;
	return true;
}

static bool
interp_threads(const struct py_memory *m, const struct py_offsets *o,
    uint64_t interp, uint64_t id, struct py_threads *out)
{
	uint64_t thread, owner;

	if (!get(m, interp + o->interp_threads_head, &thread))
		return false;
	while (thread != 0) {
		if (!get(m, thread + o->thread_interp, &owner) ||
		    owner != interp ||
		    !add_thread(out, (struct py_thread){thread, interp, id}) ||
		    !get(m, thread + o->thread_next, &thread))
			return false;
	}
	return true;
}

bool
runtime_threads(const struct py_memory *m, const struct py_runtime *rt,
    struct py_threads *out)
{
	const struct py_offsets *o = &rt->offsets;
	uint64_t interp, id;

	out->count = 0;
	if (!get(m, rt->addr + o->runtime_interpreters_head, &interp))
		return false;
	for (size_t n = 0; interp != 0; n++) {
		if (n == THREADS_MAX || !get(m, interp + o->interp_id, &id) ||
		    !interp_threads(m, o, interp, id, out) ||
		    !get(m, interp + o->interp_next, &interp))
			return false;
	}
	return true;
}
