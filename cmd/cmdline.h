/* SPDX-License-Identifier: ISC */
/*
 * cmdline.h: the options of a command are rows of tables.  From these come the tables
 * of getopt_long, --help, and the words that a shell completes.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Values that a shell completes, beside the words of a row. */
enum option_values {
	VALUES_NONE, /* nothing is known of them */
	VALUES_FILE,
	VALUES_DIRECTORY,
	VALUES_PROCESS, /* its number */
	VALUES_COMMAND,
	VALUES_LIST, /* the words, several with commas between */
};

struct option_row {
	const char *name; /* behind --; NULL: behind the last row */
	/* What its group's function is told: the letter behind -, or a number above 255
	 * if it has none; 0: --help shows the row, but there is no such option. */
	int key;
	const char *argument; /* the argument's name, as "[=NAME]" if it can be left
			       * out; NULL: it takes none */
	const char *help;     /* a line for people, or some */
	enum option_values values;
	const char *const *words; /* that it takes, up to NULL; NULL: none */
};

struct option_group {
	const struct option_row *rows;
	int column;	     /* of the help in --help */
	const char *heading; /* its line in --help; "": a line without text; NULL: none */
	/* Sets an option of the target to its argument, NULL: there is none.  Exits by
	 * cmd_usage if it cannot be that. */
	void (*set)(void *target, const struct option_row *, const char *value);
	void *target;
	bool *given; /* becomes true if there is any of them; may be NULL */
};

struct command_line {
	const char *usage; /* the lines of --help in front of the options ... */
	const char *end;   /* ... and behind them */
	const struct option_group *groups;
	size_t count;
	enum option_values operands;
};

/* Keys of options that all commands have; cmdline_parse obeys them itself. */
enum { OPTION_HELP = 'h', OPTION_VERSION = 'V' };

/* Sets all options that an argv has, and gives the index of the first operand.  If the
 * operands are a command, its own options are not looked at.  Exits by cmd_usage if
 * something is wrong. */
int cmdline_parse(const struct command_line *, int argc, char *argv[]);

/* The index of a value among words; -1: it is none of them. */
int cmdline_word(const char *const *words, const char *value);

#endif
