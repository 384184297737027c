/* SPDX-License-Identifier: ISC */
/*
 * test_kernel_frames: of stacks in the kernel the interrupt that has come and the
 * scheduler are left out, and nothing else.  The stacks are made of the running kernel's
 * functions.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "engine/kernel/kallsyms.h"
#include "engine/sample/kernel_frames.h"
#include "tach.h"

#define ADDRESSES 16

static struct tach_table *table;
static struct kernel_frames frames;

/* The address of a function; 0: this kernel has none of this name. */
static uint64_t
address_of(const char *name)
{
	char line[1024], at[512];
	unsigned long long addr;
	FILE *in = fopen("/proc/kallsyms", "r");
	uint64_t found = 0;

	assert(in != NULL);
	while (found == 0 && fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, "%llx %*c %511s", &addr, at) == 2 &&
		    strcmp(at, name) == 0)
			found = addr;
	fclose(in);
	return found;
}

/* Makes a stack of functions, innermost first, in the middle of which are its addresses;
 * and tells the names of its frames, with a space behind each. */
static const char *
shown(enum kernel_moment at, const char *const names[])
{
	static char text[1024];
	uint64_t places[ADDRESSES];
	struct kernel_stack s = {at, 0, places};

	for (; names[s.depth] != NULL; s.depth++) {
		assert(s.depth < ADDRESSES);
		places[s.depth] = address_of(names[s.depth]) + 1;
		assert(places[s.depth] != 1);
	}
	assert(kernel_frames_take(&frames, &s));
	text[0] = '\0';
	for (unsigned i = 0; i < frames.depth; i++) {
		const struct tach_frame *f = tach_table_frame(table, frames.frames[i]);
		struct tach_string name = tach_table_string(table, f->func);
		strncat(text, name.bytes, name.len);
		strcat(text, " ");
	}
	return text;
}

#define SHOWN(at, ...) shown(at, (const char *const[]){__VA_ARGS__, NULL})

#define CALL "asm_sysvec_call_function_single", "vfs_read", "do_syscall_64"
#define CALLED "vfs_read do_syscall_64 "

static void
test_interrupts(void)
{
	assert(strcmp(SHOWN(KERNEL_CALLED, "bpf_get_stack", CALL), CALLED) == 0);
	assert(frames.known);
	assert(strcmp(SHOWN(KERNEL_CALLED, "bpf_get_stack",
	    "asm_sysvec_call_function_single"), "") == 0);
	assert(frames.known);
	/* Without an entry it cannot be told which functions are the interrupt's. */
	assert(strcmp(SHOWN(KERNEL_CALLED, "bpf_get_stack", "vfs_read"), "") == 0);
	assert(!frames.known);
	/* An interrupt of an interrupt: the outer one has come to the thread. */
	assert(strcmp(SHOWN(KERNEL_CALLED, "asm_sysvec_call_function_single", "vfs_write",
	    "asm_sysvec_apic_timer_interrupt", "vfs_read"), "vfs_read ") == 0);
	assert(strcmp(SHOWN(KERNEL_TICKED, "vfs_write", "asm_common_interrupt",
	    "vfs_read"), "vfs_read ") == 0);
	assert(strcmp(SHOWN(KERNEL_TICKED, "vfs_read", "do_syscall_64"), CALLED) == 0);
	/* An exception is the thread's own. */
	assert(strcmp(SHOWN(KERNEL_TICKED, "handle_mm_fault", "asm_exc_page_fault"),
	    "handle_mm_fault asm_exc_page_fault ") == 0);
}

static void
test_scheduler(void)
{
	assert(strcmp(SHOWN(KERNEL_BLOCKS, "bpf_get_stack", "__schedule", "schedule",
	    "vfs_read", "do_syscall_64"), CALLED) == 0);
	assert(frames.known);
	assert(strcmp(SHOWN(KERNEL_LEAVES, "bpf_get_stack", "__schedule", "schedule",
	    "vfs_read", "do_syscall_64"), "schedule " CALLED) == 0);
	assert(strcmp(SHOWN(KERNEL_LEAVES, "__schedule", "schedule",
	    "asm_sysvec_apic_timer_interrupt"), "") == 0);
	assert(frames.known);
	assert(strcmp(SHOWN(KERNEL_BLOCKS, "schedule", "vfs_read", "do_syscall_64"),
	    CALLED) == 0);
	SHOWN(KERNEL_LEAVES, "bpf_get_stack", "vfs_read");
	assert(!frames.known && frames.depth == 0);
	assert(strcmp(SHOWN(KERNEL_CALLED, "asm_sysvec_call_function_single", "vfs_write",
	    "__schedule", "schedule", "vfs_read"), "vfs_read ") == 0);
	assert(strcmp(SHOWN(KERNEL_TICKED, "vfs_write", "__schedule", "schedule",
	    "vfs_read"), "vfs_read ") == 0);
	assert(strcmp(SHOWN(KERNEL_TICKED, "schedule", "vfs_read"),
	    "schedule vfs_read ") == 0);
	assert(strcmp(SHOWN(KERNEL_STANDS, "vfs_read", "do_syscall_64"), CALLED) == 0);
	assert(strcmp(SHOWN(KERNEL_LACKS, "vfs_read", "do_syscall_64"),
	    "schedule " CALLED) == 0);
	assert(strcmp(SHOWN(KERNEL_LACKS, "exit_to_user_mode_loop",
	    "asm_sysvec_apic_timer_interrupt"), "") == 0);
	SHOWN(KERNEL_UNKNOWN, "vfs_read");
	assert(!frames.known && frames.depth == 0);
}

/* The instruction that comes next can be the first one of its function.  Behind a call
 * that never returns lies the first one of the next function. */
static void
test_edges(void)
{
	uint64_t places[] = {address_of("vfs_read"), address_of("vfs_read")};
	const struct kernel_stack s = {KERNEL_TICKED, 2, places};
	struct tach_string name, next;

	assert(kernel_frames_take(&frames, &s) && frames.depth == 2);
	name = tach_table_string(table, tach_table_frame(table, frames.frames[0])->func);
	next = tach_table_string(table, tach_table_frame(table, frames.frames[1])->func);
	assert(name.len == strlen("vfs_read") && memcmp(name.bytes, "vfs_read", 8) == 0);
	assert(next.len != name.len || memcmp(next.bytes, name.bytes, name.len) != 0);
}

static void
test_unknown_code(void)
{
	assert(kallsyms_find(1).name == NULL);
	assert(kallsyms_find(UINT64_MAX).name == NULL);
}

int
main(void)
{
	if (kallsyms_hold() != KALLSYMS_OK ||
	    address_of("asm_sysvec_call_function_single") == 0)
		return 77;
	assert((table = tach_table_new()) != NULL);
	kernel_frames_init(&frames, table);
	test_interrupts();
	test_scheduler();
	test_edges();
	test_unknown_code();
	kernel_frames_free(&frames);
	kallsyms_drop();
	tach_table_free(table);
	return 0;
}
