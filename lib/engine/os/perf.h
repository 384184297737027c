/* SPDX-License-Identifier: ISC */
/* perf.h: clocks that tell another process's threads of their CPU time, exactly:
 * perf events, where the kernel lets us have them; and what says whether one has
 * got a CPU. */
#ifndef ENGINE_OS_PERF_H
#define ENGINE_OS_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A descriptor of an event that sends a thread a signal at each interval of its
 * CPU time, and begins as one that is paused; or -1; *refused: as it would be for
 * any other thread. */
int perf_open(pid_t task, uint64_t interval_ns, int signal, bool *refused);
/* From now on it sends them at another interval; the first after one of these. */
void perf_retime(int fd, uint64_t interval_ns);
/* From now on it sends none, or does again. */
void perf_pause(int fd, bool pause);

/* A word that another one is in whenever a thread has got a CPU, or NULL;
 * refused as above.  If that is not -1, the kernel runs a program, of that
 * descriptor, whenever the thread leaves it. */
const volatile uint32_t *perf_watch(pid_t task, int program, bool *refused);
void perf_unwatch(const volatile uint32_t *);
/* A descriptor of an event that does nothing, or -1. */
int perf_hold(bool *refused);

#endif
