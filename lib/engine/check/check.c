/* SPDX-License-Identifier: ISC */
/*
 * check.c: tach_check of tach-record.h.  Each check makes the calls that a recorder
 * makes, on a process that is there for it alone if no other one was named.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernel/interrupt.h"
#include "engine/kernel/stock.h"
#include "engine/kernel/switch_feed.h"
#include "engine/locate/find.h"
#include "engine/locate/inject.h"
#include "engine/locate/library.h"
#include "engine/os/os.h"
#include "error.h"
#include "helper.h"
#include "tach-record.h"

/* Of a check: errno is 0 if no call of the system's was refused. */
typedef int check_fn(pid_t, struct error *);

/* The error of a call of the system's, and its errno.  Returns TACH_FATAL. */
static int
refused_call(struct error *e, const char *call, int number)
{
	error_system(e, call, number);
	errno = number;
	return TACH_FATAL;
}

/* ---- processes that are there for a check ---------------------------------- */

static const uint8_t readable = 1; /* at the same address in a child */

/* Waits, in a child, for the end by its parent.  A command may be dumped; the child of
 * a program whose file has capabilities may be only after this call. */
static void __attribute__((noreturn))
be_there(int ready, bool dumpable)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
	prctl(PR_SET_DUMPABLE, (unsigned long)dumpable, 0UL, 0UL, 0UL);
	close(ready);
	for (;;)
		pause();
}

/* Starts a process that does nothing.  -1 with errno. */
static pid_t
start_idle(bool dumpable)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return -1;
	if ((pid = helper_fork()) == 0) {
		close(ready[0]);
		be_there(ready[1], dumpable);
	}
	close(ready[1]);
	while (pid > 0 && read(ready[0], &c, 1) < 0 && errno == EINTR)
		continue;
	close(ready[0]);
	return pid;
}

static void
end_idle(pid_t pid)
{
	int saved = errno;

	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	errno = saved;
}

/* 0, or the errno of a read of a process that start_idle has started. */
static int
read_idle(pid_t pid)
{
	uint8_t byte;
	const struct memory_piece piece = {(uintptr_t)&readable, 1, &byte};

	return memory_read(pid, &piece, 1) ? 0 : errno;
}

/* What the other end of a pipe has written; EPERM if that is nothing. */
static int
read_answer(int fd)
{
	int number;
	ssize_t n;

	do
		n = read(fd, &number, sizeof(number));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(number) ? number : EPERM;
}

/* The same by a process that is not its parent.  It answers by a pipe: the kernel
 * keeps no status of it where SIGCHLD is ignored. */
static int
read_by_sibling(pid_t pid)
{
	int answer[2], number;
	pid_t reader;

	if (pipe2(answer, O_CLOEXEC) != 0)
		return errno;
	if ((reader = helper_fork()) == 0) {
		number = read_idle(pid);
		_exit(write(answer[1], &number, sizeof(number)) < 0);
	}
	number = errno;
	close(answer[1]);
	if (reader > 0)
		number = read_answer(answer[0]);
	close(answer[0]);
	while (reader > 0 && waitpid(reader, NULL, 0) < 0 && errno == EINTR)
		continue;
	return number;
}

/* ---- memory ------------------------------------------------------------ */

static int
of_read(int number, struct error *e)
{
	return number == 0 ? TACH_OK :
	    refused_call(e, "process_vm_readv", number);
}

static int
check_command(pid_t pid, struct error *e)
{
	pid_t idle = start_idle(true);
	int number;

	(void)pid;
	if (idle < 0)
		return refused_call(e, "fork", errno);
	number = read_idle(idle);
	end_idle(idle);
	return of_read(number, e);
}

static int
check_unrelated(bool dumpable, struct error *e)
{
	pid_t idle = start_idle(dumpable);
	int number;

	if (idle < 0)
		return refused_call(e, "fork", errno);
	number = read_by_sibling(idle);
	end_idle(idle);
	return of_read(number, e);
}

static int
check_others(pid_t pid, struct error *e)
{
	(void)pid;
	return check_unrelated(true, e);
}

static int
check_strangers(pid_t pid, struct error *e)
{
	(void)pid;
	return check_unrelated(false, e);
}

/* 0, or the errno of a read of the first mapping that can be read; EFAULT: none
 * can. */
static int
read_any(const struct process *p, const struct mappings *ms)
{
	int number = EFAULT;
	uint8_t byte;

	for (size_t i = 0; i < ms->count && number == EFAULT; i++) {
		const struct memory_piece piece = {ms->list[i].start, 1, &byte};
		number = memory_read(p->task, &piece, 1) ? 0 : errno;
	}
	return number;
}

static int
check_mappings(struct process *p, struct error *e)
{
	struct mappings ms = {0};
	int number;

	process_choose_task(p);
	if (!process_mappings(p, &ms))
		return refused_call(e, "its mappings", errno);
	number = read_any(p, &ms);
	mappings_free(&ms);
	return of_read(number, e);
}

/* TACH_FATAL if the process has no memory of its own. */
static int
has_memory(const struct process *p, struct error *e)
{
	errno = 0;
	if (process_is_kernel(p))
		return error_set(e, TACH_EUSE, "it is a thread of the kernel");
	if (process_state(p) == 'Z' && process_ended(p))
		return error_set(e, TACH_ENOENT, "it has ended: it is a zombie, "
		    "which its parent has yet to wait for");
	if (process_ended(p))
		return error_set(e, TACH_ENOENT, "it has ended");
	if (process_borrows_memory(p))
		return error_set(e, TACH_EUSE, "it has the memory of its parent "
		    "until it starts a program");
	return TACH_OK;
}

static int
open_checked(struct process *p, pid_t pid, struct error *e)
{
	return process_open(p, pid) ? TACH_OK : refused_call(e, "", errno);
}

static int
check_memory(pid_t pid, struct error *e)
{
	struct process p;
	int result, saved;

	if (open_checked(&p, pid, e) != TACH_OK)
		return TACH_FATAL;
	result = has_memory(&p, e);
	if (result == TACH_OK)
		result = check_mappings(&p, e);
	saved = errno;
	process_close(&p);
	errno = saved;
	return result;
}

/* ---- the kernel's help -------------------------------------------------- */

static int
check_interrupts(pid_t pid, struct error *e)
{
	struct interrupts *in;
	struct rlimit files;

	(void)pid;
	errno = 0;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    files.rlim_max < STOCK_FILES_MIN)
		return error_set(e, TACH_EFAILED, "the limit of open files "
		    "(ulimit -Hn) is %llu: it takes %d",
		    (unsigned long long)files.rlim_max, STOCK_FILES_MIN);
	if ((in = interrupts_new(NS_PER_MS, 0)) != NULL) {
		interrupts_drop(in);
		return TACH_OK;
	}
	return refused_call(e, "bpf", errno);
}

static int
check_switches(pid_t pid, struct error *e)
{
	(void)pid;
	errno = ENOSYS;
#ifdef HAVE_BPF
	if (switch_feed_ops.prepare()) {
		switch_feed_ops.unprepare();
		return TACH_OK;
	}
#endif
	return refused_call(e, "bpf", errno);
}

static int
check_events_of(pid_t task, struct error *e)
{
	if (perf_can_open(task, false))
		return TACH_OK;
	if (perf_can_open(task, true)) {
		error_set(e, TACH_EPERM, "without the kernel's time");
		return TACH_WARN;
	}
	return refused_call(e, "perf_event_open", errno);
}

static int
check_events(pid_t pid, struct error *e)
{
	pid_t idle = pid == 0 ? start_idle(true) : pid;
	int result;

	if (idle < 0)
		return refused_call(e, "fork", errno);
	result = check_events_of(idle, e);
	if (pid == 0)
		end_idle(idle);
	return result;
}

/* Enters the real-time class, in a thread of its own, and leaves it. */
static void *
become_realtime(void *arg)
{
	struct schedule before;
	int *number = arg;

	*number = schedule_get(&before) &&
	    schedule_set((struct schedule){.flags = SCHEDULE_RESET_ON_FORK,
		.policy = SCHED_FIFO, .priority = 1}) ? 0 : errno;
	if (*number == 0)
		schedule_set(before);
	return NULL;
}

static int
check_realtime(pid_t pid, struct error *e)
{
	struct schedule now;
	pthread_t thread;
	int number = 0, failed;

	(void)pid;
	if (schedule_get(&now) && (now.policy != SCHED_OTHER || now.nice != 0)) {
		error_set(e, TACH_EUSE, "its class or niceness was chosen, and "
		    "stays");
		errno = 0;
		return TACH_WARN;
	}
	failed = helper_start(&thread, become_realtime, &number);
	if (failed == 0)
		pthread_join(thread, NULL);
	number = failed != 0 ? failed : number;
	return number == 0 ? TACH_OK : refused_call(e, "sched_setattr", number);
}

/* ---- the agent --------------------------------------------------------------- */

static int
check_agent(pid_t pid, struct error *e)
{
	char path[PATH_MAX];
	bool ok = library_find(path, e);

	(void)pid;
	errno = 0;
	if (!ok)
		return TACH_FATAL;
	error_set(e, TACH_ENONE, "%s", path);
	return TACH_OK;
}

/* Whether the dynamic linker is in the process: it would load the library.  That of musl
 * is its libc.so, which may be mapped by either name. */
static bool
has_linker(const struct process *p)
{
	struct mappings ms = {0};
	bool has = false;

	if (!process_mappings(p, &ms))
		return true; /* not known */
	for (size_t i = 0; i < ms.count && !has; i++) {
		const char *slash = strrchr(ms.list[i].path, '/');
		const char *name = slash != NULL ? slash + 1 : "";
		has = strcmp(name, "libc.so") == 0 ||
		    strncmp(name, "ld-", 3) == 0 ||
		    strncmp(name, "ld.so", 5) == 0 ||
		    strncmp(name, "ld64", 4) == 0;
	}
	mappings_free(&ms);
	return has;
}

static int
check_way_in(struct process *p, struct error *e)
{
	struct py_runtime rt;
	uint64_t seen = 0;
	enum find_result found = find_python(p, FIND_DEEP, &seen, &rt, e);

	errno = 0;
	if (found != FIND_OK)
		return error_set(e, TACH_EFOREIGN, "there is no running Python "
		    "in it");
	if (!inject_possible(p, &rt, e))
		return TACH_FATAL;
	if (!has_linker(p))
		return error_set(e, TACH_EFAILED, "it is static: no library can "
		    "be loaded into it");
	return TACH_OK;
}

static int
check_attach(pid_t pid, struct error *e)
{
	struct process p;
	int result;

	if (open_checked(&p, pid, e) != TACH_OK)
		return TACH_FATAL;
	result = check_way_in(&p, e);
	process_close(&p);
	errno = 0;
	return result;
}

/* ---- all ----------------------------------------------------------------- */

static check_fn *const checks[] = {
	[TACH_CHECK_COMMAND] = check_command,
	[TACH_CHECK_OTHERS] = check_others,
	[TACH_CHECK_STRANGERS] = check_strangers,
	[TACH_CHECK_INTERRUPTS] = check_interrupts,
	[TACH_CHECK_EVENTS] = check_events,
	[TACH_CHECK_REALTIME] = check_realtime,
	[TACH_CHECK_AGENT] = check_agent,
	[TACH_CHECK_MEMORY] = check_memory,
	[TACH_CHECK_ATTACH] = check_attach,
	[TACH_CHECK_SWITCHES] = check_switches,
};

int
tach_check(enum tach_check what, pid_t pid, char *line, size_t size)
{
	struct error e = {0};
	int result, number;

	if ((size_t)what >= sizeof(checks) / sizeof(*checks)) {
		snprintf(line, size, "there is no such check");
		errno = EINVAL;
		return TACH_FATAL;
	}
	result = checks[what](pid, &e);
	number = errno;
	snprintf(line, size, "%s", e.text);
	errno = number;
	return result;
}
