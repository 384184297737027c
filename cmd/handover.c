/* SPDX-License-Identifier: ISC */
/* handover.c: see handover.h. */
#include "handover.h"

#include <stddef.h>

void
handover_give(handover_box *box, struct handover *h)
{
	struct handover *top = atomic_load(box);

	atomic_store(&h->back, false);
	do
		h->next = top;
	while (!atomic_compare_exchange_weak(box, &top, h));
}

struct handover *
handover_take(handover_box *box)
{
	return atomic_exchange(box, NULL);
}

void
handover_return(struct handover *h)
{
	atomic_store(&h->back, true);
}

bool
handover_is_back(const struct handover *h)
{
	return atomic_load(&h->back);
}
