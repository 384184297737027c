/* SPDX-License-Identifier: ISC */
/* task.c: the threads of a process; see os.h. */
#include "engine/os/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array.h"

#define TID_MAX (1 << 22) /* no thread has a larger id */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

/* ---- which there are --------------------------------------------------- */

/* Whether the process has a thread that has not ended.  The folder of a main
 * thread that has ended stays in /proc. */
static bool
has_task(const struct process *p, pid_t tid)
{
	char path[PROC_PATH_MAX];

	if (tid == p->pid && p->task != p->pid)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)p->pid,
	    (int)tid);
	return access(path, F_OK) == 0;
}

size_t
process_tasks(const struct process *p, pid_t **list, size_t *max)
{
	char path[PROC_PATH_MAX];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	if ((d = opendir(path)) == NULL)
		return 0;
	while ((e = readdir(d)) != NULL) {
		pid_t task = (pid_t)strtol(e->d_name, NULL, 10);
		pid_t *grown;
		if (task <= 0 || (task == p->pid && p->task != p->pid))
			continue;
		if ((grown = array_grow(*list, n, max, sizeof(*grown))) == NULL) {
			n = 0;
			break;
		}
		*list = grown;
		grown[n++] = task;
	}
	closedir(d);
	return n;
}

size_t
process_count_tasks(const struct process *p)
{
	char path[PROC_PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	return stat(path, &st) == 0 && st.st_nlink > 2 ?
	    (size_t)st.st_nlink - 2 : 0;
}

pid_t
process_thread(const struct process *p, uint64_t tid)
{
	pid_t *list = NULL, found = 0;
	size_t max = 0, n;

	if (tid == 0 || tid > TID_MAX)
		return 0;
	if (!p->own_namespace)
		return has_task(p, (pid_t)tid) ? (pid_t)tid : 0;
	n = process_tasks(p, &list, &max);
	for (size_t i = 0; i < n && found == 0; i++)
		if (proc_inner_id(p, list[i]) == tid)
			found = list[i];
	free(list);
	return found;
}

/* Opens a pidfd of a thread of the process: -1 with errno.  The pidfd never
 * stands for a later thread of the same id. */
static int
open_thread(const struct process *p, pid_t task)
{
	int fd = (int)syscall(SYS_pidfd_open, task, PIDFD_THREAD);

	if (fd < 0 || (has_task(p, task) && !process_ended(p)))
		return fd;
	close(fd);
	errno = ESRCH;
	return -1;
}

void
process_signal(const struct process *p, pid_t task, siginfo_t *info)
{
	int fd = open_thread(p, task);

	if (fd >= 0) {
		syscall(SYS_pidfd_send_signal, fd, info->si_signo, info, 0);
		close(fd);
	} else if ((errno == EINVAL || errno == ENOSYS || errno == EPERM) &&
	    !process_ended(p)) {
		/* Linux before 6.9 has no pidfd of a thread, and before 5.3
		 * none; old sandboxes refuse it with EPERM. */
		syscall(SYS_rt_tgsigqueueinfo, p->pid, task, info->si_signo,
		    info);
	}
}

uint64_t
process_thread_id(const struct process *p, pid_t task)
{
	if (task == p->pid && proc_main_has_ended(p))
		return 0; /* its id stays until the other threads have ended */
	return p->own_namespace ? proc_inner_id(p, task) :
	    has_task(p, task) ? (uint64_t)task : 0;
}

/* ---- one of them ------------------------------------------------------- */

int
process_thread_cpu(const struct process *p, pid_t tid)
{
	char text[PROC_STAT_MAX];
	const char *at = proc_read_stat(proc_open_task(p, tid, "stat"), text,
	    sizeof(text));
	int cpu = -1;

	/* The 39th field, and so the 37th behind the name. */
	for (int i = 1; i < 37 && at != NULL && *at != '\0'; i++)
		at = strchr(at + 1, ' ');
	return at != NULL && sscanf(at, " %d", &cpu) == 1 ? cpu : -1;
}

/* The first two numbers of schedstat. */
struct task_times
task_times(const struct process *p, pid_t task)
{
	struct task_times t = {0};
	char text[128], *end;

	if (!proc_read_task(p, task, "schedstat", text, sizeof(text)))
		return t;
	t.cpu = strtoull(text, &end, 10);
	t.waited = strtoull(end, NULL, 10);
	return t;
}

bool
task_name(const struct process *p, pid_t task, char *name, size_t size)
{
	if (!proc_read_task(p, task, "comm", name, size))
		return false;
	name[strlen(name) - 1] = '\0'; /* a newline ends it */
	return name[0] != '\0';
}

bool
task_kernel_stack(const struct process *p, pid_t task, char *text, size_t size)
{
	return proc_read_task(p, task, "stack", text, size);
}

int
task_open(const struct process *p, pid_t task)
{
	int fd = proc_open_task(p, task, "syscall");

	if (fd < 0 || proc_may_keep(fd))
		return fd;
	close(fd);
	return -1;
}

/* The line of a thread that has ended, and has no stack any more. */
#define NO_CALL "-1 0x0 0x0\n"

/* Reads the `syscall` line of a thread.  False if it cannot be read, or if the thread
 * has ended. */
static bool
read_call(pid_t task, int kept, char *text, size_t size)
{
	int fd = kept >= 0 ? kept : proc_open(task, "syscall");
	ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;

	if (fd >= 0 && fd != kept)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return strcmp(text, NO_CALL) != 0;
}

/* The call that such a line tells: its number, its arguments, the stack pointer and the
 * instruction pointer; the arguments are absent outside of a call. */
static struct task_call
parse_call(const char *line)
{
	struct task_call c = {.number = TASK_NO_CALL};
	uint64_t *const words[] = {&c.arguments[0], &c.arguments[1],
	    &c.arguments[2], &c.arguments[3], &c.arguments[4], &c.arguments[5],
	    &c.stack, &c.instr};
	char *end;

	if (line[0] == 'r')
		return c;
	c.number = strtol(line, &end, 10);
	for (size_t i = c.number < 0 ? 6 : 0; i < 8; i++)
		*words[i] = strtoull(end, &end, 16);
	return c;
}

bool
task_call_is(const struct task_call *a, const struct task_call *b)
{
	return a->number == b->number && a->stack == b->stack && a->instr == b->instr &&
	    memcmp(a->arguments, b->arguments, sizeof(a->arguments)) == 0;
}

/* As signal(7) lists them. */
bool
task_call_goes_on(const struct task_call *c)
{
	static const int64_t ending[] = {SYS_epoll_pwait, SYS_rt_sigtimedwait,
	    SYS_io_getevents,
#ifdef SYS_semop
	    SYS_semop,
#endif
#ifdef SYS_semtimedop
	    SYS_semtimedop,
#endif
#ifdef SYS_epoll_wait
	    SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
	    SYS_epoll_pwait2,
#endif
#ifdef SYS_io_pgetevents
	    SYS_io_pgetevents,
#endif
	};

	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (c->number == ending[i])
			return false;
	return true;
}

struct task_state
task_state(pid_t task, int fd)
{
	struct task_state s = {.is = TASK_UNKNOWN, .call.number = TASK_NO_CALL};
	char text[256];

	if (task == 0 || !read_call(task, fd, text, sizeof(text)))
		return s;
	s.call = parse_call(text);
	s.is = s.call.number == TASK_NO_CALL ? TASK_RUNS : TASK_BLOCKED;
	if (s.call.number == SYS_futex)
		s.futex = s.call.arguments[0];
	return s;
}
