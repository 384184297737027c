/* SPDX-License-Identifier: ISC */
/*
 * select.h: the options that choose among samples, which all commands that
 * read profiles have.  A command appends SELECT_OPTIONS to its long options
 * and SELECT_HELP to its help, gives what getopt_long returns to
 * select_option first, and pumps from select_source.
 */
#ifndef SELECT_H
#define SELECT_H

#include <getopt.h>
#include <stdbool.h>

#include "tach.h"

/* Values that getopt_long returns, in the order of SELECT_OPTIONS; a command
 * numbers its own below. */
enum {
	SELECT_THREAD = 1024,
	SELECT_NOT_THREAD,
	SELECT_INTERP,
	SELECT_NOT_INTERP,
	SELECT_STATUS,
	SELECT_NOT_STATUS,
	SELECT_SINCE,
	SELECT_UNTIL,
	SELECT_MATCH,
	SELECT_NOT_MATCH,
};

#define SELECT_OPTIONS \
	{"thread", required_argument, NULL, SELECT_THREAD}, \
	{"not-thread", required_argument, NULL, SELECT_NOT_THREAD}, \
	{"interp", required_argument, NULL, SELECT_INTERP}, \
	{"not-interp", required_argument, NULL, SELECT_NOT_INTERP}, \
	{"status", required_argument, NULL, SELECT_STATUS}, \
	{"not-status", required_argument, NULL, SELECT_NOT_STATUS}, \
	{"since", required_argument, NULL, SELECT_SINCE}, \
	{"until", required_argument, NULL, SELECT_UNTIL}, \
	{"match", required_argument, NULL, SELECT_MATCH}, \
	{"not-match", required_argument, NULL, SELECT_NOT_MATCH}

#define SELECT_HELP \
    "Which samples to take, those for which all of these hold:\n" \
    "      --thread ID|NAME,...   of these threads\n" \
    "      --not-thread ID,...    of others than these\n" \
    "      --interp N,...         of these interpreters\n" \
    "      --not-interp N,...     of others than these\n" \
    "      --status WORD,...      with all of gil, cpu, unknown,\n" \
    "                             gil-wanted, exception, main, 0x40, 0x80\n" \
    "      --not-status WORD,...  with none of these\n" \
    "      --since TIME           from then on: 1.5s, 200ms, 50us, 2m\n" \
    "      --until TIME           before then\n" \
    "      --match REGEX          a frame, file:function:line, matches it\n" \
    "      --not-match REGEX      no frame does\n"

/* What the options have said so far; all zero in the beginning. */
struct selection {
	struct tach_selection what; /* its lists belong to this */
	bool given;		    /* any of the options was */
};

/* Takes one option as getopt_long returned it, with optarg.  False: it is
 * none of these.  Exits by cmd_usage if its value is wrong. */
bool select_option(struct selection *, int option, const char *value);
void select_clear(struct selection *);

/* A source of what is selected; see tach_select_new. */
struct tach_source *select_source(const struct selection *,
    struct tach_source *);

#endif
