/* SPDX-License-Identifier: ISC */
/* io.c: see io.h. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t
io_read(int fd, void *bytes, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t some = read(fd, (char *)bytes + got, n - got);
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return -1;
		if (some == 0)
			break;
		got += (size_t)some;
	}
	return (ssize_t)got;
}

ssize_t
io_read_at(int fd, void *bytes, size_t n, uint64_t at)
{
	size_t got = 0;

	while (got < n) {
		ssize_t some = pread(fd, (char *)bytes + got, n - got,
		    (off_t)(at + got));
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return -1;
		if (some == 0)
			break;
		got += (size_t)some;
	}
	return (ssize_t)got;
}

/* What one call of write(2) or pwrite(2) has done: how many bytes it took, or
 * -1 if there is no use in trying on. */
static ssize_t
written(ssize_t some)
{
	if (some < 0 && errno == EINTR)
		return 0;
	if (some == 0)
		errno = EIO;
	return some <= 0 ? -1 : some;
}

bool
io_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t some = written(write(fd, p, n));
		if (some < 0)
			return false;
		p += some;
		n -= (size_t)some;
	}
	return true;
}

bool
io_write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t some = written(pwrite(fd, p, n, (off_t)at));
		if (some < 0)
			return false;
		p += some;
		at += (uint64_t)some;
		n -= (size_t)some;
	}
	return true;
}

FILE *
io_temporary(void)
{
	const char *folder = getenv("TMPDIR");
	char *name = NULL;
	FILE *f = NULL;
	int fd;

	if (folder == NULL || *folder == '\0')
		folder = "/tmp";
	if (asprintf(&name, "%s/tach.XXXXXX", folder) < 0)
		return NULL;
	if ((fd = mkostemp(name, O_CLOEXEC)) >= 0) {
		unlink(name);
		if ((f = fdopen(fd, "w+")) == NULL)
			close(fd);
	}
	free(name);
	return f;
}
