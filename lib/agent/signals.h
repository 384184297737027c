/* SPDX-License-Identifier: ISC */
/* signals.h: our signal as the program sees it.  The program can neither take
 * the signal from the agent nor see that the agent uses it. */
#ifndef AGENT_SIGNALS_H
#define AGENT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* True if a signal tells a thread to sample itself. */
bool signals_are_ours(const siginfo_t *);
/* Sends the calling thread such a signal. */
void signals_poke(void);

/* Makes a signal that was taken pending again.  May change its si_code. */
void signals_put_back(siginfo_t *);

/* Unblocks our signal again, if it was blocked to keep a signal pending that
 * the program had masked: the program has taken or unmasked it. */
void signals_release(void);

/* Handles a signal of another sender as the program has asked for.  context: of
 * the handler that the signal came to. */
void signals_pass_on(siginfo_t *, void *context);

/* Keeps SIGIO, which the kernel may send instead of ours, from ending the
 * program. */
void signals_guard(void);

/* How the program has set our signal, for the programs and threads that it
 * starts: ignored by the process, masked in the calling thread. */
bool signals_ignored(void);
bool signals_masked(void);
void signals_set_masked(bool);

#endif
