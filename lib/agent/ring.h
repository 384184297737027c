/* SPDX-License-Identifier: ISC */
/*
 * ring.h: the ring of an area: one thread's handler puts records in, the
 * recorder takes them out, and neither ever waits for the other.
 */
#ifndef AGENT_RING_H
#define AGENT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/wire.h"

/* No record is longer: bytes. */
#define RING_RECORD_MAX (WIRE_RING / 2 + 1024)

/* ---- producer ------------------------------------------------------------ */

struct ring_piece {
	const void *bytes;
	size_t size;
};

/* Puts the record that the pieces are, one after the other, and which the
 * first begins with its struct wire_record.  False: it has no room, and none
 * of it is in. */
bool ring_put(struct wire_area *, const struct ring_piece *, size_t n);

/* ---- consumer ------------------------------------------------------------ */

/* Begins with all zero but for its area: so does the area. */
struct ring_reader {
	struct wire_area *area;
	uint64_t tail; /* the area's own may be anything by now */
};

enum ring_result {
	RING_RECORD,
	RING_EMPTY, /* for now */
	RING_BAD,   /* what is in there is no ring of records: leave it */
};

/*
 * Takes the next record: copies it into a buffer of RING_RECORD_MAX bytes,
 * aligned to 8, which begins with its struct wire_record then, whose size is
 * right.  All else in it may be anything.
 */
enum ring_result ring_take(struct ring_reader *, void *buf);

#endif
