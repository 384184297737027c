/* SPDX-License-Identifier: ISC */
/*
 * test_ahead: each record of a thread that is copied ahead is of one moment and
 * in its order; none is lost where that ends, and it ends where it must.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counter.h"
#include "engine/kernel/ahead.h"
#include "engine/kernel/interruptload.h"
#include "engine/os/clock.h"

#define INTERVAL (200 * NS_PER_US)
#define BATCH 8
#define LARGE 100
#define RECORDS 1000
#define SIGNS 50
#define LATE 500
#define GAP (30 * NS_PER_MS) /* without a CPU */

static const struct interrupt_gil no_gil;
static volatile int *released; /* in all processes */

/* The sign may not change; or, if it is told of, it may. */
static void
begin_batches(struct ahead *a, const struct process *p, uint32_t batch,
    bool told)
{
	struct snapshot s = {0};
	struct ahead_ask ask = {.task = p->pid, .first = &s, .way = counter_way,
	    .watches = !told, .told = told};

	counter_ask(&s);
	/* The last word of what is asked for. */
	ask.watch[0] = (struct interrupt_watch){3 * sizeof(uint64_t),
	    UINT64_MAX, counter->sign};
	assert(ahead_prepare(a, INTERVAL) && ahead_ask(a, &ask) &&
	    ahead_begin(a, &no_gil, 0, batch) && a->on);
	snapshot_free(&s);
}

static void
begin(struct ahead *a, const struct process *p)
{
	begin_batches(a, p, BATCH, false);
}

/* What the descriptor says within a second. */
static short
wait_for(const struct ahead *a)
{
	struct pollfd fd = {ahead_fd(a, 0), POLLIN, 0};

	while (poll(&fd, 1, 1000) < 0)
		assert(errno == EINTR);
	return fd.revents;
}

/* Reads what there is.  Returns how many records that were. */
static size_t
read_all(struct ahead *a, uint64_t *last)
{
	struct snapshot s = {0};
	uint64_t time;
	size_t n;

	for (n = 0; ahead_next(a, &time); n++) {
		counter_ask(&s);
		assert(ahead_take(a, &s));
		counter_check(&s);
		assert(time > *last && time <= clock_ns());
		*last = time;
	}
	snapshot_free(&s);
	return n;
}

/* Reads until it has ended. */
static size_t
read_on(struct ahead *a, uint64_t *last)
{
	size_t n = 0;

	for (;;) {
		n += read_all(a, last);
		if (!a->on)
			return n;
		assert(wait_for(a) == POLLIN);
	}
}

/* Where something else takes its CPU, it begins anew.  Batches are whole, but for
 * the last one. */
static void
test_records(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;
	size_t n = 0, batches = 0, k;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	while (n < RECORDS) {
		if (!a.on)
			begin(&a, &p);
		assert(wait_for(&a) == POLLIN);
		k = read_all(&a, &last);
		batches += k > 0 && k % BATCH == 0;
		n += k;
	}
	assert(batches > 0);
	ahead_end(&a);
	read_all(&a, &last);
	assert(!a.on && !ahead_next(&a, &last));
	ahead_free(&a);
	counter_stop(&p);
}

/* Runs until it is told to stop, then rests. */
static void
run_a_while(void)
{
	uint64_t n = 1;

	for (; n == 1 || counter->ready; n++) {
		counter->count = n;
		for (size_t i = 0; i < COUNTER_FRAMES; i++)
			*(volatile uint64_t *)&counter->frames[i].count = n;
		counter->last = n;
		if (n == 1) /* what was there of another process is gone */
			counter->ready = 1;
	}
	counter_rest();
}

static bool
is_blocked(const struct process *p)
{
	char call[64];

	assert(process_read_task(p, p->pid, "syscall", call, sizeof(call)));
	return call[0] != 'r';
}

/* A thread that blocks is left at once, with all that was recorded before; and
 * one that rests has no records. */
static void
test_leave(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;

	ahead_init(&a, in);
	counter_start(&p, run_a_while);
	begin(&a, &p);
	counter->ready = 0;
	read_on(&a, &last);
	while (!is_blocked(&p))
		usleep(1000);
	begin(&a, &p);
	usleep(10000);
	assert(read_all(&a, &last) == 0 && a.on);
	ahead_cancel(&a);
	assert(!a.on && !ahead_next(&a, &last));
	ahead_free(&a);
	counter_stop(&p);
}

/* A word that is watched ends it with the record in which it has changed. */
static void
test_watch(struct interrupts *in)
{
	struct process p;
	struct ahead a;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < SIGNS; i++) {
		uint64_t changed, time;
		int later = 0;

		begin(&a, &p);
		counter->sign++;
		changed = clock_ns();
		do
			while (ahead_next(&a, &time))
				later += time > changed;
		while (a.on && wait_for(&a) == POLLIN);
		assert(!a.on && later <= 1);
	}
	ahead_free(&a);
	counter_stop(&p);
}

/* Of another one it is told at once, and goes on; unless something else takes its
 * CPU. */
static void
test_told(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;
	int goes_on = 0;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < SIGNS; i++) {
		if (!a.on)
			begin_batches(&a, &p, LARGE, true);
		counter->sign++;
		assert(wait_for(&a) == POLLIN);
		assert(read_all(&a, &last) < LARGE);
		goes_on += a.on;
	}
	assert(goes_on > SIGNS / 2);
	ahead_free(&a);
	counter_stop(&p);
}

/* What is not read in time is not recorded, and what is recorded is not lost. */
static void
test_late(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;
	size_t most = 0, n;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < LATE && most < INTERRUPT_WIRES * BATCH; i++) {
		if (!a.on)
			begin(&a, &p);
		usleep(BATCH * 4 * INTERVAL / NS_PER_US);
		n = read_all(&a, &last);
		assert(n <= (INTERRUPT_WIRES + 1) * BATCH);
		most = n > most ? n : most;
	}
	assert(most >= INTERRUPT_WIRES * BATCH);
	ahead_free(&a);
	counter_stop(&p);
}

/* Frames that lead nowhere, and a thread that is no more. */
static void
test_lost(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	counter->frames[1].previous = (struct counter_frame *)8;
	begin(&a, &p);
	assert(read_on(&a, &last) == 0);
	counter_link_frames();
	begin(&a, &p);
	kill(p.pid, SIGKILL);
	while (!(wait_for(&a) & POLLHUP) && a.on)
		read_all(&a, &last);
	ahead_lose(&a, 0);
	read_all(&a, &last);
	assert(!a.on);
	ahead_free(&a);
	counter_stop(&p);
}

/* What the kernel writes to is not used otherwise meanwhile. */
static void
test_only(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	struct ahead a;
	uint64_t rest;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	begin(&a, &p);
	assert(interrupts_read(in, p.pid, process_thread_cpu(&p, p.pid), &s,
		   &counter_way, &rest) == INTERRUPT_ELSEWHERE);
	ahead_free(&a);
	counter_stop(&p);
}

static void
only_on(pid_t task, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert(sched_setaffinity(task, sizeof(cpus), &cpus) == 0);
}

/* We go elsewhere. */
static void
not_on(int cpu)
{
	cpu_set_t cpus;

	assert(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	CPU_CLR(cpu, &cpus);
	assert(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
}

/* Takes a CPU from all others, from when it says so until it is released. */
static void
hog(int cpu, int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	only_on(0, cpu);
	assert(sched_setscheduler(0, SCHED_FIFO,
		   &(struct sched_param){1}) == 0);
	assert(write(fd, "", 1) == 1);
	while (!*released)
		continue;
	_exit(0);
}

static pid_t
start_hog(int cpu)
{
	int fds[2];
	pid_t pid;
	char c;

	*released = 0;
	assert(pipe(fds) == 0);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0)
		hog(cpu, fds[1]);
	assert(read(fds[0], &c, 1) == 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void
release(pid_t hog)
{
	*released = 1;
	assert(waitpid(hog, NULL, 0) == hog);
}

/* Starts a counter on a CPU of its own, from which we go.  That CPU, or -1: why a
 * thread leaves its CPU is not known here. */
static int
start_apart(struct process *p, struct ahead *a, struct interrupts *in)
{
	int cpu;

	ahead_init(a, in);
	if (!ahead_knows_calls(a))
		return -1;
	counter_start(p, counter_run);
	cpu = process_thread_cpu(p, p->pid);
	only_on(p->pid, cpu);
	not_on(cpu);
	return cpu;
}

/* A thread that waits for a CPU when it begins is seen to have waited. */
static void
test_gap(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t time;
	pid_t pid;
	int cpu = start_apart(&p, &a, in);

	if (cpu < 0)
		return;
	pid = start_hog(cpu);
	begin(&a, &p);
	usleep(GAP / NS_PER_US);
	release(pid);
	while (!ahead_next(&a, &time))
		assert(a.on && wait_for(&a) == POLLIN);
	assert(ahead_away(&a) > GAP / 2);
	ahead_free(&a);
	counter_stop(&p);
}

/* One that is stopped before it gets its CPU back was not only waiting for that. */
static void
test_no_gap(struct interrupts *in)
{
	uint64_t time = 0, stopped, n;
	struct process p;
	struct ahead a;
	pid_t pid;
	int cpu = start_apart(&p, &a, in);

	if (cpu < 0)
		return;
	begin(&a, &p);
	pid = start_hog(cpu);
	kill(p.pid, SIGSTOP);
	release(pid);
	usleep(4 * GAP / NS_PER_US);
	stopped = clock_ns();
	kill(p.pid, SIGCONT);
	for (n = 0; n < SIGNS; n += time > stopped) {
		while (!ahead_next(&a, &time))
			assert(a.on && wait_for(&a) == POLLIN);
		assert(ahead_away(&a) < 4 * GAP); /* it may wait as well */
	}
	ahead_free(&a);
	counter_stop(&p);
}

/* What takes a thread more than a part of its time is not done, or ends with the
 * record that has shown it. */
static void
test_dear(struct interrupts *in)
{
	struct snapshot s = {0};
	uint64_t cost = in->cost, budget = in->budget, last = 0, rest;
	struct process p;
	struct ahead a;

	ahead_init(&a, in);
	counter_start(&p, counter_run);
	in->cost = 2;
	in->budget = 1;
	assert(!ahead_prepare(&a, INTERVAL));
	counter_ask(&s);
	while (interrupts_read(in, p.pid, process_thread_cpu(&p, p.pid), &s,
		   &counter_way, &rest) != INTERRUPT_OK)
		counter_ask(&s);
	assert(rest >= in->cost * INTERRUPT_SHARE);
	in->cost = 0;
	while (!ahead_is_dear(&a)) {
		begin(&a, &p);
		assert(read_on(&a, &last) <= 1);
	}
	in->cost = cost;
	in->budget = budget;
	snapshot_free(&s);
	ahead_free(&a);
	counter_stop(&p);
}

/* Whether a thread has a CPU is known again with the first record. */
static void
test_doubt(struct interrupts *in)
{
	struct process p;
	struct ahead a;
	uint64_t last = 0;

	ahead_init(&a, in);
	counter_start(&p, counter_rest);
	begin(&a, &p);
	usleep(5000);
	assert(ahead_doubts(&a));
	ahead_free(&a);
	counter_stop(&p);
	counter_start(&p, counter_run);
	begin_batches(&a, &p, LARGE, false);
	while (ahead_doubts(&a)) {
		if (read_all(&a, &last) == 0 && !a.on)
			begin_batches(&a, &p, LARGE, false);
		usleep(1000);
	}
	ahead_free(&a);
	counter_stop(&p);
}

int
main(void)
{
	struct interrupts *in = interrupts_new(NS_PER_S);

	if (!counter_prepare(in))
		return 77;
	released = mmap(NULL, sizeof(*released), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(released != MAP_FAILED);
	test_records(in);
	test_leave(in);
	test_watch(in);
	test_told(in);
	test_late(in);
	test_lost(in);
	test_only(in);
	test_dear(in);
	test_doubt(in);
	test_gap(in);
	test_no_gap(in);
	interrupts_drop(in);
	return 0;
}
