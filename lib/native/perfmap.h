/* SPDX-License-Identifier: ISC */
/*
 * perfmap.h: names of code that a process has made while it runs, as it tells perf of
 * it: /tmp/perf-PID.map has a line for each function, START SIZE NAME, both numbers in
 * hexadecimal.
 *
 * The process writes on while it is recorded, so what it has added is read when an
 * address is not known.  It may write anything: lines that are none are skipped, and
 * what is too much is not read.  The lines are kept in the file; one takes 24 bytes
 * here.  Calls for one map do not overlap in time.
 */
#ifndef NATIVE_PERFMAP_H
#define NATIVE_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERFMAP_NAME_MAX 512 /* bytes, with the terminating 0; longer names are cut */

struct perfmap_name {
	const char *text;    /* valid UTF-8; until the next call */
	uint64_t start, end; /* addresses in the process */
	bool trampoline;     /* of CPython, as py::FUNCTION:FILE: the call of a
			      * function of Python, which is a frame by itself */
};

struct perfmap;

/* Opens the map of a process.  root: a descriptor of its root, -1: ours.  pid: the
 * process's number as it sees it itself.  NULL if there is none, or if memory is out.
 * The caller closes it. */
struct perfmap *perfmap_open(int root, pid_t pid);

/* Finds the code at an address; of several, that which was told last.  False if it is
 * not known. */
bool perfmap_find(struct perfmap *, uint64_t addr, struct perfmap_name *);

/* Bytes that the map takes by now. */
size_t perfmap_memory(const struct perfmap *);

void perfmap_close(struct perfmap *);

#endif
