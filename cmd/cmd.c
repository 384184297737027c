/* SPDX-License-Identifier: ISC */
/* cmd.c: see cmd.h. */
#include "cmd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *command;
static int usage_status = CMD_USAGE;
/* The temporary name of an output that is not complete yet. */
static char *volatile unfinished;

static void
remove_unfinished(void)
{
	if (unfinished != NULL)
		unlink(unfinished);
	unfinished = NULL;
}

void
cmd_start(const char *name, int status, char *argv[])
{
	command = name;
	usage_status = status;
	setprogname(name);
	/* getopt_long begins its messages with this. */
	argv[0] = (char *)(uintptr_t)name;
	atexit(remove_unfinished);
}

noreturn void
cmd_help(const char *text)
{
	fputs(text, stdout);
	exit(cmd_end(CMD_OK));
}

noreturn void
cmd_version(void)
{
	printf("%s %s\n", command, tach_version());
	exit(cmd_end(CMD_OK));
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

/* ---- inputs -------------------------------------------------------------- */

const char *
cmd_input_name(const char *operand)
{
	return strcmp(operand, "-") == 0 ? "standard input" : operand;
}

/* So that a full disk ends the work early, and so that messages come after
 * what was printed before them. */
static void
flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		cmd_write_failed("standard output", NULL);
}

static int
warn_of(const struct tach_reader *r, const char *operand)
{
	flush_output();
	warnx("%s: %s", cmd_input_name(operand), tach_reader_error(r));
	return CMD_FAILED;
}

/* What is odd about a profile is no failure. */
static void
remark_of(const struct tach_reader *r, const char *operand, bool follow)
{
	if (follow && tach_reader_info(r)->unfinished)
		return;
	flush_output();
	warnx("%s: %s", cmd_input_name(operand), tach_reader_warning(r));
}

static int
do_one(const char *operand, cmd_input_fn *fn, void *arg, bool follow)
{
	struct tach_reader *r = tach_reader_new();
	int rc, status = CMD_OK;

	if (r == NULL)
		err(CMD_FAILED, "%s", cmd_input_name(operand));
	if (strcmp(operand, "-") == 0)
		rc = tach_reader_open_fd(r, STDIN_FILENO);
	else
		rc = tach_reader_open(r, operand);
	if (rc == TACH_WARN)
		remark_of(r, operand, follow);
	if (rc == TACH_FATAL || fn(r, operand, arg) == TACH_FATAL)
		status = warn_of(r, operand);
	flush_output();
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
cmd_move(struct tach_reader *r, struct tach_sink *sink, const char *output)
{
	struct tach_run run;
	int rc;

	while ((rc = tach_reader_next(r, &run)) == TACH_OK)
		if (sink->run(sink, &run) != TACH_OK)
			cmd_write_failed(output, sink->error(sink));
	return rc;
}

void
cmd_finish(struct tach_sink *sink, const char *output)
{
	if (sink->end(sink) != TACH_OK)
		cmd_write_failed(output, sink->error(sink));
	sink->free(sink);
}

int
cmd_pump(struct tach_reader *r, struct tach_sink *sink, const char *output)
{
	int rc;

	if (sink == NULL)
		cmd_write_failed(output, strerror(ENOMEM));
	rc = cmd_move(r, sink, output);
	cmd_finish(sink, output);
	return rc;
}

/* ---- outputs ------------------------------------------------------------- */

static noreturn void
die_of(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	signal(sig, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

noreturn void
cmd_write_failed(const char *output, const char *why)
{
	int e = errno;

	remove_unfinished();
	if (e == EPIPE)
		die_of(SIGPIPE);
	if (why == NULL)
		why = e != 0 ? strerror(e) : "write error";
	warnx("%s: %s", output, why);
	_exit(CMD_FAILED);
}

/* Whether a file took all that was written to it.  A descriptor that was
 * never open matters only to those who write. */
static bool
close_file(FILE *f)
{
	bool pending = __fpending(f) != 0;
	bool failed = ferror(f) != 0;

	if (fclose(f) != 0 && (pending || errno != EBADF))
		return false;
	return !failed;
}

int
cmd_end(int status)
{
	if (!close_file(stdout))
		cmd_write_failed("standard output", NULL);
	return status;
}

static void
interrupted(int sig)
{
	remove_unfinished();
	die_of(sig);
}

static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};
#define DEADLY (sizeof(deadly) / sizeof(*deadly))

static void
catch_signals(void)
{
	for (size_t i = 0; i < DEADLY; i++)
		if (signal(deadly[i], interrupted) == SIG_IGN)
			signal(deadly[i], SIG_IGN);
}

/* Makes the temporary file in one step, as seen by a signal: it is not there,
 * or it is going to be removed. */
static int
make_unfinished(char *name)
{
	sigset_t set, old;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < DEADLY; i++)
		sigaddset(&set, deadly[i]);
	sigprocmask(SIG_BLOCK, &set, &old);
	if ((fd = mkstemp(name)) >= 0)
		unfinished = name;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return fd;
}

/* Opens a new file beside the target, which gets the mode that the target
 * has or, if there is none, would have got. */
static FILE *
open_beside(struct cmd_output *o, mode_t mode)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s.XXXXXX", o->target) < 0)
		return NULL;
	catch_signals();
	if ((fd = make_unfinished(name)) < 0)
		return NULL;
	if (fchmod(fd, mode) != 0)
		return NULL;
	return fdopen(fd, "w");
}

int
cmd_temporary(int failed)
{
	const char *folder = getenv("TMPDIR");
	char *name;
	int fd;

	if (folder == NULL || *folder == '\0')
		folder = "/tmp";
	if (asprintf(&name, "%s/tach.XXXXXX", folder) < 0)
		err(failed, NULL);
	if ((fd = mkostemp(name, O_CLOEXEC)) < 0)
		err(failed, "no temporary file in %s", folder);
	unlink(name);
	free(name);
	return fd;
}

static bool
write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t some = write(fd, bytes, n);
		if (some < 0 && errno != EINTR)
			return false;
		bytes += some > 0 ? some : 0;
		n -= some > 0 ? (size_t)some : 0;
	}
	return true;
}

bool
cmd_copy(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) != 0)
		if ((n < 0 && errno != EINTR) ||
		    (n > 0 && !write_all(to, bytes, (size_t)n)))
			return false;
	return true;
}

static mode_t
new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

void
cmd_output_open(struct cmd_output *o, const char *path)
{
	struct stat st;
	bool exists;

	*o = (struct cmd_output){stdout, "standard output", NULL};
	if (path == NULL || strcmp(path, "-") == 0)
		return;
	o->name = path;
	exists = stat(path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode)) {
		o->file = fopen(path, "w");
	} else if (exists && access(path, W_OK) != 0) {
		o->file = NULL;
	} else {
		o->target = exists ? realpath(path, NULL) : strdup(path);
		o->file = o->target == NULL ? NULL :
		    open_beside(o, exists ? st.st_mode & 0777 : new_mode());
	}
	if (o->file == NULL)
		cmd_write_failed(path, NULL);
}

void
cmd_output_close(struct cmd_output *o)
{
	char *name;

	if (o->file == stdout) {
		flush_output();
		return;
	}
	if (!close_file(o->file))
		cmd_write_failed(o->name, NULL);
	if (o->target != NULL && rename(unfinished, o->target) != 0)
		cmd_write_failed(o->name, NULL);
	name = unfinished;
	unfinished = NULL;
	free(name);
	free(o->target);
}
