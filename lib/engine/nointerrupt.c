/* SPDX-License-Identifier: ISC */
/* nointerrupt.c: interrupt.h where it was built without what that needs. */
#include "engine/interrupt.h"

struct interrupts *
interrupts_new(void)
{
	return NULL;
}

struct interrupts *
interrupts_hold(struct interrupts *in)
{
	return in;
}

void
interrupts_drop(struct interrupts *in)
{
	(void)in;
}

enum interrupt_result
interrupts_read(struct interrupts *in, const struct process *p, pid_t task,
    int *cpu, struct snapshot *s, const struct interrupt_way *way,
    size_t current)
{
	(void)in;
	(void)p;
	(void)task;
	(void)cpu;
	(void)s;
	(void)way;
	(void)current;
	return INTERRUPT_FAILED;
}
