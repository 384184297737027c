/* SPDX-License-Identifier: ISC */
/* natives.c: see natives.h. */
#include "natives.h"

#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "recording.h"

#define FIRST_LOOK 0.25 /* s */
#define LOOK_EVERY 1.0	/* s */
#define LOOK_SHARE 200	/* a look takes one of so many parts of the time at most */
#define TASK_MAX (1 << 22) /* no thread has a larger id */
#define NAMES_SHOWN 3

/* ---- a look -------------------------------------------------------------- */

static FILE *
open_task(pid_t pid, pid_t task, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)task,
	    name);
	return fopen(path, "re");
}

/* The id of a thread in the innermost PID namespace that it is in. */
static uint64_t
inner_id(pid_t pid, pid_t task)
{
	FILE *f = open_task(pid, task, "status");
	uint64_t id = (uint64_t)task;
	char line[256], *last;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "NSpid:", 6) == 0 &&
		    (last = strrchr(line, '\t')) != NULL)
			id = strtoull(last, NULL, 10);
	if (f != NULL)
		fclose(f);
	return id;
}

/* Takes the name and the CPU time of a thread.  The name may hold any character, so it
 * ends at the last parenthesis. */
static bool
read_stat(pid_t pid, struct native_task *t)
{
	FILE *f = open_task(pid, t->task, "stat");
	uint64_t user, system;
	char text[1024], *name, *end;
	size_t n;

	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	if ((name = strchr(text, '(')) == NULL || (end = strrchr(text, ')')) == NULL ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
		"%" SCNu64 " %" SCNu64, &user, &system) != 2)
		return false;
	*end = '\0';
	snprintf(t->name, sizeof(t->name), "%s", name + 1);
	t->last = user + system;
	return true;
}

static int
compare_tasks(const void *pa, const void *pb)
{
	const struct native_task *a = pa, *b = pb;

	return (a->task > b->task) - (a->task < b->task);
}

static struct native_task *
find_task(const struct natives *n, size_t sorted, pid_t task)
{
	const struct native_task key = {.task = task};

	return sorted == 0 ? NULL : bsearch(&key, n->tasks, sorted,
	    sizeof(key), compare_tasks);
}

/* Adds a thread that was not seen before.  One without memory for it is left out. */
static void
add_task(struct natives *n, pid_t pid, pid_t task)
{
	struct native_task t = {.task = task}, *list;

	if (!read_stat(pid, &t))
		return;
	list = array_grow(n->tasks, n->ntasks, &n->max, sizeof(*list));
	if (list == NULL)
		return;
	t.inner = inner_id(pid, task);
	t.first = n->attached && !n->seen ? t.last : 0;
	n->tasks = list;
	list[n->ntasks++] = t;
}

static void
look_at_tasks(struct natives *n, pid_t pid)
{
	size_t sorted = n->ntasks;
	struct native_task *known;
	struct dirent *e;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((d = opendir(path)) == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		pid_t task = (pid_t)strtol(e->d_name, NULL, 10);
		if (task > 0 && (known = find_task(n, sorted, task)) != NULL)
			read_stat(pid, known);
		else if (task > 0)
			add_task(n, pid, task);
	}
	closedir(d);
	if (n->ntasks > sorted)
		qsort(n->tasks, n->ntasks, sizeof(*n->tasks), compare_tasks);
}

/* Finds the first library of the process that is known to have threads of its own. */
static const char *
find_library(pid_t pid)
{
	static const struct {
		const char *part, *name;
	} known[] = {{"openblas", "OpenBLAS"}, {"/libmkl_", "MKL"},
	    {"/libtbb", "TBB"}, {"/libgomp", "OpenMP"}, {"/libiomp", "OpenMP"},
	    {"/libomp", "OpenMP"}};
	const char *found = NULL;
	char path[64], line[4096];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return NULL;
	while (found == NULL && fgets(line, sizeof(line), f) != NULL)
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (found == NULL && strstr(line, known[i].part) != NULL)
				found = known[i].name;
	fclose(f);
	return found;
}

void
natives_look(struct natives *n, pid_t pid, bool attached, double now)
{
	size_t before = n->ntasks;
	double took;

	if (n->due == 0)
		n->due = now + (attached ? 0 : FIRST_LOOK);
	if (now < n->due)
		return;
	n->attached = attached;
	look_at_tasks(n, pid);
	if (n->ntasks > before && n->ntasks > 1 && n->library == NULL)
		n->library = find_library(pid);
	n->seen = true;
	took = recording_clock() - now;
	n->due = now + (took * LOOK_SHARE > LOOK_EVERY ? took * LOOK_SHARE :
							 LOOK_EVERY);
}

/* ---- the line ------------------------------------------------------------ */

static bool
has_samples(const struct sample_counts *c, uint64_t id)
{
	for (size_t i = 0; i < c->nthreads; i++)
		if (c->threads[i] == id)
			return true;
	return false;
}

/* Whether the ids of the samples are those of the kernel. */
static bool
ids_known(const struct sample_counts *c)
{
	for (size_t i = 0; i < c->nthreads; i++)
		if (c->threads[i] > TASK_MAX)
			return false;
	return c->nthreads > 0;
}

/* Adds a name to those that are shown, once. */
static void
add_native_name(char *names, size_t size, const char *name, size_t *shown)
{
	const char *found = strstr(names, name);

	if (found != NULL || *shown == NAMES_SHOWN)
		return;
	strncat(names, *shown > 0 ? ", " : "", size - strlen(names) - 1);
	strncat(names, name, size - strlen(names) - 1);
	++*shown;
}

void
natives_show(const struct natives *n, const struct sample_counts *c, double seconds)
{
	char names[NAMES_SHOWN * (NATIVE_NAME + 2)] = "";
	size_t count = 0, shown = 0;
	uint64_t ticks = 0;
	double used;

	if (!ids_known(c))
		return;
	for (size_t i = 0; i < n->ntasks; i++) {
		const struct native_task *t = &n->tasks[i];
		if (t->last <= t->first || has_samples(c, t->inner))
			continue;
		ticks += t->last - t->first;
		count++;
		add_native_name(names, sizeof(names), t->name, &shown);
	}
	used = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	if (count == 0 || used < seconds / 100)
		return;
	warnx("%zu thread%s without Python used %.2f s of CPU time, which the "
	    "profile does not show: %s%s%s%s", count, count == 1 ? "" : "s", used,
	    names, n->library != NULL ? " (" : "",
	    n->library != NULL ? n->library : "", n->library != NULL ? ")" : "");
}

void
natives_clear(struct natives *n)
{
	free(n->tasks);
	*n = (struct natives){0};
}
