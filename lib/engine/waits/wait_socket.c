/* SPDX-License-Identifier: ISC */
/* wait_socket.c: see wait_socket.h. */
#include "engine/waits/wait_socket.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* Gets a copy of a descriptor.  -1 if that is not permitted, or not there. */
static int
copy_descriptor(const struct process *p, int fd)
{
	return p->pidfd < 0 || p->by_folder ? -1 :
	    (int)syscall(SYS_pidfd_getfd, p->pidfd, fd, 0);
}

static bool
has_own_address(int fd)
{
	int listens = 0, type = 0;
	socklen_t len = sizeof(listens);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens)
		return true;
	len = sizeof(type);
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_DGRAM;
}

/* Asks a socket.  True if it has a peer, which stays its peer. */
static bool
ask_address(int fd, char address[WAIT_DETAIL_MAX])
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	bool peer = getpeername(fd, (struct sockaddr *)&a, &len) == 0;

	address[0] = '\0';
	if (!peer) {
		len = sizeof(a);
		if (!has_own_address(fd) ||
		    getsockname(fd, (struct sockaddr *)&a, &len) != 0)
			return false;
	}
	wait_address(&a, len, address);
	return peer;
}

/* Whether a copy of a descriptor is still of the socket that was asked for. */
static bool
is_inode(int fd, uint64_t inode)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == inode;
}

const char *
wait_socket_address(struct wait_sockets *s, const struct process *p, int fd,
    uint64_t inode)
{
	struct wait_socket *k = &s->list[inode % SOCKETS_KNOWN];
	bool lasts = false;
	int copy;

	if (k->inode == inode && inode != 0)
		return k->address;
	*k = (struct wait_socket){0};
	if ((copy = copy_descriptor(p, fd)) < 0)
		return "";
	if (is_inode(copy, inode))
		lasts = ask_address(copy, k->address);
	close(copy);
	k->inode = lasts ? inode : 0;
	return k->address;
}
