/* SPDX-License-Identifier: ISC */
/*
 * family.h: a process and all its descendants, each recorded to a profile of its
 * own.
 *
 * One process records all of them.  Under the Yama security module only an ancestor
 * may read a process's memory, and the parent of the command is the one ancestor
 * that all have in common.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include <stdbool.h>

#include "profile.h"
#include "tach-record.h"

struct family_options {
	const char *output;
	const struct tach_recorder_options *recorder;
	const struct profile_options *profile;
	bool merge; /* merge all profiles into one */
	bool quiet;
	bool command; /* the first process is a child of this one */
	void (*reap)(void); /* called once, when that child has ended */
};

struct family;

/* Opens the output; to be called before the command is started.  NULL: the output
 * cannot be opened, and a message was printed.  The options must outlive the
 * family. */
struct family *family_open(const struct family_options *);

enum family_result {
	FAMILY_OK,
	FAMILY_EMPTY, /* there was no Python */
	FAMILY_UNSAMPLED, /* there was one, but no sample to keep */
	FAMILY_FAILED, /* it was said why */
	/* A read of a process's memory does not end.  The thread that waits needs
	 * all recorders, so the program can only exit. */
	FAMILY_STUCK,
};

/* Records the recorder's process and its descendants until all have ended. */
enum family_result family_record(struct family *, struct tach_recorder *);
/* End the recording; let all members pause or go on.  Both are async-signal-safe. */
void family_stop(void);
void family_pause(bool);

#endif
