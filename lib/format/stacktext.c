/* SPDX-License-Identifier: ISC */
/* stacktext.c: see stacktext.h. */
#include "format/stacktext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "hash.h"

/* Bytes of the stacks of all threads, and of their texts. */
#define HELD_MAX (2 * UINT64_C(4) * FRAMES_MAX)

bool
stacktext_init(struct stacktext *s)
{
	return (s->texts = tach_table_new()) != NULL;
}

void
stacktext_clear(struct stacktext *s)
{
	for (uint32_t i = 0; i < s->nthreads; i++) {
		stack_clear(&s->threads[i].stack);
		buf_clear(&s->threads[i].text);
	}
	free(s->threads);
	free(s->frames);
	set_clear(&s->thread_set);
	tach_table_free(s->texts);
}

static int
stacktext_no_memory(struct stacktext *s)
{
	return error_memory(&s->in->error);
}

/* ---- frames -------------------------------------------------------------- */

/* Makes the frame of a new text, whose index among the texts is given. */
static int
add_text_frame(struct stacktext *s, struct piece p, uint32_t index)
{
	struct tach_frame f;
	uint32_t *frames = array_grow(s->frames, index, &s->frames_max,
	    sizeof(*frames));

	if (frames == NULL)
		return stacktext_no_memory(s);
	s->frames = frames;
	if (s->parse(s->arg, p, &f) != TACH_OK)
		return TACH_FATAL;
	frames[index] = tach_table_add_frame(s->in->table, &f);
	return frames[index] != TACH_NONE ? TACH_OK : stacktext_no_memory(s);
}

static int
get_text_frame(struct stacktext *s, struct piece p, uint32_t *frame)
{
	uint32_t known = tach_table_string_count(s->texts);
	uint32_t index = tach_table_add_string(s->texts, p.text, p.len);

	if (index == TACH_NONE)
		return stacktext_no_memory(s);
	if (index == known && add_text_frame(s, p, index) != TACH_OK)
		return TACH_FATAL;
	*frame = s->frames[index];
	return TACH_OK;
}

/* ---- threads ------------------------------------------------------------- */

struct stacktext_key {
	const struct stacktext *stacks;
	uint64_t id;
	uint32_t interp;
};

static bool
text_thread_equal(const void *arg, uint32_t index)
{
	const struct stacktext_key *k = arg;
	const struct text_thread *t = &k->stacks->threads[index];

	return t->id == k->id && t->interp == k->interp;
}

static int
add_text_thread(struct stacktext *s, const struct stacktext_key *k,
    uint64_t hash)
{
	struct text_thread *p;

	if (s->nthreads == THREADS_MAX)
		return error_set(&s->in->error, TACH_ELIMIT, "more than %u "
		    "threads are not read", THREADS_MAX);
	p = array_grow(s->threads, s->nthreads, &s->threads_max, sizeof(*p));
	if (p == NULL)
		return stacktext_no_memory(s);
	s->threads = p;
	p += s->nthreads;
	*p = (struct text_thread){.id = k->id, .interp = k->interp};
	s->last = s->nthreads++; /* stacktext_clear frees it */
	if (!stack_init(&p->stack) || buf_reserve(&p->text, 1) == NULL ||
	    !set_add(&s->thread_set, hash, s->last))
		return stacktext_no_memory(s);
	return TACH_OK;
}

int
stacktext_thread(struct stacktext *s, uint64_t id, uint32_t interp)
{
	struct stacktext_key key = {s, id, interp};
	uint64_t hash;
	uint32_t found;

	if (s->nthreads > 0 && text_thread_equal(&key, s->last))
		return TACH_OK;
	hash = hash_of(&id, sizeof(id), interp);
	found = set_find(&s->thread_set, hash, text_thread_equal, &key);
	if (found == TACH_NONE)
		return add_text_thread(s, &key, hash);
	s->last = found;
	return TACH_OK;
}

/* ---- stacks -------------------------------------------------------------- */

bool
stacktext_same(const struct text_thread *t, struct piece stack)
{
	return stack.len == t->text.len &&
	    memcmp(stack.text, t->text.text, stack.len) == 0;
}

static uint32_t
count_frames(const char *text, size_t len)
{
	const char *end = text + len;
	uint32_t n = 0;

	for (; (text = memchr(text, ';', (size_t)(end - text))) != NULL; text++)
		n++;
	return n;
}

/* The size of the whole frames that both stacks begin with. */
static size_t
common(const struct buf *old, const struct piece *stack)
{
	const char *a = old->text, *b = stack->text;
	size_t max = old->len < stack->len ? old->len : stack->len, n = 0;

	while (max - n >= 8 && memcmp(a + n, b + n, 8) == 0)
		n += 8;
	while (n < max && a[n] == b[n])
		n++;
	while (n > 0 && a[n - 1] != ';')
		n--;
	return n;
}

/* Makes room for the fresh frames. */
static bool
reserve_fresh(struct text_thread *t, struct piece fresh)
{
	uint32_t depth = t->stack.depth + count_frames(fresh.text, fresh.len);

	if (!stack_reserve(&t->stack, depth))
		return false;
	t->stack.depth = depth;
	return true;
}

/* Reads the innermost frames; the thread's stack has room for them. */
static int
get_frames(struct stacktext *s, struct text_thread *t, struct piece fresh,
    uint32_t shared)
{
	uint32_t *frames = stack_frames(&t->stack);
	const char *end = fresh.text + fresh.len;

	s->nth = shared;
	for (uint32_t i = t->stack.depth - shared; i-- > 0;) {
		const char *stop = memchr(fresh.text, ';',
		    (size_t)(end - fresh.text));
		fresh.len = (size_t)(stop - fresh.text);
		s->nth++;
		if (get_text_frame(s, fresh, &frames[i]) != TACH_OK)
			return TACH_FATAL;
		fresh.text = stop + 1;
	}
	return TACH_OK;
}

static uint64_t
held_of(const struct text_thread *t)
{
	return (uint64_t)t->stack.room * sizeof(*t->stack.buf) + t->text.max;
}

/* Counts what the current thread holds more than before. */
static int
check_held(struct stacktext *s, uint64_t before)
{
	s->held += held_of(stacktext_current(s)) - before;
	if (s->held <= HELD_MAX)
		return source_check_names(s->in);
	return error_set(&s->in->error, TACH_ELIMIT, "the stacks of all threads "
	    "take more than %" PRIu64 " MiB, which is not read",
	    HELD_MAX >> 20);
}

int
stacktext_change(struct stacktext *s, struct piece fresh, uint32_t *shared)
{
	struct text_thread *t = stacktext_current(s);
	struct buf *old = &t->text;
	uint64_t before = held_of(t);
	size_t keep;

	*shared = t->stack.depth;
	if (stacktext_same(t, fresh))
		return TACH_OK;
	keep = common(old, &fresh);
	*shared -= count_frames(old->text + keep, old->len - keep);
	fresh.text += keep;
	fresh.len -= keep;
	t->stack.depth = *shared;
	if (!reserve_fresh(t, fresh))
		return stacktext_no_memory(s);
	if (get_frames(s, t, fresh, *shared) != TACH_OK)
		return TACH_FATAL;
	old->len = keep;
	buf_add(old, fresh.text, fresh.len);
	return old->failed ? stacktext_no_memory(s) : check_held(s, before);
}

struct tach_run
stacktext_run(const struct stacktext *s, uint32_t shared)
{
	const struct text_thread *t = stacktext_current(s);

	return (struct tach_run){
	    .thread = t->id,
	    .interp = t->interp,
	    .index = s->last,
	    .frames = stack_frames(&t->stack),
	    .depth = t->stack.depth,
	    .shared = shared,
	};
}
