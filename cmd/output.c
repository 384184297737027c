/* SPDX-License-Identifier: ISC */
/* output.c: see output.h. */
#include "output.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "io.h"

/* How long an output's reader is waited for. */
#define UNREAD_MS 10000

/* The message if an output's reader goes away. */
static const char *unread;

/* ---- the registry -------------------------------------------------------- */

static struct unfinished_output *registry;
/* A process that was forked has the list, but not the files. */
static pid_t registrar;
/* Of several threads, and against signals in the first one. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};
#define DEADLY (sizeof(deadly) / sizeof(*deadly))

static void
lock_registry(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < DEADLY; i++)
		sigaddset(&set, deadly[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
	pthread_mutex_lock(&mutex);
}

static void
unlock_registry(const sigset_t *old)
{
	pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void
remove_entry(int directory, const char *name)
{
	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		unlinkat(directory, name, 0);
}

/* Removes a directory and the files in it, by system calls alone: this can be called
 * at a signal. */
static void
remove_directory(int parent, const char *name)
{
	int directory = openat(parent, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	ssize_t n;

	while (directory >= 0 &&
	    (n = getdents64(directory, entries, sizeof(entries))) > 0)
		for (ssize_t i = 0; i < n;) {
			const struct dirent64 *e = (void *)(entries + i);
			remove_entry(directory, e->d_name);
			i += e->d_reclen;
		}
	if (directory >= 0)
		close(directory);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void
remove_unfinished(const struct unfinished_output *u)
{
	if (u->kind == PLACE_DIRECTORY)
		remove_directory(u->directory, u->name);
	else
		unlinkat(u->directory, u->name, 0);
}

/* Removes all that is registered; async-signal-safe. */
static void
remove_registered(void)
{
	if (registrar != getpid())
		return;
	for (; registry != NULL; registry = registry->next)
		remove_unfinished(registry);
}

static void
remove_at_exit(void)
{
	sigset_t old;

	lock_registry(&old);
	remove_registered();
	unlock_registry(&old);
}

static void
add_unfinished(struct unfinished_output *u)
{
	if (registrar == 0) {
		registrar = getpid();
		atexit(remove_at_exit);
	}
	u->next = registry;
	registry = u;
}

/* Takes it out.  False: it was not registered. */
static bool
forget_unfinished(const struct unfinished_output *u)
{
	struct unfinished_output **at = &registry;
	sigset_t old;
	bool found;

	lock_registry(&old);
	while (*at != NULL && *at != u)
		at = &(*at)->next;
	if ((found = *at != NULL))
		*at = u->next;
	unlock_registry(&old);
	return found;
}

static void
clear_unfinished(struct unfinished_output *u)
{
	free(u->name);
	*u = (struct unfinished_output){.directory = -1};
}

/* Makes a directory and opens it.  -1, with errno: there is none. */
static int
make_directory(const struct destination *p, const char *name)
{
	int fd, e;

	if (mkdirat(p->directory, name, 0700) != 0)
		return -1;
	fd = openat(p->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0) {
		e = errno;
		unlinkat(p->directory, name, AT_REMOVEDIR);
		errno = e;
	}
	return fd;
}

static int
make_entry(const struct destination *p, enum place_kind kind, const char *name)
{
	return kind == PLACE_DIRECTORY ? make_directory(p, name) :
	    openat(p->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
		O_CLOEXEC, 0600);
}

int
output_make(struct unfinished_output *u, const struct destination *p,
    enum place_kind kind, char *name)
{
	sigset_t old;
	int fd, e;

	lock_registry(&old);
	fd = make_entry(p, kind, name);
	e = errno;
	*u = (struct unfinished_output){name, p->directory, kind, NULL};
	if (fd >= 0)
		add_unfinished(u);
	else
		clear_unfinished(u);
	unlock_registry(&old);
	errno = e;
	return fd;
}

bool
output_take(struct unfinished_output *u, const struct destination *p, int fd)
{
	if (!place_take(p, fd, u->name))
		return false;
	output_keep(u);
	clear_unfinished(u);
	return true;
}

void
output_keep(struct unfinished_output *u)
{
	forget_unfinished(u);
}

void
output_drop(struct unfinished_output *u)
{
	if (forget_unfinished(u))
		remove_unfinished(u);
	clear_unfinished(u);
}

/* ---- failures ------------------------------------------------------------ */

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

static void
on_deadly(int sig)
{
	remove_registered();
	die_of(sig);
}

/* A signal that is ignored stays so, all the time. */
static void
catch_deadly(void)
{
	struct sigaction is;

	for (size_t i = 0; i < DEADLY; i++)
		if (sigaction(deadly[i], NULL, &is) == 0 &&
		    is.sa_handler != SIG_IGN)
			signal(deadly[i], on_deadly);
}

/* The output's reader went away. */
static noreturn void
reader_gone(const char *output)
{
	remove_at_exit();
	if (unread == NULL)
		die_of(SIGPIPE);
	warnx("%s: %s", output, unread);
	_exit(CMD_FAILED);
}

noreturn void
output_failed(const char *output, const char *why)
{
	int e = errno;

	if (why == NULL && e == EPIPE)
		reader_gone(output);
	remove_at_exit();
	if (why == NULL)
		why = e != 0 ? strerror(e) : "write error";
	warnx("%s: %s", output, why);
	_exit(CMD_FAILED);
}

noreturn void
output_sink_failed(const char *output, const struct tach_sink *sink)
{
	const char *why;

	if (tach_sink_error(sink, &why) == TACH_EPIPE)
		reader_gone(output);
	output_failed(output, why);
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

void
output_flush(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		output_failed("standard output", NULL);
}

int
output_end(int status)
{
	if (!close_file(stdout))
		output_failed("standard output", NULL);
	return status;
}

/* ---- opening ------------------------------------------------------------- */

/* The name of the place with six letters behind it; NULL, with errno. */
static char *
random_name(const struct destination *p)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	struct timespec now;
	uint32_t bits;
	char end[7] = "", *name;

	/* Linux before 3.17 has no such call.  A name that is taken is no harm. */
	if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		bits = (uint32_t)now.tv_nsec;
	}
	for (int i = 0; i < 6; i++, bits >>= 5)
		end[i] = letters[bits & 31];
	return asprintf(&name, "%s.%s", p->base, end) < 0 ? NULL : name;
}

/* Makes what the place is going to have, under a name that is free. */
static int
make_unfinished(struct output *o, enum place_kind kind)
{
	char *name;
	int fd;

	catch_deadly();
	do {
		if ((name = random_name(&o->place)) == NULL)
			return -1;
		fd = output_make(&o->unfinished, &o->place, kind, name);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

static void
open_standard(struct output *o, enum output_kind kind)
{
	const char *why;

	o->name = "standard output";
	if (kind == OUTPUT_PROFILE && isatty(STDOUT_FILENO))
		cmd_usage("a profile is no text: standard output is a terminal");
	if ((why = place_stdout()) != NULL)
		output_failed(o->name, why);
	o->direct = STDOUT_FILENO;
}

static void
open_path(struct output *o, const char *path, enum output_kind kind)
{
	enum place_kind made = kind == OUTPUT_DIRECTORY ? PLACE_DIRECTORY :
	    PLACE_FILE;
	const char *why = place_open(&o->place, path, made);

	o->name = path;
	if (why != NULL)
		output_failed(path, why);
	o->direct = o->place.fd;
	if (o->direct < 0 && (o->fd = make_unfinished(o, made)) < 0)
		output_failed(path, NULL);
}

/* The file of a descriptor, which stays open when the file is closed. */
static FILE *
file_of(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? NULL : fdopen(copy, "w");
}

void
output_open(struct output *o, const char *path, enum output_kind kind)
{
	bool standard = kind != OUTPUT_DIRECTORY &&
	    (path == NULL || strcmp(path, "-") == 0);

	*o = (struct output){.fd = -1, .direct = -1,
	    .place = {.directory = -1, .fd = -1}};
	if (standard)
		open_standard(o, kind);
	else
		open_path(o, path, kind);
	if (o->direct >= 0)
		o->fd = kind == OUTPUT_PROFILE ? cmd_temporary(CMD_FAILED) :
						 o->direct;
	if (kind == OUTPUT_FILE &&
	    (o->file = standard ? stdout : file_of(o->fd)) == NULL)
		output_failed(o->name, NULL);
}

void
output_unread(const struct output *o, const char *hint)
{
	struct stat st;

	if (hint == NULL || fstat(o->fd, &st) != 0 || !S_ISFIFO(st.st_mode))
		return;
	unread = hint;
	signal(SIGPIPE, SIG_IGN);
}

/* ---- closing ------------------------------------------------------------- */

/* A pipe takes the whole of a small output, so that writing it tells nothing
 * of the reader. */
static void
await_reader(const struct output *o)
{
	struct pollfd p = {.fd = o->fd};
	int left;

	for (int ms = 0; ms < UNREAD_MS; ms += ms < 64 ? ms + 1 : 64) {
		bool gone = poll(&p, 1, ms < 64 ? ms + 1 : 64) > 0;
		if (ioctl(p.fd, FIONREAD, &left) != 0 || left == 0)
			return;
		if (gone) {
			errno = EPIPE;
			output_failed(o->name, NULL);
		}
	}
}

/* Whether all was written and is where it belongs.  False, with errno. */
static bool
complete(struct output *o)
{
	if (o->file != NULL && !close_file(o->file))
		return false;
	if (o->direct < 0)
		return output_take(&o->unfinished, &o->place, o->fd);
	return o->fd == o->direct || (lseek(o->fd, 0, SEEK_SET) == 0 &&
	    io_copy(o->fd, o->direct));
}

void
output_close(struct output *o)
{
	if (o->file != NULL && unread != NULL && fflush(o->file) == 0)
		await_reader(o);
	if (o->file == stdout) {
		output_flush();
		return;
	}
	if (!complete(o))
		output_failed(o->name, NULL);
	if (o->fd != o->direct)
		close(o->fd);
	place_close(&o->place);
}
