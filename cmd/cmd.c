/* SPDX-License-Identifier: ISC */
/* cmd.c: see cmd.h. */
#include "cmd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long an output's reader is waited for. */
#define UNREAD_MS 10000

static const char *command;
static int usage_status = CMD_USAGE;
/* What to say if an output's reader goes away. */
static const char *unread;
/* What has a temporary name, since it is not complete yet. */
static struct {
	char *volatile name; /* NULL: none */
	cmd_remove_fn *remove;
} unfinished[2];
#define UNFINISHED (sizeof(unfinished) / sizeof(*unfinished))

static void
remove_unfinished(void)
{
	for (size_t i = 0; i < UNFINISHED; i++) {
		if (unfinished[i].name != NULL)
			unfinished[i].remove(unfinished[i].name);
		unfinished[i].name = NULL;
	}
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

/* What is odd about a profile is no failure.  Remarks are joined by "; ". */
size_t
cmd_remark(const struct tach_reader *r, const char *operand, size_t n)
{
	const char *text = tach_reader_warning(r);
	size_t len = strlen(text);

	if (len <= n)
		return len;
	flush_output();
	warnx("%s: %s", cmd_input_name(operand), text + n + (n > 0 ? 2 : 0));
	return len;
}

static int
do_one(const char *operand, cmd_input_fn *fn, void *arg, bool follow)
{
	struct tach_reader *r = tach_reader_new();
	size_t said = 0;
	int rc, status = CMD_OK;

	if (r == NULL)
		err(CMD_FAILED, "%s", cmd_input_name(operand));
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

	if (sink == NULL) {
		errno = ENOMEM;
		err(CMD_FAILED, NULL);
	}
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
	/* Where a reason is given, errno may be what an earlier call left. */
	bool gone = e == EPIPE &&
	    (why == NULL || strstr(why, strerror(EPIPE)) != NULL);

	remove_unfinished();
	if (gone && unread == NULL)
		die_of(SIGPIPE);
	if (gone)
		why = unread;
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

/* In one step, as seen by a signal: it is not there, or it is going to be
 * removed. */
int
cmd_make_unfinished(char *name, cmd_make_fn *make, cmd_remove_fn *removes)
{
	size_t i = unfinished[0].name == NULL ? 0 : 1;
	sigset_t set, old;
	int fd;

	catch_signals();
	sigemptyset(&set);
	for (size_t k = 0; k < DEADLY; k++)
		sigaddset(&set, deadly[k]);
	sigprocmask(SIG_BLOCK, &set, &old);
	if ((fd = make(name)) >= 0) {
		unfinished[i].remove = removes;
		unfinished[i].name = name;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return fd;
}

bool
cmd_rename_unfinished(char *name, const char *target)
{
	if (rename(name, target) != 0)
		return false;
	for (size_t i = 0; i < UNFINISHED; i++)
		if (unfinished[i].name == name)
			unfinished[i].name = NULL;
	free(name);
	return true;
}

static void
remove_file(const char *name)
{
	unlink(name);
}

/* Opens a new file beside the target, which gets the mode that the target
 * has or, if there is none, would have got. */
static FILE *
open_beside(struct cmd_output *o, mode_t mode)
{
	int fd;

	if (asprintf(&o->temporary, "%s.XXXXXX", o->target) < 0)
		return NULL;
	fd = cmd_make_unfinished(o->temporary, mkstemp, remove_file);
	if (fd < 0 || fchmod(fd, mode) != 0)
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

mode_t
cmd_new_mode(mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	return mode & ~mask;
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
		cmd_write_failed(path, NULL);
	free(dir);
	free(full);
	return absolute;
}

void
cmd_output_open(struct cmd_output *o, const char *path)
{
	struct stat st;
	bool exists;

	*o = (struct cmd_output){stdout, "standard output", NULL, NULL};
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
		    open_beside(o, exists ? st.st_mode & 0777 :
			cmd_new_mode(0666));
	}
	if (o->file == NULL)
		cmd_write_failed(path, NULL);
}

void
cmd_output_unread(const struct cmd_output *o, const char *hint)
{
	struct stat st;

	if (hint == NULL || fstat(fileno(o->file), &st) != 0 ||
	    !S_ISFIFO(st.st_mode))
		return;
	unread = hint;
	signal(SIGPIPE, SIG_IGN);
}

/* A pipe takes the whole of a small output, so that writing it tells nothing
 * of the reader. */
static void
await_reader(const struct cmd_output *o)
{
	struct pollfd p = {.fd = fileno(o->file)};
	int left;

	for (int ms = 0; ms < UNREAD_MS; ms += ms < 64 ? ms + 1 : 64) {
		bool gone = poll(&p, 1, ms < 64 ? ms + 1 : 64) > 0;
		if (ioctl(p.fd, FIONREAD, &left) != 0 || left == 0)
			return;
		if (gone) {
			errno = EPIPE;
			cmd_write_failed(o->name, NULL);
		}
	}
}

void
cmd_output_close(struct cmd_output *o)
{
	if (unread != NULL && fflush(o->file) == 0)
		await_reader(o);
	if (o->file == stdout) {
		flush_output();
		return;
	}
	if (!close_file(o->file))
		cmd_write_failed(o->name, NULL);
	if (o->target != NULL && !cmd_rename_unfinished(o->temporary,
		o->target))
		cmd_write_failed(o->name, NULL);
	free(o->target);
}
