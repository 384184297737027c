/* SPDX-License-Identifier: ISC */
/*
 * survey.h: the survey of the inputs of a merge.  It finds which inputs are sound,
 * their interpreters and their notes, and so the numbers and times that each gets.
 */
#ifndef SURVEY_H
#define SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

/* What notes say of an interpreter. */
struct interp_facts {
	uint64_t interval; /* microseconds */
	uint32_t process;  /* 0: not known */
	uint32_t first;	   /* the first interpreter of its process */
	uint64_t time;	   /* of time 0, as tach_table_time has it */
};

struct input {
	char *name; /* the operand; owned */
	int copy; /* a file with an input that can be read only once; -1: open name */
	struct tach_meta meta;
	uint64_t samples;
	uint64_t latest; /* time of a sample */
	/* Interpreters below `kept` have notes of an earlier merge; the others are
	 * listed. */
	uint64_t kept;
	uint32_t *interps;   /* that have samples, ascending */
	struct interp_facts *facts; /* of each of them */
	size_t ninterps, interps_max;
	const uint32_t *others; /* the last entries of interps */
	size_t nothers;
	char **notes;
	size_t nnotes, notes_max;
	/* Where it goes. */
	uint64_t base; /* new number of its first interpreter */
	uint64_t shift;
	bool foreign; /* of another minor version than the result */
};

/* Opens a reader of an input, to be freed by the caller in any case.  Returns the
 * result of opening it.  Exits if out of memory. */
int survey_open(const struct input *, struct tach_reader **);

/* Reads an input to its end.  False: it is not to be merged, and a message was
 * printed. */
bool survey_input(struct input *);
/* Takes the notes of a table, which are complete when its reader has ended. */
void survey_notes(struct input *, const struct tach_table *);
void survey_clear(struct input *);

/* Numbers the interpreters of the sound inputs, one input after the other, and
 * moves their times to one clock if clock is true.  Returns the number of inputs
 * that are left; a message was printed about each one that does not fit. */
size_t survey_place(struct input *, size_t n, bool clock);

/* The meta of all inputs together. */
struct tach_meta survey_meta(const struct input *, size_t n);

/* A note as it is after merging, and the own note of an input without one.  To be
 * freed; NULL: there is none. */
char *survey_note(const struct input *, size_t note);
char *survey_own_note(const struct input *);

/* The note of an interpreter's interval, in microseconds, if it differs from `all`.
 * To be freed; NULL: it does not. */
char *survey_interval_note(const struct input *, size_t interp, uint64_t all);

/* The notes of an interpreter's process and of its time of day, unless the last notes
 * are of it, too: `last` is what these say, all zero at first, and is changed.  All
 * interpreters are asked for in turn.  To be freed; NULL: there is none. */
char *survey_process_note(const struct input *, size_t interp,
    struct interp_facts *last);
char *survey_time_note(const struct input *, size_t interp,
    struct interp_facts *last);

#endif
