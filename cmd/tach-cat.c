/* SPDX-License-Identifier: ISC */
/* tach-cat.c: prints the samples of profiles as text, one line a sample. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"

static const char help[] =
    "Usage: tach-cat [FILE ...]\n"
    "Prints TACH profiles as text, one line a sample, tab-separated:\n"
    "time in microseconds, interpreter, thread, status, stack.\n"
    "With no FILE, or where FILE is -, reads standard input.\n"
    "\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    "The exit status is 0 if all went well, 1 if something was wrong with\n"
    "an input or the output, 2 if the command line was wrong.\n";

static const struct option options[] = {
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static int
cat(struct tach_reader *r, const char *operand, void *arg)
{
	(void)operand;
	(void)arg;
	return cmd_pump(r, tach_text_new(stdout, tach_reader_table(r)),
	    "standard output");
}

int
main(int argc, char *argv[])
{
	int c;

	cmd_start("tach-cat", CMD_USAGE, argv);
	while ((c = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			cmd_help(help);
		case 'V':
			cmd_version();
		default:
			cmd_usage(NULL);
		}
	}
	return cmd_end(cmd_each(argv + optind, cat, NULL));
}
