/* SPDX-License-Identifier: ISC */
/* rootfile.c: see rootfile.h. */
#include "native/rootfile.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Finds a file without opening it, which can have effects. */
static int
find_in_root(int root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	return root < 0 ? open(path, O_PATH | O_CLOEXEC) :
	    (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

int
rootfile_open(int root, const char *path)
{
	char name[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int found = find_in_root(root, path), fd = -1;
	struct stat st;

	if (found < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	close(found);
	return fd;
}
