/* SPDX-License-Identifier: ISC */
/*
 * snap: stores what python/ reads of a process that stands still, for
 * test_snapshots and fuzz_python, and prints what it found.
 *
 *	snap PID FILE
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "engine/copy/snapshot.h"
#include "engine/locate/find.h"
#include "native/elf.h"
#include "python/tasks.h"
#include "walks.h"

/* A memory that keeps the blocks that are read. */
struct recording {
	struct py_memory memory; /* first: read gets its address */
	struct process_memory process;
	struct stored stored;
	size_t max;
};

static bool
keep(struct recording *r, uint64_t addr)
{
	struct block b = {.addr = addr}, *p;

	for (size_t i = 0; i < r->stored.count; i++)
		if (r->stored.blocks[i].addr == addr)
			return true;
	if (!py_read(&r->process.memory, addr, b.bytes, sizeof(b.bytes)))
		return false;
	p = array_grow(r->stored.blocks, r->stored.count, &r->max, sizeof(*p));
	if (p == NULL)
		err(1, NULL);
	r->stored.blocks = p;
	p[r->stored.count++] = b;
	return true;
}

static bool
keep_all(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct recording *r = (struct recording *)(uintptr_t)m;

	for (size_t i = 0; i < n; i++) {
		uint64_t end = pieces[i].addr + pieces[i].size;
		for (uint64_t a = pieces[i].addr / BLOCK * BLOCK; a < end;
		    a += BLOCK)
			if (!keep(r, a))
				return false;
	}
	return r->process.memory.read(&r->process.memory, pieces, n);
}

/* Where module _asyncio has its table; 0: nowhere. */
static uint64_t
find_asyncio(const struct process *p)
{
	struct mappings maps = {0};
	uint64_t addr, base, found = 0;

	if (!process_mappings(p, &maps))
		return 0;
	for (size_t i = 0; i < maps.count && found == 0; i++) {
		const struct mapping *m = &maps.list[i];
		int fd = m->offset == 0 && m->inode != 0 ?
		    process_open_mapping(p, m) : -1;
		if (fd < 0)
			continue;
		if (elf_find_section(fd, TASKS_SECTION, TASKS_DEBUG_SIZE,
			&addr, &base))
			found = m->start - base + addr;
		close(fd);
	}
	mappings_free(&maps);
	return found;
}

int
main(int argc, char *argv[])
{
	struct recording r = {.memory.read = keep_all};
	struct error error = {0};
	struct py_runtime rt;
	struct process p;
	uint64_t seen = 0;

	if (argc != 3)
		errx(2, "usage: snap PID FILE");
	if (!process_open(&p, (pid_t)atoi(argv[1])))
		err(1, "process %s", argv[1]);
	if (find_python(&p, FIND_DEEP, &seen, &rt, &error) != FIND_OK)
		errx(1, "process %s: no Python", argv[1]);
	process_memory_init(&r.process, p.pid);
	r.stored.runtime = rt.addr;
	r.stored.version = rt.version;
	if (runtime_load(&r.memory, rt.addr, rt.version, &rt) != RUNTIME_OK ||
	    runtime_check(&r.memory, &rt) != RUNTIME_OK)
		errx(1, "process %s: its runtime cannot be loaded", argv[1]);
	r.stored.asyncio = find_asyncio(&p);
	walk_all(&r.memory, &rt, r.stored.asyncio, stdout);
	if (!stored_save(&r.stored, argv[2]))
		err(1, "%s", argv[2]);
	process_close(&p);
	return 0;
}
