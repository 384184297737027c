/* SPDX-License-Identifier: ISC */
/* io.h: reads and writes whole, whatever interrupts them.  It has no .c file, so that
 * commands can use it, too, which link nothing of libtach but what tach.h declares. */
#ifndef IO_H
#define IO_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* Reads until n bytes are there or the file ends.  The number of bytes, or -1 with
 * errno. */
static inline ssize_t
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

/* The same from a place of the file. */
static inline ssize_t
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
static inline ssize_t
io_written(ssize_t some)
{
	if (some < 0 && errno == EINTR)
		return 0;
	if (some == 0)
		errno = EIO;
	return some <= 0 ? -1 : some;
}

/* Writes all.  False, with errno: not all of it is written. */
static inline bool
io_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t some = io_written(write(fd, p, n));
		if (some < 0)
			return false;
		p += some;
		n -= (size_t)some;
	}
	return true;
}

/* The same to a place of the file. */
static inline bool
io_write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t some = io_written(pwrite(fd, p, n, (off_t)at));
		if (some < 0)
			return false;
		p += some;
		at += (uint64_t)some;
		n -= (size_t)some;
	}
	return true;
}

/* Copies from one descriptor to another until the first one ends.  False, with errno:
 * not all of it is copied. */
static inline bool
io_copy(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = io_read(from, bytes, sizeof(bytes))) > 0)
		if (!io_write(to, bytes, (size_t)n))
			return false;
	return n == 0;
}

/* The directory of temporary files: TMPDIR, or else /tmp. */
static inline const char *
io_temporary_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory != NULL && *directory != '\0' ? directory : "/tmp";
}

/* A new file without a name in that directory.  -1, with errno: there is none. */
static inline int
io_temporary(void)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s/tach.XXXXXX", io_temporary_directory()) < 0)
		return -1;
	if ((fd = mkostemp(name, O_CLOEXEC)) >= 0)
		unlink(name);
	free(name);
	return fd;
}

#endif
