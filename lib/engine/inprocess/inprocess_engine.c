/* SPDX-License-Identifier: ISC */
/*
 * inprocess_engine.c: the in-process engine behind its table (engine/engine.h).
 *
 * It brings the agent into the target, tells the agent of its Python, and drains the
 * rings of the threads (inprocess.h) every few milliseconds.  A drain counts as a
 * round.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/inprocess/agents.h"
#include "engine/inprocess/inprocess.h"
#include "engine/locate/attach.h"

/* A Python that has been there for so long without an agent gets none. */
#define AGENT_PATIENCE NS_PER_S
/* A process that is not the command itself counts as one without an agent only after
 * this time, as it may be about to run another program. */
#define PYTHON_PATIENCE (100 * NS_PER_MS)
/* Time to wait for all that the agent needs to know of a Python that only begins. */
#define TELL_PATIENCE (100 * NS_PER_MS)
/* Time between two drains of the threads' rings, and the same if one gets full. */
#define DRAIN_INTERVAL (5 * NS_PER_MS)
#define HURRY_INTERVAL NS_PER_MS

struct inprocess_engine {
	struct engine engine;
	struct agents *agents; /* the family's; NULL: not yet */
	struct inprocess *inprocess; /* NULL: the process is not open yet */
	uint64_t python_at; /* ns: when a Python was found; 0: not yet */
	struct native_faults faults;
	bool agentless; /* the Python runs without an agent */
	bool attached; /* the agent was loaded by a running Python */
};

/* ---- its start --------------------------------------------------------- */

/* Makes the memory, environment and descriptor by which a command samples itself.
 * False, with the error, if they cannot be had. */
static bool
make_agents(struct engine *engine, struct launch *l)
{
	struct inprocess_engine *e = (struct inprocess_engine *)engine;
	struct target *t = engine->target;

	e->agents = agents_new(&t->options, &t->error);
	if (e->agents == NULL)
		return false;
	if (l == NULL)
		return true;
	l->environment = agents_environment(e->agents);
	l->kept_fd = agents_fd(e->agents);
	/* It writes its number itself: in its PID namespace that can be another. */
	l->pid = &agents_control(e->agents)->pid;
	return true;
}

static int
make_inprocess(struct engine *engine)
{
	struct inprocess_engine *e = (struct inprocess_engine *)engine;
	struct target *t = engine->target;

	if (e->agents == NULL)
		return error_set(&t->error, TACH_EUSE,
		    "no agent is shared with "
		    "the recorder of process %d: see tach_recorder_share",
		    (int)t->process.pid);
	e->inprocess = inprocess_new(e->agents, &t->process, &t->options,
	    t->table, &t->names, &e->faults, t->lines);
	return e->inprocess != NULL ? TACH_OK :
	    error_memory(&t->error);
}

/* Brings the agent into a Python that was found; its slot then appears as that of a
 * command does. */
static int
attach_inside(struct engine *engine)
{
	struct inprocess_engine *e = (struct inprocess_engine *)engine;
	struct target *t = engine->target;
	const struct attach_offer offer = {agents_fd(e->agents),
	    agents_nonce(e->agents), agents_library(e->agents)};

	e->attached = attach_agent(&t->process, &t->runtime, &offer, t->wake_fd,
	    &t->error);
	return e->attached ? TACH_OK : TACH_FATAL;
}

static void
share_agents(struct engine *engine, const struct engine *first)
{
	struct agents *a = ((const struct inprocess_engine *)first)->agents;

	((struct inprocess_engine *)engine)->agents =
	    a != NULL ? agents_hold(a) : NULL;
}

static bool
find_fork(const struct engine *engine, struct engine_fork *fork)
{
	struct agents *a = ((const struct inprocess_engine *)engine)->agents;

	fork->slot = a != NULL ? agents_fork(a, &fork->pid) : AGENTS_NONE;
	return fork->slot != AGENTS_NONE;
}

/* Opens the process whose number a slot gives.  Only the slot says that the process
 * is of the family, so the agent must be in it; else false.  If the process has
 * ended, its samples are still in the shared memory, and no more is read of it. */
static bool
open_fork(struct engine *engine, const struct engine_fork *fork)
{
	struct agents *agents = ((struct inprocess_engine *)engine)->agents;
	struct target *t = engine->target;
	bool there = process_open(&t->process, fork->pid);

	if (!there && errno != ESRCH)
		return false;
	if (there && agents_are_in(agents, &t->process, true))
		return true;
	if (there && !process_ended(&t->process)) {
		agents_refuse(agents, fork->slot, fork->pid);
		return false;
	}
	process_close(&t->process);
	t->process.pid = t->process.own_id = fork->pid;
	t->gone = true;
	return true;
}

static void
forget_python(struct engine *engine)
{
	((struct inprocess_engine *)engine)->python_at = 0;
}

static void
free_inprocess(struct engine *engine)
{
	struct inprocess_engine *e = (struct inprocess_engine *)engine;

	inprocess_free(e->inprocess, target_has_ended(engine->target));
	agents_drop(e->agents);
	native_faults_free(&e->faults);
	free(e);
}

/* ---- the agent and its Python ------------------------------------------ */

static int
no_agent(struct inprocess_engine *e)
{
	struct target *t = e->engine.target;

	return error_set(&t->error, TACH_EFAILED,
	    "process %d runs Python without "
	    "%s, which cannot be preloaded into a program that is static, has "
	    "other rights or sees other files: use --engine=remote",
	    (int)t->process.pid, agents_library(e->agents));
}

static void
wait_again(struct inprocess_engine *e)
{
	forget_python(&e->engine);
	target_wait(e->engine.target);
}

static void
begin_sampling(struct inprocess_engine *e, uint64_t now)
{
	target_begin(e->engine.target, now);
	e->agentless = false;
}

/* Tells a waiting agent of its Python, as soon as that is found. */
static void
tell_agent(struct inprocess_engine *e)
{
	struct target *t = e->engine.target;
	uint64_t now = clock_ns();

	if (inprocess_inherit(e->inprocess, &t->runtime)) {
		begin_sampling(e, now);
		return;
	}
	if (target_has_ended(t) || target_look(t) != FIND_OK)
		return;
	if (e->python_at == 0)
		e->python_at = now;
	if (inprocess_tell(e->inprocess, &t->runtime,
		now < e->python_at + TELL_PATIENCE))
		begin_sampling(e, now);
}

/* Looks for a Python without an agent.  TACH_FATAL if it has been there for too
 * long. */
static int
miss_agent(struct inprocess_engine *e)
{
	struct target *t = e->engine.target;
	uint64_t now = clock_ns();

	if (target_has_ended(t) || target_look(t) != FIND_OK)
		return TACH_OK;
	if (e->python_at == 0)
		e->python_at = now;
	e->agentless = t->process.child ||
	    now >= e->python_at + PYTHON_PATIENCE;
	return now < e->python_at + AGENT_PATIENCE ? TACH_OK : no_agent(e);
}

static int
meet_agent(struct inprocess_engine *e)
{
	bool samples = e->engine.target->state == TACH_RECORDER_SAMPLING;

	switch (inprocess_look(e->inprocess)) {
	case INPROCESS_LIVE:
		return TACH_OK;
	case INPROCESS_NONE:
		if (samples)
			wait_again(e); /* now a program without an agent */
		return miss_agent(e);
	case INPROCESS_WAITING:
		if (samples)
			wait_again(e); /* now another program */
		tell_agent(e);
		return TACH_OK;
	}
	return TACH_OK;
}

/* ---- drains ------------------------------------------------------------ */

static uint64_t
next_drain(const struct inprocess_engine *e)
{
	const struct target *t = e->engine.target;
	uint64_t now = clock_ns();

	if (inprocess_hurries(e->inprocess))
		return now + HURRY_INTERVAL;
	if (t->paused_at != 0)
		return now + PAUSE_STEP;
	return now + (t->state == TACH_RECORDER_WAITING ? WAIT_INTERVAL :
							  DRAIN_INTERVAL);
}

/* Drains the rings; over: for the last time. */
static enum engine_result
drain(struct inprocess_engine *e, bool over, struct tach_sink *sink)
{
	struct target *t = e->engine.target;
	uint64_t now = clock_ns();

	if (meet_agent(e) != TACH_OK)
		return ENGINE_FATAL;
	if (over)
		inprocess_stop(e->inprocess, target_has_ended(t));
	if (!inprocess_drain(e->inprocess, t->start, sink, &t->stats))
		return ENGINE_FAILED;
	if (t->state == TACH_RECORDER_SAMPLING && t->paused_at == 0) {
		t->stats.rounds++;
		t->stats.elapsed_ns = target_elapsed(t, now);
	}
	t->next = next_drain(e);
	return ENGINE_OK;
}

static enum engine_result
drain_round(struct engine *engine, struct tach_sink *sink)
{
	return drain((struct inprocess_engine *)engine, false, sink);
}

static enum engine_result
drain_last(struct engine *engine, struct tach_sink *sink)
{
	return drain((struct inprocess_engine *)engine, true, sink);
}

static void
pause_agent(struct engine *engine, bool pause)
{
	inprocess_pause(((struct inprocess_engine *)engine)->inprocess, pause);
}

static uint64_t
drain_due(struct engine *engine)
{
	return engine->target->next;
}

static size_t
drain_fds(const struct engine *engine, struct pollfd fds[TACH_RECORDER_FDS])
{
	return target_fds(engine->target, fds);
}

/* ---- its end ----------------------------------------------------------- */

/* Adds a note with the counts of the agents. */
static void
note_inprocess(const struct target *t)
{
	char *text = tach_inprocess_note(&t->stats.inprocess);

	if (text != NULL)
		tach_table_add_note(t->table, text);
	free(text);
}

/* Sets the error that says why there are no samples although the agent was in a
 * Python, if nothing else tells. */
static void
tell_why_none(struct target *t)
{
	const struct tach_inprocess_stats *s = &t->stats.inprocess;
	uint64_t lost = s->early + s->invalid + s->full + s->late + s->damaged;

	if (t->stats.samples > 0 || t->stats.paused_ns > 0 || s->refused > 0)
		return;
	if (s->weight > 0)
		error_set(&t->error, TACH_EFAILED,
		    "Python ran, but no sample was of the "
		    "kind that was asked for");
	else if (lost > 0)
		error_set(&t->error, TACH_EFAILED,
		    "Python ran, but all %" PRIu64 " ticks were lost", lost);
	else
		error_set(&t->error, TACH_EFAILED, "Python ran, but hardly%s",
		    t->options.mode == TACH_MODE_CPU ? ": record with "
		    "--mode=wall to see where it waits" : "");
}

static int
end_inside(struct engine *engine)
{
	struct inprocess_engine *e = (struct inprocess_engine *)engine;
	struct target *t = engine->target;

	if (t->start != 0) {
		inprocess_count(e->inprocess, &t->stats);
		note_inprocess(t);
		native_faults_tell(&e->faults, &t->stats);
		native_faults_note(&e->faults, t->table);
	}
	if (e->agentless)
		return no_agent(e);
	if (t->start != 0)
		tell_why_none(t);
	else if (e->attached)
		error_set(&t->error, TACH_EFAILED,
		    "process %d ended as soon as its main "
		    "thread ran Python code, for which --engine=inprocess "
		    "has to wait: use --engine=remote",
		    (int)t->process.pid);
	return TACH_END;
}

/* ---- its table --------------------------------------------------------- */

static const struct engine_ops inprocess_ops = {
	.prepare = make_agents,
	.start = make_inprocess,
	.attach = attach_inside,
	.share = share_agents,
	.find_fork = find_fork,
	.open_fork = open_fork,
	.due = drain_due,
	.fds = drain_fds,
	.wait = drain_round,
	.round = drain_round,
	.rest = drain_round,
	.pause = pause_agent,
	.stop = drain_last,
	.stats = end_inside,
	.leave = forget_python,
	.free = free_inprocess,
};

struct engine *
inprocess_engine_new(struct target *t)
{
	struct inprocess_engine *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->engine = (struct engine){&inprocess_ops, t};
	return &e->engine;
}
