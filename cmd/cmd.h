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
	CMD_FAILED = 1, /* something was wrong with an input or the output */
	CMD_USAGE = 2,
};

/* Those of tach-record itself; else its status is the command's. */
enum {
	RECORD_FAILED = 125,
	RECORD_CANNOT_RUN = 126,
	RECORD_NOT_FOUND = 127,
};

/* Comes first in main: the name is what messages begin with, however the
 * command was called, and usage_status is what cmd_usage exits with.  From now
 * on descriptors 0 to 2 are open, and to write more than a file may have is an
 * error like others. */
void cmd_start(const char *name, int usage_status, char *argv[]);

/* A signal that is about a write then does no more than to have that fail.  Not
 * so for a program that is started, which would inherit that it is ignored. */
void cmd_pass_over(int sig);

/* The last lines of --help. */
#define CMD_EXIT_HELP \
	"\nThe exit status is 0 if all went well, 1 if something was wrong with\n" \
	"an input or the output, 2 if the command line was wrong.\n"

/* --help and --version: to standard output, then exits. */
noreturn void cmd_help(const char *text);
noreturn void cmd_version(void);

/* ---- messages ------------------------------------------------------------ */

/* warn(3), err(3) and their kin, of <err.h>, are ours: see message.c. */

/* The same of a text that is not a message, to be freed: what a terminal would
 * obey is escaped, and a backslash stays. */
char *cmd_plain(const char *text);

/* As getopt_long, whose messages are then as harmless as others. */
int cmd_getopt(int argc, char *const argv[], const char *shorts,
    const struct option *longs);

/* One line of what was wrong and a hint at --help on standard error, then
 * exits.  NULL: getopt_long has printed the line. */
noreturn void cmd_usage(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* How many hundredths of the whole a part is; 0 if the whole is 0. */
double cmd_percent(uint64_t part, uint64_t whole);

/* ---- memory -------------------------------------------------------------- */

/* array_grow of array.h: room for one more entry behind the `count` ones.  Exits if
 * out of memory. */
void *cmd_grow(void *entries, size_t count, size_t *max, size_t size);

/* ---- inputs -------------------------------------------------------------- */

/* How messages name an operand: "-" is standard input. */
const char *cmd_input_name(const char *operand);

/* Does a command's work on one open profile.  Returns what the reader
 * returned last: below TACH_OK its error is printed by the caller. */
typedef int cmd_input_fn(struct tach_reader *, const char *operand, void *arg);

/* Opens every operand in turn and gives it to the function; "-", and no
 * operand at all, is standard input, unless that is a terminal.  What is
 * wrong with one is printed, and the others are done nevertheless.  Returns
 * the exit status: CMD_OK or CMD_FAILED.  What is only odd, such as that a
 * profile was not finished, is printed too, and changes nothing else. */
int cmd_each(char *const operands[], cmd_input_fn *, void *arg);

/* Prints what a reader's warning has got behind its first n bytes, which were
 * printed already; gives how many there are now. */
size_t cmd_remark(const struct tach_reader *, const char *operand, size_t n);

/* The same for one that is perhaps still being recorded, which is not odd
 * then; that one is preferred to an older one of its name. */
int cmd_follow(const char *operand, cmd_input_fn *, void *arg);

/* Gives all runs of a source to a sink: see tach_pump.  NULL means out of memory.
 * output names the file that the sink writes to: if that fails, this exits. */
int cmd_pump(struct tach_source *, struct tach_sink *, const char *output);

/* ---- files --------------------------------------------------------------- */

/* A file without a name, in TMPDIR or /tmp.  Exits with that status if there
 * can be none. */
int cmd_temporary(int failed);

/* A file's name from the root, to be freed; its directory must be there.  Exits
 * if it is not. */
char *cmd_absolute(const char *path);

#endif
