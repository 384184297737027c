/* SPDX-License-Identifier: ISC */
/* folder.h: an output of many files, which appears under its name only once
 * it is complete. */
#ifndef FOLDER_H
#define FOLDER_H

#include "cmd.h"

struct folder {
	int fd;		  /* of the directory to write to */
	const char *name; /* for messages */
	struct destination place;
	char *temporary; /* the name that it has until it is complete */
};

/* The name must be free, or that of an empty directory.  Exits if it cannot
 * be made.  Only one can be open at a time. */
void folder_open(struct folder *, const char *path);
void folder_close(struct folder *);

#endif
