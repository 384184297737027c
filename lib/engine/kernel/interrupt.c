/* SPDX-License-Identifier: ISC */
/* interrupt.c: see interrupt.h. */
#include "engine/kernel/interrupt.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "engine/kernel/bpf_load.h"
#include "engine/sched/caller.h"

#define SPARED 64 /* rounds without an interrupt after one that failed: to fill all
		   * the room takes the thread long */

/* NULL in a build without libbpf, or without a clang that compiles for BPF. */
#ifdef HAVE_BPF
static const struct bpf_ops *const bpf = &bpf_ops;
#else
static const struct bpf_ops *const bpf = NULL;
#endif

/* ---- making ------------------------------------------------------------ */

static bool
has_one_cpu(void)
{
	cpu_set_t cpus;

	caller_cpus(&cpus);
	return CPU_COUNT(&cpus) == 1;
}

struct interrupts *
interrupts_new(uint64_t interval_ns, unsigned more)
{
	struct interrupts *in = bpf != NULL ? calloc(1, sizeof(*in)) : NULL;
	int saved;

	if (in == NULL) {
		errno = bpf != NULL ? ENOMEM : ENOSYS;
		return NULL;
	}
	in->ops = bpf;
	in->more = more;
	if (!bpf->load(in)) {
		saved = errno;
		interrupts_drop(in);
		errno = saved;
		return NULL;
	}
	in->crowded = has_one_cpu();
	in->budget = interval_ns / INTERRUPT_SHARE;
	in->cost = interrupts_measure(in);
	return in;
}

void
interrupts_drop(struct interrupts *in)
{
	if (in == NULL)
		return;
	in->ops->unload(in);
	free(in);
}

/* ---- asks and records --------------------------------------------------- */

/* Adds a range, in pieces that can be copied.  False if there are too many. */
static bool
ask_for(struct interrupt_ask *a, uint64_t addr, size_t size)
{
	while (size > 0) {
		size_t n = size < INTERRUPT_BLOCK ? size : INTERRUPT_BLOCK;
		if (a->ranges == INTERRUPT_RANGES)
			return false;
		a->range[a->ranges++] = (struct interrupt_range){addr, n};
		addr += n;
		size -= n;
	}
	return true;
}

void
interrupts_empty(struct interrupt_wire *w)
{
	w->records = w->parts = w->used = 0;
}

bool
interrupts_ask(struct interrupt_ask *a, pid_t task, const struct snapshot *s,
    const struct interrupt_way *way)
{
	a->task = (uint32_t)task;
	a->ranges = 0;
	for (size_t i = 0; i < s->count; i++)
		if (!ask_for(a, s->ranges[i].addr, s->ranges[i].size))
			return false;
	a->way = *way;
	a->way.sp = STACK_POINTER_AT / sizeof(uint64_t);
	return true;
}

enum interrupt_result
interrupts_take(const struct interrupt_wire *w, size_t record,
    struct snapshot *s)
{
	const struct interrupt_record *r = &w->record[record];

	for (uint32_t i = r->first; i < r->first + r->parts &&
	    i < INTERRUPT_PARTS; i++)
		if (!snapshot_add(s, w->part[i].addr, w->part[i].size))
			return INTERRUPT_NOMEM;
	if (r->at > sizeof(w->bytes) || s->size > sizeof(w->bytes) - r->at)
		return INTERRUPT_FAILED;
	return snapshot_fill(s, w->bytes + r->at) ? INTERRUPT_OK :
						    INTERRUPT_NOMEM;
}

bool
interrupts_take_registers(const struct interrupt_wire *w, size_t record,
    struct task_registers *r)
{
	if (w->record[record].stack == 0)
		return false;
	registers_saved(w->registers[record], sizeof(w->registers[record]), r);
	return true;
}

bool
interrupts_tell_stacks(const struct interrupts *in)
{
	return in != NULL && in->tells_calls && (in->more & INTERRUPTS_STACKS) != 0;
}

bool
interrupts_registers(const struct interrupts *in, struct task_registers *r)
{
	return interrupts_take_registers(&in->wires[0], 0, r);
}

struct kernel_stack
interrupts_take_kernel(const struct interrupt_wire *w, size_t record)
{
	static const enum kernel_moment moments[] = {
		[INTERRUPT_UNKNOWN] = KERNEL_UNKNOWN,
		[INTERRUPT_CALLED] = KERNEL_CALLED,
		[INTERRUPT_TICKED] = KERNEL_TICKED,
		[INTERRUPT_LEAVES] = KERNEL_LEAVES,
		[INTERRUPT_BLOCKS] = KERNEL_BLOCKS,
	};
	const struct interrupt_record *r = &w->record[record];

	if (r->kernel > INTERRUPT_BLOCKS || r->depth > INTERRUPT_DEPTH)
		return (struct kernel_stack){.at = KERNEL_UNKNOWN};
	return (struct kernel_stack){moments[r->kernel], r->depth, w->kernel[record]};
}

bool
interrupts_tell_kernel(const struct interrupts *in)
{
	return in != NULL && in->tells_kernel;
}

struct kernel_stack
interrupts_kernel(const struct interrupts *in)
{
	return interrupts_take_kernel(&in->wires[0], 0);
}

/* A program that reads a half written entry copies an object in vain. */
void
interrupts_know(struct interrupts *in, const struct interrupt_site *s)
{
	if (in != NULL)
		in->sites[INTERRUPT_SITE(s->instr)] = *s;
}

int
interrupts_stir(const struct interrupts *in)
{
	return in != NULL ? in->stir : -1;
}

/* ---- one thread, now --------------------------------------------------- */

/* Runs the program on a CPU, with an empty wire. */
static enum interrupt_result
run_on(const struct interrupts *in, int cpu)
{
	interrupts_empty(&in->wires[0]);
	in->wires[0].took = 0;
	return in->ops->run(in, cpu);
}

/* ns for which the thread is not to be interrupted again. */
static uint64_t
rest_after(const struct interrupts *in, enum interrupt_result result)
{
	uint64_t cost = in->cost + in->wires[0].took;
	uint64_t rest = cost > in->budget ? cost * INTERRUPT_SHARE : 0;
	uint64_t spared = SPARED * INTERRUPT_SHARE * in->budget;

	if (result == INTERRUPT_ELSEWHERE)
		return 0;
	return result == INTERRUPT_FAILED && spared > rest ? spared : rest;
}

bool
interrupts_reach(int cpu)
{
	return cpu >= 0 && cpu != sched_getcpu();
}

enum interrupt_result
interrupts_read(struct interrupts *in, pid_t task, int cpu, struct snapshot *s,
    const struct interrupt_way *way, uint64_t *rest_ns)
{
	enum interrupt_result result = INTERRUPT_FAILED;

	*rest_ns = 0;
	if (!interrupts_reach(cpu))
		return INTERRUPT_ELSEWHERE;
	if (in->is_ahead)
		result = INTERRUPT_ELSEWHERE;
	else if (!in->crowded && interrupts_ask(&in->asks[0], task, s, way))
		result = run_on(in, cpu);
	*rest_ns = rest_after(in, result);
	return result == INTERRUPT_OK ? interrupts_take(&in->wires[0], 0, s) :
					result;
}
