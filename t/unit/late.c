/* SPDX-License-Identifier: ISC */
/* late.c: records two processes by recorders that share, and ends one of them while
 * its process has been told to stop but is kept from its CPU for a while.  Prints
 * the longest time that a step took meanwhile, how many rounds there were of the
 * other process, and whether the first one is traced after its end.
 *
 *	late PID OTHER
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "engine/os/os.h"
#include "tach-record.h"

#define INTERVAL (400 * NS_PER_US) /* too short to wait on the process's CPU */
#define SETTLE (300 * NS_PER_MS)
#define TELL (200 * NS_PER_MS) /* to have it told to stop, on a busy machine, too */
#define AWAY (700 * NS_PER_MS) /* less than what a real-time thread may take */
#define PATIENCE (5 * NS_PER_S)
#define TWO 2

static struct tach_recorder *list[TWO];
static uint64_t longest; /* step, ns */
static volatile enum { FREE, TAKEN, RELEASED } *stage; /* of a CPU, for both */

static int
drop(struct tach_sink *s, const struct tach_run *run)
{
	(void)s;
	(void)run;
	return TACH_OK;
}

static struct tach_sink sink = {.size = sizeof(sink), .run = drop};

static void
step(struct tach_recorder *r)
{
	uint64_t begin = clock_ns(), took;

	if (tach_recorder_due(r) > begin)
		return;
	if (tach_recorder_step(r, &sink) < TACH_OK)
		errx(1, "%s", recorder_why(r));
	took = clock_ns() - begin;
	longest = took > longest ? took : longest;
}

static bool
has_ended(const struct tach_recorder *r)
{
	return tach_recorder_state(r) == TACH_RECORDER_ENDED;
}

/* Takes rounds until then, or until the first has ended. */
static void
run_until(uint64_t end)
{
	longest = 0;
	while (!has_ended(list[0]) && clock_ns() < end) {
		for (int i = 0; i < TWO; i++)
			step(list[i]);
		usleep(50);
	}
}

static void
follow(int i, pid_t pid)
{
	const struct tach_recorder_options o = {
	    .size = sizeof(o), .interval_ns = INTERVAL, .blocking = i == 0};

	if ((list[i] = tach_recorder_new(&o)) == NULL)
		err(1, NULL);
	if (i > 0)
		tach_recorder_share(list[i], list[0]);
	if (tach_recorder_follow(list[i], pid) != TACH_OK)
		errx(1, "%s", recorder_why(list[i]));
}

static void
only_on(pid_t task, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(task, sizeof(cpus), &cpus) != 0)
		err(1, "sched_setaffinity");
}

/* Keeps others from a CPU until it is told to end. */
static void
hog(int cpu)
{
	const struct sched_param least = {1};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	only_on(0, cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &least) != 0)
		err(1, "sched_setscheduler");
	*stage = TAKEN;
	while (*stage == TAKEN)
		continue;
	_exit(0);
}

/* A process that has a CPU for itself as soon as this returns. */
static pid_t
take_cpu(int cpu)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		hog(cpu);
	for (; *stage != TAKEN; usleep(1000))
		if (waitpid(pid, NULL, WNOHANG) == pid)
			exit(1);
	return pid;
}

static void
give_cpu_back(pid_t pid)
{
	*stage = RELEASED;
	waitpid(pid, NULL, 0);
}

static const char *
keeper(pid_t pid)
{
	const struct process p = {.pid = pid, .pidfd = -1, .task = pid};

	return stop_tracer(&p) == 0 ? "free" : "held";
}

int
main(int argc, char *argv[])
{
	uint64_t begin, rounds;
	pid_t pid, taker;

	if (argc != 3)
		errx(2, "usage: late PID OTHER");
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stage == MAP_FAILED)
		err(1, NULL);
	pid = (pid_t)atoi(argv[1]);
	only_on(pid, 1);
	only_on(atoi(argv[2]), 0);
	only_on(0, 0);
	follow(0, pid);
	follow(1, atoi(argv[2]));
	run_until(clock_ns() + SETTLE);
	taker = take_cpu(1);
	begin = clock_ns();
	run_until(clock_ns() + TELL);
	rounds = tach_recorder_stats(list[1])->rounds;
	tach_recorder_stop(list[0]);
	run_until(begin + AWAY);
	printf("%d ms, %d rounds, %s", (int)(longest / NS_PER_MS),
	    (int)(tach_recorder_stats(list[1])->rounds - rounds),
	    has_ended(list[0]) ? "early" : "late");
	give_cpu_back(taker);
	run_until(clock_ns() + PATIENCE);
	printf(", %s\n", keeper(pid));
	for (int i = 0; i < TWO; i++)
		tach_recorder_free(list[i]);
	return 0;
}
