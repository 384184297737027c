/* SPDX-License-Identifier: ISC */
/* rootfile.c: see rootfile.h. */
#include "native/rootfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "below.h"

int
rootfile_open(int root, const char *path)
{
	char name[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int found = root < 0 ? open(path, O_PATH | O_CLOEXEC) :
	    find_below(root, path, 0);
	int fd = -1;
	struct stat st;

	if (found < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	close(found);
	return fd;
}
