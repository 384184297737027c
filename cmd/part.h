/* SPDX-License-Identifier: ISC */
/*
 * part.h: a profile of tach-record while it grows.
 *
 * A file NAME gets its name when it is complete; an older file of that name
 * survives until then.  Before that it is NAME.part, and NAME.part.journal has what
 * is needed to read it.  Both stay if the recording is cut short.  A pipe, a device
 * or standard output cannot be replaced by a rename, and gets the complete profile
 * at the end.
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
	int journal_fd;  /* -1: there is none */
	char *file, *journal; /* paths of both until then; NULL: none */
	struct destination place; /* of the complete profile */
	int copy_to;	  /* a pipe or device that gets it at the end; -1: none */
	cpu_set_t cpus; /* that the process may use */
	struct part_sync *sync; /* NULL: not needed yet */
	/* The files, while they are neither complete nor kept. */
	struct unfinished_output unfinished, unfinished_journal;
	bool kept; /* the files stay even if they are never complete */
};

/* Opens a part; a text has no journal.  Its files are removed when the program exits,
 * unless part_keep was called, so it must stay until then or until part_close.
 * False: it cannot be opened, and a message was printed. */
bool part_open(struct part *, const char *path, bool text);

/* Whether files can be made beside a path, which must not be a special file itself.
 * False: they cannot, and a message was printed. */
bool part_check(const char *path);

/* Keeps the files even if they are never complete. */
void part_keep(struct part *);

/* Asks for all that was written to be synced to the disk.  It does not wait, as a
 * disk takes longer than the time between two samples.  False, with errno: an
 * earlier sync failed. */
bool part_sync(struct part *);

/* Completes the profile: it gets its name, unless a sync has failed.  False, with
 * errno. */
bool part_commit(struct part *);

/* Closes all files and removes the ones that are neither complete nor kept. */
void part_close(struct part *);

#endif
