/* SPDX-License-Identifier: ISC */
/* runtime.c: see runtime.h. */
#include "python/runtime.h"

#include <stdlib.h>

#include "array.h"

/* Longer lists are not believed. */
#define THREADS_MAX 1000000

#define LINKS_MAX 64 /* pointers that are read at once */

#define VERSION_MAX 200 /* bytes: the text of a version is no longer */

static bool
get(const struct py_memory *m, uint64_t addr, uint64_t *v)
{
	return py_read(m, addr, v, sizeof(*v));
}

/* Loads a runtime of 3.13 or later, by its own version and offsets. */
static enum runtime_result
load_debug(const struct py_memory *m, uint64_t addr, struct py_runtime *rt)
{
	uint8_t debug[PY_DEBUG_MAX];
	const struct py_layout *l;
	bool free_threaded;

	if (!py_read(m, addr, debug, PY_DEBUG_HEADER))
		return RUNTIME_NONE;
	rt->version = (uint32_t)load_u64(debug + PY_DEBUG_VERSION);
	free_threaded = load_u64(debug + PY_DEBUG_FREE_THREADED) != 0;
	if (PY_MAJOR(rt->version) != 3)
		return RUNTIME_NONE;
	if ((l = py_layout_find(PY_MINOR(rt->version), free_threaded)) ==
		NULL ||
	    l->debug_size == 0)
		return RUNTIME_UNKNOWN;
	if (l->debug_size > sizeof(debug) ||
	    !py_read(m, addr, debug, l->debug_size))
		return RUNTIME_NONE;
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
	if (version == 0)
		return RUNTIME_NONE;
	if (PY_MAJOR(version) != 3)
		return RUNTIME_UNKNOWN;
	if ((l = py_layout_find(PY_MINOR(version), false)) == NULL)
		return RUNTIME_UNKNOWN;
	if (l->debug_size != 0) /* the cookie is not there yet */
		return RUNTIME_EMPTY;
	return py_offsets_load(l, NULL, &rt->offsets) == NULL ?
	    RUNTIME_OK : RUNTIME_DAMAGED;
}

void
runtime_set_current(struct py_runtime *rt, uint64_t addr)
{
	uint64_t low = rt->addr < addr ? rt->addr : addr;

	if (rt->addr - low > INT32_MAX || addr - low > INT32_MAX)
		return;
	rt->offsets.runtime_interpreters_head += (uint32_t)(rt->addr - low);
	rt->offsets.runtime_gil = (uint32_t)(addr - low);
	rt->addr = low;
}

/* Reads a number below 256, and leaves *p behind it. */
static bool
next_number(const char **p, uint32_t *v)
{
	const char *start = *p;

	for (*v = 0; **p >= '0' && **p <= '9' && *p - start < 3; (*p)++)
		*v = *v * 10 + (uint32_t)(**p - '0');
	return *p > start && *v < 256;
}

/* Reads the release level and serial, as in PY_VERSION_HEX; 0 if damaged. */
static uint32_t
next_level(const char **p)
{
	static const struct {
		const char *text;
		uint32_t level;
	} levels[] = {{"a", 0xa}, {"b", 0xb}, {"rc", 0xc}};
	uint32_t serial;

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		size_t len = strlen(levels[i].text);
		if (strncmp(*p, levels[i].text, len) != 0)
			continue;
		*p += len;
		return next_number(p, &serial) ?
		    levels[i].level << 4 | (serial & 0xf) : 0;
	}
	return 0xf0;
}

/* Reads 3.8.10 (default, Nov 14 2022, 12:59:47) \n[GCC 9.4.0]; 0 if the text is
 * not of that form. */
static uint32_t
parse_version(const char *p)
{
	uint32_t major, minor, micro, level;
	const char *compiler;

	if (!next_number(&p, &major) || *p++ != '.' ||
	    !next_number(&p, &minor) || *p++ != '.' || !next_number(&p, &micro))
		return 0;
	level = next_level(&p);
	p += *p == '+';
	if (strncmp(p, " (", 2) != 0 || (compiler = strstr(p, ") ")) == NULL)
		return 0;
	compiler += compiler[2] == '\n' ? 3 : 2;
	return *compiler != '[' ? 0 :
	    major << 24 | minor << 16 | micro << 8 | level;
}

uint32_t
runtime_version(const uint8_t *bytes, size_t size)
{
	char text[VERSION_MAX + 1];

	for (size_t i = 0; i + VERSION_MAX <= size; i++) {
		uint32_t version;
		if ((bytes[i] != '2' && bytes[i] != '3') || bytes[i + 1] != '.')
			continue;
		memcpy(text, bytes + i, VERSION_MAX);
		text[VERSION_MAX] = '\0';
		if ((version = parse_version(text)) != 0)
			return version;
	}
	return 0;
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
add_interp(struct py_threads *t, struct py_interp interp)
{
	struct py_interp *p = array_grow(t->interps, t->ninterps,
	    &t->interps_max, sizeof(*p));

	if (p == NULL || t->ninterps == THREADS_MAX)
		return false;
	t->interps = p;
	p[t->ninterps++] = interp;
	return true;
}

/* Whether a list runs in a circle, as seen at its nth node: each node is compared
 * with the last one whose number was a power of two. */
static bool
in_circle(uint64_t node, size_t n, uint64_t *mark)
{
	if (node == *mark)
		return true;
	if ((n & (n - 1)) == 0)
		*mark = node;
	return false;
}

static bool
interp_threads(const struct py_memory *m, const struct py_offsets *o,
    uint64_t interp, uint64_t id, uint64_t thread, struct py_threads *out)
{
	uint64_t owner, next, mark = 0;

	for (size_t n = 0; thread != 0; thread = next, n++) {
		struct py_piece fields[] = {
			{thread + o->thread_interp, sizeof(owner), &owner},
			{thread + o->thread_next, sizeof(next), &next},
		};
		if (in_circle(thread, n, &mark) ||
		    !m->read(m, fields, 2) || owner != interp ||
		    !add_thread(out, (struct py_thread){thread, interp, id}))
			return false;
	}
	return true;
}

static bool
count_interps(const struct py_memory *m, const struct py_offsets *o,
    uint64_t interp, uint64_t *count)
{
	uint64_t mark = 0;

	for (*count = 0; interp != 0; (*count)++)
		if (in_circle(interp, *count, &mark) ||
		    !get(m, interp + o->interp_next, &interp))
			return false;
	return true;
}

/* To 3.6 interpreters have no numbers.  A new interpreter is put before all
 * others, so the last of the `left` ones was made first: it gets number 0. */
static bool
interp_id(const struct py_memory *m, const struct py_offsets *o,
    uint64_t interp, uint64_t left, uint64_t *id)
{
	if (py_has(o->interp_id))
		return get(m, interp + o->interp_id, id);
	*id = left - 1;
	return left > 0;
}

bool
runtime_threads(const struct py_memory *m, const struct py_runtime *rt,
    struct py_threads *out)
{
	const struct py_offsets *o = &rt->offsets;
	struct py_interp in;
	uint64_t id, left = 0, mark = 0;

	out->count = out->ninterps = 0;
	if (!get(m, rt->addr + o->runtime_interpreters_head, &in.addr) ||
	    (!py_has(o->interp_id) && !count_interps(m, o, in.addr, &left)))
		return false;
	for (; in.addr != 0; in.addr = in.next, left -= left > 0) {
		if (in_circle(in.addr, out->ninterps, &mark) ||
		    !interp_id(m, o, in.addr, left, &id) ||
		    !get(m, in.addr + o->interp_threads_head, &in.first) ||
		    !interp_threads(m, o, in.addr, id, in.first, out) ||
		    !get(m, in.addr + o->interp_next, &in.next) ||
		    !add_interp(out, in))
			return false;
	}
	return true;
}

/* Pointers that are read again, many by one call. */
struct links {
	const struct py_memory *memory;
	struct py_piece pieces[LINKS_MAX];
	uint64_t now[LINKS_MAX], then[LINKS_MAX];
	size_t count;
};

static bool
links_hold(struct links *l)
{
	bool same = l->memory->read(l->memory, l->pieces, l->count) &&
	    memcmp(l->now, l->then, l->count * sizeof(*l->now)) == 0;

	l->count = 0;
	return same;
}

/* Adds a pointer to check.  False if one of those added has changed. */
static bool
add_link(struct links *l, uint64_t addr, uint64_t then)
{
	l->pieces[l->count] = (struct py_piece){addr, sizeof(*l->now),
	    &l->now[l->count]};
	l->then[l->count++] = then;
	return l->count < LINKS_MAX || links_hold(l);
}

bool
runtime_threads_hold(const struct py_memory *m, const struct py_runtime *rt,
    const struct py_threads *t)
{
	const struct py_offsets *o = &rt->offsets;
	uint64_t interp = rt->addr + o->runtime_interpreters_head, thread;
	struct links l = {.memory = m};
	size_t n = 0;

	for (size_t i = 0; i < t->ninterps; i++) {
		const struct py_interp *in = &t->interps[i];
		if (!add_link(&l, interp, in->addr))
			return false;
		thread = in->addr + o->interp_threads_head;
		for (; n < t->count && t->list[n].interp == in->addr; n++) {
			if (!add_link(&l, thread, t->list[n].addr))
				return false;
			thread = t->list[n].addr + o->thread_next;
		}
		if (!add_link(&l, thread, 0))
			return false;
		interp = in->addr + o->interp_next;
	}
	return add_link(&l, interp, 0) && links_hold(&l);
}

void
runtime_threads_free(struct py_threads *t)
{
	free(t->list);
	free(t->interps);
	*t = (struct py_threads){0};
}
