/* SPDX-License-Identifier: ISC */
/* numbers.c: the numbers of new processes; see os.h. */
#include "engine/os/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PID_MAX_MIN 300	      /* no kernel has less */
#define PID_MAX_MAX (1 << 22) /* nor more */

static pid_t
read_max(void)
{
	int max = proc_number("/proc/sys/kernel/pid_max", 0);

	return max > PID_MAX_MIN && max < PID_MAX_MAX ? max : PID_MAX_MAX;
}

/* The number is all that the one file has, and the last word of the other. */
bool
numbers_open(struct process_numbers *n)
{
	n->max = read_max();
	n->fd = open("/proc/sys/kernel/ns_last_pid", O_RDONLY | O_CLOEXEC);
	if (n->fd < 0)
		n->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	return n->fd >= 0;
}

void
numbers_close(struct process_numbers *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

pid_t
numbers_last(const struct process_numbers *n, pid_t before)
{
	char text[128], *blank;
	ssize_t len = pread(n->fd, text, sizeof(text) - 1, 0);
	long last;

	if (len <= 0)
		return before;
	text[len] = '\0';
	blank = strrchr(text, ' ');
	last = strtol(blank != NULL ? blank : text, NULL, 10);
	return last > 0 && last < n->max ? (pid_t)last : before;
}

void
numbers_each(void (*f)(void *, pid_t), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid > 0)
			f(arg, pid);
	}
	if (d != NULL)
		closedir(d);
}
