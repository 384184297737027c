/* SPDX-License-Identifier: ISC */
/*
 * timer.c: the least that a timer in a program's own context costs that program
 * on a machine:
 *
 *	timer RATE PID
 *
 * so often interrupts the main thread of a process by its CPU time, for nothing,
 * until it ends.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	long rate = argc == 3 ? atol(argv[1]) : 0;
	struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(clock), .config = PERF_COUNT_SW_TASK_CLOCK,
	    .exclude_hv = 1};
	struct pollfd process = {.events = POLLIN};
	pid_t pid;

	if (rate < 1 || rate > 100000) {
		fputs("usage: timer RATE PID\n", stderr);
		return 2;
	}
	clock.sample_period = 1000000000 / (unsigned long)rate;
	pid = atoi(argv[2]);
	process.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process.fd < 0 || syscall(SYS_perf_event_open, &clock, pid, -1, -1,
	    PERF_FLAG_FD_CLOEXEC) < 0 || poll(&process, 1, -1) < 0) {
		perror("timer");
		return 1;
	}
	return 0;
}
