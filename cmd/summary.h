/* SPDX-License-Identifier: ISC */
/* summary.h: what the summary of a recording says of one process and of many
 * alike. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stddef.h>

#include "tach.h"

/* Why samples failed, if any did: ": 2 unreadable, 1 moving". */
#define SUMMARY_CAUSES 256 /* bytes that this may need */
void summary_causes(const struct tach_recorder_stats *, char *buf, size_t size);

/* Prints what samples cost the program that its threads took of themselves, and
 * what is not in them. */
void summary_inside(const struct tach_inprocess_stats *,
    enum tach_recorder_mode);

/* Warns if threads took no samples because they could have no clock. */
void summary_refused(const struct tach_inprocess_stats *);

/* Warns if thread states were left out because they belong to no thread. */
void summary_strays(const struct tach_recorder_stats *);

/* Warns if there were too few descriptors for all threads. */
void summary_files(const struct tach_recorder_stats *);

/* Adds what was counted of another process, as far as a summary tells it. */
void summary_add(struct tach_recorder_stats *,
    const struct tach_recorder_stats *);

#endif
