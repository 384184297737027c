/* SPDX-License-Identifier: ISC */
/*
 * test_batch: each record of a thread that is copied ahead is of one moment and
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
#include "engine/kernel/batch.h"
#include "engine/kernel/bpf_load.h"
#include "engine/os/os.h"

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
begin_batches(struct batch *b, const struct process *p, uint32_t size,
    bool told)
{
	struct snapshot s = {0};
	struct batch_ask ask = {.task = p->pid, .first = &s, .way = counter_way,
	    .watches = !told, .told = told};

	counter_ask(&s);
	/* The last word of what is asked for. */
	ask.watch[0] = (struct interrupt_watch){3 * sizeof(uint64_t),
	    UINT64_MAX, counter->sign};
	assert(batch_prepare(b, INTERVAL) && batch_ask(b, &ask) &&
	    batch_begin(b, &no_gil, 0, size) && b->on);
	snapshot_free(&s);
}

static void
begin(struct batch *b, const struct process *p)
{
	begin_batches(b, p, BATCH, false);
}

/* What the descriptor says within a second. */
static short
wait_for(const struct batch *b)
{
	struct pollfd fd = {batch_fd(b, 0), POLLIN, 0};

	while (poll(&fd, 1, 1000) < 0)
		assert(errno == EINTR);
	return fd.revents;
}

/* Reads what there is.  Returns how many records that were. */
static size_t
read_all(struct batch *b, uint64_t *last)
{
	struct snapshot s = {0};
	uint64_t time;
	size_t n;

	for (n = 0; batch_next(b, &time); n++) {
		counter_ask(&s);
		assert(batch_take(b, &s) == INTERRUPT_OK);
		counter_check(&s);
		assert(time > *last && time <= clock_ns());
		*last = time;
	}
	snapshot_free(&s);
	return n;
}

/* Reads until it has ended. */
static size_t
read_on(struct batch *b, uint64_t *last)
{
	size_t n = 0;

	for (;;) {
		n += read_all(b, last);
		if (!b->on)
			return n;
		assert(wait_for(b) == POLLIN);
	}
}

/* Where something else takes its CPU, it begins anew.  Batches are whole, but for
 * the last one. */
static void
test_records(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;
	size_t n = 0, batches = 0, k;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	while (n < RECORDS) {
		if (!b.on)
			begin(&b, &p);
		assert(wait_for(&b) == POLLIN);
		k = read_all(&b, &last);
		batches += k > 0 && k % BATCH == 0;
		n += k;
	}
	assert(batches > 0);
	batch_end(&b);
	read_all(&b, &last);
	assert(!b.on && !batch_next(&b, &last));
	batch_free(&b);
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
	return task_state(p->pid, -1).is == TASK_BLOCKED;
}

/* A thread that blocks is left at once, with all that was recorded before; and
 * one that rests has no records. */
static void
test_leave(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;

	batch_init(&b, in);
	counter_start(&p, run_a_while);
	begin(&b, &p);
	counter->ready = 0;
	read_on(&b, &last);
	while (!is_blocked(&p))
		usleep(1000);
	begin(&b, &p);
	usleep(10000);
	assert(read_all(&b, &last) == 0 && b.on);
	batch_cancel(&b);
	assert(!b.on && !batch_next(&b, &last));
	batch_free(&b);
	counter_stop(&p);
}

/* A word that is watched ends it with the record in which it has changed. */
static void
test_watch(struct interrupts *in)
{
	struct process p;
	struct batch b;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < SIGNS; i++) {
		uint64_t changed, time;
		int later = 0;

		begin(&b, &p);
		counter->sign++;
		changed = clock_ns();
		do
			while (batch_next(&b, &time))
				later += time > changed;
		while (b.on && wait_for(&b) == POLLIN);
		assert(!b.on && later <= 1);
	}
	batch_free(&b);
	counter_stop(&p);
}

/* Of another one it is told at once, and goes on; unless something else takes its
 * CPU. */
static void
test_told(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;
	int goes_on = 0;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < SIGNS; i++) {
		if (!b.on)
			begin_batches(&b, &p, LARGE, true);
		counter->sign++;
		assert(wait_for(&b) == POLLIN);
		assert(read_all(&b, &last) < LARGE);
		goes_on += b.on;
	}
	assert(goes_on > SIGNS / 2);
	batch_free(&b);
	counter_stop(&p);
}

/* What is not read in time is not recorded, and what is recorded is not lost. */
static void
test_late(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;
	size_t most = 0, n;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	for (int i = 0; i < LATE && most < INTERRUPT_WIRES * BATCH; i++) {
		if (!b.on)
			begin(&b, &p);
		usleep(BATCH * 4 * INTERVAL / NS_PER_US);
		n = read_all(&b, &last);
		assert(n <= (INTERRUPT_WIRES + 1) * BATCH);
		most = n > most ? n : most;
	}
	assert(most >= INTERRUPT_WIRES * BATCH);
	batch_free(&b);
	counter_stop(&p);
}

/* Frames that lead nowhere, and a thread that is no more. */
static void
test_lost(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	counter->frames[1].previous = (struct counter_frame *)8;
	begin(&b, &p);
	assert(read_on(&b, &last) == 0);
	counter_link_frames();
	begin(&b, &p);
	kill(p.pid, SIGKILL);
	while (!(wait_for(&b) & POLLHUP) && b.on)
		read_all(&b, &last);
	batch_lose(&b, 0);
	read_all(&b, &last);
	assert(!b.on);
	batch_free(&b);
	counter_stop(&p);
}

/* What the kernel writes to is not used otherwise meanwhile. */
static void
test_only(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	struct batch b;
	uint64_t rest;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	begin(&b, &p);
	assert(interrupts_read(in, p.pid, process_thread_cpu(&p, p.pid), &s,
		   &counter_way, &rest) == INTERRUPT_ELSEWHERE);
	batch_free(&b);
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
start_apart(struct process *p, struct batch *b, struct interrupts *in)
{
	int cpu;

	batch_init(b, in);
	if (!batch_knows_calls(b))
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
	struct batch b;
	uint64_t time;
	pid_t pid;
	int cpu = start_apart(&p, &b, in);

	if (cpu < 0)
		return;
	pid = start_hog(cpu);
	begin(&b, &p);
	usleep(GAP / NS_PER_US);
	release(pid);
	while (!batch_next(&b, &time))
		assert(b.on && wait_for(&b) == POLLIN);
	assert(batch_away(&b) > GAP / 2);
	batch_free(&b);
	counter_stop(&p);
}

/* One that is stopped before it gets its CPU back was not only waiting for that. */
static void
test_no_gap(struct interrupts *in)
{
	uint64_t time = 0, stopped, n;
	struct process p;
	struct batch b;
	pid_t pid;
	int cpu = start_apart(&p, &b, in);

	if (cpu < 0)
		return;
	begin(&b, &p);
	pid = start_hog(cpu);
	kill(p.pid, SIGSTOP);
	release(pid);
	usleep(4 * GAP / NS_PER_US);
	stopped = clock_ns();
	kill(p.pid, SIGCONT);
	for (n = 0; n < SIGNS; n += time > stopped) {
		while (!batch_next(&b, &time))
			assert(b.on && wait_for(&b) == POLLIN);
		assert(batch_away(&b) < 4 * GAP); /* it may wait as well */
	}
	batch_free(&b);
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
	struct batch b;

	batch_init(&b, in);
	counter_start(&p, counter_run);
	in->cost = 2;
	in->budget = 1;
	assert(!batch_prepare(&b, INTERVAL));
	counter_ask(&s);
	while (interrupts_read(in, p.pid, process_thread_cpu(&p, p.pid), &s,
		   &counter_way, &rest) != INTERRUPT_OK)
		counter_ask(&s);
	assert(rest >= in->cost * INTERRUPT_SHARE);
	in->cost = 0;
	while (!batch_is_dear(&b)) {
		begin(&b, &p);
		assert(read_on(&b, &last) <= 1);
	}
	in->cost = cost;
	in->budget = budget;
	snapshot_free(&s);
	batch_free(&b);
	counter_stop(&p);
}

/* Whether a thread has a CPU is known again with the first record. */
static void
test_doubt(struct interrupts *in)
{
	struct process p;
	struct batch b;
	uint64_t last = 0;

	batch_init(&b, in);
	counter_start(&p, counter_rest);
	begin(&b, &p);
	usleep(5000);
	assert(batch_doubts(&b));
	batch_free(&b);
	counter_stop(&p);
	counter_start(&p, counter_run);
	begin_batches(&b, &p, LARGE, false);
	while (batch_doubts(&b)) {
		if (read_all(&b, &last) == 0 && !b.on)
			begin_batches(&b, &p, LARGE, false);
		usleep(1000);
	}
	batch_free(&b);
	counter_stop(&p);
}

int
main(void)
{
	struct interrupts *in = interrupts_new(NS_PER_S, 0);

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
