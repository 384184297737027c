/* SPDX-License-Identifier: ISC */
/* wait_quota.c: see wait_quota.h. */
#include "engine/waits/wait_quota.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/os/proc.h"

#define GROUPS "/sys/fs/cgroup"
#define TEXT_MAX 4096 /* bytes of a list of cgroups */
#define STAT_MAX 1024 /* bytes of their counts, which come first */

void
wait_quota_free(struct wait_quota *q)
{
	for (size_t i = 0; i < q->count; i++)
		close(q->stats[i]);
	q->count = 0;
}

/* ---- cgroups ------------------------------------------------------------- */

/* Whether a list with commas has the word "cpu". */
static bool
lists_cpu(const char *list, size_t len)
{
	const char *end = list + len, *comma;

	for (; list < end; list = comma + 1) {
		comma = memchr(list, ',', (size_t)(end - list));
		if (comma == NULL)
			comma = end;
		if (comma - list == 3 && memcmp(list, "cpu", 3) == 0)
			return true;
	}
	return false;
}

/* The folder of the cgroup that a line tells, NUMBER:CONTROLLERS:PATH, if it is one for
 * CPUs: in the second version no controllers are named. */
static bool
folder_of_line(const char *line, char folder[PATH_MAX])
{
	const char *list = strchr(line, ':');
	const char *path = list != NULL ? strchr(list + 1, ':') : NULL;
	size_t len;

	if (path == NULL)
		return false;
	len = (size_t)(path - list) - 1;
	if (len > 0 && !lists_cpu(list + 1, len))
		return false;
	snprintf(folder, PATH_MAX, "%s%s%s", GROUPS, len > 0 ? "/cpu" : "", path + 1);
	return true;
}

/* Opens the counts of a cgroup and of those above it. */
static void
open_stats(struct wait_quota *q, char folder[PATH_MAX])
{
	char path[PATH_MAX + sizeof("/cpu.stat")], *slash;

	while (q->count < QUOTA_LEVELS && strlen(folder) > strlen(GROUPS)) {
		snprintf(path, sizeof(path), "%s/cpu.stat", folder);
		q->stats[q->count] = open(path, O_RDONLY | O_CLOEXEC);
		q->count += q->stats[q->count] >= 0;
		if ((slash = strrchr(folder, '/')) == NULL)
			return;
		*slash = '\0';
	}
}

static void
seek_groups(struct wait_quota *q, const struct process *p)
{
	char text[TEXT_MAX], folder[PATH_MAX], *line, *rest = text;

	wait_quota_free(q);
	if (!proc_read_task(p, p->task, "cgroup", text, sizeof(text)))
		return;
	while (q->count == 0 && (line = strsep(&rest, "\n")) != NULL)
		if (folder_of_line(line, folder))
			open_stats(q, folder);
}

/* ---- counts -------------------------------------------------------------- */

/* The number behind a word of a text; 0 if there is none. */
static uint64_t
number_behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at != NULL ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* The time that the quota of a cgroup took, of all its CPUs; ns. */
static uint64_t
read_taken(int fd)
{
	char text[STAT_MAX];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return number_behind(text, "throttled_time ") +
	    number_behind(text, "throttled_usec ") * NS_PER_US;
}

bool
wait_quota_took(struct wait_quota *q, const struct process *p, uint64_t away)
{
	uint64_t now = clock_ns(), taken = 0, before = q->taken;
	bool fresh = now >= q->again;

	if (fresh) {
		seek_groups(q, p);
		q->again = now + NS_PER_S;
	}
	for (size_t i = 0; i < q->count; i++)
		taken += read_taken(q->stats[i]);
	q->taken = taken;
	return before != 0 && taken > before && taken - before >= away / 2;
}
