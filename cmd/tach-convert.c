/* SPDX-License-Identifier: ISC */
/* tach-convert.c: turns a profile into a format that other tools read.  The
 * formats, and the options that choose them, come from tach_formats. */
#include <getopt.h>
#include <stdlib.h>

#include "cmd.h"

#define FORMATS_MAX 64
#define FORMAT_OPTION 256 /* getopt_long's value for the first format */

static const struct option options[] = {
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
};
#define OPTIONS (sizeof(options) / sizeof(*options))

struct job {
	const struct tach_format *format;
	const char *output; /* NULL: standard output */
};

static noreturn void
help(void)
{
	printf("Usage: tach-convert --FORMAT [-o OUT] [FILE]\n"
	       "Converts a TACH profile into another format.\n"
	       "With no FILE, or where FILE is -, reads standard input.\n\n");
	for (const struct tach_format *f = tach_formats; f->name; f++)
		printf("      --%-11s %s\n", f->name, f->about);
	cmd_help("\n"
		 "  -o, --output OUT  write to OUT, not to standard output\n"
		 "  -h, --help        print this help\n"
		 "  -V, --version     print the version\n"
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

static void
choose(struct job *job, const struct tach_format *format)
{
	if (job->format != NULL && job->format != format)
		cmd_usage("--%s and --%s exclude each other",
		    job->format->name, format->name);
	job->format = format;
}

static struct job
parse(int argc, char *argv[])
{
	struct option all[OPTIONS + FORMATS_MAX + 1];
	struct job job = {NULL, NULL};
	int c;

	list_options(all);
	while ((c = getopt_long(argc, argv, "o:hV", all, NULL)) != -1) {
		if (c == 'o')
			job.output = optarg;
		else if (c == 'h')
			help();
		else if (c == 'V')
			cmd_version();
		else if (c >= FORMAT_OPTION)
			choose(&job, &tach_formats[c - FORMAT_OPTION]);
		else
			cmd_usage(NULL);
	}
	if (job.format == NULL)
		cmd_usage("no format: choose one, such as --%s",
		    tach_formats[0].name);
	if (argc - optind > 1)
		cmd_usage("one FILE at a time");
	return job;
}

static int
convert(struct tach_reader *r, const char *operand, void *arg)
{
	const struct job *job = arg;
	struct cmd_output out;
	int rc;

	(void)operand;
	cmd_output_open(&out, job->output);
	rc = cmd_pump(r, job->format->open(out.file, tach_reader_meta(r),
	    tach_reader_table(r)), out.name);
	cmd_output_close(&out);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct job job;

	cmd_start("tach-convert", CMD_USAGE, argv);
	job = parse(argc, argv);
	return cmd_end(cmd_each(argv + optind, convert, &job));
}
