/* SPDX-License-Identifier: ISC */
/* child.h: tach-record as a child of tach-top, which shows what it records. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	char *path;	 /* of the profile that it records */
	char *directory; /* made for that; NULL: the user named the profile */
	pid_t pid;	 /* 0: it was reaped */
	int status;	 /* then: what a shell would give */
};

/*
 * Starts tach-record with options and operands, up to a NULL.  An output that is NULL
 * is a file that goes with the child.  Hidden, nothing of what it and its command
 * print is seen.  Exits if it cannot be started.
 */
void child_start(struct child *, const char *output, char *const arguments[],
    bool hidden);
/* Whether it has ended; reaps it. */
bool child_ended(struct child *);
/* Waits until it has ended. */
void child_wait(struct child *);
/* Ends it, and a command that it started.  Its profile is complete. */
void child_end(struct child *);
/* Removes the profile if the user did not name it. */
void child_close(struct child *);

#endif
