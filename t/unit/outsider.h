/* SPDX-License-Identifier: ISC */
/*
 * outsider.h: looks at each system call of ours by which a recorder reaches
 * into another process: reads and writes of memory, events, their signals, and
 * signals.  What concerns a process that did not come from the target is noted.
 */
#ifndef T_OUTSIDER_H
#define T_OUTSIDER_H

#include <stdint.h>
#include <sys/types.h>

/* From now on until outsider_rest, only this process and what comes from it may
 * be reached, by no other signal and at no other interval.  What has lost its
 * parent is our own child then, but the stranger is none of it. */
void outsider_family(pid_t, pid_t stranger, int signal, uint64_t interval_ns);
void outsider_rest(void);

/* How many calls were wrong, each of which has been printed; and how many there
 * were of all. */
unsigned outsider_wrong(void);
unsigned outsider_calls(void);

#endif
