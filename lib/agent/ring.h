/* SPDX-License-Identifier: ISC */
/*
 * ring.h: the ring of an area.  One thread's handler puts records in, the
 * recorder takes them out, and neither ever waits for the other.
 */
#ifndef AGENT_RING_H
#define AGENT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/wire.h"

/* The most bytes that a record has. */
#define RING_RECORD_MAX                                                        \
	(WIRE_DEPTH * sizeof(struct wire_frame) + WIRE_STACK +                 \
	    WIRE_SEGMENTS * sizeof(struct wire_segment) + 1024)

/* ---- producer ------------------------------------------------------------ */

struct ring_piece {
	const void *bytes;
	size_t size;
};

/* Puts the record that the pieces make up, in their order; it begins with a
 * struct wire_record, whose size is the sum of theirs.  False if the ring has
 * no room: then no piece is put. */
bool ring_put(struct wire_area *, const struct ring_piece *, size_t n);

/* ---- consumer ------------------------------------------------------------ */

/* Begins with all zero but for its area, like the area itself. */
struct ring_reader {
	struct wire_area *area;
	uint64_t tail; /* our own: the target may change the area's */
};

enum ring_result {
	RING_RECORD,
	RING_EMPTY, /* for now */
	RING_BAD,   /* there is no ring of records: do not read on */
};

/*
 * Takes the next record: copies it into a buffer of RING_RECORD_MAX bytes,
 * aligned to 8.  The buffer then begins with a struct wire_record whose size is
 * right.  All other bytes of it may have any value.
 */
enum ring_result ring_take(struct ring_reader *, void *buf);

#endif
