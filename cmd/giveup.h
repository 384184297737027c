/* SPDX-License-Identifier: ISC */
/*
 * giveup.h: an end that nothing can hold up.
 *
 * A read of a program's memory can wait for ever if its pages come from another
 * program (userfaultfd, FUSE) or from a server that does not answer.  No signal
 * interrupts that read, only the end of this process does.  So another thread
 * handles the signals meanwhile.
 */
#ifndef GIVEUP_H
#define GIVEUP_H

#include <signal.h>

#define GIVEUP_PATIENCE 5 /* s that the main thread may be stuck */

typedef void giveup_handler(int sig, siginfo_t *, void *context);

/* Starts the thread.  It calls the handler of these signals if the main thread
 * cannot.  Out of memory means no thread. */
void giveup_open(giveup_handler *, const int *signals, size_t count);
/* Tells the thread that the main thread is not stuck. */
void giveup_beat(void);
/* Begins the end of the rounds.  If the main thread is then stuck for
 * GIVEUP_PATIENCE, the program ends with a message; files that are kept stay.
 * Async-signal-safe. */
void giveup_start(void);
/* The rounds have ended; the thread does no more. */
void giveup_stop(void);

#endif
