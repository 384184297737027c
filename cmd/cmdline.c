/* SPDX-License-Identifier: ISC */
/* cmdline.c: see cmdline.h. */
#include "cmdline.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "output.h"

#define OPTIONS_MAX 128
/* The only argument by which cmd/mkcompletions asks for the rows: no option. */
#define HELPER "--completion-helper"

static bool
has_letter(const struct option_row *row)
{
	return row->key > 0 && row->key <= 255;
}

/* How an option takes an argument, for getopt_long. */
static int
argument_kind(const struct option_row *row)
{
	return row->argument == NULL ? no_argument :
	    row->argument[0] == '[' ? optional_argument : required_argument;
}

/* ---- help ---------------------------------------------------------------- */

static void
print_row(const struct option_row *row, int column)
{
	const char *argument = row->argument != NULL ? row->argument : "";
	int n = has_letter(row) ? printf("  -%c, ", row->key) : printf("      ");

	n += printf("--%s%s%s", row->name,
	    argument_kind(row) == required_argument ? " " : "", argument);
	printf("%*s", n < column ? column - n : 1, "");
	for (const char *p = row->help; *p != '\0'; p++)
		if (*p == '\n')
			printf("\n%*s", column, "");
		else
			putchar(*p);
	putchar('\n');
}

static void
print_group(const struct option_group *g)
{
	if (g->heading != NULL)
		printf("\n%s%s", g->heading, *g->heading != '\0' ? "\n" : "");
	for (const struct option_row *row = g->rows; row->name != NULL; row++)
		print_row(row, g->column);
}

static noreturn void
print_help(const struct command_line *l)
{
	fputs(l->usage, stdout);
	for (size_t i = 0; i < l->count; i++)
		print_group(&l->groups[i]);
	cmd_help(l->end);
}

/* ---- for completions ----------------------------------------------------- */

static const char *
values_word(enum option_values values)
{
	static const char *const words[] = {
		[VALUES_NONE] = "none", [VALUES_FILE] = "file",
		[VALUES_DIRECTORY] = "directory",
		[VALUES_PROCESS] = "process", [VALUES_COMMAND] = "command",
		[VALUES_LIST] = "list",
	};

	return words[values];
}

/* A line: name, letter, argument, values, words and help, with tabs between. */
static void
print_fields(const struct option_row *row)
{
	printf("%s\t%c\t%s\t%s\t", row->name, has_letter(row) ? row->key : '-',
	    row->argument != NULL ? row->argument : "-",
	    values_word(row->values));
	for (const char *const *w = row->words; w != NULL && *w != NULL; w++)
		printf("%s%s", w == row->words ? "" : " ", *w);
	putchar('\t');
	for (const char *p = row->help; *p != '\0'; p++)
		putchar(*p == '\n' ? ' ' : *p);
	putchar('\n');
}

/* The operands first, then the options. */
static noreturn void
print_rows(const struct command_line *l)
{
	puts(values_word(l->operands));
	for (size_t i = 0; i < l->count; i++)
		for (const struct option_row *row = l->groups[i].rows;
		     row->name != NULL; row++)
			if (row->key != 0)
				print_fields(row);
	exit(output_end(CMD_OK));
}

/* ---- parsing ------------------------------------------------------------- */

/* getopt_long's tables. */
struct getopt_tables {
	struct option longs[OPTIONS_MAX + 1];
	size_t count;
	char shorts[2 * OPTIONS_MAX + 2];
};

static void
add_row(struct getopt_tables *t, const struct option_row *row)
{
	char letter[] = {(char)row->key, row->argument != NULL ? ':' : '\0',
	    '\0'};

	if (row->key == 0 || t->count == OPTIONS_MAX)
		return;
	t->longs[t->count++] = (struct option){row->name, argument_kind(row), NULL,
	    row->key};
	if (has_letter(row))
		strlcat(t->shorts, letter, sizeof(t->shorts));
}

static void
fill_tables(struct getopt_tables *t, const struct command_line *l)
{
	*t = (struct getopt_tables){0};
	if (l->operands == VALUES_COMMAND)
		t->shorts[0] = '+';
	for (size_t i = 0; i < l->count; i++)
		for (const struct option_row *row = l->groups[i].rows;
		     row->name != NULL; row++)
			add_row(t, row);
}

static void
set_given(const struct command_line *l, int key)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct option_group *g = &l->groups[i];
		for (const struct option_row *row = g->rows; row->name != NULL;
		     row++) {
			if (row->key != key)
				continue;
			if (g->given != NULL)
				*g->given = true;
			g->set(g->target, row, optarg);
			return;
		}
	}
	cmd_usage(NULL);
}

int
cmdline_parse(const struct command_line *l, int argc, char *argv[])
{
	struct getopt_tables t;
	int key;

	if (argc == 2 && strcmp(argv[1], HELPER) == 0)
		print_rows(l);
	fill_tables(&t, l);
	while ((key = cmd_getopt(argc, argv, t.shorts, t.longs)) != -1)
		if (key == OPTION_HELP)
			print_help(l);
		else if (key == OPTION_VERSION)
			cmd_version();
		else
			set_given(l, key);
	return optind;
}

int
cmdline_word(const char *const *words, const char *value)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	return -1;
}
