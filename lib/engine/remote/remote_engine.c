/* SPDX-License-Identifier: ISC */
/*
 * remote_engine.c: the remote engine behind its table (engine/engine.h): it waits for
 * a Python and takes the rounds of remote.h when they are due.  Nothing is read
 * between two of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/kernel/kallsyms.h"
#include "engine/kernel/stock.h"
#include "engine/remote/batches.h"
#include "engine/remote/remote.h"
#include "engine/sample/kernel_frames.h"
#include "engine/waits/exact.h"

/* A sleep between rounds that is this long must end when the recorder is woken. */
#define LONG_SLEEP (20 * NS_PER_MS)
/* Rounds after which a process is there to stay, and is worth interrupts. */
#define SETTLED 50

struct remote_engine {
	struct engine engine;
	struct remote *remote; /* of the Python that is sampled, or NULL */
	struct interrupts *interrupts; /* or NULL */
	struct stock *stock; /* the family's, of interrupts */
	bool follows;	/* its recorder is not the first of the family */
	bool asked;	/* for interrupts of the stock */
	bool exact;	/* what exact waits need is ready */
	bool names;	/* those of the kernel's functions are held */
	bool pauses;	/* a pause is asked for */
	struct tach_locals locals;
	bool unmixed; /* rounds have no frames of C for now */
	struct native_faults faults; /* of all its Pythons */
	struct batches batches; /* of the Python that is sampled */
};

/* ---- its start and end ------------------------------------------------- */

/* Ends the rounds from outside.  It lets go all threads that it holds; it waits for
 * late ones until `until`. */
static void
drop_remote(struct remote_engine *r, uint64_t until)
{
	batches_free(&r->batches);
	remote_free(r->remote, until);
	r->remote = NULL;
}

static void
leave_remote(struct engine *e)
{
	drop_remote((struct remote_engine *)e, 0);
}

static void
free_remote(struct engine *e)
{
	struct remote_engine *r = (struct remote_engine *)e;

	drop_remote(r, clock_ns() + LATE_PATIENCE);
	if (r->exact)
		exact_unprepare();
	if (r->names)
		kallsyms_drop();
	stock_give(r->stock, r->interrupts);
	stock_drop(r->stock);
	native_faults_free(&r->faults);
	free(r);
}

/* Has what exact waits need made ready before a command is started. */
static bool
prepare_exact(struct remote_engine *r)
{
	struct target *t = r->engine.target;

	if (t->options.waits != TACH_WAITS_EXACT || r->exact)
		return true;
	r->exact = exact_prepare();
	if (r->exact)
		return true;
	if (errno == ENOSYS)
		error_set(&t->error, TACH_EFAILED, "--waits=exact needs a build with "
		    "interrupts, Linux 5.18 or later and x86-64: --waits=kind does not");
	else
		error_set(&t->error, error_code(errno), "--waits=exact needs root, or "
		    "CAP_BPF and CAP_PERFMON (bpf: %s); --waits=kind does not",
		    strerror(errno));
	return false;
}

/* Whether threads are to be read in interrupts, if these can be had.  They are not
 * needed if threads are stopped (--blocking), or held up until they are read
 * (--dump). */
static bool
interrupts(const struct tach_recorder_options *o)
{
	return o->engine == TACH_ENGINE_REMOTE && !o->blocking &&
	    (!o->careful || o->kernel);
}

/* Whether this process may read stacks in the kernel without interrupts. */
static bool
may_read_stacks(void)
{
	const struct process self = {.pid = getpid(), .pidfd = -1};
	char text[64];

	return task_kernel_stack(&self, self.pid, text, sizeof(text));
}

/* Makes ready what frames of the kernel need, before a command is started: the names of
 * functions, and interrupts, without which threads that run have no such frames. */
static bool
prepare_kernel(struct remote_engine *r)
{
	struct target *t = r->engine.target;
	enum kallsyms_result names;
	int saved;

	if (!t->options.kernel || r->names)
		return true;
	if (interrupts(&t->options))
		r->interrupts = stock_take(r->stock, &r->asked);
	names = kallsyms_hold();
	saved = errno;
	r->names = names == KALLSYMS_OK;
	if (r->interrupts == NULL && r->asked)
		r->interrupts = stock_await(r->stock, &r->asked);
	if (r->interrupts == NULL && !may_read_stacks())
		error_set(&t->error, TACH_EPERM, "--kernel needs root, or CAP_BPF, "
		    "CAP_PERFMON and CAP_SYSLOG");
	else if (names == KALLSYMS_HIDDEN)
		error_set(&t->error, TACH_EFAILED, "--kernel needs the addresses of the "
		    "kernel's functions, which /proc/kallsyms hides: give CAP_SYSLOG, and "
		    "sysctl kernel.kptr_restrict=1 if that is 2");
	else if (names == KALLSYMS_FAILED)
		error_set(&t->error, error_code(saved), "--kernel: /proc/kallsyms: %s",
		    strerror(saved));
	else
		return true;
	return false;
}

static bool
prepare_remote(struct engine *e, struct launch *l)
{
	struct remote_engine *r = (struct remote_engine *)e;

	(void)l;
	return prepare_exact(r) && prepare_kernel(r);
}

/* Asks for interrupts, if they are wanted.  No round waits for them: a program begins
 * meanwhile, and may be over soon.  Until they are there, threads are read from
 * outside. */
static int
ask_interrupts(struct engine *e)
{
	struct remote_engine *r = (struct remote_engine *)e;

	if (r->follows || r->interrupts != NULL || !interrupts(&e->target->options))
		return TACH_OK;
	r->interrupts = stock_take(r->stock, &r->asked);
	return TACH_OK;
}

static void
share_stock(struct engine *e, const struct engine *first)
{
	struct remote_engine *r = (struct remote_engine *)e;

	r->follows = true;
	stock_drop(r->stock);
	r->stock = stock_hold(((const struct remote_engine *)first)->stock);
}

/* Takes interrupts if there are some by now.  A recorder that follows asks for them
 * after SETTLED rounds; at once if threads that run have no frames of the kernel without
 * them. */
static void
want_interrupts(struct remote_engine *r)
{
	const struct target *t = r->engine.target;

	if (r->interrupts != NULL || !interrupts(&t->options) ||
	    (r->follows && t->stats.rounds < SETTLED && !t->options.kernel))
		return;
	r->interrupts = stock_take(r->stock, &r->asked);
	if (r->interrupts == NULL)
		return;
	remote_interrupts(r->remote, r->interrupts);
	batches_interrupts(&r->batches, r->interrupts);
}

/* Whether samples cannot be taken without stops. */
static bool
stops(const struct tach_recorder_options *o)
{
	return o->blocking || (o->mixed != TACH_MIXED_NONE && !o->careful);
}

static int
start_sampling(struct engine *e)
{
	struct remote_engine *r = (struct remote_engine *)e;
	struct target *t = e->target;
	uint64_t now = clock_ns();
	pid_t tracer = stops(&t->options) ? stop_tracer(&t->process) : 0;

	if (tracer != 0)
		return error_set(&t->error, TACH_EPERM, "process %d is traced "
		    "by process %d, so it cannot be stopped: end that, or "
		    "record without %s", (int)t->process.pid, (int)tracer,
		    t->options.blocking ? "--blocking" : "--native");
	r->remote = remote_new(&t->process, &t->runtime, &t->options,
	    r->interrupts, t->table, &t->names, &r->faults, t->lines);
	if (r->remote == NULL)
		return error_memory(&t->error);
	batches_init(&r->batches, t, remote_plan(r->remote), r->interrupts);
	remote_locals(r->remote, &r->locals);
	remote_mix(r->remote, !r->unmixed);
	target_begin(t, now);
	remote_start(r->remote, t->start);
	return TACH_OK;
}

static void
keep_locals(struct engine *e, const struct tach_locals *l)
{
	struct remote_engine *r = (struct remote_engine *)e;

	r->locals = *l;
	if (r->remote != NULL)
		remote_locals(r->remote, l);
}

static void
keep_mixed(struct engine *e, bool on)
{
	struct remote_engine *r = (struct remote_engine *)e;

	r->unmixed = !on;
	if (r->remote != NULL)
		remote_mix(r->remote, on);
}

/* ---- notes ------------------------------------------------------------- */

/* Adds a note with the reasons of failed samples to the profile, which has no other
 * place for them. */
static void
note_errors(const struct target *t)
{
	const struct tach_recorder_stats *s = &t->stats;
	char text[128];

	if (s->torn == 0 && s->failed == 0)
		return;
	snprintf(text, sizeof(text), "errors torn=%" PRIu64 " unreadable=%"
	    PRIu64 " moving=%" PRIu64 " unknown=%" PRIu64, s->torn,
	    s->unreadable, s->moving, s->unknown);
	tach_table_add_note(t->table, text);
}

/* Adds a note with the number of samples that are of one moment beyond doubt, and of
 * samples that could not be so. */
static void
note_interrupts(const struct target *t)
{
	const struct tach_recorder_stats *s = &t->stats;
	char text[128];

	if (s->interrupted == 0 && s->dear == 0 && s->unfit == 0)
		return;
	snprintf(text, sizeof(text), "interrupts samples=%" PRIu64 " dear=%"
	    PRIu64 " unfit=%" PRIu64, s->interrupted, s->dear, s->unfit);
	tach_table_add_note(t->table, text);
}

/* Adds a note with the number of waits that have samples of their begin and end. */
static void
note_waits(const struct target *t)
{
	const struct tach_recorder_stats *s = &t->stats;
	char text[128];

	if (t->options.waits != TACH_WAITS_EXACT)
		return;
	snprintf(text, sizeof(text), "waits exact=%" PRIu64 " bare=%" PRIu64 " open=%"
	    PRIu64 " lost=%" PRIu64, s->waits, s->waits_bare, s->waits_open,
	    s->waits_lost);
	tach_table_add_note(t->table, text);
}

/* Whether all samples are kept. */
static bool
keeps_all(const struct tach_recorder_options *o)
{
	return o->mode == TACH_MODE_WALL && !o->main_only && !o->drop_idle;
}

/* Says why there are no samples, though all would have been kept.  The rounds of a short
 * program can all be before its first frame. */
static void
explain_no_samples(struct target *t)
{
	const struct tach_recorder_stats *s = &t->stats;

	if (s->samples > 0 || s->rounds == 0 || s->paused_ns > 0 ||
	    !keeps_all(&t->options))
		return;
	if (s->failed > 0)
		error_set(&t->error, TACH_EFAILED, "Python ran, but no stack "
		    "could be read (%" PRIu64 " failed)", s->failed);
	else
		error_set(&t->error, TACH_EFAILED, "no thread ran Python code "
		    "when a sample was due; a higher rate (-r) takes more "
		    "samples");
}

static int
note_stats(struct engine *e)
{
	struct native_faults *faults = &((struct remote_engine *)e)->faults;

	note_errors(e->target);
	note_interrupts(e->target);
	native_faults_tell(faults, &e->target->stats);
	native_faults_note(faults, e->target->table);
	note_waits(e->target);
	kernel_frames_note(&e->target->stats, e->target->table);
	explain_no_samples(e->target);
	return TACH_END;
}

/* ---- rounds ------------------------------------------------------------ */

/* Looks for a Python once more: a command may become one at any time, and a program
 * that cannot be read may be replaced by one that can. */
static enum engine_result
wait_round(struct engine *e, struct tach_sink *sink)
{
	struct target *t = e->target;
	uint64_t interval = t->options.interval_ns < WAIT_INTERVAL ?
	    t->options.interval_ns : WAIT_INTERVAL;
	int result = target_look(t) == FIND_OK ? start_sampling(e) : TACH_OK;

	(void)sink;
	t->next = clock_ns() + interval;
	return result == TACH_OK ? ENGINE_OK : ENGINE_FATAL;
}

/* The time of samples, us. */
static uint64_t
time_in(const struct target *t, uint64_t ns)
{
	return (ns - t->start) / NS_PER_US;
}

/* Leaves out the switches of the time before a pause is over. */
static void
note_pause(struct engine *e, bool pause)
{
	struct remote_engine *r = (struct remote_engine *)e;

	if (r->pauses && !pause && r->remote != NULL)
		remote_pass_switches(r->remote, time_in(e->target, clock_ns()),
		    &e->target->stats);
	r->pauses = pause;
}

static enum engine_result
rest_in_pause(struct engine *e, struct tach_sink *sink)
{
	struct remote_engine *r = (struct remote_engine *)e;
	struct target *t = e->target;
	uint64_t now = clock_ns();

	(void)sink;
	t->next = now + PAUSE_STEP;
	return r->remote == NULL || remote_pass_switches(r->remote, time_in(t, now),
	    &t->stats) ? ENGINE_OK : ENGINE_FAILED;
}

/* Counts a round as one of that time (ns, CLOCK_MONOTONIC), if it was taken. */
static enum engine_result
count_round(struct target *t, uint64_t time, enum remote_result result)
{
	switch (result) {
	case REMOTE_OK:
		t->stats.rounds++;
		t->stats.elapsed_ns = target_elapsed(t, time);
		return ENGINE_OK;
	case REMOTE_LOST:
		/* Ended, or another program: look again. */
		return ENGINE_LOST;
	default:
		return ENGINE_FAILED;
	}
}

static enum engine_result
sample_now(struct remote_engine *r, struct tach_sink *sink)
{
	struct target *t = r->engine.target;
	uint64_t now = clock_ns();

	return count_round(t, now, remote_round(r->remote, time_in(t, now), sink,
	    &t->stats));
}

/* Takes a round that is not taken ahead, if it is due. */
static enum engine_result
own_round(struct remote_engine *r, struct tach_sink *sink)
{
	struct target *t = r->engine.target;
	enum engine_result result;

	if (!t->mark.member)
		pace_enter(t->pace, &t->mark, clock_ns());
	if (!pace_take(t->pace, &t->mark, clock_ns(), SHORT_SLEEP))
		return ENGINE_OK;
	target_count_missed(t, t->mark.missed, t->mark.left);
	want_interrupts(r);
	result = t->pause ? ENGINE_OK : sample_now(r, sink);
	pace_done(t->pace, clock_ns());
	if (result == ENGINE_OK && !t->pause && remote_fits_records(r->remote))
		batches_consider(&r->batches);
	return result;
}

/* ---- rounds of the kernel ---------------------------------------------- */

/* Repeats the last round while a thread had no CPU.  False if the sink failed. */
static bool
repeat_round(struct remote_engine *r, const struct kernel_round *k,
    struct tach_sink *sink)
{
	struct target *t = r->engine.target;

	remote_note_gap(r->remote, k->away);
	for (uint64_t i = 1; i <= k->repeats; i++) {
		uint64_t time = k->left + k->away * i / (k->repeats + 1);
		if (!remote_again(r->remote, time_in(t, time), sink, &t->stats))
			return false;
		t->stats.rounds++;
	}
	return true;
}

/* Gives the samples of the time before a round.  Rounds that cannot be repeated are
 * missed.  False if the sink failed. */
static bool
fill_gap(struct remote_engine *r, const struct kernel_round *k,
    struct tach_sink *sink)
{
	if (remote_can_repeat(r->remote))
		return repeat_round(r, k, sink);
	target_count_missed(r->engine.target, k->repeats, 0);
	return true;
}

static enum engine_result
sample_records(struct remote_engine *r, const struct kernel_round *k,
    struct tach_sink *sink)
{
	struct target *t = r->engine.target;

	if (k->repeats > 0 && !fill_gap(r, k, sink))
		return ENGINE_FAILED;
	if (!k->owed)
		return ENGINE_OK;
	return count_round(t, k->time, remote_records(r->remote, &r->batches,
	    k->time, time_in(t, k->time), sink, &t->stats));
}

/* Takes the rounds of the kernel that there are. */
static enum engine_result
kernel_rounds(struct remote_engine *r, struct tach_sink *sink)
{
	enum engine_result result = ENGINE_OK;
	struct kernel_round k;
	unsigned n = 0;
	uint64_t begin;

	batches_heed(&r->batches);
	begin = clock_cpu_ns();
	for (; result == ENGINE_OK && batches_next(&r->batches, &k); n++)
		result = sample_records(r, &k, sink);
	batches_note_cost(&r->batches, clock_cpu_ns() - begin, n);
	pace_done(r->engine.target->pace, clock_ns());
	if (result == ENGINE_OK)
		batches_go_on(&r->batches);
	return result;
}

/* ---- all rounds -------------------------------------------------------- */

static bool
rounds_are_ahead(const struct engine *e)
{
	return batches_are_on(&((const struct remote_engine *)e)->batches);
}

static enum engine_result
next_rounds(struct engine *e, struct tach_sink *sink)
{
	struct remote_engine *r = (struct remote_engine *)e;

	return batches_are_on(&r->batches) ? kernel_rounds(r, sink) :
	    own_round(r, sink);
}

/* Whether rounds are taken now. */
static bool
has_rounds(const struct target *t)
{
	return t->state == TACH_RECORDER_SAMPLING && t->paused_at == 0;
}

static bool
still_holds(struct engine *e)
{
	struct remote_engine *r = (struct remote_engine *)e;

	return r->remote != NULL && !remote_let_go(r->remote);
}

static uint64_t
round_due(struct engine *e)
{
	struct remote_engine *r = (struct remote_engine *)e;
	struct target *t = e->target;
	uint64_t due, late;

	if (batches_are_on(&r->batches))
		return batches_due(&r->batches);
	due = !has_rounds(t) ? t->next :
	    t->mark.member ? pace_due(t->pace, &t->mark) : 0;
	if (!still_holds(e))
		return due;
	late = clock_ns() + LATE_STEP;
	return due < late ? due : late;
}

/* A round's first read notices that the target has ended.  If the next round is too
 * far off, or nothing is read, a poll looks for that and for a stop, which costs
 * more. */
static size_t
round_fds(const struct engine *e, struct pollfd fds[TACH_RECORDER_FDS])
{
	const struct remote_engine *r = (const struct remote_engine *)e;
	const struct target *t = e->target;

	if (batches_are_on(&r->batches))
		return batches_fds(&r->batches, fds);
	if (has_rounds(t) && pace_distance(t->pace) < LONG_SLEEP)
		return 0;
	return target_fds(t, fds);
}

/* ---- its table --------------------------------------------------------- */

static const struct engine_ops remote_ops = {
	.prepare = prepare_remote,
	.start = ask_interrupts,
	.attach = start_sampling,
	.share = share_stock,
	.locals = keep_locals,
	.mix = keep_mixed,
	.due = round_due,
	.fds = round_fds,
	.is_ahead = rounds_are_ahead,
	.wait = wait_round,
	.round = next_rounds,
	.rest = rest_in_pause,
	.pause = note_pause,
	.holds_late = still_holds,
	.stats = note_stats,
	.leave = leave_remote,
	.free = free_remote,
};

struct engine *
remote_engine_new(struct target *t)
{
	struct remote_engine *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->engine = (struct engine){&remote_ops, t};
	r->stock = stock_new(t->options.interval_ns,
	    (t->options.mixed != TACH_MIXED_NONE ? INTERRUPTS_STACKS : 0) |
		(t->options.kernel ? INTERRUPTS_KERNEL : 0));
	if (r->stock != NULL)
		return &r->engine;
	free(r);
	return NULL;
}
