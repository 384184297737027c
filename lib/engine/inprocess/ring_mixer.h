/* SPDX-License-Identifier: ISC */
/* ring_mixer.h: stacks of Python and C of threads that sample themselves. */
#ifndef ENGINE_INPROCESS_RING_MIXER_H
#define ENGINE_INPROCESS_RING_MIXER_H

#include "engine/inprocess/thread_ring.h"
#include "engine/native/mixed.h"

struct ring_mixer;

/* For the threads of a process.  All arguments must outlive it.  NULL if memory ran
 * out. */
struct ring_mixer *ring_mixer_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *, struct native_faults *,
    struct late_lines *, const struct tach_recorder_options *);
void ring_mixer_free(struct ring_mixer *);
/* What makes the stacks. */
struct mixed *ring_mixer_mixed(struct ring_mixer *);

/*
 * Makes the stack of Python and C of a thread's last sample, its ->mixed.  callee: the
 * frame of the function of C that the innermost frame of Python calls, or TACH_NONE.
 * *common: how many outermost frames it has in common with the one before.  False if
 * memory ran out.
 */
bool ring_mixer_mix(struct ring_mixer *, struct thread_ring *,
    const struct thread_ring_reader *, uint32_t callee, size_t *common);

#endif
