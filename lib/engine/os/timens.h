/* SPDX-License-Identifier: ISC */
/* timens.h: processes in another time namespace, whose CLOCK_MONOTONIC is not
 * ours. */
#ifndef ENGINE_OS_TIMENS_H
#define ENGINE_OS_TIMENS_H

#include <stdint.h>
#include <sys/types.h>

/* How far a process's CLOCK_MONOTONIC is ahead of ours, in ns; 0 if it is ours,
 * or if that is not known. */
int64_t timens_ahead(pid_t pid);

#endif
