/* SPDX-License-Identifier: ISC */
/* sampler.c: see sampler.h. */
#include "sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "thread.h"

#define NS_PER_S UINT64_C(1000000000)
#define EARLY UINT64_C(10000) /* ns; no sleep is shorter */
/* The longest sleep without poll, ns: new processes are seen after it. */
#define LONG_SLEEP UINT64_C(20000000)
#define NAP 1000000 /* ns between looks whether a round is over, ... */
#define NAPS 200    /* ... and the number of looks */

struct sampler {
	pthread_t thread;
	int wake_fd;
	atomic_bool ending;
	handover_box given;
	/* The process whose round is taken, and its start, ns; NULL: none. */
	_Atomic(struct sampled *) busy;
	atomic_uint_fast64_t since;
	struct sampled **list;
	size_t count, max;
	struct pollfd *fds; /* ours, then the descriptors of each process */
	size_t fds_max;
};

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static struct timespec
timespec_of(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NS_PER_S),
	    (long)(ns % NS_PER_S)};
}

/* ---- its processes ------------------------------------------------------- */

static void
give_back(struct sampled *m, bool over)
{
	m->over = over;
	handover_return(&m->handover);
}

/* Makes room for one more process and its descriptors.  False: out of memory. */
static bool
reserve(struct sampler *s)
{
	struct sampled **list = array_grow(s->list, s->count, &s->max,
	    sizeof(*list));
	struct pollfd *fds;

	if (list == NULL)
		return false;
	s->list = list;
	fds = array_reserve(s->fds, &s->fds_max,
	    (s->count + 1) * TACH_RECORDER_FDS + 1, sizeof(*fds));
	if (fds == NULL)
		return false;
	s->fds = fds;
	return true;
}

/* Accepts new processes.  Out of memory, a process goes back, and comes again. */
static void
accept_given(struct sampler *s)
{
	struct handover *h = handover_take(&s->given), *next;

	for (; h != NULL; h = next) {
		struct sampled *m = (struct sampled *)h;
		next = h->next;
		if (reserve(s))
			s->list[s->count++] = m;
		else
			give_back(m, false);
	}
}

/* ---- rounds -------------------------------------------------------------- */

/* Finds when the first process is due, and returns the number of descriptors. */
static size_t
look_ahead(struct sampler *s, uint64_t *due)
{
	size_t n = 1;

	s->fds[0] = (struct pollfd){s->wake_fd, POLLIN, 0};
	*due = UINT64_MAX;
	for (size_t i = 0; i < s->count; i++) {
		struct sampled *m = s->list[i];
		m->due = tach_recorder_due(m->recording->recorder);
		m->first_fd = n;
		m->fds = tach_recorder_fds(m->recording->recorder, s->fds + n,
		    TACH_RECORDER_FDS);
		n += m->fds;
		*due = m->due < *due ? m->due : *due;
	}
	return n;
}

static void
heed_wake(const struct sampler *s)
{
	uint64_t count;
	ssize_t n = read(s->wake_fd, &count, sizeof(count));

	(void)n; /* nothing there */
}

/* Sleeps until a process is due; by a poll only if there are descriptors, as that
 * takes longer. */
static void
sleep_until_due(struct sampler *s)
{
	uint64_t due, now = now_ns();
	size_t n = look_ahead(s, &due);
	struct timespec t;

	if (n == 1 && due < now + LONG_SLEEP) {
		t = timespec_of(due);
		if (due > now + EARLY)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t,
			    NULL);
		return;
	}
	t = timespec_of(due > now ? due - now : 0);
	if (ppoll(s->fds, n, due != UINT64_MAX ? &t : NULL, NULL) > 0 &&
	    s->fds[0].revents != 0)
		heed_wake(s);
}

static bool
is_due(const struct sampler *s, const struct sampled *m, uint64_t now)
{
	if (m->due <= now + EARLY)
		return true;
	for (size_t i = 0; i < m->fds; i++)
		if (s->fds[m->first_fd + i].revents != 0)
			return true;
	return false;
}

/* Ends a process that could not be saved.  This thread took its rounds, so it holds
 * the stopped threads, and has the CPU and the class of the recorder. */
static void
end(struct recording *r)
{
	struct timespec due;

	while (recording_drop(r) &&
	    tach_recorder_state(r->recorder) == TACH_RECORDER_SAMPLING) {
		due = timespec_of(tach_recorder_due(r->recorder));
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
}

static bool
record_round(struct recording *r)
{
	bool on = recording_step(r);

	if (!on)
		end(r);
	return on;
}

/* Takes one round.  False: the process was given back.  At the end no further round
 * begins. */
static bool
step_one(struct sampler *s, struct sampled *m)
{
	struct recording *r = m->recording;
	bool on;

	s->since = now_ns();
	s->busy = m;
	if (s->ending) {
		s->busy = NULL;
		return true;
	}
	on = record_round(r);
	s->busy = NULL;
	m->samples = tach_recorder_stats(r->recorder)->samples;
	if (on && tach_recorder_state(r->recorder) == TACH_RECORDER_SAMPLING)
		return true;
	give_back(m, !on);
	return false;
}

static void
take_rounds(struct sampler *s)
{
	uint64_t now = now_ns();
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct sampled *m = s->list[i];
		if (!is_due(s, m, now) || step_one(s, m))
			s->list[kept++] = m;
	}
	s->count = kept;
}

static void *
sampler_run(void *arg)
{
	struct sampler *s = arg;

	while (!s->ending) {
		sleep_until_due(s);
		take_rounds(s);
		accept_given(s);
	}
	return NULL;
}

/* ---- for others ---------------------------------------------------------- */

static void
release(struct sampler *s)
{
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	free(s->list);
	free(s->fds);
	free(s);
}

struct sampler *
sampler_new(void)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int e = ENOMEM;

	if (s == NULL)
		return NULL;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->wake_fd < 0)
		e = errno;
	else if (reserve(s))
		e = thread_start(&s->thread, sampler_run, s);
	if (e == 0)
		return s;
	release(s);
	errno = e;
	return NULL;
}

static void
wake(struct sampler *s)
{
	eventfd_write(s->wake_fd, 1);
}

/* Waits a while for the round that is being taken.  NULL: there is none, or it is
 * over. */
static struct sampled *
wait_idle(struct sampler *s)
{
	const struct timespec nap = {0, NAP};
	struct sampled *m;

	for (int i = 0; (m = s->busy) != NULL && i < NAPS; i++)
		nanosleep(&nap, NULL);
	return m;
}

struct sampled *
sampler_free(struct sampler *s)
{
	struct sampled *stuck;

	if (s == NULL)
		return NULL;
	s->ending = true;
	wake(s);
	if ((stuck = wait_idle(s)) != NULL)
		return stuck;
	pthread_join(s->thread, NULL);
	release(s);
	return NULL;
}

struct sampled *
sampler_stuck(const struct sampler *s, uint64_t ns)
{
	struct sampled *m = s->busy;

	return m != NULL && now_ns() > s->since + ns ? m : NULL;
}

void
sampler_give(struct sampler *s, struct sampled *m)
{
	handover_give(&s->given, &m->handover);
	wake(s);
}
