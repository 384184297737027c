/* SPDX-License-Identifier: ISC */
/* source.c: see source.h. */
#include "out/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "out/coding.h"

/* Opening does not wait for a FIFO, and no terminal becomes the controlling
 * one. */
#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* ---- opening through no link --------------------------------------------- */

/* Opens one name in a directory.  -1 if that failed; errno is ELOOP if it is a
 * link. */
static int
open_step(int directory, const char *name, int flags)
{
	struct stat st;
	int fd;

	if (strcmp(name, "..") == 0)
		return errno = EXDEV, -1;
	fd = openat(directory, name, flags | O_NOFOLLOW);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode)) {
		close(fd);
		return errno = ELOOP, -1;
	}
	return fd;
}

/* Opens a path below a directory, name by name, for kernels without openat2.
 * Changes the path. */
static int
open_steps(int directory, char *path)
{
	int at = directory, next = -1;
	char *rest;

	for (char *name = strtok_r(path, "/", &rest); name != NULL;) {
		char *after = strtok_r(NULL, "/", &rest);
		next = open_step(at, name,
		    after != NULL ? O_PATH | O_CLOEXEC : FILE_FLAGS);
		if (at != directory)
			close(at);
		if (next < 0)
			return -1;
		at = next;
		name = after;
	}
	return next;
}

/* Opens a path that does not lead out of the directory, and through no link. */
static int
open_below(int directory, char *path)
{
	struct open_how how = {
		.flags = FILE_FLAGS,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));

	/* Old sandboxes refuse unknown calls with EPERM. */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;
	return open_steps(directory, path);
}

/* ---- what is refused ----------------------------------------------------- */

static bool
is_python(struct tach_string path)
{
	return path.len > 4 && path.len < PATH_MAX &&
	    path.bytes[path.len - 4] != '/' &&
	    memcmp(path.bytes + path.len - 3, ".py", 3) == 0 &&
	    memchr(path.bytes, '\0', path.len) == NULL;
}

/* The part of an absolute path below a directory; NULL if the path is not below
 * it. */
static const char *
part_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	while (n > 0 && directory[n - 1] == '/')
		n--;
	if (strncmp(path, directory, n) != 0 || path[n] != '/')
		return NULL;
	return path + n + strspn(path + n, "/");
}

static enum tach_source_text
why_not_open(void)
{
	switch (errno) {
	case ELOOP:
		return TACH_SOURCE_LINK;
	case EACCES:
		return TACH_SOURCE_PRIVATE;
	case EXDEV:
		return TACH_SOURCE_ELSEWHERE;
	default:
		return TACH_SOURCE_MISSING;
	}
}

static enum tach_source_text
judge(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return TACH_SOURCE_NO_FILE;
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return TACH_SOURCE_FOREIGN;
	if ((st->st_mode & S_IROTH) == 0)
		return TACH_SOURCE_PRIVATE;
	return st->st_size > (off_t)SOURCE_MAX ? TACH_SOURCE_LARGE :
						 TACH_SOURCE_PUT;
}

/* ---- reading ------------------------------------------------------------- */

static enum tach_source_text
read_all(int fd, struct buf *b)
{
	char *to;
	ssize_t n;

	while (b->len <= SOURCE_MAX && (to = buf_reserve(b, 4096)) != NULL) {
		if ((n = read(fd, to, 4096)) <= 0)
			return n == 0 ? TACH_SOURCE_PUT : TACH_SOURCE_MISSING;
		b->len += (size_t)n;
	}
	return TACH_SOURCE_LARGE;
}

static enum tach_source_text
read_below(struct buf *b, const char *directory, char *path)
{
	int at = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = at >= 0 ? open_below(at, path) : -1;
	enum tach_source_text why = fd < 0 ? why_not_open() : TACH_SOURCE_PUT;
	struct stat st;

	if (fd >= 0)
		why = fstat(fd, &st) != 0 ? TACH_SOURCE_MISSING : judge(&st);
	if (why == TACH_SOURCE_PUT)
		why = read_all(fd, b);
	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
	return why;
}

static enum tach_source_text
read_named(struct buf *b, struct tach_string path, const char *directory)
{
	char name[PATH_MAX];
	const char *below;

	if (!is_python(path))
		return TACH_SOURCE_NO_PYTHON;
	memcpy(name, path.bytes, path.len);
	name[path.len] = '\0';
	below = part_below(name, directory);
	return below == NULL ? TACH_SOURCE_ELSEWHERE :
	    read_below(b, directory, name + (below - name));
}

bool
source_read(struct buf *b, struct tach_string path,
    struct tach_source_texts *sources)
{
	enum tach_source_text why;

	b->len = 0;
	/* Other texts, such as <string>, are no names of files. */
	if (sources == NULL || path.len == 0 || path.bytes[0] != '/')
		return false;
	why = read_named(b, path, sources->directory);
	if (offsetof(struct tach_source_texts, count[why + 1]) <= sources->size)
		sources->count[why]++;
	if (why != TACH_SOURCE_PUT)
		return false;
	coding_undo(b);
	return true;
}

bool
source_line(const struct buf *b, size_t *at, struct tach_string *line)
{
	size_t from = *at, end = from;

	if (from >= b->len)
		return false;
	while (end < b->len && b->text[end] != '\n' && b->text[end] != '\r')
		end++;
	*line = (struct tach_string){b->text + from, end - from};
	if (end + 1 < b->len && b->text[end] == '\r' &&
	    b->text[end + 1] == '\n')
		end++;
	*at = end + 1;
	return true;
}
