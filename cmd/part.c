/* SPDX-License-Identifier: ISC */
/* part.c: see part.h. */
#include "part.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "io.h"
#include "tach.h"
#include "thread.h"

#define PROFILE_HEAD 64 /* bytes, see tach(5) */

/* A path's name in its directory. */
static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* Says why a file cannot be written.  False, for its caller to return. */
static bool
part_failed(const char *name, const char *why)
{
	warnx("%s: cannot write: %s", name, why);
	return false;
}

/* ---- files --------------------------------------------------------------- */

static char *
join_suffix(const char *a, const char *b)
{
	char *s;

	return asprintf(&s, "%s%s", a, b) < 0 ? NULL : s;
}

/* Locks a file, which shows other recorders that it is in use.  False: another
 * recorder has the lock. */
static bool
lock_part(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &l) == 0 ||
	    (errno != EAGAIN && errno != EACCES);
}

/* Whether a file may have a sample.  A profile without any is a header of zeros, a
 * text without any is empty. */
static bool
is_worth(int fd)
{
	char first = '\0', later;
	ssize_t n = pread(fd, &first, 1, 0);

	return n != 0 && (first != '\0' ||
	    pread(fd, &later, 1, PROFILE_HEAD) != 0);
}

/* Renames a file to its name with ~. */
static bool
rename_aside(const struct part *p, const char *file, char **to)
{
	*to = join_suffix(file, "~");
	return *to != NULL &&
	    renameat(p->place.directory, base_name(file), p->place.directory,
		base_name(*to)) == 0;
}

/* Renames the journal of a file that has become `part`, so that it has no other one.
 * False: out of memory. */
static bool
move_journal(const struct part *p, const char *part, const char *suffix)
{
	char *from = join_suffix(p->file, suffix);
	char *to = join_suffix(part, suffix);
	bool ok = from != NULL && to != NULL;

	if (ok && renameat(p->place.directory, base_name(from),
		p->place.directory, base_name(to)) != 0)
		unlinkat(p->place.directory, base_name(to), 0);
	free(from);
	free(to);
	return ok;
}

static bool
move_aside(const struct part *p)
{
	char *part;
	bool ok = rename_aside(p, p->file, &part);

	if (ok) {
		warnx("%s: a recording was cut short here; it is kept as %s",
		    p->name, part);
		ok = move_journal(p, part, TACH_JOURNAL_SUFFIX) &&
		    move_journal(p, part, PLACE_OLD_JOURNAL);
	}
	free(part);
	return ok || part_failed(p->file, strerror(errno));
}

/* Whether a recorder of this user can have made a file. */
static bool
is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid();
}

/* Moves the file of an earlier recording out of the way; it is kept if it has
 * samples. */
static bool
put_aside(const struct part *p)
{
	int fd = openat(p->place.directory, base_name(p->file), O_RDWR |
	    O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool ok;

	if (fd < 0 && errno != ELOOP)
		return part_failed(p->file, strerror(errno));
	if (fd < 0 || !is_ours(fd))
		ok = part_failed(p->file, "it is another user's, or not a "
		    "regular file: choose another name");
	else if (!lock_part(fd))
		ok = part_failed(p->name, "another tach-record is writing to it");
	else if (is_worth(fd))
		ok = move_aside(p);
	else
		ok = unlinkat(p->place.directory, base_name(p->file), 0) == 0 ||
		    part_failed(p->file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Makes a file at a path.  Returns a descriptor, or -1 with errno. */
static int
create_part(const struct part *p, struct unfinished_output *u, const char *path)
{
	char *name = strdup(base_name(path));

	return name == NULL ? -1 :
	    output_make(u, &p->place, PLACE_FILE, name);
}

static bool
open_part(struct part *p)
{
	if ((p->file = join_suffix(p->name, TACH_PART_SUFFIX)) == NULL)
		return part_failed(p->name, strerror(errno));
	if ((p->fd = create_part(p, &p->unfinished, p->file)) < 0 &&
	    errno == EEXIST) {
		if (!put_aside(p))
			return false;
		p->fd = create_part(p, &p->unfinished, p->file);
	}
	if (p->fd < 0)
		return part_failed(p->name, strerror(errno));
	if (lock_part(p->fd))
		return true;
	/* The other recorder has the name by now. */
	output_keep(&p->unfinished);
	return part_failed(p->name, "another tach-record is writing to it");
}

static bool
open_journal(struct part *p)
{
	if ((p->journal = join_suffix(p->file, TACH_JOURNAL_SUFFIX)) == NULL)
		return part_failed(p->name, strerror(errno));
	unlinkat(p->place.directory, base_name(p->journal), 0);
	p->journal_fd = create_part(p, &p->unfinished_journal, p->journal);
	return p->journal_fd >= 0 || part_failed(p->name, strerror(errno));
}

/* ---- a part -------------------------------------------------------------- */

static bool
open_all(struct part *p, const char *path, bool text)
{
	const char *why = place_open(&p->place, path, PLACE_FILE);

	if (strcmp(path, "-") == 0)
		p->name = "standard output";
	if (why != NULL)
		return part_failed(p->name, why);
	p->copy_to = p->place.fd;
	if (p->copy_to < 0)
		return open_part(p) && (text || open_journal(p));
	p->fd = text ? p->copy_to : cmd_temporary(RECORD_FAILED);
	return true;
}

bool
part_open(struct part *p, const char *path, bool text)
{
	*p = (struct part){.name = path, .fd = -1, .journal_fd = -1,
	    .copy_to = -1};
	sched_getaffinity(0, sizeof(p->cpus), &p->cpus);
	if (open_all(p, path, text))
		return true;
	part_close(p);
	return false;
}

bool
part_check(const char *path)
{
	struct destination p;
	struct stat st;
	bool ok;

	if (!place_find(&p, path) ||
	    faccessat(p.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
		ok = part_failed(path, strerror(errno));
	else if (fstatat(p.directory, p.base, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISREG(st.st_mode))
		ok = part_failed(path, "it is not a regular file, beside which each "
		    "process could have its own: use --merge");
	else
		ok = true;
	place_close(&p);
	return ok;
}

/* ---- syncing ------------------------------------------------------------- */

/* A thread that waits for the disk. */
struct part_sync {
	pthread_t thread;
	int wake_fd;
	atomic_bool ending;
	atomic_int error; /* of errno; 0: all went well */
};

/* Syncs the directory of the files.  A failure is no reason to stop. */
static void
sync_directory(const struct part *p)
{
	int fd = openat(p->place.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Syncs the profile before its journal, which describes it. */
static int
sync_files(const struct part *p)
{
	if (fdatasync(p->fd) != 0 ||
	    (p->journal_fd >= 0 && fdatasync(p->journal_fd) != 0))
		return errno;
	return 0;
}

static void *
keep_in_sync(void *arg)
{
	struct part *p = arg;
	eventfd_t calls;
	int e = 0;

	/* The sampling thread, whose CPUs this one inherits, may be on one CPU
	 * alone. */
	sched_setaffinity(0, sizeof(p->cpus), &p->cpus);
	sync_directory(p);
	while (e == 0 && eventfd_read(p->sync->wake_fd, &calls) == 0 &&
	    !p->sync->ending)
		e = sync_files(p);
	p->sync->error = e;
	return NULL;
}

static void
sync_free(struct part *p)
{
	if (p->sync->wake_fd >= 0)
		close(p->sync->wake_fd);
	free(p->sync);
	p->sync = NULL;
}

static bool
begin_sync(struct part *p)
{
	if ((p->sync = calloc(1, sizeof(*p->sync))) == NULL)
		return false;
	p->sync->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (p->sync->wake_fd >= 0 &&
	    thread_start(&p->sync->thread, keep_in_sync, p) == 0)
		return true;
	sync_free(p);
	return false;
}

void
part_keep(struct part *p)
{
	output_keep(&p->unfinished);
	output_keep(&p->unfinished_journal);
	p->kept = true;
}

/* Without the thread, the end of the recording syncs once. */
bool
part_sync(struct part *p)
{
	if (p->file == NULL || (p->sync == NULL && !begin_sync(p)))
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

/* ---- the end ------------------------------------------------------------- */

bool
part_commit(struct part *p)
{
	if (p->copy_to >= 0)
		return p->fd == p->copy_to ||
		    (lseek(p->fd, 0, SEEK_SET) == 0 &&
			io_copy(p->fd, p->copy_to));
	/* The kernel reports an error to one sync of a file and not again, so the
	 * thread's errors count, too. */
	if (!end_sync(p) || fdatasync(p->fd) != 0 ||
	    !output_take(&p->unfinished, &p->place, p->fd))
		return false;
	if (p->journal != NULL)
		unlinkat(p->place.directory, base_name(p->journal), 0);
	output_keep(&p->unfinished_journal);
	if (p->kept)
		sync_directory(p);
	return true;
}

void
part_close(struct part *p)
{
	end_sync(p);
	output_drop(&p->unfinished);
	output_drop(&p->unfinished_journal);
	if (p->sync != NULL)
		sync_free(p);
	if (p->fd >= 0 && p->fd != p->copy_to)
		close(p->fd);
	if (p->journal_fd >= 0)
		close(p->journal_fd);
	place_close(&p->place);
	free(p->file);
	free(p->journal);
	p->file = p->journal = NULL;
	p->fd = p->journal_fd = -1;
}
