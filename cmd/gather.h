/* SPDX-License-Identifier: ISC */
/*
 * gather.h: the profiles of a process and its descendants as one source, while
 * tach-record writes each to a file of its own beside the output.
 */
#ifndef GATHER_H
#define GATHER_H

#include <time.h>

#include "tach.h"

/*
 * The source of NAME.PID.bin for an output NAME.bin, with the durations of the ticks; of
 * files alone that were written since a time, s since the epoch.  Each
 * interpreter gets a number of its own, and a note with the name of its file.  It returns
 * TACH_AGAIN where there may be more later, also from processes that begin then; it has
 * no end.  The output must outlive it.  NULL: out of memory.
 */
struct tach_source *gather_new(const char *output, time_t since);

#endif
