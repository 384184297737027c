/* SPDX-License-Identifier: ISC */
/*
 * survey.h: what tach-merge knows of its inputs before it merges them: which
 * are sound, which interpreters and notes they have, and so what numbers and
 * times each of them gets.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

struct input {
	char *name; /* the operand, allocated */
	int copy; /* what can be read only once, as a file; -1: open name */
	struct tach_meta meta;
	uint64_t samples;
	uint64_t latest; /* time of a sample */
	/* Its interpreters below `kept` are those that its notes tell of, from
	 * an earlier merge; the others are listed, ascending. */
	uint64_t kept;
	uint32_t *interps;   /* of samples, ascending */
	uint64_t *intervals; /* of each of these, microseconds */
	size_t ninterps, interps_max;
	const uint32_t *others; /* the last ones of them */
	size_t nothers;
	char **notes;
	size_t nnotes, notes_max;
	/* Where it goes. */
	uint64_t base; /* number of its first interpreter */
	uint64_t shift;
	bool foreign; /* of another minor version than all of it becomes */
};

/* Opens a reader, which the caller frees in any case; returns what opening
 * did.  Exits if there is no memory. */
int survey_open(const struct input *, struct tach_reader **);

/* Reads an input to its end.  False: it was warned about, and is not to be
 * merged. */
bool survey_input(struct input *);
/* Takes the notes of a table: those that a reader has when it has ended. */
void survey_notes(struct input *, const struct tach_table *);
void survey_clear(struct input *);

/* Numbers the interpreters of sound inputs one after the other, and moves
 * their times to one clock if that is wanted.  Gives how many are left: what
 * does not fit is warned about and taken out. */
size_t survey_place(struct input *, size_t n, bool clock);

/* What holds for all of them together. */
struct tach_meta survey_meta(const struct input *, size_t n);

/* A note as it is after merging, NULL if it goes, or the one that an input gets that has none.
 * To be freed; NULL: it needs none. */
char *survey_note(const struct input *, size_t note);
char *survey_own_note(const struct input *);

/* The note of an interpreter's interval, if it is another than that of all;
 * likewise. */
char *survey_interval_note(const struct input *, size_t interp, uint64_t all);

#endif
