/* SPDX-License-Identifier: ISC */
/*
 * names.h: what the target calls its threads, as notes in the table.
 *
 * A name is read from the target's `threading` module, a little after its
 * thread was first sampled, again a few times soon after that, as names are
 * given late, and then now and then.  Threads that this module does not know
 * are called what the kernel calls them, if that is not only the program's
 * name.
 */
#ifndef ENGINE_SAMPLE_NAMES_H
#define ENGINE_SAMPLE_NAMES_H

#include "engine/threads/threads.h"
#include "python/objects.h"

struct names;

/* All must outlive it.  NULL: out of memory. */
struct names *names_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *);
void names_free(struct names *);

/* Looks for names whose time has come, after the round of that time.  Indices
 * of threads are below count.  False: out of memory. */
bool names_look(struct names *, const struct threads *, size_t count,
    uint64_t time_us);

#endif
