/* SPDX-License-Identifier: ISC */
/* states.c: see states.h. */
#include "out/states.h"

#include <stdlib.h>

#include "array.h"
#include "out/limits.h"

#define BIT(state) (1u << (state))

void
states_begin(struct states *s, uint8_t seen, struct error *error)
{
	s->error = error;
	s->told = seen;
	s->count = 0;
	s->now = 0;
	s->until = 0;
}

static unsigned
states_of(uint8_t told, uint8_t status, bool gc)
{
	unsigned now = gc ? BIT(STATE_GC) : 0;

	if (told & TACH_STATUS_GIL)
		now |= status & TACH_STATUS_GIL ? BIT(STATE_GIL) :
						  BIT(STATE_NO_GIL);
	if (told & TACH_STATUS_CPU && (status & TACH_STATUS_UNKNOWN) == 0)
		now |= status & TACH_STATUS_CPU ? BIT(STATE_CPU) :
						  BIT(STATE_NO_CPU);
	if (status & TACH_STATUS_GIL_WANTED)
		now |= BIT(STATE_WANTS_GIL);
	if (status & TACH_STATUS_EXCEPTION)
		now |= BIT(STATE_EXCEPTION);
	return now;
}

/* An interval without duration is not added. */
static bool
add_interval(struct states *s, enum state state, uint64_t end)
{
	struct interval *p;

	if (end <= s->since[state])
		return true;
	if (s->count == LIMIT_SAMPLES) {
		error_set(
		    s->error, TACH_ELIMIT, LIMIT_TEXT("changes of state"));
		return false;
	}
	p = array_grow(s->intervals, s->count, &s->max, sizeof(*p));
	if (p == NULL)
		return false;
	s->intervals = p;
	p[s->count++] = (struct interval){s->since[state], end, state};
	return true;
}

/* Changes the states at a time. */
static bool
change_states(struct states *s, unsigned now, uint64_t time)
{
	unsigned changed = s->now ^ now;

	for (unsigned i = 0; i < STATES && changed != 0; i++) {
		if ((changed & BIT(i)) == 0)
			continue;
		if (now & BIT(i))
			s->since[i] = time;
		else if (!add_interval(s, (enum state)i, time))
			return false;
	}
	s->now = now;
	return true;
}

/* In a gap no state is known. */
bool
states_add(struct states *s, const struct tach_tick *t, bool gc)
{
	unsigned now = states_of(s->told, t->status, gc);

	if (t->time > s->until && s->now != 0 && !change_states(s, 0, s->until))
		return false;
	s->until = t->time + t->duration;
	return now == s->now || change_states(s, now, t->time);
}

static int
compare_intervals(const void *pa, const void *pb)
{
	const struct interval *a = pa, *b = pb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

bool
states_end(struct states *s)
{
	if (!change_states(s, 0, s->until))
		return false;
	if (s->count > 0)
		qsort(s->intervals, s->count, sizeof(*s->intervals),
		    compare_intervals);
	return true;
}
