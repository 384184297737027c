/* SPDX-License-Identifier: ISC */
/* snapshot.c: see snapshot.h. */
#include "engine/copy/snapshot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static bool
memory_read(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct process_memory *pm = (const struct process_memory *)m;
	struct iovec local[IOV_MAX], remote[IOV_MAX];

	for (size_t done = 0; done < n;) {
		size_t k = n - done < IOV_MAX ? n - done : IOV_MAX;
		ssize_t want = 0;
		for (size_t i = 0; i < k; i++) {
			const struct py_piece *p = &pieces[done + i];
			local[i] = (struct iovec){p->buf, p->size};
			remote[i] = (struct iovec){
			    (void *)(uintptr_t)p->addr, p->size};
			want += (ssize_t)p->size;
		}
		if (process_vm_readv(pm->pid, local, k, remote, k, 0) != want)
			return false;
		done += k;
	}
	return true;
}

void
process_memory_init(struct process_memory *m, pid_t pid)
{
	m->memory.read = memory_read;
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
	free(s->remote);
	free(s->bytes);
	*s = (struct snapshot){0};
}

bool
snapshot_add(struct snapshot *s, uint64_t addr, size_t size)
{
	struct iovec *p = array_grow(s->remote, s->count, &s->max, sizeof(*p));

	if (p == NULL)
		return false;
	s->remote = p;
	p[s->count++] = (struct iovec){(void *)(uintptr_t)addr, size};
	s->size += size;
	return true;
}

bool
snapshot_find(const struct snapshot *s, size_t first, uint64_t addr,
    size_t size, size_t *where)
{
	*where = s->size;
	for (size_t i = s->count; i-- > first;) {
		const struct iovec *v = &s->remote[i];
		uint64_t offset = addr - (uint64_t)(uintptr_t)v->iov_base;
		*where -= v->iov_len;
		if (offset < v->iov_len && size <= v->iov_len - offset) {
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

/* The index of the range in which a short read of n bytes, from range i on,
 * ended. */
static size_t
range_at(const struct snapshot *s, size_t i, size_t n)
{
	while (i + 1 < s->count && n >= s->remote[i].iov_len)
		n -= s->remote[i++].iov_len;
	return i;
}

bool
snapshot_read(struct snapshot *s, pid_t pid, size_t *failed)
{
	size_t done = 0;

	*failed = 0;
	if (!make_byte_room(s))
		return false;
	for (size_t i = 0; i < s->count; i += IOV_MAX) {
		size_t k = s->count - i < IOV_MAX ? s->count - i : IOV_MAX;
		struct iovec local = {s->bytes + done, 0};
		ssize_t n;
		for (size_t j = i; j < i + k; j++)
			local.iov_len += s->remote[j].iov_len;
		n = process_vm_readv(pid, &local, 1, s->remote + i, k, 0);
		if (n != (ssize_t)local.iov_len) {
			*failed = range_at(s, i, n > 0 ? (size_t)n : 0);
			if (n >= 0)
				errno = EFAULT;
			return false;
		}
		done += local.iov_len;
	}
	return true;
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
		const struct iovec *v = &s->remote[i];
		struct py_span span = {(uint64_t)(uintptr_t)v->iov_base,
		    v->iov_len, s->bytes + offset};
		if (!add_around(sp, span, holes, nholes))
			return false;
		offset += v->iov_len;
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
