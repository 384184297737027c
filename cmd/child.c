/* SPDX-License-Identifier: ISC */
/* child.c: see child.h. */
#include "child.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

#define PROFILE "profile.bin"

/* ---- its profile --------------------------------------------------------- */

static char *
join(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		err(CMD_FAILED, NULL);
	return path;
}

/* A new directory for a profile that is not to be kept. */
static char *
make_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path = join(tmp != NULL && *tmp != '\0' ? tmp : "/tmp",
	    "tach-top.XXXXXX");

	if (mkdtemp(path) == NULL)
		err(CMD_FAILED, "%s", path);
	return path;
}

void
child_close(struct child *c)
{
	static const char *const suffixes[] = {"", TACH_PART_SUFFIX,
	    TACH_PART_SUFFIX TACH_JOURNAL_SUFFIX};
	char *path;

	if (c->directory == NULL)
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (asprintf(&path, "%s%s", c->path, suffixes[i]) < 0)
			continue;
		unlink(path);
		free(path);
	}
	rmdir(c->directory);
	free(c->directory);
	free(c->path);
	c->directory = NULL;
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

/* All that is written goes nowhere, or standard output goes where errors do. */
static void
redirect(bool hidden)
{
	int null;

	if (!hidden) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		return;
	}
	if ((null = open("/dev/null", O_RDWR)) < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
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

void
child_start(struct child *c, const char *output, char *const arguments[], bool hidden)
{
	char *recorder = find_recorder(), **list;

	*c = (struct child){0};
	if (output == NULL) {
		c->directory = make_directory();
		c->path = join(c->directory, PROFILE);
	} else if ((c->path = strdup(output)) == NULL) {
		err(CMD_FAILED, NULL);
	}
	if (recorder == NULL)
		err(CMD_FAILED, NULL);
	list = argument_list(c, recorder, arguments);
	if ((c->pid = fork()) < 0)
		err(CMD_FAILED, "cannot start tach-record");
	if (c->pid == 0) {
		redirect(hidden);
		execvp(recorder, list);
		warn("%s", recorder);
		_exit(127);
	}
	free(list);
	free(recorder);
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
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					  WEXITSTATUS(status);
}

bool
child_ended(struct child *c)
{
	reap(c, WNOHANG);
	return c->pid == 0;
}

void
child_wait(struct child *c)
{
	reap(c, 0);
}

void
child_end(struct child *c)
{
	if (!child_ended(c))
		kill(c->pid, SIGTERM);
	child_wait(c);
}
