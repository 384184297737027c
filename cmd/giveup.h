/* SPDX-License-Identifier: ISC */
/*
 * giveup.h: an end that nothing can hold up.
 *
 * A read of a program's memory can wait for ever where its pages come from
 * another program (userfaultfd, FUSE) or from a server that does not answer.
 * No signal interrupts that read; only the end of our process does.  So another
 * thread heeds the signals meanwhile.
 */
#ifndef GIVEUP_H
#define GIVEUP_H

#include <signal.h>

#define GIVEUP_PATIENCE 5 /* s: how long a round may take then */

typedef void giveup_handler(int sig, siginfo_t *, void *context);

/* Starts the thread, which calls the handler of these signals if the main thread
 * cannot.  Without memory there is none. */
void giveup_open(giveup_handler *, const int *signals, size_t count);
/* The main thread goes on. */
void giveup_beat(void);
/* Rounds are to end: if the main thread does not go on for GIVEUP_PATIENCE, the
 * program ends with a message; files that are kept stay.  Async-signal-safe. */
void giveup_start(void);
/* They have ended, and nothing is to end the program any more. */
void giveup_stop(void);

#endif
