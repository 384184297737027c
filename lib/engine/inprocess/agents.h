/* SPDX-License-Identifier: ISC */
/*
 * agents.h: the memory of agent/wire.h, which a recording shares with the agents
 * in its target and, if that is asked for, in the processes that come from there.
 *
 * All recorders of a family share one struct agents.  It decides which recorder
 * drains a slot (a process image), and to which slot an area (a thread) belongs.
 * It decides by its own notes, as any process may have written to the memory.
 */
#ifndef ENGINE_INPROCESS_AGENTS_H
#define ENGINE_INPROCESS_AGENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/wire.h"
#include "engine/os/os.h"
#include "error.h"
#include "python/runtime.h"
#include "tach-record.h"

struct agents;

/* Makes the memory, with the agents' options.  NULL, with the error, if that
 * failed. */
struct agents *agents_new(const struct tach_recorder_options *,
    struct error *);
/* Each recorder that uses it holds it; the last one to drop it frees it. */
struct agents *agents_hold(struct agents *);
void agents_drop(struct agents *);

struct wire_control *agents_control(const struct agents *);
int agents_signal(const struct agents *); /* the signal that threads get */
/* Whether the memory is mapped in the program that a process runs now; with
 * `code`, also the agent's code.  `code` is for a process that nothing but the
 * memory says to be the recording's. */
bool agents_are_in(const struct agents *, const struct process *, bool code);
int agents_fd(const struct agents *); /* of the memory */
uint64_t agents_nonce(const struct agents *);
const char *agents_library(const struct agents *); /* its path */

/* The variables that a command's environment has to have: two strings and NULL,
 * valid as long as the agents.  The present value of LD_PRELOAD comes after the
 * agent's library. */
char *const *agents_environment(const struct agents *);

/* ---- process images ------------------------------------------------------ */

#define AGENTS_NONE UINT32_MAX

/* Enters a process: until agents_leave, its slots are for the caller's recorder.
 * False if another recorder has entered it, or too many recorders have entered. */
bool agents_enter(struct agents *, pid_t);
void agents_leave(struct agents *, pid_t);

/* Takes the first slot of a process that no recorder has yet.  AGENTS_NONE if there
 * is none. */
uint32_t agents_take(struct agents *, const struct process *);
/* A slot whose process no recorder has entered, and whose Python is known: it says
 * that it is a fork's.  AGENTS_NONE if there is none.  *pid is the number that the
 * slot gives, which may be any process's.  Slots of other processes that have ended
 * are freed. */
uint32_t agents_fork(struct agents *, pid_t *pid);
/* Notes that the number in a slot is of a process without an agent, so that
 * agents_fork does not give the slot with this number again. */
void agents_refuse(struct agents *, uint32_t slot, pid_t);
/* Frees a slot, to which no process can write any more, and the areas that it still
 * lists.  The caller has freed the areas that it had mapped. */
void agents_free_slot(struct agents *, uint32_t slot);
/* Leaves a slot, to which a process may still write: it is freed when the process
 * has ended. */
void agents_leave_slot(struct agents *, uint32_t slot);

struct wire_slot *agents_slot(const struct agents *, uint32_t slot);

/* Notes the Python of a slot's process, for its forks. */
void agents_note_python(struct agents *, uint32_t slot,
    const struct py_runtime *);
/* Gives the Python of a fork, which is its parent's.  False if it is not known. */
bool agents_python(struct agents *, uint32_t slot, struct py_runtime *);

/* ---- threads --------------------------------------------------------------- */

/* Maps the shared part of an area that a slot lists.  NULL if there is no such area,
 * a recorder has it already, or it cannot be mapped. */
struct wire_area *agents_map(struct agents *, uint32_t area);
/* Unmaps an area, to which no thread may write any more, and lets agents use it
 * again. */
void agents_free_area(struct agents *, uint32_t area, struct wire_area *);
/* Unmaps an area to which a thread may still write. */
void agents_leave_area(struct wire_area *);

/* Whether agents_clock can succeed, as far as is known. */
bool agents_has_clocks(const struct agents *);
/* Opens a perf event that sends a thread the agents' signal at each interval of its
 * CPU time, once it is enabled.  Returns its descriptor, which is the caller's; -1
 * if there can be none. */
int agents_clock(struct agents *, pid_t task);

#endif
