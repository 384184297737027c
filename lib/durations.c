/* SPDX-License-Identifier: ISC */
/*
 * durations.c: a source with the duration of each sample.  The duration is
 * known when the thread's next sample comes.  So the newest run of each thread
 * is held back until then: a short run as a whole, of a long one the last
 * sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "tach.h"

#define HELD_MAX 64 /* most ticks of a run that is held back */

/* Room for the frames and ticks of a run. */
struct run_room {
	uint32_t *frames;
	struct tach_tick *ticks;
	size_t frames_max, ticks_max;
};

/* A thread's run that waits for the next one. */
struct held {
	struct tach_run run;
	struct run_room room; /* of it */
	bool known;	   /* the thread was seen before and has */
	uint64_t interval; /* this interval */
};

struct durations {
	struct tach_source source, *from;
	struct tach_run run; /* read but not held yet; count 0: none */
	int end;	/* how `from` ended; TACH_OK: it goes on */
	size_t drained; /* threads without a held run */
	struct held *threads; /* by a run's index */
	struct run_room given; /* of the run that was given last */
	size_t nthreads, max;
	struct tach_tick *ticks; /* of a run that is too long to be held */
	size_t nticks;
	struct error error;
};

static int
durations_no_memory(struct durations *s)
{
	return error_system(&s->error, "", ENOMEM);
}

/* ---- how long ------------------------------------------------------------ */

/* How long a sample at a time stands, whose thread's next one is of this time: a switch
 * says that nothing has changed before. */
static uint32_t
duration_of(uint64_t interval, uint64_t from, uint64_t to, bool is_switch)
{
	uint64_t most = UINT32_MAX;

	if (interval != 0 && !is_switch && interval < most / TACH_DURATION_INTERVALS)
		most = interval * TACH_DURATION_INTERVALS;
	return (uint32_t)(to - from < most ? to - from : most);
}

/* Sets the durations of consecutive ticks, all but the last. */
static void
fill_durations(uint64_t interval, uint8_t switches, struct tach_tick *ticks, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		ticks[i].duration = duration_of(interval, ticks[i].time,
		    ticks[i + 1].time, (ticks[i + 1].status & switches) != 0);
}

/* ---- holding back -------------------------------------------------------- */

/* Makes room for a run.  False if out of memory. */
static bool
room_reserve(struct run_room *to, const struct tach_run *run)
{
	uint32_t *frames = array_reserve(to->frames, &to->frames_max,
	    run->depth, sizeof(*frames));
	struct tach_tick *ticks = array_reserve(to->ticks, &to->ticks_max,
	    run->count, sizeof(*ticks));

	if (frames != NULL)
		to->frames = frames;
	if (ticks != NULL)
		to->ticks = ticks;
	return frames != NULL && ticks != NULL;
}

static struct held *
held_thread(struct durations *s, const struct tach_run *run)
{
	struct held *h;

	while (s->nthreads <= run->index) {
		struct held *p = array_grow(s->threads, s->nthreads, &s->max,
		    sizeof(*p));
		if (p == NULL)
			return NULL;
		s->threads = p;
		p[s->nthreads++] = (struct held){0};
	}
	h = &s->threads[run->index];
	if (!h->known)
		h->interval = tach_table_interval(s->source.table,
		    s->source.meta, run->interp);
	h->known = true;
	return h;
}

/* Gives the held run of a thread whose next sample is at `until`, with this status.  The
 * thread gets the room of the run that was given before. */
static void
release_run(struct durations *s, struct held *h, uint64_t until, uint8_t status,
    struct tach_run *run)
{
	struct run_room room = h->room;
	struct tach_tick *last = &room.ticks[h->run.count - 1];

	last->duration = duration_of(h->interval, last->time, until,
	    (status & tach_table_switches(s->source.table)) != 0);
	*run = h->run;
	run->frames = room.frames;
	run->ticks = room.ticks;
	h->run.count = 0;
	h->room = s->given;
	s->given = room;
}

/* Holds back the run that was read. */
static int
hold_run(struct durations *s, struct held *h)
{
	const struct tach_run *run = &s->run;
	struct run_room *to = &h->room;

	if (!room_reserve(to, run))
		return durations_no_memory(s);
	h->run = *run;
	if (run->depth > 0)
		memcpy(to->frames, run->frames,
		    run->depth * sizeof(*to->frames));
	memcpy(to->ticks, run->ticks, run->count * sizeof(*to->ticks));
	fill_durations(h->interval, tach_table_switches(s->source.table), to->ticks,
	    run->count);
	s->run.count = 0;
	return TACH_OK;
}

/* Copies a run's ticks to where they can be changed. */
static bool
copy_ticks(struct durations *s, const struct tach_run *run)
{
	struct tach_tick *p = array_reserve(s->ticks, &s->nticks, run->count,
	    sizeof(*p));

	if (p == NULL)
		return false;
	s->ticks = p;
	memcpy(s->ticks, run->ticks, run->count * sizeof(*s->ticks));
	return true;
}

/* Gives all but the last sample of the long run that was read.  The last sample
 * shares the whole stack with them. */
static int
give_beginning(struct durations *s, const struct held *h, struct tach_run *run)
{
	size_t last = s->run.count - 1;

	if (!copy_ticks(s, &s->run))
		return durations_no_memory(s);
	fill_durations(h->interval, tach_table_switches(s->source.table), s->ticks,
	    s->run.count);
	*run = s->run;
	run->ticks = s->ticks;
	run->count = last;
	s->run.shared = s->run.depth;
	s->run.ticks += last;
	s->run.count = 1;
	return TACH_OK;
}

/* ---- the sources --------------------------------------------------------- */

/* Takes the run that was read: gives the held run of its thread, or the
 * beginning of the run itself, and holds the run back.  A long run that comes
 * after a held one waits until that was given.  Gives a run without ticks if
 * there is none to give yet. */
static int
take_run(struct durations *s, struct tach_run *run)
{
	struct held *h = held_thread(s, &s->run);
	bool is_long = s->run.count > HELD_MAX;

	run->count = 0;
	if (h == NULL)
		return durations_no_memory(s);
	if (h->run.count > 0)
		release_run(s, h, s->run.ticks[0].time, s->run.ticks[0].status, run);
	else if (is_long)
		return give_beginning(s, h, run);
	return is_long ? TACH_OK : hold_run(s, h);
}

/* Gives the held run of a thread, after the end of the input. */
static int
give_rest(struct durations *s, struct tach_run *run)
{
	while (s->drained < s->nthreads) {
		struct held *h = &s->threads[s->drained++];
		size_t n = h->run.count;
		if (n == 0)
			continue;
		release_run(s, h, h->room.ticks[n - 1].time + h->interval, 0, run);
		return TACH_OK;
	}
	return s->end;
}

static int
read_run(struct durations *s)
{
	int rc = tach_source_next(s->from, &s->run);

	if (rc != TACH_OK)
		s->run.count = 0;
	if (rc == TACH_END || rc == TACH_FATAL)
		s->end = rc;
	return rc;
}

static int
durations_next(struct tach_source *source, struct tach_run *run)
{
	struct durations *s = source->arg;
	int rc;

	for (run->count = 0; run->count == 0 && s->end == TACH_OK;) {
		rc = s->run.count > 0 ? take_run(s, run) : read_run(s);
		if (rc != TACH_OK && s->end == TACH_OK)
			return rc;
	}
	return run->count > 0 ? TACH_OK : give_rest(s, run);
}

static int
intervals_next(struct tach_source *source, struct tach_run *run)
{
	struct durations *s = source->arg;
	int rc = tach_source_next(s->from, run);
	struct held *h;
	uint32_t one;

	if (rc != TACH_OK)
		return rc;
	if ((h = held_thread(s, run)) == NULL || !copy_ticks(s, run))
		return durations_no_memory(s);
	one = h->interval < UINT32_MAX ? (uint32_t)h->interval : UINT32_MAX;
	for (size_t i = 0; i < run->count; i++)
		s->ticks[i].duration = one;
	run->ticks = s->ticks;
	return TACH_OK;
}

static void
room_clear(struct run_room *room)
{
	free(room->frames);
	free(room->ticks);
}

static void
durations_free(struct tach_source *source)
{
	struct durations *s = source->arg;

	tach_source_free(s->from);
	for (size_t i = 0; i < s->nthreads; i++)
		room_clear(&s->threads[i].room);
	room_clear(&s->given);
	free(s->threads);
	free(s->ticks);
	free(s);
}

static enum tach_error
durations_error(const struct tach_source *source, const char **line)
{
	const struct durations *s = source->arg;

	return error_or(&s->error, s->from, line);
}

static struct tach_source *
new_durations(struct tach_source *from,
    int (*next)(struct tach_source *, struct tach_run *))
{
	struct durations *s = from != NULL ? calloc(1, sizeof(*s)) : NULL;

	if (s == NULL) {
		tach_source_free(from);
		return NULL;
	}
	s->source = (struct tach_source){.size = sizeof(s->source),
	    .arg = s,
	    .meta = from->meta,
	    .table = from->table,
	    .next = next,
	    .free = durations_free,
	    .error = durations_error};
	s->from = from;
	return &s->source;
}

struct tach_source *
tach_durations_new(struct tach_source *from)
{
	return new_durations(from, durations_next);
}

struct tach_source *
tach_fixed_durations_new(struct tach_source *from)
{
	return new_durations(from, intervals_next);
}
