/* SPDX-License-Identifier: ISC */
/* recording.c: see recording.h. */
#include "recording.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "hint.h"
#include "to_file.h"
#include "why.h"

#define SAVE_EVERY 0.5 /* s between two saves; half as much again can be lost */

double
recording_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double
recording_rate(const struct tach_recorder_stats *s)
{
	/* In-process there are no rounds. */
	uint64_t n = s->inprocess.records > 0 ? s->samples : s->rounds;

	return s->elapsed_ns > 0 ?
	    (double)n * 1e9 / (double)s->elapsed_ns : 0;
}

/* ---- opening ------------------------------------------------------------- */

/* Opens the text, which is lines of samples and has no end of its own. */
static void
open_text(struct recording *r)
{
	int fd = fcntl(r->part.fd, F_DUPFD_CLOEXEC, 0);
	struct tach_output output;

	if (fd < 0 || (r->text = fdopen(fd, "w")) == NULL)
		return;
	output = to_file(r->text);
	if ((r->sink = tach_text_new(&output, true)) != NULL)
		r->sink->end = NULL;
}

static void
open_sink(struct recording *r)
{
	if (r->how == NULL)
		open_text(r);
	else if (r->source != NULL &&
	    (r->writer = tach_writer_new(r->part.fd, &r->how->writer,
		 r->source->table)) != NULL)
		r->sink = tach_writer_sink(r->writer);
}

bool
recording_open(struct recording *r, struct tach_recorder *recorder,
    struct tach_source *source, const char *path,
    const struct profile_options *how)
{
	*r = (struct recording){.recorder = recorder, .how = how};
	if (!part_open(&r->part, path, how == NULL)) {
		tach_source_free(source);
		return false;
	}
	r->source = tach_depth_new(source, how != NULL ? how->depth : 0);
	open_sink(r);
	counts_init(&r->counts, r->sink);
	if (r->source != NULL && r->sink != NULL)
		return true;
	warn(NULL);
	recording_close(r);
	return false;
}

void
recording_close(struct recording *r)
{
	tach_source_free(r->source);
	tach_sink_free(r->sink);
	counts_clear(&r->counts);
	tach_writer_free(r->writer);
	if (r->text != NULL)
		fclose(r->text);
	part_close(&r->part);
}

/* ---- saving -------------------------------------------------------------- */

/* The number of rounds; in-process, of each thread's samples. */
static uint64_t
done(const struct tach_recorder_stats *s)
{
	return s->inprocess.records > 0 ?
	    s->inprocess.weight + s->failed : s->rounds;
}

/* The meta of the profile so far. */
static struct tach_meta
meta_now(const struct recording *r)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(r->recorder);
	struct tach_meta meta = *tach_recorder_meta(r->recorder);

	meta.quality = (struct tach_quality){
	    .known = true,
	    .has_errors = true,
	    .has_missed = true,
	    .duration = (double)s->elapsed_ns / 1e9,
	    .rate = recording_rate(s),
	    .errors = cmd_percent(s->failed, s->samples + s->failed),
	    .missed = cmd_percent(s->missed, done(s) + s->missed),
	};
	return meta;
}

static int
save_text(struct recording *r)
{
	if (fflush(r->text) != 0)
		return TACH_FATAL;
	if (r->part.file != NULL)
		r->whole = lseek(r->part.fd, 0, SEEK_CUR);
	return TACH_OK;
}

/* Saves what was recorded so far, so that a reader finds it whatever becomes of
 * this process. */
static int
save(struct recording *r)
{
	struct tach_meta meta = meta_now(r);

	if (r->text != NULL)
		return save_text(r);
	if (r->part.journal_fd < 0)
		return TACH_OK;
	return tach_writer_checkpoint(r->writer, r->part.journal_fd, &meta);
}

/* The same, if it is time.  A text is saved after each round, as it is read while
 * it is written. */
static int
save_again(struct recording *r)
{
	double now = recording_clock();
	bool first = r->saved == 0, due = now >= r->saved + SAVE_EVERY;

	if (tach_recorder_stats(r->recorder)->samples == 0 ||
	    (!due && r->text == NULL))
		return TACH_OK;
	if (save(r) != TACH_OK)
		return TACH_FATAL;
	if (!due)
		return TACH_OK;
	r->saved = now;
	if (!first)
		return part_sync(&r->part) ? TACH_OK : TACH_FATAL;
	part_keep(&r->part);
	return TACH_OK;
}

/* Prints why a sink or a save failed.  False, except for a text whose reader went
 * away: that is no failure. */
static bool
sink_failed(struct recording *r)
{
	const char *why;
	enum tach_error code = tach_sink_error(r->sink, &why);
	bool told = code != TACH_ENONE;

	if (r->text != NULL && (told ? code == TACH_EPIPE : errno == EPIPE))
		return true;
	warnx("%s: %s%s", r->part.name,
	    told && r->text == NULL ? "" : "cannot write: ",
	    told ? why : strerror(errno));
	return false;
}

/* ---- running ------------------------------------------------------------- */

static bool
save_round(struct recording *r)
{
	r->save_rc = save_again(r);
	r->error = errno;
	return r->save_rc == TACH_OK;
}

bool
recording_step(struct recording *r)
{
	r->rc = tach_pump(r->source, &r->counts.sink);
	if (r->rc != TACH_AGAIN || !save_round(r))
		return false;
	if (r->progress != NULL)
		r->progress(r, false);
	return true;
}

static int
drop_run(struct tach_sink *sink, const struct tach_run *run)
{
	(void)sink;
	(void)run;
	return TACH_OK;
}

bool
recording_drop(struct recording *r)
{
	struct tach_sink nowhere = {.size = sizeof(nowhere), .run = drop_run};

	tach_recorder_stop(r->recorder);
	return tach_pump(r->source, &nowhere) == TACH_AGAIN;
}

/* Prints why the rounds are over, if they failed.  False: they failed. */
static bool
ended_well(struct recording *r)
{
	if (r->progress != NULL)
		r->progress(r, true);
	if (r->save_rc != TACH_OK || r->rc == TACH_REFUSED) {
		errno = r->error;
		return sink_failed(r);
	}
	if (r->rc < TACH_OK)
		warnx("%s: %s", r->part.name, recorder_hinted(r->recorder));
	return r->rc >= TACH_OK;
}

/* Finds the lines of functions of C, if they are wanted. */
static void
find_lines(const struct recording *r)
{
	if (tach_recorder_lines(r->recorder) != TACH_OK)
		warnx("%s: %s", r->part.name, recorder_why(r->recorder));
}

/* Completes the profile.  False: it failed, and a message was printed. */
static bool
complete_profile(struct recording *r)
{
	struct tach_meta meta = meta_now(r);

	find_lines(r);
	if (save(r) != TACH_OK)
		return sink_failed(r);
	if (r->writer != NULL &&
	    tach_writer_finish(r->writer, &meta) != TACH_OK) {
		warnx("%s: %s", r->part.name, writer_why(r->writer));
		return false;
	}
	if (!part_commit(&r->part)) {
		warn("%s: cannot write", r->part.name);
		return false;
	}
	return true;
}

/* Prints where the saved samples are.  A full disk can have taken the beginning of
 * a line, which is cut off. */
static void
tell_of_part(const struct recording *r)
{
	if (r->saved == 0 || r->part.file == NULL)
		return;
	if (r->text != NULL) {
		__fpurge(r->text);
		(void)!ftruncate(r->part.fd, r->whole);
	}
	warnx("the recording until then is in %s", r->part.file);
}

/* Whether there is nothing to keep.  A Python without samples of the chosen kind
 * gives an empty profile, unless the recorder has an error. */
static bool
is_empty(const struct recording *r)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(r->recorder);

	return s->rounds == 0 || (s->samples == 0 && (r->needs_samples ||
	    *recorder_why(r->recorder) != '\0'));
}

enum recording_result
recording_finish(struct recording *r)
{
	bool ok = ended_well(r);

	if (ok && is_empty(r))
		return RECORDING_EMPTY;
	if (!ok || !complete_profile(r)) {
		tell_of_part(r);
		return RECORDING_FAILED;
	}
	if (r->writer != NULL && !r->quiet)
		profile_remark(r->part.name, r->writer,
		    &r->how->writer);
	return RECORDING_OK;
}

enum recording_result
recording_run(struct recording *r)
{
	while (recording_step(r))
		continue;
	while (r->rc == TACH_REFUSED && recording_drop(r))
		continue;
	return recording_finish(r);
}
