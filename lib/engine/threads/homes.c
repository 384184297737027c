/* SPDX-License-Identifier: ISC */
/* homes.c: see homes.h. */
#include "engine/threads/homes.h"

#include <stdlib.h>

#include "array.h"
#include "engine/os/os.h"

#define AGAIN (100 * NS_PER_MS) /* between two looks at all of them */

static const struct home *
known(const struct homes *h, uint64_t id)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->list[i].id == id)
			return &h->list[i];
	return NULL;
}

/* Lists the interpreters of all thread states.  False if memory ran out. */
static bool
find_homes(struct homes *h, const struct py_memory *m, const struct py_runtime *rt)
{
	struct py_threads list = {0};
	bool ok = true;

	h->count = 0;
	runtime_threads(m, rt, &list);
	for (size_t i = 0; i < list.count && ok; i++) {
		const struct py_thread *t = &list.list[i];
		struct home *p;
		if (known(h, t->interp_id) != NULL)
			continue;
		p = array_grow(h->list, h->count, &h->max, sizeof(*p));
		if ((ok = p != NULL)) {
			h->list = p;
			p[h->count++] = (struct home){t->interp,
			    t->interp_id};
		}
	}
	runtime_threads_free(&list);
	return ok;
}

uint64_t
homes_find(struct homes *h, const struct py_memory *m,
    const struct py_runtime *rt, uint64_t id, uint64_t now)
{
	const struct home *found = known(h, id);

	if (found == NULL && now >= h->looked_at + AGAIN) {
		h->looked_at = now;
		found = find_homes(h, m, rt) ? known(h, id) : NULL;
	}
	return found != NULL ? found->addr : 0;
}

void
homes_free(struct homes *h)
{
	free(h->list);
	*h = (struct homes){0};
}
