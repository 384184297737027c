/* SPDX-License-Identifier: ISC */
/*
 * memory.h: a process's memory, as the walks in python/ see it.
 *
 * python/ makes no system call.  It reads either from a view, which is a set
 * of copied ranges, or through a py_memory, whose function its user supplies.
 * Every walk can therefore be tested on memory that was stored.
 */
#ifndef PYTHON_MEMORY_H
#define PYTHON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- reads on demand --------------------------------------------------- */

struct py_piece {
	uint64_t addr;
	size_t size; /* bytes */
	void *buf;
};

struct py_memory {
	/* Reads all pieces, in order, as near to one moment as it can be.
	 * False if one cannot be read; then the buffers are undefined. */
	bool (*read)(const struct py_memory *, const struct py_piece *, size_t);
};

static inline bool
py_read(const struct py_memory *m, uint64_t addr, void *buf, size_t size)
{
	return m->read(m, &(struct py_piece){addr, size, buf}, 1);
}

/* ---- a view: ranges that were copied at one moment ---------------------- */

struct py_span {
	uint64_t addr;
	size_t size; /* bytes */
	const uint8_t *bytes;
};

struct py_view {
	struct py_memory memory; /* the view, for reads on demand */
	const struct py_span *spans; /* in any order; they may overlap */
	size_t count;
	size_t hint; /* index of the span that was hit last */
	/* If not NULL, called for bytes that no span holds: adds a span that
	 * does, or returns false.  It may replace other spans. */
	bool (*fill)(struct py_view *, uint64_t addr, size_t size);
};

/* The bytes at an address; NULL if the span does not hold them all. */
static inline const uint8_t *
span_at(const struct py_span *s, uint64_t addr, size_t size)
{
	uint64_t off = addr - s->addr;

	return addr >= s->addr && off < s->size && size <= s->size - off ?
	    s->bytes + off : NULL;
}

static inline const uint8_t *
view_find(struct py_view *v, uint64_t addr, size_t size)
{
	for (size_t i = 0; i < v->count; i++) {
		size_t k = v->hint + i < v->count ? v->hint + i :
						    v->hint + i - v->count;
		const uint8_t *p = span_at(&v->spans[k], addr, size);
		if (p != NULL) {
			v->hint = k;
			return p;
		}
	}
	return NULL;
}

/* The bytes at an address; NULL if the view does not hold them all.  In a view
 * with ->fill they are valid until the next call. */
static inline const uint8_t *
view_at(struct py_view *v, uint64_t addr, size_t size)
{
	const uint8_t *p = view_find(v, addr, size);

	if (p == NULL && v->fill != NULL && v->fill(v, addr, size))
		p = view_find(v, addr, size);
	return p;
}

/* The read function of a view's memory: set view.memory.read to it. */
static inline bool
view_read(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct py_view *v = (struct py_view *)(uintptr_t)m;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = view_at(v, pieces[i].addr, pieces[i].size);
		if (p == NULL)
			return false;
		memcpy(pieces[i].buf, p, pieces[i].size);
	}
	return true;
}

/* ---- values, in the target's byte order, which is ours ------------------ */

static inline uint64_t
load_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif
