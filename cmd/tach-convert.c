/* SPDX-License-Identifier: ISC */
/* tach-convert.c: turns a profile into a format that other tools read.  The
 * formats, and the options that choose them, come from tach_formats. */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "profile.h"
#include "select.h"

#define FORMATS_MAX 64
#define FORMAT_OPTION 256 /* getopt_long's value for the first format */

static const struct option options[] = {
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{"tach", no_argument, NULL, 't'},
	PROFILE_OPTIONS,
	SELECT_OPTIONS,
};
#define OPTIONS (sizeof(options) / sizeof(*options))

struct job {
	const struct tach_format *format; /* NULL: TACH again */
	bool tach;
	bool how;	    /* it was said how to write TACH */
	const char *output; /* NULL: standard output */
	struct tach_writer_options writer;
	struct selection selection;
};

static noreturn void
help(void)
{
	printf("Usage: tach-convert --FORMAT [OPTION ...] [FILE]\n"
	       "Converts a TACH profile, or its text, into another format.\n"
	       "With no FILE, or where FILE is -, reads standard input.\n\n");
	for (const struct tach_format *f = tach_formats; f->name; f++)
		printf("      --%-11s %s\n", f->name, f->about);
	cmd_help("      --tach        TACH again\n"
		 "\n"
		 "  -o, --output OUT  write to OUT, not to standard output\n"
		 "  -h, --help        print this help\n"
		 "  -V, --version     print the version\n"
		 "\n"
		 "With --tach:\n"
		 PROFILE_HELP
		 "\n"
		 SELECT_HELP
		 "\n"
		 "The exit status is 0 if all went well, 1 if something was "
		 "wrong with\nthe input or the output, 2 if the command line "
		 "was wrong.\n");
}

/* The options that are always there, then one a format. */
static void
list_options(struct option *all)
{
	size_t n = 0;

	for (; n < OPTIONS; n++)
		all[n] = options[n];
	for (int i = 0; i < FORMATS_MAX && tach_formats[i].name; i++)
		all[n++] = (struct option){tach_formats[i].name, no_argument,
		    NULL, FORMAT_OPTION + i};
	all[n] = (struct option){NULL, 0, NULL, 0};
}

static const char *
chosen(const struct job *job)
{
	return job->format != NULL ? job->format->name :
	    job->tach		   ? "tach" :
				     NULL;
}

/* NULL: TACH again. */
static void
choose(struct job *job, const struct tach_format *format)
{
	const char *before = chosen(job);

	job->format = format;
	job->tach = format == NULL;
	if (before != NULL && strcmp(before, chosen(job)) != 0)
		cmd_usage("--%s and --%s exclude each other", before,
		    chosen(job));
}

static void
take_option(struct job *job, int c)
{
	if (c == 'o')
		job->output = optarg;
	else if (c == 'h')
		help();
	else if (c == 'V')
		cmd_version();
	else if (c == 't')
		choose(job, NULL);
	else if (profile_option(&job->writer, c, optarg))
		job->how = true;
	else if (!select_option(&job->selection, c, optarg)) {
		if (c < FORMAT_OPTION || c >= FORMAT_OPTION + FORMATS_MAX)
			cmd_usage(NULL);
		choose(job, &tach_formats[c - FORMAT_OPTION]);
	}
}

static struct job
parse(int argc, char *argv[])
{
	struct option all[OPTIONS + FORMATS_MAX + 1];
	struct job job = {.writer = PROFILE_DEFAULTS};
	int c;

	list_options(all);
	while ((c = getopt_long(argc, argv, "o:hV", all, NULL)) != -1)
		take_option(&job, c);
	if (chosen(&job) == NULL)
		cmd_usage("no format: choose one, such as --%s",
		    tach_formats[0].name);
	if (job.how && !job.tach)
		cmd_usage("--layout, --compression and --level go with --tach");
	if (argc - optind > 1)
		cmd_usage("one FILE at a time");
	return job;
}

static int
convert(struct tach_reader *r, const char *operand, void *arg)
{
	const struct job *job = arg;
	const struct tach_table *table = tach_reader_table(r);
	struct cmd_output out;
	int rc;

	(void)operand;
	cmd_output_open(&out, job->output);
	rc = cmd_pump(r, select_sink(&job->selection, table,
	    job->format->open(out.file, tach_reader_meta(r), table)), out.name);
	cmd_output_close(&out);
	return rc;
}

static int
rewrite(struct tach_reader *r, const char *operand, void *arg)
{
	const struct job *job = arg;
	const struct tach_table *table = tach_reader_table(r);
	struct profile p;
	struct tach_writer *w;
	int rc;

	(void)operand;
	profile_open(&p, job->output);
	if ((w = tach_writer_new(p.fd, &job->writer, table)) == NULL)
		err(CMD_FAILED, NULL);
	rc = cmd_pump(r, select_sink(&job->selection, table,
	    tach_writer_sink(w)), p.out.name);
	if (tach_writer_finish(w, tach_reader_meta(r)) != TACH_OK)
		cmd_write_failed(p.out.name, tach_writer_error(w));
	profile_remark(p.out.name, w, &job->writer);
	profile_close(&p);
	tach_writer_free(w);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct job job;
	int status;

	cmd_start("tach-convert", CMD_USAGE, argv);
	job = parse(argc, argv);
	status = cmd_each(argv + optind, job.tach ? rewrite : convert, &job);
	select_clear(&job.selection);
	return cmd_end(status);
}
