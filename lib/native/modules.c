/* SPDX-License-Identifier: ISC */
/* modules.c: see modules.h. */
#include "native/modules.h"

#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "native/elf.h"

#define HASH_BASIS UINT64_C(0xcbf29ce484222325) /* of FNV-1a */
#define HASH_PRIME UINT64_C(0x100000001b3)
#define IMAGE_MAX (1u << 20) /* bytes: of a module that is no file */

void
modules_init(struct modules *ms, const struct module_source *source)
{
	*ms = (struct modules){.source = source};
}

static void
module_free(struct module *m)
{
	native_symbols_close(m->symbols);
	if (m->opened)
		elf_module_close(&m->elf);
	cfi_free(&m->cfi);
	cfi_parts_free(m->parts);
	free(m->image);
	free(m->path);
	free(m);
}

void
modules_free(struct modules *ms)
{
	for (size_t i = 0; i < ms->nlist; i++)
		module_free(ms->list[i]);
	free(ms->list);
	free(ms->maps);
	*ms = (struct modules){0};
}

/* ---- mappings ---------------------------------------------------------- */

/* Whether a mapping has code of a file, or of the kernel's own module. */
static bool
has_file(const struct code_mapping *m)
{
	return m->inode != 0 || strcmp(m->path, "[vdso]") == 0;
}

/* The length of a path, without the word that the kernel adds if there is no file of
 * this path any more. */
static size_t
path_length(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), end = sizeof(deleted) - 1;

	return len > end && strcmp(path + len - end, deleted) == 0 ? len - end : len;
}

static bool
is_of_module(const struct module *m, const struct code_mapping *c)
{
	size_t len = path_length(c->path);

	return m->device == c->device && m->inode == c->inode &&
	    strlen(m->path) == len && memcmp(m->path, c->path, len) == 0;
}

/* The module of a mapping; a file that is mapped at two places is two. */
static struct module *
known_module(const struct modules *ms, const struct code_mapping *c)
{
	for (size_t i = 0; i < ms->nlist; i++) {
		struct module *m = ms->list[i];
		if (is_of_module(m, c) &&
		    c->start - c->offset == m->start - m->offset)
			return m;
	}
	return NULL;
}

static struct module *
add_module(struct modules *ms, const struct code_mapping *c)
{
	struct module **list = array_grow(ms->list, ms->nlist, &ms->list_max,
	    sizeof(struct module *));
	struct module *m;

	if (list == NULL)
		return NULL;
	ms->list = list;
	if ((m = calloc(1, sizeof(*m))) == NULL)
		return NULL;
	if ((m->path = strndup(c->path, path_length(c->path))) == NULL) {
		free(m);
		return NULL;
	}
	m->device = c->device;
	m->inode = c->inode;
	m->start = c->start;
	m->end = c->end;
	m->offset = c->offset;
	list[ms->nlist++] = m;
	return m;
}

void
modules_map(struct modules *ms, const struct code_mapping *c)
{
	struct module_map *maps = array_grow(ms->maps, ms->count, &ms->max,
	    sizeof(*maps));
	struct module *m = NULL;

	ms->failed = ms->failed || maps == NULL;
	if (maps == NULL)
		return;
	ms->maps = maps;
	if (has_file(c) && (m = known_module(ms, c)) == NULL &&
	    (m = add_module(ms, c)) == NULL) {
		ms->failed = true;
		return;
	}
	maps[ms->count++] = (struct module_map){c->start, c->end, m};
}

bool
modules_look(struct modules *ms)
{
	ms->count = 0;
	return ms->source->list(ms->source, ms) && !ms->failed;
}

static bool
has_address(const struct modules *ms, size_t map, uint64_t pc)
{
	return map < ms->count && pc >= ms->maps[map].start && pc < ms->maps[map].end;
}

/* Most frames of a stack are in the same mapping as the one before. */
const struct module_map *
modules_find(struct modules *ms, uint64_t pc)
{
	size_t low = 0, high = ms->count;

	if (has_address(ms, ms->recent, pc))
		return &ms->maps[ms->recent];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (pc >= ms->maps[mid].end)
			low = mid + 1;
		else
			high = mid;
	}
	if (!has_address(ms, low, pc))
		return NULL;
	ms->recent = low;
	return &ms->maps[low];
}

/* ---- the file ---------------------------------------------------------- */

/* Reads a part of the file into memory of the caller's.  NULL if it is not all there. */
static uint8_t *
read_part(const struct module *m, uint64_t offset, uint64_t size)
{
	uint8_t *bytes = size > 0 && size <= CFI_SECTION_MAX ? malloc(size) : NULL;

	if (bytes == NULL || elf_module_read(&m->elf, offset, bytes, size))
		return bytes;
	free(bytes);
	return NULL;
}

uint8_t *
module_bytes(const struct module *m, uint64_t addr, size_t size)
{
	uint64_t offset, room;

	return m->is_elf && elf_module_offset(&m->elf, addr, &offset, &room) &&
	    size <= room ? read_part(m, offset, size) : NULL;
}

static uint64_t
cpu_time_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Builds the table of a module, or prepares its parts; without .eh_frame it has no rows. */
static void
build_table(struct module *m)
{
	const struct elf_extent *frames = &m->elf.frames;
	struct cfi_section s = {.len = frames->size, .addr = m->elf.frames_addr};
	uint8_t *bytes;

	m->parts = cfi_parts_new(&m->elf, cfi_our_machine());
	if (m->parts != NULL ||
	    (bytes = read_part(m, frames->offset, frames->size)) == NULL)
		return;
	s.bytes = bytes;
	if (!cfi_build(&m->cfi, cfi_our_machine(), &s))
		cfi_free(&m->cfi);
	free(bytes);
}

/* By how much addresses in memory are more than in the file: the mapping has a part of
 * a segment of code. */
static uint64_t
find_bias(const struct module *m)
{
	for (size_t i = 0; i < m->elf.nsegments; i++) {
		const struct elf_segment *s = &m->elf.segments[i];
		if (s->executable && m->offset < s->offset + s->size &&
		    m->offset + (m->end - m->start) > s->offset)
			return m->start - m->offset + s->offset - s->addr;
	}
	return m->start - m->offset;
}

/* Opens a module that the kernel keeps in memory. */
static bool
open_image(const struct modules *ms, struct module *m)
{
	uint64_t size = m->end - m->start;

	m->offset = 0;
	return size <= IMAGE_MAX && (m->image = malloc(size)) != NULL &&
	    ms->source->read(ms->source, m->start, m->image, size) &&
	    elf_module_memory(&m->elf, m->image, size);
}

static bool
open_file(const struct modules *ms, struct module *m)
{
	int fd = ms->source->open(ms->source, m->start);
	bool ok = fd >= 0 && elf_module_open(&m->elf, fd);

	if (fd >= 0)
		close(fd);
	return ok;
}

void
module_open(struct modules *ms, struct module *m)
{
	uint64_t begun;

	if (m->opened)
		return;
	begun = cpu_time_ns();
	m->opened = true;
	m->elf.fd = -1;
	m->is_elf = (m->inode == 0 ? open_image(ms, m) : open_file(ms, m)) &&
	    m->elf.machine == ELF_MACHINE;
	if (!m->is_elf)
		return;
	m->bias = find_bias(m);
	build_table(m);
	m->built_ns = cpu_time_ns() - begun;
}

/* ---- functions --------------------------------------------------------- */

const struct cfi *
module_cfi(const struct module *m, uint64_t addr)
{
	return m->parts != NULL ? cfi_parts_find(m->parts, addr) :
	    m->cfi.count > 0	? &m->cfi :
				  NULL;
}

bool
module_function(const struct module *m, uint64_t addr, uint64_t *start, uint64_t *end)
{
	const struct cfi *t = module_cfi(m, addr);

	return t != NULL && cfi_function(t, addr, start, end);
}

/* ---- names ------------------------------------------------------------- */

void
module_id(char id[MODULE_ID_SIZE], const struct module *m)
{
	uint64_t hash = HASH_BASIS;

	for (size_t i = 0; i < m->elf.build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", m->elf.build_id[i]);
	if (m->elf.build_id_size > 0)
		return;
	for (const char *p = m->path; *p != '\0'; p++)
		hash = (hash ^ (uint8_t)*p) * HASH_PRIME;
	snprintf(id, MODULE_ID_SIZE, "-%016" PRIx64, hash);
}

static bool
function_of_module(void *arg, uint64_t addr, uint64_t *start, uint64_t *end)
{
	return module_function(arg, addr, start, end);
}

static bool
is_part_of_function(void *arg, uint64_t start)
{
	const struct cfi *t = module_cfi(arg, start);

	return t != NULL && cfi_is_part(t, start);
}

bool
module_symbol(const struct modules *ms, struct module *m, uint64_t addr,
    struct native_symbol *found)
{
	struct native_module of = {.fd = m->elf.fd, .bytes = m->image,
	    .size = m->image != NULL ? m->end - m->start : 0, .path = m->path,
	    .root = ms->source->root, .function_of = function_of_module,
	    .is_part = is_part_of_function, .arg = m};

	if (m->symbols == NULL)
		m->symbols = native_symbols_open(&of);
	return m->symbols != NULL && native_symbols_find(m->symbols, addr, found);
}

/* ---- questions of an unwind -------------------------------------------- */

enum unwind_code
modules_table(struct modules *ms, uint64_t pc, const struct cfi **t, uint64_t *bias)
{
	const struct module_map *map = modules_find(ms, pc);

	if (map == NULL)
		return CODE_NONE;
	if (map->of == NULL)
		return CODE_NO_FILE;
	module_open(ms, map->of);
	if (!map->of->is_elf) /* such as a file of a library for closures */
		return CODE_NO_FILE;
	*bias = map->of->bias;
	*t = module_cfi(map->of, pc - *bias);
	return *t != NULL ? CODE_TABLE : CODE_NO_TABLE;
}
