/* SPDX-License-Identifier: ISC */
/* recording.h: the recording of one process, to a profile or a text. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "counts.h"
#include "part.h"
#include "profile.h"
#include "tach-record.h"

struct recording {
	struct tach_recorder *recorder;
	struct tach_source *source; /* its rounds */
	const struct profile_options *how; /* NULL: a text */
	struct part part;
	struct tach_writer *writer; /* NULL: text */
	FILE *text;		    /* NULL: profile */
	struct tach_sink *sink;
	struct sample_counts counts; /* of its samples */
	off_t whole;  /* bytes of a text's whole lines */
	double saved; /* time of the last save, s; 0: none */
	int rc, save_rc; /* result of the last round, and of the save after it ... */
	int error;	 /* ... and errno if that failed */
	bool needs_samples; /* without samples there is no file */
	bool quiet;	    /* nothing is printed of a profile that is complete */
	/* Called after each round, and at their end; may be NULL. */
	void (*progress)(const struct recording *, bool over);
};

enum recording_result {
	RECORDING_OK,
	RECORDING_EMPTY,  /* nothing was recorded: there is no file */
	RECORDING_FAILED, /* a message was printed */
};

/* Opens the output of a recorder.  The caller keeps the recorder, and the recording
 * owns the source, which is NULL if there was no memory for it.  All others must
 * outlive the recording.  False: the output cannot be opened, and a message was
 * printed. */
bool recording_open(struct recording *, struct tach_recorder *,
    struct tach_source *, const char *path, const struct profile_options *);
/* Records until the recorder's end. */
enum recording_result recording_run(struct recording *);
/* Takes a round if one is due, for callers that sleep by themselves.  False: the
 * rounds are over, and recording_finish is next. */
bool recording_step(struct recording *);
/* Ends the rounds; their samples are lost from then on.  True: call again when the
 * recorder is due.  False: they are over. */
bool recording_drop(struct recording *);
enum recording_result recording_finish(struct recording *);
void recording_close(struct recording *);

/* Seconds of the monotonic clock. */
double recording_clock(void);
/* Rounds a second so far. */
double recording_rate(const struct tach_recorder_stats *);

#endif
