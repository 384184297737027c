/* SPDX-License-Identifier: ISC */
/*
 * batches.h: the rounds that the kernel takes ahead of the recorder, in one batch
 * after another (kernel/batch.h).
 *
 * A batch has one owner, struct batches.  It says when a batch begins and ends, when
 * its records are looked for, and which rounds they are good for.  Then it gives the
 * plan of such a round one record after another, in the place of a copy.
 */
#ifndef ENGINE_REMOTE_BATCHES_H
#define ENGINE_REMOTE_BATCHES_H

#include "engine/kernel/batch.h"
#include "engine/remote/plan.h"
#include "engine/sched/gap.h"
#include "engine/target/target.h"

/* When a batch begins. */
struct batch_policy {
	uint64_t lost;	  /* codes_lost() before the batch */
	uint64_t learned; /* contexts_learned() at the last look */
	unsigned news;	  /* rounds without a batch that are left */
	unsigned quiet;	  /* rounds in a row fit to be taken ahead */
	/* Quiet rounds before a batch begins: of one thread, and of takers. */
	unsigned patience[2];
};

/* Times of a batch's rounds; ns, CLOCK_MONOTONIC. */
struct batch_times {
	uint64_t last;	 /* of the last round that was taken on time */
	uint64_t newest; /* of the last round, on time or not */
	uint64_t heard;	 /* of the last sign that the batch goes on */
	uint64_t left;	 /* when a thread was last seen to leave its CPU */
};

struct batches {
	struct target *target;
	struct plan *plan;
	struct batch batch;
	struct asked asked;   /* its threads */
	uint64_t interval_ns; /* of the batch */
	unsigned in_its_way;  /* times in the batch that a thread lost its CPU */
	bool given; /* the plan has had a record of the present round */
	struct batch_policy policy;
	struct batch_times times;
	uint64_t cost;	/* ns of CPU time to sample a round */
	struct gap gap; /* the samples that a thread is owed that left its CPU */
};

/* The target and the plan must outlive the batches, and so must the interrupts; with
 * NULL none can begin. */
void batches_init(struct batches *, struct target *, struct plan *,
    struct interrupts *);
/* Does nothing if all bytes are 0. */
void batches_free(struct batches *);
/* Uses these interrupts from now on, where there were none. */
void batches_interrupts(struct batches *, struct interrupts *);

/* Whether rounds are taken ahead.  The caller then looks at the batch when it is due,
 * and takes the rounds of batches_next, until there are none. */
bool batches_are_on(const struct batches *);
/* To be called after each round that was not taken ahead: begins a batch once enough
 * rounds in a row could have been taken ahead. */
void batches_consider(struct batches *);

/* When the batch is to be looked at, at the latest; ns, CLOCK_MONOTONIC. */
uint64_t batches_due(const struct batches *);
/* Fills in the descriptors by which that may be earlier, after the target's.
 * Returns how many there are. */
size_t batches_fds(const struct batches *, struct pollfd fds[TACH_RECORDER_FDS]);
/* Looks at the batch: ends it if no more rounds are to be taken ahead, or if none
 * come.  Its records are still to be read. */
void batches_heed(struct batches *);

/* A round that the kernel took. */
struct kernel_round {
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	bool owed; /* there is to be a sample of that time */
	/* Before it the thread was without a CPU from `left` on (ns,
	 * CLOCK_MONOTONIC) for `away` ns.  Its last sample holds for all that
	 * time, and is owed so many times more. */
	uint64_t left, away, repeats;
};

/* Goes on to the next round.  False if there is none so far. */
bool batches_next(struct batches *, struct kernel_round *);
/* Whether the round was taken as its thread left the CPU: it stands for a part of the
 * time without one. */
bool batches_left(const struct batches *);
/* Notes the CPU time that it took to sample so many rounds. */
void batches_note_cost(struct batches *, uint64_t ns, unsigned rounds);
/* To be called after these rounds: lets the batch go on, at another interval if that
 * is due.  If the batch has ended, the recorder takes the next round. */
void batches_go_on(struct batches *);

/* Makes the next record of the round the copy of the plan: a copy of one thread, as
 * by plan_interrupt.  COPY_FAILED if the round has no more records.  If a record is
 * of no use, nor are the later ones: then the result is the same, and the batch is
 * over. */
enum copy_result batches_capture(struct batches *);
/* The next records of the thread of this one have its stack of C up to an address; see
 * struct interrupt_way. */
void batches_need_stack(struct batches *, uint64_t end);
/* Ends the batch, as such a record is not enough to read its thread.  Rounds are then
 * better taken by the recorder. */
void batches_reject(struct batches *);

#endif
