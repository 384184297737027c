/* SPDX-License-Identifier: ISC */
/*
 * attach.c: the agent's start in a process that runs already.  The process's
 * Python runs a script, which loads the agent and calls tach_agent_start or
 * PyInit_tach_agent.  Nothing in this file runs in a handler.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/got.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/thread.h"
#include "agent/ticks.h"

#define ATTACH_ENV "TACH_ATTACH"

WRAPPER int tach_agent_start(const char *where);
WRAPPER void *PyInit_tach_agent(void);

/* The timers that adopt the threads of process `pid`.  A thread deletes its
 * timer when it runs. */
static struct {
	pid_t pid;
	int32_t *list;
	size_t count;
} timers;

static void
note_timer(int32_t timer)
{
	int32_t *list = reallocarray(timers.list, timers.count + 1,
	    sizeof(*list));

	if (list == NULL)
		return;
	timers.list = list;
	list[timers.count++] = timer;
}

/* Deletes the timers of an earlier recording: a thread that slept all through
 * it still has one.  A number whose timer is gone does no harm, as the kernel
 * gives it to no other timer. */
static void
delete_timers(void)
{
	for (size_t i = 0; timers.pid == getpid() && i < timers.count; i++)
		syscall(SYS_timer_delete, timers.list[i]);
	timers.pid = getpid();
	timers.count = 0;
}

/* True if a thread has masked our signal. */
static bool
is_masked(pid_t tid)
{
	char path[64], line[256];
	unsigned long long mask = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "SigBlk: %llx", &mask) == 1)
			break;
	fclose(f);
	return (mask & mask_bit()) != 0;
}

/* Makes a thread register itself.  At the first attach, a thread that has
 * masked our signal is refused, as it cannot be told.  Later the mask is no
 * reason: the agent itself masks the signal while a thread waits. */
static void
adopt(pid_t tid, bool first)
{
	int32_t timer = -1;

	if (!first || !is_masked(tid))
		timer = thread_adopt(tid);
	else if (agent_slot() != NULL) {
		errno = EBUSY;
		ticks_refused(agent_slot());
	}
	if (timer >= 0)
		note_timer(timer);
}

/* Adopts all other threads.  New threads already register themselves. */
static void
adopt_threads(void)
{
	pid_t own = (pid_t)syscall(SYS_gettid);
	DIR *d = opendir("/proc/self/task");
	bool first = timers.pid != getpid();
	struct dirent *e;

	delete_timers();
	while (d != NULL && (e = readdir(d)) != NULL) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid > 0 && tid != own)
			adopt(tid, first);
	}
	if (d != NULL)
		closedir(d);
}

/* Returns 0 or an errno. */
int
tach_agent_start(const char *where)
{
	int error = agent_start(where, true);

	if (error != 0)
		return error;
	got_wrap();
	adopt_threads();
	return 0;
}

/* Does the same where Python can only load the agent as an extension module.
 * Replaces the value of TACH_ATTACH, PATH NONCE, by the result.  Always returns
 * NULL, as there is no module. */
void *
PyInit_tach_agent(void)
{
	const char *where = getenv(ATTACH_ENV);
	char result[16];

	if (where != NULL) {
		snprintf(result, sizeof(result), "%d", tach_agent_start(where));
		setenv(ATTACH_ENV, result, 1);
	}
	return NULL;
}
