/* SPDX-License-Identifier: ISC */
/* timens.c: see os.h. */
#include "engine/os/os.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* The path of a file in /proc: of a process, or of this one if pid is 0. */
static void
path_of(char *path, size_t size, pid_t pid, const char *name)
{
	if (pid == 0)
		snprintf(path, size, "/proc/self/%s", name);
	else
		snprintf(path, size, "/proc/%d/%s", (int)pid, name);
}

static bool
is_our_timens(pid_t pid)
{
	struct stat a, b;
	char path[64];

	path_of(path, sizeof(path), pid, "ns/time");
	return stat(path, &a) != 0 || stat("/proc/self/ns/time", &b) != 0 ||
	    (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* The offset of a process's CLOCK_MONOTONIC from that of the first time
 * namespace.  The kernel tells the offset that the process's children get; a
 * program that was started in the namespace has the same offset. */
static bool
offset_of(pid_t pid, int64_t *ns)
{
	int64_t s = 0, rest = 0;
	char path[64];
	bool found;
	FILE *f;

	path_of(path, sizeof(path), pid, "timens_offsets");
	if ((f = fopen(path, "re")) == NULL)
		return false;
	found = fscanf(f, "monotonic %" SCNd64 " %" SCNd64, &s, &rest) == 2;
	fclose(f);
	*ns = s * (int64_t)NS_PER_S + rest;
	return found;
}

int64_t
timens_ahead(pid_t pid)
{
	int64_t its, ours;

	if (is_our_timens(pid) || !offset_of(pid, &its) || !offset_of(0, &ours))
		return 0;
	return its - ours;
}
