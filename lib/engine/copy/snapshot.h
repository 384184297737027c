/* SPDX-License-Identifier: ISC */
/*
 * snapshot.h: many ranges of another process's memory, copied in the order in
 * which they were added, by as few system calls as possible: one for every
 * 1,024 ranges.
 */
#ifndef ENGINE_COPY_SNAPSHOT_H
#define ENGINE_COPY_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/copy/workset.h"
#include "python/memory.h"

/* The memory of a process, read on demand. */
struct process_memory {
	struct py_memory memory;
	pid_t pid;
};

void process_memory_init(struct process_memory *, pid_t);

struct snapshot {
	struct range *ranges;
	size_t count, max;
	uint8_t *bytes; /* the copy */
	size_t size;	/* of the ranges, bytes */
	size_t room;	/* of the copy, bytes */
};

void snapshot_clear(struct snapshot *);
void snapshot_free(struct snapshot *);

/* Adds a range, or all ranges of a working set, in the order of workset_nth.
 * False if out of memory. */
bool snapshot_add(struct snapshot *, uint64_t addr, size_t size);
bool snapshot_add_set(struct snapshot *, const struct workset *, size_t first,
    bool reversed);

/* Finds where in ->bytes a range lies, if one of the ranges from `first` on
 * holds it; false if none does.  snapshot_add_once adds the range then; false
 * if out of memory. */
bool snapshot_find(const struct snapshot *, size_t first, uint64_t addr,
    size_t size, size_t *where);
bool snapshot_add_once(struct snapshot *, size_t first, uint64_t addr,
    size_t size, size_t *where);

/* Copies all ranges.  False if one cannot be read, or if out of memory: errno
 * says why, and *failed is the index of the first range that could not be
 * read. */
bool snapshot_read(struct snapshot *, pid_t, size_t *failed);

/* Takes the bytes of all ranges, which were copied in another way.  False if
 * out of memory. */
bool snapshot_fill(struct snapshot *, const uint8_t *);

/* ---- views of copies --------------------------------------------------- */

struct spans {
	struct py_span *list;
	size_t count, max;
};

/* Adds n ranges of a snapshot, from `first` on, whose bytes begin at `offset` of
 * ->bytes, and must outlive the spans.  False if out of memory. */
bool spans_add(struct spans *, const struct snapshot *, size_t first, size_t n,
    size_t offset);
/* Adds such ranges without the parts that lie in holes. */
bool spans_add_around(struct spans *, const struct snapshot *, size_t first,
    size_t n, size_t offset, const struct range *holes, size_t nholes);
/* Adds bytes that were copied in another way, and must outlive the spans. */
bool spans_add_bytes(struct spans *, struct range, const uint8_t *);
/* A view of all spans; valid until one is added. */
struct py_view spans_view(const struct spans *);
void spans_free(struct spans *);

#endif
