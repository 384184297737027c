/* SPDX-License-Identifier: ISC */
/* folder.c: see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

static void
remove_name(int dir, const char *name)
{
	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		unlinkat(dir, name, 0);
}

/* Removes a folder and the files in it, by system calls alone: this can be
 * called at a signal. */
static void
remove_folder(const char *name)
{
	int dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	ssize_t n;

	while (dir >= 0 &&
	    (n = getdents64(dir, entries, sizeof(entries))) > 0)
		for (ssize_t i = 0; i < n;) {
			const struct dirent64 *e = (void *)(entries + i);
			remove_name(dir, e->d_name);
			i += e->d_reclen;
		}
	if (dir >= 0)
		close(dir);
	rmdir(name);
}

static int
make_folder(char *name)
{
	int fd;

	if (mkdtemp(name) == NULL)
		return -1;
	if ((fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		rmdir(name);
	return fd;
}

/* Whether there is nothing in a directory, or none of that name. */
static bool
is_free(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (dir == NULL)
		return errno == ENOENT;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	errno = ENOTEMPTY;
	return n <= 2; /* . and .. */
}

void
folder_open(struct folder *f, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (!is_free(path))
		cmd_write_failed(path, errno == ENOTEMPTY ?
			"is not empty: name a new directory" : NULL);
	if ((f->target = strndup(path, n)) == NULL ||
	    asprintf(&f->temporary, "%s.XXXXXX", f->target) < 0)
		cmd_write_failed(path, NULL);
	f->fd = cmd_make_unfinished(f->temporary, make_folder, remove_folder);
	if (f->fd < 0 || fchmod(f->fd, cmd_new_mode(0777)) != 0)
		cmd_write_failed(path, NULL);
}

void
folder_close(struct folder *f)
{
	close(f->fd);
	if (!cmd_rename_unfinished(f->temporary, f->target))
		cmd_write_failed(f->target, NULL);
	free(f->target);
}
