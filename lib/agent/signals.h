/* SPDX-License-Identifier: ISC */
/* signals.h: the program's own idea of our signal, which it cannot take from
 * us, nor tell that it is ours. */
#ifndef AGENT_SIGNALS_H
#define AGENT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Whether a signal is one of those that tell a thread to sample itself. */
bool signals_are_ours(const siginfo_t *);
/* Sends the calling thread one of those. */
void signals_poke(void);

/* Has one that was taken be pending again. */
void signals_put_back(siginfo_t *);

/* The program has taken the pending one that it had masked, if any. */
void signals_release(void);

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
