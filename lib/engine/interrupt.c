/* SPDX-License-Identifier: ISC */
/* interrupt.c: see interrupt.h. */
#include "engine/interrupt.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/interruptprogram.h"

#define FIRST_PID_NAMESPACE 0xeffffffcu /* its file's number in all kernels */

struct interrupts {
	struct bpf_object *object;
	int program; /* descriptor */
	struct interrupt_wire *wire;
	unsigned holders;
};

/* ---- making ------------------------------------------------------------ */

static int
say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* Bytes that are mapped. */
static size_t
wire_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct interrupt_wire) + page - 1) / page * page;
}

static bool
load(struct interrupts *in)
{
	struct bpf_program *program;
	int map;
	void *p;

	libbpf_set_print(say_nothing);
	in->object = bpf_object__open_mem(interrupt_program,
	    sizeof(interrupt_program), NULL);
	if (in->object == NULL || bpf_object__load(in->object) != 0)
		return false;
	program = bpf_object__find_program_by_name(in->object,
	    "tach_interrupt");
	in->program = bpf_program__fd(program);
	map = bpf_object__find_map_fd_by_name(in->object, "wire");
	p = mmap(NULL, wire_size(), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	in->wire = p != MAP_FAILED ? p : NULL;
	return in->wire != NULL;
}

/* In a PID namespace of our own, our numbers are those of that. */
static void
tell_namespace(struct interrupt_wire *w)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) != 0 ||
	    st.st_ino == FIRST_PID_NAMESPACE)
		return;
	/* As the kernel has it, not as system calls do. */
	w->namespace_dev = (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev);
	w->namespace_ino = st.st_ino;
}

struct interrupts *
interrupts_new(void)
{
	struct interrupts *in = calloc(1, sizeof(*in));

	if (in == NULL)
		return NULL;
	in->holders = 1;
	if (!load(in)) {
		interrupts_drop(in);
		return NULL;
	}
	tell_namespace(in->wire);
	return in;
}

struct interrupts *
interrupts_hold(struct interrupts *in)
{
	if (in != NULL)
		in->holders++;
	return in;
}

void
interrupts_drop(struct interrupts *in)
{
	if (in == NULL || --in->holders > 0)
		return;
	if (in->wire != NULL)
		munmap(in->wire, wire_size());
	bpf_object__close(in->object);
	free(in);
}

/* ---- reading ----------------------------------------------------------- */

/* In pieces that can be copied. */
static bool
ask_for(struct interrupt_wire *w, uint64_t addr, size_t size)
{
	while (size > 0) {
		size_t n = size < INTERRUPT_BLOCK ? size : INTERRUPT_BLOCK;
		if (w->ranges == INTERRUPT_RANGES)
			return false;
		w->range[w->ranges++] = (struct interrupt_range){addr, n};
		addr += n;
		size -= n;
	}
	return true;
}

static bool
ask(struct interrupt_wire *w, pid_t task, const struct snapshot *s,
    const struct interrupt_way *way, size_t current)
{
	w->task = (uint32_t)task;
	w->ranges = 0;
	for (size_t i = 0; i < s->count; i++)
		if (!ask_for(w, (uint64_t)(uintptr_t)s->remote[i].iov_base,
			s->remote[i].iov_len))
			return false;
	w->current = (uint32_t)current;
	w->way = *way;
	return true;
}

/* What the program said, if a CPU could be interrupted. */
static enum interrupt_result
run(const struct interrupts *in, int cpu)
{
	struct bpf_test_run_opts o = {.sz = sizeof(o), .cpu = (uint32_t)cpu,
	    .flags = BPF_F_TEST_RUN_ON_CPU};

	return bpf_prog_test_run_opts(in->program, &o) == 0 ?
	    (enum interrupt_result)o.retval : INTERRUPT_FAILED;
}

/* On the CPU where it ran last, or, if it is elsewhere, there.  On ours there is
 * nobody but us. */
static enum interrupt_result
interrupt(const struct interrupts *in, const struct process *p, pid_t task,
    int *cpu)
{
	enum interrupt_result result = INTERRUPT_ELSEWHERE;
	int before = *cpu, own = sched_getcpu();

	if (before >= 0 && before != own)
		result = run(in, before);
	if (result != INTERRUPT_ELSEWHERE)
		return result;
	*cpu = process_thread_cpu(p, task);
	return *cpu >= 0 && *cpu != own && *cpu != before ? run(in, *cpu) :
							    result;
}

/* Adds what was copied. */
static bool
take(const struct interrupt_wire *w, struct snapshot *s)
{
	for (uint32_t i = 0; i < w->parts && i < INTERRUPT_PARTS; i++)
		if (!snapshot_add(s, w->part[i].addr, w->part[i].size))
			return false;
	return s->size <= sizeof(w->bytes) && snapshot_fill(s, w->bytes);
}

enum interrupt_result
interrupts_read(struct interrupts *in, const struct process *p, pid_t task,
    int *cpu, struct snapshot *s, const struct interrupt_way *way,
    size_t current)
{
	enum interrupt_result result;

	if (!ask(in->wire, task, s, way, current))
		return INTERRUPT_FAILED;
	result = interrupt(in, p, task, cpu);
	return result == INTERRUPT_OK && !take(in->wire, s) ?
	    INTERRUPT_FAILED : result;
}
