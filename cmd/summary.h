/* SPDX-License-Identifier: ISC */
/* summary.h: what the summary of a recording says of one process and of many
 * alike. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "tach.h"

struct summary {
	const struct tach_recorder_stats *stats; /* of all processes */
	size_t processes; /* 0: there is one, and no more were asked for */
	double seconds;	  /* that were recorded */
	double rate;	  /* rounds a second, of each process */
	int64_t bytes;	  /* of the profile, or of all; -1: there is none */
	const char *profile; /* that can be read now; or NULL */
	const struct tach_recorder_options *recorder;
};

/* Prints what came of a recording, what is not in it, and what to do with it. */
void summary_show(const struct summary *);

/* Warns if threads took no samples because they could have no clock. */
void summary_refused(const struct tach_inprocess_stats *);

/* Warns if thread states were left out because they belong to no thread. */
void summary_strays(const struct tach_recorder_stats *);

/* Warns if there were too few descriptors for all threads. */
void summary_files(const struct tach_recorder_stats *);

/* Adds what was counted of another process. */
void summary_add(struct tach_recorder_stats *,
    const struct tach_recorder_stats *);

#endif
