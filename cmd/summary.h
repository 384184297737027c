/* SPDX-License-Identifier: ISC */
/* summary.h: the summary of a recording, for one process and for many. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "counts.h"
#include "natives.h"
#include "tach-record.h"

struct summary {
	const struct tach_recorder_stats *stats; /* of all processes */
	size_t processes; /* 0: one process, without --subprocesses */
	double seconds;	  /* seconds of recording */
	double rate;	  /* rounds a second, of each process */
	int64_t bytes;	  /* of the profile, or of all profiles; -1: none */
	const char *profile; /* that can be read; NULL: none */
	const struct tach_recorder_options *recorder;
	const struct sample_counts *counts; /* of all processes */
	const struct natives *natives; /* NULL: they were not looked at */
};

/* Prints the result of a recording, its gaps, and what to do next. */
void summary_show(const struct summary *);

/* Warns if threads took no samples because they could have no clock. */
void summary_refused(const struct tach_inprocess_stats *);

/* Warns if thread states were left out because they belong to no thread. */
void summary_strays(const struct tach_recorder_stats *);

/* Warns if there were too few descriptors for all threads. */
void summary_files(const struct tach_recorder_stats *);

/* Adds the counts of another process. */
void summary_add(struct tach_recorder_stats *,
    const struct tach_recorder_stats *);

#endif
