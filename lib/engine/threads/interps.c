/* SPDX-License-Identifier: ISC */
/* interps.c: see interps.h. */
#include "engine/threads/interps.h"

#include <stdlib.h>
#include <xxhash.h>

#include "python/traits.h"

void
interps_free(struct interps *is)
{
	workset_free(&is->globals);
	free(is->list);
	*is = (struct interps){.runtime = is->runtime};
}

/* ---- lists ------------------------------------------------------------- */

/* The words that a round needs of an interpreter, and of its GIL if it is known.
 * Returns how many ranges they are. */
static size_t
words_of(const struct interps *is, const struct interp *in,
    struct range words[3])
{
	const struct py_offsets *o = &is->runtime->offsets;

	words[0] = (struct range){in->addr + o->interp_next, sizeof(in->next)};
	words[1] = (struct range){in->addr + o->interp_threads_head,
	    sizeof(in->first)};
	words[2] = (struct range){in->gil_at, o->gil_size};
	return in->gil_at != 0 ? 3 : 2;
}

/* Finds an interpreter's GIL and adds the words of both to the globals. */
static enum copy_result
add_interp_globals(struct interps *is, const struct py_memory *m, struct interp *in)
{
	const struct py_offsets *o = &is->runtime->offsets;
	struct range words[3];
	size_t n;

	if (py_is_free_threaded(o)) /* all threads run at once */
		in->gil_at = 0;
	else if (py_has_one_gil(o))
		in->gil_at = is->runtime->addr + o->runtime_gil;
	else if (py_has(o->interp_gil) &&
	    !py_read(m, in->addr + o->interp_gil, &in->gil_at,
		sizeof(in->gil_at)))
		return COPY_FAILED;
	in->counted = in->gil_at != 0 && py_has(o->gil_switches);
	n = words_of(is, in, words);
	for (size_t i = 0; i < n; i++) {
		enum copy_result added = workset_add(&is->globals,
		    words[i].addr, words[i].size);
		if (added != COPY_OK)
			return added;
	}
	return COPY_OK;
}

enum copy_result
interps_update(struct interps *is, const struct py_memory *m,
    const struct py_threads *list)
{
	void *p = reallocarray(is->list, list->ninterps + 1,
	    sizeof(*is->list));

	if (p == NULL)
		return COPY_NOMEM;
	is->list = p;
	is->count = list->ninterps;
	workset_clear(&is->globals);
	for (size_t i = 0; i < is->count; i++) {
		const struct py_interp *in = &list->interps[i];
		enum copy_result added;
		is->list[i] = (struct interp){.addr = in->addr,
		    .next = in->next, .first = in->first};
		added = add_interp_globals(is, m, &is->list[i]);
		if (added != COPY_OK)
			return added;
	}
	return COPY_OK;
}

bool
interps_add_words(const struct interps *is, struct snapshot *s)
{
	struct range words[3];

	for (size_t i = 0; i < is->count; i++) {
		size_t n = words_of(is, &is->list[i], words);
		for (size_t k = 0; k < n; k++)
			if (!snapshot_add(s, words[k].addr, words[k].size))
				return false;
	}
	return true;
}

bool
interps_add_switches(struct interps *is, struct snapshot *s)
{
	for (size_t i = 0; i < is->count; i++) {
		struct interp *in = &is->list[i];
		in->before_at = s->size;
		if (in->counted && !snapshot_add(s, in->gil_at +
			is->runtime->offsets.gil_switches, sizeof(uint64_t)))
			return false;
	}
	return true;
}

uint64_t
interps_head(const struct interps *is)
{
	return is->runtime->addr +
	    is->runtime->offsets.runtime_interpreters_head;
}

static bool
holds(struct py_view *globals, uint64_t addr, uint64_t value)
{
	const uint8_t *p = view_at(globals, addr, sizeof(uint64_t));

	return p != NULL && load_u64(p) == value;
}

bool
interps_same(const struct interps *is, struct py_view *globals)
{
	const struct py_offsets *o = &is->runtime->offsets;

	for (size_t i = 0; i < is->count; i++) {
		const struct interp *in = &is->list[i];
		if (!holds(globals, in->addr + o->interp_next, in->next) ||
		    !holds(globals, in->addr + o->interp_threads_head,
			in->first))
			return false;
	}
	return is->count > 0;
}

/* ---- GILs -------------------------------------------------------------- */

static struct gil
gil_of(const struct py_offsets *o, const uint8_t *copy, uint64_t before)
{
	size_t rest = o->gil_switches + sizeof(uint64_t);

	return (struct gil){load_u64(copy + o->gil_holder),
	    py_has(o->gil_switches) ? load_u64(copy + o->gil_switches) : 0, before,
	    py_has(o->gil_switches) ?
		XXH3_64bits(copy + rest, o->gil_size - rest) : 0,
	    py_has(o->gil_locked) ?
		(int32_t)load_u32(copy + o->gil_locked) > 0 :
		load_u64(copy + o->gil_holder) != 0};
}

bool
interp_look(const struct interps *is, struct interp *in,
    struct py_view *globals, const struct snapshot *s)
{
	const struct py_offsets *o = &is->runtime->offsets;
	const uint8_t *copy;

	if (in->gil_at == 0)
		return true;
	if ((copy = view_at(globals, in->gil_at, o->gil_size)) == NULL)
		return false;
	in->was = in->gil;
	in->gil = gil_of(o, copy, in->counted ? load_u64(s->bytes + in->before_at) : 0);
	return true;
}

/* How often the GIL has changed hands between the moments at which the holder was read
 * at both looks, at most. */
static uint64_t
changes(const struct interp *in)
{
	return in->gil.switches - in->was.before;
}

bool
interp_is_same(const struct interp *in)
{
	return in->counted && in->gil.holder == in->was.holder && changes(in) == 0;
}

bool
interp_is_kept(const struct interp *in)
{
	return in->gil.locked && interp_is_same(in);
}

bool
interp_is_free(const struct interp *in, uint64_t thread)
{
	return !in->counted || in->gil.holder == thread;
}

/* A GIL that has changed hands once has another holder then.  If it has the same one,
 * that one had not counted itself yet at the look before, and there was one more
 * between. */
bool
interp_may_have_run(const struct interp *in, uint64_t thread)
{
	return interp_is_free(in, thread) || in->was.holder == thread ||
	    changes(in) > (in->gil.holder != in->was.holder);
}
