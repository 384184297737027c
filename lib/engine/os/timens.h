/* SPDX-License-Identifier: ISC */
/* timens.h: processes whose CLOCK_MONOTONIC is not ours, as they are in another
 * time namespace. */
#ifndef ENGINE_OS_TIMENS_H
#define ENGINE_OS_TIMENS_H

#include <stdint.h>
#include <sys/types.h>

/* By how many ns a process's CLOCK_MONOTONIC is ahead of ours; 0: it is ours, or
 * nothing is known of it. */
int64_t timens_ahead(pid_t pid);

#endif
