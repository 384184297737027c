/* SPDX-License-Identifier: ISC */
/* caller.c: see caller.h. */
#include "engine/sched/caller.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/sched/realtime.h"

/* A thread's settings when the first recorder held it. */
struct found {
	unsigned holders;
	cpu_set_t cpus;
	struct schedule schedule;
	bool scheduled; /* ->schedule is known */
	int slack; /* ns; -1: unknown */
};

static _Thread_local struct found found;

/* The limit of open files as the process's first recorder found it, and as that
 * recorder set it. */
static struct {
	pthread_mutex_t lock;
	unsigned holders;
	struct rlimit was;
	rlim_t raised;
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pid_t
own_task(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* ---- files ------------------------------------------------------------- */

static void
raise_files(void)
{
	struct rlimit to;

	if (getrlimit(RLIMIT_NOFILE, &files.was) != 0)
		return;
	to = files.was;
	files.raised = to.rlim_cur = to.rlim_max;
	setrlimit(RLIMIT_NOFILE, &to);
}

/* Restores the limit, unless it was set by others meanwhile. */
static void
give_back_files(void)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur != files.raised)
		return;
	now.rlim_cur = files.was.rlim_cur;
	setrlimit(RLIMIT_NOFILE, &now);
}

static void
hold_files(void)
{
	pthread_mutex_lock(&files.lock);
	if (files.holders++ == 0)
		raise_files();
	pthread_mutex_unlock(&files.lock);
}

static void
drop_files(void)
{
	pthread_mutex_lock(&files.lock);
	if (--files.holders == 0)
		give_back_files();
	pthread_mutex_unlock(&files.lock);
}

/* ---- the thread -------------------------------------------------------- */

static void
note_thread(void)
{
	sched_getaffinity(0, sizeof(found.cpus), &found.cpus);
	found.scheduled = schedule_get(&found.schedule);
	found.slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

/* Restores the slack after the class, which can change it.  colocate_end has
 * restored the CPUs. */
static void
give_back_thread(void)
{
	if (found.scheduled)
		realtime_set_back(&found.schedule);
	if (found.slack > 0)
		prctl(PR_SET_TIMERSLACK, (unsigned long)found.slack, 0UL, 0UL,
		    0UL);
}

void
caller_hold(struct caller *c)
{
	if (c->task != 0)
		return;
	c->task = own_task();
	if (found.holders++ == 0)
		note_thread();
	hold_files();
}

void
caller_drop(struct caller *c)
{
	if (c->task == 0)
		return;
	drop_files();
	if (c->task == own_task() && --found.holders == 0)
		give_back_thread();
	c->task = 0;
}

void
caller_cpus(cpu_set_t *cpus)
{
	if (found.holders > 0)
		*cpus = found.cpus;
	else
		sched_getaffinity(0, sizeof(*cpus), cpus);
}
