/* SPDX-License-Identifier: ISC */
/*
 * place.h: the place of an output.  All commands have one set of rules for it.
 *
 * A new file or directory is for its owner alone; it has the mode of an older one
 * of that name if we own that.  It is made beside the name, which it gets when it
 * is complete, in a directory that is looked up once.  A symbolic link is not
 * followed.  A file of somebody else in a shared directory is left alone.  A pipe
 * or a device is written to as it is.  An output is neither an input nor another
 * output, by whatever name.
 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <sys/types.h>

/* The suffix of a journal as recorders before the first release wrote it: readers
 * take it still. */
#define PLACE_OLD_JOURNAL ".names"

enum place_kind { PLACE_FILE, PLACE_DIRECTORY };

struct destination {
	char *base; /* the name in the directory */
	int directory; /* for *at() calls alone; -1: not open */
	int fd;	    /* of a pipe or device; -1: a new file is made */
	mode_t mode; /* of the new file */
};

/* Looks up a path, and opens a pipe or a device.  "-" and paths such as /dev/stdout
 * name descriptors of the process.  Returns NULL, or the reason why the path is
 * refused. */
const char *place_open(struct destination *, const char *path, enum place_kind);
void place_close(struct destination *);

/* Looks up the directory and the name alone.  False, with errno. */
bool place_find(struct destination *, const char *path);

/* Gives the complete file or directory its mode and its name.  False, with errno. */
bool place_take(const struct destination *, int fd, const char *from);

/* Registers an input, by its operand: no output may be the same file.  A path that
 * does not exist is ignored. */
void place_reads(const char *operand);
/* The reason why standard output is refused: it is an input, too.  NULL: it is not. */
const char *place_stdout(void);

#endif
