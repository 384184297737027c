/* SPDX-License-Identifier: ISC */
/* place.c: see place.h. */
#include "place.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "tach.h"

#define PLACE_MODE 0600 /* a profile says much about a program */
#define DIRECTORY_MODE 0700

/* ---- identities ---------------------------------------------------------- */

/* A file that exists, or a free name in a directory. */
struct file_identity {
	dev_t dev;
	ino_t ino;
	char *name; /* NULL: the file exists */
};

struct identity_list {
	struct file_identity *list;
	size_t count, max;
};

static struct identity_list inputs, outputs;

/* Whether a file has one reader or writer only.  Devices can have any number. */
static bool
is_single(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode) ||
	    S_ISDIR(st->st_mode);
}

static bool
is_among(const struct identity_list *l, const struct file_identity *i)
{
	for (size_t k = 0; k < l->count; k++) {
		const struct file_identity *other = &l->list[k];
		if (other->dev == i->dev && other->ino == i->ino &&
		    (other->name == NULL) == (i->name == NULL) &&
		    (i->name == NULL || strcmp(other->name, i->name) == 0))
			return true;
	}
	return false;
}

static void
add_identity(struct identity_list *l, const struct file_identity *i)
{
	l->list = cmd_grow(l->list, l->count, &l->max, sizeof(*l->list));
	l->list[l->count++] = *i;
}

static void
add_input(const struct stat *st)
{
	struct file_identity i = {st->st_dev, st->st_ino, NULL};

	if (is_single(st) && !is_among(&inputs, &i))
		add_identity(&inputs, &i);
}

void
place_reads(const char *operand)
{
	static const char *const suffixes[] = {"", TACH_PART_SUFFIX,
	    TACH_PART_SUFFIX TACH_JOURNAL_SUFFIX,
	    TACH_PART_SUFFIX PLACE_OLD_JOURNAL};
	struct stat st;
	char *path;

	if (strcmp(operand, "-") == 0) {
		if (fstat(STDIN_FILENO, &st) == 0)
			add_input(&st);
		return;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (asprintf(&path, "%s%s", operand, suffixes[i]) < 0)
			err(CMD_FAILED, NULL);
		if (stat(path, &st) == 0)
			add_input(&st);
		free(path);
	}
}

/* Registers an output.  Returns NULL, or the reason why it is refused. */
static const char *
claim_identity(const struct file_identity *i)
{
	if (is_among(&inputs, i))
		return "it is an input, too: choose another name";
	if (is_among(&outputs, i))
		return "it is another output, too: choose another name";
	add_identity(&outputs, i);
	return NULL;
}

static const char *
claim_file(const struct stat *st)
{
	struct file_identity i = {st->st_dev, st->st_ino, NULL};

	return is_single(st) ? claim_identity(&i) : NULL;
}

static const char *
claim_name(const struct destination *p)
{
	struct stat st;
	struct file_identity i;

	if (fstat(p->directory, &st) != 0)
		return strerror(errno);
	i = (struct file_identity){st.st_dev, st.st_ino, strdup(p->base)};
	return i.name == NULL ? strerror(ENOMEM) : claim_identity(&i);
}

const char *
place_stdout(void)
{
	struct file_identity i;
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	i = (struct file_identity){st.st_dev, st.st_ino, NULL};
	return is_among(&inputs, &i) ?
	    "it is an input, too: choose another file" : NULL;
}

/* ---- existing files ------------------------------------------------------ */

static bool
is_sticky(int directory)
{
	struct stat st;

	return fstat(directory, &st) == 0 && (st.st_mode & S_ISVTX) != 0;
}

/* The reason why the existing file is neither replaced nor written to; NULL: none. */
static const char *
objection(const struct destination *p, const struct stat *st)
{
	bool ours = st->st_uid == geteuid();

	if (S_ISLNK(st->st_mode))
		return "it is a symbolic link, which is not followed: "
		       "name the file itself";
	if (S_ISREG(st->st_mode) && !ours && is_sticky(p->directory))
		return "it is somebody else's file in a shared directory: choose "
		       "another name";
	if (S_ISDIR(st->st_mode) && !ours && is_sticky(p->directory))
		return "it is somebody else's directory in a shared directory: "
		       "choose another name";
	if (S_ISFIFO(st->st_mode) && !ours && st->st_uid != 0)
		return "it is somebody else's pipe: choose another name";
	if (S_ISREG(st->st_mode) &&
	    faccessat(p->directory, p->base, W_OK, AT_EACCESS) != 0)
		return strerror(errno);
	return NULL;
}

/* Opens a special file, and notices if it is swapped for another one.  Returns
 * NULL, or the reason why not. */
static const char *
open_special(struct destination *p, const struct stat *st)
{
	struct stat now;

	p->fd = openat(p->directory, p->base, O_WRONLY | O_NOFOLLOW | O_NOCTTY |
	    O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &now) != 0)
		return strerror(errno);
	return now.st_dev == st->st_dev && now.st_ino == st->st_ino &&
	    now.st_rdev == st->st_rdev ? NULL : strerror(EAGAIN);
}

/* The reason why a directory cannot be replaced by a new one; NULL: none, it is
 * empty. */
static const char *
full_directory(const struct destination *p)
{
	int fd = openat(p->directory, p->base, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int n = 0;

	if (dir == NULL)
		return strerror(errno);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n <= 2 ? NULL : /* . and .. */
	    "is not empty: name a new directory";
}

/* The mode of a new file, less the umask. */
static mode_t
new_mode(mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	return mode & ~mask;
}

/* Looks at the file that has the name, and opens it if it cannot be replaced.
 * Returns NULL, or the reason why it is refused. */
static const char *
look_at_place(struct destination *p, enum place_kind kind)
{
	struct stat st;
	const char *why;

	p->mode = new_mode(kind == PLACE_DIRECTORY ? DIRECTORY_MODE : PLACE_MODE);
	if (fstatat(p->directory, p->base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? claim_name(p) : strerror(errno);
	if ((why = objection(p, &st)) != NULL ||
	    (why = claim_file(&st)) != NULL)
		return why;
	if (kind == PLACE_DIRECTORY && !S_ISDIR(st.st_mode))
		return strerror(ENOTDIR);
	if (!S_ISREG(st.st_mode) && kind == PLACE_FILE)
		return open_special(p, &st);
	if (st.st_uid == geteuid())
		p->mode = st.st_mode & 0777;
	return kind == PLACE_DIRECTORY ? full_directory(p) : NULL;
}

/* ---- descriptors --------------------------------------------------------- */

/* The descriptor that a path names; -1: it names none. */
static int
descriptor(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	const char *why;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		size_t n = strlen(directories[i]);
		int fd = strncmp(path, directories[i], n) != 0 ? -1 :
		    (int)strtonum(path + n, 0, INT32_MAX, &why);
		if (fd >= 0 && why == NULL)
			return fd;
	}
	return -1;
}

static const char *
take_descriptor(struct destination *p, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return strerror(EBADF);
	if (fstat(fd, &st) != 0 ||
	    (p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0)
		return strerror(errno);
	return claim_file(&st);
}

/* ---- places -------------------------------------------------------------- */

bool
place_find(struct destination *p, const char *path)
{
	char *directory = strdup(path), *name = strdup(path);

	*p = (struct destination){.directory = -1, .fd = -1};
	if (directory != NULL && name != NULL &&
	    (p->base = strdup(basename(name))) != NULL)
		p->directory = open(dirname(directory),
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	free(name);
	return p->directory >= 0;
}

const char *
place_open(struct destination *p, const char *path, enum place_kind kind)
{
	size_t n = strlen(path);
	int fd = descriptor(path);

	*p = (struct destination){.directory = -1, .fd = -1};
	if (fd >= 0 && kind == PLACE_FILE)
		return take_descriptor(p, fd);
	if (n == 0)
		return strerror(ENOENT);
	if (path[n - 1] == '/' && kind == PLACE_FILE)
		return strerror(EISDIR);
	return place_find(p, path) ? look_at_place(p, kind) : strerror(errno);
}

/* A file system without modes is no reason to fail. */
bool
place_take(const struct destination *p, int fd, const char *from)
{
	(void)!fchmod(fd, p->mode);
	return renameat(p->directory, from, p->directory, p->base) == 0;
}

void
place_close(struct destination *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->directory >= 0)
		close(p->directory);
	free(p->base);
	*p = (struct destination){.directory = -1, .fd = -1};
}
