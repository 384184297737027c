/* SPDX-License-Identifier: ISC */
/*
 * place.h: where an output goes; all commands have one set of rules for it.
 *
 * A new file or directory is for its owner alone; an older one of that name that
 * is ours leaves its mode to the new one.  It is made beside that name, which
 * it gets when it is complete, in a directory that is looked up once.  A symbolic
 * link is not followed, and what somebody else has put into a directory that is
 * shared is left alone.  What can only be written to, a pipe or a device, is.
 * An output is neither an input nor another output, by whatever name.
 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <sys/types.h>

enum place_kind { PLACE_FILE, PLACE_DIRECTORY };

struct destination {
	char *base; /* its name in the directory */
	int directory; /* to find names in, not to read; -1: not open */
	int fd;	    /* to write to it as it is; -1: it is made anew */
	mode_t mode; /* that it gets */
};

/* Looks at a path and opens what is not made anew; "-" and names such as
 * /dev/stdout are descriptors that we have.  NULL, or why it cannot be. */
const char *place_open(struct destination *, const char *path, enum place_kind);
void place_close(struct destination *);

/* Only the directory, and the name in it.  False, with errno. */
bool place_find(struct destination *, const char *path);

/* What was made in the directory is complete: gives it its mode and its name.
 * False, with errno. */
bool place_take(const struct destination *, int fd, const char *from);

/* An input, by its operand: no output is to be that.  A name that is not there
 * is none. */
void place_reads(const char *operand);
/* Whether standard output is an input as well: why not to write to it, or
 * NULL. */
const char *place_stdout(void);

#endif
