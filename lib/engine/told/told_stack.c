/* SPDX-License-Identifier: ISC */
/* told_stack.c: see told_stack.h. */
#include "engine/told/told_stack.h"

#include <stdlib.h>

#include "array.h"

#define SEGMENTS_MAX (2 * WIRE_DEPTH)

struct told_stack *
told_stack_new(void)
{
	return calloc(1, sizeof(struct told_stack));
}

void
told_stack_free(struct told_stack *s)
{
	if (s != NULL)
		segments_free(&s->segments);
	free(s);
}

const uint8_t *
told_stack_bytes(const struct told_stack *s)
{
	return s->bytes + WIRE_STACK - s->head.len;
}

/* Makes a list of the segments.  *places: how many frames they have. */
static enum told
list_segments(struct py_segments *s, const uint8_t *from, size_t n, size_t depth)
{
	struct wire_segment w;
	size_t places = 0;

	s->count = 0;
	s->told = true;
	for (size_t i = 0; i < n; i++) {
		memcpy(&w, from + i * sizeof(w), sizeof(w));
		if (w.times > SEGMENTS_MAX - s->count || w.places > depth ||
		    (size_t)w.times * w.places > depth - places)
			return TOLD_BAD;
		for (uint32_t k = 0; k < w.times; k++) {
			struct py_segment *p = array_grow(s->list, s->count, &s->max,
			    sizeof(*p));
			if (p == NULL)
				return TOLD_MEMORY;
			s->list = p;
			p[s->count++] = (struct py_segment){w.entry, w.frame,
			    places, w.places};
			places += w.places;
		}
	}
	while (s->nframes < places) {
		uint64_t *p = array_grow(s->frames, s->nframes, &s->frames_max,
		    sizeof(*p));
		if (p == NULL)
			return TOLD_MEMORY;
		s->frames = p;
		p[s->nframes] = s->nframes + 1;
		s->nframes++;
	}
	s->nframes = places;
	return TOLD_OK;
}

/* Whether a head can be right, by the one before and the bytes that follow the head. */
static bool
can_be(const struct wire_stack *h, const struct wire_stack *before, size_t size)
{
	size_t segments = (size_t)h->segments * sizeof(struct wire_segment);

	if (h->segments > WIRE_SEGMENTS || h->len > WIRE_STACK || h->len % 8 != 0 ||
	    h->shared > h->len || h->low > UINT64_MAX - h->len ||
	    segments > size || h->len - h->shared > size - segments)
		return false;
	return h->shared == 0 || (h->shared <= before->len &&
	    h->low + h->len == before->low + before->len);
}

enum told
told_stack_take(struct told_stack *s, const void *from, size_t size, size_t depth)
{
	struct wire_stack head;
	const uint8_t *rest = (const uint8_t *)from + sizeof(head);
	enum told t;

	if (size < sizeof(head)) {
		s->head = (struct wire_stack){0};
		return TOLD_BAD;
	}
	memcpy(&head, from, sizeof(head));
	if (!can_be(&head, &s->head, size - sizeof(head))) {
		s->head = (struct wire_stack){0};
		return TOLD_BAD;
	}
	s->head = head;
	memcpy(s->bytes + WIRE_STACK - head.len,
	    rest + head.segments * sizeof(struct wire_segment),
	    head.len - head.shared);
	t = list_segments(&s->segments, rest, head.segments, depth);
	if (t != TOLD_OK)
		s->segments.count = s->segments.nframes = 0;
	return t;
}
