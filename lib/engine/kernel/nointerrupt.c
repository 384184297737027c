/* SPDX-License-Identifier: ISC */
/* nointerrupt.c: interrupt.h and batch.h in a build without libbpf or clang: there
 * are no interrupts. */
#include "engine/kernel/batch.h"

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
batch_init(struct batch *b, struct interrupts *in)
{
	*b = (struct batch){.in = in};
}

void
batch_free(struct batch *b)
{
	(void)b;
}

bool
batch_prepare(struct batch *b, uint64_t interval_ns)
{
	(void)b;
	(void)interval_ns;
	return false;
}

bool
batch_ask(struct batch *b, const struct batch_ask *ask)
{
	(void)b;
	(void)ask;
	return false;
}

bool
batch_knows_calls(const struct batch *b)
{
	(void)b;
	return false;
}

bool
batch_begin(struct batch *b, const struct interrupt_gil *gil, uint64_t switches,
    uint32_t size)
{
	(void)b;
	(void)gil;
	(void)switches;
	(void)size;
	return false;
}

void
batch_set_interval(struct batch *b, uint64_t interval_ns)
{
	(void)b;
	(void)interval_ns;
}

void
batch_set_size(struct batch *b, uint32_t size)
{
	(void)b;
	(void)size;
}

void
batch_end(struct batch *b)
{
	(void)b;
}

void
batch_lose(struct batch *b, size_t nth)
{
	(void)b;
	(void)nth;
}

void
batch_cancel(struct batch *b)
{
	(void)b;
}

void
batch_doubt(struct batch *b)
{
	(void)b;
}

uint64_t
batch_doubts(const struct batch *b)
{
	(void)b;
	return 0;
}

bool
batch_is_dear(const struct batch *b)
{
	(void)b;
	return false;
}

bool
batch_was_away(struct batch *b)
{
	(void)b;
	return false;
}

bool
batch_left(const struct batch *b)
{
	(void)b;
	return false;
}

uint64_t
batch_away(const struct batch *b)
{
	(void)b;
	return 0;
}

uint64_t
batch_gap(const struct batch *b)
{
	(void)b;
	return UINT64_MAX;
}

bool
batch_hurry(struct batch *b)
{
	(void)b;
	return false;
}

int
batch_fd(const struct batch *b, size_t nth)
{
	(void)b;
	(void)nth;
	return -1;
}

bool
batch_next(struct batch *b, uint64_t *time)
{
	(void)b;
	(void)time;
	return false;
}

bool
batch_more(struct batch *b)
{
	(void)b;
	return false;
}

size_t
batch_who(const struct batch *b)
{
	(void)b;
	return 0;
}

enum interrupt_result
batch_take(const struct batch *b, struct snapshot *s)
{
	(void)b;
	(void)s;
	return INTERRUPT_FAILED;
}
