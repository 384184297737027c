/* SPDX-License-Identifier: ISC */
/*
 * watch.h: a profile that tach-top shows at a terminal, which may still be recorded.
 * To group or filter its samples differently, it is read again from its start.
 */
#ifndef WATCH_H
#define WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "select.h"
#include "tally.h"

#define WATCH_WHY_MAX 256 /* bytes */

struct watch {
	const char *path;
	bool gathers; /* the profiles of processes beside the path, not itself */
	time_t since; /* the time since which these were written */
	const struct selection *selection; /* of the command line */
	const volatile sig_atomic_t *ending; /* set by a signal: reading fails */
	struct tally rows;
	struct tally above; /* the threads or processes */
	bool complete; /* nothing more comes */
	/* The reading failed; or samples are missing at the end.  "": neither. */
	char why[WATCH_WHY_MAX];
	/* private */
	struct tach_reader *reader;
	struct tach_source *source;
	struct tach_sink both; /* gives runs to both tallies */
};

/* The part of a profile that is read, and its rows. */
struct watch_range {
	enum tally_group group;
	enum tally_group above; /* threads or processes */
	bool tree;		/* rows are nodes of a call tree */
	const char *match; /* a regular expression, or "" */
	uint64_t until;	   /* us since the start; 0: to the end */
};

/* Opens the profile and reads all samples that there are, each time from its start.
 * False: ->why says why. */
bool watch_read(struct watch *, const struct watch_range *);
/* Reads the samples that have come since.  False: likewise. */
bool watch_more(struct watch *);
void watch_close(struct watch *);

#endif
