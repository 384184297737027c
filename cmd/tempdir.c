/* SPDX-License-Identifier: ISC */
/* tempdir.c: see tempdir.h. */
#include "tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Whether only root and this user can rename what this user makes in a directory. */
static bool
keeps_names(const char *directory)
{
	struct stat st;

	return stat(directory, &st) == 0 &&
	    (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (st.st_mode & S_ISVTX) != 0);
}

/* Opens a directory that was made just now.  -1, with errno: another one has its name. */
static int
open_made(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int
tempdir_make(const char *name, char **path)
{
	const char *in = io_temporary_directory();
	int fd = -1, error;

	if (asprintf(path, "%s/%s.XXXXXX", keeps_names(in) ? in : "/tmp", name) < 0)
		*path = NULL;
	else if (mkdtemp(*path) != NULL && (fd = open_made(*path)) >= 0)
		return fd;
	error = errno;
	free(*path);
	*path = NULL;
	errno = error;
	return -1;
}
