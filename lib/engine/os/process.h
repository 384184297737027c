/* SPDX-License-Identifier: ISC */
/* process.h: a target process: its start and end, its memory's mappings, and its
 * data in /proc. */
#ifndef ENGINE_OS_PROCESS_H
#define ENGINE_OS_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	pid_t task; /* the thread by which its memory is read: the main one,
		     * unless that has ended */
	int pidfd;  /* readable when the process has ended; -1: not open */
	bool child; /* of this process, and not yet reaped */
	bool own_namespace; /* its PID namespace, and thread ids, are not ours */
	uint64_t namespace; /* inode of its PID namespace; 0: not known */
	pid_t own_id; /* its PID in that namespace; 0: not known */
};

/* How a command is to be started. */
struct launch {
	int stdout_fd; /* becomes its standard output; -1: ours */
	char *const *environment; /* variables NAME=VALUE that are added, up to
				   * a NULL; or NULL */
	int32_t *pid; /* shared memory that gets its PID before the command
		       * runs; or NULL */
	const volatile sig_atomic_t *stopped; /* set by a signal handler to
					       * prevent the start; or NULL */
	int kept_fd; /* a descriptor of ours that it inherits; -1: none */
};

/* Starts a command.  False if it could not be run, with errno (EINTR: ->stopped
 * was set); no process is left behind. */
bool process_launch(struct process *, char *const argv[],
    const struct launch *);
/* Kills a command that was started, and reaps it. */
void process_abandon(struct process *);
/* Opens a process by its PID.  False if that failed, with errno. */
bool process_open(struct process *, pid_t);
void process_close(struct process *);

/* Waits until a deadline (CLOCK_MONOTONIC), or until the process ends or wake_fd
 * becomes readable.  True if the process has ended or wake_fd is readable. */
bool process_sleep(const struct process *, int wake_fd, uint64_t deadline_ns);
bool process_ended(const struct process *);

/* Sets ->task to the main thread, or to another one if that has ended. */
void process_choose_task(struct process *);

/* Whether the process has its parent's memory: it is between vfork and exec, or
 * shares that memory for good. */
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

/* Lists the mappings.  False if they cannot be read, with errno. */
bool process_mappings(const struct process *, struct mappings *);
void mappings_free(struct mappings *);

/* Opens the file behind a mapping, also if it was deleted, replaced or lies
 * in another root.  -1 if it cannot be opened. */
int process_open_mapping(const struct process *, const struct mapping *);

/* Reads /proc/PID/stat into the text, and returns the part of the text from the
 * state on: the name before it may hold any character.  NULL if there is no such
 * process. */
#define PROCESS_STAT_MAX 1024
const char *process_stat(pid_t, char *text, size_t size);

/* The name of the program, for messages; "?" if it is not known. */
void process_name(const struct process *, char *buf, size_t size);

/* The PID of the process that a thread belongs to; 0 if there is no such
 * thread. */
pid_t process_of_thread(pid_t tid);
/* Whether the process is a thread of the kernel, without memory of its own. */
bool process_is_kernel(const struct process *);

/* Our id of the thread whose id in the process's PID namespace is tid; 0 if there
 * is none. */
pid_t process_thread(const struct process *, uint64_t tid);

/* Sends a signal with its information to a thread, by our id of it, but not to
 * another process's thread that has this id by now. */
void process_signal(const struct process *, pid_t task, siginfo_t *);
/* The id, in the process's PID namespace, of a thread that has our id `task`; 0
 * if the thread has ended. */
uint64_t process_thread_id(const struct process *, pid_t task);

/* Lists the threads that have not ended, by our ids, into *list, which has *max
 * places, grows, and is the caller's to free.  Returns their number; 0 if the
 * process has ended, or if out of memory. */
size_t process_tasks(const struct process *, pid_t **list, size_t *max);

/* The number of threads, threads that are just ending included; 0 if the process
 * has ended. */
size_t process_count_tasks(const struct process *);

/* A descriptor of /proc/PID/task/TID/NAME, or -1 with errno. */
int process_open_task(const struct process *, pid_t tid, const char *name);

/* Reads the beginning of such a file as a string, of less than size bytes.  False
 * if the file cannot be read, or is empty. */
bool process_read_task(const struct process *, pid_t tid, const char *name,
    char *text, size_t size);

/* Whether such a descriptor may be kept open, as enough are left for files that
 * are open for a moment only. */
bool process_may_keep(int fd);

/* The CPU that a thread ran on last; -1 if it is not known. */
int process_thread_cpu(const struct process *, pid_t tid);

#endif
