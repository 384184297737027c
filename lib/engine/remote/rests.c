/* SPDX-License-Identifier: ISC */
/* rests.c: see rests.h. */
#include "engine/remote/rests.h"

#include "engine/threads/status.h"

#define LOOK_AFTER 16 /* rounds in which all threads are looked at */
#define LOOKS 4	      /* looks, of which one is thorough */

void
rests_init(struct rests *s, struct plan *plan, int program)
{
	*s = (struct rests){.plan = plan};
	watcher_init(&s->watcher, program);
}

void
rests_free(struct rests *s)
{
	watcher_free(&s->watcher);
}

void
rests_stir(struct rests *s, int program)
{
	s->watcher.program = program;
	for (size_t i = 0; i < s->plan->threads.count; i++)
		switches_free(&s->plan->threads.list[i].switches);
}

/* Whether a thread has had a CPU since the last call for it. */
static bool
had_cpu(struct rests *s, struct thread *t)
{
	return switches_had(&t->switches, s->plan->process, t->task, &s->watcher);
}

/* ---- threads without a sign -------------------------------------------- */

/* A thread that was blocked when it was read, and has had no CPU since the look before
 * that, is where it was then.  A read of it therefore holds until it gets a CPU. */
void
rests_look(struct rests *s, struct thread *t)
{
	bool blocked = status_was_blocked(t) && !had_cpu(s, t);

	t->looks.rest = !blocked ? REST_NONE :
	    t->looks.rest == REST_NONE ? REST_BLOCKED : REST_LONG;
}

/* Marks a thread to be looked at.  Without a GIL that counts, rests_look has asked
 * for its switches already, which tell of a switch only once. */
static void
look_at_thread(struct rests *s, struct thread *t)
{
	if (t->last.is != LAST_GOOD && t->last.is != LAST_PASSED)
		thread_make_stale(t);
	else if ((plan_is_told(s->plan, t) && had_cpu(s, t)) ||
	    ++t->looks.count % LOOKS == 0)
		t->status.unsure = true;
}

/*
 * The GIL shows whether a thread runs Python code, but not whether a blocked thread
 * now waits for a CPU, or computes without the GIL.  A thread that computes has got a
 * CPU, and is seen after LOOK_AFTER rounds at the latest.  A thread that waits for a
 * CPU is seen when it gets one, or after LOOKS times as many rounds.  The end of both
 * is seen at once.
 */
void
rests_look_around(struct rests *s)
{
	struct threads *all = &s->plan->threads;
	size_t n = all->count > 1 ? 1 + all->count / LOOK_AFTER : 0;

	for (; n > 0; n--) {
		struct thread *t = &all->list[
		    s->turn = (s->turn + 1) % all->count];
		if (!plan_takes_turns(s->plan, t))
			look_at_thread(s, t);
	}
}

/* ---- rounds in which no thread has run --------------------------------- */

/* Whether a thread was blocked at the last look, and its whole stack was read. */
static bool
was_at_rest(const struct thread *t)
{
	return !thread_is_gone(t) && !t->status.unsure && t->task != 0 &&
	    status_was_blocked(t);
}

/* Whether all threads were at rest, and the process has no other thread: it could
 * begin to run Python code without a sign in the known threads. */
static bool
were_at_rest(const struct plan *v)
{
	for (size_t i = 0; i < v->threads.count; i++)
		if (!was_at_rest(&v->threads.list[i]))
			return false;
	return v->interps.count == 1 &&
	    process_count_tasks(v->process) == v->threads.count;
}

/* Whether no thread has had a CPU since the last look at its switches.  A thread
 * that has had one becomes unsure, and rests no more: its switches tell of that only
 * once. */
static bool
had_no_cpu(struct rests *s)
{
	bool none = true;

	for (size_t i = 0; i < s->plan->threads.count; i++) {
		struct thread *t = &s->plan->threads.list[i];
		if (had_cpu(s, t)) {
			t->status.unsure = true;
			t->looks.rest = REST_NONE;
			none = false;
		}
	}
	return none;
}

/* A thread can block while a round looks at it, so one more round is read. */
bool
rests_all(struct rests *s, bool may)
{
	bool rest = may && were_at_rest(s->plan) && had_no_cpu(s);

	s->rounds = rest ? s->rounds + 1 : 0;
	return s->rounds > 1;
}
