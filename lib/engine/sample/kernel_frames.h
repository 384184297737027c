/* SPDX-License-Identifier: ISC */
/*
 * kernel_frames.h: the functions of the kernel that a thread is in, as frames of the
 * table.
 *
 * They are of a stack that an interrupt has copied, or of a thread that has no CPU.  The
 * frames of an interrupt that has come, and those of the scheduler as it takes the CPU,
 * are left out: a thread in user mode has none.  One that has lost its CPU in the kernel,
 * and waits for a CPU, has the frame "schedule" above them.
 */
#ifndef ENGINE_SAMPLE_KERNEL_FRAMES_H
#define ENGINE_SAMPLE_KERNEL_FRAMES_H

#include "engine/kernel/kallsyms.h"
#include "engine/os/os.h"
#include "python/frames.h"
#include "set.h"
#include "tach-record.h"

/* A place in the kernel's code, by the address that it was looked up by. */
struct kernel_place {
	uint64_t addr;
	uint32_t frame; /* TACH_NONE: not made yet */
	const char *name;
	enum kernel_function is;
};

struct kernel_frames {
	struct tach_table *table;
	bool names; /* kallsyms are held */
	struct kernel_place *list; /* that were seen */
	size_t count, max;
	struct set set;
	/* Of the last stack, innermost first. */
	bool known;
	uint32_t frames[KERNEL_DEPTH];
	unsigned depth;
	struct py_chain shown;
};

/* The table must outlive it.  Without kallsyms_hold before it, stacks of instructions are
 * not known. */
void kernel_frames_init(struct kernel_frames *, struct tach_table *);
void kernel_frames_free(struct kernel_frames *);

/* Forgets the last stack. */
void kernel_frames_forget(struct kernel_frames *);
/* Makes frames of a stack in the kernel.  False if out of memory. */
bool kernel_frames_take(struct kernel_frames *, const struct kernel_stack *);
/* Reads the stack of a thread that has no CPU; the descriptor is task_open's.  The stack
 * holds as long as the count of the thread's switches, taken before, is the same.
 * Without a BPF program of standing.h, it has to be blocked.  False if out of memory. */
bool kernel_frames_look(struct kernel_frames *, const struct process *, pid_t, int fd);

/* Puts the frames of the last stack above those of a chain, and between them the callee
 * of its innermost frame; TACH_NONE: there is none.  Returns the chain itself if there
 * are no frames, else one that is valid until the next call.  NULL if out of memory. */
struct py_chain *kernel_frames_show(struct kernel_frames *, struct py_chain *,
    uint32_t callee);

/* Counts the last stack in the stats; and adds a note of what was counted to a table, if
 * there was a stack: see tach(5). */
void kernel_frames_count(const struct kernel_frames *, struct tach_recorder_stats *);
void kernel_frames_note(const struct tach_recorder_stats *, struct tach_table *);

#endif
