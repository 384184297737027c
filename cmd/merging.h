/* SPDX-License-Identifier: ISC */
/*
 * merging.h: many profiles become one, or one is copied.
 *
 * Several inputs are read twice.  The first time shows which of them are sound, and
 * so the numbers and times that each gets; the second time they are merged.  So the
 * order of the merge does not matter, and too many inputs for the number of open
 * files are merged in groups.
 */
#ifndef MERGING_H
#define MERGING_H

#include <stdbool.h>
#include <stddef.h>

#include "survey.h"
#include "tach.h"

struct merging {
	struct input *inputs;
	size_t ninputs, max;
	const struct tach_selection *selection; /* NULL: all */
	uint32_t depth; /* of stacks, as tach_depth_new has it */
	bool clock; /* keep the times of one clock */
	bool copy;  /* there is one input, and it is copied */
	bool quiet; /* nothing is printed of the complete profile */
	/* A note in the place of the inputs' notes with the same first word; NULL:
	 * none.  Writing frees it. */
	char *sum;
	struct tach_meta meta; /* of the result; of a copy, valid at its end */
	struct intake *intake;
	size_t said; /* bytes of the warning of a copy's reader that were printed */
};

void merging_add(struct merging *, const char *operand);
/* Surveys all inputs.  CMD_FAILED: there were messages about some, which are left
 * out.  Exits if none is left. */
int merging_open(struct merging *);
/* Writes the profile; output is its name in messages.  CMD_FAILED: a copy is not
 * complete.  Exits if a write fails. */
int merging_write(struct merging *, int fd, const char *output,
    const struct tach_writer_options *);
void merging_free(struct merging *);

#endif
