/* SPDX-License-Identifier: ISC */
/* timeline.c: see timeline.h. */
#include "out/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "out/limits.h"

static uint64_t
end_of(const struct tach_tick *t)
{
	return t->time < UINT64_MAX - t->duration ? t->time + t->duration : UINT64_MAX;
}

bool
timeline_next(const struct tach_run *run, size_t *next, struct segment *s)
{
	const struct tach_tick *t = run->ticks + *next;
	const struct tach_tick *last = run->ticks + run->count;

	while (t < last && end_of(t) == t->time)
		t++;
	if (t == last)
		return false;
	s->begin = t->time;
	s->idle = tach_status_idle(t->status);
	do
		s->end = end_of(t++);
	while (t < last && t->time == s->end &&
	    tach_status_idle(t->status) == s->idle);
	*next = (size_t)(t - run->ticks);
	return true;
}

void *
tracks_find(struct tracks *t, uint32_t index, size_t size)
{
	uint64_t max = t->max != 0 ? t->max : 16;
	char *p;

	if (index >= LIMIT_THREADS)
		return NULL;
	while (max <= index)
		max *= 2;
	if (max != t->max) {
		if (max > UINT32_MAX ||
		    (p = reallocarray(t->tracks, max, size)) == NULL)
			return NULL;
		memset(p + t->max * size, 0, (max - t->max) * size);
		t->tracks = p;
		t->max = (uint32_t)max;
	}
	if (index >= t->count)
		t->count = index + 1;
	return (char *)t->tracks + index * size;
}
