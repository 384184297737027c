/* SPDX-License-Identifier: ISC */
/* nointerrupt.c: interrupt.h and ahead.h where it was built without what they
 * need. */
#include "engine/kernel/ahead.h"

struct interrupts *
interrupts_new(uint64_t interval_ns)
{
	(void)interval_ns;
	return NULL;
}

void
interrupts_drop(struct interrupts *in)
{
	(void)in;
}

int
interrupts_stir(const struct interrupts *in)
{
	(void)in;
	return -1;
}

bool
interrupts_reach(int cpu)
{
	(void)cpu;
	return false;
}

enum interrupt_result
interrupts_read(struct interrupts *in, pid_t task, int cpu, struct snapshot *s,
    const struct interrupt_way *way, uint64_t *rest_ns)
{
	(void)in;
	(void)task;
	(void)cpu;
	(void)s;
	(void)way;
	*rest_ns = 0;
	return INTERRUPT_FAILED;
}

void
ahead_init(struct ahead *a, struct interrupts *in)
{
	*a = (struct ahead){.in = in};
}

void
ahead_free(struct ahead *a)
{
	(void)a;
}

bool
ahead_prepare(struct ahead *a, uint64_t interval_ns)
{
	(void)a;
	(void)interval_ns;
	return false;
}

bool
ahead_ask(struct ahead *a, const struct ahead_ask *ask)
{
	(void)a;
	(void)ask;
	return false;
}

bool
ahead_knows_calls(const struct ahead *a)
{
	(void)a;
	return false;
}

bool
ahead_begin(struct ahead *a, const struct interrupt_gil *gil, uint64_t switches,
    uint32_t batch)
{
	(void)a;
	(void)gil;
	(void)switches;
	(void)batch;
	return false;
}

void
ahead_set_interval(struct ahead *a, uint64_t interval_ns)
{
	(void)a;
	(void)interval_ns;
}

void
ahead_set_batch(struct ahead *a, uint32_t batch)
{
	(void)a;
	(void)batch;
}

void
ahead_end(struct ahead *a)
{
	(void)a;
}

void
ahead_lose(struct ahead *a, size_t nth)
{
	(void)a;
	(void)nth;
}

void
ahead_cancel(struct ahead *a)
{
	(void)a;
}

void
ahead_doubt(struct ahead *a)
{
	(void)a;
}

uint64_t
ahead_doubts(const struct ahead *a)
{
	(void)a;
	return 0;
}

bool
ahead_is_dear(const struct ahead *a)
{
	(void)a;
	return false;
}

bool
ahead_was_away(struct ahead *a)
{
	(void)a;
	return false;
}

bool
ahead_left(const struct ahead *a)
{
	(void)a;
	return false;
}

uint64_t
ahead_away(const struct ahead *a)
{
	(void)a;
	return 0;
}

uint64_t
ahead_gap(const struct ahead *a)
{
	(void)a;
	return UINT64_MAX;
}

bool
ahead_hurry(struct ahead *a)
{
	(void)a;
	return false;
}

int
ahead_fd(const struct ahead *a, size_t nth)
{
	(void)a;
	(void)nth;
	return -1;
}

bool
ahead_next(struct ahead *a, uint64_t *time)
{
	(void)a;
	(void)time;
	return false;
}

bool
ahead_more(struct ahead *a)
{
	(void)a;
	return false;
}

size_t
ahead_who(const struct ahead *a)
{
	(void)a;
	return 0;
}

bool
ahead_take(const struct ahead *a, struct snapshot *s)
{
	(void)a;
	(void)s;
	return false;
}
