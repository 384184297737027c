/* SPDX-License-Identifier: ISC */
/* recording.h: one process that is recorded, and the profile or text that is
 * made of it. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "part.h"
#include "tach.h"

struct recording {
	struct tach_recorder *recorder;
	struct tach_source *source; /* its rounds */
	const struct tach_writer_options *how; /* NULL: a text */
	struct part part;
	struct tach_writer *writer; /* NULL: text */
	FILE *text;		    /* NULL: profile */
	struct tach_sink *sink;
	off_t whole;  /* bytes of a text, in lines that are */
	double saved; /* when it last was made to survive us */
	int rc, save_rc; /* of the last round, and of saving after it ... */
	int error;	 /* ... if that failed: errno */
	bool needs_samples; /* or there is no file */
	/* Called after each round, and when they are over; may be NULL. */
	void (*progress)(const struct recording *, bool over);
};

enum recording_result {
	RECORDING_OK,
	RECORDING_EMPTY,  /* nothing was seen: there is no file */
	RECORDING_FAILED, /* it was said why */
};

/* Opens the output of a recorder, which stays the caller's.  The recording owns the
 * source, which is NULL if there was no memory for it.  False: it cannot be had, and
 * it was said why.  All others must outlive it. */
bool recording_open(struct recording *, struct tach_recorder *,
    struct tach_source *, const char *path, const struct tach_writer_options *);
/* Records what the recorder was told to, until its end. */
enum recording_result recording_run(struct recording *);
/* The same for who sleeps himself: a round, if it is due.  False: there are no
 * more, so that it is to be finished. */
bool recording_step(struct recording *);
/* Ends the rounds, whose samples are lost from now on.  False: they are over; else
 * it is to be called again when the recorder is due. */
bool recording_drop(struct recording *);
enum recording_result recording_finish(struct recording *);
void recording_close(struct recording *);

/* Seconds of the monotonic clock. */
double recording_clock(void);
/* Rounds a second, so far. */
double recording_rate(const struct tach_recorder_stats *);

#endif
