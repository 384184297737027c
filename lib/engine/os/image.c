/* SPDX-License-Identifier: ISC */
/*
 * image.c: see os.h.
 *
 * The kernel gives each new program a vector (/proc/PID/auxv) of random addresses
 * and of rights.  If a program has more rights than the program before it, their
 * vectors differ, whatever the earlier program did: it cannot know the addresses.
 */
#include "engine/os/proc.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#define VECTOR_MAX 2048 /* bytes of the vector that are read */

struct vector {
	uint8_t bytes[VECTOR_MAX];
	size_t size;
};

static bool
read_vector(const struct process *p, pid_t task, struct vector *v)
{
	int fd = proc_open_task(p, task, "auxv");
	ssize_t n = fd >= 0 ? read(fd, v->bytes, sizeof(v->bytes)) : -1;

	if (fd >= 0)
		close(fd);
	v->size = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Reads the vector by a thread that still has memory: a main thread that has
 * ended has none.  Returns the thread's id; 0 if no thread has memory. */
static pid_t
find_vector(const struct process *p, struct vector *v)
{
	char path[64];
	struct dirent *e;
	pid_t task = p->pid;
	DIR *d;

	if (p->pidfd < 0 || read_vector(p, task, v))
		return p->pidfd >= 0 ? task : 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	d = opendir(path);
	task = 0;
	while (task == 0 && d != NULL && (e = readdir(d)) != NULL) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid > 0 && read_vector(p, tid, v))
			task = tid;
	}
	if (d != NULL)
		closedir(d);
	return task;
}

uint64_t
image_of(const struct process *p)
{
	struct vector v;

	/* Once it has ended, its PID can be another process's. */
	if (find_vector(p, &v) == 0 || process_ended(p))
		return 0;
	return XXH3_64bits(v.bytes, v.size) | 1;
}

/* ---- files that are mapped ------------------------------------------------- */

struct maps_line {
	uint64_t start, end;
	char rights[5];
	struct image_file file;
};

static FILE *
open_maps(const char *process)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/maps", process);
	return fopen(path, "re");
}

/* Reads the next mapping.  False if there is none. */
static bool
next_line(FILE *f, char **text, size_t *room, struct maps_line *l)
{
	while (getline(text, room, f) > 0)
		if (sscanf(*text, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %"
			SCNu64, &l->start, &l->end, l->rights, &l->file.major,
			&l->file.minor, &l->file.inode) == 6)
			return true;
	return false;
}

bool
image_file_at(const void *addr, struct image_file *file)
{
	uint64_t at = (uint64_t)(uintptr_t)addr;
	FILE *f = open_maps("self");
	char *text = NULL;
	size_t room = 0;
	struct maps_line l;
	bool found = false;

	while (f != NULL && !found && next_line(f, &text, &room, &l))
		found = l.start <= at && at < l.end && l.file.inode != 0;
	if (found)
		*file = l.file;
	free(text);
	if (f != NULL)
		fclose(f);
	return found;
}

static bool
is_file(const struct maps_line *l, const struct image_file *f)
{
	return l->file.inode == f->inode && l->file.major == f->major &&
	    l->file.minor == f->minor;
}

bool
image_maps(const struct process *p, const struct image_file *memory,
    const struct image_file *library)
{
	bool has_memory = false, has_library = library == NULL;
	char name[48], *text = NULL;
	struct vector v;
	size_t room = 0;
	struct maps_line l;
	FILE *f;

	snprintf(name, sizeof(name), "%d/task/%d", (int)p->pid,
	    (int)find_vector(p, &v));
	f = open_maps(name);
	while (f != NULL && !(has_memory && has_library) &&
	    next_line(f, &text, &room, &l)) {
		if (is_file(&l, memory))
			has_memory |= l.rights[1] == 'w' && l.rights[3] == 's';
		else if (library != NULL && is_file(&l, library))
			has_library |= l.rights[2] == 'x';
	}
	free(text);
	if (f != NULL)
		fclose(f);
	return has_memory && has_library && !process_ended(p);
}
