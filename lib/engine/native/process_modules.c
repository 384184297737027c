/* SPDX-License-Identifier: ISC */
/* process_modules.c: see process_modules.h. */
#include "engine/native/process_modules.h"

#include <stddef.h>
#include <unistd.h>

#include "hash.h"

#define RESTS 50 /* times as long as a listing took that did not find its address */

static struct process_modules *
of_source(const struct module_source *s)
{
	return (struct process_modules *)(uintptr_t)((const char *)s -
	    offsetof(struct process_modules, source));
}

static bool
list_code(const struct module_source *s, struct modules *to)
{
	const struct process_modules *p = of_source(s);

	for (size_t i = 0; i < p->mappings.count; i++) {
		const struct mapping *m = &p->mappings.list[i];
		if (m->executable)
			modules_map(to, &(struct code_mapping){m->start, m->end,
			    m->offset, m->device, m->inode, m->path});
	}
	return true;
}

static int
open_code(const struct module_source *s, uint64_t start)
{
	struct process_modules *p = of_source(s);

	for (size_t i = 0; i < p->mappings.count; i++)
		if (p->mappings.list[i].start == start)
			return process_open_mapping(p->process,
			    &p->mappings.list[i]);
	return -1;
}

static bool
read_bytes(const struct module_source *s, uint64_t addr, void *to, size_t size)
{
	return py_read(of_source(s)->memory, addr, to, size);
}

/* What tells the mappings of code from others. */
static uint64_t
hash_of_code(const struct mappings *ms)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < ms->count; i++) {
		const struct mapping *m = &ms->list[i];
		const uint64_t numbers[] = {m->start, m->end, m->offset, m->device,
		    m->inode};
		if (m->executable)
			hash = hash_of(numbers, sizeof(numbers), hash);
	}
	return hash;
}

/* Lists the mappings.  Most often another part of memory has changed, and not code. */
static void
list_mappings(struct process_modules *p)
{
	struct mappings now;
	uint64_t hash;

	if (!process_mappings(p->process, &now))
		return;
	mappings_free(&p->mappings);
	p->mappings = now;
	hash = hash_of_code(&now);
	if (p->listed > 0 && hash == p->code_hash)
		return;
	p->code_hash = hash;
	p->listed++;
	modules_look(&p->modules);
}

/* Lists the mappings if an address is in none of the known ones, once a stack.  Code
 * without a table can lead to any address, in each stack anew: if a listing was in vain,
 * the next one waits. */
static void
look_for(struct process_modules *p, uint64_t pc)
{
	uint64_t begun;

	if (!p->may_look || modules_find(&p->modules, pc) != NULL)
		return;
	p->may_look = false;
	if ((begun = clock_ns()) < p->rests_until)
		return;
	list_mappings(p);
	if (modules_find(&p->modules, pc) == NULL)
		p->rests_until = begun + (RESTS + 1) * (clock_ns() - begun);
}

static enum unwind_code
find_table(const struct unwind_tables *t, uint64_t pc, const struct cfi **cfi,
    uint64_t *bias)
{
	struct process_modules *p = (struct process_modules *)(uintptr_t)t;

	look_for(p, pc);
	return modules_table(&p->modules, pc, cfi, bias);
}

static bool
read_code(const struct unwind_tables *t, uint64_t addr, uint8_t *to, size_t size)
{
	const struct process_modules *p = (const struct process_modules *)t;

	return py_read(p->memory, addr, to, size);
}

void
process_modules_init(struct process_modules *p, const struct process *process,
    const struct py_memory *memory)
{
	*p = (struct process_modules){
	    .tables = {cfi_our_machine(), find_table, read_code},
	    .source = {list_code, open_code, read_bytes,
		process_open_root(process)},
	    .process = process, .memory = memory, .may_look = true};
	modules_init(&p->modules, &p->source);
}

void
process_modules_free(struct process_modules *p)
{
	modules_free(&p->modules);
	if (p->source.root >= 0)
		close(p->source.root);
	mappings_free(&p->mappings);
}

struct module *
process_modules_find(struct process_modules *p, uint64_t pc)
{
	const struct module_map *map;

	look_for(p, pc);
	map = modules_find(&p->modules, pc);
	if (map == NULL || map->of == NULL)
		return NULL;
	module_open(&p->modules, map->of);
	return map->of->is_elf ? map->of : NULL;
}
