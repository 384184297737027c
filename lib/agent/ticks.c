/* SPDX-License-Identifier: ISC */
/* ticks.c: see ticks.h. */
#include "agent/ticks.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"

#define NS UINT64_C(1000000000)
#define WATCH (NS / 10) /* between two looks for the recorder */
#define SOONEST (NS / 50000) /* about the cost of a signal */
#define YOUNG (NS / 20) /* a thread with less CPU time is young */
#define FUTILE_MAX 12 /* early signals, in a thread's life ... */
#define FUTILE_WOKEN 4 /* ... one that may have woken it counts as so many */

static __thread int32_t mine; /* see ticks_timer */
static __thread bool wakes;   /* see ticks_may_wake */
static const char mark; /* its address is the value of our timers' signals */

/* ---- when ------------------------------------------------------------------ */

/* Asks the kernel: the program may have a clock_gettime of its own. */
uint64_t
clock_of(clockid_t clock)
{
	struct timespec t;

	syscall(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static uint64_t
scramble(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* True if a perf event sends the signals, at its own intervals. */
static bool
is_told(const struct agent_thread *t)
{
	return atomic_load_explicit(&t->area->clock, memory_order_relaxed) ==
	    WIRE_CLOCK_PERF;
}

/*
 * The place of the tick in the nth interval, in ns.  With a timer it is random,
 * so that no program falls into step with the ticks.  With a perf event, whose
 * intervals wander anyway, it is always the same, and another one for each
 * thread.  The ticks of a thread therefore add up to its time whatever signals
 * come, and each moment is as likely as any other.
 */
static uint64_t
place_of_tick(const struct agent_thread *t, uint64_t n)
{
	return (is_told(t) ? t->seed : scramble(t->seed + n)) % agent.interval;
}

uint64_t
ticks_until(const struct agent_thread *t, uint64_t now)
{
	uint64_t n = now / agent.interval;

	return n + (now % agent.interval >= place_of_tick(t, n));
}

static struct timespec
to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NS), (long)(ns % NS)};
}

/* ---- arming ---------------------------------------------------------------- */

/* If the thread does not run all the time until then, the signal comes too
 * early, and the timer is armed again. */
static void
arm_sharp(struct agent_thread *t, uint64_t now, uint64_t tick)
{
	struct itimerspec when = {.it_value =
	    to_timespec(tick > now + SOONEST ? tick - now : SOONEST)};

	t->half_way = now + (tick - now) / 2;
	syscall(SYS_timer_settime, t->timer, 0, &when, NULL);
}

static void
arm_at(struct agent_thread *t, uint64_t tick)
{
	struct itimerspec when = {.it_value = to_timespec(tick)};

	syscall(SYS_timer_settime, t->timer, TIMER_ABSTIME, &when, NULL);
}

void
ticks_arm(struct agent_thread *t)
{
	uint64_t now = clock_of(t->clock), n = ticks_until(t, now);
	uint64_t tick = n * agent.interval + place_of_tick(t, n);

	if (t->timer >= 0 && t->sharp)
		arm_sharp(t, now, tick);
	else if (t->timer >= 0)
		arm_at(t, tick);
}

/* For a timer of CPU time: one of wall time would wake a thread that waits. */
void
ticks_watch(struct agent_thread *t)
{
	struct itimerspec when = {to_timespec(WATCH), to_timespec(WATCH)};

	if (t->timer >= 0)
		syscall(SYS_timer_settime, t->timer, 0, &when, NULL);
}

void
ticks_disarm(struct agent_thread *t)
{
	struct itimerspec never = {0};

	if (t->timer >= 0)
		syscall(SYS_timer_settime, t->timer, 0, &never, NULL);
}

/* ---- timers ---------------------------------------------------------------- */

int32_t
ticks_timer(void)
{
	return mine;
}

bool
ticks_may_wake(void)
{
	return wakes;
}

bool
ticks_make_timer(int32_t *made, clockid_t clock, pid_t tid, const void *value)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID,
	    .sigev_signo = agent.signal};

	e.sigev_value.sival_ptr = (void *)(uintptr_t)value;
	e._sigev_un._tid = tid;
	return syscall(SYS_timer_create, clock, &e, made) == 0;
}

bool
ticks_is_timer(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark;
}

void
ticks_refused(struct wire_slot *slot)
{
	atomic_store(&slot->errno_, (uint32_t)errno);
	atomic_fetch_add(&slot->refused, 1);
}

static enum wire_clock
name_of_clock(const struct agent_thread *t)
{
	if (t->timer < 0)
		return WIRE_CLOCK_NONE;
	if (t->clock == CLOCK_MONOTONIC)
		return WIRE_CLOCK_WALL;
	return t->sharp ? WIRE_CLOCK_SHARP : WIRE_CLOCK_CPU;
}

static bool
set_timer(struct agent_thread *t, clockid_t clock)
{
	bool made = ticks_make_timer(&t->timer, clock, t->area->tid, &mark);

	if (!made)
		t->timer = -1;
	mine = t->timer;
	wakes = clock == CLOCK_MONOTONIC;
	atomic_store(&t->area->clock, name_of_clock(t));
	return made;
}

/* Makes a timer of CPU time.  If the kernel has no such timer, makes one of
 * wall time: the recorder sees that by the clock of the area. */
static void
start_cpu_timer(struct agent_thread *t, struct wire_slot *slot)
{
	bool made = set_timer(t, CLOCK_THREAD_CPUTIME_ID);

	if (!made && errno != EAGAIN) {
		t->clock = CLOCK_MONOTONIC;
		made = set_timer(t, CLOCK_MONOTONIC);
	}
	if (!made)
		ticks_refused(slot);
}

/*
 * A timer of CPU time goes off at the kernel's own tick, every 4 ms or so: a
 * short thread may have ended before.  A timer of wall time is exact, but it
 * would wake a thread from a wait that is not wrapped.  Where there is a Python
 * to be sampled, a thread therefore begins with such a sharp timer.  The thread
 * keeps it until the recorder has opened a perf event, or until a few signals
 * came early.
 */
void
ticks_start(struct agent_thread *t, struct wire_slot *slot)
{
	bool wall = agent.asked & WIRE_WALL;

	t->clock = wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	t->sharp = !wall && atomic_load(&slot->state) == WIRE_SLOT_LIVE;
	if (!wall && !t->sharp)
		start_cpu_timer(t, slot);
	else if (!set_timer(t, CLOCK_MONOTONIC))
		ticks_refused(slot);
	t->seed = scramble((uint64_t)t->area->tid ^ clock_of(CLOCK_MONOTONIC));
	t->last = ticks_until(t, clock_of(t->clock));
}

void
ticks_blunt(struct agent_thread *t, struct wire_slot *slot)
{
	t->sharp = false;
	if (t->timer >= 0)
		syscall(SYS_timer_delete, t->timer);
	start_cpu_timer(t, slot);
	if (t->clock == CLOCK_MONOTONIC) {
		t->last = ticks_until(t, clock_of(t->clock));
		t->rest = 0;
	}
}

/* A signal that comes before half of the way may have interrupted a wait. */
void
ticks_judge(struct agent_thread *t, struct wire_slot *slot, bool kept)
{
	uint64_t now = clock_of(t->clock);

	if (now < t->half_way)
		t->futile += kept ? 1 : FUTILE_WOKEN;
	if (t->futile >= FUTILE_MAX) {
		ticks_blunt(t, slot);
		ticks_arm(t);
	} else if (now >= YOUNG)
		atomic_store(&t->area->clock, WIRE_CLOCK_CPU);
}
