/* SPDX-License-Identifier: ISC */
/*
 * waits.h: calls that wait.  Many of them fail with EINTR, or do less than
 * they were asked for, when a signal is handled meanwhile; so ours has to wait
 * as well.  It comes when the wait is over, once for all of its ticks.
 */
#ifndef AGENT_WAITS_H
#define AGENT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Around a wait.  True: it keeps the signal back, and is to be ended. */
bool wait_begin(void);
void wait_end(bool begun);

/* Whether the calling thread waits, as far as the signal is concerned. */
bool wait_goes_on(void);

/* Whether the signal that is being handled had to wait; for which condition
 * variable, by its address, or 0: it was another call. */
bool wait_is_over(void);
uint64_t wait_place(void);

#endif
