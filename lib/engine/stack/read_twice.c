/* SPDX-License-Identifier: ISC */
/* read_twice.c: see read_twice.h. */
#include "engine/stack/read_twice.h"

#include <errno.h>
#include <xxhash.h>

#include "engine/os/os.h"
#include "engine/stack/candidate.h"
#include "engine/stack/fault_in.h"
#include "engine/stack/seek.h"
#include "python/traits.h"

#define ONCE_TRIES 8  /* reads by one copy, which are quick */
#define READ_TRIES 16 /* reads by two copies, from the recorder's CPU */
#define PAUSES 6      /* for a thread that is stuck */
#define MOMENT 20000  /* ns of a pause */
#define NEAR_TRIES 4  /* reads from the thread's CPU: memory and code objects
		       * may have to be found first */

/* One or two copies of a running thread, made by one call. */
struct twin_copy {
	size_t head; /* ranges before the first copy */
	size_t count; /* ranges of a copy */
	size_t second_head; /* ranges before the second copy, if there is one */
	size_t gc;   /* offset of the words on garbage collection */
	size_t first, second; /* offsets of the copies */
	size_t between; /* offset of the state between them; 0: none */
	size_t last; /* offset of the last copy of the state */
	struct stamp stamp;
};

/* The tries of one read of a thread.  Its pointers are borrowed for that read. */
struct tries {
	struct stack_reader *c;
	struct thread *t;
	struct call_stack *stack; /* the caller's: of the newest try */
	/* The chain of the newest try's second copy; scratch of the reader. */
	struct py_chain *second;
	struct twin_copy of; /* the newest try */
	struct capture from; /* its first copy, valid until the next try */
	bool nowhere_near; /* the thread's CPU is out of reach */
	bool missed;	   /* the newest try lacked memory */
	bool rootless;	   /* only the root of its stack is not known */
	bool doubtful;	   /* both copies have its stack, but the thread ran */
	uint64_t print;	   /* hash of the copies of the newest try that failed */
};

/* Drops a range that could not be read from the thread's set.  The range is one
 * of the second copy only if there is one. */
static void
blame_range(struct thread *t, const struct twin_copy *r, size_t range)
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
add_second(const struct stack_reader *c, struct snapshot *s, const struct thread *t,
    struct twin_copy *r)
{
	r->between = py_frames_are_objects(c->offsets) ? s->size : 0;
	if (r->between != 0 && !reader_add_state(c, s, t))
		return false;
	r->second_head = s->count;
	r->second = s->size;
	if (!snapshot_add_set(s, &t->memory.set, 0, false))
		return false;
	r->last = s->size;
	return reader_add_state(c, s, t);
}

/* The result of copies that could not be made, for the reason in errno.  Drops the
 * range that could not be read. */
static enum read_result
copies_failed(struct tries *y, size_t range)
{
	enum read_result result = errno == ESRCH ? READ_GONE :
	    errno == ENOMEM ? READ_NOMEM : READ_RETRY;

	blame_range(y->t, &y->of, range);
	snapshot_clear(&y->c->scratch.copy);
	return result;
}

/* The capture of the first copy, or of the second one. */
static struct capture
capture_of_copy(const struct stack_reader *c, const struct twin_copy *r, bool second)
{
	const struct snapshot *s = &c->scratch.copy;
	size_t head = second ? r->second_head : r->head;

	return (struct capture){.in = s, .first = head, .count = r->count,
	    .offset = second ? r->second : r->first, .before = head,
	    .state = s->bytes + r->first, .after = s->bytes + r->last,
	    .gc = s->bytes + r->gc, .stamp = r->stamp};
}

/*
 * Copies a thread once or twice by one call.  The memory that has the address of
 * the current frame is copied first and, if twice, also last: the thread state
 * and, in 3.11 and 3.12, the C stack, which lies above the heap with the frames.
 */
static enum read_result
take_copies(struct tries *y, bool twice)
{
	struct stack_reader *c = y->c;
	struct thread *t = y->t;
	struct twin_copy *r = &y->of;
	struct snapshot *s = &c->scratch.copy;
	size_t before, after, gc, range;

	snapshot_clear(s);
	if (!reader_add_count(c, s, s->count, t->py.interp, &before) ||
	    !reader_add_gc(c, s, s->count, t->py.interp, &gc))
		return READ_NOMEM;
	*r = (struct twin_copy){.gc = gc, .head = s->count,
	    .count = t->memory.set.count + 1, .first = s->size, .last = s->size};
	if (!reader_add_state(c, s, t) ||
	    !snapshot_add_set(s, &t->memory.set, 0, true) ||
	    (twice && !add_second(c, s, t, r)) ||
	    !reader_add_count(c, s, s->count, t->py.interp, &after))
		return READ_NOMEM;
	colocate_begin(&c->colocation);
	if (!snapshot_read(s, c->process->task, &range))
		return copies_failed(y, range);
	r->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + before,
	    s->bytes + after);
	y->from = capture_of_copy(c, r, false);
	return READ_SURE;
}

/* Whether the thread has had no CPU since it was seen to have none. */
static bool
is_parked(const struct stack_reader *c, struct thread *t)
{
	return t->looks.parked != SWITCHES_UNKNOWN &&
	    switches_count(&t->switches, c->process, t->task) == t->looks.parked;
}

/* Whether the thread that was read cannot have run meanwhile, as far as can
 * be known. */
static bool
stood_still(struct tries *y)
{
	return y->t->held != HOLD_NONE || y->nowhere_near ||
	    colocate_held(&y->c->colocation, y->t->task) ||
	    is_parked(y->c, y->t);
}

/* Drops the past frames of the stack.  Returns how many of its outermost frames are
 * proven and in place. */
static size_t
drop_past(struct tries *y, size_t proven)
{
	struct py_chain *chain = &y->stack->chain;

	chain_drop_past(chain);
	y->stack->last = candidate_same_as_last(y->c, y->t, chain);
	return candidate_in_place(chain,
	    proven < chain->depth ? proven : chain->depth);
}

/* Whether the innermost frame, which both copies have, may have ended before them.
 * A loop that calls it again leaves the same frame and state in both copies, but
 * has gone on itself. */
static bool
call_has_ended(const struct tries *y)
{
	const struct py_chain *chain = &y->stack->chain;

	return chain->ending || y->second->ending ||
	    !seek_fits(y->c, chain, y->from.state) ||
	    !seek_fits(y->c, chain, y->from.after);
}

/* Whether all of the stack may be believed though some calls are not known: the
 * second copy has them, too.  If the thread stood still they become known. */
static bool
is_repeated(struct tries *y, size_t proven)
{
	const struct py_chain *chain = &y->stack->chain;
	bool still;

	if (proven != chain->depth || chain->depth > y->second->depth ||
	    !chain_continues(chain, y->second))
		return false;
	still = stood_still(y);
	if (!still && call_has_ended(y))
		return false;
	y->stack->sound = still && candidate_learn(y->c, y->stack);
	return true;
}

/* Whether all copies of the state have the same current frame, if there are three
 * copies; else true. */
static bool
says_same(const struct tries *y)
{
	const struct stack_reader *c = y->c;
	uint32_t field = c->offsets->thread_current_frame;
	uint64_t first;

	if (y->of.between == 0)
		return true;
	first = reader_state(c, y->from.state, field);
	return reader_state(c, c->scratch.copy.bytes + y->of.between, field) ==
		first && reader_state(c, y->from.after, field) == first;
}

/* A chain's n outermost frames, borrowed from it. */
static struct py_chain
outermost(const struct py_chain *chain, size_t n)
{
	struct py_chain outer = *chain;

	outer.places += outer.depth - n;
	outer.depth = n;
	return outer;
}

/* How many of the stack's n outermost frames, which are proven, may be believed: see
 * contexts_trust.  Unknown calls only count if they were seen from the thread's CPU:
 * from elsewhere, a loop can come round with each copy. */
static size_t
trusted(const struct tries *y, size_t n)
{
	struct py_chain outer = outermost(&y->stack->chain, n);
	size_t last = y->stack->last;

	return contexts_trust(y->c->contexts, &outer, last < n ? last : n,
	    colocate_is_at(&y->c->colocation, y->t->task));
}

/* Whether the stack's outermost frame is the first one of its thread's data stack, so
 * that no frame can have called it.  If the data stack has more than one chunk, the
 * state tells only of the last chunk. */
static bool
is_first_frame(const struct tries *y)
{
	const struct py_offsets *o = y->c->offsets;
	const struct py_chain *chain = &y->stack->chain;

	return py_has(o->thread_chunk) && chain->depth > 0 &&
	    chain->places[chain->depth - 1].frame ==
	    reader_state(y->c, y->from.state, o->thread_chunk) + o->chunk_first;
}

/* Makes the stack's outermost frame known as a root, if it is proven and can be
 * nothing else. */
static bool
learn_root(const struct tries *y, size_t proven)
{
	struct py_chain root;

	if (proven == 0 || !is_first_frame(y))
		return false;
	root = outermost(&y->stack->chain, 1);
	return contexts_learn(y->c->contexts, &root, 0);
}

/* How many of the stack's outermost frames can be believed.  None if the root is not
 * known, as a stack of two moments may lack it.  Two equal copies from the thread's
 * own CPU need no known root: for a long stack on a busy machine there is nothing
 * better. */
static size_t
believe(struct tries *y, size_t proven)
{
	bool whole = is_repeated(y, proven);
	size_t shared;

	y->doubtful = whole && !y->stack->sound;
	if (!(whole && colocate_is_at(&y->c->colocation, y->t->task)) &&
	    !contexts_know_root(y->c->contexts, &y->stack->chain) &&
	    !learn_root(y, proven)) {
		/* It is only learned from the thread's CPU. */
		y->rootless = whole;
		return 0;
	}
	y->rootless = false;
	if (whole)
		return y->stack->sound ? proven : trusted(y, proven);
	shared = chain_shared(&y->stack->chain, y->second);
	return trusted(y, proven < shared ? proven : shared);
}

/* No frame of a thread that stood still has gone on. */
static enum walk_result
walk_first(struct tries *y)
{
	return candidate_walk(y->c, y->t, &y->from,
	    y->t->held == HOLD_NONE && !is_parked(y->c, y->t), &y->stack->chain);
}

static enum walk_result
walk_second(struct tries *y)
{
	struct capture from = capture_of_copy(y->c, &y->of, true);

	return candidate_walk(y->c, y->t, &from, false, y->second);
}

/* The verdict on a stack that is believed as a whole. */
static struct verdict
is_sure(const struct tries *y)
{
	return (struct verdict){.is = READ_SURE, .sure = y->stack->chain.depth};
}

/* Reads a thread by one copy.  READ_SURE if its stack is proven and all its calls are
 * known; never READ_TORN. */
static struct verdict
know_once(struct tries *y)
{
	enum read_result got;
	size_t proven;

	y->c->retries++;
	got = take_copies(y, false);
	if (got == READ_SURE)
		got = candidate_walked(walk_first(y));
	if (got == READ_SURE)
		got = reader_result(y->c,
		    candidate_know(y->c, y->t, &y->from, y->stack, &proven));
	return got == READ_SURE ? is_sure(y) : (struct verdict){.is = got};
}

/* Reads a thread by one copy, some times over, for half of the cost of two.  To
 * 3.12 only.  From 3.13 on, where the state has the current frame, a thread would
 * be seen too often where it makes a frame: it waits where it writes to memory
 * that was just copied. */
static struct verdict
know_soon(struct tries *y)
{
	struct verdict v = {.is = READ_RETRY};

	for (int i = 0; i < ONCE_TRIES && v.is == READ_RETRY &&
	    y->t->held == HOLD_NONE && !py_state_names_frame(y->c->offsets); i++)
		v = know_once(y);
	return v;
}

/* Reads the missing memory of a thread, if a walk lacked some twice running.  False
 * if out of memory. */
static bool
note_walk(struct tries *y, enum walk_result w)
{
	bool again = y->missed;

	y->missed = w == WALK_MISS;
	return y->missed && again ? fault_in_set(y->c, y->t, &y->from) :
				    w != WALK_MEMORY;
}

/* The verdict on copies that have no stack, or not the same one. */
static struct verdict
no_stack(struct tries *y, enum walk_result w)
{
	return (struct verdict){.is = note_walk(y, w) ? READ_RETRY : READ_NOMEM,
	    .trouble = w == WALK_MISS ? TROUBLE_UNREADABLE : TROUBLE_MOVING};
}

/* Believes what both copies have, where the first alone is not known.
 * proven: outermost frames of the first one. */
static struct verdict
compare_copies(struct tries *y, size_t proven)
{
	const struct py_chain *chain = &y->stack->chain;
	struct verdict v;
	enum walk_result w;
	size_t sure;

	proven = drop_past(y, proven);
	w = chain->returned && chain->depth == 0 ? WALK_BAD : walk_second(y);
	if (w != WALK_OK || !says_same(y))
		return no_stack(y, w);
	y->missed = false;
	sure = believe(y, proven);
	v = reader_verdict(y->c, sure, sure == chain->depth);
	v.trouble = proven == chain->depth ? TROUBLE_MOVING : TROUBLE_UNKNOWN;
	return v;
}

/* Reads a thread by two copies. */
static struct verdict
read_both(struct tries *y)
{
	enum read_result got;
	enum walk_result w;
	size_t proven;

	y->doubtful = false;
	if ((got = take_copies(y, true)) != READ_SURE)
		return (struct verdict){.is = got, .trouble = TROUBLE_UNREADABLE};
	if ((w = walk_first(y)) != WALK_OK)
		return no_stack(y, w);
	proven = candidate_prove(y->c, y->t, &y->from, y->stack);
	return candidate_is_known(y->c, y->stack, proven) ? is_sure(y) :
	    compare_copies(y, proven);
}

/* Whether the newest try copied the same bytes as the try before: the thread stands
 * amid the making of a call.  False if there are no bytes. */
static bool
is_stuck(struct tries *y)
{
	const struct snapshot *s = &y->c->scratch.copy;
	uint64_t print = XXH3_64bits(s->bytes, s->size);
	bool same = print == y->print;

	y->print = print;
	return same && s->size > 0;
}

void
read_twice_wait(void)
{
	clock_sleep(clock_ns() + MOMENT);
}

/* Reads a thread from the CPU that the recorder is on.  A stack in doubt asks for a
 * stay on the thread's CPU: where most calls are known, an unknown call most often
 * has two moments in it.  A thread that is stuck, and is not held, gets pauses in
 * which it can go on, as the recorder may have its CPU. */
static struct verdict
read_from_here(struct tries *y)
{
	struct verdict v = know_soon(y);
	bool doubt = false;
	int pauses = y->t->held != HOLD_NONE ? 0 : PAUSES;

	y->rootless = false;
	for (int i = 0; i < READ_TRIES && verdict_can_improve(&v) &&
	    !y->rootless; i++) {
		v = read_both(y);
		doubt |= y->rootless || y->doubtful;
		y->c->retries += v.is != READ_SURE;
		if (!verdict_can_improve(&v) || y->missed || !is_stuck(y))
			continue;
		if (pauses-- == 0)
			break;
		read_twice_wait();
	}
	if (doubt)
		colocate_want(&y->c->colocation, y->t->task, true);
	return v;
}

/* Reads a thread from the CPU that it runs on; the thread has to wait meanwhile.
 * The recorder is still there afterwards. */
static struct verdict
read_from_near(struct tries *y)
{
	struct colocation *at = &y->c->colocation;
	struct verdict v = {.is = READ_RETRY};

	for (int i = 0; i < NEAR_TRIES && verdict_can_improve(&v); i++) {
		y->nowhere_near = y->t->task == 0 ||
		    !colocate_visit(at, y->t->task);
		v = read_both(y);
		y->c->retries++;
	}
	y->nowhere_near = false;
	return v;
}

/* Reads a thread from its CPU, if that is wanted and the recorder can go there.
 * Without this, two copies of a running thread agree more often where it stays for
 * long. */
static struct verdict
read_carefully(struct tries *y)
{
	struct stack_reader *c = y->c;

	return c->wants.careful && y->t->held == HOLD_NONE && y->t->task != 0 &&
		colocate_visit(&c->colocation, y->t->task) ?
	    read_from_near(y) : (struct verdict){.is = READ_RETRY};
}

/* Reads a thread from elsewhere than where it was read before. */
static struct verdict
read_elsewhere(struct tries *y)
{
	struct stack_reader *c = y->c;
	struct verdict v = {.is = READ_RETRY};

	if (colocate_is_at(&c->colocation, y->t->task)) {
		colocate_break_off(&c->colocation);
		v = read_from_here(y);
	}
	if (!verdict_can_improve(&v))
		return v;
	v = read_from_near(y);
	if (!c->wants.careful)
		colocate_leave(&c->colocation);
	return v;
}

/* A held thread that cannot be read may stand amid the making of a call: the caller
 * has to let it go on first. */
struct verdict
read_twice(struct stack_reader *c, struct thread *t, struct call_stack *stack)
{
	struct tries y = {.c = c, .t = t, .stack = stack,
	    .second = &c->scratch.spare.chain,
	    .missed = t->memory.set.count == 0};
	struct verdict v;

	reader_trim(c, t);
	v = read_carefully(&y);
	if (verdict_can_improve(&v))
		v = read_from_here(&y);
	if (verdict_can_improve(&v) && t->held == HOLD_NONE)
		v = read_elsewhere(&y);
	if (verdict_believes(&v))
		reader_take_state(c, t, &y.from, false, stack);
	return v;
}
