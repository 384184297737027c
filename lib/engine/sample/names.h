/* SPDX-License-Identifier: ISC */
/*
 * names.h: the names of the target's threads, as notes in the table.
 *
 * A name is read from the target's `threading` module soon after the thread's
 * first sample.  It is read again a few times soon after that, as names are given
 * late, and then more and more rarely.  A thread that this module does not know
 * gets the kernel's name for it, unless that is the program's name.
 */
#ifndef ENGINE_SAMPLE_NAMES_H
#define ENGINE_SAMPLE_NAMES_H

#include "engine/threads/threads.h"
#include "python/objects.h"

struct names;

/* The arguments must outlive the names.  NULL if out of memory. */
struct names *names_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *);
void names_free(struct names *);

/* Reads names that are due, after the round of that time.  count: the indices of
 * all threads are below it.  False if out of memory. */
bool names_look(struct names *, const struct threads *, size_t count,
    uint64_t time_us);

#endif
