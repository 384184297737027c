/* SPDX-License-Identifier: ISC */
/* child.h: tach-record as a child of tach-top, which shows the profile that it writes. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define CHILD_MESSAGES 2048 /* bytes that are kept of the messages */

struct child {
	char *path;	 /* of the profile */
	char *directory; /* made for the profile; NULL: the user named it */
	pid_t pid;	 /* 0: it was reaped, or never started */
	int status;	 /* then: what a shell would give */
	int messages; /* a pipe with their errors, to be polled: child_ended takes
		       * them; -1: none */
	/* private */
	int directory_fd;   /* of ->directory */
	struct stat before; /* the file that had the name, or zero */
	char text[CHILD_MESSAGES];
	size_t len;
};

/*
 * Starts tach-record with options and operands, up to a NULL.  An output that is NULL is
 * a new file that child_close removes.  If `hidden`, the child and its command have no
 * terminal: child_tell prints the end of their errors.  Exits if it cannot be started.
 */
void child_start(struct child *, const char *output, char *const arguments[],
    bool hidden);
/* Whether its profile is complete: there is a file of that name, and another one than
 * before. */
bool child_has_profile(const struct child *);
/* Whether it has ended.  Reaps it, and takes its messages. */
bool child_ended(struct child *);
/* Waits until it has ended. */
void child_wait(struct child *);
/* Ends it and its command by SIGTERM, and waits until a profile that the user named is
 * complete.  A command that goes on for five seconds more is left alone; that is told. */
void child_end(struct child *);
/* Whether it has ended without a profile, or with one that lacks something. */
bool child_failed(const struct child *);
/* Prints the end of the errors. */
void child_tell(const struct child *);
/* Frees it, and removes the profile unless the user named it. */
void child_close(struct child *);

#endif
