/* SPDX-License-Identifier: ISC */
/*
 * fault.c: a disk that fails, for lost.bats.  It is preloaded into one
 * program, and stands before the calls that change a file of a certain name:
 *
 *	FAULT_PROGRAM	only in a program of this name
 *	FAULT_CALL	pwrite, write, fdatasync or rename: what fails
 *	FAULT_FILE	how the file's name ends
 *	FAULT_AT	which call fails: 1 is the first
 *	FAULT_HOW	once, on (and all that come after it), or short (it is
 *			done by half)
 *	FAULT_ERRNO	why
 *	FAULT_COUNT	a file that gets a line for each call that was counted
 *	FAULT_DISK	a folder that is the disk: it gets what a file has at
 *			each fdatasync of it, under the file's name and two
 *			numbers: of the calls, and the monotonic clock's
 *			milliseconds
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool active;
static atomic_int calls, copies;

static const char *
setting(const char *name)
{
	const char *s = getenv(name);

	return s != NULL ? s : "";
}

/* What the program starts is not to be preloaded as well. */
static __attribute__((constructor)) void
start(void)
{
	active = strcmp(program_invocation_short_name,
	    setting("FAULT_PROGRAM")) == 0;
	if (active)
		unsetenv("LD_PRELOAD");
}

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return k > 0 && n >= k && strcmp(name + n - k, end) == 0;
}

static const char *
name_of(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return path;
}

static void
count(void)
{
	int fd = open(setting("FAULT_COUNT"), O_WRONLY | O_APPEND);

	if (fd >= 0) {
		dprintf(fd, "call\n");
		close(fd);
	}
}

/* Whether this call is to fail. */
static bool
is_hit(const char *call, const char *name)
{
	int at = atoi(setting("FAULT_AT")), n;

	if (!active || strcmp(call, setting("FAULT_CALL")) != 0 ||
	    !ends_with(name, setting("FAULT_FILE")))
		return false;
	n = ++calls;
	count();
	return n == at || (n > at && at > 0 &&
		    strcmp(setting("FAULT_HOW"), "on") == 0);
}

static int
fail(void)
{
	errno = atoi(setting("FAULT_ERRNO"));
	return -1;
}

/* How much of a write is done; -1: nothing, and it has failed. */
static ssize_t
part_of(const char *call, int fd, size_t n)
{
	char path[PATH_MAX];

	if (!is_hit(call, name_of(fd, path)))
		return (ssize_t)n;
	if (strcmp(setting("FAULT_HOW"), "short") != 0)
		return fail();
	return (ssize_t)(n - n / 2);
}

#define NEXT(call) ((__typeof__(&call))dlsym(RTLD_NEXT, #call))

ssize_t
write(int fd, const void *bytes, size_t n)
{
	ssize_t some = part_of("write", fd, n);

	return some < 0 ? -1 : NEXT(write)(fd, bytes, (size_t)some);
}

ssize_t
pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	ssize_t some = part_of("pwrite", fd, n);

	return some < 0 ? -1 : NEXT(pwrite)(fd, bytes, (size_t)some, at);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	ssize_t some = part_of("pwrite", fd, n);

	return some < 0 ? -1 : NEXT(pwrite64)(fd, bytes, (size_t)some, at);
}

/* ---- what reaches the disk ----------------------------------------------- */

static void
copy(int from, const char *name)
{
	static char bytes[1 << 20];
	char path[PATH_MAX];
	struct timespec now;
	const char *slash = strrchr(name, '/');
	ssize_t n;
	int to;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(path, sizeof(path), "%s/%s.%d.%ld", setting("FAULT_DISK"),
	    slash != NULL ? slash + 1 : name, ++copies,
	    now.tv_sec * 1000 + now.tv_nsec / 1000000);
	if ((to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0)
		return;
	for (off_t at = 0; (n = pread(from, bytes, sizeof(bytes), at)) > 0;
	    at += n)
		if (NEXT(write)(to, bytes, (size_t)n) != n)
			abort();
	close(to);
}

int
fdatasync(int fd)
{
	char path[PATH_MAX];

	if (is_hit("fdatasync", name_of(fd, path)))
		return fail();
	if (!active || *setting("FAULT_DISK") == '\0')
		return NEXT(fdatasync)(fd);
	copy(fd, path);
	return 0;
}

int
renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return is_hit("rename", from) ? fail() :
	    NEXT(renameat)(from_folder, from, to_folder, to);
}
