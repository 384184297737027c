/* SPDX-License-Identifier: ISC */
/*
 * output.h: an output gets its name when it is complete.  Until then it is unfinished:
 * a new file or directory beside that name, under another one.  All that are
 * unfinished are registered, and are removed if the program ends before they are
 * complete.  A pipe or a device has its name already, and is written to as it is.
 * place.h has the rules for the names.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <sys/types.h>

#include "place.h"
#include "tach.h"

/* ---- outputs of the commands that read files ----------------------------- */

enum output_kind {
	OUTPUT_FILE,
	OUTPUT_DIRECTORY, /* free, or empty */
	/* A TACH profile, which is not written in order: a pipe gets it at the end. */
	OUTPUT_PROFILE,
};

/* A file or directory that is not complete. */
struct unfinished_output {
	char *name; /* that it has until it is, in its directory; NULL: none */
	/* private */
	int directory;
	enum place_kind kind;
	struct unfinished_output *next;
};

struct output {
	const char *name; /* for messages */
	int fd;		  /* to write to; of a directory, to make files in */
	FILE *file;	  /* the same of an OUTPUT_FILE, else NULL */
	/* private */
	int direct; /* what is written to as it is, in the end; -1: nothing */
	struct destination place;
	struct unfinished_output unfinished;
};

/* Opens an output that a signal removes as long as it is open.  A path that is NULL or
 * "-" is standard output.  Exits if it cannot be opened, and by cmd_usage if a profile
 * would go to a terminal. */
void output_open(struct output *, const char *path, enum output_kind);
/* The output is complete.  Exits if it cannot get its name. */
void output_close(struct output *);

/* Makes it a failure if the output is a pipe whose reader goes away and leaves
 * something unread: output_close waits a while for the reader, and the hint is the
 * message.  NULL: it is no failure. */
void output_unread(const struct output *, const char *hint);

/* ---- the unfinished ------------------------------------------------------ */

/* Makes an empty file or directory, for its owner alone, and registers it: as seen by
 * a signal, both at once.  The name is freed by the other calls.  A descriptor, or -1
 * with errno. */
int output_make(struct unfinished_output *, const struct destination *, enum place_kind,
    char *name);
/* It is complete: gives it its mode and the name of its place.  False, with errno: it
 * is unfinished still. */
bool output_take(struct unfinished_output *, const struct destination *, int fd);
/* It stays even if it is never complete. */
void output_keep(struct unfinished_output *);
/* Frees it, and removes it if it is registered. */
void output_drop(struct unfinished_output *);

/* ---- failures ------------------------------------------------------------ */

/* Says that a write to the output failed, for a reason that is why or, if that is
 * NULL, errno's, and exits with CMD_FAILED.  A reader that went away is no error: the
 * command then dies silently of SIGPIPE; but see output_unread. */
noreturn void output_failed(const char *output, const char *why);
/* The same of a sink that failed: it knows the reason. */
noreturn void output_sink_failed(const char *output, const struct tach_sink *);

/* Flushes standard output, so that a full disk ends the work early, and so that
 * messages come after what was printed before them.  Exits if that fails. */
void output_flush(void);
/* Closes standard output.  Exits if not all was written; else the status, for main. */
int output_end(int status);

#endif
