/* SPDX-License-Identifier: ISC */
/*
 * counts.h: how the threads were in the samples that are recorded, for the summary.  A
 * sink that counts what it gives on to another one.
 */
#ifndef COUNTS_H
#define COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "tach.h"

struct sample_counts {
	struct tach_sink sink;
	uint64_t samples;
	uint64_t gil, cpu, wanted, idle, unknown; /* of these, see enum tach_status */
	uint64_t *threads; /* the ids of all threads, in the order of their first
			    * samples */
	size_t nthreads;
	/* private */
	struct tach_sink *to;
	const struct tach_table *table;
	size_t max;
};

/* The other sink stays the caller's. */
void counts_init(struct sample_counts *, struct tach_sink *to);
void counts_clear(struct sample_counts *);
/* Adds the samples of another one, without its threads. */
void counts_add(struct sample_counts *, const struct sample_counts *);

#endif
