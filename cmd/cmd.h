/* SPDX-License-Identifier: ISC */
/*
 * cmd.h: the common part of all commands: help and usage errors, inputs that are
 * opened and warned about.  output.h has the outputs.  These functions print and exit;
 * libtach does neither.
 */
#ifndef CMD_H
#define CMD_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <sys/types.h>

#include "tach.h"

/* Exit statuses of the commands that read profiles. */
enum {
	CMD_OK = 0,
	CMD_FAILED = 1, /* something is wrong with an input or the output */
	CMD_USAGE = 2,
};

/* Exit statuses of tach-record itself; otherwise its status is the command's. */
enum {
	RECORD_NOT_ALLOWED = 1, /* --check: recording would fail */
	RECORD_FAILED = 125,
	RECORD_CANNOT_RUN = 126,
	RECORD_NOT_FOUND = 127,
};

/* Starts a command; the first call in main.  Messages begin with the name, however
 * the command was called, and cmd_usage exits with usage_status.  Descriptors 0 to
 * 2 are open from then on.  A write beyond the limit of a file's size is an error
 * like others. */
void cmd_start(const char *name, int usage_status, char *argv[]);

/* Makes a signal do no more than fail the write that it is about.  It gets a handler:
 * a program that is started would inherit that it is ignored. */
void cmd_pass_over(int sig);

/* The last lines of --help. */
#define CMD_EXIT_HELP \
	"\nThe exit status is 0 if all went well, 1 if something was wrong with\n" \
	"an input or the output, 2 if the command line was wrong.\n"

/* --help and --version: to standard output, then exits. */
noreturn void cmd_help(const char *text);
noreturn void cmd_version(void);

/* ---- messages ------------------------------------------------------------ */

/* message.c has warn(3), err(3) and the other functions of <err.h>. */

/* A copy of a text in which all that a terminal would obey is escaped; a backslash
 * stays.  To be freed by the caller.  Exits if out of memory. */
char *cmd_plain(const char *text);

/* getopt_long, whose messages are escaped like all others. */
int cmd_getopt(int argc, char *const argv[], const char *shorts,
    const struct option *longs);

/* Prints a message and a hint at --help on standard error, and exits.  NULL:
 * getopt_long has printed the message. */
noreturn void cmd_usage(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* A part as a percentage of the whole; 0 if the whole is 0. */
double cmd_percent(uint64_t part, uint64_t whole);

/* ---- memory -------------------------------------------------------------- */

/* array_grow of array.h: makes room for one more entry behind the `count` ones.
 * Exits if out of memory. */
void *cmd_grow(void *entries, size_t count, size_t *max, size_t size);

/* ---- inputs -------------------------------------------------------------- */

/* The name of an operand in messages; "-" is standard input. */
const char *cmd_input_name(const char *operand);

/* A command's work on one open profile.  Returns the last result of the reader; the
 * caller prints the reader's error if that is TACH_FATAL. */
typedef int cmd_input_fn(struct tach_reader *, const char *operand, void *arg);

/* Opens each operand and calls the function.  "-" and no operand at all mean
 * standard input, unless that is a terminal.  An error is printed, and the other
 * operands follow.  A warning, such as of an unfinished profile, is printed, too,
 * and changes no status.  Returns the exit status: CMD_OK or CMD_FAILED. */
int cmd_each(char *const operands[], cmd_input_fn *, void *arg);

/* Prints a reader's warning, less its first n bytes, which were printed before.
 * Returns the length of the whole warning. */
size_t cmd_remark(const struct tach_reader *, const char *operand, size_t n);

/* cmd_each for one operand that may still be recorded.  The unfinished profile
 * comes before a finished one of that name, and is no reason for a warning. */
int cmd_follow(const char *operand, cmd_input_fn *, void *arg);

/* Gives all runs of a source to a sink: see tach_pump.  A source or sink that is
 * NULL means out of memory.  The output is the name of the sink's file; exits if a
 * write to it fails. */
int cmd_pump(struct tach_source *, struct tach_sink *, const char *output);

/* ---- files --------------------------------------------------------------- */

/* A new file without a name in the directory of temporary files.  Exits with the
 * status `failed` if there is none. */
int cmd_temporary(int failed);

/* The absolute path of a file, to be freed by the caller.  Its directory must
 * exist; otherwise this exits. */
char *cmd_absolute(const char *path);

#endif
