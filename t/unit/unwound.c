/* SPDX-License-Identifier: ISC */
/*
 * unwound.c: unwound PID: stops a process's main thread, and prints the address of each
 * of its frames of C, innermost first.
 * unwound -t PID: then prints its modules that have a table, a line each: file, rows,
 * KiB of the table, ms of CPU time for it; and the ns that a frame takes to unwind.
 * unwound -c PID: instead prints of how many frames the code leads to the caller that their
 * table tells, to none, and to another one: these are told, too.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/copy/snapshot.h"
#include "engine/native/process_modules.h"
#include "engine/native/stack_window.h"
#include "native/coderun.h"

#define FRAMES 100000
#define TIMES 2000 /* walks of the stack that are timed */
#define PATIENCE (5 * NS_PER_S)

static struct process process;
static struct process_memory memory;
static struct process_modules modules;
static struct stack_window window;
static struct stops stops = {.process = &process};
static struct native_frame frames[FRAMES];

static struct unwind
begin(const struct task_registers *r)
{
	struct unwind u = {.tables = &modules.tables, .stack = &window.stack,
	    .at.pc = r->pc, .exact = true};

	for (unsigned i = 0; i < r->count; i++) {
		u.at.value[i] = r->value[i];
		u.at.known |= UINT64_C(1) << i;
	}
	return u;
}

static size_t
walk(const struct task_registers *r, enum unwind_end *end)
{
	struct unwind u = begin(r);
	size_t n = 0;

	*end = unwind_all(&u, frames, &n, FRAMES);
	return n;
}

/* Stops the thread; on a busy machine that can take long. */
static bool
stop(pid_t pid)
{
	uint64_t end = clock_ns() + PATIENCE;

	while (!stop_thread(&stops, pid))
		if (clock_ns() > end)
			return false;
	return true;
}

static void
print_tables(void)
{
	for (size_t i = 0; i < modules.modules.nlist; i++) {
		const struct module *m = modules.modules.list[i];
		if (m->opened && m->cfi.count > 0)
			printf("%s\t%zu rows\t%zu rules\t%zu KiB\t%.2f ms\n",
			    m->path, m->cfi.count, m->cfi.nrules,
			    cfi_size(&m->cfi) / 1024, (double)m->built_ns / 1e6);
	}
}

static void
print_speed(const struct task_registers *r, size_t n)
{
	uint64_t begun = clock_cpu_ns();
	enum unwind_end end;

	for (int i = 0; i < TIMES; i++)
		walk(r, &end);
	printf("%.0f ns a frame\n",
	    (double)(clock_cpu_ns() - begun) / TIMES / (double)n);
}

/* Whether the code of a frame leads to its caller; it may not know the frame pointer. */
static bool
is_caller(const struct unwind *caller, uint64_t cfa, const struct unwind_registers *by_code,
    uint64_t cfa_by_code)
{
	unsigned fp = modules.tables.machine->fp;
	uint64_t both = caller->at.known & by_code->known;

	return cfa == cfa_by_code && caller->at.pc == by_code->pc &&
	    ((both >> fp & 1) == 0 || caller->at.value[fp] == by_code->value[fp]);
}

static void
print_by_code(const struct task_registers *r)
{
	struct unwind u = begin(r);
	unsigned same = 0, none = 0, wrong = 0;
	struct native_frame f;

	for (;;) {
		struct unwind_registers by_code = u.at;
		uint64_t cfa, pc = u.at.pc;
		bool led = coderun_leave(u.tables, u.stack, &by_code, &cfa) &&
		    unwind_is_return(u.tables, by_code.pc);
		if (unwind_step(&u, &f) != UNWIND_GOES_ON)
			break;
		if (!led)
			none++;
		else if (is_caller(&u, f.cfa, &by_code, cfa))
			same++;
		else {
			wrong++;
			printf("at %" PRIx64 ": to %" PRIx64 ", not %" PRIx64 "\n", pc,
			    by_code.pc, u.at.pc);
		}
	}
	printf("same %u none %u wrong %u\n", same, none, wrong);
}

int
main(int argc, char *argv[])
{
	bool tables = argc > 2 && strcmp(argv[1], "-t") == 0;
	bool by_code = argc > 2 && strcmp(argv[1], "-c") == 0;
	pid_t pid = argc > 1 ? (pid_t)atoi(argv[argc - 1]) : 0;
	struct native_capture from = {.memory = &memory.memory};
	const struct task_registers *r = &from.registers;
	enum unwind_end end;
	size_t n;

	if (!process_open(&process, pid))
		err(1, "%d", (int)pid);
	process_memory_init(&memory, pid);
	process_modules_init(&modules, &process, &memory.memory);
	stack_window_init(&window, &memory.memory);
	if (!stop(pid) || !stop_registers(&stops, pid, &from.registers) ||
	    !stack_window_open(&window, &from, r->value[modules.tables.machine->sp]))
		errx(1, "%d does not stop", (int)pid);
	n = walk(r, &end);
	for (size_t i = 0; i < n && !by_code; i++)
		printf("%" PRIx64 "\n", frames[i].pc);
	if (by_code)
		print_by_code(r);
	if (tables) {
		print_tables();
		print_speed(r, n);
	}
	stops_free(&stops, 0);
	process_modules_free(&modules);
	stack_window_free(&window);
	process_close(&process);
	if (end != UNWIND_COMPLETE)
		errx(2, "the walk ended for reason %d", (int)end);
	return 0;
}
