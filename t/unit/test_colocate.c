/* SPDX-License-Identifier: ISC */
/*
 * test_colocate: who wants to learn of a thread that runs is on its CPU for some
 * rounds, sees there that it cannot run, and is away again; comes back seldom
 * if there was nothing to learn, and soon if the program does something new.
 */
#undef NDEBUG
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"
#include "engine/sched/colocate.h"

#define ROUNDS_MAX 1000 /* of a stay: no stay is longer */
#define DOUBTS_MAX 100	/* more than it takes */
#define SOON (2 * NS_PER_S)
#define TRIES 5

static pid_t
start_spinning(void)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		continue;
}

static bool
is_pinned(void)
{
	cpu_set_t set;

	assert(sched_getaffinity(0, sizeof(set), &set) == 0);
	return CPU_COUNT(&set) == 1;
}

/* The rounds of a stay that has begun; *held: in how many of them the thread
 * could not run. */
static int
stay(struct colocation *c, pid_t task, uint64_t known, int *held)
{
	int rounds = 0;

	for (*held = 0; is_pinned() && rounds < ROUNDS_MAX; rounds++) {
		clock_sleep(clock_ns() + NS_PER_MS);
		colocate_begin(c);
		*held += colocate_held(c, task);
		colocate_end_round(c, known);
	}
	assert(rounds < ROUNDS_MAX);
	return rounds;
}

/* Whether there is a stay within some time, if it is wanted each round. */
static bool
begins(struct colocation *c, pid_t task, uint64_t within)
{
	uint64_t end = clock_ns() + within;

	do {
		colocate_want(c, task, false);
		colocate_end_round(c, 1);
		clock_sleep(clock_ns() + NS_PER_MS);
	} while (!is_pinned() && clock_ns() < end);
	return is_pinned();
}

static void
test_stays(pid_t task)
{
	struct process p = {.pid = task};
	struct colocation c;
	int held, best = 0;

	colocate_init(&c, &p, NS_PER_MS);
	/* Another program may send the two of us apart. */
	for (int i = 0; i < TRIES && best == 0; i++) {
		assert(begins(&c, task, SOON) && !c.settled);
		assert(stay(&c, task, (uint64_t)i + 2, &held) > 1);
		assert(!c.settled);
		best = held > best ? held : best;
	}
	assert(best > 0);
	/* Nothing new is learned: the pauses grow. */
	for (uint64_t last = 0; last < SOON / 2; last = c.pause) {
		assert(begins(&c, task, 2 * SOON));
		stay(&c, task, 1, &held);
		assert(c.settled && c.pause >= 2 * last);
	}
	assert(!begins(&c, task, NS_PER_S / 2));
	/* But doubts end them. */
	for (int i = 0; c.settled; i++) {
		assert(i < DOUBTS_MAX);
		colocate_want(&c, task, true);
	}
	assert(begins(&c, task, SOON));
	colocate_break_off(&c);
	assert(!is_pinned());
}

/* Who does not sleep between rounds stays for one of them. */
static void
test_short_stays(pid_t task)
{
	struct process p = {.pid = task};
	struct colocation c;
	int held;

	colocate_init(&c, &p, NS_PER_US);
	for (int i = 0; i < TRIES; i++) {
		assert(begins(&c, task, SOON));
		assert(stay(&c, task, 1, &held) == 1 && !is_pinned());
	}
}

static void
test_visit(pid_t task)
{
	struct process p = {.pid = task};
	struct colocation c;

	colocate_init(&c, &p, NS_PER_MS);
	assert(!colocate_held(&c, task));
	assert(colocate_visit(&c, task) && is_pinned());
	colocate_leave(&c);
	assert(!is_pinned() && !colocate_is_at(&c, task));
}

/* Who is real-time waits for a round where the thread is, and sees at once that
 * it could not run; who is not, or has many rounds, does not. */
static void
test_wait(pid_t task)
{
	struct process p = {.pid = task};
	struct sched_param first = {.sched_priority = 1}, none = {0};
	struct colocation c;
	int held = 0;

	colocate_init(&c, &p, NS_PER_MS);
	colocate_wait(&c, task);
	assert(!is_pinned());
	if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
		puts("may not be real-time: not all was tested");
		return;
	}
	for (int i = 0; i < TRIES * TRIES; i++) {
		colocate_wait(&c, task);
		assert(is_pinned());
		clock_sleep(clock_ns() + NS_PER_MS);
		colocate_begin(&c);
		held += colocate_held(&c, task);
	}
	assert(held > TRIES);
	assert(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
	colocate_wait(&c, task);
	assert(!is_pinned());
	colocate_init(&c, &p, NS_PER_MS / 10);
	assert(sched_setscheduler(0, SCHED_FIFO, &first) == 0);
	colocate_wait(&c, task);
	assert(!is_pinned());
	assert(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
}

int
main(void)
{
	pid_t task;

	if (is_pinned()) {
		puts("SKIP: there is one CPU, where we are always near");
		return 77;
	}
	task = start_spinning();
	test_visit(task);
	test_wait(task);
	test_stays(task);
	test_short_stays(task);
	kill(task, SIGKILL);
	return waitpid(task, NULL, 0) != task;
}
