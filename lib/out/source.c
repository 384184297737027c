/* SPDX-License-Identifier: ISC */
/* source.c: see source.h. */
#include "out/source.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_program(struct tach_string path)
{
	return path.len > 4 && path.len < PATH_MAX && path.bytes[0] == '/' &&
	    path.bytes[path.len - 4] != '/' &&
	    memcmp(path.bytes + path.len - 3, ".py", 3) == 0 &&
	    memchr(path.bytes, '\0', path.len) == NULL;
}

static bool
read_all(int fd, struct buf *b)
{
	char *to;
	ssize_t n;

	while (b->len <= SOURCE_MAX &&
	    (to = buf_reserve(b, 4096)) != NULL) {
		if ((n = read(fd, to, 4096)) <= 0)
			return n == 0;
		b->len += (size_t)n;
	}
	return false;
}

bool
source_read(struct buf *b, struct tach_string path)
{
	char name[PATH_MAX];
	struct stat st;
	int fd;
	bool ok;

	b->len = 0;
	if (!is_program(path))
		return false;
	memcpy(name, path.bytes, path.len);
	name[path.len] = '\0';
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= (off_t)SOURCE_MAX && read_all(fd, b);
	close(fd);
	return ok;
}

bool
source_line(const struct buf *b, size_t *at, struct tach_string *line)
{
	const char *from = b->text + *at, *end;
	size_t left = b->len - *at;

	if (*at >= b->len)
		return false;
	end = memchr(from, '\n', left);
	line->bytes = from;
	line->len = end != NULL ? (size_t)(end - from) : left;
	*at += line->len + 1;
	if (line->len > 0 && from[line->len - 1] == '\r')
		line->len--;
	return true;
}
