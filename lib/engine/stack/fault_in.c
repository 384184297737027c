/* SPDX-License-Identifier: ISC */
/* fault_in.c: see fault_in.h. */
#include "engine/stack/fault_in.h"

#include <stdlib.h>
#include "python/traits.h"

#define BLOCKS_KEPT 1024
#define SET_LARGE (1u << 20) /* bytes: a larger set is made anew */

/* A view, for one walk, that reads the blocks that it lacks, and adds them to the
 * set. */
struct fault_in_view {
	struct py_view view; /* first: fill gets its address */
	struct stack_reader *reader;
	struct thread *thread;
	struct py_span state, stack; /* copies; empty if there are none */
	struct py_span spans[BLOCKS_KEPT];
	bool failed; /* memory ran out */
};

static void
drop_blocks(struct fault_in_view *f)
{
	for (size_t i = 0; i < f->view.count; i++)
		free((void *)(uintptr_t)f->spans[i].bytes);
	f->view.count = f->view.hint = 0;
}

/* Reads a range from a copy.  False if the copy does not have it. */
static bool
read_copy(const struct py_span *copy, struct range r, uint8_t *bytes)
{
	const uint8_t *p = span_at(copy, r.addr, r.size);

	if (p != NULL)
		memcpy(bytes, p, r.size);
	return p != NULL;
}

/* The state is not added to the set: every snapshot has it (see reader_add). */
static bool
fill_set(struct py_view *v, uint64_t addr, size_t size)
{
	struct fault_in_view *f = (struct fault_in_view *)v;
	bool state = span_at(&f->state, addr, size) != NULL;
	/* Memory beside the state may be needed, too, and must be noted then. */
	struct range blocks = state ? (struct range){addr, size} :
				      workset_blocks(addr, size);
	enum copy_result added = COPY_OK;
	uint8_t *bytes;

	/* Old blocks are not needed again: a walk visits a frame once. */
	if (v->count == BLOCKS_KEPT)
		drop_blocks(f);
	if (blocks.size == 0)
		return false;
	if ((bytes = malloc(blocks.size)) == NULL)
		return !(f->failed = true);
	f->spans[v->count++] =
	    (struct py_span){blocks.addr, blocks.size, bytes};
	if (!read_copy(&f->state, blocks, bytes) &&
	    !read_copy(&f->stack, blocks, bytes) &&
	    !py_read(&f->reader->memory.memory, blocks.addr, bytes, blocks.size))
		return false;
	if (!state)
		added = workset_add(&f->thread->memory.set, addr, size);
	f->failed = f->failed || added == COPY_NOMEM;
	return added == COPY_OK;
}

/* Copies a thread's state and then the newest chunk of its data stack, where most
 * of its frames lie: frames that are read one by one may have gone by then.  For
 * a new thread all of the copy is added to the set: it soon has other frames, and
 * may soon end. */
static void
copy_thread(const struct stack_reader *c, const struct capture *from,
    struct fault_in_view *f)
{
	uint32_t field = c->offsets->thread_chunk;
	uint64_t chunk = py_has(field) ? reader_state(c, from->state, field) : 0;
	uint8_t *room = c->scratch.newest;
	struct thread *t = f->thread;
	struct py_piece pieces[] = {
	    {t->py.addr + c->part.low, c->part.size, room},
	    {chunk, READER_STACK, room + c->part.size}};
	const struct py_memory *m = &c->memory.memory;
	bool both = chunk != 0 && m->read(m, pieces, 2);

	f->state = f->stack = (struct py_span){0};
	if (both || m->read(m, pieces, 1))
		f->state = (struct py_span){pieces[0].addr, pieces[0].size,
		    pieces[0].buf};
	if (!both)
		return;
	f->stack = (struct py_span){chunk, READER_STACK, pieces[1].buf};
	if (reader_state(c, from->after, c->part.id) != t->id.tid)
		workset_add(&t->memory.set, chunk, READER_STACK);
}

/* Lost links are not sought (`native`): to seek them needs no other memory.  A set
 * larger than a chain can have is cleared first: a stack that grows does not need
 * its old ranges any more. */
bool
fault_in_set(struct stack_reader *c, struct thread *t, const struct capture *from)
{
	struct py_marks marks = {.shims = codes_shims(c->codes),
	    .past = &c->past, .native = true};
	struct fault_in_view f;
	enum walk_result w;

	reader_mark_root(c, t, &marks);
	if (!py_frames_are_objects(c->offsets) && t->memory.set.bytes > SET_LARGE)
		workset_clear(&t->memory.set);
	f.reader = c;
	f.thread = t;
	f.failed = false;
	f.view = (struct py_view){.spans = f.spans, .fill = fill_set};
	copy_thread(c, from, &f);
	w = walk_frames(c->offsets, &f.view, t->py.addr, &marks,
	    &c->scratch.spare.chain);
	drop_blocks(&f);
	return !f.failed && w != WALK_MEMORY;
}
