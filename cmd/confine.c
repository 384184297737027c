/* SPDX-License-Identifier: ISC */
/* confine.c: see confine.h. */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

/* ---- files: landlock ----------------------------------------------------- */

#if __has_include(<linux/landlock.h>)

/* Rights of the second and the third version, which a header may not have. */
#define ACCESS_REFER (UINT64_C(1) << 13)
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)

#define ACCESS_MAKE \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
	    LANDLOCK_ACCESS_FS_MAKE_DIR)
#define ACCESS_FIRST \
	(ACCESS_MAKE | LANDLOCK_ACCESS_FS_EXECUTE | \
	    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
	    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
	    LANDLOCK_ACCESS_FS_MAKE_SYM)

/* The rights about files that the kernel can refuse; 0: none. */
static uint64_t
accesses(void)
{
	long version = syscall(__NR_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	return version < 1 ? 0 : ACCESS_FIRST |
	    (version >= 2 ? ACCESS_REFER : 0) |
	    (version >= 3 ? ACCESS_TRUNCATE : 0);
}

/* Allows writes below a directory.  A directory that does not exist is reported by
 * the code that needs it. */
static void
allow_directory(int rules, const char *directory, uint64_t handled)
{
	struct landlock_path_beneath_attr a = {
	    .allowed_access = handled & (ACCESS_MAKE | ACCESS_TRUNCATE),
	    .parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC)};

	if (a.parent_fd < 0)
		return;
	syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &a,
	    0);
	close(a.parent_fd);
}

static void
allow_output(int rules, const char *output, uint64_t handled)
{
	bool open_already = output == NULL || strcmp(output, "-") == 0;
	char *copy = open_already ? NULL : strdup(output);

	if (copy != NULL)
		allow_directory(rules, dirname(copy), handled);
	free(copy);
}

static void
confine_files(const char *const outputs[], int n)
{
	struct landlock_ruleset_attr all = {.handled_access_fs = accesses()};
	int rules;

	if (all.handled_access_fs == 0)
		return;
	rules = (int)syscall(__NR_landlock_create_ruleset, &all,
	    sizeof(all.handled_access_fs), 0);
	if (rules < 0)
		return;
	for (int i = 0; i < n; i++)
		allow_output(rules, outputs[i], all.handled_access_fs);
	allow_directory(rules, io_temporary_directory(), all.handled_access_fs);
	syscall(__NR_landlock_restrict_self, rules, 0);
	close(rules);
}

#else

static void
confine_files(const char *const outputs[], int n)
{
	(void)outputs;
	(void)n;
}

#endif

/* ---- system calls: seccomp ----------------------------------------------- */

/* What a view at a terminal may do, too. */
struct view {
	pid_t child; /* that it may end; 0: none */
};

#ifdef HAVE_SECCOMP

/* All system calls of these commands and their libraries, by all names that
 * machines and C libraries have for them. */
static const char *const allowed[] = {
	/* Memory and time. */
	"brk", "mmap", "mmap2", "munmap", "mremap", "mprotect", "madvise",
	"futex", "futex_time64", "membarrier", "rseq", "set_robust_list",
	"clock_gettime", "clock_gettime64", "clock_getres",
	"clock_getres_time64", "gettimeofday", "time", "nanosleep",
	"clock_nanosleep", "clock_nanosleep_time64", "getrandom",
	"sched_yield", "sched_getaffinity", "sysinfo", "uname",
	/* Files that are open. */
	"read", "readv", "pread64", "preadv", "write", "writev", "pwrite64",
	"pwritev", "lseek", "_llseek", "close", "dup", "dup2", "dup3", "fcntl",
	"fcntl64", "fstat", "fstat64", "fstatfs", "fstatfs64", "ftruncate",
	"ftruncate64", "fallocate", "fsync", "fdatasync", "fadvise64",
	"fadvise64_64", "arm_fadvise64_64", "copy_file_range", "sendfile",
	"sendfile64", "poll", "ppoll", "ppoll_time64", "select", "_newselect",
	"pselect6", "pselect6_time64", "getdents", "getdents64", "umask",
	/* Files by name; landlock says which of them. */
	"open", "openat", "openat2", "stat", "stat64", "lstat", "lstat64",
	"newfstatat", "fstatat64", "statx", "statfs", "statfs64", "access",
	"faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
	"fchmod", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename",
	"renameat", "renameat2",
	/* This process. */
	"getpid", "gettid", "getppid", "getuid", "geteuid", "getgid",
	"getegid", "getuid32", "geteuid32", "getgid32", "getegid32",
	"sigaltstack", "rt_sigaction", "rt_sigprocmask", "rt_sigpending",
	"rt_sigreturn", "sigreturn", "restart_syscall", "exit", "exit_group",
};

/* The kernel's struct termios2, whose header excludes that of termios, by its size.
 * glibc asks for it and sets it from 2.42 on; some machines have it under TCGETS and
 * TCSETS. */
struct termios2_size {
	uint32_t flags[4];
	uint8_t line, chars[19];
	uint32_t speeds[2];
};
#define REQUEST_TCGETS2 _IOR('T', 0x2a, struct termios2_size)
#define REQUEST_TCSETS2 _IOW('T', 0x2b, struct termios2_size)
#define REQUEST_TCSETSW2 _IOW('T', 0x2c, struct termios2_size)
#define REQUEST_TCSETSF2 _IOW('T', 0x2d, struct termios2_size)

/* Requests that ask about a descriptor; none that changes a terminal. */
static const uint64_t requests[] = {TCGETS, REQUEST_TCGETS2, TIOCGWINSZ,
    FIONREAD};

/* Requests by which a view changes the terminal, and asks whether it is in front. */
static const uint64_t view_requests[] = {TCSETS, TCSETSW, TCSETSF, REQUEST_TCSETS2,
    REQUEST_TCSETSW2, REQUEST_TCSETSF2, TIOCGPGRP};

static int
find_call(const char *name)
{
	return seccomp_syscall_resolve_name(name);
}

/* A refused call fails as if the kernel did not have it, which C libraries are
 * prepared for.  The process may end itself and ask for its limits. */
static struct scmp_arg_cmp
arg_is(unsigned arg, scmp_datum_t value)
{
	return (struct scmp_arg_cmp){arg, SCMP_CMP_EQ, value, 0};
}

static void
add_rules(scmp_filter_ctx filter)
{
	const scmp_datum_t self = (scmp_datum_t)getpid();

	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (find_call(allowed[i]) != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW,
			    find_call(allowed[i]), 0);
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("ioctl"), 1,
		    arg_is(1, requests[i]));
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("kill"), 1,
	    arg_is(0, self));
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("tgkill"), 1,
	    arg_is(0, self));
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("prlimit64"), 2,
	    arg_is(0, 0), arg_is(2, 0));
}

static void
add_view_rules(scmp_filter_ctx filter, pid_t child)
{
	static const char *const names[] = {"getpgrp", "getpgid", "wait4", "waitid",
	    "waitpid"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (find_call(names[i]) != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW,
			    find_call(names[i]), 0);
	for (size_t i = 0; i < sizeof(view_requests) / sizeof(*view_requests); i++)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("ioctl"), 1,
		    arg_is(1, view_requests[i]));
	if (child > 0)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, find_call("kill"), 1,
		    arg_is(0, (scmp_datum_t)child));
}

static void
confine_calls(const struct view *view)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));

	if (filter == NULL)
		return;
	add_rules(filter);
	if (view != NULL)
		add_view_rules(filter, view->child);
	seccomp_load(filter);
	seccomp_release(filter);
}

#else

static void
confine_calls(const struct view *view)
{
	(void)view;
}

#endif

/* Whether the process may be confined.  LeakSanitizer needs a process of its own,
 * so it may not be then. */
static bool
may_confine(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false;
#else
	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0;
#endif
}

void
confine(const char *const outputs[], int n)
{
	if (!may_confine())
		return;
	confine_files(outputs, n);
	confine_calls(NULL);
}

void
confine_view(const char *output, pid_t child)
{
	const struct view view = {child};

	if (!may_confine())
		return;
	confine_files(&output, 1);
	confine_calls(&view);
}
