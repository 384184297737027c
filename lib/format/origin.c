/* SPDX-License-Identifier: ISC */
/* origin.c: see origin.h. */
#include "format/origin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

/* How many of n bytes there are from an offset on. */
static size_t
there(const struct origin *o, size_t n, uint64_t at)
{
	if (at >= o->size)
		return 0;
	return n < o->size - at ? n : (size_t)(o->size - at);
}

/* What a function of the caller's returns is not believed beyond n. */
static ssize_t
read_some(const struct origin *o, void *bytes, size_t n, uint64_t at)
{
	ssize_t some;

	errno = EIO;
	some = o->read(o->arg, bytes, n, at);
	if (some <= (ssize_t)n)
		return some < 0 ? -1 : some;
	errno = EIO;
	return -1;
}

/* All of them, unless it ends before. */
static ssize_t
origin_read_all(const struct origin *o, void *bytes, size_t n, uint64_t at)
{
	size_t got = 0;

	while (got < n) {
		ssize_t some = read_some(o, (char *)bytes + got, n - got,
		    at + got);
		if (some < 0)
			return -1;
		if (some == 0)
			break;
		got += (size_t)some;
	}
	return (ssize_t)got;
}

ssize_t
origin_read_at(const struct origin *o, void *bytes, size_t n, uint64_t at)
{
	if (o->fd >= 0)
		return io_read_at(o->fd, bytes, n, at);
	n = there(o, n, at);
	if (o->read != NULL)
		return origin_read_all(o, bytes, n, at);
	if (n > 0)
		memcpy(bytes, o->memory + at, n);
	return (ssize_t)n;
}

static ssize_t
read_fd(int fd, void *bytes, size_t n)
{
	ssize_t some;

	do
		some = read(fd, bytes, n);
	while (some < 0 && errno == EINTR);
	return some;
}

ssize_t
origin_read(struct origin *o, void *bytes, size_t n)
{
	ssize_t some;

	if (o->unpack != NULL)
		return unpack_read(o->unpack, bytes, n);
	if (o->fd >= 0)
		return read_fd(o->fd, bytes, n);
	if ((some = origin_read_at(o, bytes, n, o->at)) > 0)
		o->at += (uint64_t)some;
	return some;
}

bool
origin_seek(struct origin *o, uint64_t at)
{
	if (o->fd >= 0)
		return lseek(o->fd, (off_t)at, SEEK_SET) >= 0;
	o->at = at;
	return true;
}

int
origin_failed(const struct origin *o, struct error *e)
{
	const struct error *why;

	if (o->unpack == NULL)
		return error_system(e, "cannot read", errno);
	why = unpack_error(o->unpack);
	return error_set(e, why->code, "%s", why->text);
}

const uint8_t *
origin_view(const struct origin *o, size_t n, uint64_t at)
{
	return o->fd < 0 && o->memory != NULL && there(o, n, at) == n ?
	    o->memory + at : NULL;
}
