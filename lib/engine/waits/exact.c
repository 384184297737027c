/* SPDX-License-Identifier: ISC */
/* exact.c: see exact.h. */
#include "engine/waits/exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/os/os.h"
#include "engine/waits/exact_stacks.h"
#include "hash.h"

/* NULL in a build without libbpf, or without a clang that compiles for BPF. */
#ifdef HAVE_BPF
static const struct switch_feed_ops *const feeds = &switch_feed_ops;
#else
static const struct switch_feed_ops *const feeds = NULL;
#endif

#define HELD_MAX 3 /* rounds for which a stack is waited for */
#define LEAVES 64 /* a power of two */
#define THREADS_SPARE 1024 /* more than there are, of threads that have ended */
#define STATE_STOPPED 0x0c /* bits of a task's state: by a signal, by a tracer */

enum exact_is {
	EXACT_UNKNOWN,
	EXACT_BEGINS, /* it runs; before that it is unknown */
	EXACT_RUNS,
	EXACT_AWAY,
};

/* A thread that has been in the list. */
struct exact_thread {
	pid_t task;
	uint64_t state; /* its thread state, as the kernel was told */
	uint64_t round; /* of which `at` is */
	size_t at;	/* in the list of threads */
	enum exact_is is;
	/* If it is away: its record, and the frames of its samples, of which the
	 * innermost is the leaf. */
	struct switch_left left;
	uint32_t *frames;
	uint32_t depth;
	size_t max;
	uint8_t status;
	bool believed; /* the frames are all of its stack */
	/* The wait's first sample has yet to be given, and these of rounds (us) after it:
	 * the stack may be believed soon. */
	bool held;
	uint8_t mark; /* TACH_STATUS_SWITCH, or 0 if it is not known what was before */
	uint64_t rounds[HELD_MAX];
	size_t nrounds;
};

/* A leaf that was found in this round. */
struct exact_leaf {
	uint64_t round, stack, argument, second;
	int64_t call;
	uint32_t frame;
	bool gil;
};

struct exact {
	const struct process *process;
	struct tach_table *table;
	struct thread_names *names;
	struct waits *waits;
	const struct threads *all;
	const struct interps *interps;
	const struct py_offsets *offsets;
	struct exact_stacks stacks;
	struct exact_thread *list;
	size_t count, max;
	struct set set;
	uint64_t round, lost;
	uint64_t start; /* ns: time 0 of the samples */
	uint64_t gap_us; /* a longer time between two rounds is a gap */
	uint64_t until; /* ns: records up to then were taken */
	struct exact_leaf leaves[LEAVES];
};

/* Where samples go. */
struct exact_out {
	struct tach_sink *sink; /* or NULL */
	struct tach_recorder_stats *stats;
};

/* ---- making ---------------------------------------------------------------- */

bool
exact_prepare(void)
{
	errno = ENOSYS;
	return feeds != NULL && feeds->prepare();
}

void
exact_unprepare(void)
{
	if (feeds != NULL)
		feeds->unprepare();
}

struct exact *
exact_new(const struct process *p, const struct py_runtime *rt,
    struct tach_table *table, struct thread_names *names, struct waits *waits,
    const struct waits_place *place, const struct interps *interps,
    uint64_t interval_ns)
{
	struct exact *x = calloc(1, sizeof(*x));
	struct switch_way way;

	if (x == NULL)
		return NULL;
	*x = (struct exact){.process = p, .table = table, .names = names,
	    .waits = waits, .all = place->threads, .interps = interps,
	    .offsets = &rt->offsets,
	    .gap_us = interval_ns * (TACH_DURATION_INTERVALS - 1) / NS_PER_US,
	    .stacks = {.offsets = &rt->offsets, .memory = place->memory,
		.codes = place->codes, .ops = feeds}};
	errno = ENOSYS;
	if (feeds != NULL && exact_way(&rt->offsets, &way))
		x->stacks.feed = feeds->open(p->pid, &way);
	if (x->stacks.feed != NULL &&
	    tach_table_add_note(table, "switches 0x40") != TACH_NONE)
		return x;
	if (x->stacks.feed != NULL)
		feeds->close(x->stacks.feed);
	free(x);
	return NULL;
}

static void
forget_exact_threads(struct exact *x)
{
	for (size_t i = 0; i < x->count; i++)
		free(x->list[i].frames);
	x->count = 0;
	set_clear(&x->set);
}

void
exact_free(struct exact *x)
{
	if (x == NULL)
		return;
	feeds->close(x->stacks.feed);
	exact_stacks_free(&x->stacks);
	forget_exact_threads(x);
	free(x->list);
	free(x);
}

/* ---- threads --------------------------------------------------------------- */

struct task_key {
	const struct exact *exact;
	pid_t task;
};

static bool
has_task(const void *arg, uint32_t index)
{
	const struct task_key *k = arg;

	return k->exact->list[index].task == k->task;
}

static uint64_t
hash_of_task(pid_t task)
{
	return hash_of(&task, sizeof(task), 0);
}

static struct exact_thread *
find_task(const struct exact *x, pid_t task)
{
	struct task_key key = {x, task};
	uint32_t i = set_find(&x->set, hash_of_task(task), has_task, &key);

	return i != UINT32_MAX ? &x->list[i] : NULL;
}

static struct exact_thread *
add_task(struct exact *x, pid_t task)
{
	struct exact_thread *e = find_task(x, task);

	if (e != NULL)
		return e;
	if (x->count > 2 * x->all->count + THREADS_SPARE)
		forget_exact_threads(x);
	e = array_grow(x->list, x->count, &x->max, sizeof(*e));
	if (e == NULL)
		return NULL;
	x->list = e;
	if (!set_add(&x->set, hash_of_task(task), (uint32_t)x->count))
		return NULL;
	e += x->count++;
	*e = (struct exact_thread){.task = task};
	return e;
}

/* Notes where the threads are in the list, and tells the kernel of their states.  Of the
 * states of one thread, the one that was sampled last is its. */
static bool
note_threads(struct exact *x)
{
	x->round++;
	for (size_t i = 0; i < x->all->count; i++) {
		const struct thread *t = &x->all->list[i];
		struct exact_thread *e;
		if (t->task == 0 || thread_is_gone(t))
			continue;
		if ((e = add_task(x, t->task)) == NULL)
			return false;
		if (e->round == x->round && t->last.is != LAST_GOOD)
			continue;
		e->round = x->round;
		e->at = i;
		if (e->state == t->py.addr)
			continue;
		e->state = t->py.addr;
		feeds->thread(x->stacks.feed, t->task, e->state);
	}
	return true;
}

/* The thread of a record in the list.  NULL if it is not there, or had no sample yet. */
static struct thread *
thread_of(const struct exact *x, const struct exact_thread *e)
{
	struct thread *t;

	if (e->round != x->round || e->at >= x->all->count)
		return NULL;
	t = &x->all->list[e->at];
	return t->task == e->task && t->index != TACH_NONE ? t : NULL;
}

/* What is known of a thread by the state that it uses.  The list may have changed since
 * the threads were noted. */
static struct exact_thread *
known_of(const struct exact *x, const struct thread *t)
{
	struct exact_thread *e = x != NULL && t->task != 0 ?
	    find_task(x, t->task) : NULL;

	return e != NULL && e->state == t->py.addr && t->index != TACH_NONE ? e : NULL;
}

bool
exact_runs(const struct exact *x, const struct thread *t)
{
	const struct exact_thread *e = known_of(x, t);

	return e != NULL && (e->is == EXACT_RUNS || e->is == EXACT_BEGINS);
}

/* ---- leaves ---------------------------------------------------------------- */

static uint64_t
gil_of(const struct exact *x, const struct thread *t)
{
	return t->interp < x->interps->count ? x->interps->list[t->interp].gil_at : 0;
}

static uint32_t
make_leaf(struct exact *x, const struct thread *t, const struct switch_left *l,
    const struct py_chain *chain, bool *gil)
{
	struct task_call call = {.number = l->call < 0 ? TASK_IN_NONE : l->call,
	    .stack = l->sp};

	*gil = false;
	if (l->state == 0)
		return waits_for_cpu(x->waits, 0);
	if (l->call >= 0)
		memcpy(call.arguments, l->arguments, sizeof(l->arguments));
	return waits_of_switch(x->waits, chain, &call, gil_of(x, t),
	    (l->state & STATE_STOPPED) != 0, gil);
}

/* The frame of the reason.  Equal records of a round have the same one. */
static uint32_t
leaf_of(struct exact *x, const struct thread *t, const struct switch_left *l,
    const struct py_chain *chain, bool *gil)
{
	uint64_t stack = chain->depth > 0 ? l->stack : 0;
	uint64_t words[] = {stack, l->arguments[0], (uint64_t)l->call};
	struct exact_leaf *k = &x->leaves[hash_of(words, sizeof(words), 0) &
	    (LEAVES - 1)];

	if (l->state != 0 && k->round == x->round && k->stack == stack &&
	    k->call == l->call && k->argument == l->arguments[0] &&
	    k->second == l->arguments[1]) {
		*gil = k->gil;
		return k->frame;
	}
	*k = (struct exact_leaf){.round = l->state != 0 ? x->round : 0,
	    .stack = stack, .argument = l->arguments[0],
	    .second = l->arguments[1], .call = l->call};
	k->frame = make_leaf(x, t, l, chain, &k->gil);
	*gil = k->gil;
	return k->frame;
}

/* The time of a sample, us. */
static uint64_t
time_in_profile(const struct exact *x, uint64_t ns)
{
	return ns > x->start ? (ns - x->start) / NS_PER_US : 0;
}

/* ---- samples --------------------------------------------------------------- */

/* Gives a sample of a thread, which shares no frames with another one.  The thread's next
 * sample of a round must share none with this one. */
static bool
give_sample(struct exact *x, struct thread *t, const uint32_t *frames, uint32_t depth,
    uint64_t time_us, uint8_t status, struct tach_sink *sink)
{
	uint64_t last = t->last.sampled_us;
	struct tach_tick tick = {time_us, status, 0};
	struct tach_run run = {.thread = t->id.tid,
	    .interp = (uint32_t)t->py.interp_id, .index = t->index,
	    .frames = frames, .depth = depth, .ticks = &tick, .count = 1};

	/* Records of two CPUs can be a few ns out of order. */
	if (last != UINT64_MAX && time_us < last)
		tick.time = last;
	t->last.sampled_us = tick.time;
	x->names->list[t->index].state = 0;
	return tach_sink_run(sink, &run) == TACH_OK;
}

/* Takes the stack that a thread that is away had at a time (ns), if it is believed, and
 * the reason. */
static bool
find_frames(struct exact *x, struct exact_thread *e, const struct thread *t, uint64_t time)
{
	static const struct py_chain none;
	const struct exact_stack *s = exact_stacks_find(&x->stacks, t, e->left.stack,
	    time);
	const struct py_chain *chain = s != NULL ? &s->chain : &none;
	uint32_t *p = array_reserve(e->frames, &e->max, chain->depth + 1, sizeof(*p));
	bool gil;

	if (p == NULL)
		return false;
	e->frames = p;
	if ((p[0] = leaf_of(x, t, &e->left, chain, &gil)) == TACH_NONE)
		return false;
	if (s != NULL)
		memcpy(p + 1, s->frames, chain->depth * sizeof(*p));
	e->depth = (uint32_t)chain->depth + 1;
	e->believed = s != NULL;
	e->status = (t->task == x->process->pid ? TACH_STATUS_MAIN : 0) |
	    (gil ? TACH_STATUS_GIL_WANTED : 0) |
	    (e->left.state == 0 ? TACH_STATUS_CPU : 0);
	return true;
}

/* Gives the samples of a wait that were held back. */
static bool
give_held(struct exact *x, struct exact_thread *e, struct thread *t, uint64_t begin_us,
    struct tach_sink *sink)
{
	size_t n = e->nrounds;

	if (!e->held)
		return true;
	e->held = false;
	e->nrounds = 0;
	if (!give_sample(x, t, e->frames, e->depth, begin_us, e->status | e->mark, sink))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!give_sample(x, t, e->frames, e->depth, e->rounds[i], e->status, sink))
			return false;
	return true;
}

bool
exact_waits(struct exact *x, const struct thread *t)
{
	struct exact_thread *e = known_of(x, t);

	if (e == NULL || e->is != EXACT_AWAY)
		return false;
	/* It stands still, so that its stack can be believed late. */
	return e->believed || (find_frames(x, e, t, x->until) && e->believed) ||
	    (e->held && e->left.stack != 0 && e->nrounds < HELD_MAX);
}

bool
exact_again(struct exact *x, struct thread *t, uint64_t time_us, struct tach_sink *sink)
{
	struct exact_thread *e = find_task(x, t->task);

	t->status.bits = e->status;
	if (!e->believed) {
		e->rounds[e->nrounds++] = time_us;
		return true;
	}
	if (!give_held(x, e, t, time_in_profile(x, e->left.head.time), sink))
		return false;
	/* After a late round it is known all the same that it waited since. */
	if (time_us > t->last.sampled_us + x->gap_us &&
	    !give_sample(x, t, e->frames, e->depth, time_us,
		e->status | TACH_STATUS_SWITCH, sink))
		return false;
	return give_sample(x, t, e->frames, e->depth, time_us, e->status, sink);
}

bool
exact_settle(struct exact *x, struct thread *t, struct tach_sink *sink)
{
	struct exact_thread *e = known_of(x, t);

	return e == NULL || e->is != EXACT_AWAY ||
	    give_held(x, e, t, time_in_profile(x, e->left.head.time), sink);
}

/* ---- records --------------------------------------------------------------- */

static bool
begin_wait(struct exact *x, struct exact_thread *e, const struct switch_left *l,
    const struct exact_out *to)
{
	struct thread *t = thread_of(x, e);

	/* The kernel did not tell that it came: the wait before ends at an unknown time,
	 * and is shown until now. */
	to->stats->waits_open += e->is == EXACT_AWAY;
	if (t != NULL && to->sink != NULL && e->is == EXACT_AWAY &&
	    !give_held(x, e, t, time_in_profile(x, e->left.head.time), to->sink))
		return false;
	e->left = *l;
	e->mark = e->is == EXACT_UNKNOWN || e->is == EXACT_BEGINS ? 0 :
		TACH_STATUS_SWITCH;
	e->is = EXACT_AWAY;
	e->believed = e->held = false;
	e->depth = 0;
	e->nrounds = 0;
	if (l->frames > 0 && !exact_stacks_note(&x->stacks, l))
		return false;
	if (t == NULL || to->sink == NULL)
		return true;
	e->held = true;
	return find_frames(x, e, t, l->head.time) && (!e->believed ||
	    give_held(x, e, t, time_in_profile(x, l->head.time), to->sink));
}

static bool
end_wait(struct exact *x, struct exact_thread *e, uint64_t time,
    const struct exact_out *to)
{
	struct thread *t = thread_of(x, e);
	bool away = e->is == EXACT_AWAY && e->depth > 0;

	e->is = away ? EXACT_RUNS : EXACT_BEGINS;
	if (t == NULL || to->sink == NULL || !away)
		return true;
	to->stats->waits++;
	to->stats->waits_bare += !e->believed;
	return give_held(x, e, t, time_in_profile(x, e->left.head.time), to->sink) &&
	    give_sample(x, t, e->frames + 1, e->depth - 1, time_in_profile(x, time),
	    (e->status & TACH_STATUS_MAIN) | TACH_STATUS_CPU | TACH_STATUS_SWITCH,
	    to->sink);
}

static bool
take_record(struct exact *x, const struct switch_head *h, const struct exact_out *to)
{
	struct exact_thread *e = find_task(x, (pid_t)h->task);

	if (e == NULL) /* a thread without Python, or a new one */
		return true;
	return h->kind == SWITCH_LEFT ?
	    begin_wait(x, e, (const struct switch_left *)(const void *)h, to) :
	    end_wait(x, e, h->time, to);
}

static void
know_nothing(struct exact *x)
{
	for (size_t i = 0; i < x->count; i++) {
		x->list[i].is = EXACT_UNKNOWN;
		x->list[i].held = false;
	}
}

/* Where records were lost, nothing is known any more. */
static void
heed_lost(struct exact *x, struct tach_recorder_stats *stats)
{
	uint64_t lost = feeds->lost(x->stacks.feed);

	if (lost == x->lost)
		return;
	stats->waits_lost += lost - x->lost;
	x->lost = lost;
	know_nothing(x);
}

bool
exact_take(struct exact *x, uint64_t start, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	struct exact_out to = {.sink = sink, .stats = stats};
	const struct switch_head *h;
	bool ok = true, any = false;

	if (x == NULL)
		return true;
	if (!note_threads(x))
		return false;
	x->start = start;
	x->until = start + (time_us + 1) * NS_PER_US - 1;
	exact_stacks_begin(&x->stacks, x->interps->count > 0 ?
	    x->interps->list[0].addr : 0);
	for (; ok && (h = feeds->next(x->stacks.feed)) != NULL && h->time <= x->until;
	    feeds->pass(x->stacks.feed), any = true)
		ok = take_record(x, h, &to);
	exact_stacks_end(&x->stacks, x->until);
	if (any)
		heed_lost(x, stats);
	if (sink == NULL)
		know_nothing(x);
	return ok;
}
