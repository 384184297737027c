/* SPDX-License-Identifier: ISC */
/* process.c: a process: its start and end, its name, user and state; see os.h. */
#include "engine/os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD, among a process's flags */
#define LOOK_INTERVAL (10 * NS_PER_MS) /* for an end that nothing tells */

/* ---- start and end ----------------------------------------------------- */

/* Resets handled signals to their defaults.  The child would go on after a
 * handler; without one, a signal that is sent to parent and child ends the child
 * before it becomes the command. */
static void
drop_handlers(void)
{
	struct sigaction a;

	for (int sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &a) == 0 && a.sa_handler != SIG_IGN &&
		    a.sa_handler != SIG_DFL)
			signal(sig, SIG_DFL);
}

/* Becomes the command, in the child; if exec fails, its errno goes through the
 * pipe to the parent. */
static void __attribute__((noreturn))
run_command(char *const argv[], const struct launch *l, const sigset_t *mask,
    int report)
{
	int error;

	drop_handlers();
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (l->pid != NULL)
		*l->pid = getpid();
	for (size_t i = 0; l->environment != NULL && l->environment[i] != NULL;
	    i++)
		putenv(l->environment[i]);
	if (l->kept_fd >= 0)
		fcntl(l->kept_fd, F_SETFD, 0);
	if (l->stdout_fd < 0 || dup2(l->stdout_fd, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

/* Waits for the child's report: its errno, or 0 once it has become the
 * command. */
static int
exec_error(int report)
{
	int error;
	ssize_t n;

	do
		n = read(report, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

/* Forks with all signals blocked: none comes between the look at ->stopped and
 * the fork, and the child handles none.  Returns the PID, or -1 with errno. */
static pid_t
fork_command(char *const argv[], const struct launch *l, int report)
{
	sigset_t all, old;
	pid_t pid = -1;
	int error = EINTR;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (l->stopped == NULL || !*l->stopped) {
		if ((pid = fork()) == 0)
			run_command(argv, l, &old, report);
		error = errno;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return pid;
}

bool
process_launch(struct process *p, char *const argv[], const struct launch *l)
{
	int report[2], error;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0)
		return false;
	pid = fork_command(argv, l, report[1]);
	error = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0)
		error = exec_error(report[0]);
	close(report[0]);
	if (error == 0 && !process_open(p, pid)) {
		error = errno;
		kill(pid, SIGKILL);
	}
	if (pid > 0 && error != 0)
		waitpid(pid, NULL, 0);
	p->child = error == 0;
	errno = error;
	return error == 0;
}

uint64_t
own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* Finds the process's PID namespace, and its PID in there. */
static void
find_namespace(struct process *p)
{
	char path[PROC_PATH_MAX];
	struct stat its;
	uint64_t ours;

	p->own_id = p->pid;
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)p->pid);
	if (stat(path, &its) != 0)
		return;
	ours = own_namespace();
	p->namespace = its.st_ino;
	p->own_namespace = ours != 0 && ours != its.st_ino;
	if (p->own_namespace)
		p->own_id = (pid_t)proc_inner_id(p, p->pid);
}

/* Opens the folder of a process in /proc, which no later process of its number
 * gets.  -1 with errno: EINVAL if it is of a thread, which has such a folder, too. */
static int
open_folder(pid_t pid)
{
	char path[PROC_PATH_MAX];
	pid_t of;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		errno = ESRCH;
	if (fd < 0 || (of = process_of_thread(pid)) == 0 || of == pid)
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

/* Containers of older Docker forbid calls that they do not know. */
bool
process_open(struct process *p, pid_t pid)
{
	*p = (struct process){.pid = pid, .task = pid, .pidfd = -1};
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	p->by_folder = p->pidfd < 0 && (errno == ENOSYS || errno == EPERM);
	if (p->by_folder)
		p->pidfd = open_folder(pid);
	if (p->pidfd < 0)
		return false;
	find_namespace(p);
	return true;
}

void
process_close(struct process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
}

void
process_abandon(struct process *p)
{
	if (!p->child)
		return;
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	p->child = false;
}

/* Whether a process has ended by its file `stat`: no thread is left, though the
 * process may wait to be reaped. */
static bool
says_ended(const struct process *p)
{
	int fd = openat(p->pidfd, "stat", O_RDONLY | O_CLOEXEC);
	char text[PROC_STAT_MAX], state;
	const char *stat;
	long threads;

	if (fd < 0)
		return errno == ENOENT || errno == ESRCH;
	stat = proc_read_stat(fd, text, sizeof(text));
	return stat == NULL ||
	    sscanf(stat, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
		"%*d %*d %*d %*d %ld", &state, &threads) != 2 ||
	    ((state == 'Z' || state == 'X') && threads <= 1);
}

int
process_end_fd(const struct process *p)
{
	return p->by_folder ? -1 : p->pidfd;
}

bool
process_ended(const struct process *p)
{
	struct pollfd fd = {p->pidfd, POLLIN, 0};

	return p->by_folder ? says_ended(p) : poll(&fd, 1, 0) > 0;
}

bool
process_sleep(const struct process *p, int wake_fd, uint64_t deadline_ns)
{
	struct pollfd fds[] = {{wake_fd, POLLIN, 0},
	    {process_end_fd(p), POLLIN, 0}};
	uint64_t until;

	do {
		until = p->by_folder ? clock_ns() + LOOK_INTERVAL : deadline_ns;
		if (until > deadline_ns)
			until = deadline_ns;
		clock_poll(fds, 2, until);
		if (fds[0].revents != 0 || fds[1].revents != 0 ||
		    (p->by_folder && says_ended(p)))
			return true;
	} while (until < deadline_ns);
	return false;
}

/* ---- a main thread that has ended -------------------------------------- */

void
process_choose_task(struct process *p)
{
	pid_t *list = NULL;
	size_t max = 0;

	p->task = p->pid;
	if (!proc_main_has_ended(p))
		return;
	p->task = 0;
	if (process_tasks(p, &list, &max) > 0)
		p->task = list[0];
	else
		p->task = p->pid;
	free(list);
}

/* ---- the parent's memory ----------------------------------------------- */

/* Whether a thread is in a system call that makes a process: the thread waits in
 * there while a child of vfork has its memory. */
static bool
waits_for_child(const struct process *p, pid_t task)
{
	char text[32];
	long call;

	if (!proc_read_task(p, task, "syscall", text, sizeof(text)))
		return false;
	call = text[0] == 'r' ? -1 : strtol(text, NULL, 10);
#ifdef SYS_vfork
	if (call == SYS_vfork)
		return true;
#endif
	return call == SYS_clone || call == SYS_clone3;
}

/* Whether a thread of a process may wait for a child that has its memory.  Used
 * where kcmp(2) is not there or not permitted. */
static bool
has_waiting_thread(pid_t pid)
{
	struct process p = {.pid = pid, .task = pid, .pidfd = -1};
	pid_t *list = NULL;
	size_t max = 0, n = process_tasks(&p, &list, &max);
	bool waits = false;

	while (!waits && n > 0)
		waits = waits_for_child(&p, list[--n]);
	free(list);
	return waits;
}

bool
process_borrows_memory(const struct process *p)
{
	char text[PROC_STAT_MAX];
	const char *stat = proc_stat(p->pid, text, sizeof(text));
	long same;
	int parent;

	if (stat == NULL || sscanf(stat, "%*c %d", &parent) != 1 || parent <= 0)
		return false;
	same = syscall(SYS_kcmp, p->pid, parent, KCMP_VM, 0UL, 0UL);
	return same == 0 ||
	    (same < 0 && errno != ESRCH && has_waiting_thread(parent));
}

/* ---- its name, user and state ------------------------------------------ */

/* The name may contain newlines; the last one is not part of it. */
void
process_name(const struct process *p, char *buf, size_t size)
{
	char *end;

	if (!proc_read(proc_open(p->pid, "comm"), buf, size))
		snprintf(buf, size, "?");
	else if ((end = strrchr(buf, '\n')) != NULL)
		*end = '\0';
}

pid_t
process_of_thread(pid_t tid)
{
	char path[PROC_PATH_MAX], line[256];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (pid == 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Tgid: %d", &pid) != 1)
			pid = 0;
	fclose(f);
	return pid;
}

bool
process_is_kernel(const struct process *p)
{
	char text[PROC_STAT_MAX];
	const char *stat = proc_stat(p->pid, text, sizeof(text));
	unsigned int flags;

	return stat != NULL &&
	    sscanf(stat, "%*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	    (flags & KERNEL_THREAD) != 0;
}

bool
process_user(const struct process *p, uid_t *user, gid_t *group)
{
	char text[4096];
	const char *uid, *gid;

	if (!proc_read_task(p, p->pid, "status", text, sizeof(text)))
		return false;
	uid = strstr(text, "\nUid:");
	gid = strstr(text, "\nGid:");
	return uid != NULL && gid != NULL &&
	    sscanf(uid, "\nUid: %*u %*u %*u %u", user) == 1 &&
	    sscanf(gid, "\nGid: %*u %*u %*u %u", group) == 1;
}

char
process_state(const struct process *p)
{
	char text[PROC_STAT_MAX];
	const char *stat = proc_stat(p->pid, text, sizeof(text));

	return stat != NULL ? *stat : '?';
}

bool
process_parent(pid_t pid, pid_t *parent, pid_t *session)
{
	char text[PROC_STAT_MAX];
	const char *stat = proc_stat(pid, text, sizeof(text));

	return stat != NULL &&
	    sscanf(stat, "%*c %d %*d %d", parent, session) == 2;
}

uint64_t
process_program(const struct process *p)
{
	char path[PROC_PATH_MAX], name[512];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)p->pid);
	n = readlink(path, name, sizeof(name));
	return n >= 0 ? XXH3_64bits(name, (size_t)n) : 0;
}

int
process_yama(void)
{
	return proc_number("/proc/sys/kernel/yama/ptrace_scope", 0);
}
