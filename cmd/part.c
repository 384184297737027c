/* SPDX-License-Identifier: ISC */
/* part.c: see part.h. */
#include "part.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "tach.h"

#define PROFILE_HEAD 64 /* bytes, see tach(5) */
#define PART_MODE 0600 /* a profile tells much of what a program does */

static int failed_status;
/* Removed when this ends in any way but by SIGKILL. */
static const struct part *unfinished;

static void
remove_unfinished(void)
{
	if (unfinished == NULL)
		return;
	unlink(unfinished->file);
	if (unfinished->names != NULL)
		unlink(unfinished->names);
	unfinished = NULL;
}

static noreturn void
failed(const char *name, const char *why)
{
	errx(failed_status, "%s: cannot write: %s", name, why);
}

/* ---- what is no file -------------------------------------------------------- */

static bool
is_sticky(const char *path)
{
	char *copy = strdup(path);
	struct stat st;
	bool sticky = copy != NULL && stat(dirname(copy), &st) == 0 &&
	    (st.st_mode & S_ISVTX) != 0;

	free(copy);
	return sticky;
}

/* A descriptor to write to directly, or -1: a file is made beside it. */
static int
open_special(const char *path)
{
	struct stat st;
	int fd;

	if (strcmp(path, "-") == 0)
		return STDOUT_FILENO;
	if (lstat(path, &st) != 0)
		return -1;
	if (S_ISLNK(st.st_mode))
		failed(path, "it is a symbolic link, and those are not "
		    "followed: name the file itself");
	if (is_sticky(path) && S_ISREG(st.st_mode) && st.st_uid != geteuid())
		failed(path, "it is somebody else's file in a shared "
		    "folder: choose another name");
	if (S_ISREG(st.st_mode))
		return -1;
	if ((fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		failed(path, strerror(errno));
	return fd;
}

/* ---- files ------------------------------------------------------------------ */

static char *
join(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		err(failed_status, NULL);
	return s;
}

/* The lock tells others that somebody is at work here.  False: somebody
 * else is. */
static bool
lock(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &l) == 0 ||
	    (errno != EAGAIN && errno != EACCES);
}

/* Whether there may be a sample in it: a profile without any is a header of
 * zeros, a text nothing. */
static bool
is_worth(int fd)
{
	char first = '\0', later;
	ssize_t n = pread(fd, &first, 1, 0);

	return n != 0 && (first != '\0' ||
	    pread(fd, &later, 1, PROFILE_HEAD) != 0);
}

static void
move_aside(const struct part *p)
{
	char *aside = join(p->file, "~");
	char *from = join(p->file, TACH_NAMES_SUFFIX);
	char *to = join(aside, TACH_NAMES_SUFFIX);

	if (rename(p->file, aside) != 0)
		failed(p->file, strerror(errno));
	if (rename(from, to) != 0)
		unlink(to);
	warnx("%s: a recording was cut short here; it is kept as %s", p->name,
	    aside);
	free(aside);
	free(from);
	free(to);
}

/* What an earlier recording has left is kept once more under another name. */
static void
put_aside(const struct part *p)
{
	int fd = open(p->file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		failed(p->file, strerror(errno));
	if (!lock(fd))
		failed(p->name, "another tach-record is writing to it");
	if (is_worth(fd))
		move_aside(p);
	else if (unlink(p->file) != 0)
		failed(p->file, strerror(errno));
	close(fd);
}

static int
create(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    PART_MODE);
}

static void
open_files(struct part *p, bool text)
{
	p->file = join(p->name, TACH_PART_SUFFIX);
	if ((p->fd = create(p->file)) < 0 && errno == EEXIST) {
		put_aside(p);
		p->fd = create(p->file);
	}
	if (p->fd < 0)
		failed(p->name, strerror(errno));
	if (!lock(p->fd))
		failed(p->name, "another tach-record is writing to it");
	unfinished = p;
	if (text)
		return;
	p->names = join(p->file, TACH_NAMES_SUFFIX);
	unlink(p->names);
	if ((p->names_fd = create(p->names)) < 0)
		failed(p->name, strerror(errno));
}

/* ---- all of it -------------------------------------------------------------- */

void
part_open(struct part *p, const char *path, bool text, int status)
{
	failed_status = status;
	*p = (struct part){.name = path, .names_fd = -1};
	if (strcmp(path, "-") == 0)
		p->name = "standard output";
	p->copy_to = open_special(path);
	atexit(remove_unfinished);
	if (p->copy_to < 0)
		open_files(p, text);
	else
		p->fd = text ? p->copy_to : cmd_temporary(status);
}

/* ---- what outlives the machine ---------------------------------------------- */

/* A thread that waits for the disk in our stead. */
struct part_sync {
	pthread_t thread;
	int wake_fd;
	int folder_fd; /* where the names are; -1: it cannot be opened */
	atomic_bool ending;
	atomic_int error; /* of errno; 0: all went well */
};

/* The profile first: what the names say of it is there then.  A folder that
 * cannot be synced is no reason to stop. */
static int
sync_files(const struct part *p)
{
	if (fdatasync(p->fd) != 0 ||
	    (p->names_fd >= 0 && fdatasync(p->names_fd) != 0))
		return errno;
	return 0;
}

static void *
keep_in_sync(void *arg)
{
	struct part *p = arg;
	eventfd_t calls;
	int e = 0;

	fsync(p->sync->folder_fd);
	while (e == 0 && eventfd_read(p->sync->wake_fd, &calls) == 0 &&
	    !p->sync->ending)
		e = sync_files(p);
	p->sync->error = e;
	return NULL;
}

static int
open_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy == NULL ? -1 :
	    open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(copy);
	return fd;
}

/* Signals are for the thread that samples. */
static bool
start_sync(struct part *p)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&p->sync->thread, NULL, keep_in_sync, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return e == 0;
}

static void
sync_free(struct part *p)
{
	if (p->sync->wake_fd >= 0)
		close(p->sync->wake_fd);
	if (p->sync->folder_fd >= 0)
		close(p->sync->folder_fd);
	free(p->sync);
	p->sync = NULL;
}

/* Without the thread, the end of the recording syncs once. */
void
part_keep(struct part *p)
{
	if (p->file == NULL)
		return;
	unfinished = NULL;
	if ((p->sync = calloc(1, sizeof(*p->sync))) == NULL)
		return;
	p->sync->folder_fd = open_folder(p->file);
	p->sync->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (p->sync->wake_fd < 0 || !start_sync(p))
		sync_free(p);
}

bool
part_sync(struct part *p)
{
	if (p->sync == NULL)
		return true;
	errno = p->sync->error;
	return errno == 0 && eventfd_write(p->sync->wake_fd, 1) == 0;
}

/* Ends the thread, if there is one.  False, with errno: it has failed. */
static bool
end_sync(struct part *p)
{
	if (p->sync == NULL)
		return true;
	if (!p->sync->ending) {
		p->sync->ending = true;
		eventfd_write(p->sync->wake_fd, 1);
		pthread_join(p->sync->thread, NULL);
	}
	errno = p->sync->error;
	return errno == 0;
}

/* ---- the end ---------------------------------------------------------------- */

bool
part_commit(struct part *p)
{
	if (p->copy_to >= 0)
		return p->fd == p->copy_to ||
		    (lseek(p->fd, 0, SEEK_SET) == 0 &&
			cmd_copy(p->fd, p->copy_to));
	/* An error is told to one of those who sync a file, and not again:
	 * the thread's counts as much as our own. */
	if (!end_sync(p) || fdatasync(p->fd) != 0 ||
	    rename(p->file, p->name) != 0)
		return false;
	if (p->names != NULL)
		unlink(p->names);
	if (p->sync != NULL)
		fsync(p->sync->folder_fd);
	return true;
}

void
part_close(struct part *p)
{
	end_sync(p);
	remove_unfinished();
	if (p->sync != NULL)
		sync_free(p);
	if (p->file != NULL)
		close(p->fd);
	if (p->names != NULL)
		close(p->names_fd);
	free(p->file);
	free(p->names);
	p->file = p->names = NULL;
}
