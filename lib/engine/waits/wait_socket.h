/* SPDX-License-Identifier: ISC */
/* wait_socket.h: the peers of another process's sockets. */
#ifndef ENGINE_WAITS_WAIT_SOCKET_H
#define ENGINE_WAITS_WAIT_SOCKET_H

#include "engine/os/os.h"
#include "engine/waits/wait.h"

#define SOCKETS_KNOWN 256

/* Addresses of sockets, by inode: no other socket has the inode soon. */
struct wait_sockets {
	struct wait_socket {
		uint64_t inode; /* 0: none */
		char address[WAIT_DETAIL_MAX];
	} list[SOCKETS_KNOWN];
};

/*
 * The address of the peer of a socket, by its descriptor in the process; of a socket that
 * listens, or that has datagrams of any peer, its own address.  "" if there is none yet,
 * or if it cannot be asked for (Linux before 5.6); valid until the next call.  The
 * descriptor is ours, too, for some microseconds.
 */
const char *wait_socket_address(struct wait_sockets *, const struct process *, int fd,
    uint64_t inode);

#endif
