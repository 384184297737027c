/* SPDX-License-Identifier: ISC */
/*
 * parents.h: functions that are parts of others.
 *
 * A compiler splits off what is seldom run, and a linker puts it elsewhere; a stripped
 * file has no name for it.  Such a part is reached by jumps of one function alone, and
 * nothing else has its address.  A function that another one alone tail-calls is the
 * same: the other one's frame is gone when it runs.
 */
#ifndef NATIVE_PARENTS_H
#define NATIVE_PARENTS_H

#include "native/elfmodule.h"
#include "native/symbols.h"

struct parents;

/* Reads a module's code.  NULL if it has no such functions, if it is of another machine
 * than x86-64, if it has too much code, or if memory is out.  The caller frees it. */
struct parents *parents_new(const struct elf_module *, native_function *, void *arg);

/* Finds the start of the function that the one with this start is a part of, which can
 * be a part itself.  False if it is none. */
bool parents_find(const struct parents *, uint64_t start, uint64_t *parent);

size_t parents_memory(const struct parents *); /* bytes */

void parents_free(struct parents *);

#endif
