/* SPDX-License-Identifier: ISC */
/* ahead.c: see ahead.h. */
#include "engine/remote/ahead.h"

#include "engine/remote/remote_engine.h"

/* Rounds of the kernel are read after this time at the latest, and AHEAD_MAX at once
 * at most: to wake the recorder costs the thread another interrupt.  The time is
 * shorter if there are other threads, as their status is only looked at then. */
#define AHEAD_LATEST (10 * NS_PER_MS)
#define AHEAD_LATEST_ALONE (20 * NS_PER_MS)
#define DOUBT_ROUNDS 3 /* intervals without a record, if a thread may have no CPU */
#define AHEAD_MAX 100
#define AHEAD_MIN 2
/* Time to wait for rounds of the kernel, if the thread gets no CPU. */
#define AHEAD_PATIENCE NS_PER_S

bool
ahead_is_on(const struct remote_engine *r)
{
	return r->engine.target->state == TACH_RECORDER_SAMPLING &&
	    r->remote != NULL && remote_is_ahead(r->remote);
}

static uint64_t
ahead_latest(const struct remote_engine *r)
{
	return remote_is_alone(r->remote) ? AHEAD_LATEST_ALONE :
						  AHEAD_LATEST;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many rounds of a batch are read at once.  To read them must take less than one
 * interval, or the recorder misses its first own round after them.  There are never
 * more than were read since the last new code: the code objects of functions that
 * run for the first time must still exist then. */
static uint32_t
batch_of(const struct remote_engine *r)
{
	uint64_t interval = pace_distance(r->engine.target->pace);
	uint64_t cheap = interval / (r->ahead.cost + 1);
	uint64_t n = least(ahead_latest(r) / interval, cheap);

	n = least(n, remote_ahead_rounds(r->remote));
	return n < AHEAD_MIN ? AHEAD_MIN :
	    n > AHEAD_MAX ? AHEAD_MAX : (uint32_t)n;
}

void
ahead_begin(struct remote_engine *r)
{
	const struct target *t = r->engine.target;
	struct ahead *a = &r->ahead;
	uint64_t interval = pace_distance(t->pace);

	if (t->options.jitter || t->options.blocking || r->interrupts == NULL ||
	    ahead_latest(r) / interval < AHEAD_MIN)
		return;
	a->last = a->left = a->heard = a->newest = clock_ns();
	remote_go_ahead(r->remote, interval, batch_of(r));
}

/* When the duration is over; ns, CLOCK_MONOTONIC.  UINT64_MAX if it never is. */
static uint64_t
end_of(const struct target *t)
{
	return t->options.duration_ns != 0 ?
	    t->start + t->stats.paused_ns + t->options.duration_ns : UINT64_MAX;
}

/* When the recorder looks why no records have come; ns, CLOCK_MONOTONIC. */
static uint64_t
patience_of(const struct remote_engine *r)
{
	uint64_t doubt = remote_doubts_ahead(r->remote);
	uint64_t heard = r->ahead.heard;

	if (doubt == 0)
		return heard + 2 * ahead_latest(r);
	return (doubt > heard ? doubt : heard) +
	    DOUBT_ROUNDS * pace_distance(r->engine.target->pace);
}

uint64_t
ahead_due(const struct remote_engine *r)
{
	return least(patience_of(r), end_of(r->engine.target));
}

size_t
ahead_fds(const struct remote_engine *r, struct pollfd fds[TACH_RECORDER_FDS])
{
	size_t n = target_fds(r->engine.target, fds);

	return n + remote_ahead_fds(r->remote, fds + n);
}

/* Whether to wait on for records: that the thread gets no CPU is no reason to end
 * the batch. */
static bool
waits_on(struct remote_engine *r, uint64_t now)
{
	if (now >= r->ahead.last + AHEAD_PATIENCE || !remote_hurry(r->remote))
		return false;
	r->ahead.heard = now;
	return true;
}

/* Ends the batch if no more rounds are to be taken ahead, or if none come. */
static void
heed_ahead(struct remote_engine *r)
{
	const struct target *t = r->engine.target;
	struct pollfd fds[TACH_RECORDER_FDS];
	size_t n = ahead_fds(r, fds);
	uint64_t now = clock_ns();

	clock_poll(fds, n, 0);
	if (fds[0].revents != 0)
		target_heed_wake(t);
	if (!remote_heed_ahead(r->remote, fds + TARGET_FDS, n - TARGET_FDS) ||
	    fds[1].revents != 0 || t->stopped || t->pause ||
	    target_is_over(t, now) ||
	    (now >= patience_of(r) && !waits_on(r, now)))
		remote_end_ahead(r->remote);
}

/* Whether a round is of use.  A round that was taken as its thread left the CPU is
 * so only if the gap after it is owed a sample. */
static bool
is_owed(const struct remote_engine *r)
{
	return !remote_left(r->remote) ||
	    gap_wants_round(&r->ahead.gap, r->engine.target->pace,
		remote_gap(r->remote));
}

/* Notes a round that was taken ahead, on time or as a thread left its CPU.  False if
 * the round is of no use, or so soon after the last one that both would have the
 * same time. */
static bool
note_taken(struct remote_engine *r, uint64_t time)
{
	struct target *t = r->engine.target;
	struct ahead *a = &r->ahead;
	uint64_t interval = t->options.interval_ns, n;
	bool owed = is_owed(r) && time >= a->newest + NS_PER_US;

	a->heard = a->newest = time;
	if (remote_left(r->remote)) {
		a->left = time;
		if (owed)
			gap_add_round(&a->gap, t->pace);
		return owed;
	}
	n = time > a->last ? (time - a->last + interval / 2) / interval : 1;
	n -= n > 0;
	target_count_missed(t, n + !owed, pace_is_slow(t->pace) ? n : 0);
	a->last = time;
	return owed;
}

/* Lets the batch go on, at another interval if that is due.  If the batch has ended,
 * the recorder takes the next round. */
static void
keep_pace(struct remote_engine *r)
{
	struct target *t = r->engine.target;
	uint64_t now = clock_ns();

	if (!remote_is_ahead(r->remote)) {
		pace_resume(t->pace, &t->mark, r->ahead.last, now);
		target_count_missed(t, t->mark.missed, t->mark.left);
		return;
	}
	pace_step(t->pace, now);
	remote_keep_ahead(r->remote, pace_distance(t->pace), batch_of(r));
}

static void
note_cost(struct ahead *a, uint64_t ns, unsigned rounds)
{
	if (rounds > 0)
		a->cost = (7 * a->cost + ns / rounds) / 8;
}

/* Repeats the last round n times, between the moments when a thread left its CPU and
 * when it had one again.  False if the sink failed. */
static bool
repeat_round(struct remote_engine *r, uint64_t n, uint64_t away,
    struct tach_sink *sink)
{
	struct target *t = r->engine.target;

	for (uint64_t i = 1; i <= n; i++) {
		uint64_t time = r->ahead.left + away * i / (n + 1);
		if (!remote_again(r->remote, (time - t->start) / NS_PER_US,
			sink, &t->stats))
			return false;
		t->stats.rounds++;
	}
	return true;
}

/* Repeats the last round for each interval in which a thread waited for a CPU: its
 * stack was the same all the while.  Rounds that cannot be repeated are missed.
 * False if the sink failed. */
static bool
fill_gap(struct remote_engine *r, struct tach_sink *sink)
{
	struct target *t = r->engine.target;
	uint64_t away = remote_away(r->remote), n, spared;

	if (away == 0)
		return true;
	n = gap_rounds(&r->ahead.gap, t->pace, away, &spared);
	r->ahead.last += away;
	target_count_missed(t, spared, spared);
	if (remote_can_repeat(r->remote))
		return repeat_round(r, n, away, sink);
	target_count_missed(t, n, 0);
	return true;
}

enum engine_result
ahead_round(struct remote_engine *r, struct tach_sink *sink)
{
	struct target *t = r->engine.target;
	enum engine_result result = ENGINE_OK;
	unsigned n = 0;
	uint64_t begin, time;

	heed_ahead(r);
	begin = clock_cpu_ns();
	for (; result == ENGINE_OK && remote_next(r->remote, &time); n++) {
		if (time < r->ahead.newest) {
			/* Times never decrease. */
			target_count_missed(t, 1, 0);
			continue;
		}
		if (!fill_gap(r, sink))
			return ENGINE_FAILED;
		if (note_taken(r, time))
			result = remote_engine_sample(r, time, sink);
	}
	note_cost(&r->ahead, clock_cpu_ns() - begin, n);
	pace_done(t->pace, clock_ns());
	if (result == ENGINE_OK)
		keep_pace(r);
	return result;
}
