/* SPDX-License-Identifier: ISC */
/*
 * registry.h: the code objects that agents have told of, by their content, not by
 * their addresses.  The names of a code object stay right after it was freed, and
 * equal code objects of different threads are one.
 */
#ifndef ENGINE_TOLD_REGISTRY_H
#define ENGINE_TOLD_REGISTRY_H

#include <stddef.h>

#include "agent/wire.h"
#include "python/calls.h"
#include "python/memory.h"
#include "python/offsets.h"
#include "tach.h"

struct registry;

/* Both must outlive it.  NULL if memory ran out. */
struct registry *registry_new(struct tach_table *,
    const struct py_memory *);
void registry_free(struct registry *);

enum registry_result {
	REGISTRY_OK,
	REGISTRY_BAD, /* the record cannot be right */
	REGISTRY_MEMORY, /* memory ran out */
};

/* Takes a record of `size` bytes, to which no thread writes meanwhile, and gives the
 * number of its code object.  Each call holds the code object once more, and
 * registry_drop once less. */
enum registry_result registry_take(struct registry *,
    const struct py_offsets *, const struct wire_code *, size_t size,
    uint32_t *code);
void registry_drop(struct registry *, uint32_t code);

/* The frame of an instruction (see struct wire_frame) of a code object that is held.
 * TACH_NONE if memory ran out. */
uint32_t registry_frame(struct registry *, const struct py_offsets *,
    uint32_t code, uint32_t instr, uint8_t opcode);
/* Whether the code object can have an instruction there. */
bool registry_allows(const struct registry *, uint32_t code, uint32_t instr);

/* Finds where a frame of a code object that is held has the object that it calls at an
 * instruction.  addr: where that code object lies; its bytecode is read there, once.
 * False if there is no call, or if it is not known. */
bool registry_call(struct registry *, const struct py_calls *, uint32_t code,
    uint64_t addr, uint32_t instr, struct py_call_place *);

/* Frames that were asked for, and how many of them were known. */
void registry_counts(const struct registry *, uint64_t *asked,
    uint64_t *known);

#endif
