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

/* Returns 0 if there is such a thread.  Its registers are read once it was seen to have
 * no CPU: if it gets one since then, its count of switches tells so. */
SEC("syscall")
int
tach_look(struct standing_look *look)
{
	struct task_struct *task = bpf_task_from_pid((__s32)look->task);
	struct standing_look found = {0};

	if (task == 0)
		return 1;
	look->runs = *(const volatile int *)&task->on_cpu != 0;
	bpf_probe_read_kernel(found.registers, sizeof(found.registers),
	    (const void *)bpf_task_pt_regs(task));
	bpf_task_release(task);
	__builtin_memcpy(look->registers, found.registers, sizeof(found.registers));
	return 0;
}

/* The kernel's helpers ask for such a license.  Code under the ISC license may be
 * used under this one, too. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
