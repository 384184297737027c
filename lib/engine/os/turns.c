/* SPDX-License-Identifier: ISC */
/* turns.c: see turns.h. */
#include "engine/os/turns.h"

#include <stdlib.h>
#include <unistd.h>

#include "engine/os/perf.h"

#define RESTS 64	 /* looks that take as long as to watch it ... */
#define RESTS_FIRST 16 /* ... once, so most that rest are watched soon */

void
turns_init(struct turns *t)
{
	*t = (struct turns){.fd = -1, .then = TURNS_UNKNOWN};
}

static void
unwatch(struct turns *t)
{
	if (t->page != NULL)
		perf_unwatch(t->page);
	t->page = NULL;
}

void
turns_free(struct turns *t)
{
	if (t->fd >= 0)
		close(t->fd);
	unwatch(t);
	turns_init(t);
}

/* ---- by the file ------------------------------------------------------- */

/* The third number. */
uint64_t
turns_count(struct turns *t, const struct process *p, pid_t task)
{
	char text[128], *end = text;
	uint64_t n = TURNS_UNKNOWN;
	ssize_t len;
	int fd = t->fd >= 0 ? t->fd : process_open_task(p, task, "schedstat");

	if (fd < 0)
		return TURNS_UNKNOWN;
	len = pread(fd, text, sizeof(text) - 1, 0);
	if (fd == t->fd || process_may_keep(fd))
		t->fd = fd;
	else
		close(fd);
	if (len <= 0)
		return TURNS_UNKNOWN;
	text[len] = '\0';
	for (int i = 0; i < 3; i++)
		n = strtoull(end, &end, 10);
	return n != 0 ? n : TURNS_UNKNOWN;
}

/* ---- by the page ------------------------------------------------------- */

void
watcher_init(struct watcher *w, int program)
{
	*w = (struct watcher){.program = program, .event = -1};
}

void
watcher_free(struct watcher *w)
{
	if (w->event >= 0)
		close(w->event);
	w->event = -1;
}

/* The first event of a machine takes the kernel 10 ms: that remains. */
static bool
may_watch(struct watcher *w)
{
	if (w->event < 0 && !w->refused)
		w->event = perf_hold(&w->refused);
	return w->event >= 0 && !w->refused;
}

/* It can have got a CPU before it is watched. */
static void
watch(struct turns *t, const struct process *p, pid_t task, struct watcher *w)
{
	t->rests = 0;
	t->watched = true;
	if (!may_watch(w))
		return;
	t->page = perf_watch(task, w->program, &w->refused);
	if (t->page == NULL)
		return;
	if (turns_count(t, p, task) == t->then)
		t->then = *t->page;
	else
		unwatch(t);
}

bool
turns_rests(const struct turns *t)
{
	return t->page != NULL && *t->page == t->then;
}

/* One that has got one is not watched any more. */
static bool
page_had(struct turns *t, const struct process *p, pid_t task)
{
	if (turns_rests(t))
		return false;
	unwatch(t);
	t->then = turns_count(t, p, task);
	return true;
}

bool
turns_had(struct turns *t, const struct process *p, pid_t task,
    struct watcher *w)
{
	uint64_t then = t->then;

	if (t->page != NULL)
		return page_had(t, p, task);
	t->then = turns_count(t, p, task);
	if (t->then != then || then == TURNS_UNKNOWN) {
		t->rests = 0;
		return true;
	}
	if (++t->rests >= (t->watched ? RESTS : RESTS_FIRST))
		watch(t, p, task, w);
	return false;
}
