/* SPDX-License-Identifier: ISC */
/* tach-top.c: which functions a program spends its time in: a table, or a view of it
 * at a terminal. */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "cmdline.h"
#include "confine.h"
#include "contention.h"
#include "io.h"
#include "live.h"
#include "output.h"
#include "select.h"
#include "tally_table.h"

#define OUTPUT "standard output"

struct top {
	enum tally_group group;
	enum tally_column column;
	bool once, gil;
	bool several; /* profiles: each has its name above its table */
	uint32_t lines;
	bool family; /* subprocesses are recorded, too */
	/* Of a recording; NULL: not given. */
	const char *output, *pid, *duration, *rate;
	char **recorder; /* the arguments of tach-record, up to NULL; NULL: nothing
			  * is recorded */
	struct selection selection;
	struct child child;
};

/* ---- a table, once ------------------------------------------------------- */

static struct tach_source *
timed_source(const struct top *top, struct tach_reader *r)
{
	return select_source(&top->selection,
	    tach_durations_new(tach_reader_source(r)));
}

static int
print_tally(const struct top *top, struct tach_source *source)
{
	struct tally t;
	int rc;

	if (!tally_init(&t, top->group))
		err(CMD_FAILED, NULL);
	rc = cmd_pump(source, &t.sink, OUTPUT);
	if (!tally_print(stdout, &t, top->column, top->lines))
		err(CMD_FAILED, NULL);
	tally_clear(&t);
	return rc;
}

static int
print_contention(const struct top *top, struct tach_source *source)
{
	struct contention c;
	int rc;

	if (!contention_init(&c))
		err(CMD_FAILED, NULL);
	rc = cmd_pump(source, &c.sink, OUTPUT);
	if (!contention_print(stdout, &c, top->lines))
		err(CMD_FAILED, NULL);
	contention_clear(&c);
	return rc;
}

/* A recording that is not kept is removed first: it is open, and the output may be a
 * pipe whose reader goes away. */
static int
print_profile(struct tach_reader *r, const char *operand, void *arg)
{
	struct top *top = arg;
	struct tach_source *source = timed_source(top, r);
	char *name = cmd_plain(cmd_input_name(operand));
	int rc;

	child_close(&top->child);
	if (top->several)
		printf("%s:\n", name);
	free(name);
	rc = top->gil ? print_contention(top, source) : print_tally(top, source);
	tach_source_free(source);
	return rc;
}

static volatile sig_atomic_t recorder_pid;

/* The terminal sends its signals to the recorder, too; others are passed on. */
static void
pass_on(int sig)
{
	if (sig != SIGINT && recorder_pid != 0)
		kill(recorder_pid, sig);
}

/* Waits until the recording ends.  Signals end it alone, and its table is printed. */
static void
wait_for_recorder(struct child *c)
{
	recorder_pid = c->pid;
	child_wait(c);
	recorder_pid = 0;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

/* Records until the end, and prints the table then. */
static int
record_and_print(struct top *top)
{
	char *operands[] = {NULL, NULL};
	int status = CMD_FAILED;

	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	child_start(&top->child, top->output, top->recorder, false);
	wait_for_recorder(&top->child);
	if ((operands[0] = strdup(top->child.path)) == NULL)
		err(CMD_FAILED, NULL);
	if (child_has_profile(&top->child))
		status = cmd_each(operands, print_profile, top);
	free(operands[0]);
	return top->child.status != 0 ? top->child.status : status;
}

/* ---- at a terminal ------------------------------------------------------- */

#ifdef HAVE_VIEW
/* The arguments of the recorder as one line, to be freed: "-p 12", "-- python x.py". */
static char *
recorded_name(char *const arguments[])
{
	char *name = NULL;
	size_t size;
	FILE *f = open_memstream(&name, &size);

	if (f == NULL)
		err(CMD_FAILED, NULL);
	for (; *arguments != NULL; arguments++)
		fprintf(f, "%s%s", *arguments, arguments[1] != NULL ? " " : "");
	if (fclose(f) != 0)
		err(CMD_FAILED, NULL);
	return name;
}

static int
look(struct top *top, const char *path, const char *name)
{
	struct live_how how = {path, name, top->group, top->column, &top->selection,
	    top->recorder != NULL ? &top->child : NULL, top->family};

	return live_show(&how);
}

/* Ends the recording that the user quit.  Returns the exit status: that of a profile to
 * be kept counts, not that of the command, which was ended. */
static int
end_recording(struct top *top, int status)
{
	struct child *c = &top->child;

	child_end(c);
	if (top->output == NULL || status != CMD_OK || !child_failed(c))
		return status;
	child_tell(c);
	return RECORD_FAILED;
}

static int
record_and_look(struct top *top)
{
	/* Without --merge, which the user did not write. */
	char *text = recorded_name(top->recorder + top->family);
	char *name = cmd_plain(text);
	int status;

	child_start(&top->child, top->output, top->recorder, true);
	status = look(top, top->child.path, name);
	if (child_ended(&top->child) && top->child.status != 0)
		status = top->child.status;
	else
		status = end_recording(top, status);
	free(text);
	free(name);
	return status;
}

/* Whether a profile can be read again and again: it is a file, or is recorded to one. */
static bool
is_file(const char *path)
{
	struct stat st;
	char *part;
	bool file;

	if (strcmp(path, "-") == 0)
		return false;
	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	if (asprintf(&part, "%s%s", path, TACH_PART_SUFFIX) < 0)
		err(CMD_FAILED, NULL);
	file = stat(part, &st) == 0 && S_ISREG(st.st_mode);
	free(part);
	return file;
}

/* Whether it is to be shown at a terminal. */
static bool
is_live(const struct top *top, char *operands[])
{
	bool one = operands[0] != NULL && operands[1] == NULL &&
	    is_file(operands[0]);

	return !top->once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
	    (top->recorder != NULL || one);
}

/* The terminal that keys come from if standard input is a profile that is to be shown;
 * -1: it is not. */
static int
open_keys(const struct top *top, char *operands[])
{
	bool input = operands[0] == NULL || (strcmp(operands[0], "-") == 0 &&
	    operands[1] == NULL);

	return top->once || top->recorder != NULL || !input || isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO) ? -1 : open("/dev/tty", O_RDWR | O_CLOEXEC);
}

/* Keeps standard input in a temporary file, as it is read again for each view. */
static int
look_at_input(struct top *top, int keys)
{
	int status, fd = cmd_temporary(CMD_FAILED);
	char *path;

	if (!io_copy(STDIN_FILENO, fd))
		err(CMD_FAILED, "%s", cmd_input_name("-"));
	if (dup2(keys, STDIN_FILENO) < 0 || asprintf(&path, "/proc/self/fd/%d", fd) < 0)
		err(CMD_FAILED, NULL);
	status = look(top, path, cmd_input_name("-"));
	free(path);
	close(fd);
	return status;
}

static int
run_live(struct top *top, char *operands[])
{
	char *name;
	int status;

	if (top->recorder != NULL)
		return record_and_look(top);
	name = cmd_plain(operands[0]);
	status = look(top, operands[0], name);
	free(name);
	return status;
}
#endif

/* ---- the command line ---------------------------------------------------- */

enum { TOP_GIL = 256, TOP_FAMILY };

static const struct option_row rows[] = {
	{"once", '1', NULL, "print a table and end, as where the output is no "
	    "terminal", VALUES_NONE, NULL},
	{"group", 'g', "BY", "function (the default), line, file, module, task,\n"
	    "thread or process",
	    VALUES_NONE, tally_groups},
	{"sort", 's', "COLUMN", "self (the default), total, gil, cpu, wanted, "
	    "waiting,\nsamples, name or file", VALUES_NONE, tally_columns},
	{"lines", 'n', "N", "print so many rows at most", VALUES_NONE, NULL},
	{"gil", TOP_GIL, NULL, "print which functions waited for the GIL, and\n"
	    "which held it", VALUES_NONE, NULL},
	{"pid", 'p', "PID", "record a running process", VALUES_PROCESS, NULL},
	{"duration", 'd', "SECONDS", "record for so long", VALUES_NONE, NULL},
	{"rate", 'r', "RATE", "samples a second: 1000 (the default), 10k",
	    VALUES_NONE, NULL},
	{"subprocesses", TOP_FAMILY, NULL, "record all processes that come from it, too",
	    VALUES_NONE, NULL},
	{"output", 'o', "FILE", "keep what is recorded", VALUES_FILE, NULL},
	{"help", OPTION_HELP, NULL, "print this help", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "print the version", VALUES_NONE, NULL},
	{0},
};

static uint32_t
parse_lines(const char *value)
{
	const char *why;
	long long n = strtonum(value, 1, UINT32_MAX, &why);

	if (why != NULL)
		cmd_usage("--lines %s is %s", value, why);
	return (uint32_t)n;
}

/* The index of a word that an option takes. */
static int
parse_word(const struct option_row *row, const char *value)
{
	int i = cmdline_word(row->words, value);

	if (i < 0)
		cmd_usage("--%s %s: there is no such word, see --help", row->name,
		    value);
	return i;
}

static void
set_option(void *target, const struct option_row *row, const char *value)
{
	struct top *top = target;

	switch (row->key) {
	case '1':
		top->once = true;
		break;
	case 'g':
		top->group = (enum tally_group)parse_word(row, value);
		break;
	case 's':
		top->column = (enum tally_column)parse_word(row, value);
		break;
	case 'n':
		top->lines = parse_lines(value);
		break;
	case TOP_GIL:
		top->gil = top->once = true;
		break;
	case TOP_FAMILY:
		top->family = true;
		break;
	case 'p':
		top->pid = value;
		break;
	case 'd':
		top->duration = value;
		break;
	case 'r':
		top->rate = value;
		break;
	default:
		top->output = value;
		break;
	}
}

/* Whether the operands are a command. */
static bool
has_command(char *argv[])
{
	for (; *argv != NULL; argv++)
		if (strcmp(*argv, "--") == 0)
			return true;
	return false;
}

static char *
argument(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* The arguments of tach-record, to be freed. */
static char **
recorder_arguments(const struct top *top, int argc, char *command[])
{
	const char *const options[][2] = {{"-p", top->pid},
	    {"-d", top->duration}, {"-r", top->rate}};
	char **list = reallocarray(NULL, (size_t)argc + 9, sizeof(*list));
	size_t n = 0;

	if (list == NULL)
		err(CMD_FAILED, NULL);
	if (top->family)
		list[n++] = argument("--merge");
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i][1] != NULL) {
			list[n++] = argument(options[i][0]);
			list[n++] = argument(options[i][1]);
		}
	if (*command != NULL)
		list[n++] = argument("--");
	while (*command != NULL)
		list[n++] = *command++;
	list[n] = NULL;
	return list;
}

/* Refuses options and operands that contradict each other. */
static void
check(const struct top *top, bool command, char *operands[])
{
	bool records = command || top->pid != NULL;

	if (command && *operands == NULL)
		cmd_usage("no command behind --");
	if (top->pid != NULL && *operands != NULL)
		cmd_usage("-p and a command or FILE cannot both be given");
	if (top->output != NULL && strcmp(top->output, "-") == 0)
		cmd_usage("-o needs the name of a file");
	if (!records && (top->output != NULL || top->duration != NULL ||
		top->rate != NULL || top->family))
		cmd_usage("-o, -d, -r and --subprocesses are for what is recorded: give "
		    "-p PID, or -- COMMAND");
}

/* Gives the operands. */
static char **
parse(struct top *top, int argc, char *argv[])
{
	bool command = has_command(argv);
	const struct option_group options[] = {
		{rows, 22, NULL, set_option, top, NULL},
		select_group(&top->selection),
	};
	const struct command_line line = {
	    "Usage: tach-top [OPTION ...] [FILE ...]\n"
	    "       tach-top [OPTION ...] -p PID\n"
	    "       tach-top [OPTION ...] -- COMMAND [ARG ...]\n"
	    "Shows which functions a program spends its time in.\n"
	    "With no FILE, or where FILE is -, reads standard input.\n\n",
	    CMD_EXIT_HELP, options, 2, command ? VALUES_COMMAND : VALUES_FILE};
	int first = cmdline_parse(&line, argc, argv);

	if (command && strcmp(argv[first - 1], "--") != 0)
		cmd_usage("a FILE and a command cannot both be given");
	check(top, command, argv + first);
	if (command || top->pid != NULL)
		top->recorder = recorder_arguments(top, argc, argv + first);
	return argv + first;
}

static int
run(struct top *top, char *operands[])
{
#ifdef HAVE_VIEW
	int keys = open_keys(top, operands);

	if (keys >= 0)
		return look_at_input(top, keys);
	if (is_live(top, operands))
		return run_live(top, operands);
#endif
	if (top->recorder != NULL)
		return record_and_print(top);
	top->several = operands[0] != NULL && operands[1] != NULL;
	confine(NULL, 0);
	return cmd_each(operands, print_profile, top);
}

int
main(int argc, char *argv[])
{
	struct top top = {.lines = UINT32_MAX};
	char **operands;
	int status;

	cmd_start("tach-top", CMD_USAGE, argv);
	operands = parse(&top, argc, argv);
	status = run(&top, operands);
	child_close(&top.child);
	free(top.recorder);
	select_clear(&top.selection);
	return output_end(status);
}
