/* SPDX-License-Identifier: ISC */
/*
 * test_threads: a thread can be looked at from when it is found, before it has
 * its id in the target's memory.
 */
#undef NDEBUG
#include <assert.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/threads/status.h"

static pid_t
start(void (*what)(void))
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			what();
	}
	return pid;
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
run(void)
{
}

static void
rest(void)
{
	pause();
}

static void
test_find(void)
{
	pid_t pid = start(run);
	struct thread t = thread_new((struct py_thread){0});
	struct process p;
	int fd;

	assert(process_open(&p, pid));
	assert(!status_runs(&t));
	thread_find(&t, &p, (uint64_t)pid);
	assert(t.task == pid && t.id.tid == 0 && status_runs(&t));
	fd = t.state_fd;
	thread_find(&t, &p, 1); /* it has been found */
	thread_bind(&t, &p, (uint64_t)pid);
	assert(t.task == pid && t.id.tid == (uint64_t)pid && t.state_fd == fd);
	assert(status_runs(&t));
	thread_bind(&t, &p, 0);
	assert(t.task == 0 && t.id.tid == 0 && t.state_fd == -1);
	thread_free(&t);
	process_close(&p);
	stop(pid);
}

/* What it was found by was another's id, as after a fork. */
static void
test_other(void)
{
	pid_t runs = start(run), rests = start(rest);
	struct thread t = thread_new((struct py_thread){0});
	struct process p, q;

	assert(process_open(&p, runs) && process_open(&q, rests));
	thread_find(&t, &p, (uint64_t)runs);
	assert(status_runs(&t));
	thread_bind(&t, &q, (uint64_t)rests);
	while (status_runs(&t))
		usleep(1000);
	assert(t.task == rests);
	thread_free(&t);
	process_close(&p);
	process_close(&q);
	stop(runs);
	stop(rests);
}

int
main(void)
{
	test_find();
	test_other();
	return 0;
}
