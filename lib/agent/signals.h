/* SPDX-License-Identifier: ISC */
/* signals.h: the program's own idea of our signal, which it cannot take from
 * us, nor tell that it is ours. */
#ifndef AGENT_SIGNALS_H
#define AGENT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Our signal in a mask, as the kernel has it; 0: the agent is not in force. */
uint64_t signals_bit(void);

/* A set with our signal in it, or without: copies of one that may be NULL. */
const sigset_t *signals_with_ours(const sigset_t *, sigset_t *copy);
const sigset_t *signals_without_ours(const sigset_t *, sigset_t *copy);

/* Does with a signal that somebody else has sent what the program has asked
 * for. */
void signals_pass_on(siginfo_t *, void *context);

/* Has no signal end the program that the kernel sends instead of ours. */
void signals_guard(void);

/* What the program has asked for, for those who run in its place. */
bool signals_ignored(void);
bool signals_masked(void);
void signals_set_masked(bool);

#endif
