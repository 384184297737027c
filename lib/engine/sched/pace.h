/* SPDX-License-Identifier: ISC */
/*
 * pace.h: when rounds are due, and how much of the CPUs they may take.
 *
 * The recorders of a family share one pace, and one thread takes the rounds of
 * all of them: a round of each recorder at each deadline, so that it wakes once
 * for all.  A family may take PACE_PART per cent of our CPUs.  Where its rounds
 * need more, the deadlines of all its recorders move apart until they do not.
 * A recorder that is alone may take more: see realtime.h.
 */
#ifndef ENGINE_SCHED_PACE_H
#define ENGINE_SCHED_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/os/os.h"
#include "engine/sched/pacer.h"
#include "engine/sched/realtime.h"

#define PACE_PART 10

struct pace {
	atomic_uint holders;
	unsigned members; /* recorders that take rounds */
	uint64_t asked;	  /* ns between two deadlines, as asked for, ... */
	double slow;	  /* ... times this factor, if they cost too much */
	struct pacer pacer;
	/* Deadlines that came, taken or not; how many of them were left out, as
	 * they cost too much; ns that are no whole deadline yet. */
	uint64_t number, spared, owed;
	uint64_t turn, at; /* the last deadline that was taken: its number among
			    * these, and when; ns */
	uint64_t done;	   /* when the last round was over */
	uint64_t stepped;  /* when the distance of deadlines was chosen last */
	struct realtime realtime;
	unsigned cpus;
	uint64_t since, cpu; /* when the thread's CPU time was compared last, and
			      * that time; ns */
	uint64_t looked;   /* when pace_done looked at it last */
	uint64_t ordinary; /* until when the thread is not real-time */
};

/* The deadlines that a recorder has seen. */
struct pace_mark {
	uint64_t number, spared, turn; /* of the pace, at its last round */
	uint64_t missed; /* deadlines between its last two rounds, ... */
	uint64_t left;	 /* ... and how many of them were spared */
	bool member;	 /* it takes rounds */
};

/* Makes a pace that is held once; the last pace_drop frees it.  NULL if out of
 * memory. */
struct pace *pace_new(uint64_t interval_ns, bool jitter);
struct pace *pace_hold(struct pace *);
void pace_drop(struct pace *);

/*
 * The functions below are for the one thread that takes the rounds.  Times are
 * ns of CLOCK_MONOTONIC.
 */

/* A recorder's rounds begin, or are over.  The first round is due at once if no
 * other recorder takes rounds. */
void pace_enter(struct pace *, struct pace_mark *, uint64_t now);
void pace_leave(struct pace *, struct pace_mark *);

/* When the next round of a recorder is due. */
uint64_t pace_due(struct pace *, const struct pace_mark *);
/* Whether that round is to be taken now, up to `early` ns before it is due.  If
 * so, sets ->missed and ->left of the mark. */
bool pace_take(struct pace *, struct pace_mark *, uint64_t now, uint64_t early);
/* Notes that a round is over, and looks at the thread's CPU time if it is time
 * to. */
void pace_done(struct pace *, uint64_t now);

/* Chooses another distance between deadlines that the kernel keeps, if the last
 * choice, for any recorder, was long enough ago: a change delays the next
 * round. */
void pace_step(struct pace *, uint64_t now);
/* The present distance, ns. */
uint64_t pace_distance(const struct pace *);
/* Keeps the deadlines again that the kernel kept, the last one at `last`.  Sets
 * ->missed and ->left of the mark by the deadlines since then. */
void pace_resume(struct pace *, struct pace_mark *, uint64_t last, uint64_t now);
/* Whether deadlines are further apart than asked for. */
bool pace_is_slow(const struct pace *);

/* Compares the CPU time of this thread (ns) with the family's part, and moves
 * the deadlines apart, or together again, if it is time to.  True if the thread
 * may be real-time until the next look. */
bool pace_look(struct pace *, uint64_t now, uint64_t cpu);

#endif
