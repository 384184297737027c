/* SPDX-License-Identifier: ISC */
/* codes.h: the numbers that a thread has for code objects, and the records by
 * which the recorder learns of them. */
#ifndef AGENT_CODES_H
#define AGENT_CODES_H

#include "agent/self.h"
#include "agent/wire.h"

#define CODES_INDEX (2 * WIRE_CODES)

struct code_entry {
	uint64_t addr;
	uint64_t print;
	uint32_t units; /* code units: 2 bytes each */
	bool sent;	/* the recorder knows it */
	bool shim;	/* see frame_is_shim in python/frames.h */
};

/* All zero: none. */
struct code_table {
	uint32_t count;
	bool changed; /* a number has become another one's */
	uint64_t type; /* address of all code objects' type; 0: not known */
	uint16_t index[CODES_INDEX]; /* number + 1, by address; 0: free */
	struct code_entry entries[WIRE_CODES];
};

enum codes_result {
	CODES_OK,
	CODES_BAD, /* that is no code object */
	CODES_FULL, /* no number is free: codes_clear, and begin again */
	CODES_NO_ROOM, /* in the ring */
};

/* The number of the code object at an address.  If it is new, its record is
 * put into the ring. */
enum codes_result codes_number(struct code_table *, const struct py_offsets *,
    struct self_view *, struct wire_area *, uint64_t addr, uint32_t *number);

/* All numbers are free again. */
void codes_clear(struct code_table *);

#endif
