/* SPDX-License-Identifier: ISC */
/* files.c: a process's mappings, and files in its root; see os.h. */
#include "engine/os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xxhash.h>

#include "array.h"
#include "below.h"

/* ---- mappings ---------------------------------------------------------- */

static bool
add_mapping(struct mappings *ms, const struct mapping *m)
{
	struct mapping *p = array_grow(ms->list, ms->count, &ms->max,
	    sizeof(*p));

	if (p == NULL)
		return false;
	ms->list = p;
	p[ms->count++] = *m;
	return true;
}

/* START-END PERM OFFSET MAJOR:MINOR INODE   PATH */
static bool
parse_mapping(char *line, struct mapping *m)
{
	unsigned int major, minor;
	char perm[5];
	int path = -1;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %"
		SCNu64 " %n", &m->start, &m->end, perm, &m->offset, &major,
		&minor, &m->inode, &path) < 7 || path < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->device = makedev(major, minor);
	m->writable = perm[1] == 'w';
	m->executable = perm[2] == 'x';
	m->shared = perm[3] == 's';
	return (m->path = strdup(line + path)) != NULL;
}

bool
process_has_mappings(const struct process *p)
{
	char text[2];

	return proc_read_task(p, p->task, "maps", text, sizeof(text));
}

bool
process_mappings(const struct process *p, struct mappings *ms)
{
	char path[PROC_PATH_MAX], *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *f;

	*ms = (struct mappings){0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->task);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	while ((len = getline(&line, &room, f)) > 0) {
		struct mapping m;
		ms->hash = XXH3_64bits_withSeed(line, (size_t)len, ms->hash);
		if (parse_mapping(line, &m) && !add_mapping(ms, &m))
			free(m.path);
	}
	free(line);
	fclose(f);
	return true;
}

void
mappings_free(struct mappings *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		free(ms->list[i].path);
	free(ms->list);
	*ms = (struct mappings){0};
}

/* ---- the file behind a mapping ----------------------------------------- */

/* Maps a file, and compares the device and inode that /proc/self/maps shows for
 * it with another mapping's.  Some file systems, overlayfs and btrfs among
 * them, give a mapping another device than stat(2) does, and another inode. */
static bool
is_mapped_as(int fd, const struct mapping *m)
{
	const struct process self = {.pid = getpid(), .task = getpid(),
	    .pidfd = -1};
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct mappings ms = {0};
	bool same = false;

	if (at == MAP_FAILED)
		return false;
	process_mappings(&self, &ms);
	for (size_t i = 0; i < ms.count; i++)
		if (ms.list[i].start == (uint64_t)(uintptr_t)at)
			same = ms.list[i].device == m->device &&
			    ms.list[i].inode == m->inode;
	mappings_free(&ms);
	munmap(at, 1);
	return same;
}

/* Opens a file for reading that was opened with O_PATH.  -1 if it is no regular
 * file: to open a device or a pipe can have effects. */
static int
open_found(int found, struct stat *st)
{
	char path[PROC_PATH_MAX];

	if (fstat(found, st) != 0 || !S_ISREG(st->st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Closes a found file, and opens it for reading if it is the mapped file; else
 * -1. */
static int
take_same(int found, const struct mapping *m)
{
	struct stat st;
	int fd;

	if (found < 0)
		return -1;
	fd = open_found(found, &st);
	close(found);
	if (fd < 0)
		return -1;
	if ((st.st_dev == m->device && st.st_ino == m->inode) ||
	    is_mapped_as(fd, m))
		return fd;
	close(fd);
	return -1;
}

static int
find_own(const struct process *p, const char *name)
{
	char path[2 * PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)p->task, name);
	return open(path, O_PATH | O_CLOEXEC);
}

/* Whether openat2(2) is not there: see below.h. */
static bool
lacks_openat2(void)
{
	return errno == ENOSYS || errno == EPERM;
}

/* Finds a file by its path in the process's root.  Without openat2, a link may lead out
 * of it: the file is compared with the mapped one in any case. */
static int
find_inside(const struct process *p, const char *path)
{
	int root = process_open_root(p);
	int fd = root < 0 ? -1 : find_below(root, path, 0);

	if (fd < 0 && root >= 0 && lacks_openat2())
		fd = openat(root, path + (path[0] == '/'), O_PATH | O_CLOEXEC);
	if (root >= 0)
		close(root);
	return fd;
}

/* Finds a file by its path in our root: /proc shows such paths if the process's
 * root is a folder of ours. */
static int
find_outside(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	    .resolve = RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && lacks_openat2())
		fd = open(path, O_PATH | O_CLOEXEC);
	return fd;
}

int
process_open_mapping(const struct process *p, const struct mapping *m)
{
	char name[PROC_PATH_MAX];
	int fd;

	/* map_files needs a capability, but is right whatever the path is by
	 * now. */
	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64,
	    m->start, m->end);
	if ((fd = take_same(find_own(p, name), m)) >= 0 ||
	    (fd = take_same(find_inside(p, m->path), m)) >= 0 ||
	    (fd = take_same(find_outside(m->path), m)) >= 0)
		return fd;
	/* A program that was deleted, or replaced. */
	return take_same(find_own(p, "exe"), m);
}

/* ---- folders and paths ------------------------------------------------- */

int
process_open_root(const struct process *p)
{
	return find_own(p, "root");
}

bool
process_has_file(const struct process *p, const char *path, int fd)
{
	char inside[PATH_MAX + PROC_PATH_MAX];
	struct stat ours, its;

	snprintf(inside, sizeof(inside), "/proc/%d/root%s", (int)p->pid, path);
	return path[0] == '/' && fstat(fd, &ours) == 0 &&
	    stat(inside, &its) == 0 && ours.st_dev == its.st_dev &&
	    ours.st_ino == its.st_ino;
}

int
folder_open_inside(int root, const char *path)
{
	return find_below(root, path, O_DIRECTORY);
}

void
folder_path(char *path, size_t size, int folder, const char *name)
{
	snprintf(path, size, "/proc/self/fd/%d/%s", folder, name);
}

void
descriptor_path(char *path, size_t size, int fd)
{
	snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), fd);
}

bool
program_path(char *path)
{
	return realpath("/proc/self/exe", path) != NULL;
}
