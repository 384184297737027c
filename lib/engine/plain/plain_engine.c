/* SPDX-License-Identifier: ISC */
/*
 * plain_engine.c: the engine of a process without Python behind its table
 * (engine/engine.h): it takes the rounds of plain.h when they are due, and looks for a
 * Python between them.  If there is one, or if another program has begun, the process
 * is lost to this engine.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/kernel/stock.h"
#include "engine/plain/plain.h"

/* Time between two looks for a Python, new mappings and names. */
#define LOOK_INTERVAL (100 * NS_PER_MS)
/* A sleep between rounds that is this long must end when the recorder is woken. */
#define LONG_WAIT (20 * NS_PER_MS)

struct plain_engine {
	struct engine engine;
	struct plain *plain; /* NULL: no process is sampled */
	struct stock *stock; /* of interrupts */
	struct interrupts *interrupts; /* or NULL */
	bool asked; /* for these */
	uint64_t image;	     /* the program that is sampled */
	uint64_t look_at;    /* when the next look is due; ns */
};

/* ---- its start and end ------------------------------------------------- */

static void
drop_plain(struct plain_engine *e, uint64_t until)
{
	plain_free(e->plain, until);
	e->plain = NULL;
}

static void
leave_plain(struct engine *engine)
{
	drop_plain((struct plain_engine *)engine, 0);
}

static void
free_plain(struct engine *engine)
{
	struct plain_engine *e = (struct plain_engine *)engine;

	drop_plain(e, clock_ns() + LATE_PATIENCE);
	stock_give(e->stock, e->interrupts);
	stock_drop(e->stock);
	free(e);
}

/* Whether what is asked for can be told without Python; else the error says why not. */
static bool
can_be_plain(struct target *t)
{
	pid_t tracer = stop_tracer(&t->process);

	if (t->options.mode == TACH_MODE_GIL || t->options.mode == TACH_MODE_EXCEPTION) {
		error_set(&t->error, TACH_EUSE, "process %d runs no Python, so it has "
		    "no GIL and no exceptions of Python: record by --mode=wall or "
		    "--mode=cpu", (int)t->process.pid);
		return false;
	}
	if (tracer != 0)
		error_set(&t->error, TACH_EPERM, "process %d is traced by process %d, "
		    "so it cannot be stopped: end that", (int)t->process.pid,
		    (int)tracer);
	return tracer == 0;
}

/* Takes interrupts if there are some by now.  With frames of the kernel the first round
 * waits for them; else threads are stopped until then. */
static void
want_interrupts(struct plain_engine *e)
{
	if (e->interrupts == NULL)
		e->interrupts = e->engine.target->options.kernel ?
		    stock_await(e->stock, &e->asked) :
		    stock_take(e->stock, &e->asked);
	plain_interrupts(e->plain, e->interrupts);
}

static int
start_plain(struct engine *engine)
{
	struct plain_engine *e = (struct plain_engine *)engine;
	struct target *t = engine->target;
	uint64_t now = clock_ns();

	if (!can_be_plain(t))
		return TACH_FATAL;
	if ((e->plain = plain_new(t)) == NULL || !plain_look(e->plain))
		return error_memory(&t->error);
	want_interrupts(e);
	e->image = image_of(&t->process);
	e->look_at = now + LOOK_INTERVAL;
	target_begin_plain(t, now);
	return TACH_OK;
}

static int
end_plain(struct engine *engine)
{
	const struct tach_recorder_stats *s = &engine->target->stats;

	if (s->samples == 0 && s->failed > 0)
		error_set(&engine->target->error, TACH_EFAILED, "no thread could be "
		    "stopped (%" PRIu64 " times): that takes the right to trace the "
		    "process", s->failed);
	else if (s->samples == 0 && s->rounds > 0 && s->paused_ns == 0)
		error_set(&engine->target->error, TACH_EFAILED, "no thread was on a "
		    "CPU when a sample was due: --mode=wall records threads that "
		    "wait, too");
	return TACH_END;
}

/* ---- rounds ------------------------------------------------------------ */

/* Looks whether the process is another program, or has a Python, and for its threads. */
static enum engine_result
look_around(struct plain_engine *e)
{
	struct target *t = e->engine.target;

	e->look_at = clock_ns() + LOOK_INTERVAL;
	if (image_of(&t->process) != e->image || target_look(t) == FIND_OK)
		return ENGINE_LOST;
	return plain_look(e->plain) ? ENGINE_OK : ENGINE_FAILED;
}

static enum engine_result
sample_plain(struct plain_engine *e, uint64_t due, struct tach_sink *sink)
{
	struct target *t = e->engine.target;
	uint64_t now = clock_ns();

	want_interrupts(e);
	if (!plain_round(e->plain, due, (now - t->start) / NS_PER_US, sink))
		return ENGINE_FAILED;
	t->stats.rounds++;
	t->stats.elapsed_ns = target_elapsed(t, now);
	return ENGINE_OK;
}

static enum engine_result
plain_step(struct engine *engine, struct tach_sink *sink)
{
	struct plain_engine *e = (struct plain_engine *)engine;
	struct target *t = engine->target;
	enum engine_result result = ENGINE_OK;
	uint64_t due;

	if (!t->mark.member)
		pace_enter(t->pace, &t->mark, clock_ns());
	due = pace_due(t->pace, &t->mark);
	if (!pace_take(t->pace, &t->mark, clock_ns(), SHORT_SLEEP))
		return ENGINE_OK;
	target_count_missed(t, t->mark.missed, t->mark.left);
	if (target_has_ended(t))
		return ENGINE_LOST;
	if (clock_ns() >= e->look_at)
		result = look_around(e);
	if (result == ENGINE_OK && !t->pause)
		result = sample_plain(e, due, sink);
	pace_done(t->pace, clock_ns());
	return result;
}

/* The recorder asks for this engine only to sample. */
static enum engine_result
wait_plain(struct engine *engine, struct tach_sink *sink)
{
	(void)sink;
	engine->target->next = clock_ns() + WAIT_INTERVAL;
	return ENGINE_OK;
}

static enum engine_result
rest_plain(struct engine *engine, struct tach_sink *sink)
{
	(void)sink;
	engine->target->next = clock_ns() + PAUSE_STEP;
	return ENGINE_OK;
}

static bool
takes_rounds(const struct target *t)
{
	return t->state == TACH_RECORDER_SAMPLING && t->paused_at == 0;
}

static bool
holds_plain(struct engine *engine)
{
	struct plain_engine *e = (struct plain_engine *)engine;

	return e->plain != NULL && !plain_let_go(e->plain);
}

static uint64_t
plain_due(struct engine *engine)
{
	struct target *t = engine->target;
	uint64_t due = !takes_rounds(t) ? t->next :
	    t->mark.member ? pace_due(t->pace, &t->mark) : 0;
	uint64_t late;

	if (!holds_plain(engine))
		return due;
	late = clock_ns() + LATE_STEP;
	return due < late ? due : late;
}

static size_t
plain_fds(const struct engine *engine, struct pollfd fds[TACH_RECORDER_FDS])
{
	const struct target *t = engine->target;

	return takes_rounds(t) && pace_distance(t->pace) < LONG_WAIT ?
	    0 : target_fds(t, fds);
}

/* ---- its table --------------------------------------------------------- */

static const struct engine_ops plain_ops = {
	.start = start_plain,
	.attach = start_plain,
	.due = plain_due,
	.fds = plain_fds,
	.wait = wait_plain,
	.round = plain_step,
	.rest = rest_plain,
	.holds_late = holds_plain,
	.stats = end_plain,
	.leave = leave_plain,
	.free = free_plain,
};

struct engine *
plain_engine_new(struct target *t)
{
	struct plain_engine *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->engine = (struct engine){&plain_ops, t};
	e->stock = stock_new(t->options.interval_ns, INTERRUPTS_STACKS |
	    (t->options.kernel ? INTERRUPTS_KERNEL : 0));
	if (e->stock != NULL)
		return &e->engine;
	free(e);
	return NULL;
}
