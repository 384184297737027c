/* SPDX-License-Identifier: ISC */
/* test_confine: what a command that reads files can still do, and what it can
 * not: each is tried. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../../cmd/confine.h"
#include "profile.h"

#define SKIPPED 77

static char folder[] = "/var/tmp/tach.XXXXXX";
/* Files in the folder of an output, and not, and a name that is free. */
static char *output, *outside, *fresh;
static pid_t other;

/* That it was not done, and for want of what. */
#define refused(call) \
	(errno = 0, (call) >= 0 ? \
	    fail_at(__FILE__, __LINE__, "%s was done", #call) : (void)0, \
	    check(errno == ENOSYS || errno == EACCES))

static bool
status_has(const char *line)
{
	char text[128];
	FILE *f = fopen("/proc/self/status", "re");
	bool found = false;

	while (f != NULL && fgets(text, sizeof(text), f) != NULL)
		found = found || strcmp(text, line) == 0;
	if (f != NULL)
		fclose(f);
	return found;
}

static void *
nothing(void *arg)
{
	return arg;
}

static void
test_network(void)
{
	int pair[2];

	refused(socket(AF_INET, SOCK_STREAM, 0));
	refused(socket(AF_UNIX, SOCK_DGRAM, 0));
	refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}

static void
test_processes(void)
{
	char *const argv[] = {"/bin/true", NULL};
	struct iovec v = {&other, sizeof(other)};
	pthread_t thread;

	refused(execve(argv[0], argv, argv + 1));
	refused(syscall(SYS_execveat, AT_FDCWD, argv[0], argv, argv + 1, 0));
	refused(fork());
	refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	check(pthread_create(&thread, NULL, nothing, NULL) != 0);
	refused(kill(other, 0));
	refused(syscall(SYS_tkill, other, SIGTERM));
	refused(ptrace(PTRACE_ATTACH, other, 0, 0));
	refused(process_vm_readv(other, &v, 1, &v, 1, 0));
	refused(process_vm_writev(other, &v, 1, &v, 1, 0));
	refused(syscall(SYS_pidfd_open, other, 0));
}

static void
test_kernel(void)
{
	struct perf_event_attr event = {.size = sizeof(event)};
	union bpf_attr bpf = {0};

	refused(syscall(SYS_bpf, BPF_MAP_CREATE, &bpf, sizeof(bpf)));
	refused(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
	refused(mount("none", "/mnt", "tmpfs", 0, NULL));
	refused(syscall(SYS_io_uring_setup, 1, NULL));
	refused(syscall(SYS_userfaultfd, 0));
	refused(syscall(SYS_unshare, 0));
	refused(syscall(SYS_keyctl, 0, 0, 0, 0, 0));
	refused(ioctl(STDIN_FILENO, TIOCSTI, ""));
	refused(chroot("/"));
	refused(setuid(getuid()));
}

static void
test_files(bool landlock)
{
	int fd;

	check((fd = open(outside, O_RDONLY)) >= 0);
	close(fd);
	check((fd = open(output, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0);
	check(write(fd, "x", 1) == 1);
	check(fchmod(fd, 0640) == 0);
	close(fd);
	refused(chmod(outside, 0777));
	refused(symlink("/etc/passwd", outside));
	if (!landlock) {
		puts("no landlock here: files can be written anywhere");
		return;
	}
	refused(open(outside, O_WRONLY));
	refused(open(outside, O_RDONLY | O_TRUNC));
	refused(unlink(outside));
	refused(mkdir(fresh, 0700));
	refused(open("/dev/shm/tach", O_WRONLY | O_CREAT, 0600));
}

/* A view sets the terminal as C libraries do, and other commands do not.  /dev/null
 * is none: a request that is let through finds that out. */
static void
test_terminal(bool view)
{
	static const unsigned long calls[] = {TCSETS, TCSETSW, TCSETSF,
#if defined(__x86_64__) || defined(__aarch64__)
	    0x402c542b, 0x402c542c, 0x402c542d, /* TCSETS2, TCSETSW2, TCSETSF2 */
#endif
	};
	uint8_t settings[64] = {0};
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		check(ioctl(fd, calls[i], settings) < 0);
		check_number(errno, view ? ENOTTY : ENOSYS);
	}
	close(fd);
}

/* It can end itself, as commands do at a signal. */
static void
test_end(void)
{
	struct sigaction a = {.sa_handler = SIG_IGN}, old;

	check(sigaction(SIGUSR1, &a, &old) == 0);
	check(raise(SIGUSR1) == 0);
	check(kill(getpid(), SIGUSR1) == 0);
}

static char *
name_in(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		err(2, NULL);
	return path;
}

static void
prepare(void)
{
	char *in = NULL;
	int fd;

	if (mkdtemp(folder) == NULL)
		err(2, "%s", folder);
	in = name_in("in");
	output = name_in("in/output");
	outside = name_in("outside");
	fresh = name_in("fresh");
	if (mkdir(in, 0700) != 0 || (fd = open(outside, O_WRONLY | O_CREAT,
		0600)) < 0)
		err(2, "%s", folder);
	close(fd);
	free(in);
	if ((other = fork()) == 0)
		for (;;)
			pause();
}

/* In a child: whoever is confined cannot clean up. */
static int
confined_view(void)
{
	confine_view(NULL, 0);
	test_terminal(true);
	return failures != 0;
}

/* Likewise, as one that is confined stays so. */
static int
confined(void)
{
	bool landlock = syscall(__NR_landlock_create_ruleset, NULL, 0, 1) > 0;

	confine((const char *[]){NULL, output}, 2);
	if (!status_has("Seccomp:\t2\n")) {
		puts("no seccomp here, or not in a build with sanitizers");
		return SKIPPED;
	}
	check(status_has("NoNewPrivs:\t1\n"));
	test_network();
	test_processes();
	test_kernel();
	test_files(landlock);
	test_end();
	test_terminal(false);
	return failures != 0;
}

/* The exit status of a child that tests. */
static int
in_child(int (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(test());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int
main(void)
{
	char *rm;
	int status;

	prepare();
	status = in_child(confined);
	if (status == 0)
		status = in_child(confined_view);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	if (asprintf(&rm, "rm -r %s", folder) < 0 || system(rm) != 0)
		err(2, "%s", folder);
	free(rm);
	free(output);
	free(outside);
	free(fresh);
	return status;
}
