/* SPDX-License-Identifier: ISC */
/*
 * tach-merge.c: makes one profile of many, or copies one.
 *
 * Several inputs are read twice: once to see which of them are sound, which
 * decides what numbers and times each of them gets, and once to merge them.
 * So the order in which they are then merged does not matter, and what would
 * be too many open files at once is merged in groups.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "inputs.h"
#include "profile.h"
#include "select.h"

/* Inputs that are merged at once: each holds a file open, and memory to
 * decompress it. */
#define FAN_IN 64

static const char help[] =
    "Usage: tach-merge [OPTION]... [FILE]...\n"
    "Makes one TACH profile of all FILEs, or copies one.\n"
    "With no FILE, or where FILE is -, reads standard input.\n"
    "\n"
    "  -o, --output OUT        the profile, not standard output\n"
    "      --align WHAT        start (default): all begin at time 0; or clock\n"
    "                          (all on one machine): as they lay in time\n"
    "      --files-from LIST   more FILEs, one a line of LIST; - is standard\n"
    "                          input\n"
    PROFILE_HELP
    "  -h, --help              print this help\n"
    "  -V, --version           print the version\n"
    "\n" SELECT_HELP
    "\n"
    "The exit status is 0 if all went well, 1 if something was wrong with\n"
    "an input or the output, 2 if the command line was wrong.\n";

enum { OPT_ALIGN = 256, OPT_FILES };

static const struct option longs[] = {
	{"output", required_argument, NULL, 'o'},
	{"align", required_argument, NULL, OPT_ALIGN},
	{"files-from", required_argument, NULL, OPT_FILES},
	PROFILE_OPTIONS,
	SELECT_OPTIONS,
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

struct job {
	const char *output; /* NULL: standard output */
	const char *files;  /* a list of inputs, or NULL */
	bool clock;
	struct tach_writer_options writer;
	struct selection selection;
	struct input *inputs;
	size_t ninputs, inputs_max;
	int status;
};

/* ---- the command line ---------------------------------------------------- */

static bool
parse_align(const char *text)
{
	if (strcmp(text, "start") != 0 && strcmp(text, "clock") != 0)
		cmd_usage("no such alignment: %s (there are start and clock)",
		    text);
	return strcmp(text, "clock") == 0;
}

static void
parse_option(struct job *job, int c)
{
	switch (c) {
	case 'o':
		job->output = optarg;
		break;
	case OPT_ALIGN:
		job->clock = parse_align(optarg);
		break;
	case OPT_FILES:
		job->files = optarg;
		break;
	case 'h':
		cmd_help(help);
	case 'V':
		cmd_version();
	default:
		if (!profile_option(&job->writer, c, optarg) &&
		    !select_option(&job->selection, c, optarg))
			cmd_usage(NULL);
	}
}

/* ---- the list of inputs -------------------------------------------------- */

static bool
is_stdin(const char *name)
{
	return name != NULL && strcmp(name, "-") == 0;
}

static void
add_input(struct job *job, const char *operand)
{
	char *name = strdup(operand);

	if (name == NULL)
		err(CMD_FAILED, NULL);
	if (job->ninputs == job->inputs_max) {
		job->inputs_max = job->inputs_max * 2 + 16;
		job->inputs = reallocarray(job->inputs, job->inputs_max,
		    sizeof(*job->inputs));
		if (job->inputs == NULL)
			err(CMD_FAILED, NULL);
	}
	job->inputs[job->ninputs++] = (struct input){.name = name, .copy = -1};
}

static void
add_list(struct job *job)
{
	const char *name = cmd_input_name(job->files);
	FILE *f = is_stdin(job->files) ? stdin : fopen(job->files, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (f == NULL)
		err(CMD_FAILED, "%s", name);
	while ((n = getline(&line, &room, f)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (*line != '\0')
			add_input(job, line);
	}
	if (ferror(f))
		err(CMD_FAILED, "%s", name);
	free(line);
	if (f != stdin)
		fclose(f);
}

static void
list_inputs(struct job *job, char *const operands[])
{
	for (; *operands != NULL; operands++)
		add_input(job, *operands);
	if (job->files != NULL)
		add_list(job);
	else if (job->ninputs == 0 && isatty(STDIN_FILENO))
		cmd_usage("no FILE, and standard input is a terminal");
	else if (job->ninputs == 0)
		add_input(job, "-");
	if (job->ninputs == 0)
		errx(CMD_FAILED, "%s: it names no file",
		    cmd_input_name(job->files));
}

static void
check_stdin(const struct job *job)
{
	size_t uses = is_stdin(job->files);

	for (size_t i = 0; i < job->ninputs; i++)
		uses += is_stdin(job->inputs[i].name);
	if (uses > 1)
		cmd_usage("standard input can be read only once");
}

static struct job
parse(int argc, char *argv[])
{
	struct job job = {.writer = PROFILE_DEFAULTS};
	int c;

	while ((c = getopt_long(argc, argv, "o:hV", longs, NULL)) != -1)
		parse_option(&job, c);
	list_inputs(&job, argv + optind);
	check_stdin(&job);
	return job;
}

/* ---- merging at once ----------------------------------------------------- */

/* What is merged at once: inputs, or files with groups of them. */
struct batch {
	struct tach_merge *merge;
	size_t n;
	struct tach_reader *readers[FAN_IN];
	const char *names[FAN_IN];
	int fds[FAN_IN]; /* -1: an input */
};

static void
batch_open(struct batch *b)
{
	b->n = 0;
	if ((b->merge = tach_merge_new()) == NULL)
		err(CMD_FAILED, NULL);
}

static void
batch_close(struct batch *b)
{
	tach_merge_free(b->merge);
	for (size_t i = 0; i < b->n; i++) {
		tach_reader_free(b->readers[i]);
		if (b->fds[i] >= 0)
			close(b->fds[i]);
	}
}

static void
batch_add(struct batch *b, struct tach_reader *r, const char *name, int fd,
    const struct tach_merge_place *place)
{
	b->readers[b->n] = r;
	b->names[b->n] = name;
	b->fds[b->n++] = fd;
	if (tach_merge_add(b->merge, r, place) != TACH_OK)
		errx(CMD_FAILED, "%s: %s", name, tach_merge_error(b->merge));
}

/* Merges all of it.  False: the input that is the only one ended early, and
 * what came before is kept. */
static bool
batch_run(struct batch *b, struct tach_writer *w, const char *output,
    bool only)
{
	struct tach_sink *sink = tach_writer_sink(w);
	bool complete = true;
	int rc;

	while ((rc = tach_merge_next(b->merge, sink)) != TACH_END) {
		const char *name = b->names[tach_merge_input(b->merge)];
		const char *why = tach_merge_error(b->merge);
		if (rc == TACH_FATAL)
			cmd_write_failed(output, why);
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
    const struct batch *b)
{
	struct tach_writer *w = tach_writer_new(fd, options,
	    tach_merge_table(b->merge));

	if (w == NULL)
		err(CMD_FAILED, NULL);
	return w;
}

/* ---- groups -------------------------------------------------------------- */

static void
add_sound(const struct job *job, struct batch *b, const struct input *in)
{
	struct tach_merge_place place = {.interp = in->base, .kept = in->kept,
	    .others = in->others, .nothers = in->nothers, .shift = in->shift,
	    .samples = in->samples, .selection = job->selection.given ?
	    &job->selection.what : NULL};
	const char *name = cmd_input_name(in->name);
	struct tach_reader *r;

	if (in->samples == 0)
		return;
	if (input_open(in, &r) == TACH_FATAL)
		errx(CMD_FAILED, "%s: %s", name, tach_reader_error(r));
	batch_add(b, r, name, -1, &place);
}

static void gather(const struct job *, struct batch *, size_t first, size_t n);

/* Merges a group of inputs into a file of its own, in which everything is
 * numbered as it is going to be. */
static void
add_group(const struct job *job, struct batch *b, size_t first, size_t n)
{
	static const struct tach_writer_options options = {
	    TACH_LAYOUT_DOCUMENTED, TACH_ZSTD, 1};
	static const struct tach_merge_place as_is = {.kept = UINT64_MAX};
	static const char name[] = "temporary file";
	struct tach_meta meta = {0};
	struct batch group;
	struct tach_writer *w;
	struct tach_reader *r = tach_reader_new();
	int fd = cmd_temporary(CMD_FAILED);

	batch_open(&group);
	gather(job, &group, first, n);
	w = writer_open(fd, &options, &group);
	batch_run(&group, w, name, false);
	if (tach_writer_finish(w, &meta) != TACH_OK)
		cmd_write_failed(name, tach_writer_error(w));
	tach_writer_free(w);
	batch_close(&group);
	if (r == NULL || tach_reader_open_fd(r, fd) != TACH_OK)
		errx(CMD_FAILED, "%s: %s", name, r == NULL ?
		    strerror(ENOMEM) : tach_reader_error(r));
	batch_add(b, r, name, fd, &as_is);
}

/* Adds inputs to a batch: as they are if it has room for so many, else in as
 * large groups as that takes. */
static void
gather(const struct job *job, struct batch *b, size_t first, size_t n)
{
	size_t part = 1, end = first + n;

	while (part < n && part * FAN_IN < n)
		part *= FAN_IN;
	for (; first < end; first += part)
		if (part == 1)
			add_sound(job, b, &job->inputs[first]);
		else
			add_group(job, b, first,
			    end - first < part ? end - first : part);
}

/* ---- the command --------------------------------------------------------- */

static void
put_note(struct batch *b, char *note, const char *output)
{
	if (note != NULL && tach_merge_note(b->merge, note) != TACH_OK)
		cmd_write_failed(output, tach_merge_error(b->merge));
	free(note);
}

/* All notes; a copy of one input gets none of its own. */
static void
put_notes(const struct job *job, struct batch *b, bool only,
    const char *output)
{
	for (size_t i = 0; i < job->ninputs; i++) {
		const struct input *in = &job->inputs[i];
		for (size_t k = 0; k < in->nnotes; k++)
			put_note(b, input_note(in, k), output);
		if (!only)
			put_note(b, input_own_note(in), output);
	}
}

static void
finish(const struct job *job, struct batch *b, struct tach_writer *w,
    struct profile *p, bool only)
{
	struct tach_meta meta = inputs_meta(job->inputs, job->ninputs);

	put_notes(job, b, only, p->out.name);
	if (tach_writer_finish(w, &meta) != TACH_OK)
		cmd_write_failed(p->out.name, tach_writer_error(w));
	profile_remark(p->out.name, w, &job->writer);
	tach_writer_free(w);
	profile_close(p);
}

/* What is said of the input of a copy: only at its end is all of it known. */
static int
end_of_copy(struct input *in, struct tach_reader *r, bool complete)
{
	int status = complete ? CMD_OK : CMD_FAILED;

	if (complete && tach_reader_check(r) < TACH_OK) {
		warnx("%s: %s", cmd_input_name(in->name),
		    tach_reader_error(r));
		status = CMD_FAILED;
	}
	in->meta = *tach_reader_meta(r);
	input_notes(in, tach_reader_table(r));
	return status;
}

static void
add_only(struct job *job, struct batch *b)
{
	struct tach_merge_place place = {.kept = UINT64_MAX, .selection =
	    job->selection.given ? &job->selection.what : NULL};
	const char *name = cmd_input_name(job->inputs[0].name);
	struct tach_reader *r;
	int rc = input_open(&job->inputs[0], &r);

	if (rc == TACH_FATAL)
		errx(CMD_FAILED, "%s: %s", name, tach_reader_error(r));
	if (rc == TACH_WARN)
		warnx("%s: %s", name, tach_reader_warning(r));
	batch_add(b, r, name, -1, &place);
}

/* Leaves the sound ones in the list. */
static int
survey(struct job *job)
{
	size_t n = 0, all = job->ninputs;

	for (size_t i = 0; i < all; i++) {
		struct input in = job->inputs[i];
		if (input_survey(&in))
			job->inputs[n++] = in;
		else
			input_clear(&in);
	}
	job->ninputs = inputs_place(job->inputs, n, job->clock);
	if (job->ninputs == 0)
		errx(CMD_FAILED, "nothing is left to merge");
	return job->ninputs == all ? CMD_OK : CMD_FAILED;
}

static int
merge(struct job *job)
{
	bool only = job->ninputs == 1, complete;
	int status = CMD_OK;
	struct profile p;
	struct batch b;
	struct tach_writer *w;

	batch_open(&b);
	if (only) {
		add_only(job, &b);
	} else {
		status = survey(job);
		gather(job, &b, 0, job->ninputs);
	}
	profile_open(&p, job->output);
	w = writer_open(p.fd, &job->writer, &b);
	complete = batch_run(&b, w, p.out.name, only);
	if (only)
		status = end_of_copy(&job->inputs[0], b.readers[0], complete);
	finish(job, &b, w, &p, only);
	batch_close(&b);
	return status;
}

int
main(int argc, char *argv[])
{
	struct job job;
	int status;

	cmd_start("tach-merge", CMD_USAGE, argv);
	job = parse(argc, argv);
	status = merge(&job);
	for (size_t i = 0; i < job.ninputs; i++)
		input_clear(&job.inputs[i]);
	free(job.inputs);
	select_clear(&job.selection);
	return cmd_end(status);
}
