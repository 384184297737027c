/* SPDX-License-Identifier: ISC */
/* sample.c: see sample.h. */
#include "agent/sample.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/signals.h"
#include "agent/stack.h"
#include "agent/thread.h"
#include "agent/ticks.h"
#include "agent/waits.h"

/* Adds to a counter, which has one writer. */
static void
count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter,
	    atomic_load_explicit(counter, memory_order_relaxed) + n,
	    memory_order_relaxed);
}

/* ---- orders -------------------------------------------------------------------- */

/* Ends a pause: ticks count again from `time` on, ns of CLOCK_MONOTONIC. */
static void
resume(struct agent_thread *t, uint64_t time)
{
	uint64_t since = t->clock == CLOCK_MONOTONIC ? time :
	    clock_of(t->clock);
	uint64_t ticks = ticks_until(t, since);

	if (ticks > t->last)
		t->last = ticks;
	if (t->paused && atomic_load(&t->area->clock) != WIRE_CLOCK_PERF)
		ticks_arm(t);
	else if (t->paused)
		ticks_watch(t);
	t->paused = false;
}

/* Follows the recorder's last order.  False if the thread must take no
 * samples. */
static bool
follow(struct agent_thread *t, const struct wire_slot *slot)
{
	uint64_t time = atomic_load(&slot->order_time);
	bool pause = atomic_load(&slot->order) == WIRE_PAUSE;

	if (pause && !t->paused)
		ticks_disarm(t);
	if (!pause && (t->paused || time != t->order_time))
		resume(t, time);
	t->paused = pause;
	t->order_time = time;
	return !pause;
}

/* Lets a perf event take over, if the recorder has opened one.  A thread that
 * had no timer of CPU time goes from wall time to CPU time then. */
static void
take_perf(struct agent_thread *t, struct wire_slot *slot)
{
	struct wire_area *a = t->area;

	if (atomic_load_explicit(&a->perf, memory_order_relaxed) == 0 ||
	    atomic_load_explicit(&a->clock, memory_order_relaxed) ==
		WIRE_CLOCK_PERF)
		return;
	if (t->sharp)
		ticks_blunt(t, slot);
	if (t->clock != CLOCK_MONOTONIC) {
		ticks_watch(t);
	} else {
		ticks_disarm(t);
		t->clock = CLOCK_THREAD_CPUTIME_ID;
		t->last = ticks_until(t, clock_of(t->clock));
		t->rest = 0;
	}
	atomic_store(&a->clock, WIRE_CLOCK_PERF);
}

/* ---- samples ------------------------------------------------------------------- */

static void
put(struct agent_thread *t, struct wire_slot *slot, uint64_t time, uint64_t weight,
    const void *context)
{
	struct wire_area *a = t->area;
	uint32_t w = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
	uint32_t flags = t->clock == CLOCK_MONOTONIC && wait_is_over() ?
	    WIRE_WAITED : 0;
	enum wire_drop drop = stack_put(t, slot, time, w, flags, context);

	if (drop != STACK_TAKEN) {
		count(&a->drops[drop], w);
		return;
	}
	count(&a->samples, 1);
	count(&a->weight, w);
	count(&a->overruns, w - 1);
}

/* Samples the thread if a tick is due.  Returns the number of ticks that the
 * sample stands for; 0 if none is due. */
static uint64_t
sample(struct agent_thread *t, struct wire_slot *slot, uint64_t time, uint64_t cpu,
    const void *context)
{
	uint64_t now, ticks, weight;

	if (!follow(t, slot))
		return 0;
	take_perf(t, slot);
	if (t->sharp)
		ticks_judge(t, slot, wait_is_over());
	now = t->clock == CLOCK_MONOTONIC ? time : cpu;
	ticks = ticks_until(t, now);
	if (now < t->rest || ticks <= t->last)
		return 0;
	weight = ticks - t->last;
	t->last = ticks;
	put(t, slot, time, weight, context);
	return weight;
}

/*
 * Leaves the thread time for its own work.  If samples take so long that the
 * next would be due at once, as with a stack of a hundred thousand frames, the
 * next waits for as long as the last took.  A single slow sample does not
 * count: it may have been the first to touch some memory.
 */
static void
have_rest(struct agent_thread *t, uint64_t took)
{
	bool slow = took > agent.interval / 2;

	if (slow && t->slow)
		t->rest = clock_of(t->clock) + took;
	t->slow = slow;
}

static unsigned
class_of(uint64_t ns)
{
	/* The first of 2^(i/4) * 100 ns, in units of 1/1024 ns. */
	static const uint64_t limits[] = {102400, 121775, 144815, 172216};
	unsigned i = 0;

	while (i < WIRE_TIMES - 1 && ns << 10 >= limits[i % 4] << i / 4)
		i++;
	return i;
}

/* took: ns of CPU time, as the thread may have waited for a CPU meanwhile. */
static void
note_time(struct agent_thread *t, uint64_t took)
{
	count(&t->area->handler_ns, took);
	count(&t->area->times[class_of(took)], 1);
}

/*
 * Takes our pending signals.  A timer has one pending signal at most, but a
 * perf event can have any number: if they came faster than they are handled,
 * that would never end.  Pending signals add nothing to the sample that was
 * just taken.  A signal of another sender is passed on.
 */
static void
take_pending(struct agent_thread *t, struct wire_slot *slot, void *context)
{
	uint64_t set = mask_bit();
	struct timespec now = {0};
	siginfo_t info;

	while (syscall(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set)) > 0)
		if (!signals_are_ours(&info)) { /* it may be pending again */
			signals_pass_on(&info, context);
			break;
		}
	follow(t, slot);
}

static void
work(struct agent_thread *t, struct wire_slot *slot, void *context)
{
	uint64_t time = clock_of(CLOCK_MONOTONIC), took, weight;
	uint64_t cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
	bool perf;

	weight = sample(t, slot, time, cpu, context);
	took = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
	note_time(t, took);
	if (weight > 0)
		have_rest(t, took);
	perf = atomic_load(&t->area->clock) == WIRE_CLOCK_PERF;
	if (perf && (weight != 1 || t->slow))
		take_pending(t, slot, context);
	if (!t->paused && !perf)
		ticks_arm(t);
}

static void
handle(int signal, siginfo_t *info, void *context)
{
	struct wire_slot *slot = agent_slot();
	struct agent_thread *t = thread_mine();
	int e = errno;

	(void)signal;
	if (!signals_are_ours(info)) {
		signals_pass_on(info, context);
		errno = e;
		return;
	}
	thread_adopted(info);
	/* Its area is of an earlier recorder, or of one that has gone. */
	if (t != NULL && (slot == NULL || t->generation != agent.generation)) {
		thread_leave();
		t = NULL;
	}
	if (t == NULL)
		thread_enter();
	else
		work(t, slot, context);
	errno = e;
}

bool
sample_install(void)
{
	struct sigaction a = {.sa_sigaction = handle,
	    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, old;

	sigfillset(&a.sa_mask);
	if (REAL(sigaction)(agent.signal, NULL, &old) != 0)
		return false;
	if (agent.attached && old.sa_handler != SIG_DFL &&
	    old.sa_handler != SIG_IGN && old.sa_sigaction != handle) {
		errno = EBUSY;
		return false;
	}
	signals_guard();
	return REAL(sigaction)(agent.signal, &a, NULL) == 0;
}
