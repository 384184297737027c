/* SPDX-License-Identifier: ISC */
/* standing.bpf.c: the program that runs in the kernel for standing.c.  It is apart from
 * interrupt.bpf.c, as to load a program that asks for the kernel's own types takes ten
 * times as long.  This file is built for BPF. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "engine/bpf/standing_shared.h"

/* The members that are used, wherever the kernel has them. */
struct task_struct {
	int on_cpu;
} __attribute__((preserve_access_index));

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym;
extern void bpf_task_release(struct task_struct *p) __ksym;

/* The helpers do not write to the words themselves, and their own memory is small: so it
 * is that of one function at a time. */
static __noinline int
copy_registers(struct standing_look *look, struct task_struct *task)
{
	__u64 registers[STANDING_REGISTERS];

	bpf_probe_read_kernel(registers, sizeof(registers),
	    (const void *)bpf_task_pt_regs(task));
	__builtin_memcpy(look->registers, registers, sizeof(registers));
	return 0;
}

static __noinline int
copy_kernel(struct standing_look *look, struct task_struct *task)
{
	__u64 places[STANDING_DEPTH];

	look->kernel_size = bpf_get_task_stack(task, places, sizeof(places), 0);
	__builtin_memcpy(look->kernel, places, sizeof(places));
	return 0;
}

/* Returns 0 if there is such a thread.  Its registers and its stack are read once it was
 * seen to have no CPU: if it gets one since then, its count of switches tells so. */
SEC("syscall")
int
tach_look(struct standing_look *look)
{
	struct task_struct *task = bpf_task_from_pid((__s32)look->task);

	if (task == 0)
		return 1;
	look->runs = *(const volatile int *)&task->on_cpu != 0;
	copy_registers(look, task);
	if (look->wants_kernel && !look->runs)
		copy_kernel(look, task);
	bpf_task_release(task);
	return 0;
}

/* The kernel's helpers ask for such a license.  Code under the ISC license may be
 * used under this one, too. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
