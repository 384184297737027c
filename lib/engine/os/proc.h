/* SPDX-License-Identifier: ISC */
/* proc.h: files of /proc, for the folders os/ and waits/ alone. */
#ifndef ENGINE_OS_PROC_H
#define ENGINE_OS_PROC_H

#include "engine/os/os.h"

#define PROC_PATH_MAX 128
#define PROC_STAT_MAX 1024 /* bytes: of /proc/PID/stat, no line is longer */

/* Opens /proc/PID/NAME, or /proc/PID/task/TASK/NAME, to be read.  -1 with errno. */
int proc_open(pid_t, const char *name);
int proc_open_task(const struct process *, pid_t task, const char *name);

/* Reads the beginning of a file as a string, of less than size bytes, and closes the
 * file.  False if it cannot be read, or is empty. */
bool proc_read(int fd, char *text, size_t size);
/* Does so with /proc/PID/task/TASK/NAME. */
bool proc_read_task(const struct process *, pid_t task, const char *name,
    char *text, size_t size);

/* Reads a file `stat` into the text and closes it.  Returns the part of the text from
 * the state on: the name before it may hold any character.  NULL if it cannot be
 * read. */
const char *proc_read_stat(int fd, char *text, size_t size);
/* Does so with /proc/PID/stat. */
const char *proc_stat(pid_t, char *text, size_t size);

/* The number in a file; `otherwise` if there is none. */
int proc_number(const char *path, int otherwise);

/* Whether the main thread has ended.  The process may live on, but its memory cannot
 * be read by the main thread's id. */
bool proc_main_has_ended(const struct process *);

/* The id of a task in the innermost PID namespace; 0 if it is not known. */
uint64_t proc_inner_id(const struct process *, pid_t task);

/* Whether such a descriptor may be kept open, as enough are left for files that are
 * open for a moment only. */
bool proc_may_keep(int fd);

#endif
