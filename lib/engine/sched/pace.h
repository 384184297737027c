/* SPDX-License-Identifier: ISC */
/*
 * pace.h: when rounds are due, and how much of the CPUs they may take.
 *
 * The recorders of a family share one pace, and one thread takes the rounds of
 * all of them: at each deadline one of each, so that it wakes once for all.  A
 * family may take PACE_PART per cent of our CPUs; where its rounds need more, the
 * deadlines move apart for all of it alike, until they do not.  A recorder that is
 * alone may take more: see realtime.h.
 */
#ifndef ENGINE_SCHED_PACE_H
#define ENGINE_SCHED_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/os/clock.h"
#include "engine/sched/realtime.h"

#define PACE_PART 10

struct pace {
	atomic_uint holders;
	unsigned members; /* that take rounds */
	uint64_t asked;	  /* ns between two deadlines, if they do not cost too
			   * much ... */
	double slow;	  /* ... else so many times that */
	struct pacer pacer;
	/* Deadlines that came, with those that nobody was to take; which of these
	 * were left out as they cost too much; ns that are no whole one yet. */
	uint64_t number, spared, owed;
	uint64_t turn, at; /* the deadline that is taken: its number among those
			    * that are, and when it was */
	uint64_t done;	   /* when the last round was over */
	uint64_t stepped;  /* since when the distance between deadlines is the same */
	struct realtime realtime;
	unsigned cpus;
	uint64_t since, cpu; /* when the CPU time of this thread was looked at last,
			      * and that; ns */
	uint64_t looked;   /* when anything was done about it */
	uint64_t ordinary; /* until when it is not to be real-time */
};

/* What a recorder knows of it. */
struct pace_mark {
	uint64_t number, spared, turn; /* when it took a round last */
	uint64_t missed; /* deadlines since the round before that, ... */
	uint64_t left;	 /* ... of which so many cost too much */
	bool member;
};

/* NULL: out of memory. */
struct pace *pace_new(uint64_t interval_ns, bool jitter);
struct pace *pace_hold(struct pace *);
void pace_drop(struct pace *);

/*
 * All that follows is for the one thread that takes the rounds.
 */

/* A recorder's rounds begin, the first of which is due at once where it is alone;
 * or are over. */
void pace_enter(struct pace *, struct pace_mark *, uint64_t now);
void pace_leave(struct pace *, struct pace_mark *);

/* When the next round of a recorder is due. */
uint64_t pace_due(struct pace *, const struct pace_mark *);
/* Whether it is to be taken now, which is up to `early` ns before that; and
 * counts what was missed over it. */
bool pace_take(struct pace *, struct pace_mark *, uint64_t now, uint64_t early);
/* A round is over. */
void pace_done(struct pace *, uint64_t now);

/* Chooses another distance between deadlines, where somebody else keeps them and
 * the last choice was long enough ago, whichever recorder asks: to change the
 * distance delays the next round. */
void pace_step(struct pace *, uint64_t now);
/* The distance as it is now, ns. */
uint64_t pace_distance(const struct pace *);
/* These were kept by somebody else until some time: counts those since. */
void pace_resume(struct pace *, struct pace_mark *, uint64_t last, uint64_t now);
/* Whether it was to take longer than was asked for. */
bool pace_is_slow(const struct pace *);

/* Looks at the CPU time of this thread, in ns: deadlines of a family move apart,
 * or together again, if it is time to.  Whether it may be real-time until it is
 * looked at again. */
bool pace_look(struct pace *, uint64_t now, uint64_t cpu);

#endif
