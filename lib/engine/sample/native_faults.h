/* SPDX-License-Identifier: ISC */
/* native_faults.h: how many stacks of Python and C are whole, and why others are not. */
#ifndef ENGINE_SAMPLE_NATIVE_FAULTS_H
#define ENGINE_SAMPLE_NATIVE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach-record.h"

struct native_fault {
	char *cause;
	uint64_t count;
};

/* All zero: empty. */
struct native_faults {
	uint64_t stacks, whole;
	struct native_fault *list;
	size_t count, max;
};

void native_faults_free(struct native_faults *);

/* Counts a stack: whole, or not for a cause.  False if out of memory. */
bool native_faults_add(struct native_faults *, const char *cause);
/* Adds notes of all to a table, if there was a stack: see tach(5). */
void native_faults_note(const struct native_faults *, struct tach_table *);
/* Sorts the causes, the most frequent one first, and tells all in the stats. */
void native_faults_tell(struct native_faults *, struct tach_recorder_stats *);

#endif
