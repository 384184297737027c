/* SPDX-License-Identifier: ISC */
/* perf.c: see perf.h. */
#include "engine/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_event(pid_t task, uint64_t interval_ns, bool user_only, bool on_exec)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval_ns,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.remove_on_exec = on_exec,
	};

	return (int)syscall(SYS_perf_event_open, &attr, task, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
}

/* As the kernel and our rights allow it. */
static int
try_events(pid_t task, uint64_t interval_ns)
{
	int fd;

	for (int i = 0; i < 4; i++) {
		fd = open_event(task, interval_ns, i & 1, i < 2);
		if (fd >= 0 || (errno != EACCES && errno != EPERM &&
			errno != EINVAL))
			return fd;
	}
	return -1;
}

/* Has its signals sent to that thread. */
static bool
direct(int fd, pid_t task, int signal)
{
	struct f_owner_ex owner = {F_OWNER_TID, task};

	return fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	    fcntl(fd, F_SETSIG, signal) == 0 &&
	    fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC) == 0 &&
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

int
perf_open(pid_t task, uint64_t interval_ns, int signal, bool *refused)
{
	int fd = try_events(task, interval_ns);

	/* A thread that has just ended says nothing of others. */
	*refused = fd < 0 && (errno == EACCES || errno == EPERM ||
	    errno == ENOSYS || errno == ENOENT || errno == EINVAL);
	if (fd < 0 || direct(fd, task, signal))
		return fd;
	close(fd);
	return -1;
}

void
perf_pause(int fd, bool pause)
{
	ioctl(fd, pause ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}
