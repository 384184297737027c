/* SPDX-License-Identifier: ISC */
/*
 * registry.h: the code objects that agents have told of, by what they are, not
 * by where they lie: what a code object was called stays right after it was
 * freed, and equal ones of different threads are one.
 */
#ifndef ENGINE_INPROCESS_REGISTRY_H
#define ENGINE_INPROCESS_REGISTRY_H

#include <stddef.h>

#include "agent/wire.h"
#include "python/memory.h"
#include "python/offsets.h"
#include "tach.h"

struct registry;

/* Both must outlive it.  NULL: out of memory. */
struct registry *registry_new(struct tach_table *,
    const struct py_memory *);
void registry_free(struct registry *);

enum registry_result {
	REGISTRY_OK,
	REGISTRY_BAD, /* it cannot be one */
	REGISTRY_MEMORY,
};

/* Takes a record of that size, which nobody writes to meanwhile, and gives the
 * number of the code object that it tells of.  Each time, it is held once. */
enum registry_result registry_take(struct registry *,
    const struct py_offsets *, const struct wire_code *, size_t size,
    uint32_t *code);
void registry_drop(struct registry *, uint32_t code);

/* The frame of an instruction of one that is held, see struct wire_frame;
 * TACH_NONE: out of memory. */
uint32_t registry_frame(struct registry *, const struct py_offsets *,
    uint32_t code, uint32_t instr, uint8_t opcode);
/* Whether it can be at that instruction. */
bool registry_allows(const struct registry *, uint32_t code, uint32_t instr);

/* Frames that were asked for, and how many of them were known. */
void registry_counts(const struct registry *, uint64_t *asked,
    uint64_t *known);

#endif
