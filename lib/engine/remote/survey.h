/* SPDX-License-Identifier: ISC */
/*
 * survey.h: which interpreters and threads there are, which of these can have
 * run since they were looked at last, and a copy of all that is needed of those,
 * by one call.
 */
#ifndef ENGINE_REMOTE_SURVEY_H
#define ENGINE_REMOTE_SURVEY_H

#include "engine/copy/snapshot.h"
#include "engine/stack/chains.h"
#include "engine/stack/interrupted.h"
#include "engine/threads/interps.h"
#include "engine/threads/threads.h"

struct survey {
	const struct process *process;
	const struct py_runtime *runtime;
	struct chains *chains;
	struct interrupts *interrupts; /* or NULL */
	bool stops; /* threads stand still when they are copied */
	struct interps interps;
	struct threads threads;
	struct py_threads list; /* as they were read last */
	bool listed;		/* that is what there is */
	struct snapshot all;	/* the newest copy */
	size_t globals_first, globals_count; /* ranges of it, ... */
	size_t globals_at; /* ... and where they lie in it */
	size_t head_at; /* and the address of the first interpreter */
	bool lean;	/* it has no lists */
	bool alone;	/* it has one thread, copied in an interrupt */
	bool kept;	/* no GIL has changed hands of late */
	bool past;	/* and was made ahead of its round */
	/* The thread states that are copied so, or the one by a series: if
	 * there are more, they take turns. */
	uint64_t ahead[INTERRUPT_TAKERS];
	size_t takers;
	uint64_t begin, end; /* ns: of the call that did */
	size_t left;	/* copies of a series that were not taken, ... */
	struct snapshot shared; /* ... and what they share */
	unsigned in_its_way; /* how often we took its CPU since then */
	uint64_t time_us, lists_due; /* of the round; when lists are due */
	struct spans spans;
};

/* All must outlive it; there may be no interrupts. */
void survey_init(struct survey *, const struct process *,
    const struct py_runtime *, struct chains *, struct interrupts *,
    bool stops);
void survey_free(struct survey *);

/* Copies the one thread that can have run without a sign of it in an interrupt,
 * if there is one and it runs, and marks the others as below.  Unless ->kept,
 * there is more to copy.  False: it has to be copied otherwise, too. */
bool survey_interrupt(struct survey *);

/* Has the one thread that can have run copied ahead, if the GILs are kept, or
 * those that take turns, and says beforehand how many that would be; and takes
 * what was copied of one as survey_interrupt does. */
size_t survey_may_go_ahead(const struct survey *, const struct batch *);
bool survey_go_ahead(struct survey *, struct batch *, uint64_t interval_ns,
    uint32_t size);
bool survey_take(struct survey *, const struct batch *);
/* Whether one of them, which has left its CPU, waits for something but that,
 * and its turn; if not, it was we who took it, or another one. */
bool survey_ahead_rests(struct survey *);
/* Whether a thread is one of those that take turns, as was copied ahead: then
 * it has its own, or waits for it. */
bool survey_takes_turns(const struct survey *, const struct thread *);

/*
 * Copies the threads that are stale and not done, and in a round's first copy
 * those that can have run without a sign of it; marks as stale those whose last
 * sample does not hold any more, and as unsure those of which only the status
 * may not.  False: the lists are not to be had.
 */
bool survey_copy(struct survey *, bool first);
/* The first copy without the lists.  False: they may matter. */
bool survey_copy_lean(struct survey *);

/*
 * Copies that thread several times, one after the other, by one call; each of the
 * copies is as that of survey_copy_lean.  The next one was made at *time, about
 * (ns, by clock_ns); and takes that, or, if there is more to copy, ends the series.
 * False: there is none, or that.
 */
bool survey_copy_series(struct survey *);
bool survey_has_copy(const struct survey *, uint64_t *time);
bool survey_take_copy(struct survey *);
void survey_end_series(struct survey *);
/* What is of no use in the copy that was taken may be so in a later one: goes on
 * to that, with its stamp of an interpreter, and back again. */
bool survey_look_later(struct survey *, const struct interp *, struct stamp *);
void survey_look_back(struct survey *, size_t copies);

/* The interpreter of a thread. */
struct interp *survey_interp(const struct survey *, const struct thread *);
/* Whether a thread may have run between the last two looks. */
bool survey_may_have_run(const struct survey *, const struct thread *);

#endif
