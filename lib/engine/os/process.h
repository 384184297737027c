/* SPDX-License-Identifier: ISC */
/* process.h: a target process: starting it, waiting for it, and what /proc
 * tells about it. */
#ifndef ENGINE_OS_PROCESS_H
#define ENGINE_OS_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	pid_t task; /* one of its threads, by which its memory is read: the main
		     * one, unless that has ended */
	int pidfd;  /* readable when it has ended; -1: not open */
	bool child; /* ours, and not yet reaped */
	bool own_namespace; /* its thread ids are not ours */
	uint64_t namespace; /* inode of its PID namespace; 0: not known */
	pid_t own_id; /* its number in there; 0: not known */
};

/* How a command is to be started. */
struct launch {
	int stdout_fd; /* becomes its standard output; -1: ours */
	char *const *environment; /* NAME=VALUE that it gets in addition, to a
				   * NULL; or NULL */
	int32_t *pid; /* shared memory that is to have its number before it
		       * runs; or NULL */
	const volatile sig_atomic_t *stopped; /* set by a signal handler: it is
					       * not to be started; or NULL */
	int kept_fd; /* a descriptor of ours that it inherits; -1: none */
};

/* Starts a command.  False, with errno: it could not be run, and no process
 * is left behind; EINTR: it was stopped before. */
bool process_launch(struct process *, char *const argv[],
    const struct launch *);
/* Ends a command that was started, and reaps it. */
void process_abandon(struct process *);
/* False, with errno. */
bool process_open(struct process *, pid_t);
void process_close(struct process *);

/* Waits until a deadline of CLOCK_MONOTONIC, or until the process ends or
 * wake_fd becomes readable: then true. */
bool process_sleep(const struct process *, int wake_fd, uint64_t deadline_ns);
bool process_ended(const struct process *);

/* Chooses ->task anew. */
void process_choose_task(struct process *);

/* Whether it has no memory of its own: it is between vfork and exec, or shares
 * that of its parent for good. */
bool process_borrows_memory(const struct process *);

/* One line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end, offset; /* bytes */
	dev_t device;
	uint64_t inode;
	bool writable, executable, shared;
	char *path; /* "" if there is none */
};

struct mappings {
	struct mapping *list;
	size_t count, max;
	uint64_t hash; /* of the text: equal if nothing changed */
};

/* False, with errno. */
bool process_mappings(const struct process *, struct mappings *);
void mappings_free(struct mappings *);

/* Opens the file behind a mapping, also if it was deleted, replaced or lies
 * in another root.  -1: it cannot be had. */
int process_open_mapping(const struct process *, const struct mapping *);

/* What /proc/PID/stat tells from the state on: what comes before is the name,
 * which may hold anything.  It is put into the text.  NULL: there is no process
 * of that number. */
#define PROCESS_STAT_MAX 1024
const char *process_stat(pid_t, char *text, size_t size);

/* The name of the program, for messages; "?" if it is not known. */
void process_name(const struct process *, char *buf, size_t size);

/* The process whose thread has this number; 0: there is none. */
pid_t process_of_thread(pid_t tid);
/* Whether it is a thread of the kernel, which has no memory of its own. */
bool process_is_kernel(const struct process *);

/* Our id of the thread that calls itself tid inside its PID namespace; 0:
 * there is none. */
pid_t process_thread(const struct process *, uint64_t tid);

/* Sends a signal with its information to a thread, by our id of it, and to no
 * other process's that may have this id by now. */
void process_signal(const struct process *, pid_t task, siginfo_t *);
/* The id by which such a thread calls itself; 0: it has ended. */
uint64_t process_thread_id(const struct process *, pid_t task);

/* Lists the threads that have not ended, into *list, which has *max places and
 * grows; returns how many.  0: it has ended, or memory ran out. */
size_t process_tasks(const struct process *, pid_t **list, size_t *max);

/* How many there are, with those that are just ending; 0: it has ended. */
size_t process_count_tasks(const struct process *);

/* A descriptor of /proc/PID/task/TID/NAME, or -1 with errno. */
int process_open_task(const struct process *, pid_t tid, const char *name);

/* Reads the beginning of such a file as a string, of less than size bytes.  False:
 * it cannot be read, or is empty. */
bool process_read_task(const struct process *, pid_t tid, const char *name,
    char *text, size_t size);

/* Whether such a descriptor may be kept: others that are opened for a moment need
 * some, too. */
bool process_may_keep(int fd);

/* The CPU that a thread ran on last, or -1. */
int process_thread_cpu(const struct process *, pid_t tid);

#endif
