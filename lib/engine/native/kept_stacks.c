/* SPDX-License-Identifier: ISC */
/* kept_stacks.c: see kept_stacks.h. */
#include "engine/native/kept_stacks.h"

#include <stdlib.h>

#include "hash.h"

void
kept_stacks_free(struct kept_stacks *k)
{
	for (size_t i = 0; k->list != NULL && i < KEPT_STACKS; i++)
		free(k->list[i].frames);
	free(k->list);
	*k = (struct kept_stacks){0};
}

static uint64_t
stack_pointer(const struct native_capture *from)
{
	return from->registers.value[cfi_our_machine()->sp];
}

/* The hash of the stack, without the bytes below the stack pointer: those are of calls
 * that are over. */
static uint64_t
hash_of_stack(const struct native_capture *from)
{
	uint64_t below = stack_pointer(from) - from->low;

	return below < from->len ?
	    hash_of(from->bytes + below, from->len - (size_t)below, 0) : 0;
}

void
kept_stacks_keep(struct kept_stacks *k, pid_t task, const struct native_capture *from,
    const struct unwinder *w)
{
	struct native_frame *frames;
	struct kept_stack *s;

	if (k->list == NULL &&
	    (k->list = calloc(KEPT_STACKS, sizeof(*k->list))) == NULL)
		return;
	s = &k->list[(unsigned)task % KEPT_STACKS];
	s->task = 0;
	frames = reallocarray(s->frames, w->count + 1, sizeof(*frames));
	if (frames == NULL)
		return;
	for (size_t i = 0; i < w->count; i++)
		frames[i] = w->frames[i];
	*s = (struct kept_stack){task, stack_pointer(from), from->registers.pc,
	    hash_of_stack(from), frames, w->count, w->end};
}

bool
kept_stacks_recall(const struct kept_stacks *k, pid_t task,
    const struct native_capture *from, struct unwinder *w)
{
	const struct kept_stack *s;

	if (k->list == NULL)
		return false;
	s = &k->list[(unsigned)task % KEPT_STACKS];
	if (s->task != task || s->sp != stack_pointer(from) ||
	    s->pc != from->registers.pc || s->bytes != hash_of_stack(from))
		return false;
	unwinder_take(w, from, s->frames, s->count, s->end);
	return true;
}
