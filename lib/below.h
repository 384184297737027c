/* SPDX-License-Identifier: ISC */
/* below.h: finds files in the root of a process, in which a stranger may have put
 * links. */
#ifndef BELOW_H
#define BELOW_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Finds a path below a root, without opening it, which can have effects; no link leads
 * out of that root.  Returns a descriptor of O_PATH, with these flags, too; -1 with
 * errno if there is none: ENOSYS or EPERM if openat2(2) is not there, as before Linux
 * 5.6 and in old sandboxes. */
static inline int
find_below(int root, const char *path, uint64_t flags)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

#endif
