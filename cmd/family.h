/* SPDX-License-Identifier: ISC */
/*
 * family.h: a process and all its descendants, each recorded to a profile of its
 * own.
 *
 * By one process: where the Yama security module is active,
 * only an ancestor may read a process's memory, and the one that started the
 * command is the only ancestor that all have in common.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include <stdbool.h>

#include "tach.h"

struct family_options {
	const char *output;
	const struct tach_recorder_options *recorder;
	const struct tach_writer_options *writer;
	bool merge; /* make one profile of all */
	bool quiet;
	bool command; /* the first one is our child */
	void (*reap)(void); /* called once when that one has ended */
};

struct family;

/* To be called before the command is started.  NULL: the output cannot be
 * opened, and it was said why.  The options must outlive it. */
struct family *family_open(const struct family_options *);

enum family_result {
	FAMILY_OK,
	FAMILY_EMPTY, /* no Python was seen */
	FAMILY_FAILED, /* it was said why */
	/* The same, and a read of a process's memory does not end: the thread that
	 * waits needs all recorders, so that the program can only exit. */
	FAMILY_STUCK,
};

/* Records the process that a recorder was told of, and those that come from
 * it, until all have ended. */
enum family_result family_record(struct family *, struct tach_recorder *);
/* Ends that, or lets all of them pause or not; both async-signal-safe. */
void family_stop(void);
void family_pause(bool);

#endif
