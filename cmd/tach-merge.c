/* SPDX-License-Identifier: ISC */
/* tach-merge.c: makes one profile of many, or copies one. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmdline.h"
#include "confine.h"
#include "merging.h"
#include "output.h"
#include "profile.h"
#include "select.h"

struct merge_job {
	const char *output; /* NULL: standard output */
	const char *files;  /* path of a list of inputs; NULL: none */
	struct profile_options profile;
	struct selection selection;
	struct merging merging;
};

/* ---- the command line ---------------------------------------------------- */

enum { OPT_ALIGN = 256, OPT_FILES };

static const char *const alignments[] = {"start", "clock", NULL};

static const struct option_row rows[] = {
	{"output", 'o', "OUT", "the profile, not standard output", VALUES_FILE,
	    NULL},
	{"align", OPT_ALIGN, "WHAT", "start (default): all begin at time 0; or "
	    "clock\n(all on one machine): as they lay in time", VALUES_NONE,
	    alignments},
	{"files-from", OPT_FILES, "LIST", "more FILEs, one a line of LIST; - is "
	    "standard\ninput", VALUES_FILE, NULL},
	{0},
};
static const struct option_row last_rows[] = {
	{"help", OPTION_HELP, NULL, "print this help", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "print the version", VALUES_NONE,
	    NULL},
	{0},
};

static bool
parse_align(const char *text)
{
	int i = cmdline_word(alignments, text);

	if (i < 0)
		cmd_usage("no such alignment: %s (there are start and clock)",
		    text);
	return i == 1;
}

static void
merge_option(void *target, const struct option_row *row, const char *value)
{
	struct merge_job *job = target;

	switch (row->key) {
	case 'o':
		job->output = value;
		break;
	case OPT_ALIGN:
		job->merging.clock = parse_align(value);
		break;
	case OPT_FILES:
		job->files = value;
		break;
	}
}

/* ---- the list of inputs -------------------------------------------------- */

static bool
is_stdin(const char *name)
{
	return name != NULL && strcmp(name, "-") == 0;
}

static void
add_list(struct merge_job *job)
{
	const char *name = cmd_input_name(job->files);
	FILE *f = is_stdin(job->files) ? stdin : fopen(job->files, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (f == NULL)
		err(CMD_FAILED, "%s", name);
	place_reads(job->files);
	while ((n = getline(&line, &room, f)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (*line != '\0')
			merging_add(&job->merging, line);
	}
	if (ferror(f))
		err(CMD_FAILED, "%s", name);
	free(line);
	if (f != stdin)
		fclose(f);
}

static void
list_inputs(struct merge_job *job, char *const operands[])
{
	for (; *operands != NULL; operands++)
		merging_add(&job->merging, *operands);
	if (job->files != NULL)
		add_list(job);
	else if (job->merging.ninputs == 0 && isatty(STDIN_FILENO))
		cmd_usage("no FILE, and standard input is a terminal");
	else if (job->merging.ninputs == 0)
		merging_add(&job->merging, "-");
	if (job->merging.ninputs == 0)
		errx(CMD_FAILED, "%s: it names no file",
		    cmd_input_name(job->files));
}

static void
check_stdin(const struct merge_job *job)
{
	size_t uses = is_stdin(job->files);

	for (size_t i = 0; i < job->merging.ninputs; i++)
		uses += is_stdin(job->merging.inputs[i].name);
	if (uses > 1)
		cmd_usage("standard input can be read only once");
}

static void
parse_merge(struct merge_job *job, int argc, char *argv[])
{
	const struct option_group groups[] = {
		{rows, 26, NULL, merge_option, job, NULL},
		profile_group(&job->profile, NULL, NULL),
		{last_rows, 26, NULL, merge_option, job, NULL},
		select_group(&job->selection),
	};
	const struct command_line line = {
	    "Usage: tach-merge [OPTION]... [FILE]...\n"
	    "Makes one TACH profile of all FILEs, or copies one.\n"
	    "With no FILE, or where FILE is -, reads standard input.\n\n",
	    CMD_EXIT_HELP, groups, 4, VALUES_FILE};

	list_inputs(job, argv + cmdline_parse(&line, argc, argv));
	check_stdin(job);
}

/* ---- the command --------------------------------------------------------- */

static int
merge_inputs(struct merge_job *job)
{
	struct output out;
	int status;

	job->merging.copy = job->merging.ninputs == 1;
	if (job->selection.given)
		job->merging.selection = &job->selection.what;
	job->merging.depth = job->profile.depth;
	status = merging_open(&job->merging);
	output_open(&out, job->output, OUTPUT_PROFILE);
	if (merging_write(&job->merging, out.fd, out.name,
		&job->profile.writer) != CMD_OK)
		status = CMD_FAILED;
	output_close(&out);
	return status;
}

int
main(int argc, char *argv[])
{
	struct merge_job job = {.profile = PROFILE_DEFAULTS};
	int status;

	cmd_start("tach-merge", CMD_USAGE, argv);
	parse_merge(&job, argc, argv);
	confine(&job.output, 1);
	status = merge_inputs(&job);
	merging_free(&job.merging);
	select_clear(&job.selection);
	return output_end(status);
}
