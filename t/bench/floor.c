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

#include "engine/os/os.h"
#include "engine/sched/pacer.h"

#define PAGE 4096

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

/* False: it cannot be read, or has ended. */
static bool
copy_page(pid_t pid, unsigned long addr)
{
	static char page[PAGE];
	struct iovec here = {page, PAGE}, there = {(void *)addr, PAGE};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == PAGE;
}

int
main(int argc, char **argv)
{
	unsigned long rate = argc == 4 ? strtoul(argv[1], NULL, 10) : 0, addr;
	struct pacer pacer;
	uint64_t end;

	if (rate < 1 || rate > NS_PER_S) {
		fputs("usage: floor RATE SECONDS PID\n", stderr);
		return 2;
	}
	addr = first_page(argv[3]);
	prctl(PR_SET_TIMERSLACK, 1UL);
	pacer_start(&pacer, NS_PER_S / rate, false, 1, clock_ns());
	end = pacer.next + strtoul(argv[2], NULL, 10) * NS_PER_S;
	while (pacer.next < end) {
		if (addr == 0 || !copy_page(atoi(argv[3]), addr)) {
			perror("floor");
			return 1;
		}
		pacer_advance(&pacer, clock_ns());
		clock_sleep(pacer.next);
	}
	return 0;
}
