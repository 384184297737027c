/* SPDX-License-Identifier: ISC */
/*
 * interrupt.c: the least that it costs a program to be interrupted on a machine:
 *
 *	interrupt timer|call RATE PID
 *
 * so often interrupts its main thread for nothing until it ends: by a timer of
 * the CPU time of that, or by a call of the kernel's from our CPU to that one's.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/os/os.h"
#include "engine/sched/pacer.h"

/* With an interval of 0 it only counts.  To read it is to call its CPU. */
static int
open_clock(pid_t pid, unsigned long interval)
{
	struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(clock), .config = PERF_COUNT_SW_TASK_CLOCK,
	    .sample_period = interval, .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &clock, pid, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
}

static bool
set_timer(pid_t pid, unsigned long interval, struct pollfd *end)
{
	return open_clock(pid, interval) >= 0 && poll(end, 1, -1) == 1;
}

static bool
call(pid_t pid, unsigned long interval, struct pollfd *end)
{
	int clock = open_clock(pid, 0);
	struct pacer pacer;
	uint64_t count;

	prctl(PR_SET_TIMERSLACK, 1UL);
	pacer_start(&pacer, interval, false, 1, clock_ns());
	while (poll(end, 1, 0) == 0) {
		if (read(clock, &count, sizeof(count)) < 0)
			return false;
		pacer_advance(&pacer, clock_ns());
		clock_sleep(pacer.next);
	}
	return true;
}

int
main(int argc, char **argv)
{
	long rate = argc == 4 ? atol(argv[2]) : 0;
	bool timer = argc == 4 && strcmp(argv[1], "timer") == 0;
	struct pollfd end = {.events = POLLIN};
	pid_t pid;

	if (rate < 1 || rate > 100000 ||
	    (!timer && strcmp(argv[1], "call") != 0)) {
		fputs("usage: interrupt timer|call RATE PID\n", stderr);
		return 2;
	}
	pid = atoi(argv[3]);
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (end.fd < 0 || !(timer ? set_timer : call)(pid,
	    NS_PER_S / (unsigned long)rate, &end)) {
		perror("interrupt");
		return 1;
	}
	return 0;
}
