/* SPDX-License-Identifier: ISC */
/* read_twice.c: see read_twice.h. */
#include "engine/stack/read_twice.h"

#include <errno.h>
#include <xxhash.h>

#include "engine/os/os.h"
#include "engine/stack/candidate.h"
#include "engine/stack/fault_in.h"
#include "engine/stack/seek.h"

#define ONCE_TRIES 8  /* reads by one copy, which are quick */
#define READ_TRIES 16 /* reads by two copies, from the recorder's CPU */
#define PAUSES 6      /* for a thread that is stuck */
#define MOMENT 20000  /* ns of a pause */
#define NEAR_TRIES 4  /* reads from the thread's CPU: memory and code objects
		       * may have to be found first */

/* The result of one read of a running thread. */
struct reading {
	size_t head; /* ranges before the first copy */
	size_t count; /* ranges of a copy */
	size_t second_head; /* ranges before the second copy, if there is one */
	size_t gc;   /* offset of the words on garbage collection */
	size_t first, second; /* offsets of the copies */
	size_t between; /* offset of the state between them; 0: none */
	struct stamp stamp;
};

/* Drops a range that could not be read from the thread's set.  The range is one
 * of the second copy only if there is one. */
static void
blame_range(struct thread *t, const struct reading *r, size_t range)
{
	size_t first = range - r->head - 1;
	size_t second = range - r->second_head;

	if (first < t->memory.set.count)
		workset_drop(&t->memory.set,
		    workset_nth(&t->memory.set, 0, true, first));
	else if (r->second != 0 && second < t->memory.set.count)
		workset_drop(&t->memory.set, second);
}

/* Adds the second copy, whose state comes last.  Where frames lie apart, the state
 * is also copied between the two copies: a loop may have come round by the last
 * one. */
static bool
add_second(const struct chains *c, struct snapshot *s, const struct thread *t,
    struct reading *r, size_t *state)
{
	r->between = chains_lie_apart(c) ? s->size : 0;
	if (r->between != 0 && !chains_add_state(c, s, t))
		return false;
	r->second_head = s->count;
	r->second = s->size;
	if (!snapshot_add_set(s, &t->memory.set, 0, false))
		return false;
	*state = s->size;
	return chains_add_state(c, s, t);
}

/* The result of copies that could not be made, for the reason in errno.  Drops the
 * range that could not be read. */
static enum read_result
copies_failed(struct chains *c, struct thread *t, const struct reading *r,
    size_t range)
{
	enum read_result result = errno == ESRCH ? READ_GONE :
	    errno == ENOMEM ? READ_NOMEM : READ_TORN;

	blame_range(t, r, range);
	snapshot_clear(&c->one);
	return result;
}

/*
 * Copies a thread once or twice by one call.  The memory that has the address of
 * the current frame is copied first and, if twice, also last: the thread state
 * and, in 3.11 and 3.12, the C stack, which lies above the heap with the frames.
 */
static enum read_result
take_copies(struct chains *c, struct thread *t, bool twice, struct reading *r)
{
	struct snapshot *s = &c->one;
	size_t before, after, state, range;

	snapshot_clear(s);
	if (!chains_add_count(c, s, s->count, t->py.interp, &before) ||
	    !chains_add_gc(c, s, s->count, t->py.interp, &r->gc))
		return READ_NOMEM;
	*r = (struct reading){.gc = r->gc, .head = s->count,
	    .count = t->memory.set.count + 1, .first = s->size};
	state = s->size;
	if (!chains_add_state(c, s, t) ||
	    !snapshot_add_set(s, &t->memory.set, 0, true) ||
	    (twice && !add_second(c, s, t, r, &state)) ||
	    !chains_add_count(c, s, s->count, t->py.interp, &after))
		return READ_NOMEM;
	colocate_begin(&c->colocation);
	if (!snapshot_read(s, c->process->task, &range))
		return copies_failed(c, t, r, range);
	candidate_note_state(c, s->bytes + r->first, s->bytes + state);
	r->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + before,
	    s->bytes + after);
	return READ_OK;
}

/* Whether the thread has had no CPU since it was seen to be blocked. */
static bool
is_parked(const struct chains *c, struct thread *t)
{
	return t->looks.parked != SWITCHES_UNKNOWN &&
	    switches_count(&t->switches, c->process, t->task) == t->looks.parked;
}

/* Whether the thread that was read cannot have run meanwhile, as far as can
 * be known. */
static bool
stood_still(struct chains *c, struct thread *t)
{
	return t->held != HOLD_NONE || c->notes.nowhere_near ||
	    colocate_held(&c->colocation, t->task) || is_parked(c, t);
}

/* Drops the past frames of the newest chain.  Returns how many of its outermost
 * frames are proven and in place. */
static size_t
drop_past(struct chains *c, const struct thread *t, size_t proven)
{
	chain_drop_past(&c->chain);
	c->last = candidate_same_as_last(c, t);
	return candidate_in_place(c,
	    proven < c->chain.depth ? proven : c->chain.depth);
}

/* Whether the innermost frame, which both copies have, may have ended before them.
 * A loop that calls it again leaves the same frame and state in both copies, but
 * has gone on itself. */
static bool
call_has_ended(const struct chains *c)
{
	return c->chain.ending || c->other.ending || !seek_fits(c, c->copies.first) ||
	    !seek_fits(c, c->copies.after);
}

/* Whether all of the newest chain may be believed though some calls are not known:
 * the second copy has them, too.  If the thread stood still they become known. */
static bool
is_repeated(struct chains *c, struct thread *t, size_t proven)
{
	bool still;

	if (proven != c->chain.depth || c->chain.depth > c->other.depth ||
	    !chain_continues(&c->chain, &c->other))
		return false;
	still = stood_still(c, t);
	if (!still && call_has_ended(c))
		return false;
	c->sound = still && candidate_learn(c);
	return true;
}

/* Whether all copies of the state have the same current frame, if there are three
 * copies; else true. */
static bool
says_same(const struct chains *c, const struct reading *r)
{
	uint32_t field = c->offsets->thread_current_frame;
	uint64_t first;

	if (r->between == 0)
		return true;
	first = chains_state(c, c->copies.first, field);
	return chains_state(c, c->one.bytes + r->between, field) == first &&
	    chains_state(c, c->copies.after, field) == first;
}

/* The newest chain's n outermost frames, borrowed from it. */
static struct py_chain
outermost(const struct chains *c, size_t n)
{
	struct py_chain outer = c->chain;

	outer.places += outer.depth - n;
	outer.depth = n;
	return outer;
}

/* How many of the newest chain's n outermost frames, which are proven, may be
 * believed: see contexts_trust.  Unknown calls only count if they were seen from
 * the thread's CPU: from elsewhere, a loop can come round with each copy. */
static size_t
trusted(const struct chains *c, const struct thread *t, size_t n)
{
	struct py_chain outer = outermost(c, n);

	return contexts_trust(c->contexts, &outer, c->last < n ? c->last : n,
	    colocate_is_at(&c->colocation, t->task));
}

/* Whether the newest chain's outermost frame is the first one of its thread's data
 * stack, so that no frame can have called it.  If the stack has more than one
 * chunk, the state tells only of the last chunk. */
static bool
is_first_frame(const struct chains *c)
{
	const struct py_offsets *o = c->offsets;
	const struct py_chain *chain = &c->chain;

	return py_has(o->thread_chunk) && chain->depth > 0 &&
	    chain->places[chain->depth - 1].frame ==
	    chains_state(c, c->copies.first, o->thread_chunk) + o->chunk_first;
}

/* Makes the newest chain's outermost frame known as a root, if it is proven and
 * can be nothing else. */
static bool
learn_root(const struct chains *c, size_t proven)
{
	struct py_chain root;

	if (proven == 0 || !is_first_frame(c))
		return false;
	root = outermost(c, 1);
	return contexts_learn(c->contexts, &root, 0);
}

/* How many of the newest chain's outermost frames can be believed.  None if the
 * root is not known, as a chain of two moments may lack it.  Two equal copies
 * from the thread's own CPU need no known root: for a long chain on a busy
 * machine there is nothing better. */
static size_t
believe(struct chains *c, struct thread *t, size_t proven)
{
	bool whole = is_repeated(c, t, proven);
	size_t shared;

	c->notes.doubtful = whole && !c->sound;
	c->trouble = proven == c->chain.depth ? CHAIN_MOVING : CHAIN_UNKNOWN;
	if (!(whole && colocate_is_at(&c->colocation, t->task)) &&
	    !contexts_know_root(c->contexts, &c->chain) &&
	    !learn_root(c, proven)) {
		/* It is only learned from the thread's CPU. */
		c->notes.rootless = whole;
		return 0;
	}
	c->notes.rootless = false;
	if (whole)
		return c->sound ? proven : trusted(c, t, proven);
	shared = chain_shared(&c->chain, &c->other);
	return trusted(c, t, proven < shared ? proven : shared);
}

/* Walks one of the copies. */
static enum walk_result
walk_one(struct chains *c, struct thread *t, const struct reading *r,
    bool second, struct py_chain *chain)
{
	struct copied from = {.in = &c->one, .count = r->count, .gc = r->gc,
	    .first = second ? r->second_head : r->head,
	    .offset = second ? r->second : r->first, .stamp = &r->stamp};

	return candidate_walk(c, t, &from, !second && t->held == HOLD_NONE,
	    chain);
}

/* Reads a thread by one copy.  READ_OK if its chain is proven and all its calls are
 * known. */
static enum read_result
know_once(struct chains *c, struct thread *t)
{
	struct reading r;
	enum read_result got;
	size_t proven;

	c->retries++;
	got = take_copies(c, t, false, &r);
	if (got == READ_OK)
		got = candidate_walked(walk_one(c, t, &r, false, &c->chain));
	return got != READ_OK ? got :
	    chains_result(c, candidate_know(c, t, &r.stamp, &proven));
}

/* Reads a thread by one copy, some times over, for half of the cost of two.  To
 * 3.12 only.  From 3.13 on, where the state has the current frame, a thread would
 * be seen too often where it makes a frame: it waits where it writes to memory
 * that was just copied. */
static enum read_result
know_soon(struct chains *c, struct thread *t)
{
	enum read_result got = READ_TORN;

	for (int i = 0; i < ONCE_TRIES && got == READ_TORN &&
	    t->held == HOLD_NONE && !chains_tell_frame(c); i++)
		got = know_once(c, t);
	return got;
}

/* Reads the missing memory of a thread, if a walk lacked some twice running; notes
 * why there is no chain.  False if out of memory. */
static bool
note_walk(struct chains *c, struct thread *t, enum walk_result w)
{
	bool again = c->notes.missed;

	c->notes.missed = w == WALK_MISS;
	if (w == WALK_MISS)
		return !again || fault_in_set(c, t);
	c->trouble = CHAIN_MOVING;
	return w != WALK_MEMORY;
}

/* Believes what both copies have, where the first alone is not known.
 * proven: outermost frames of the first one. */
static enum read_result
compare_copies(struct chains *c, struct thread *t, const struct reading *r, size_t proven,
    size_t *sure)
{
	enum walk_result w;

	proven = drop_past(c, t, proven);
	w = c->chain.returned && c->chain.depth == 0 ? WALK_BAD :
	    walk_one(c, t, r, true, &c->other);
	if (!note_walk(c, t, w))
		return READ_NOMEM;
	if (w != WALK_OK || !says_same(c, r))
		return READ_TORN;
	*sure = believe(c, t, proven);
	return chains_result(c, *sure == c->chain.depth);
}

/* Reads a thread by two copies. */
static enum read_result
read_both(struct chains *c, struct thread *t, size_t *sure)
{
	struct reading r;
	enum read_result got;
	enum walk_result w;
	size_t proven;

	*sure = 0;
	c->notes.doubtful = false;
	c->trouble = CHAIN_UNREADABLE;
	if ((got = take_copies(c, t, true, &r)) != READ_OK)
		return got;
	w = walk_one(c, t, &r, false, &c->chain);
	if (w != WALK_OK)
		return note_walk(c, t, w) ? READ_TORN : READ_NOMEM;
	proven = candidate_prove(c, t, &r.stamp);
	if (!candidate_is_known(c, t, proven))
		return compare_copies(c, t, &r, proven, sure);
	*sure = c->chain.depth;
	return READ_OK;
}

/* Whether the newest read copied the same bytes as the read before: the thread
 * stands amid the making of a call.  False if there are no bytes. */
static bool
is_stuck(struct chains *c)
{
	uint64_t print = XXH3_64bits(c->one.bytes, c->one.size);
	bool same = print == c->notes.print;

	c->notes.print = print;
	return same && c->one.size > 0;
}

void
read_twice_wait(void)
{
	clock_sleep(clock_ns() + MOMENT);
}

/* Reads a thread from the CPU that the recorder is on.  A chain in doubt asks for a
 * stay on the thread's CPU: where most calls are known, an unknown call most often
 * has two moments in it.  A thread that is stuck, and is not held, gets pauses in
 * which it can go on, as the recorder may have its CPU. */
static enum read_result
read_from_here(struct chains *c, struct thread *t, size_t *sure)
{
	enum read_result got;
	bool doubt = false;
	int pauses = t->held != HOLD_NONE ? 0 : PAUSES;

	c->notes.rootless = false;
	c->other.depth = 0;
	if ((got = know_soon(c, t)) == READ_OK)
		*sure = c->chain.depth;
	for (int i = 0; i < READ_TRIES && got == READ_TORN && !c->notes.rootless;
	    i++) {
		got = read_both(c, t, sure);
		doubt |= c->notes.rootless || c->notes.doubtful;
		c->retries += got != READ_OK;
		if (got != READ_TORN || c->notes.missed || !is_stuck(c))
			continue;
		if (pauses-- == 0)
			break;
		read_twice_wait();
	}
	if (doubt)
		colocate_want(&c->colocation, t->task, true);
	return got;
}

/* Reads a thread from the CPU that it runs on; the thread has to wait meanwhile.
 * The recorder is still there afterwards. */
static enum read_result
read_from_near(struct chains *c, struct thread *t, size_t *sure)
{
	enum read_result got = READ_TORN;

	for (int i = 0; i < NEAR_TRIES && got == READ_TORN; i++) {
		c->notes.nowhere_near = t->task == 0 ||
		    !colocate_visit(&c->colocation, t->task);
		got = read_both(c, t, sure);
		c->retries++;
	}
	c->notes.nowhere_near = false;
	return got;
}

/* Reads a thread from its CPU, if that is wanted and the recorder can go there.
 * Without this, two copies of a running thread agree more often where it stays for
 * long. */
static enum read_result
read_carefully(struct chains *c, struct thread *t, size_t *sure)
{
	return c->wants.careful && t->held == HOLD_NONE && t->task != 0 &&
		colocate_visit(&c->colocation, t->task) ?
	    read_from_near(c, t, sure) : READ_TORN;
}

/* Reads a thread from elsewhere than where it was read before. */
static enum read_result
read_elsewhere(struct chains *c, struct thread *t, size_t *sure)
{
	enum read_result got = READ_TORN;

	if (colocate_is_at(&c->colocation, t->task)) {
		colocate_break_off(&c->colocation);
		got = read_from_here(c, t, sure);
	}
	if (got != READ_TORN)
		return got;
	got = read_from_near(c, t, sure);
	if (!c->wants.careful)
		colocate_leave(&c->colocation);
	return got;
}

/* A held thread that cannot be read may stand amid the making of a call: the caller
 * has to let it go on first. */
enum read_result
read_twice(struct chains *c, struct thread *t, size_t *sure)
{
	enum read_result got;

	*sure = 0;
	chains_trim(c, t);
	c->notes.missed = t->memory.set.count == 0;
	got = read_carefully(c, t, sure);
	if (got == READ_TORN)
		got = read_from_here(c, t, sure);
	if (got == READ_TORN && t->held == HOLD_NONE)
		got = read_elsewhere(c, t, sure);
	return got;
}
