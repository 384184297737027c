/* SPDX-License-Identifier: ISC */
/* tach-cat.c: prints the samples of profiles as text, one line a sample. */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "confine.h"
#include "output.h"
#include "select.h"

#define OUTPUT "standard output"
#define LOOK_EVERY 100000000 /* ns between two looks for more */

static const char help[] =
    "Usage: tach-cat [OPTION ...] [FILE ...]\n"
    "Prints TACH profiles as text, one line a sample, tab-separated:\n"
    "time in microseconds, interpreter, thread, status, stack.\n"
    "With no FILE, or where FILE is -, reads standard input.\n"
    "\n"
    "  -l, --long     print all that is known, so that nothing is lost: lines\n"
    "                 that begin with # first, and longer frames\n"
    "  -f, --follow   go on as long as FILE is being recorded\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    SELECT_HELP
    "\n"
    "The exit status is 0 if all went well, 1 if something was wrong with\n"
    "an input or the output, 2 if the command line was wrong.\n";

static const struct option options[] = {
	{"long", no_argument, NULL, 'l'},
	{"follow", no_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	SELECT_OPTIONS,
	{NULL, 0, NULL, 0},
};

struct cat_job {
	bool long_form, follow;
	bool failed; /* what was followed is not complete */
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

/* Prints all that comes.  What was cut short has its end. */
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
	struct tach_sink *sink = tach_text_new(stdout, job->long_form);
	int rc = pump(job, source, sink, operand);

	tach_sink_free(sink);
	tach_source_free(source);
	return rc;
}

static struct cat_job
parse(int argc, char *argv[])
{
	struct cat_job job = {0};
	int c;

	while ((c = cmd_getopt(argc, argv, "lfhV", options)) != -1) {
		switch (c) {
		case 'l':
			job.long_form = true;
			break;
		case 'f':
			job.follow = true;
			break;
		case 'h':
			cmd_help(help);
		case 'V':
			cmd_version();
		default:
			if (!select_option(&job.selection, c, optarg))
				cmd_usage(NULL);
		}
	}
	if (job.follow && argc - optind != 1)
		cmd_usage("--follow needs one FILE");
	return job;
}

int
main(int argc, char *argv[])
{
	struct cat_job job;
	int status;

	cmd_start("tach-cat", CMD_USAGE, argv);
	job = parse(argc, argv);
	confine(NULL, 0);
	status = job.follow ? cmd_follow(argv[optind], cat, &job) :
			      cmd_each(argv + optind, cat, &job);
	select_clear(&job.selection);
	return output_end(job.failed ? CMD_FAILED : status);
}
