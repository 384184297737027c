/* SPDX-License-Identifier: ISC */
/* codes.h: the numbers that a thread gives to code objects, and the records by
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
	bool sent;	/* its record is in the ring */
	bool shim;	/* see frame_is_shim in python/frames.h */
};

/* A table that is all zero is empty. */
struct code_table {
	uint32_t count;
	bool changed; /* a number may stand for another code object */
	uint64_t type; /* address of PyCode_Type; 0: not known */
	uint16_t index[CODES_INDEX]; /* hash by address: number + 1; 0: free */
	struct code_entry entries[WIRE_CODES];
};

enum codes_result {
	CODES_OK,
	CODES_BAD, /* no code object is at the address */
	CODES_FULL, /* no number is free: call codes_clear, and begin again */
	CODES_NO_ROOM, /* the ring has no room for the record */
};

/* Gives the number of the code object at an address.  Puts the record of a code
 * object that is new there into the ring. */
enum codes_result codes_number(struct code_table *, const struct py_offsets *,
    struct self_view *, struct wire_area *, uint64_t addr, uint32_t *number);

/* Frees all numbers. */
void codes_clear(struct code_table *);

#endif
