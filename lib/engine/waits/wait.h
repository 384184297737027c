/* SPDX-License-Identifier: ISC */
/*
 * wait.h: names the reason for which a thread is blocked.
 *
 * Nothing here makes a system call or reads memory: the facts are given, and a name
 * is made of them.  They come from strangers, and none is trusted.
 */
#ifndef ENGINE_WAITS_WAIT_H
#define ENGINE_WAITS_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/os/os.h"

#define WAIT_NAME_MAX 256   /* bytes of a name, with the terminating 0 */
#define WAIT_DETAIL_MAX 160 /* bytes of a path or an address, likewise */

/* ---- system calls (wait_calls.c) ----------------------------------------- */

enum wait_does {
	WAIT_UNKNOWN, /* named by its number */
	WAIT_NO_CALL, /* outside of a system call */
	WAIT_FUTEX,
	WAIT_SLEEP,
	WAIT_POLL,
	WAIT_SELECT,
	WAIT_EPOLL,
	WAIT_READ,
	WAIT_WRITE,
	WAIT_RECEIVE,
	WAIT_SEND,
	WAIT_ACCEPT,
	WAIT_CONNECT,
	WAIT_OPEN,
	WAIT_FILE_LOCK,
	WAIT_FCNTL, /* may be a lock, too */
	WAIT_IOCTL,
	WAIT_SYNC,
	WAIT_FOLDER, /* an entry of a folder is sought or changed */
	WAIT_CHILD,
	WAIT_CLONE, /* may be vfork */
	WAIT_SIGNAL,
	WAIT_MEMORY,
	WAIT_SEMAPHORE,
	WAIT_MESSAGE,
	WAIT_AIO,
	WAIT_RANDOM,
	WAIT_RESTARTED, /* goes on with another call, after a stop */
};

/* A system call, by its number. */
struct wait_sort {
	uint8_t does; /* enum wait_does */
	uint8_t descriptor; /* which argument is one, from 1 on; 0: none */
	uint8_t path; /* which one is the address of a path, likewise */
	bool varies;  /* the name depends on the kind of the descriptor's file */
};

struct wait_sort wait_sort(int64_t number);

/* ---- Python frames above (wait_callers.c) -------------------------------- */

/* The reason that functions of the standard library tell, from outside inwards. */
enum wait_above {
	ABOVE_NONE,
	ABOVE_CONDITION,
	ABOVE_EVENT,
	ABOVE_SEMAPHORE,
	ABOVE_BARRIER,
	ABOVE_RLOCK,
	ABOVE_JOIN,
	ABOVE_START,
	ABOVE_QUEUE_GET,
	ABOVE_QUEUE_PUT,
	ABOVE_QUEUE_JOIN,
	ABOVE_FUTURE,
	ABOVE_SHARED_CONDITION, /* of multiprocessing */
	ABOVE_SHARED_EVENT,
	ABOVE_IMPORT,
	ABOVE_LOOP, /* of events */
	ABOVE_REASONS,
};

/* Goes from one frame to its caller.  file and function need not be terminated.  False
 * if callers farther out tell nothing more. */
bool wait_above_step(enum wait_above *, const char *file, size_t file_len,
    const char *function, size_t function_len);

/* ---- files (wait_file.c) ------------------------------------------------- */

enum wait_file_kind {
	WAIT_FILE_UNKNOWN,
	WAIT_FILE_REGULAR,
	WAIT_FILE_PIPE,
	WAIT_FILE_SOCKET,
	WAIT_FILE_TERMINAL,
	WAIT_FILE_DEVICE,
	WAIT_FILE_CHILD,
	WAIT_FILE_EVENT,
	WAIT_FILE_TIMER,
	WAIT_FILE_SIGNAL,
	WAIT_FILE_NOTIFY,
	WAIT_FILE_EPOLL,
};

/* The kind of a file, by the link that /proc shows for a descriptor. */
enum wait_file_kind wait_file_kind(const char *link);
/* Whether the link is the path of a file, which may be a FIFO. */
bool wait_file_has_path(const char *link);
/* The inode of a socket, by such a link; 0: it is none. */
uint64_t wait_file_socket(const char *link);

/* Writes an address as "10.0.0.1:5432", "[::1]:80" or a path: "" if it is of no kind
 * that is known, or has no name.  address: a struct sockaddr_storage that holds `len`
 * bytes of it. */
void wait_address(const void *address, size_t len, char text[WAIT_DETAIL_MAX]);

/* ---- names (wait.c) ------------------------------------------------------ */

struct wait_facts {
	struct task_call call;
	enum wait_above above;
	bool wants_gil;
	bool stopped; /* outside of a call: by a signal or a tracer */
	bool partner; /* a FIFO is being opened */
	bool world;   /* threads are stopped for the interpreter's own work */
	bool writes;  /* the only descriptor that is polled, to be written to */
	/* The descriptors that are polled; POLLED_UNKNOWN: that cannot be read. */
	uint32_t polled;
	enum wait_file_kind file; /* of its descriptor, also of one that is polled */
	/* Terminated, and "" if not known or not to be told: */
	const char *callee; /* the function of C that Python has called */
	const char *lock;   /* type of the object whose lock it waits for */
	const char *holder; /* of that lock: a thread's name */
	const char *detail; /* a path, an address or a number */
};
#define POLLED_UNKNOWN UINT32_MAX

/* Writes the name, which is valid UTF-8 without control characters, terminated; a
 * longer one is cut.  Returns its length. */
size_t wait_name(const struct wait_facts *, char name[WAIT_NAME_MAX]);

#endif
