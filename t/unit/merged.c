/* SPDX-License-Identifier: ISC */
/*
 * merged.c: merged PID: prints the stack of Python and C that the main thread of a
 * process has, as --dump --native does, for each line of registers on standard input: x0
 * to x30, sp and pc of arm64, as hex digits.  The process stands still from before the
 * line until an empty line is printed.
 *
 * For a process that qemu runs: its memory is read through /proc, as qemu has no
 * process_vm_readv, and its registers are told by whoever stops it.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/native/mixed.h"
#include "native/elf.h"
#include "python/code.h"
#include "python/runtime.h"

#define REGISTERS 32 /* and the instruction */
#define SPANS 64

static int memory_fd;

static bool
read_pieces(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	(void)m;
	for (size_t i = 0; i < n; i++)
		if (pread(memory_fd, pieces[i].buf, pieces[i].size,
			(off_t)pieces[i].addr) != (ssize_t)pieces[i].size)
			return false;
	return true;
}

static const struct py_memory memory = {read_pieces};

/* ---- the interpreter ---------------------------------------------------- */

static uint64_t
start_of_file(const struct mappings *ms, const char *path)
{
	for (size_t i = 0; i < ms->count; i++)
		if (ms->list[i].offset == 0 && strcmp(ms->list[i].path, path) == 0)
			return ms->list[i].start;
	return 0;
}

/* Whether a mapping is of the interpreter's code. */
static bool
has_python(const struct process *p, const struct mapping *m, struct elf_python *e)
{
	int fd = m->executable && m->inode != 0 ? process_open_mapping(p, m) : -1;
	bool found = fd >= 0 && elf_find_python(fd, e) && e->runtime != 0;

	if (fd >= 0)
		close(fd);
	return found;
}

static void
load_runtime(const struct process *p, struct py_runtime *rt)
{
	struct mappings ms;
	struct elf_python e;
	uint32_t version = 0;

	if (!process_mappings(p, &ms))
		err(1, "mappings");
	for (size_t i = 0; i < ms.count; i++) {
		uint64_t bias;
		if (!has_python(p, &ms.list[i], &e))
			continue;
		bias = start_of_file(&ms, ms.list[i].path) - e.base;
		if (e.version != 0)
			py_read(&memory, e.version + bias, &version, sizeof(version));
		if (runtime_load(&memory, e.runtime + bias, version, rt) != RUNTIME_OK)
			errx(1, "%s: its runtime cannot be loaded", ms.list[i].path);
		mappings_free(&ms);
		return;
	}
	errx(1, "process %d: no Python", (int)p->pid);
}

/* ---- Python's frames ---------------------------------------------------- */

struct filled_view {
	struct py_view view; /* first: fill gets its address */
	struct py_span spans[SPANS];
};

static bool
fill(struct py_view *v, uint64_t addr, size_t size)
{
	struct filled_view *f = (struct filled_view *)v;
	uint8_t *bytes = malloc(size);

	if (bytes == NULL || !py_read(&memory, addr, bytes, size)) {
		free(bytes);
		return false;
	}
	if (v->count == SPANS)
		v->count = v->hint = 0;
	free((void *)(uintptr_t)f->spans[v->count].bytes);
	f->spans[v->count++] = (struct py_span){addr, size, bytes};
	return true;
}

static bool
read_chain(const struct py_runtime *rt, uint64_t thread, struct py_chain *c)
{
	static struct filled_view v = {.view = {.fill = fill,
	    .memory.read = view_read, .spans = v.spans}};
	struct py_marks marks = {0};

	v.view.count = v.view.hint = 0; /* they are of another moment */
	return walk_frames(&rt->offsets, &v.view, thread, &marks, c) == WALK_OK;
}

/* ---- stacks ------------------------------------------------------------- */

static void
print_code(const struct py_offsets *o, const struct py_place *p)
{
	struct py_location l = {-1, -1, -1, -1};
	struct py_code c;

	if (!code_read(o, &memory, p->code, &c)) {
		puts("    unreadable (?:0)");
		return;
	}
	code_locate(o, &c, p->instr, &l);
	printf("    %.*s (%.*s:%" PRId32 ")\n", (int)c.name.len, c.name.bytes,
	    (int)c.file.len, c.file.bytes, l.line < 0 ? 0 : l.line);
	code_free(&c);
}

static void
print_made(const struct tach_table *table, uint64_t index)
{
	const struct tach_frame *f = tach_table_frame(table, (uint32_t)index);
	struct tach_string name = tach_table_string(table, f->func),
	    file = tach_table_string(table, f->file);

	printf("    %.*s (%.*s)\n", (int)name.len, name.bytes, (int)file.len, file.bytes);
}

static void
print_chain(const struct py_offsets *o, const struct tach_table *table,
    const struct py_chain *c)
{
	puts("thread 1 \"MainThread\"");
	for (size_t i = 0; i < c->depth; i++) {
		const struct py_place *p = &c->places[i];
		if (p->code == PLACE_FRAME)
			print_made(table, p->instr);
		else if (!place_is_mark(p))
			print_code(o, p);
	}
	puts("");
	fflush(stdout);
}

static bool
read_registers(char *line, struct task_registers *r)
{
	*r = (struct task_registers){.count = REGISTERS};
	for (unsigned i = 0; i < REGISTERS; i++)
		r->value[i] = strtoull(line, &line, 16);
	r->pc = strtoull(line, &line, 16);
	return r->pc != 0;
}

static void
merge(struct mixed *m, const struct py_runtime *rt, const struct tach_table *table,
    uint64_t thread, char *line)
{
	struct native_capture from = {.memory = &memory};
	static struct py_chain chain;
	struct py_chain *found;

	if (!read_registers(line, &from.registers))
		errx(1, "no registers: %s", line);
	mixed_begin(m, &from, thread);
	mixed_unwind(m, &from);
	if (!read_chain(rt, thread, &chain)) {
		puts("thread 1 without frames\n");
		fflush(stdout);
		return;
	}
	if (!mixed_merge(m, &chain) ||
	    (found = mixed_name(m, &chain, TACH_NONE)) == NULL)
		err(1, NULL);
	print_chain(&rt->offsets, table, found);
}

int
main(int argc, char *argv[])
{
	const struct tach_recorder_options options = {.mixed = TACH_MIXED_CALLS,
	    .careful = true};
	struct tach_table *table = tach_table_new();
	struct native_faults faults = {0};
	struct py_threads threads = {0};
	struct process p = {.pidfd = -1};
	char path[64], *line = NULL;
	struct py_runtime rt;
	struct mixed *m;
	size_t room = 0;

	if (argc != 2)
		errx(2, "usage: merged PID");
	p.pid = p.task = (pid_t)atoi(argv[1]);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)p.pid);
	if ((memory_fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		err(1, "%s", path);
	load_runtime(&p, &rt);
	if (!runtime_threads(&memory, &rt, &threads))
		errx(1, "no threads");
	m = mixed_new(&p, &rt.offsets, &memory, table, &faults, NULL, &options);
	if (table == NULL || m == NULL)
		err(1, NULL);
	while (getline(&line, &room, stdin) > 0)
		merge(m, &rt, table, threads.list[threads.count - 1].addr, line);
	free(line);
	mixed_free(m);
	tach_table_free(table);
	runtime_threads_free(&threads);
	native_faults_free(&faults);
	return 0;
}
