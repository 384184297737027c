/* SPDX-License-Identifier: ISC */
/*
 * waits.h: wrappers of calls that wait.  Many such calls fail with EINTR, or do
 * less than they were asked for, if a signal is handled meanwhile.  Our signal
 * is therefore blocked during the call.  It comes when the wait is over, once
 * for all ticks of the wait.
 */
#ifndef AGENT_WAITS_H
#define AGENT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/wire.h"

/* True if the calling thread is in a wait during which our signal is blocked. */
bool wait_goes_on(void);

/* True in a handler whose signal was kept back until a wait was over. */
bool wait_is_over(void);
/* The address of the condition variable or the mutex that the calling thread waits for;
 * 0 if it is in another call. */
uint64_t wait_place(void);
/* The call in which the calling thread has waited, if its wait is over. */
const struct wire_call *wait_call(void);

#endif
