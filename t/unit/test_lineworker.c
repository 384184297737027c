/* SPDX-License-Identifier: ISC */
/*
 * test_lineworker: what a process that was taken over by a hostile file can still do:
 * nothing but tell lines, which are checked.  The functions of native/lines.h here stand
 * for a libdw that does an intruder's will.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/lines.h"
#include "native/lineworker.h"

#define SKIPPED 77 /* no such process may be made here */
#define ALL_RIGHT 1	 /* the line that is told if nothing could be done */
#define MEMORY ((size_t)3 << 30)
#define TIME 20000 /* ms */

static int secret[2]; /* a pipe of ours */
static volatile int *shared;
static void (*act)(void);
static struct native_line answer;
static bool damaged;

/* ---- the child ----------------------------------------------------------- */

struct native_lines {
	int unused;
};

struct native_lines *
native_lines_open(int fd)
{
	static struct native_lines lines;
	char byte;

	if (act != NULL)
		act();
	return read(fd, &byte, 1) == 1 && byte == 'E' ? &lines : NULL;
}

bool
native_lines_find(struct native_lines *l, uint64_t addr, struct native_line *out)
{
	(void)l;
	*out = answer;
	return addr != 0;
}

bool
native_lines_damaged(const struct native_lines *l)
{
	(void)l;
	return damaged;
}

static bool
refused(long result)
{
	return result < 0 && (errno == ENOSYS || errno == EPERM || errno == EBADF);
}

/* AddressSanitizer has more memory than any limit. */
static bool
has_limit(void)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#else
	return mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0) == MAP_FAILED;
#endif
}

static bool
may_do_nothing(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return refused(open("/etc/passwd", O_RDONLY)) &&
	    refused(open("/tmp/tach-lineworker", O_WRONLY | O_CREAT, 0600)) &&
	    refused(socket(AF_INET, SOCK_STREAM, 0)) && refused(fork()) &&
	    refused(kill(getppid(), SIGKILL)) && refused(kill(1, 0)) &&
	    refused(syscall(SYS_execve, "/bin/true", NULL, NULL)) &&
	    refused(syscall(SYS_ptrace, 16, 1, 0, 0)) &&
	    refused(syscall(SYS_bpf, 0, NULL, 0)) &&
	    refused(write(secret[1], "x", 1)) && refused(close(STDOUT_FILENO)) &&
	    code != MAP_FAILED &&
	    refused(mprotect(code, 4096, PROT_READ | PROT_EXEC)) &&
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0) == MAP_FAILED && has_limit();
}

static void
try_all(void)
{
	answer.line = may_do_nothing() ? ALL_RIGHT : 2;
}

static void
write_shared(void)
{
	*shared = 1;
}

static void
spin(void)
{
	for (;;)
		continue;
}

static void
say_nonsense(void)
{
	static const char nonsense[4096] = "nonsense";

	while (write(STDOUT_FILENO, nonsense, sizeof(nonsense)) > 0)
		continue;
}

/* ---- this process -------------------------------------------------------- */

static size_t told;
static int line;
static char file[LINE_FILE_MAX + 1];

static void
take(void *arg, size_t index, const char *path, int number)
{
	assert(arg == &told && index < 3);
	told++;
	line = number;
	assert(strlen(path) <= LINE_FILE_MAX);
	strcpy(file, path);
}

static enum lineworker_end
find(void (*how)(void), const char *path, int number, unsigned ms)
{
	static const uint64_t addrs[] = {0, 16, 32};
	enum lineworker_end end;
	int pair[2];

	assert(pipe(pair) == 0 && write(pair[1], "ELF", 3) == 3);
	act = how;
	answer = (struct native_line){path, number};
	told = 0;
	line = 0;
	end = lineworker_find(pair[0], addrs, 3, ms, take, &told);
	close(pair[0]);
	close(pair[1]);
	return end;
}

static void
check_answers(void)
{
	static char longest[LINE_FILE_MAX + 2];

	assert(find(NULL, "a.c", 7, TIME) == LINEWORKER_DONE);
	assert(told == 2 && line == 7 && strcmp(file, "a.c") == 0);
	assert(find(NULL, "a\nb.c", 7, TIME) == LINEWORKER_DONE && told == 0);
	assert(find(NULL, "a\033[2Jb.c", 7, TIME) == LINEWORKER_DONE && told == 0);
	assert(find(NULL, "", 7, TIME) == LINEWORKER_DONE && told == 0);
	assert(find(NULL, "a.c", 0, TIME) == LINEWORKER_DAMAGED && told == 0);
	assert(find(NULL, "a.c", -7, TIME) == LINEWORKER_DAMAGED && told == 0);
	memset(longest, 'x', LINE_FILE_MAX);
	assert(find(NULL, longest, 7, TIME) == LINEWORKER_DONE && told == 2);
	memset(longest, 'x', LINE_FILE_MAX + 1);
	assert(find(NULL, longest, 7, TIME) == LINEWORKER_DONE && told == 0);
	damaged = true;
	assert(find(NULL, "a.c", 7, TIME) == LINEWORKER_DAMAGED && told == 2);
	damaged = false;
}

int
main(void)
{
	struct rusage before, after;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	    0);
	assert(shared != MAP_FAILED && pipe(secret) == 0);
	if (find(NULL, "a.c", 7, TIME) == LINEWORKER_REFUSED)
		return SKIPPED;
	check_answers();
	assert(find(try_all, "a.c", 0, TIME) == LINEWORKER_DONE);
	assert(told == 2 && line == ALL_RIGHT);
	assert(find(write_shared, "a.c", 7, TIME) == LINEWORKER_DAMAGED);
	assert(told == 0 && *shared == 0);
	assert(find(abort, "a.c", 7, TIME) == LINEWORKER_DAMAGED && told == 0);
	assert(find(say_nonsense, "a.c", 7, TIME) == LINEWORKER_DAMAGED && told == 0);
	getrusage(RUSAGE_CHILDREN, &before);
	assert(find(spin, "a.c", 7, 200) == LINEWORKER_LATE && told == 0);
	getrusage(RUSAGE_CHILDREN, &after);
	assert(after.ru_utime.tv_sec - before.ru_utime.tv_sec <= 2);
	assert(lineworker_find(-1, NULL, 0, TIME, take, &told) == LINEWORKER_REFUSED);
	assert(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	return 0;
}
