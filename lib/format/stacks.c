/* SPDX-License-Identifier: ISC */
/* stacks.c: see stacks.h. */
#include "format/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "buf.h"
#include "hash.h"

/* That many are put together in half a minute. */
#define PUSHED_MAX (UINT64_C(1) << 34)

bool
stacks_init(struct stacks *s, struct source_input *in)
{
	*s = (struct stacks){.in = in};
	for (size_t i = 0; i < STACKS_BATCH; i++)
		s->ticks[i].status = TACH_STATUS_UNKNOWN;
	return (s->names = tach_table_new()) != NULL;
}

void
stacks_clear(struct stacks *s)
{
	for (uint32_t i = 0; i < s->nthreads; i++)
		stack_clear(&s->threads[i].stack);
	free(s->threads);
	free(s->fresh);
	free(s->numbers);
	set_clear(&s->thread_set);
	tach_table_free(s->names);
}

static int
stacks_no_memory(struct stacks *s)
{
	return error_memory(&s->in->error);
}

/* ---- threads ------------------------------------------------------------- */

struct stacks_key {
	const struct stacks *stacks;
	uint64_t id;
	uint32_t interp;
};

static bool
stacks_equal(const void *arg, uint32_t index)
{
	const struct stacks_key *k = arg;
	const struct stacks_thread *t = &k->stacks->threads[index];

	return t->id == k->id && t->interp == k->interp;
}

static int
add_stacks_thread(struct stacks *s, const struct stacks_key *k, uint64_t hash)
{
	struct stacks_thread *p;

	if (s->nthreads == THREADS_MAX)
		return error_set(&s->in->error, TACH_ELIMIT, "more than %u "
		    "threads are not read", THREADS_MAX);
	p = array_grow(s->threads, s->nthreads, &s->threads_max, sizeof(*p));
	if (p == NULL)
		return stacks_no_memory(s);
	s->threads = p;
	p += s->nthreads;
	*p = (struct stacks_thread){.id = k->id, .interp = k->interp};
	s->last = s->nthreads++; /* stacks_clear frees it */
	if (!stack_init(&p->stack) ||
	    !set_add(&s->thread_set, hash, s->last))
		return stacks_no_memory(s);
	s->held += p->stack.room;
	return TACH_OK;
}

int
stacks_thread(struct stacks *s, uint64_t id, uint32_t interp,
    struct tach_string name)
{
	struct stacks_key key = {s, id, interp};
	uint64_t hash;
	uint32_t found;

	if (s->nthreads > 0 && stacks_equal(&key, s->last))
		return TACH_OK;
	hash = hash_of(&id, sizeof(id), interp);
	found = set_find(&s->thread_set, hash, stacks_equal, &key);
	if (found != TACH_NONE) {
		s->last = found;
		return TACH_OK;
	}
	if (add_stacks_thread(s, &key, hash) != TACH_OK ||
	    source_name_thread(s->in, interp, id, name) != TACH_OK)
		return TACH_FATAL;
	return source_check_names(s->in);
}

static bool
number_taken(const struct stacks *s, uint64_t id)
{
	struct stacks_key key = {s, id, 0};

	return set_find(&s->thread_set, hash_of(&id, sizeof(id), 0),
	    stacks_equal, &key) != TACH_NONE;
}

/* Gives a new name a number. */
static int
add_number(struct stacks *s, uint32_t index)
{
	uint64_t *p = array_grow(s->numbers, index, &s->numbers_max,
	    sizeof(*p));

	if (p == NULL)
		return stacks_no_memory(s);
	s->numbers = p;
	p[index] = index == 0 ? 1 : p[index - 1] + 1;
	while (number_taken(s, p[index]))
		p[index]++;
	return TACH_OK;
}

int
stacks_named(struct stacks *s, uint64_t owner, struct tach_string name)
{
	uint32_t known = tach_table_string_count(s->names), index;
	struct buf key = {0};

	buf_add(&key, (const char *)&owner, sizeof(owner));
	buf_add(&key, name.bytes, name.len);
	index = key.failed ? TACH_NONE :
	    tach_table_add_string(s->names, key.text, key.len);
	buf_clear(&key);
	if (index == TACH_NONE)
		return stacks_no_memory(s);
	if (index == known && add_number(s, index) != TACH_OK)
		return TACH_FATAL;
	return stacks_thread(s, s->numbers[index], 0, name);
}

/* ---- stacks -------------------------------------------------------------- */

void
stacks_begin(struct stacks *s)
{
	s->nfresh = 0;
}

static int
too_many_frames(struct stacks *s)
{
	return error_set(&s->in->error, TACH_ELIMIT, "the stacks of all threads "
	    "have more than %u frames together, which is not read",
	    FRAMES_MAX);
}

int
stacks_push(struct stacks *s, uint32_t frame)
{
	uint32_t *p;

	if (s->nfresh == FRAMES_MAX)
		return too_many_frames(s);
	if (++s->pushed > PUSHED_MAX)
		return error_set(&s->in->error, TACH_ELIMIT, "all stacks have more "
		    "than %" PRIu64 " frames, which is not read", PUSHED_MAX);
	p = array_grow(s->fresh, s->nfresh, &s->fresh_max, sizeof(*p));
	if (p == NULL)
		return stacks_no_memory(s);
	s->fresh = p;
	p[s->nfresh++] = frame;
	return TACH_OK;
}

static void
reverse_fresh(struct stacks *s)
{
	for (uint32_t i = 0, j = s->nfresh; i + 1 < j; i++) {
		uint32_t frame = s->fresh[i];
		s->fresh[i] = s->fresh[--j];
		s->fresh[j] = frame;
	}
}

/* Makes the stack that was put together, innermost frame first, the thread's. */
static int
change_stack(struct stacks *s)
{
	struct stack *stack = &stacks_current(s)->stack;
	uint32_t room = stack->room;

	s->shared = delta_shared(stack, s->fresh, s->nfresh, 0);
	if (!stack_reserve(stack, s->nfresh))
		return stacks_no_memory(s);
	stack->depth = s->nfresh;
	if (s->nfresh > 0)
		memcpy(stack_frames(stack), s->fresh,
		    s->nfresh * sizeof(*s->fresh));
	s->held += stack->room - room;
	return s->held <= FRAMES_MAX ? TACH_OK : too_many_frames(s);
}

/* ---- samples ------------------------------------------------------------- */

/* Whether so many more samples can be counted and can have times. */
static int
check_samples(struct stacks *s, uint64_t count, const char *where)
{
	uint64_t interval = s->in->meta.interval_us, end;

	if (count > SOURCE_COUNTED_MAX - s->counted)
		return error_set(&s->in->error, TACH_ELIMIT, "%sthe counts add up "
		    "to more than %" PRIu64 " samples", where,
		    SOURCE_COUNTED_MAX);
	s->counted += count;
	if (__builtin_mul_overflow(count, interval, &end) ||
	    __builtin_add_overflow(stacks_current(s)->time, end, &end))
		return error_set(&s->in->error, TACH_ELIMIT, "%sthe counts add up "
		    "to a time that is out of range, at an interval of %" PRIu64
		    " us", where, interval);
	return TACH_OK;
}

int
stacks_take(struct stacks *s, bool innermost_first, uint64_t count,
    const char *where)
{
	if (count == 0)
		return TACH_END;
	if (!innermost_first)
		reverse_fresh(s);
	if (check_samples(s, count, where) != TACH_OK ||
	    change_stack(s) != TACH_OK)
		return TACH_FATAL;
	s->left = count;
	return TACH_OK;
}

void
stacks_run(struct stacks *s, struct tach_run *run)
{
	struct stacks_thread *t = stacks_current(s);
	uint64_t interval = s->in->meta.interval_us;
	size_t n = s->left < STACKS_BATCH ? (size_t)s->left : STACKS_BATCH;

	for (size_t i = 0; i < n; i++)
		s->ticks[i].time = t->time + i * interval;
	t->time += n * interval;
	s->left -= n;
	*run = (struct tach_run){.thread = t->id, .interp = t->interp,
	    .index = s->last, .frames = stack_frames(&t->stack),
	    .depth = t->stack.depth, .shared = s->shared,
	    .ticks = s->ticks, .count = n};
	s->shared = run->depth;
	s->in->stats.samples += n;
	s->in->stats.frames_total += (uint64_t)n * run->depth;
}
