/* SPDX-License-Identifier: ISC */
/* directory.h: an output of many files, which appears under its name only once
 * it is complete. */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include "cmd.h"

struct directory {
	int fd;		  /* of the directory to write to */
	const char *name; /* for messages */
	struct destination place;
	char *temporary; /* the name that it has until it is complete */
};

/* The name must be free, or that of an empty directory.  Exits if it cannot
 * be made.  Only one can be open at a time. */
void directory_open(struct directory *, const char *path);
void directory_close(struct directory *);

#endif
