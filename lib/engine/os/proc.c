/* SPDX-License-Identifier: ISC */
/* proc.c: see proc.h. */
#include "engine/os/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_SPARE 8 /* descriptors that are not kept for long */

int
proc_open(pid_t pid, const char *name)
{
	char path[PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int
proc_open_task(const struct process *p, pid_t task, const char *name)
{
	char path[PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)p->pid,
	    (int)task, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool
proc_read(int fd, char *text, size_t size)
{
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

bool
proc_read_task(const struct process *p, pid_t task, const char *name,
    char *text, size_t size)
{
	return proc_read(proc_open_task(p, task, name), text, size);
}

const char *
proc_read_stat(int fd, char *text, size_t size)
{
	const char *end;

	if (!proc_read(fd, text, size))
		return NULL;
	end = strrchr(text, ')');
	return end != NULL && end[1] == ' ' ? end + 2 : NULL;
}

const char *
proc_stat(pid_t pid, char *text, size_t size)
{
	return proc_read_stat(proc_open(pid, "stat"), text, size);
}

int
proc_number(const char *path, int otherwise)
{
	char text[32];
	int n;

	return proc_read(open(path, O_RDONLY | O_CLOEXEC), text, sizeof(text)) &&
	    sscanf(text, "%d", &n) == 1 ? n : otherwise;
}

bool
proc_main_has_ended(const struct process *p)
{
	char text[PROC_STAT_MAX];
	const char *state = proc_stat(p->pid, text, sizeof(text));

	return state != NULL && (*state == 'Z' || *state == 'X');
}

uint64_t
proc_inner_id(const struct process *p, pid_t task)
{
	int fd = proc_open_task(p, task, "status");
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char line[256];
	uint64_t id = 0;

	if (f == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		char *last = strrchr(line, '\t');
		if (strncmp(line, "NSpid:", 6) == 0 && last != NULL)
			id = strtoull(last, NULL, 10);
	}
	fclose(f);
	return id;
}

bool
proc_may_keep(int fd)
{
	struct rlimit files;

	return fd >= 0 && getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    (rlim_t)fd + FILES_SPARE < files.rlim_cur;
}
