/* SPDX-License-Identifier: ISC */
/* perf.c: see os.h. */
#include "engine/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_software(pid_t task, struct perf_event_attr attr)
{
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, task, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);
}

static int
open_event(pid_t task, uint64_t interval_ns, bool user_only, bool on_exec)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval_ns,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = user_only,
		.remove_on_exec = on_exec,
	};

	return open_software(task, attr);
}

/* Opens an event that counts the kernel's time, too, and is removed at an exec;
 * or as much of that as the kernel and our rights permit. */
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

/* Has the event's signals sent to a thread. */
static bool
direct(int fd, pid_t task, int signal)
{
	struct f_owner_ex owner = {F_OWNER_TID, task};

	return fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	    fcntl(fd, F_SETSIG, signal) == 0 &&
	    fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC) == 0;
}

/* Whether an error holds for all threads: ESRCH, of a thread that has just ended,
 * does not. */
static bool
is_refusal(int error)
{
	return error == EACCES || error == EPERM || error == ENOSYS ||
	    error == ENOENT || error == EINVAL;
}

int
perf_open(pid_t task, uint64_t interval_ns, int signal, bool *refused)
{
	int fd = try_events(task, interval_ns);

	*refused = fd < 0 && is_refusal(errno);
	if (fd < 0 || direct(fd, task, signal))
		return fd;
	close(fd);
	return -1;
}

bool
perf_can_open(pid_t task, bool user_only)
{
	int fd = open_event(task, NS_PER_MS, user_only, false);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void
perf_retime(int fd, uint64_t interval_ns)
{
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &interval_ns);
}

void
perf_pause(int fd, bool pause)
{
	ioctl(fd, pause ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}

/* ---- switches ---------------------------------------------------------- */

static int
open_dummy(pid_t task, bool disabled, bool *refused)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = disabled,
		.exclude_kernel = 1,
	};
	int fd = open_software(task, attr);

	*refused = fd < 0 && is_refusal(errno);
	return fd;
}

int
perf_hold(bool *refused)
{
	return open_dummy(0, true, refused);
}

/* Opens an event that runs a BPF program whenever a thread leaves its CPU. */
static int
open_leaves(pid_t task, int program, bool *refused)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
	};
	int fd = open_software(task, attr);

	*refused = fd < 0 && is_refusal(errno);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return fd;
	*refused = true;
	close(fd);
	return -1;
}

/* The mapping keeps the event without the descriptor.  The number of mappings is
 * limited, too: a failure is a refusal. */
const volatile uint32_t *
perf_watch(pid_t task, int program, bool *refused)
{
	struct perf_event_mmap_page *page;
	int fd = program >= 0 ? open_leaves(task, program, refused) :
				open_dummy(task, false, refused);

	if (fd < 0)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
	    fd, 0);
	*refused = page == MAP_FAILED;
	close(fd);
	return page != MAP_FAILED ? &page->lock : NULL;
}

void
perf_unwatch(const volatile uint32_t *lock)
{
	char *page = (char *)(uintptr_t)lock -
	    offsetof(struct perf_event_mmap_page, lock);

	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}
