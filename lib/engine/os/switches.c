/* SPDX-License-Identifier: ISC */
/* switches.c: see os.h. */
#include "engine/os/proc.h"

#include <stdlib.h>
#include <unistd.h>

#define RESTS 64	 /* looks that take as long as to open the event ... */
#define RESTS_FIRST 16 /* ... at first: threads that rest are watched soon */

void
switches_init(struct switches *s)
{
	*s = (struct switches){.fd = -1, .then = SWITCHES_UNKNOWN};
}

static void
unwatch(struct switches *s)
{
	if (s->page != NULL)
		perf_unwatch(s->page);
	s->page = NULL;
}

void
switches_free(struct switches *s)
{
	if (s->fd >= 0)
		close(s->fd);
	unwatch(s);
	switches_init(s);
}

/* ---- by the file ------------------------------------------------------- */

/* The third number of schedstat. */
uint64_t
switches_count(struct switches *s, const struct process *p, pid_t task)
{
	char text[128], *end = text;
	uint64_t n = SWITCHES_UNKNOWN;
	ssize_t len;
	int fd = s->fd >= 0 ? s->fd : proc_open_task(p, task, "schedstat");

	if (fd < 0)
		return SWITCHES_UNKNOWN;
	len = pread(fd, text, sizeof(text) - 1, 0);
	if (fd == s->fd || proc_may_keep(fd))
		s->fd = fd;
	else
		close(fd);
	if (len <= 0)
		return SWITCHES_UNKNOWN;
	text[len] = '\0';
	for (int i = 0; i < 3; i++)
		n = strtoull(end, &end, 10);
	return n != 0 ? n : SWITCHES_UNKNOWN;
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

/* The first event of a machine takes the kernel 10 ms, so one is kept open. */
static bool
may_watch(struct watcher *w)
{
	if (w->event < 0 && !w->refused)
		w->event = perf_hold(&w->refused);
	return w->event >= 0 && !w->refused;
}

/* Watches a thread, unless it has got a CPU since the last look. */
static void
watch_page(struct switches *s, const struct process *p, pid_t task,
    struct watcher *w)
{
	s->rests = 0;
	s->watched = true;
	if (!may_watch(w))
		return;
	s->page = perf_watch(task, w->program, &w->refused);
	if (s->page == NULL)
		return;
	if (switches_count(s, p, task) == s->then)
		s->then = *s->page;
	else
		unwatch(s);
}

bool
switches_rests(const struct switches *s)
{
	return s->page != NULL && *s->page == s->then;
}

/* Whether a watched thread has got a CPU: then it is not watched any more. */
static bool
page_had(struct switches *s, const struct process *p, pid_t task)
{
	if (switches_rests(s))
		return false;
	unwatch(s);
	s->then = switches_count(s, p, task);
	return true;
}

bool
switches_had(struct switches *s, const struct process *p, pid_t task,
    struct watcher *w)
{
	uint64_t then = s->then;

	if (s->page != NULL)
		return page_had(s, p, task);
	s->then = switches_count(s, p, task);
	if (s->then != then || then == SWITCHES_UNKNOWN) {
		s->rests = 0;
		return true;
	}
	if (++s->rests >= (s->watched ? RESTS : RESTS_FIRST))
		watch_page(s, p, task, w);
	return false;
}
