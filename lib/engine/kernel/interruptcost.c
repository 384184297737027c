/* SPDX-License-Identifier: ISC */
/*
 * interruptcost.c: how long an interrupt that copies nothing holds up its thread.
 * In a virtual machine, where the host sends the interrupt, that is ten or a hundred
 * times as long as elsewhere.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernel/bpf_load.h"
#include "engine/os/os.h"

#define TICK (50 * NS_PER_US)
#define TICKS 9			 /* to measure; the median counts */
#define TICKS_MIN 5		 /* fewer are no measurement */
#define PATIENCE NS_PER_MS	 /* for all ticks */
#define GAP (5 * NS_PER_US)	 /* a shorter one matters at no rate */

/* Opens a clock that interrupts this thread at each TICK of its CPU time, and runs
 * the program of batches, which does nothing as there is no batch.  Returns a
 * descriptor; -1 if there can be none. */
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

/* Finds gaps in the CPU time of this thread, in which it did not go on; ns.  Returns
 * their number.  Time in which another thread has the CPU is no gap. */
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
