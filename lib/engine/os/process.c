/* SPDX-License-Identifier: ISC */
/* process.c: see process.h. */
#include "engine/os/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "array.h"
#include "engine/os/clock.h"

#define TID_MAX (1 << 22) /* no thread has a larger id */
#define PROC_PATH_MAX 128
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD, among a process's flags */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif
#define FILES_SPARE 8 /* descriptors for files that are open for a moment */

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

/* The id of a task in the innermost PID namespace: the last number of "NSpid:".
 * 0 if it is not known. */
static uint64_t
inner_id(const struct process *p, pid_t task)
{
	char path[PROC_PATH_MAX], line[256];
	uint64_t id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)p->pid,
	    (int)task);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *last = strrchr(line, '\t');
		if (strncmp(line, "NSpid:", 6) == 0 && last != NULL)
			id = strtoull(last, NULL, 10);
	}
	fclose(f);
	return id;
}

/* Finds the process's PID namespace, and its PID in there. */
static void
find_namespace(struct process *p)
{
	char path[PROC_PATH_MAX];
	struct stat ours, its;

	p->own_id = p->pid;
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)p->pid);
	if (stat(path, &its) != 0)
		return;
	p->namespace = its.st_ino;
	p->own_namespace = stat("/proc/self/ns/pid", &ours) == 0 &&
	    ours.st_ino != its.st_ino;
	if (p->own_namespace)
		p->own_id = (pid_t)inner_id(p, p->pid);
}

bool
process_open(struct process *p, pid_t pid)
{
	*p = (struct process){.pid = pid, .task = pid, .pidfd = -1};
	if ((p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0)
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

bool
process_sleep(const struct process *p, int wake_fd, uint64_t deadline_ns)
{
	struct pollfd fds[] = {{p->pidfd, POLLIN, 0}, {wake_fd, POLLIN, 0}};

	clock_poll(fds, 2, deadline_ns);
	return fds[0].revents != 0 || fds[1].revents != 0;
}

bool
process_ended(const struct process *p)
{
	struct pollfd fd = {p->pidfd, POLLIN, 0};

	return poll(&fd, 1, 0) > 0;
}

/* Reads the beginning of a file as a string, and closes the file.  False if it
 * cannot be read, or is empty. */
static bool
read_text(int fd, char *text, size_t size)
{
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* See process_stat. */
static const char *
read_stat(int fd, char *text, size_t size)
{
	const char *end;

	if (!read_text(fd, text, size))
		return NULL;
	end = strrchr(text, ')');
	return end != NULL && end[1] == ' ' ? end + 2 : NULL;
}

const char *
process_stat(pid_t pid, char *text, size_t size)
{
	char path[PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return read_stat(open(path, O_RDONLY | O_CLOEXEC), text, size);
}

/* ---- a main thread that has ended -------------------------------------- */

/* Whether the main thread has ended.  The process may live on, but its memory
 * cannot be read by the main thread's id. */
static bool
main_has_ended(const struct process *p)
{
	char text[PROCESS_STAT_MAX];
	const char *state = process_stat(p->pid, text, sizeof(text));

	return state != NULL && (*state == 'Z' || *state == 'X');
}

void
process_choose_task(struct process *p)
{
	pid_t *list = NULL;
	size_t max = 0;

	p->task = p->pid;
	if (!main_has_ended(p))
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

	if (!process_read_task(p, task, "syscall", text, sizeof(text)))
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
	char text[PROCESS_STAT_MAX];
	const char *stat = process_stat(p->pid, text, sizeof(text));
	long same;
	int parent;

	if (stat == NULL || sscanf(stat, "%*c %d", &parent) != 1 || parent <= 0)
		return false;
	same = syscall(SYS_kcmp, p->pid, parent, KCMP_VM, 0UL, 0UL);
	return same == 0 ||
	    (same < 0 && errno != ESRCH && has_waiting_thread(parent));
}

/* ---- mappings ---------------------------------------------------------- */

static bool
add_mapping(struct mappings *ms, const struct mapping *m)
{
	struct mapping *p = array_grow(ms->list, ms->count, &ms->max,
	    sizeof(*p));

	if (p == NULL)
		return false;
	ms->list = p;
	p[ms->count++] = *m;
	return true;
}

/* START-END PERM OFFSET MAJOR:MINOR INODE   PATH */
static bool
parse_mapping(char *line, struct mapping *m)
{
	unsigned int major, minor;
	char perm[5];
	int path = -1;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %"
		SCNu64 " %n", &m->start, &m->end, perm, &m->offset, &major,
		&minor, &m->inode, &path) < 7 || path < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->device = makedev(major, minor);
	m->writable = perm[1] == 'w';
	m->executable = perm[2] == 'x';
	m->shared = perm[3] == 's';
	return (m->path = strdup(line + path)) != NULL;
}

bool
process_mappings(const struct process *p, struct mappings *ms)
{
	char path[PROC_PATH_MAX], *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *f;

	*ms = (struct mappings){0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->task);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	while ((len = getline(&line, &room, f)) > 0) {
		struct mapping m;
		ms->hash = XXH3_64bits_withSeed(line, (size_t)len, ms->hash);
		if (parse_mapping(line, &m) && !add_mapping(ms, &m))
			free(m.path);
	}
	free(line);
	fclose(f);
	return true;
}

void
mappings_free(struct mappings *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		free(ms->list[i].path);
	free(ms->list);
	*ms = (struct mappings){0};
}

/* ---- the file behind a mapping ----------------------------------------- */

/* Maps a file, and compares the device and inode that /proc/self/maps shows for
 * it with another mapping's.  Some file systems, overlayfs and btrfs among
 * them, give a mapping another device than stat(2) does, and another inode. */
static bool
is_mapped_as(int fd, const struct mapping *m)
{
	const struct process self = {.pid = getpid(), .task = getpid(),
	    .pidfd = -1};
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct mappings ms = {0};
	bool same = false;

	if (at == MAP_FAILED)
		return false;
	process_mappings(&self, &ms);
	for (size_t i = 0; i < ms.count; i++)
		if (ms.list[i].start == (uint64_t)(uintptr_t)at)
			same = ms.list[i].device == m->device &&
			    ms.list[i].inode == m->inode;
	mappings_free(&ms);
	munmap(at, 1);
	return same;
}

/* Opens a file for reading that was opened with O_PATH.  -1 if it is no regular
 * file: to open a device or a pipe can have effects. */
static int
open_found(int found, struct stat *st)
{
	char path[PROC_PATH_MAX];

	if (fstat(found, st) != 0 || !S_ISREG(st->st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Closes a found file, and opens it for reading if it is the mapped file; else
 * -1. */
static int
take_same(int found, const struct mapping *m)
{
	struct stat st;
	int fd;

	if (found < 0)
		return -1;
	fd = open_found(found, &st);
	close(found);
	if (fd < 0)
		return -1;
	if ((st.st_dev == m->device && st.st_ino == m->inode) ||
	    is_mapped_as(fd, m))
		return fd;
	close(fd);
	return -1;
}

static int
find_own(const struct process *p, const char *name)
{
	char path[2 * PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)p->task, name);
	return open(path, O_PATH | O_CLOEXEC);
}

/* Finds a file by its path in the process's root; no link leads out of that
 * root. */
static int
find_inside(const struct process *p, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int root = find_own(p, "root");
	int fd = root < 0 ? -1 :
	    (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (root >= 0)
		close(root);
	return fd;
}

/* Finds a file by its path in our root: /proc shows such paths if the process's
 * root is a folder of ours. */
static int
find_outside(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	    .resolve = RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

int
process_open_mapping(const struct process *p, const struct mapping *m)
{
	char name[PROC_PATH_MAX];
	int fd;

	/* map_files needs a capability, but is right whatever the path is by
	 * now. */
	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64,
	    m->start, m->end);
	if ((fd = take_same(find_own(p, name), m)) >= 0 ||
	    (fd = take_same(find_inside(p, m->path), m)) >= 0 ||
	    (fd = take_same(find_outside(m->path), m)) >= 0)
		return fd;
	/* A program that was deleted, or replaced. */
	return take_same(find_own(p, "exe"), m);
}

/* ---- names and threads ------------------------------------------------- */

/* The name may contain newlines; the last one is not part of it. */
void
process_name(const struct process *p, char *buf, size_t size)
{
	char path[PROC_PATH_MAX], *end;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->pid);
	if (!read_text(open(path, O_RDONLY | O_CLOEXEC), buf, size))
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
	char text[PROCESS_STAT_MAX];
	const char *stat = process_stat(p->pid, text, sizeof(text));
	unsigned int flags;

	return stat != NULL &&
	    sscanf(stat, "%*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	    (flags & KERNEL_THREAD) != 0;
}

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
		if (inner_id(p, list[i]) == tid)
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
	} else if (errno == EINVAL && !process_ended(p)) {
		/* Linux before 6.9 has no pidfd of a thread. */
		syscall(SYS_rt_tgsigqueueinfo, p->pid, task, info->si_signo,
		    info);
	}
}

uint64_t
process_thread_id(const struct process *p, pid_t task)
{
	if (task == p->pid && main_has_ended(p))
		return 0; /* its id stays until the other threads have ended */
	return p->own_namespace ? inner_id(p, task) :
	    has_task(p, task) ? (uint64_t)task : 0;
}

int
process_open_task(const struct process *p, pid_t tid, const char *name)
{
	char path[PROC_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)p->pid,
	    (int)tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool
process_read_task(const struct process *p, pid_t tid, const char *name,
    char *text, size_t size)
{
	return read_text(process_open_task(p, tid, name), text, size);
}

bool
process_may_keep(int fd)
{
	struct rlimit files;

	return fd >= 0 && getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    (rlim_t)fd + FILES_SPARE < files.rlim_cur;
}

int
process_thread_cpu(const struct process *p, pid_t tid)
{
	char text[PROCESS_STAT_MAX];
	const char *at = read_stat(process_open_task(p, tid, "stat"), text,
	    sizeof(text));
	int cpu = -1;

	/* The 39th field, and so the 37th behind the name. */
	for (int i = 1; i < 37 && at != NULL && *at != '\0'; i++)
		at = strchr(at + 1, ' ');
	return at != NULL && sscanf(at, " %d", &cpu) == 1 ? cpu : -1;
}
