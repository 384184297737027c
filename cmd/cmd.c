/* SPDX-License-Identifier: ISC */
/* cmd.c: see cmd.h. */
#include "cmd.h"

#include <dirent.h>
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
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "io.h"

/* How long an output's reader is waited for. */
#define UNREAD_MS 10000

static const char *command;
static int usage_status = CMD_USAGE;
/* What to say if an output's reader goes away. */
static const char *unread;
/* What has a temporary name, since it is not complete yet. */
static struct {
	char *volatile name; /* NULL: none */
	int directory;
	enum place_kind kind;
} unfinished[2];
#define UNFINISHED (sizeof(unfinished) / sizeof(*unfinished))

static void
remove_name(int dir, const char *name)
{
	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		unlinkat(dir, name, 0);
}

/* Removes a directory and the files in it, by system calls alone: this can be
 * called at a signal. */
static void
remove_directory(int parent, const char *name)
{
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	ssize_t n;

	while (dir >= 0 &&
	    (n = getdents64(dir, entries, sizeof(entries))) > 0)
		for (ssize_t i = 0; i < n;) {
			const struct dirent64 *e = (void *)(entries + i);
			remove_name(dir, e->d_name);
			i += e->d_reclen;
		}
	if (dir >= 0)
		close(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void
remove_unfinished(void)
{
	for (size_t i = 0; i < UNFINISHED; i++) {
		const char *name = unfinished[i].name;
		if (name != NULL && unfinished[i].kind == PLACE_DIRECTORY)
			remove_directory(unfinished[i].directory, name);
		else if (name != NULL)
			unlinkat(unfinished[i].directory, name, 0);
		unfinished[i].name = NULL;
	}
}

/* So that no file gets the number of a standard descriptor that is closed, and
 * then what is meant for that.  To read from it or write to it fails as before;
 * a program that is started finds it closed. */
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
pass_over(int sig)
{
	(void)sig;
}

void
cmd_pass_over(int sig)
{
	struct sigaction none = {.sa_handler = pass_over,
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

/* So that a full disk ends the work early, and so that messages come after
 * what was printed before them. */
static void
flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		cmd_write_failed("standard output", NULL);
}

/* Where a reader has no error, there was no memory for what reads from it. */
static int
warn_of(const struct tach_reader *r, const char *operand)
{
	const char *why = tach_reader_error(r);

	flush_output();
	warnx("%s: %s", cmd_input_name(operand),
	    *why != '\0' ? why : strerror(ENOMEM));
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

/* What goes to standard output must not become part of what is read. */
static void
note_input(const char *operand)
{
	const char *why;

	place_reads(operand);
	if ((why = place_stdout()) != NULL)
		cmd_write_failed("standard output", why);
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
		cmd_sink_failed(output, sink);
	}
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

/* The output's reader went away. */
static noreturn void
reader_gone(const char *output)
{
	remove_unfinished();
	if (unread == NULL)
		die_of(SIGPIPE);
	warnx("%s: %s", output, unread);
	_exit(CMD_FAILED);
}

noreturn void
cmd_write_failed(const char *output, const char *why)
{
	int e = errno;

	if (why == NULL && e == EPIPE)
		reader_gone(output);
	remove_unfinished();
	if (why == NULL)
		why = e != 0 ? strerror(e) : "write error";
	warnx("%s: %s", output, why);
	_exit(CMD_FAILED);
}

noreturn void
cmd_sink_failed(const char *output, const struct tach_sink *sink)
{
	const char *why;

	if (tach_sink_error(sink, &why) == TACH_EPIPE)
		reader_gone(output);
	cmd_write_failed(output, why);
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

static int
make(const struct destination *p, enum place_kind kind, const char *name)
{
	if (kind == PLACE_FILE)
		return openat(p->directory, name, O_RDWR | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mkdirat(p->directory, name, 0700) != 0)
		return -1;
	return openat(p->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
}

/* The name with six letters behind it. */
static char *
random_name(const struct destination *p)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	uint32_t bits;
	char end[7] = "", *name;

	if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		return NULL;
	for (int i = 0; i < 6; i++, bits >>= 5)
		end[i] = letters[bits & 31];
	return asprintf(&name, "%s.%s", p->base, end) < 0 ? NULL : name;
}

/* In one step, as seen by a signal: it is not there, or it is going to be
 * removed. */
static int
make_held(const struct destination *p, enum place_kind kind, char *name)
{
	size_t i = unfinished[0].name == NULL ? 0 : 1;
	sigset_t set, old;
	int fd;

	sigemptyset(&set);
	for (size_t k = 0; k < DEADLY; k++)
		sigaddset(&set, deadly[k]);
	sigprocmask(SIG_BLOCK, &set, &old);
	if ((fd = make(p, kind, name)) >= 0) {
		unfinished[i].directory = p->directory;
		unfinished[i].kind = kind;
		unfinished[i].name = name;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return fd;
}

int
cmd_make_unfinished(const struct destination *p, enum place_kind kind, char **name)
{
	int fd;

	catch_signals();
	do {
		if ((*name = random_name(p)) == NULL)
			return -1;
		if ((fd = make_held(p, kind, *name)) >= 0)
			return fd;
		free(*name);
	} while (errno == EEXIST);
	*name = NULL;
	return -1;
}

bool
cmd_finish_unfinished(const struct destination *p, int fd, char *name)
{
	if (!place_take(p, fd, name))
		return false;
	for (size_t i = 0; i < UNFINISHED; i++)
		if (unfinished[i].name == name)
			unfinished[i].name = NULL;
	free(name);
	return true;
}

int
cmd_temporary(int failed)
{
	int fd = io_temporary();

	if (fd < 0)
		err(failed, "no temporary file in %s",
		    io_temporary_directory());
	return fd;
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

/* A descriptor of what the place is, or is going to be. */
static int
open_place(struct cmd_output *o)
{
	const char *why = place_open(&o->place, o->name, PLACE_FILE);

	if (why != NULL)
		cmd_write_failed(o->name, why);
	if (o->place.fd >= 0)
		return dup(o->place.fd);
	return cmd_make_unfinished(&o->place, PLACE_FILE, &o->temporary);
}

void
cmd_output_open(struct cmd_output *o, const char *path)
{
	const char *why;
	int fd;

	*o = (struct cmd_output){.file = stdout, .name = "standard output",
	    .place = {.directory = -1, .fd = -1}};
	if (path == NULL || strcmp(path, "-") == 0) {
		if ((why = place_stdout()) != NULL)
			cmd_write_failed(o->name, why);
		return;
	}
	o->name = path;
	if ((fd = open_place(o)) < 0 || (o->file = fdopen(fd, "w")) == NULL)
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
	int fd;

	if (unread != NULL && fflush(o->file) == 0)
		await_reader(o);
	if (o->file == stdout) {
		flush_output();
		return;
	}
	fd = dup(fileno(o->file));
	if (fd < 0 || !close_file(o->file) || (o->temporary != NULL &&
		!cmd_finish_unfinished(&o->place, fd, o->temporary)))
		cmd_write_failed(o->name, NULL);
	close(fd);
	place_close(&o->place);
}
