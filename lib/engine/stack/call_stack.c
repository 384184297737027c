/* SPDX-License-Identifier: ISC */
/* call_stack.c: see call_stack.h. */
#include "engine/stack/call_stack.h"

struct capture
capture_of(const struct snapshot *s, const struct thread_copy *y, size_t gc,
    const struct stamp *stamp)
{
	struct capture c = {.in = s, .first = y->first, .count = y->ranges,
	    .offset = y->at, .before = y->before, .before_at = y->before_at,
	    .state = s->bytes + y->at, .after = s->bytes + y->at,
	    .gc = s->bytes + gc, .stamp = *stamp};

	if (y->how == COPIED_INTERRUPT && y->stack.size > 0)
		c.stack = y->stack;
	if (y->how == COPIED_INTERRUPT)
		c.kernel = y->kernel;
	return c;
}

void
call_stack_swap(struct call_stack *a, struct call_stack *b)
{
	struct call_stack swap = *a;

	*a = *b;
	*b = swap;
}

void
call_stack_free(struct call_stack *s)
{
	chain_free(&s->chain);
	*s = (struct call_stack){0};
}
