/* SPDX-License-Identifier: ISC */
/* cmd.c: see cmd.h. */
#include "cmd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "io.h"
#include "output.h"
#include "why.h"

static const char *command;
static int usage_status = CMD_USAGE;
/* Opens the standard descriptors that are closed.  Otherwise a file could get the
 * number of one, and what is meant for that.  Reads and writes of it fail as
 * before; a program that is started finds it closed. */
static void
fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", mode | O_CLOEXEC) != fd)
			_exit(usage_status);
	}
}

static void
ignore_signal(int sig)
{
	(void)sig;
}

void
cmd_pass_over(int sig)
{
	struct sigaction none = {.sa_handler = ignore_signal,
	    .sa_flags = SA_RESTART}, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(sig, &none, NULL);
}

void
cmd_start(const char *name, int status, char *argv[])
{
	command = name;
	usage_status = status;
	fill_standard();
	cmd_pass_over(SIGXFSZ);
	setprogname(name);
	/* getopt_long begins its messages with this. */
	argv[0] = (char *)(uintptr_t)name;
}

noreturn void
cmd_help(const char *text)
{
	fputs(text, stdout);
	exit(output_end(CMD_OK));
}

noreturn void
cmd_version(void)
{
	printf("%s %s\n", command, tach_version());
	exit(output_end(CMD_OK));
}

noreturn void
cmd_usage(const char *fmt, ...)
{
	va_list ap;

	if (fmt != NULL) {
		va_start(ap, fmt);
		vwarnx(fmt, ap);
		va_end(ap);
	}
	fprintf(stderr, "Try '%s --help'.\n", command);
	exit(usage_status);
}

double
cmd_percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---- memory -------------------------------------------------------------- */

void *
cmd_grow(void *entries, size_t count, size_t *max, size_t size)
{
	void *p = array_grow(entries, count, max, size);

	if (p == NULL)
		errx(CMD_FAILED, "%s", strerror(ENOMEM));
	return p;
}

/* ---- inputs -------------------------------------------------------------- */

const char *
cmd_input_name(const char *operand)
{
	return strcmp(operand, "-") == 0 ? "standard input" : operand;
}

/* A reader without an error means that there was no memory for a source that reads
 * from it. */
static int
warn_of(const struct tach_reader *r, const char *operand)
{
	const char *why = reader_why(r);

	output_flush();
	warnx("%s: %s", cmd_input_name(operand),
	    *why != '\0' ? why : strerror(ENOMEM));
	return CMD_FAILED;
}

/* Remarks change no status.  They are joined by "; ". */
size_t
cmd_remark(const struct tach_reader *r, const char *operand, size_t n)
{
	const char *text = tach_reader_warning(r);
	size_t len = strlen(text);

	if (len <= n)
		return len;
	output_flush();
	warnx("%s: %s", cmd_input_name(operand), text + n + (n > 0 ? 2 : 0));
	return len;
}

/* Registers an input.  Output to standard output must not become a part of it. */
static void
note_input(const char *operand)
{
	const char *why;

	place_reads(operand);
	if ((why = place_stdout()) != NULL)
		output_failed("standard output", why);
}

static int
do_one(const char *operand, cmd_input_fn *fn, void *arg, bool follow)
{
	struct tach_reader *r = tach_reader_new();
	size_t said = 0;
	int rc, status = CMD_OK;

	if (r == NULL)
		err(CMD_FAILED, "%s", cmd_input_name(operand));
	note_input(operand);
	if (strcmp(operand, "-") == 0)
		rc = tach_reader_open_fd(r, STDIN_FILENO);
	else
		rc = tach_reader_open(r, operand);
	if (follow && tach_reader_info(r)->unfinished)
		said = strlen(tach_reader_warning(r));
	if (rc != TACH_FATAL)
		said = cmd_remark(r, operand, said);
	if (rc == TACH_FATAL || fn(r, operand, arg) == TACH_FATAL)
		status = warn_of(r, operand);
	cmd_remark(r, operand, said);
	output_flush();
	tach_reader_free(r);
	return status;
}

int
cmd_each(char *const operands[], cmd_input_fn *fn, void *arg)
{
	int status = CMD_OK;

	if (operands[0] == NULL) {
		if (isatty(STDIN_FILENO))
			cmd_usage("no FILE, and standard input is a terminal");
		return do_one("-", fn, arg, false);
	}
	for (; *operands != NULL; operands++)
		if (do_one(*operands, fn, arg, false) != CMD_OK)
			status = CMD_FAILED;
	return status;
}

int
cmd_follow(const char *operand, cmd_input_fn *fn, void *arg)
{
	char *part;
	int status;

	if (asprintf(&part, "%s%s", operand, TACH_PART_SUFFIX) < 0)
		err(CMD_FAILED, NULL);
	status = do_one(access(part, F_OK) == 0 ? part : operand, fn, arg,
	    true);
	free(part);
	return status;
}

int
cmd_pump(struct tach_source *source, struct tach_sink *sink,
    const char *output)
{
	int rc;

	if (source == NULL || sink == NULL) {
		errno = ENOMEM;
		err(CMD_FAILED, NULL);
	}
	rc = tach_pump(source, sink);
	if (rc == TACH_REFUSED) {
		tach_source_free(source);
		output_sink_failed(output, sink);
	}
	return rc;
}

/* ---- files --------------------------------------------------------------- */

int
cmd_temporary(int failed)
{
	int fd = io_temporary();

	if (fd < 0)
		err(failed, "no temporary file in %s",
		    io_temporary_directory());
	return fd;
}

char *
cmd_absolute(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash == NULL ? 0 : (size_t)(slash + 1 - path);
	char *dir = n == 0 ? strdup(".") : strndup(path, n);
	char *full = dir == NULL ? NULL : realpath(dir, NULL);
	char *absolute;

	if (full == NULL || asprintf(&absolute, "%s%s%s", full,
		full[1] == '\0' ? "" : "/", path + n) < 0)
		output_failed(path, NULL);
	free(dir);
	free(full);
	return absolute;
}
