/* SPDX-License-Identifier: ISC */
/*
 * floor.c: the least that any sampler from outside costs on a machine:
 *
 *	floor RATE SECONDS PID
 *
 * so often sleeps until the next deadline, with as little slack as there is,
 * and copies one page of a process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>

#define PAGE 4096
#define NS_PER_S 1000000000

/* The address of the first page that a process has mapped; 0: none is known. */
static unsigned long
first_page(const char *pid)
{
	char path[64];
	unsigned long addr = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	if ((maps = fopen(path, "r")) == NULL)
		return 0;
	if (fscanf(maps, "%lx", &addr) != 1)
		addr = 0;
	fclose(maps);
	return addr;
}

static void
sleep_until(long ns)
{
	struct timespec t = {ns / NS_PER_S, ns % NS_PER_S};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int
main(int argc, char **argv)
{
	static char page[PAGE];
	long rate = argc == 4 ? atol(argv[1]) : 0, start;
	unsigned long addr;
	struct timespec now;

	if (rate < 1 || rate > NS_PER_S) {
		fputs("usage: floor RATE SECONDS PID\n", stderr);
		return 2;
	}
	if ((addr = first_page(argv[3])) == 0) {
		perror("floor");
		return 1;
	}
	prctl(PR_SET_TIMERSLACK, 1UL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	start = now.tv_sec * NS_PER_S + now.tv_nsec;
	for (long i = 1; i <= rate * atol(argv[2]); i++) {
		struct iovec here = {page, PAGE}, there = {(void *)addr, PAGE};
		sleep_until(start + i * (NS_PER_S / rate));
		if (process_vm_readv(atoi(argv[3]), &here, 1, &there, 1, 0) !=
		    PAGE) {
			perror("floor");
			return 1;
		}
	}
	return 0;
}
