/* SPDX-License-Identifier: ISC */
/* waited.c: see waited.h. */
#include "agent/waited.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/waits.h"
#include "python/status.h"

/* Bytes above this function's frame in which a thread that is parked has its futex. */
#define PARKED_WITHIN 8192
/* From the futex back to the address of the lock: see struct wait_entry of CPython's
 * Python/parking_lot.c. */
#define PARKED_LOCK 8
#define OWN_LOCK 10 /* of a free-threaded build: where an object has its own lock */
#define STATE_SIZE 4096 /* bytes of a thread state, about */

static bool
load(struct self_view *v, uint64_t addr, uint64_t *word)
{
	const uint8_t *p = view_at(&v->view, addr, sizeof(*word));

	if (p != NULL)
		*word = load_u64(p);
	return p != NULL;
}

/* The kernel has written to the array, but neither to the descriptor nor to what it was
 * polled for. */
static void
look_at_polled(struct self_view *v, struct wire_call *c)
{
	const uint8_t *p;
	struct pollfd one;

	c->polled = c->arguments[1] < WIRE_POLLED_UNKNOWN ?
	    (uint32_t)c->arguments[1] : WIRE_POLLED_UNKNOWN;
	if (c->polled != 1)
		return;
	if ((p = view_at(&v->view, c->arguments[0], sizeof(one))) == NULL) {
		c->polled = WIRE_POLLED_UNKNOWN;
		return;
	}
	memcpy(&one, p, sizeof(one));
	c->fd = one.fd;
	c->writes = (one.events & POLLIN) == 0;
}

static void
look_at_file(struct wire_waited *w)
{
	struct stat st;

	if (w->call.fd < 0 || syscall(SYS_fstat, w->call.fd, &st) != 0)
		return;
	w->device = st.st_dev;
	w->inode = st.st_ino;
	w->mode = st.st_mode;
}

static void
look_at_lock(struct self_view *v, const struct py_offsets *o, uint64_t state,
    struct wire_waited *w)
{
	uint64_t futex = w->call.arguments[0], here = (uintptr_t)&futex, lock;

	if (futex <= here || futex - here > PARKED_WITHIN ||
	    !load(v, futex - PARKED_LOCK, &lock))
		return;
	if (lock >= state && lock - state < STATE_SIZE) {
		w->world = 1;
		return;
	}
	w->locks[0].object = lock - o->object_size;
	w->locks[1].object = o->active != 0 ? lock - OWN_LOCK : 0;
	for (size_t i = 0; i < WIRE_LOCKS; i++)
		if (w->locks[i].object != 0 && !load(v, w->locks[i].object +
		    o->object_type, &w->locks[i].type))
			w->locks[i].object = 0;
}

void
waited_take(struct self_view *v, const struct py_offsets *o, uint64_t state,
    uint64_t gil, struct wire_waited *w)
{
	*w = (struct wire_waited){.call = *wait_call(),
	    .gil = gil != 0 && status_waits(o, gil, wait_place())};
	if (w->call.number == SYS_ppoll)
		look_at_polled(v, &w->call);
	else if (w->call.number == SYS_futex)
		look_at_lock(v, o, state, w);
	look_at_file(w);
}
