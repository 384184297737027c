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

/* A key's value lies in the thread's own memory, with no allocation. */
#define KEYS_INSIDE 32

/* Volatile: the handler, which looks at them, may run in a call of which the
 * compiler knows that it calls nothing in here. */
static __thread struct agent_thread *volatile self;
static __thread volatile bool over; /* the thread ends: it is not to come back */
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

/* The memory of an area, where the file cannot be opened any more: a second
 * mapping of what we have of it, moved to another part. */
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
	/* A child has no use for it, and is not to write there. */
	madvise(p, WIRE_AREA, MADV_DONTFORK);
	madvise(p, WIRE_AREA, MADV_DONTDUMP);
	return p;
}

static void
unmap_area(struct wire_area *a)
{
	munmap(a, WIRE_AREA);
}

/* Takes the first area out of the list of free ones.  NULL: it is empty, or
 * nothing can be mapped. */
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
		/* Whoever took it since has changed the count. */
		rest = ((head >> 32) + 1) << 32 | atomic_load(&a->next);
		if (atomic_compare_exchange_weak(list, &head, rest))
			return a;
	}
	if (a != NULL)
		unmap_area(a);
	return NULL;
}

/* One that nobody has had. */
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

/* Tells the recorder of it. */
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
	/* The value is not looked at: it only has thread_unregister run. */
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
	/* Of a key that lies elsewhere only here may memory be allocated. */
	if (self != NULL && key >= KEYS_INSIDE)
		pthread_setspecific(key, self);
}

/* Takes what is pending away, so that it does not come when there is nobody to
 * take it; but for the program's own, which other threads may wait for. */
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

/* Whether all that its signals came to was that it has no state of Python's. */
static bool
is_native(const struct wire_area *a)
{
	return atomic_load(&a->samples) == 0 &&
	    atomic_load(&a->drops[WIRE_DROP_STATE]) > 0;
}

/* Ticks for which no signal has come yet, and now none will. */
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
	/* From then on it may be another thread's, with all that t has. */
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

/* The process ends by its main thread, or whichever called exit. */
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

/* A signal that is on its way finds nothing to do. */
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

static const char mark; /* its address is what an adopting signal carries */

/* The clock of another thread's CPU time, as the kernel numbers them. */
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
