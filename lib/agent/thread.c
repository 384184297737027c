/* SPDX-License-Identifier: ISC */
/* thread.c: see thread.h. */
#include "agent/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/signals.h"
#include "agent/ticks.h"

/* The values of the first keys lie in the thread itself: no allocation. */
#define KEYS_INSIDE 32

/* Volatile: the handler reads both, and may run during a call that, as the
 * compiler knows, calls nothing in this file. */
static __thread struct agent_thread *volatile self;
static __thread volatile bool over; /* the thread ends: no registering again */
static pthread_key_t key;

struct agent_thread *
thread_self(void)
{
	return self;
}

static struct wire_area *
area_of(struct agent_thread *t)
{
	return (struct wire_area *)(void *)((uint8_t *)t -
	    offsetof(struct wire_area, own));
}

struct agent_thread *
thread_mine(void)
{
	struct agent_thread *t = self;
	struct wire_area *a;

	if (t == NULL)
		return NULL;
	a = area_of(t);
	if (t->area == a && a->ident == (uint64_t)pthread_self() &&
	    atomic_load_explicit(&a->state, memory_order_relaxed) ==
		WIRE_AREA_LIVE)
		return t;
	self = NULL;
	if (ticks_timer() >= 0)
		syscall(SYS_timer_delete, ticks_timer());
	REAL(munmap)(a, WIRE_AREA);
	return NULL;
}

/* ---- areas ------------------------------------------------------------------- */

/* Maps an area of a file that cannot be opened any more: maps the control block
 * a second time, and moves that mapping to another part of the file. */
static void *
map_without_file(off_t offset)
{
	void *p = mremap(agent.control, 0, WIRE_AREA, MREMAP_MAYMOVE);

	if (p == MAP_FAILED)
		return NULL;
	if (remap_file_pages(p, WIRE_AREA, 0,
		(size_t)(offset / sysconf(_SC_PAGESIZE)), 0) == 0)
		return p;
	munmap(p, WIRE_AREA);
	return NULL;
}

static struct wire_area *
map_area(uint32_t number)
{
	off_t offset = (off_t)(WIRE_AREAS + (uint64_t)number * WIRE_AREA);
	int fd = open(agent.path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	void *p = MAP_FAILED;

	if (fd >= 0) {
		p = mmap(NULL, WIRE_AREA, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, offset);
		close(fd);
	}
	if (p == MAP_FAILED && (p = map_without_file(offset)) == NULL)
		return NULL;
	/* A child has no use for the area, and must not write there. */
	madvise(p, WIRE_AREA, MADV_DONTFORK);
	madvise(p, WIRE_AREA, MADV_DONTDUMP);
	return p;
}

static void
unmap_area(struct wire_area *a)
{
	munmap(a, WIRE_AREA);
}

/* Takes the first area out of the list of free ones.  NULL if the list is
 * empty, or if the area cannot be mapped. */
static struct wire_area *
take_free(uint32_t *number)
{
	_Atomic uint64_t *list = &agent.control->free;
	uint64_t head = atomic_load_explicit(list, memory_order_acquire);
	struct wire_area *a = NULL;

	while ((uint32_t)head != 0) {
		uint64_t rest;
		if (a == NULL || *number != (uint32_t)head - 1) {
			if (a != NULL)
				unmap_area(a);
			*number = (uint32_t)head - 1;
			if ((a = map_area(*number)) == NULL)
				return NULL;
		}
		/* A thread that took it since has changed the count. */
		rest = ((head >> 32) + 1) << 32 | atomic_load(&a->next);
		if (atomic_compare_exchange_weak(list, &head, rest))
			return a;
	}
	if (a != NULL)
		unmap_area(a);
	return NULL;
}

/* Takes an area that no thread has had.  NULL as above. */
static struct wire_area *
take_new(uint32_t *number)
{
	_Atomic uint32_t *used = &agent.control->used;
	uint32_t n = atomic_load(used);

	while (n < WIRE_AREAS_MAX)
		if (atomic_compare_exchange_weak(used, &n, n + 1)) {
			*number = n;
			return map_area(n);
		}
	return NULL;
}

static struct wire_area *
take_area(uint32_t *number)
{
	struct wire_area *a = take_free(number);

	return a != NULL ? a : take_new(number);
}

/* Tells the recorder of an area. */
static void
announce(struct wire_slot *slot, struct wire_area *a, uint32_t number)
{
	uint32_t first = atomic_load(&slot->areas);

	do
		atomic_store(&a->next, first);
	while (!atomic_compare_exchange_weak(&slot->areas, &first, number + 1));
}

/* ---- registering ------------------------------------------------------------- */

bool
thread_init(void)
{
	/* A thread that has a value runs thread_unregister as it ends. */
	return pthread_key_create(&key,
		   (void (*)(void *))(void *)thread_unregister) == 0;
}

static bool
is_main(void)
{
	return syscall(SYS_gettid) == agent.pid;
}

void
thread_enter(void)
{
	struct wire_slot *slot = agent_slot();
	struct wire_area *a;
	uint32_t number;
	struct agent_thread *t;

	if (slot == NULL || self != NULL || over ||
	    ((agent.asked & WIRE_MAIN_ONLY) && !is_main()))
		return;
	atomic_fetch_add(&slot->threads, 1);
	if ((a = take_area(&number)) == NULL) {
		atomic_fetch_add(&slot->no_area, 1);
		return;
	}
	t = (struct agent_thread *)(void *)a->own;
	t->area = a;
	t->number = number;
	t->generation = agent.generation;
	a->slot = agent.slot_number;
	a->tid = (int32_t)syscall(SYS_gettid);
	a->ident = (uint64_t)pthread_self();
	ticks_start(t, slot);
	t->order_time = atomic_load(&slot->order_time);
	t->paused = atomic_load(&slot->order) == WIRE_PAUSE;
	atomic_store_explicit(&a->state, WIRE_AREA_LIVE, memory_order_release);
	self = t;
	announce(slot, a, number);
	if (key < KEYS_INSIDE)
		pthread_setspecific(key, t);
	if (!t->paused)
		ticks_arm(t);
}

void
thread_register(void)
{
	mask_ours(SIG_BLOCK);
	thread_enter();
	mask_ours(SIG_UNBLOCK);
}

void
thread_begin(void)
{
	thread_register();
	/* The values of other keys need memory: set in no other call. */
	if (self != NULL && key >= KEYS_INSIDE)
		pthread_setspecific(key, self);
}

/* Takes away our pending signals, so that none comes when the area is gone.  A
 * signal of another sender stays pending: other threads may wait for it. */
static void
drain_signals(void)
{
	uint64_t set = mask_bit();
	struct timespec now = {0};
	siginfo_t info;

	while (syscall(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set)) > 0)
		if (!signals_are_ours(&info)) {
			signals_put_back(&info);
			break;
		}
}

/* True if the thread has put no sample and had ticks without a Python state. */
static bool
is_native(const struct wire_area *a)
{
	return atomic_load(&a->samples) == 0 &&
	    atomic_load(&a->drops[WIRE_DROP_STATE]) > 0;
}

/* Counts the ticks since the last signal: no signal will come for them. */
static void
count_rest(struct agent_thread *t)
{
	struct wire_area *a = t->area;
	uint64_t ticks = ticks_until(t, clock_of(t->clock));

	if (!t->paused && ticks > t->last)
		atomic_fetch_add(&a->drops[is_native(a) ? WIRE_DROP_STATE :
		    WIRE_DROP_END], ticks - t->last);
}

static void
drop_area(struct agent_thread *t)
{
	struct wire_area *a = t->area;

	self = NULL;
	/* From then on the area, with t in it, may be another thread's. */
	atomic_store_explicit(&a->state, WIRE_AREA_DONE, memory_order_release);
	unmap_area(a);
}

void
thread_unregister(void)
{
	struct agent_thread *t;

	over = true;
	if (agent_is_other() || (t = thread_mine()) == NULL)
		return;
	mask_ours(SIG_BLOCK);
	if (t->timer >= 0)
		syscall(SYS_timer_delete, t->timer);
	drain_signals();
	count_rest(t);
	drop_area(t);
}

/* The process ends, by its main thread or by another that called exit. */
__attribute__((destructor)) static void
finish(void)
{
	struct agent_thread *t;

	if (agent_is_other() || (t = thread_mine()) == NULL)
		return;
	mask_ours(SIG_BLOCK);
	count_rest(t);
	over = true;
}

/* A signal that is on its way then finds nothing to do. */
void
thread_leave(void)
{
	struct agent_thread *t = self;

	if (t->timer >= 0)
		syscall(SYS_timer_delete, t->timer);
	drop_area(t);
}

void
thread_forget(void)
{
	self = NULL;
	over = false;
}

/* ---- threads that were there before -------------------------------------------- */

static const char mark; /* its address is the value of adopting signals */

/* The kernel's number for the clock of another thread's CPU time. */
static clockid_t
cpu_clock(pid_t tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 6);
}

int32_t
thread_adopt(pid_t tid)
{
	struct itimerspec now = {.it_value = {0, 1}};
	struct wire_slot *slot = agent_slot();
	int32_t adopting = -1;

	if (slot == NULL || (agent.asked & WIRE_MAIN_ONLY))
		return -1;
	if (ticks_make_timer(&adopting, agent.asked & WIRE_WALL ?
		CLOCK_MONOTONIC : cpu_clock(tid), tid, &mark) ||
	    ticks_make_timer(&adopting, CLOCK_MONOTONIC, tid, &mark))
		syscall(SYS_timer_settime, adopting, 0, &now, NULL);
	else
		ticks_refused(slot);
	return adopting;
}

bool
thread_is_adopting(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark;
}

void
thread_adopted(const siginfo_t *info)
{
	if (thread_is_adopting(info))
		syscall(SYS_timer_delete, info->si_timerid);
}
