/* SPDX-License-Identifier: ISC */
/*
 * agents.h: what a recording shares with the agents that it has put into its
 * target and, if that is asked for, into the processes that come from there:
 * the memory of agent/wire.h.
 *
 * All recorders of a family share one.  Which process image, a slot, is whose
 * to drain, and which thread's area belongs to which, is decided in here, by
 * our own notes: what the memory says is another's word.
 */
#ifndef ENGINE_INPROCESS_AGENTS_H
#define ENGINE_INPROCESS_AGENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/wire.h"
#include "engine/os/process.h"
#include "error.h"
#include "python/runtime.h"
#include "tach.h"

struct agents;

/* What the agents are asked for.  NULL, with the error: they cannot be had. */
struct agents *agents_new(const struct tach_recorder_options *,
    struct error *);
/* Each recorder that uses it holds it; the last one to drop it ends it. */
struct agents *agents_hold(struct agents *);
void agents_drop(struct agents *);

struct wire_control *agents_control(const struct agents *);
int agents_signal(const struct agents *); /* by which threads are told */
/* Whether the memory is mapped in the program that a process runs now; and, if
 * nothing but the memory says that the process is ours, the agent's code. */
bool agents_are_in(const struct agents *, const struct process *, bool code);
int agents_fd(const struct agents *); /* of the memory */
uint64_t agents_nonce(const struct agents *);
const char *agents_library(const struct agents *); /* its path */

/* What a command's environment has to have, two strings and NULL, which stay
 * ours; what LD_PRELOAD holds already comes after our library. */
char *const *agents_environment(const struct agents *);

/* ---- process images ------------------------------------------------------ */

#define AGENTS_NONE UINT32_MAX

/* From now on until it leaves, what a process puts up is this recorder's.
 * False: another one has it. */
bool agents_enter(struct agents *, pid_t);
void agents_leave(struct agents *, pid_t);

/* The slot of a process that nobody has yet, or AGENTS_NONE.  It is the
 * caller's then. */
uint32_t agents_take(struct agents *, const struct process *);
/* A slot whose process no recorder has, and whose Python is known: that of a
 * fork, as it says; AGENTS_NONE: there is none.  *pid: the number that it gives,
 * which may be anybody's.  Slots of others that have ended are freed. */
uint32_t agents_fork(struct agents *, pid_t *pid);
/* A slot that gives the number of a process that is not ours: no fork. */
void agents_refuse(struct agents *, uint32_t slot, pid_t);
/* Once nobody can write to it any more and its areas have been freed; until
 * then it can only be left. */
void agents_free_slot(struct agents *, uint32_t slot);
void agents_leave_slot(struct agents *, uint32_t slot);

struct wire_slot *agents_slot(const struct agents *, uint32_t slot);

/* The Python of a process that is taken note of for its forks; theirs, false:
 * it is not known. */
void agents_note_python(struct agents *, uint32_t slot,
    const struct py_runtime *);
bool agents_python(struct agents *, uint32_t slot, struct py_runtime *);

/* ---- threads --------------------------------------------------------------- */

/* An area that a slot lists: its shared part, or NULL: it is no area, or
 * somebody has it. */
struct wire_area *agents_map(struct agents *, uint32_t area);
/* Makes it anybody's again; nobody may write to it any more. */
void agents_free_area(struct agents *, uint32_t area, struct wire_area *);
/* Unmaps it, while somebody may still write to it. */
void agents_leave_area(struct wire_area *);

/* Whether clocks may be had, as far as it is known. */
bool agents_has_clocks(const struct agents *);
/* Opens an event that, once it goes on, sends a thread the agents' signal at
 * each interval of its CPU time.  -1: that cannot be had. */
int agents_clock(struct agents *, pid_t task);

#endif
