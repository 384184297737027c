/* SPDX-License-Identifier: ISC */
/* snapshot.c: see snapshot.h. */
#include "engine/copy/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static bool
read_process(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct process_memory *pm = (const struct process_memory *)m;
	struct memory_piece list[MEMORY_PIECES];

	for (size_t done = 0; done < n;) {
		size_t k = n - done < MEMORY_PIECES ? n - done : MEMORY_PIECES;
		for (size_t i = 0; i < k; i++) {
			const struct py_piece *p = &pieces[done + i];
			list[i] = (struct memory_piece){p->addr, p->size,
			    p->buf};
		}
		if (!memory_read(pm->pid, list, k))
			return false;
		done += k;
	}
	return true;
}

void
process_memory_init(struct process_memory *m, pid_t pid)
{
	m->memory.read = read_process;
	m->pid = pid;
}

void
snapshot_clear(struct snapshot *s)
{
	s->count = 0;
	s->size = 0;
}

void
snapshot_free(struct snapshot *s)
{
	free(s->ranges);
	free(s->bytes);
	*s = (struct snapshot){0};
}

bool
snapshot_add(struct snapshot *s, uint64_t addr, size_t size)
{
	struct range *p = array_grow(s->ranges, s->count, &s->max, sizeof(*p));

	if (p == NULL)
		return false;
	s->ranges = p;
	p[s->count++] = (struct range){addr, size};
	s->size += size;
	return true;
}

bool
snapshot_find(const struct snapshot *s, size_t first, uint64_t addr,
    size_t size, size_t *where)
{
	*where = s->size;
	for (size_t i = s->count; i-- > first;) {
		const struct range *v = &s->ranges[i];
		uint64_t offset = addr - v->addr;
		*where -= v->size;
		if (offset < v->size && size <= v->size - offset) {
			*where += offset;
			return true;
		}
	}
	*where = s->size;
	return false;
}

bool
snapshot_add_once(struct snapshot *s, size_t first, uint64_t addr,
    size_t size, size_t *where)
{
	return snapshot_find(s, first, addr, size, where) ||
	    snapshot_add(s, addr, size);
}

bool
snapshot_add_set(struct snapshot *s, const struct workset *w, size_t first,
    bool reversed)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct range *r =
		    &w->ranges[workset_nth(w, first, reversed, i)];
		if (!snapshot_add(s, r->addr, r->size))
			return false;
	}
	return true;
}

static bool
make_byte_room(struct snapshot *s)
{
	size_t room = s->room != 0 ? s->room : 65536;
	void *p;

	while (room < s->size)
		room *= 2;
	if (room != s->room) {
		if ((p = realloc(s->bytes, room)) == NULL)
			return false;
		s->bytes = p;
		s->room = room;
	}
	return true;
}

bool
snapshot_read(struct snapshot *s, pid_t pid, size_t *failed)
{
	*failed = 0;
	return make_byte_room(s) &&
	    memory_copy(pid, s->ranges, s->count, s->bytes, failed);
}

bool
snapshot_fill(struct snapshot *s, const uint8_t *bytes)
{
	if (!make_byte_room(s))
		return false;
	memcpy(s->bytes, bytes, s->size);
	return true;
}

static bool
add_span(struct spans *sp, struct py_span span)
{
	struct py_span *p = array_grow(sp->list, sp->count, &sp->max,
	    sizeof(*p));

	if (p == NULL)
		return false;
	sp->list = p;
	p[sp->count++] = span;
	return true;
}

/* Adds the parts of a span that lie outside of n holes. */
static bool
add_around(struct spans *sp, struct py_span span, const struct range *holes,
    size_t n)
{
	uint64_t end = span.addr + span.size, low, high;

	if (n == 0)
		return span.size == 0 || add_span(sp, span);
	low = holes->addr < span.addr ? span.addr :
	    holes->addr < end	      ? holes->addr : end;
	high = holes->addr + holes->size;
	high = high < low ? low : high < end ? high : end;
	return add_around(sp, (struct py_span){span.addr, low - span.addr,
		   span.bytes}, holes + 1, n - 1) &&
	    add_around(sp, (struct py_span){high, end - high,
		span.bytes + (high - span.addr)}, holes + 1, n - 1);
}

bool
spans_add_around(struct spans *sp, const struct snapshot *s, size_t first,
    size_t n, size_t offset, const struct range *holes, size_t nholes)
{
	for (size_t i = first; i < first + n; i++) {
		const struct range *v = &s->ranges[i];
		struct py_span span = {v->addr, v->size, s->bytes + offset};
		if (!add_around(sp, span, holes, nholes))
			return false;
		offset += v->size;
	}
	return true;
}

bool
spans_add(struct spans *sp, const struct snapshot *s, size_t first, size_t n,
    size_t offset)
{
	return spans_add_around(sp, s, first, n, offset, NULL, 0);
}

bool
spans_add_bytes(struct spans *sp, struct range r, const uint8_t *bytes)
{
	return add_span(sp, (struct py_span){r.addr, r.size, bytes});
}

struct py_view
spans_view(const struct spans *sp)
{
	return (struct py_view){.memory.read = view_read, .spans = sp->list,
	    .count = sp->count};
}

void
spans_free(struct spans *sp)
{
	free(sp->list);
	*sp = (struct spans){0};
}
