/* SPDX-License-Identifier: ISC */
/* merging.c: see merging.h. */
#include "merging.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"
#include "profile.h"
#include "why.h"

/* The most inputs that are merged at once: each needs an open file, and memory to
 * decompress it. */
#define FAN_IN 64

/* ---- the list of inputs -------------------------------------------------- */

void
merging_add(struct merging *m, const char *operand)
{
	char *name = strdup(operand);

	if (name == NULL)
		err(CMD_FAILED, NULL);
	m->inputs = cmd_grow(m->inputs, m->ninputs, &m->max,
	    sizeof(*m->inputs));
	m->inputs[m->ninputs++] = (struct input){.name = name, .copy = -1};
}

/* ---- merging at once ----------------------------------------------------- */

/* The inputs of one merge, or files with groups of inputs. */
struct intake {
	struct tach_merge *merge;
	size_t n;
	struct tach_reader *readers[FAN_IN];
	const char *names[FAN_IN];
	int fds[FAN_IN]; /* -1: an input */
};

static void
intake_open(struct intake *b, const struct tach_meta *meta)
{
	b->n = 0;
	if ((b->merge = tach_merge_new(meta)) == NULL)
		err(CMD_FAILED, NULL);
}

static void
intake_close(struct intake *b)
{
	tach_merge_free(b->merge);
	for (size_t i = 0; i < b->n; i++) {
		tach_reader_free(b->readers[i]);
		if (b->fds[i] >= 0)
			close(b->fds[i]);
	}
}

static void
intake_add(struct intake *b, struct tach_reader *r, const char *name, int fd,
    const struct tach_merge_options *place)
{
	b->readers[b->n] = r;
	b->names[b->n] = name;
	b->fds[b->n++] = fd;
	if (tach_merge_add(b->merge, tach_reader_source(r), place) != TACH_OK)
		errx(CMD_FAILED, "%s: %s", name, merge_why(b->merge));
}

/* Merges an intake.  False: the only input ended early, and the samples before that
 * are kept. */
static bool
intake_run(struct intake *b, struct tach_writer *w, const char *output,
    bool only)
{
	struct tach_source *source = tach_merge_source(b->merge);
	bool complete = true;
	int rc;

	while ((rc = cmd_pump(source, tach_writer_sink(w), output)) !=
	    TACH_END) {
		const char *name = b->names[tach_merge_input(b->merge)];
		const char *why = merge_why(b->merge);
		if (rc == TACH_FATAL)
			output_failed(output, why);
		if (rc == TACH_WARN && !only)
			errx(CMD_FAILED, "%s: it has changed meanwhile: %s",
			    name, why);
		if (rc == TACH_WARN) {
			warnx("%s: %s", name, why);
			complete = false;
		}
	}
	return complete;
}

static struct tach_writer *
writer_open(int fd, const struct tach_writer_options *options,
    const struct intake *b)
{
	struct tach_writer *w = tach_writer_new(fd, options,
	    tach_merge_source(b->merge)->table);

	if (w == NULL)
		err(CMD_FAILED, NULL);
	return w;
}

/* ---- groups -------------------------------------------------------------- */

static void
add_sound(const struct merging *m, struct intake *b, const struct input *in)
{
	struct tach_merge_options place = {.size = sizeof(place),
	    .interp = in->base,
	    .kept = in->kept,
	    .others = in->others,
	    .nothers = in->nothers,
	    .shift = in->shift,
	    .samples = in->samples,
	    .selection = m->selection,
	    .no_opcodes = in->foreign,
	    .depth = m->depth};
	const char *name = cmd_input_name(in->name);
	struct tach_reader *r;

	if (in->samples == 0)
		return;
	if (survey_open(in, &r) == TACH_FATAL)
		errx(CMD_FAILED, "%s: %s", name, reader_why(r));
	intake_add(b, r, name, -1, &place);
}

static void gather(const struct merging *, struct intake *, size_t first,
    size_t n);

/* Merges a group of inputs into a temporary file, with their final numbers and
 * times. */
static void
add_group(const struct merging *m, struct intake *b, size_t first, size_t n)
{
	static const struct tach_writer_options options = {
	    .size = sizeof(options), TACH_LAYOUT_CPYTHON, TACH_ZSTD, 1};
	static const struct tach_merge_options as_is = {
	    .size = sizeof(as_is), .kept = UINT64_MAX};
	static const char name[] = "temporary file";
	struct tach_meta meta = {.size = sizeof(meta)};
	struct intake group;
	struct tach_writer *w;
	struct tach_reader *r = tach_reader_new();
	int fd = cmd_temporary(CMD_FAILED);

	intake_open(&group, &meta);
	gather(m, &group, first, n);
	w = writer_open(fd, &options, &group);
	intake_run(&group, w, name, false);
	if (tach_writer_finish(w, &meta) != TACH_OK)
		output_failed(name, writer_why(w));
	tach_writer_free(w);
	intake_close(&group);
	if (r == NULL || tach_reader_open_fd(r, fd) != TACH_OK)
		errx(CMD_FAILED, "%s: %s", name, r == NULL ?
		    strerror(ENOMEM) : reader_why(r));
	intake_add(b, r, name, fd, &as_is);
}

/* Adds inputs to an intake: one by one if there is room for all, otherwise in
 * groups, as large as needed. */
static void
gather(const struct merging *m, struct intake *b, size_t first, size_t n)
{
	size_t part = 1, end = first + n;

	while (part < n && part * FAN_IN < n)
		part *= FAN_IN;
	for (; first < end; first += part)
		if (part == 1)
			add_sound(m, b, &m->inputs[first]);
		else
			add_group(m, b, first,
			    end - first < part ? end - first : part);
}

/* ---- the whole ----------------------------------------------------------- */

static void
add_note(struct intake *b, char *note, const char *output)
{
	if (note != NULL && tach_merge_note(b->merge, note) != TACH_OK)
		output_failed(output, merge_why(b->merge));
	free(note);
}

static char *
same_note(const struct input *in, size_t note)
{
	char *text = strdup(in->notes[note]);

	if (text == NULL)
		err(CMD_FAILED, NULL);
	return text;
}

/* Whether the sum takes the place of a note. */
static bool
is_summed(const struct merging *m, const char *note)
{
	size_t word = m->sum != NULL ? strcspn(m->sum, " ") + 1 : 0;

	return word > 0 && strncmp(note, m->sum, word) == 0;
}

/* Adds the intervals that differ from the header's, the processes and the times of
 * day. */
static void
add_facts(const struct merging *m, struct intake *b, uint64_t all,
    const char *output)
{
	struct interp_facts last = {0};

	for (size_t i = 0; i < m->ninputs; i++) {
		const struct input *in = &m->inputs[i];
		for (size_t k = 0; k < in->ninterps; k++) {
			add_note(b, survey_interval_note(in, k, all), output);
			add_note(b, survey_process_note(in, k, &last), output);
			add_note(b, survey_time_note(in, k, &last), output);
		}
	}
}

/* Adds all other notes.  A copy of one input gets no note of its own. */
static void
add_notes(const struct merging *m, struct intake *b, bool only,
    const char *output)
{
	for (size_t i = 0; i < m->ninputs; i++) {
		const struct input *in = &m->inputs[i];
		for (size_t k = 0; k < in->nnotes; k++)
			if (!is_summed(m, in->notes[k]))
				add_note(b, only ? same_note(in, k) :
				    survey_note(in, k), output);
		if (!only)
			add_note(b, survey_own_note(in), output);
	}
	add_note(b, m->sum, output);
}

static void
finish_profile(const struct merging *m, struct tach_writer *w, const char *output,
    const struct tach_writer_options *options)
{
	add_notes(m, m->intake, m->copy, output);
	if (!m->copy)
		add_facts(m, m->intake, m->meta.interval_us, output);
	if (tach_writer_finish(w, &m->meta) != TACH_OK)
		output_failed(output, writer_why(w));
	if (!m->quiet)
		profile_remark(output, w, options);
	tach_writer_free(w);
}

/* Ends the copy of an input, whose meta and warnings are complete only then.
 * Returns the exit status. */
static int
end_of_copy(struct merging *m, bool complete)
{
	struct tach_reader *r = m->intake->readers[0];
	struct input *in = &m->inputs[0];
	int status = complete ? CMD_OK : CMD_FAILED;

	if (complete && tach_reader_verify(r) == TACH_FATAL) {
		warnx("%s: %s", cmd_input_name(in->name),
		    reader_why(r));
		status = CMD_FAILED;
	}
	cmd_remark(r, in->name, m->said);
	in->meta = *tach_reader_meta(r);
	survey_notes(in, tach_reader_table(r));
	m->meta = survey_meta(in, 1);
	return status;
}

static void
add_only(struct merging *m, struct intake *b)
{
	struct tach_merge_options place = {.size = sizeof(place),
	    .kept = UINT64_MAX,
	    .selection = m->selection,
	    .depth = m->depth};
	const char *name = cmd_input_name(m->inputs[0].name);
	struct tach_reader *r;
	int rc = survey_open(&m->inputs[0], &r);

	place_reads(m->inputs[0].name);
	if (rc == TACH_FATAL)
		errx(CMD_FAILED, "%s: %s", name, reader_why(r));
	m->said = cmd_remark(r, m->inputs[0].name, 0);
	m->meta = *tach_reader_meta(r);
	intake_add(b, r, name, -1, &place);
}

/* Surveys all inputs and leaves the sound ones in the list. */
static int
survey_inputs(struct merging *m)
{
	size_t n = 0, all = m->ninputs;

	for (size_t i = 0; i < all; i++) {
		struct input in = m->inputs[i];
		if (survey_input(&in))
			m->inputs[n++] = in;
		else
			survey_clear(&in);
	}
	m->ninputs = survey_place(m->inputs, n, m->clock);
	if (m->ninputs == 0)
		errx(CMD_FAILED, "nothing is left to merge");
	return m->ninputs == all ? CMD_OK : CMD_FAILED;
}

int
merging_open(struct merging *m)
{
	int status = CMD_OK;

	if ((m->intake = malloc(sizeof(*m->intake))) == NULL)
		err(CMD_FAILED, NULL);
	intake_open(m->intake, &m->meta);
	if (m->copy) {
		add_only(m, m->intake);
	} else {
		status = survey_inputs(m);
		m->meta = survey_meta(m->inputs, m->ninputs);
		gather(m, m->intake, 0, m->ninputs);
	}
	return status;
}

int
merging_write(struct merging *m, int fd, const char *output,
    const struct tach_writer_options *options)
{
	struct tach_writer *w = writer_open(fd, options, m->intake);
	bool complete = intake_run(m->intake, w, output, m->copy);
	int status = CMD_OK;

	if (m->copy)
		status = end_of_copy(m, complete);
	finish_profile(m, w, output, options);
	return status;
}

void
merging_free(struct merging *m)
{
	if (m->intake != NULL)
		intake_close(m->intake);
	free(m->intake);
	for (size_t i = 0; i < m->ninputs; i++)
		survey_clear(&m->inputs[i]);
	free(m->inputs);
}
