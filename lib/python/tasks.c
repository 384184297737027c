/* SPDX-License-Identifier: ISC */
/* tasks.c: see tasks.h. */
#include "python/tasks.h"

#include <inttypes.h>
#include <stdio.h>

#define TASKS_MAX 100000   /* a longer list runs in a circle */
#define AWAITS_MAX 10000   /* so does a longer chain of coroutines */
#define FRAMES_MAX 100000  /* of all tasks that wait for each other */
#define FUTURES_MAX 16	   /* that are no tasks, one after the other */
#define WAITERS_MAX 256    /* of one task that are looked at */
#define SIZE_SANE (1u << 24)

/* ---- offsets ----------------------------------------------------------- */

static bool
fits(uint64_t offset, uint64_t width, uint64_t size)
{
	return size <= SIZE_SANE && width <= size && offset <= size - width;
}

bool
task_offsets_load(const uint8_t *debug, struct task_offsets *o)
{
	memcpy(o, debug, sizeof(*o));
	return fits(o->name, 8, o->size) && fits(o->awaited_by, 8, o->size) &&
	    fits(o->is_task, 1, o->size) &&
	    fits(o->awaited_by_is_set, 1, o->size) &&
	    fits(o->coro, 8, o->size) && fits(o->node, 8, o->size) &&
	    fits(o->interp_tasks, 8, o->interp_size) &&
	    fits(o->running_task, 8, o->thread_size) &&
	    fits(o->thread_tasks, 8, o->thread_size);
}

_Static_assert(sizeof(struct task_offsets) == TASKS_DEBUG_SIZE, "as told");

static bool
get(const struct py_tasks *t, uint64_t addr, uint64_t *v)
{
	return py_read(t->objects.memory, addr, v, sizeof(*v));
}

static bool
get_byte(const struct py_tasks *t, uint64_t addr, uint8_t *v)
{
	return py_read(t->objects.memory, addr, v, sizeof(*v));
}

/* ---- one task ---------------------------------------------------------- */

bool
task_running(const struct py_tasks *t, uint64_t thread, uint64_t *task)
{
	return get(t, thread + t->offsets.running_task, task);
}

/* Reads a name.  A task without a given name has a number. */
static bool
read_name(const struct py_tasks *t, uint64_t addr, char *name)
{
	struct py_object o;
	struct py_taken taken;
	int64_t number;

	if (!object_read(&t->objects, addr, &o))
		return false;
	if (o.kind == OBJECT_INT && object_int(&t->objects, &o, &number)) {
		snprintf(name, TASK_NAME_MAX, "Task-%" PRId64, number);
		return true;
	}
	if (o.kind != OBJECT_STR || !object_text(&t->objects, &o, name,
		TASK_NAME_MAX - 1, &taken))
		return false;
	name[taken.len] = '\0';
	return true;
}

/* Reads the tasks and futures that wait for a task or a future: the one at the
 * lowest address, 0 if there is none, and their number. */
static bool
read_waiters(const struct py_tasks *t, uint64_t addr, uint64_t *waiter,
    size_t *count)
{
	uint64_t items[WAITERS_MAX], by, length;
	struct py_object set;
	uint8_t is_set;
	size_t n;

	*waiter = 0;
	*count = 0;
	if (!get(t, addr + t->offsets.awaited_by, &by) ||
	    !get_byte(t, addr + t->offsets.awaited_by_is_set, &is_set))
		return false;
	if (by == 0)
		return true;
	if (!is_set) {
		*waiter = by;
		*count = 1;
		return true;
	}
	if (!object_read(&t->objects, by, &set) || set.kind != OBJECT_SET ||
	    !object_items(&t->objects, &set, items, WAITERS_MAX, &n, &length))
		return false;
	*count = (size_t)length;
	for (size_t i = 0; i < n; i++)
		if (*waiter == 0 || items[i] < *waiter)
			*waiter = items[i];
	return true;
}

bool
task_read(const struct py_tasks *t, uint64_t addr, struct py_task *task)
{
	const struct task_offsets *o = &t->offsets;
	uint64_t name;
	uint8_t is_task = 0;
	size_t n;

	*task = (struct py_task){.addr = addr};
	if (!get_byte(t, addr + o->is_task, &is_task) || is_task != 1 ||
	    !get(t, addr + o->name, &name) ||
	    !read_name(t, name, task->name) ||
	    !get(t, addr + o->coro, &task->coro) ||
	    !read_waiters(t, addr, &task->waiter, &task->waiters))
		return false;
	for (int i = 0; task->waiter != 0; i++) {
		if (i == FUTURES_MAX ||
		    !get_byte(t, task->waiter + o->is_task, &is_task))
			return false;
		if (is_task == 1)
			return true;
		if (!read_waiters(t, task->waiter, &task->waiter, &n))
			return false;
	}
	return true;
}

/* ---- coroutines -------------------------------------------------------- */

uint64_t
task_frame(const struct py_tasks *t, uint64_t coro)
{
	return coro + t->objects.offsets->generator_frame;
}

/*
 * Gets the coroutine or generator that an object is; 0 if it is none.  For the
 * iterator of an asynchronous generator it gets the generator, which is its
 * first field.  False if the object cannot be read.
 */
static bool
as_coroutine(const struct py_tasks *t, uint64_t addr, uint64_t *coro)
{
	static const char *const names[] = {"coroutine", "generator",
	    "async_generator"};
	struct py_object o;

	*coro = 0;
	if (addr == 0)
		return true;
	if (!object_read(&t->objects, addr, &o))
		return false;
	if (strcmp(o.type_name, "async_generator_asend") == 0 ||
	    strcmp(o.type_name, "async_generator_athrow") == 0)
		return get(t, addr + t->objects.offsets->object_size, coro);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(o.type_name, names[i]) == 0)
			*coro = addr;
	return true;
}

/* Gets the coroutine or generator that a suspended coroutine awaits, or 0.  It is
 * on top of the coroutine's stack; 3.15 has a NULL above it. */
static bool
awaited(const struct py_tasks *t, const uint8_t *frame, uint64_t *coro)
{
	const struct py_offsets *o = t->objects.offsets;
	uint64_t top = frame_untag(o, load_u64(frame + o->frame_stack));
	uint64_t slots[2], last;

	if (!py_read(t->objects.memory, top - sizeof(slots), slots,
		sizeof(slots)))
		return false;
	last = frame_untag(o, slots[1]);
	return as_coroutine(t, last != 0 ? last : frame_untag(o, slots[0]), coro);
}

static void
reverse(struct py_place *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct py_place place = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = place;
	}
}

/* A generator's state as a number by which states can be compared: 0 for the first.
 * A state may be negative. */
static uint8_t
state_order(const struct py_offsets *o, uint8_t state)
{
	return (uint8_t)(state - o->created);
}

bool
task_frames(const struct py_tasks *t, uint64_t coro, struct py_chain *c)
{
	const struct py_offsets *o = t->objects.offsets;
	size_t first = c->depth;
	uint8_t frame[PY_FRAME_MAX], state;
	bool awaits;

	for (size_t n = 0; coro != 0; n++) {
		uint64_t at = task_frame(t, coro);
		if (n == AWAITS_MAX || c->depth == FRAMES_MAX ||
		    !get_byte(t, coro + o->generator_state, &state) ||
		    !py_read(t->objects.memory, at, frame, o->frame_size))
			return false;
		if (state_order(o, state) > state_order(o, o->suspended))
			break;
		awaits = state_order(o, state) >= state_order(o, o->awaits);
		if (!chain_add(c, frame_place(o, frame, at)))
			return false;
		coro = 0;
		if (awaits && !awaited(t, frame, &coro))
			return false;
	}
	if (c->depth > first)
		reverse(c->places + first, c->depth - first);
	return true;
}

/* ---- lists ------------------------------------------------------------- */

bool
tasks_each(const struct py_tasks *t, uint64_t head,
    bool (*each)(void *arg, uint64_t task), void *arg)
{
	uint64_t node;

	if (!get(t, head, &node))
		return false;
	for (size_t n = 0; node != head; n++) {
		if (n == TASKS_MAX || node == 0 ||
		    !each(arg, node - t->offsets.node) ||
		    !get(t, node, &node))
			return false;
	}
	return true;
}
