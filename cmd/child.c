/* SPDX-License-Identifier: ISC */
/* child.c: see child.h. */
#include "child.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "print.h"
#include "tach.h"
#include "tempdir.h"

#define PROFILE_STEM "profile." /* of all names in its directory */
#define PROFILE PROFILE_STEM "bin"
#define END_STEPS 250 /* of 20 ms, until a child that was told to end must end */

/* ---- its profile --------------------------------------------------------- */

static char *
join(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		err(CMD_FAILED, NULL);
	return path;
}

/* Removes the files of a directory that begin as the profile does: the profile, or what
 * is left of some. */
static void
remove_profiles(int directory)
{
	DIR *d = fdopendir(directory);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, PROFILE_STEM, strlen(PROFILE_STEM)) == 0)
			unlinkat(directory, e->d_name, 0);
	if (d != NULL)
		closedir(d);
	else
		close(directory);
}

void
child_close(struct child *c)
{
	if (c->directory != NULL) {
		remove_profiles(c->directory_fd);
		rmdir(c->directory);
	}
	free(c->directory);
	free(c->path);
	c->directory = c->path = NULL;
}

/* ---- its start ----------------------------------------------------------- */

/* The tach-record that lies beside this program; else the one of the path. */
static char *
find_recorder(void)
{
	char self[PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return strdup("tach-record");
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	path = join(self, "tach-record");
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return strdup("tach-record");
}

/* Hidden, errors go to the pipe and standard output goes nowhere; else standard output
 * goes where errors go. */
static void
redirect(bool hidden, int messages)
{
	int null;

	if (!hidden) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		return;
	}
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	dup2(messages, STDERR_FILENO);
}

static sighandler_t found_sigchld; /* how this process was started */

/* Becomes tach-record, which ends with this process. */
static noreturn void
become_recorder(char *recorder, char **arguments, bool hidden, int messages)
{
	signal(SIGCHLD, found_sigchld);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	redirect(hidden, messages);
	execvp(recorder, arguments);
	warn("%s", recorder);
	_exit(127);
}

static char **
argument_list(const struct child *c, char *recorder, char *const arguments[])
{
	char *first[] = {recorder, "-q", "-o", c->path};
	size_t n = 0, have = sizeof(first) / sizeof(*first);
	char **list;

	while (arguments[n] != NULL)
		n++;
	if ((list = reallocarray(NULL, have + n + 1, sizeof(*list))) == NULL)
		err(CMD_FAILED, NULL);
	memcpy(list, first, sizeof(first));
	memcpy(list + have, arguments, (n + 1) * sizeof(*list));
	return list;
}

static char *
profile_path(struct child *c, const char *output)
{
	char *path;

	if (output == NULL) {
		c->directory_fd = tempdir_make("tach-top", &c->directory);
		if (c->directory_fd < 0)
			err(CMD_FAILED, "cannot make a temporary directory");
		return join(c->directory, PROFILE);
	}
	if ((path = strdup(output)) == NULL)
		err(CMD_FAILED, NULL);
	return path;
}

/* Forks, with a pipe for messages if they are to be hidden.  Exits if it cannot. */
static void
fork_recorder(struct child *c, char *recorder, char **arguments, bool hidden)
{
	int ends[2] = {-1, -1};

	if ((hidden && (pipe2(ends, O_CLOEXEC) != 0 ||
		fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)) ||
	    (c->pid = fork()) < 0) {
		warn("cannot start tach-record");
		child_close(c);
		exit(CMD_FAILED);
	}
	if (c->pid == 0)
		become_recorder(recorder, arguments, hidden, ends[1]);
	if (hidden)
		close(ends[1]);
	c->messages = ends[0];
}

void
child_start(struct child *c, const char *output, char *const arguments[], bool hidden)
{
	char *recorder = find_recorder(), **list;

	*c = (struct child){.messages = -1};
	c->path = profile_path(c, output);
	if (stat(c->path, &c->before) != 0)
		c->before = (struct stat){0};
	if (recorder == NULL)
		err(CMD_FAILED, NULL);
	list = argument_list(c, recorder, arguments);
	found_sigchld = signal(SIGCHLD, SIG_DFL);
	fork_recorder(c, recorder, list, hidden);
	free(list);
	free(recorder);
}

/* ---- its messages -------------------------------------------------------- */

/* Keeps the end of the text. */
static void
keep_messages(struct child *c, const char *bytes, size_t n)
{
	size_t room = sizeof(c->text), drop;

	if (n > room) {
		bytes += n - room;
		n = room;
	}
	drop = c->len + n > room ? c->len + n - room : 0;
	memmove(c->text, c->text + drop, c->len - drop);
	c->len -= drop;
	memcpy(c->text + c->len, bytes, n);
	c->len += n;
}

static void
take_messages(struct child *c)
{
	char bytes[4096];
	ssize_t n;

	while (c->messages >= 0 &&
	    (n = read(c->messages, bytes, sizeof(bytes))) > 0)
		keep_messages(c, bytes, (size_t)n);
}

/* Line by line, as a terminal would obey other control characters. */
void
child_tell(const struct child *c)
{
	for (size_t i = 0; i < c->len;) {
		const char *line = c->text + i;
		const char *end = memchr(line, '\n', c->len - i);
		size_t n = end != NULL ? (size_t)(end - line) : c->len - i;
		print_plain(stderr, line, n);
		putc('\n', stderr);
		i += n + 1;
	}
}

/* ---- its end ------------------------------------------------------------- */

/* Reaps it, if it has ended or is waited for. */
static void
reap(struct child *c, int how)
{
	int status;
	pid_t pid;

	if (c->pid == 0)
		return;
	while ((pid = waitpid(c->pid, &status, how)) < 0 && errno == EINTR)
		continue;
	if (pid == 0)
		return;
	c->pid = 0;
	c->status = pid < 0 ? CMD_FAILED :
	    WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool
child_has_profile(const struct child *c)
{
	struct stat now;

	return stat(c->path, &now) == 0 && (now.st_ino != c->before.st_ino ||
	    now.st_mtim.tv_sec != c->before.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != c->before.st_mtim.tv_nsec);
}

bool
child_ended(struct child *c)
{
	take_messages(c);
	reap(c, WNOHANG);
	take_messages(c);
	return c->pid == 0;
}

void
child_wait(struct child *c)
{
	reap(c, 0);
}

/* Whether it still writes a profile that is to be kept: the part has its final name, or
 * is removed, before it waits for its command. */
static bool
is_writing(const struct child *c)
{
	char *part;
	bool writing;

	if (c->directory != NULL || asprintf(&part, "%s%s", c->path, TACH_PART_SUFFIX) < 0)
		return false;
	writing = access(part, F_OK) == 0;
	free(part);
	return writing;
}

/* Waits for some time.  False: it has not ended. */
static bool
wait_some(struct child *c)
{
	struct timespec step = {.tv_nsec = 20000000};

	for (int i = 0; i < END_STEPS; i++) {
		if (child_ended(c))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

/* Waits until the profile is complete.  Signals end this process alone then: the child
 * completes its profile. */
static void
wait_for_part(struct child *c)
{
	const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
	warnx("%s is not complete yet: Ctrl-C does not wait for it", c->path);
	while (is_writing(c) && !wait_some(c))
		continue;
}

void
child_end(struct child *c)
{
	if (!child_ended(c))
		kill(c->pid, SIGTERM);
	if (wait_some(c))
		return;
	if (is_writing(c))
		wait_for_part(c);
	if (wait_some(c))
		return;
	warnx("the command goes on, though it was sent SIGTERM");
	kill(c->pid, SIGKILL);
	child_wait(c);
}

bool
child_failed(const struct child *c)
{
	return c->pid == 0 && (c->status == RECORD_FAILED || !child_has_profile(c));
}
