/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.h: the names of the kernel's functions, by addresses of instructions.
 *
 * They are those of /proc/kallsyms, which takes a tenth of a second to read and some MiB
 * to keep.  So it is read once for the process, when the first holder asks.  Functions of
 * modules and of BPF programs that are loaded later have no name.
 */
#ifndef ENGINE_KERNEL_KALLSYMS_H
#define ENGINE_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kallsyms_result {
	KALLSYMS_OK,
	KALLSYMS_HIDDEN, /* the kernel does not tell this process its addresses */
	KALLSYMS_FAILED, /* the file cannot be read, or memory ran out: errno */
};

/* What a function is for. */
enum kernel_function {
	KERNEL_WORKS,
	KERNEL_ENTRY,	  /* an interrupt comes in by it: no call of a thread does */
	KERNEL_SCHEDULER, /* it gives the CPU to another thread, or waits until it can */
};

struct kernel_name {
	const char *name; /* NULL: not known.  Valid as long as the names are held */
	enum kernel_function is;
};

/* Reads the names for a holder, unless another one has.  After KALLSYMS_OK,
 * kallsyms_drop is to be called once. */
enum kallsyms_result kallsyms_hold(void);
void kallsyms_drop(void);

/* The function that an address is in.  The names must be held. */
struct kernel_name kallsyms_find(uint64_t addr);

/* Whether an interrupt comes in by a function of this name, of len bytes. */
bool kallsyms_is_entry(const char *name, size_t len);

#endif
