/* SPDX-License-Identifier: ISC */
/* perf.h: perf events of other processes' threads, where the kernel permits them:
 * exact clocks that signal a thread by its CPU time, and words that change when a
 * thread gets a CPU. */
#ifndef ENGINE_OS_PERF_H
#define ENGINE_OS_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens an event that sends a thread a signal at each interval of its CPU time;
 * it begins paused.  Returns the descriptor, or -1; *refused is set if it would
 * fail for any other thread, too. */
int perf_open(pid_t task, uint64_t interval_ns, int signal, bool *refused);
/* Sets another interval: the next signal comes one such interval from now. */
void perf_retime(int fd, uint64_t interval_ns);
/* Stops the signals, or starts them again. */
void perf_pause(int fd, bool pause);

/* Returns a word that changes whenever a thread gets a CPU, until perf_unwatch.
 * NULL if that failed, with *refused as above.  If `program` is not -1, it is the
 * descriptor of a BPF program that the kernel runs whenever the thread leaves its
 * CPU. */
const volatile uint32_t *perf_watch(pid_t task, int program, bool *refused);
void perf_unwatch(const volatile uint32_t *);
/* Opens an event that does nothing.  Returns the descriptor, or -1, with *refused
 * as above. */
int perf_hold(bool *refused);

#endif
