/* SPDX-License-Identifier: ISC */
/* outsider.c: see outsider.h.  Functions of the C library's names, which come
 * before those in a program that this is linked into. */
#include "outsider.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static _Atomic pid_t family;
static pid_t stranger;
static int expected_signal;
static uint64_t expected_interval;
static atomic_uint wrong, calls;

void
outsider_family(pid_t pid, pid_t other, int signal, uint64_t interval_ns)
{
	stranger = other;
	expected_signal = signal;
	expected_interval = interval_ns;
	family = pid;
}

void
outsider_rest(void)
{
	family = 0;
}

unsigned
outsider_wrong(void)
{
	return wrong;
}

unsigned
outsider_calls(void)
{
	return calls;
}

/* ---- the family ------------------------------------------------------------ */

/* A number in a status file, or 0: the process has ended. */
static pid_t
field(pid_t pid, const char *name)
{
	char path[64], line[256];
	size_t len = strlen(name);
	pid_t value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, len) == 0)
			value = (pid_t)strtol(line + len, NULL, 10);
	fclose(f);
	return value;
}

/* What has ended cannot be harmed. */
static bool
is_family(pid_t task)
{
	pid_t pid = task > 0 ? field(task, "Tgid:") : 0;

	if (task == 0 || pid == 0 || pid == getpid())
		return true;
	while (pid > 1 && pid != family && pid != getpid()) {
		if (pid == stranger)
			return false;
		pid = field(pid, "PPid:");
	}
	return pid != 1;
}

static void
judge(bool right, const char *call, long about)
{
	if (family == 0)
		return;
	calls++;
	if (right)
		return;
	wrong++;
	fprintf(stderr, "%s: %ld\n", call, about);
}

/* ---- calls ----------------------------------------------------------------- */

ssize_t
process_vm_readv(pid_t pid, const struct iovec *ours, unsigned long n,
    const struct iovec *its, unsigned long m, unsigned long flags)
{
	judge(is_family(pid), "process_vm_readv", pid);
	return REAL(process_vm_readv)(pid, ours, n, its, m, flags);
}

ssize_t
process_vm_writev(pid_t pid, const struct iovec *ours, unsigned long n,
    const struct iovec *its, unsigned long m, unsigned long flags)
{
	judge(is_family(pid), "process_vm_writev", pid);
	return REAL(process_vm_writev)(pid, ours, n, its, m, flags);
}

int
kill(pid_t pid, int sig)
{
	judge(sig == 0 || is_family(pid), "kill", pid);
	return REAL(kill)(pid, sig);
}

static void
judge_event(const struct perf_event_attr *attr, pid_t task)
{
	judge(is_family(task), "perf_event_open", task);
	if (attr->config == PERF_COUNT_SW_TASK_CLOCK)
		judge(attr->sample_period == expected_interval,
		    "perf_event_open: interval", (long)attr->sample_period);
}

/* It takes more arguments than most callers give. */
__attribute__((no_sanitize("address"))) long
syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case SYS_perf_event_open:
		judge_event((const void *)a[0], (pid_t)a[1]);
		break;
	case SYS_rt_tgsigqueueinfo:
		judge(is_family((pid_t)a[1]), "rt_tgsigqueueinfo", a[1]);
		judge(a[2] == expected_signal, "rt_tgsigqueueinfo: signal",
		    a[2]);
		break;
	case SYS_tgkill:
		judge(is_family((pid_t)a[1]), "tgkill", a[1]);
		break;
	case SYS_pidfd_send_signal:
		judge(a[1] == expected_signal, "pidfd_send_signal: signal",
		    a[1]);
		break;
	default:
		break;
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void
judge_fcntl(int command, long arg)
{
	if (command == F_SETOWN)
		judge(is_family((pid_t)arg), "F_SETOWN", arg);
	else if (command == F_SETOWN_EX)
		judge(is_family(((const struct f_owner_ex *)arg)->pid),
		    "F_SETOWN_EX", ((const struct f_owner_ex *)arg)->pid);
	else if (command == F_SETSIG)
		judge(arg == expected_signal, "F_SETSIG", arg);
}

int
fcntl(int fd, int command, ...)
{
	va_list args;
	long arg;

	va_start(args, command);
	arg = va_arg(args, long);
	va_end(args);
	judge_fcntl(command, arg);
	return REAL(fcntl)(fd, command, arg);
}
