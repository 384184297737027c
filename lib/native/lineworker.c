/* SPDX-License-Identifier: ISC */
/* lineworker.c: see lineworker.h. */
#include "native/lineworker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "helper.h"
#include "io.h"
#include "native/lines.h"

#define FILE_FD 0 /* the child's descriptors */
#define PIPE_FD 1
#define FDS_MAX 65536 /* that are closed one by one, where one call does not */
#define MEMORY_MAX (UINT64_C(2) << 30) /* bytes; mappings of the file come on top */
#define NOBODY 65534
#define END_INDEX UINT32_MAX /* of the last answer; its line is 1 if some lines could not
			      * be read */
#define PIECE 65536 /* bytes that are read at once */
#define NOT_CONFINED 2 /* exit status of a child that has read nothing */

#if defined(__x86_64__)
#define FILTER_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE AUDIT_ARCH_AARCH64
#endif

/* Begins each answer; the path follows. */
struct line_answer {
	uint32_t index;
	int32_t line;
	uint32_t len; /* of the path */
};

/* ---- the child: what it gives up ----------------------------------------- */

#ifdef FILTER_MACHINE

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
	    RETURN(SECCOMP_RET_ALLOW)
/* Allows a call unless its third argument, of a little-endian machine, asks for memory
 * that is run. */
#define ALLOW_DATA(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(args[2]), \
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), \
	    RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_ERRNO | EPERM)

/* Refuses all calls but those of memory and of open descriptors. */
static bool
filter_calls(void)
{
	static const struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_MACHINE, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		ALLOW(SYS_read), ALLOW(SYS_pread64), ALLOW(SYS_write),
		ALLOW(SYS_lseek), ALLOW(SYS_fstat), ALLOW(SYS_newfstatat),
		ALLOW(SYS_brk),
		ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_madvise),
		ALLOW(SYS_futex), ALLOW(SYS_getrandom), ALLOW(SYS_exit_group),
		ALLOW_DATA(SYS_mmap), ALLOW_DATA(SYS_mprotect),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code),
	    (struct sock_filter *)(uintptr_t)code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool
filter_calls(void)
{
	return false;
}

#endif

/* Drops the memory that this process shares with others: rings and maps of engines. */
static bool
drop_shared_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL, shares, writes;
	unsigned long start, end;
	size_t size = 0;
	bool ok = maps != NULL;

	while (ok && getline(&line, &size, maps) > 0)
		ok = sscanf(line, "%lx-%lx %*c%c%*c%c", &start, &end, &writes,
			 &shares) == 4 &&
		    (shares != 's' || writes != 'w' ||
			/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
			munmap((void *)start, end - start) == 0);
	free(line);
	if (maps != NULL)
		fclose(maps);
	return ok;
}

/* Keeps the file and the pipe alone. */
static bool
close_others(int file, int to)
{
	/* Neither becomes the other one's number before it is moved. */
	int f = fcntl(file, F_DUPFD, PIPE_FD + 1), t = fcntl(to, F_DUPFD, PIPE_FD + 1);

	if (f < 0 || t < 0 || dup2(f, FILE_FD) < 0 || dup2(t, PIPE_FD) < 0)
		return false;
	if (syscall(SYS_close_range, PIPE_FD + 1, ~0U, 0) == 0)
		return true;
	for (int i = PIPE_FD + 1; i < FDS_MAX; i++)
		close(i);
	return true;
}

/* AddressSanitizer has more memory than any limit. */
static bool
limit_self(unsigned ms)
{
	struct rlimit cpu = {ms / 1000 + 1, ms / 1000 + 1}, none = {0, 0};
#ifndef __SANITIZE_ADDRESS__
	struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};

	if (setrlimit(RLIMIT_DATA, &memory) != 0)
		return false;
#endif
	return setrlimit(RLIMIT_CPU, &cpu) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
}

/* The child is no more urgent than other programs. */
static void
calm_down(void)
{
	struct sched_param normal = {0};

	sched_setscheduler(0, SCHED_OTHER, &normal);
}

static bool
become_nobody(void)
{
	return geteuid() != 0 || (setgroups(0, NULL) == 0 &&
	    setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	    setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

static bool
confine_self(int file, int to, unsigned ms)
{
	calm_down();
	/* Another user has no signal at its parent's death. */
	return drop_shared_memory() && close_others(file, to) && limit_self(ms) &&
	    become_nobody() && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 && filter_calls();
}

/* ---- the child: what it does --------------------------------------------- */

static bool
tell_line(uint32_t index, const struct native_line *l)
{
	struct line_answer a = {index, l->line, (uint32_t)strlen(l->file)};

	return a.len > LINE_FILE_MAX || (io_write(PIPE_FD, &a, sizeof(a)) &&
	    io_write(PIPE_FD, l->file, a.len));
}

static bool
tell_all(const uint64_t *addrs, size_t count)
{
	struct native_line end = {"", 0};
	struct native_lines *l = native_lines_open(FILE_FD);
	struct native_line line;

	if (l == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		if (native_lines_find(l, addrs[i], &line) &&
		    !tell_line((uint32_t)i, &line))
			return false;
	end.line = native_lines_damaged(l);
	return tell_line(END_INDEX, &end);
}

/* ---- this process -------------------------------------------------------- */

struct line_answers {
	char *bytes;
	size_t len, max;
	size_t count; /* of addresses */
	bool ended, damaged;
	lineworker_tell *tell;
	void *arg;
};

/* Whether a path is one: a terminal may show it. */
static bool
is_path(const char *path, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)path[i] < ' ' || path[i] == 0x7f)
			return false;
	return len > 0;
}

/* Takes the answer at the beginning of the bytes.  *size: how many it has; 0: it is not
 * complete.  False: it is none. */
static bool
take_answer(struct line_answers *a, const char *at, size_t len, size_t *size)
{
	char path[LINE_FILE_MAX + 1];
	struct line_answer head;

	*size = 0;
	if (len < sizeof(head))
		return true;
	memcpy(&head, at, sizeof(head));
	if (head.index == END_INDEX) {
		a->ended = true;
		a->damaged = head.line != 0;
	} else if (head.index >= a->count || head.line <= 0 ||
	    head.len > LINE_FILE_MAX) {
		return false;
	}
	if (a->ended || len - sizeof(head) < head.len)
		return true;
	memcpy(path, at + sizeof(head), head.len);
	path[head.len] = '\0';
	if (is_path(path, head.len))
		a->tell(a->arg, head.index, path, head.line);
	*size = sizeof(head) + head.len;
	return true;
}

static bool
take_answers(struct line_answers *a)
{
	size_t at = 0, size = 1;

	while (size > 0 && !a->ended) {
		if (!take_answer(a, a->bytes + at, a->len - at, &size))
			return false;
		at += size;
	}
	memmove(a->bytes, a->bytes + at, a->len - at);
	a->len -= at;
	return true;
}

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads what the child tells, up to its end or until the time is over. */
static enum lineworker_end
hear(struct line_answers *a, int from, int64_t until)
{
	struct pollfd p = {.fd = from, .events = POLLIN};
	int64_t left;
	ssize_t n;

	while (!a->ended) {
		char *bytes = array_reserve(a->bytes, &a->max, a->len + PIECE, 1);
		if (bytes == NULL)
			return LINEWORKER_DAMAGED;
		a->bytes = bytes;
		if ((left = until - now_ms()) <= 0)
			return LINEWORKER_LATE;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		if ((n = read(from, bytes + a->len, PIECE)) <= 0)
			return LINEWORKER_DAMAGED;
		a->len += (size_t)n;
		if (!take_answers(a))
			return LINEWORKER_DAMAGED;
	}
	return a->damaged ? LINEWORKER_DAMAGED : LINEWORKER_DONE;
}

/* Starts the child, which tells its answers to a pipe.  -1 with errno. */
static pid_t
start_child(int fd, const int pipe_fds[2], const uint64_t *addrs, size_t count,
    unsigned ms)
{
	pid_t pid = helper_fork();

	if (pid == 0)
		_exit(!confine_self(fd, pipe_fds[1], ms) ? NOT_CONFINED :
						!tell_all(addrs, count));
	return pid;
}

/* Ends the child.  False, with errno: it was not confined. */
static bool
end_child(pid_t child)
{
	int status = 0;

	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	errno = EPERM;
	return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_CONFINED;
}

enum lineworker_end
lineworker_find(int fd, const uint64_t *addrs, size_t count, unsigned ms,
    lineworker_tell *tell, void *arg)
{
	struct line_answers a = {.count = count, .tell = tell, .arg = arg};
	int64_t until = now_ms() + ms;
	enum lineworker_end end;
	int pipe_fds[2];
	pid_t child;

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return LINEWORKER_REFUSED;
	child = start_child(fd, pipe_fds, addrs, count, ms);
	close(pipe_fds[1]);
	end = child < 0 ? LINEWORKER_REFUSED : hear(&a, pipe_fds[0], until);
	close(pipe_fds[0]);
	if (child > 0 && !end_child(child))
		end = LINEWORKER_REFUSED;
	free(a.bytes);
	return end;
}
