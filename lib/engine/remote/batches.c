/* SPDX-License-Identifier: ISC */
/* batches.c: see batches.h. */
#include "engine/remote/batches.h"

#include "engine/remote/asks.h"
#include "engine/sched/colocate.h"
#include "engine/threads/status.h"

/* Rounds of the kernel are read after this time at the latest, and READ_MAX at once
 * at most: to wake the recorder costs the thread another interrupt.  The time is
 * shorter if there are other threads, as their status is only looked at then. */
#define LATEST (10 * NS_PER_MS)
#define LATEST_ALONE (20 * NS_PER_MS)
#define READ_MAX 100
#define READ_MIN 2
#define DOUBT_ROUNDS 3 /* intervals without a record, if a thread may have no CPU */
/* Time to wait for rounds of the kernel, if the thread gets no CPU. */
#define PATIENCE NS_PER_S
#define QUIET_MIN 2	  /* rounds without a change, before a batch begins */
#define QUIET_MAX 1024	  /* the same, at most, where batches end too soon */
#define NEWS 8		  /* rounds without a batch after a call was learned */
#define SOON 8		  /* rounds: a batch with fewer ended too soon, as to
			   * begin one takes as long as some rounds */
#define IN_ITS_WAY 4	  /* lost CPUs, until the recorder leaves one */

void
batches_init(struct batches *b, struct target *t, struct plan *plan,
    struct interrupts *in)
{
	*b = (struct batches){.target = t, .plan = plan,
	    .policy.patience = {QUIET_MIN, QUIET_MIN}};
	batch_init(&b->batch, in);
}

void
batches_free(struct batches *b)
{
	batch_free(&b->batch);
	*b = (struct batches){0};
}

void
batches_interrupts(struct batches *b, struct interrupts *in)
{
	batch_init(&b->batch, in);
}

bool
batches_are_on(const struct batches *b)
{
	return b->batch.on && b->target->state == TACH_RECORDER_SAMPLING;
}

/* ---- how many rounds are read at once ---------------------------------- */

/* Whether the batch has takers. */
static bool
has_takers(const struct batches *b)
{
	return b->asked.count > 1;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The time after which rounds are read.  It is the longer one if there is no other
 * thread whose status could change without a sign. */
static uint64_t
latest(const struct batches *b)
{
	return b->plan->threads.count == 1 || (b->batch.on && has_takers(b)) ?
	    LATEST_ALONE : LATEST;
}

/* How many rounds are read at once.  To read them must take less than one interval,
 * or the recorder misses its first own round after them.  There are never more than
 * were read since the last new code: the code objects of functions that run for the
 * first time must still exist then. */
static uint32_t
read_size(const struct batches *b)
{
	uint64_t interval = pace_distance(b->target->pace);
	uint64_t cheap = interval / (b->cost + 1);
	uint64_t n = least(latest(b) / interval, cheap);

	n = least(n, b->batch.on ? b->batch.known : 0);
	return n < READ_MIN ? READ_MIN : n > READ_MAX ? READ_MAX : (uint32_t)n;
}

void
batches_note_cost(struct batches *b, uint64_t ns, unsigned rounds)
{
	if (rounds > 0)
		b->cost = (7 * b->cost + ns / rounds) / 8;
}

/* ---- beginning --------------------------------------------------------- */

/* Chooses the quiet rounds before the next batch: more if this one ended too soon,
 * or could not begin. */
static void
hesitate(struct batches *b, bool turns, bool soon)
{
	unsigned *p = &b->policy.patience[turns];

	b->policy.quiet = 0;
	*p = !soon ? QUIET_MIN : *p < QUIET_MAX ? *p * 2 : QUIET_MAX;
}

/* Whether calls were learned in the last rounds.  More new code may then come, and
 * its code objects must still exist when the records are read. */
static bool
learns(struct batches *b)
{
	struct batch_policy *p = &b->policy;
	uint64_t before = p->learned;

	p->learned = contexts_learned(b->plan->reader->contexts);
	if (p->learned != before)
		p->news = NEWS;
	else if (p->news > 0)
		p->news--;
	return p->news > 0;
}

/* The number of threads that a batch could have now.  0 also as long as the recorder
 * stays on a thread's CPU. */
static size_t
possible(const struct batches *b)
{
	return b->plan->reader->colocation.rounds == 0 ?
	    asks_possible(b->plan, &b->batch) : 0;
}

static bool
begin_batch(struct batches *b)
{
	uint64_t now = clock_ns();

	b->times = (struct batch_times){now, now, now, now};
	b->interval_ns = pace_distance(b->target->pace);
	b->policy.lost = codes_lost(b->plan->reader->codes);
	b->in_its_way = 0;
	return asks_begin(b->plan, &b->batch, &b->asked, b->interval_ns,
	    read_size(b));
}

/* Whether rounds can be taken ahead at all, at the present interval. */
static bool
can_begin(const struct batches *b)
{
	const struct tach_recorder_options *o = &b->target->options;

	return b->batch.in != NULL && !o->jitter && !o->blocking &&
	    latest(b) / pace_distance(b->target->pace) >= READ_MIN;
}

void
batches_consider(struct batches *b)
{
	size_t threads;

	if (!can_begin(b))
		return;
	threads = possible(b);
	if (threads == 0 || learns(b))
		b->policy.quiet = 0;
	else if (++b->policy.quiet >= b->policy.patience[threads > 1] &&
	    !begin_batch(b))
		hesitate(b, threads > 1, true);
}

/* ---- looking at it ----------------------------------------------------- */

/* When the duration is over; ns, CLOCK_MONOTONIC.  UINT64_MAX if it never is. */
static uint64_t
duration_end(const struct target *t)
{
	return t->options.duration_ns != 0 ?
	    t->start + t->stats.paused_ns + t->options.duration_ns : UINT64_MAX;
}

/* When it is looked at to see why no records have come; ns, CLOCK_MONOTONIC. */
static uint64_t
patience_of(const struct batches *b)
{
	uint64_t doubt = batch_doubts(&b->batch);
	uint64_t heard = b->times.heard;

	if (doubt == 0)
		return heard + 2 * latest(b);
	return (doubt > heard ? doubt : heard) +
	    DOUBT_ROUNDS * pace_distance(b->target->pace);
}

uint64_t
batches_due(const struct batches *b)
{
	return least(patience_of(b), duration_end(b->target));
}

size_t
batches_fds(const struct batches *b, struct pollfd fds[TACH_RECORDER_FDS])
{
	size_t n = target_fds(b->target, fds);

	for (size_t i = 0; i < b->batch.asks; i++)
		fds[n++] = (struct pollfd){batch_fd(&b->batch, i), POLLIN, 0};
	return n;
}

/* Heeds the descriptors of the batch's threads.  False if the batch is to be ended: a
 * thread has ended, or a descriptor failed. */
static bool
heed_threads(struct batches *b, const struct pollfd *fds, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		all &= (fds[i].revents & ~POLLIN) == 0;
		if ((fds[i].revents & POLLHUP) != 0)
			batch_lose(&b->batch, i);
	}
	return all;
}

/* Whether to wait on for records: that the thread gets no CPU is no reason to end
 * the batch. */
static bool
waits_on(struct batches *b, uint64_t now)
{
	if (now >= b->times.last + PATIENCE || !batch_hurry(&b->batch))
		return false;
	b->times.heard = now;
	return true;
}

void
batches_heed(struct batches *b)
{
	const struct target *t = b->target;
	struct pollfd fds[TACH_RECORDER_FDS];
	size_t n = batches_fds(b, fds);
	uint64_t now = clock_ns();

	clock_poll(fds, n, 0);
	if (fds[0].revents != 0)
		target_heed_wake(t);
	if (!heed_threads(b, fds + TARGET_FDS, n - TARGET_FDS) ||
	    fds[1].revents != 0 || t->stopped || t->pause ||
	    target_is_over(t, now) ||
	    (now >= patience_of(b) && !waits_on(b, now)))
		batch_end(&b->batch);
}

/* ---- its threads ------------------------------------------------------- */

/* The thread of an ask.  NULL if there is none any more. */
static struct thread *
asked_thread(const struct batches *b, size_t nth)
{
	struct threads *all = &b->plan->threads;

	for (size_t i = 0; nth < b->asked.count && i < all->count; i++)
		if (all->list[i].py.addr == b->asked.states[nth])
			return &all->list[i];
	return NULL;
}

/* Whether a thread runs, or waits for a CPU or its turn.  Unless it waits for its
 * turn, *runs becomes its id. */
static bool
thread_goes_on(const struct batches *b, const struct thread *t, pid_t *runs)
{
	const struct plan *v = b->plan;

	if (t == NULL)
		return false;
	if (status_runs(t)) {
		*runs = t->task;
		return true;
	}
	return has_takers(b) && status_waits_for(t, v->reader->offsets,
	    plan_interp(v, t)->gil_at);
}

/* Whether a thread of the batch has ended, or waits for something other than a CPU
 * or its turn.  Else the recorder or another thread took its CPU; now and then
 * the recorder leaves that CPU. */
static bool
rests(struct batches *b)
{
	pid_t runs = 0;

	for (size_t i = 0; i < b->asked.count; i++)
		if (!thread_goes_on(b, asked_thread(b, i), &runs))
			return true;
	if (runs != 0 && ++b->in_its_way % IN_ITS_WAY == 0)
		colocate_make_way(&b->plan->reader->colocation,
		    process_thread_cpu(b->plan->process, runs));
	return false;
}

/* ---- its rounds -------------------------------------------------------- */

/* Whether code objects were freed before they were read.  Rounds are then better
 * taken by the recorder. */
static bool
has_lost(const struct batches *b)
{
	return b->policy.lost != codes_lost(b->plan->reader->codes);
}

/* Whether there is a next round, after a look at a thread that has left its CPU for a
 * reason that the kernel does not tell. */
static bool
see_and_go_on(struct batches *b, uint64_t *time)
{
	if (!batch_was_away(&b->batch))
		return false;
	if (rests(b))
		batch_end(&b->batch);
	else
		batch_doubt(&b->batch);
	return batch_next(&b->batch, time);
}

/* Goes on to the first record of the next round.  If the batch has ended, chooses when
 * the next one may begin. */
static bool
go_to_next(struct batches *b, uint64_t *time)
{
	if (!b->batch.on)
		return false;
	if (has_lost(b))
		batch_end(&b->batch);
	if (batch_next(&b->batch, time) || see_and_go_on(b, time))
		return true;
	if (!b->batch.on)
		hesitate(b, has_takers(b), has_lost(b) ||
		    batch_is_dear(&b->batch) || b->batch.rounds < SOON);
	return false;
}

/* Counts the samples that are owed for the intervals in which a thread waited for a
 * CPU: its stack was the same all the while. */
static void
note_gap(struct batches *b, struct kernel_round *k)
{
	struct target *t = b->target;
	uint64_t spared;

	k->left = b->times.left;
	k->away = batch_away(&b->batch);
	if (k->away == 0)
		return;
	k->repeats = gap_rounds(&b->gap, t->pace, k->away, &spared);
	b->times.last += k->away;
	target_count_missed(t, spared, spared);
}

/* Whether a round is of use.  A round that was taken as its thread left the CPU is
 * so only if the gap after it is owed a sample.  No round is so soon after the last
 * one that both would have the same time. */
static bool
is_owed(const struct batches *b, uint64_t time)
{
	return time >= b->times.newest + NS_PER_US && (!batch_left(&b->batch) ||
	    gap_wants_round(&b->gap, b->target->pace, batch_gap(&b->batch)));
}

bool
batches_left(const struct batches *b)
{
	return batch_left(&b->batch);
}

/* Notes a round that was taken as its thread left the CPU. */
static void
note_leaving(struct batches *b, const struct kernel_round *k)
{
	b->times.left = k->time;
	if (k->owed)
		gap_add_round(&b->gap, b->target->pace);
}

/* Notes a round that was taken on time, and counts the deadlines before it that have
 * none. */
static void
note_on_time(struct batches *b, const struct kernel_round *k)
{
	struct target *t = b->target;
	uint64_t interval = t->options.interval_ns, n = 1;

	if (k->time > b->times.last)
		n = (k->time - b->times.last + interval / 2) / interval;
	n -= n > 0;
	target_count_missed(t, n + !k->owed, pace_is_slow(t->pace) ? n : 0);
	b->times.last = k->time;
}

static void
note_round(struct batches *b, struct kernel_round *k)
{
	k->owed = is_owed(b, k->time);
	b->times.heard = b->times.newest = k->time;
	if (batch_left(&b->batch))
		note_leaving(b, k);
	else
		note_on_time(b, k);
}

bool
batches_next(struct batches *b, struct kernel_round *k)
{
	*k = (struct kernel_round){0};
	b->given = false;
	if (!go_to_next(b, &k->time))
		return false;
	if (k->time < b->times.newest) {
		/* Times never decrease. */
		target_count_missed(b->target, 1, 0);
		return true;
	}
	note_gap(b, k);
	note_round(b, k);
	return true;
}

static void
keep_interval(struct batches *b, uint64_t interval_ns)
{
	batch_set_size(&b->batch, read_size(b));
	if (interval_ns != b->interval_ns)
		batch_set_interval(&b->batch, interval_ns);
	b->interval_ns = interval_ns;
}

void
batches_go_on(struct batches *b)
{
	struct target *t = b->target;
	uint64_t now = clock_ns();

	if (b->batch.on) {
		pace_step(t->pace, now);
		keep_interval(b, pace_distance(t->pace));
		return;
	}
	pace_resume(t->pace, &t->mark, b->times.last, now);
	target_count_missed(t, t->mark.missed, t->mark.left);
}

/* ---- a round's records ------------------------------------------------- */

static enum copy_result
take_current(struct batches *b)
{
	struct thread *t = asked_thread(b, batch_who(&b->batch));

	return t != NULL ? plan_take(b->plan, t, &b->batch, &b->asked) :
			   COPY_FAILED;
}

/* Where a turn has ended, both takers have a record of the same moment. */
enum copy_result
batches_capture(struct batches *b)
{
	enum copy_result taken;

	if (b->given && !batch_more(&b->batch))
		return COPY_FAILED;
	b->given = true;
	taken = take_current(b);
	if (taken != COPY_OK)
		batch_cancel(&b->batch);
	return taken;
}

void
batches_need_stack(struct batches *b, uint64_t end)
{
	batch_set_stack_end(&b->batch, batch_who(&b->batch), end);
}

void
batches_reject(struct batches *b)
{
	batch_end(&b->batch);
}
