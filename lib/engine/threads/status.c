/* SPDX-License-Identifier: ISC */
/* status.c: see status.h. */
#include "engine/threads/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "python/status.h"
#include "tach.h"

/* The address that a futex call waits at, by a line of
 * /proc/PID/task/TID/syscall.  0 if it is another call. */
static uint64_t
futex_address(const char *line)
{
	char *end;

	if (strtol(line, &end, 10) != SYS_futex)
		return 0;
	return strtoull(end, NULL, 16);
}

/* The line of a thread that has ended, and has no stack any more. */
#define NO_CALL "-1 0x0 0x0\n"

/* Reads the `syscall` line of a thread.  Where descriptors are few, the thread has
 * none of its own, and one is opened for the read.  False if the line cannot be
 * read, or if the thread has ended. */
static bool
read_call(const struct thread *t, char *text, size_t size)
{
	const struct process own = {.pid = t->task};
	int fd = t->syscall_fd;
	ssize_t n;

	if (fd < 0 && t->task != 0)
		fd = process_open_task(&own, t->task, "syscall");
	n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;
	if (fd >= 0 && fd != t->syscall_fd)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return strcmp(text, NO_CALL) != 0;
}

bool
status_runs(const struct thread *t)
{
	char text[256];

	return read_call(t, text, sizeof(text)) && text[0] == 'r';
}

bool
status_waits_for(const struct thread *t, const struct py_offsets *o,
    uint64_t gil)
{
	char text[256];

	return read_call(t, text, sizeof(text)) &&
	    status_waits(o, gil, futex_address(text));
}

bool
status_is_blocked(const struct thread *t)
{
	char text[256];

	return read_call(t, text, sizeof(text)) && text[0] != 'r';
}

bool
status_was_blocked(const struct thread *t)
{
	return (t->live || t->passed) &&
	    (t->status & (TACH_STATUS_CPU | TACH_STATUS_UNKNOWN)) == 0;
}

/* Whether a thread that waits for a CPU still waits for the GIL: it was seen to,
 * and has had no CPU since. */
static bool
still_waits(const struct process *p, struct thread *t)
{
	if (t->waiting != SWITCHES_UNKNOWN &&
	    switches_count(&t->switches, p, t->task) == t->waiting)
		return true;
	t->waiting = SWITCHES_UNKNOWN;
	return false;
}

/* The status bits of a blocked thread.  futex: the address that it waits at. */
static uint8_t
blocked(const struct process *p, struct thread *t, const struct moment *m,
    uint64_t futex)
{
	bool waits = !m->holds_gil && m->gil != 0 &&
	    status_waits(m->offsets, m->gil, futex);

	t->waiting = waits ? switches_count(&t->switches, p, t->task) :
			     SWITCHES_UNKNOWN;
	return waits ? TACH_STATUS_GIL_WANTED : 0;
}

/*
 * The status bits of a thread now, by a file of one line.  The line is "running"
 * if the thread runs or only waits for a CPU; else it has the call that the thread
 * is blocked in, or -1 for none (a page fault).  To 3.14, only this call tells
 * that a thread wants the GIL.
 */
static uint8_t
look_at_task(const struct process *p, struct thread *t, const struct moment *m)
{
	char text[256];

	if (m->waits)
		return TACH_STATUS_GIL_WANTED;
	if (t->held || m->ran)
		return TACH_STATUS_CPU;
	if (!read_call(t, text, sizeof(text)))
		return TACH_STATUS_UNKNOWN;
	if (text[0] != 'r')
		return blocked(p, t, m, futex_address(text));
	return TACH_STATUS_CPU | (!m->holds_gil && still_waits(p, t) ?
	    TACH_STATUS_GIL_WANTED : 0);
}

uint8_t
status_of(const struct process *p, struct thread *t,
    const struct moment *m)
{
	uint8_t status = look_at_task(p, t, m);

	if (t->task == p->pid)
		status |= TACH_STATUS_MAIN;
	if (m->holds_gil)
		status |= TACH_STATUS_GIL;
	else if (m->wants_gil)
		status |= TACH_STATUS_GIL_WANTED;
	if (m->exception)
		status |= TACH_STATUS_EXCEPTION;
	return status;
}

bool
status_kept(const struct tach_recorder_options *o, uint8_t status)
{
	static const uint8_t needed[] = {
		[TACH_MODE_WALL] = 0,
		[TACH_MODE_CPU] = TACH_STATUS_CPU,
		[TACH_MODE_GIL] = TACH_STATUS_GIL,
		[TACH_MODE_EXCEPTION] = TACH_STATUS_EXCEPTION,
	};

	if (o->drop_idle && tach_status_idle(status))
		return false;
	return (status & needed[o->mode]) == needed[o->mode];
}
