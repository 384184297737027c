/* SPDX-License-Identifier: ISC */
/*
 * interruptcost.c: how long an interrupt holds up the thread that it comes to,
 * even if it copies nothing: in a virtual machine, where the host sends it, ten
 * times as long as elsewhere, or a hundred.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernel/bpf_load.h"
#include "engine/os/clock.h"

#define TICK (50 * NS_PER_US)
#define TICKS 9			 /* that are measured; the median counts */
#define TICKS_MIN 5		 /* or so many */
#define PATIENCE NS_PER_MS	 /* for them */
#define GAP (5 * NS_PER_US)	 /* what is shorter matters at no rate */

/* A clock that interrupts this thread, with the program of ours that does so to
 * others; that one does nothing as long as nothing is asked for. */
static int
open_clock(const struct interrupts *in)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK,
	    .sample_period = TICK, .exclude_hv = 1, .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, in->tick) == 0 &&
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The times of its CPU time in which this thread did not go on; returns how many.
 * When another one has the CPU is none of these. */
static size_t
find_gaps(uint64_t gaps[TICKS])
{
	uint64_t before = clock_cpu_ns(), end = before + PATIENCE, now;
	size_t n = 0;

	for (; n < TICKS && before < end; before = now) {
		now = clock_cpu_ns();
		if (now - before > GAP)
			gaps[n++] = now - before;
	}
	return n;
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t
interrupts_measure(const struct interrupts *in)
{
	uint64_t gaps[TICKS];
	int fd;
	size_t n;

	in->ahead->stopped = INTERRUPT_ENOUGH;
	if ((fd = open_clock(in)) < 0)
		return 0;
	n = find_gaps(gaps);
	close(fd);
	qsort(gaps, n, sizeof(*gaps), compare);
	return n >= TICKS_MIN ? gaps[n / 2] : 0;
}
