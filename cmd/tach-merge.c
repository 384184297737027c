/* SPDX-License-Identifier: ISC */
/* tach-merge.c: makes one profile of many, or copies one. */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "confine.h"
#include "merging.h"
#include "output.h"
#include "profile.h"
#include "select.h"

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

struct merge_job {
	const char *output; /* NULL: standard output */
	const char *files;  /* a list of inputs, or NULL */
	struct tach_writer_options writer;
	struct selection selection;
	struct merging merging;
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
parse_option(struct merge_job *job, int c)
{
	switch (c) {
	case 'o':
		job->output = optarg;
		break;
	case OPT_ALIGN:
		job->merging.clock = parse_align(optarg);
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

static struct merge_job
parse(int argc, char *argv[])
{
	struct merge_job job = {.writer = PROFILE_DEFAULTS};
	int c;

	while ((c = cmd_getopt(argc, argv, "o:hV", longs)) != -1)
		parse_option(&job, c);
	list_inputs(&job, argv + optind);
	check_stdin(&job);
	return job;
}

/* ---- the command --------------------------------------------------------- */

static int
merge(struct merge_job *job)
{
	struct output out;
	int status;

	job->merging.copy = job->merging.ninputs == 1;
	if (job->selection.given)
		job->merging.selection = &job->selection.what;
	status = merging_open(&job->merging);
	output_open(&out, job->output, OUTPUT_PROFILE);
	if (merging_write(&job->merging, out.fd, out.name, &job->writer) !=
	    CMD_OK)
		status = CMD_FAILED;
	output_close(&out);
	return status;
}

int
main(int argc, char *argv[])
{
	struct merge_job job;
	int status;

	cmd_start("tach-merge", CMD_USAGE, argv);
	job = parse(argc, argv);
	confine(&job.output, 1);
	status = merge(&job);
	merging_free(&job.merging);
	select_clear(&job.selection);
	return output_end(status);
}
