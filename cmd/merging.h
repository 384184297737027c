/* SPDX-License-Identifier: ISC */
/*
 * merging.h: one profile is made of many, or one is copied.
 *
 * Several inputs are read twice: once to see which of them are sound, which
 * decides what numbers and times each of them gets, and once to merge them.
 * So the order in which they are then merged does not matter, and what would
 * be too many open files at once is merged in groups.
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
	bool clock; /* times stay as they lay on one clock */
	bool copy;  /* there is one input, which is taken as it is */
	/* A note that takes the place of those of the inputs that begin with
	 * the same word, and is freed by writing it; or NULL. */
	char *sum;
	struct tach_meta meta; /* of all; of a copy, only at its end */
	struct intake *intake;
	size_t said; /* of the copy's reader's warning */
};

void merging_add(struct merging *, const char *operand);
/* Looks at all inputs.  CMD_FAILED: some were warned about and are left out;
 * exits if none is left. */
int merging_open(struct merging *);
/* Writes the profile; the name is for messages.  CMD_FAILED: a copy is not
 * complete.  Exits if writing fails. */
int merging_write(struct merging *, int fd, const char *output,
    const struct tach_writer_options *);
void merging_free(struct merging *);

#endif
