/* SPDX-License-Identifier: ISC */
/*
 * part.h: where tach-record writes a profile while it grows.
 *
 * A file NAME gets its name when it is complete, so that an older file of
 * that name survives until then.  Before that it is NAME.part, and what is
 * needed to read it is in NAME.part.names; both stay if recording is cut
 * short.  What cannot be replaced by a rename (a pipe, a device, standard
 * output) gets the complete profile at the end.
 */
#ifndef PART_H
#define PART_H

#include <sched.h>
#include <stdbool.h>

#include "output.h"

struct part_sync;

struct part {
	const char *name; /* for messages */
	int fd;		  /* to write to */
	int names_fd;	  /* -1: it has none */
	char *file, *names; /* their names meanwhile; NULL: it has none */
	struct destination place; /* where it is going to be */
	int copy_to;	  /* -1: it is renamed */
	cpu_set_t cpus; /* that we may run on when it is opened */
	struct part_sync *sync; /* NULL: it was not needed yet */
	/* Its files, as long as they are neither complete nor kept. */
	struct unfinished_output unfinished, unfinished_names;
	bool kept; /* they stay even if they are never complete */
};

/* False: it cannot be opened, and it was said why.  Whatever was made is
 * removed if the program exits, unless part_keep was called; it must be there
 * until then, or until part_close.  A text has no names. */
bool part_open(struct part *, const char *path, bool text);

/* Whether files can be made beside a path that is no special file itself;
 * else it was said why not. */
bool part_check(const char *path);

/* From now on the files stay even if they are never complete. */
void part_keep(struct part *);

/* All that was written until now is made to survive the machine's end, soon:
 * a disk takes longer than there is time between two samples.  False, with
 * errno: an earlier call's was not. */
bool part_sync(struct part *);

/* It is complete: gives it its name, unless a part_sync has failed.  False,
 * with errno. */
bool part_commit(struct part *);

/* Frees it, removes what is not kept, and lets go of the rest: from now on
 * nobody waits for more. */
void part_close(struct part *);

#endif
