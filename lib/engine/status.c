/* SPDX-License-Identifier: ISC */
/* status.c: see status.h. */
#include "engine/status.h"

#include <unistd.h>

#include "tach.h"

/* Whether a thread runs just now. */
static uint8_t
cpu_bits(const struct thread *t)
{
	char text[256];
	ssize_t n = -1;

	/* "running", or the number of the call that it is blocked in. */
	if (t->syscall_fd >= 0)
		n = pread(t->syscall_fd, text, sizeof(text), 0);
	if (n <= 0)
		return TACH_STATUS_UNKNOWN;
	return text[0] == 'r' ? TACH_STATUS_CPU : 0;
}

uint8_t
status_of(const struct process *p, const struct thread *t,
    const struct moment *m)
{
	uint8_t status = cpu_bits(t);

	if (t->task == p->pid)
		status |= TACH_STATUS_MAIN;
	if (m->holds_gil)
		status |= TACH_STATUS_GIL;
	else if (m->wants_gil)
		status |= TACH_STATUS_GIL_WANTED;
	return status;
}
