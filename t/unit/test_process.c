/* SPDX-License-Identifier: ISC */
/* test_process: how a command is started, whenever a signal comes; which file
 * is taken for the one that a process has mapped; and both on older kernels. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"
#include "profile.h"

static int forked[2]; /* a pipe: the child is about to become the command */
static bool late;     /* it takes its time for that */
static volatile sig_atomic_t handled;
static char folder[] = "/tmp/tach.XXXXXX";

/* In place of the C library's. */
int
execvp(const char *file, char *const argv[])
{
	pid_t pid = getpid();
	struct timespec t = {.tv_sec = 10};

	if (late) {
		if (write(forked[1], &pid, sizeof(pid)) != sizeof(pid))
			return -1;
		nanosleep(&t, NULL); /* a handler ends it */
	}
	return execv(file, argv);
}

static void
handle(int sig)
{
	(void)sig;
	handled = 1;
}

static void *
interrupt(void *arg)
{
	pid_t pid;

	(void)arg;
	if (read(forked[0], &pid, sizeof(pid)) != sizeof(pid) ||
	    kill(pid, SIGINT) != 0)
		err(2, "kill");
	return NULL;
}

static char *
path_of(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		err(2, NULL);
	return path;
}

static void
close_waited(struct process *p, int *status)
{
	if (waitpid(p->pid, status, 0) != p->pid)
		err(2, "waitpid");
	process_close(p);
}

/* ---- starting ---------------------------------------------------------- */

/* A signal for both, between fork and exec, ends the child. */
static void
test_interrupted(void)
{
	char *file = path_of("started");
	char *const argv[] = {"/bin/touch", file, NULL};
	struct launch l = {.stdout_fd = -1};
	struct process p;
	pthread_t thread;
	int status;

	late = true;
	signal(SIGINT, handle);
	if (pipe(forked) != 0 ||
	    pthread_create(&thread, NULL, interrupt, NULL) != 0)
		err(2, "thread");
	check(process_launch(&p, argv, &l));
	pthread_join(thread, NULL);
	close_waited(&p, &status);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	check(access(file, F_OK) != 0);
	check(!handled);
	signal(SIGINT, SIG_DFL);
	late = false;
	free(file);
}

/* A signal that came before it is forked. */
static void
test_stopped(void)
{
	char *file = path_of("started");
	char *const argv[] = {"/bin/touch", file, NULL};
	volatile sig_atomic_t stopped = 1;
	struct launch l = {.stdout_fd = -1, .stopped = &stopped};
	struct process p;

	check(!process_launch(&p, argv, &l));
	check_number((uint64_t)errno, EINTR);
	check(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
	check(access(file, F_OK) != 0);
	stopped = 0;
	check(process_launch(&p, argv, &l));
	close_waited(&p, &(int){0});
	check(access(file, F_OK) == 0);
	free(file);
}

/* Nothing is known of one that has ended. */
static void
test_gone(void)
{
	char *const argv[] = {"/bin/true", NULL};
	struct launch l = {.stdout_fd = -1};
	struct process p, self = {.pid = getpid(), .task = getpid(), .pidfd = -1};

	check(process_thread_cpu(&self, getpid()) >= 0);
	check_number((uint64_t)process_of_thread(getpid()), (uint64_t)getpid());
	check(!process_is_kernel(&self));
	check(process_launch(&p, argv, &l));
	close_waited(&p, &(int){0});
	check(process_thread_cpu(&p, p.pid) == -1);
	check(process_of_thread(p.pid) == 0);
	check(!process_is_kernel(&p));
}

/* It has the signals that the caller has: blocked, ignored or none. */
static void
test_signals(void)
{
	char *const argv[] = {"/bin/grep", "-E", "^Sig(Blk|Ign|Cgt):",
	    "/proc/self/status", NULL};
	struct launch l = {.stdout_fd = memfd_create("signals", MFD_CLOEXEC)};
	struct process p;
	unsigned long long blocked, ignored, caught;
	char text[256] = "";
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGXFSZ, handle);
	check(process_launch(&p, argv, &l));
	close_waited(&p, &(int){0});
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	check(pread(l.stdout_fd, text, sizeof(text) - 1, 0) > 0);
	check(sscanf(text, "SigBlk: %llx SigIgn: %llx SigCgt: %llx", &blocked,
		&ignored, &caught) == 3);
	check_number(blocked, UINT64_C(1) << (SIGUSR1 - 1));
	check((ignored >> (SIGUSR2 - 1) & 1) == 1);
	check((ignored >> (SIGXFSZ - 1) & 1) == 0);
	check((caught >> (SIGXFSZ - 1) & 1) == 0);
	close(l.stdout_fd);
}

/* ---- mapped files ------------------------------------------------------ */

static struct mapping
mapping_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		err(2, "%s", path);
	return (struct mapping){.path = (char *)(uintptr_t)path,
	    .device = st.st_dev, .inode = st.st_ino};
}

/* Whether that process has mapped what is mapped so, if we believe it. */
static bool
opens(pid_t pid, const struct mapping *m)
{
	struct process p = {.pid = pid, .task = pid, .pidfd = -1};
	int fd = process_open_mapping(&p, m);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void
test_own_mappings(void)
{
	struct process p = {.pid = getpid(), .task = getpid(), .pidfd = -1};
	struct mappings ms;
	size_t files = 0;

	check(process_mappings(&p, &ms));
	for (size_t i = 0; i < ms.count; i++)
		if (ms.list[i].inode != 0 && ms.list[i].path[0] == '/') {
			check(opens(p.pid, &ms.list[i]));
			/* The same inode of another file system. */
			ms.list[i].device ^= 1;
			check(!opens(p.pid, &ms.list[i]));
			files++;
		}
	check(files > 1);
	mappings_free(&ms);
}

/* What is no regular file is not waited for, nor opened at all. */
static void
test_special(void)
{
	char *pipe = path_of("pipe");
	struct mapping m;

	if (mkfifo(pipe, 0600) != 0)
		err(2, "%s", pipe);
	m = mapping_of(pipe);
	check(!opens(getpid(), &m));
	m = mapping_of("/dev/null");
	check(!opens(getpid(), &m));
	free(pipe);
}

/* A process in a root of its own, until it is killed. */
static pid_t
start_in(const char *root)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready) != 0 || (pid = fork()) < 0)
		err(2, "fork");
	if (pid == 0) {
		if (chroot(root) != 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		err(2, "chroot");
	close(ready[0]);
	return pid;
}

static void
put(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, path, strlen(path)) < 0)
		err(2, "%s", path);
	close(fd);
}

/* A link in another root leads nowhere else, and a name there is found. */
static void
test_root(void)
{
	char *root = path_of("root"), *outside = path_of("outside");
	char *inside = path_of("root/inside"), *link = path_of("root/link");
	struct mapping m;
	pid_t pid;

	put(outside);
	if (mkdir(root, 0700) != 0 || symlink(outside, link) != 0)
		err(2, "%s", root);
	put(inside);
	pid = start_in(root);
	m = mapping_of(outside);
	m.path = "/link";
	check(!opens(pid, &m));
	m = mapping_of(inside);
	check(opens(pid, &m)); /* as its path is shown to us */
	m.path = "/inside";
	check(opens(pid, &m));
	m.path = "/../inside";
	check(opens(pid, &m));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(root);
	free(outside);
	free(inside);
	free(link);
}

/* ---- older kernels ----------------------------------------------------- */

/* From now on a filter answers calls that are newer than Linux 5.2 by an error. */
static void
forget_calls(unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		err(2, "seccomp");
}

/* A path is found in the process's root, and in ours. */
static void
test_old_files(pid_t pid, const char *inside)
{
	struct mapping m = mapping_of(inside);

	check(opens(pid, &m)); /* as its path is shown to us */
	m.path = "/inside";
	check(opens(pid, &m));
	m.inode ^= 1;
	check(!opens(pid, &m));
}

static void
test_old_signal(void)
{
	struct timespec second = {.tv_sec = 1};
	siginfo_t info = {.si_signo = SIGRTMIN, .si_code = SI_QUEUE}, got;
	struct process p;
	sigset_t set;

	info.si_value.sival_int = 4711;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	check(process_open(&p, getpid()));
	process_signal(&p, gettid(), &info);
	check(sigtimedwait(&set, &got, &second) == SIGRTMIN &&
	    got.si_value.sival_int == 4711);
	process_close(&p);
}

static void *
try_thread(void *arg)
{
	struct process p;

	(void)arg;
	check(!process_open(&p, gettid()) && errno == EINVAL);
	return NULL;
}

static void
test_old_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, try_thread, NULL) != 0)
		errx(2, "thread");
	pthread_join(thread, NULL);
}

/* In a child, as the filter stays. */
static void
test_old(unsigned error)
{
	char *root = path_of("old"), *inside = path_of("old/inside");
	pid_t target = 0, child;
	int status;

	mkdir(root, 0700);
	put(inside);
	if (geteuid() == 0)
		target = start_in(root);
	if ((child = fork()) == 0) {
		failures = 0;
		forget_calls(error);
		if (target != 0)
			test_old_files(target, inside);
		test_old_signal();
		test_old_thread();
		_exit(failures != 0);
	}
	check(waitpid(child, &status, 0) == child && status == 0);
	if (target != 0) {
		kill(target, SIGKILL);
		waitpid(target, NULL, 0);
	}
	free(root);
	free(inside);
}

int
main(void)
{
	char *rm;

	if (mkdtemp(folder) == NULL)
		err(2, "%s", folder);
	test_interrupted();
	test_stopped();
	test_gone();
	test_signals();
	test_own_mappings();
	test_special();
	if (geteuid() == 0)
		test_root();
	else
		puts("not root: no other root was looked into");
	test_old(ENOSYS);
	test_old(EPERM);
	if (asprintf(&rm, "rm -r %s", folder) < 0 || system(rm) != 0)
		err(2, "%s", folder);
	free(rm);
	return failures != 0;
}
