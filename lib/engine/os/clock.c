/* SPDX-License-Identifier: ISC */
/* clock.c: see os.h. */
#include "engine/os/os.h"

#include <errno.h>
#include <time.h>

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t
clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t
clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t
clock_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

bool
clock_sleep(uint64_t until)
{
	struct timespec t = {(time_t)(until / NS_PER_S),
	    (long)(until % NS_PER_S)};

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0;
}

void
clock_poll(struct pollfd *fds, size_t count, uint64_t until)
{
	uint64_t now, left;
	struct timespec t;

	do {
		now = clock_ns();
		left = until > now ? until - now : 0;
		t = (struct timespec){(time_t)(left / NS_PER_S),
		    (long)(left % NS_PER_S)};
	} while (ppoll(fds, count, &t, NULL) < 0 && errno == EINTR);
}
