/* SPDX-License-Identifier: ISC */
/* tach-cat.c: prints the samples of profiles as text, one line a sample. */
#include <err.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "cmdline.h"
#include "confine.h"
#include "output.h"
#include "select.h"
#include "to_file.h"

#define OUTPUT "standard output"
#define OUTPUT_BLOCK 65536 /* bytes */
#define LOOK_EVERY 100000000 /* ns between two looks for further samples */

struct cat_job {
	bool long_form, follow;
	bool failed; /* the profile that was followed is not complete */
	struct selection selection;
};

static void
wait_for_more(void)
{
	struct timespec t = {.tv_nsec = LOOK_EVERY};

	if (fflush(stdout) != 0)
		output_failed(OUTPUT, NULL);
	nanosleep(&t, NULL);
}

/* Prints all samples.  A profile that was cut short ends with a warning. */
static int
pump(struct cat_job *job, struct tach_source *source, struct tach_sink *sink,
    const char *operand)
{
	const char *why;
	int rc;

	while ((rc = cmd_pump(source, sink, OUTPUT)) == TACH_AGAIN ||
	    rc == TACH_WARN) {
		if (rc == TACH_AGAIN) {
			wait_for_more();
			continue;
		}
		tach_source_error(source, &why);
		warnx("%s: %s", cmd_input_name(operand), why);
		job->failed = true;
	}
	return rc;
}

static int
cat(struct tach_reader *r, const char *operand, void *arg)
{
	struct cat_job *job = arg;
	struct tach_source *source = select_source(&job->selection,
	    job->follow ? tach_reader_follow(r) : tach_reader_source(r));
	struct tach_output output = to_file(stdout);
	struct tach_sink *sink = tach_text_new(&output, job->long_form);
	int rc = pump(job, source, sink, operand);

	tach_sink_free(sink);
	tach_source_free(source);
	return rc;
}

/* ---- the command line ---------------------------------------------------- */

static const struct option_row rows[] = {
	{"long", 'l', NULL, "print all that is known, so that nothing is lost: "
	    "lines\nthat begin with # first, and longer frames", VALUES_NONE,
	    NULL},
	{"follow", 'f', NULL, "go on as long as FILE is being recorded",
	    VALUES_NONE, NULL},
	{"help", OPTION_HELP, NULL, "print this help", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "print the version", VALUES_NONE,
	    NULL},
	{0},
};

static void
cat_option(void *target, const struct option_row *row, const char *value)
{
	struct cat_job *job = target;

	(void)value;
	if (row->key == 'l')
		job->long_form = true;
	else
		job->follow = true;
}

/* Parses the command line, and returns the operands. */
static char **
parse_cat(struct cat_job *job, int argc, char *argv[])
{
	const struct option_group groups[] = {
		{rows, 17, NULL, cat_option, job, NULL},
		select_group(&job->selection),
	};
	const struct command_line line = {
	    "Usage: tach-cat [OPTION ...] [FILE ...]\n"
	    "Prints TACH profiles as text, one line a sample, tab-separated:\n"
	    "time in microseconds, interpreter, thread, status, stack.\n"
	    "With no FILE, or where FILE is -, reads standard input.\n\n",
	    CMD_EXIT_HELP, groups, 2, VALUES_FILE};
	int first = cmdline_parse(&line, argc, argv);

	if (job->follow && argc - first != 1)
		cmd_usage("--follow needs one FILE");
	return argv + first;
}

/* Lines go out by the block, unless they go to a terminal, or the caller has chosen a
 * buffer, as by stdbuf(1). */
static void
buffer_output(void)
{
	static char block[OUTPUT_BLOCK];

	if (!isatty(STDOUT_FILENO) && !__flbf(stdout) && __fbufsize(stdout) == 0)
		setvbuf(stdout, block, _IOFBF, sizeof(block));
}

int
main(int argc, char *argv[])
{
	struct cat_job job = {0};
	char **operands;
	int status;

	cmd_start("tach-cat", CMD_USAGE, argv);
	operands = parse_cat(&job, argc, argv);
	buffer_output();
	confine(NULL, 0);
	status = job.follow ? cmd_follow(operands[0], cat, &job) :
			      cmd_each(operands, cat, &job);
	select_clear(&job.selection);
	return output_end(job.failed ? CMD_FAILED : status);
}
