/* SPDX-License-Identifier: ISC */
/* modules.c: see modules.h. */
#include "native/modules.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "native/elf.h"

#define IMAGE_MAX (1u << 20) /* bytes: of a module that is no file */
#define SECTIONS_MAX 65536   /* a file with more is read by its segments */
#define NOTES_MAX (64u << 10) /* bytes */
#define EH_HEADER 12	     /* bytes of .eh_frame_hdr up to its table */

void
modules_init(struct modules *ms, const struct module_source *source)
{
	*ms = (struct modules){.source = source};
}

static void
module_free(struct module *m)
{
	if (m->elf != NULL)
		elf_end(m->elf);
	if (m->opened && m->fd >= 0)
		close(m->fd);
	cfi_free(&m->cfi);
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

static bool
is_of_module(const struct module *m, const struct code_mapping *c)
{
	return m->device == c->device && m->inode == c->inode &&
	    strcmp(m->path, c->path) == 0;
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
	if ((m->path = strdup(c->path)) == NULL) {
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

const struct module_map *
modules_find(const struct modules *ms, uint64_t pc)
{
	size_t low = 0, high = ms->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (pc >= ms->maps[mid].end)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ms->count && pc >= ms->maps[low].start ? &ms->maps[low] : NULL;
}

/* ---- bytes of a file --------------------------------------------------- */

/* Reads a part of the file into memory of the caller's.  NULL if it is not all there. */
static uint8_t *
read_part(const struct module *m, uint64_t offset, uint64_t size)
{
	uint8_t *bytes;
	size_t done = 0;
	ssize_t n = 1;

	if (size == 0 || size > CFI_SECTION_MAX || offset > INT64_MAX - size ||
	    (m->fd < 0 && (offset > m->image_len || size > m->image_len - offset)) ||
	    (bytes = malloc(size)) == NULL)
		return NULL;
	if (m->fd < 0) {
		memcpy(bytes, m->image + offset, size);
		return bytes;
	}
	while (done < size && n > 0) {
		n = pread(m->fd, bytes + done, size - done, (off_t)(offset + done));
		done += n > 0 ? (size_t)n : 0;
	}
	if (done == size)
		return bytes;
	free(bytes);
	return NULL;
}

/* Finds the segment that has an address.  False if the file has no bytes for it. */
static bool
find_segment(const struct module *m, uint64_t addr, GElf_Phdr *ph)
{
	size_t n;

	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, ph) != NULL &&
		    ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_filesz)
			return true;
	return false;
}

uint8_t *
module_bytes(const struct module *m, uint64_t addr, size_t size)
{
	GElf_Phdr ph;

	if (m->elf == NULL || !find_segment(m, addr, &ph) ||
	    size > ph.p_filesz - (addr - ph.p_vaddr))
		return NULL;
	return read_part(m, ph.p_offset + (addr - ph.p_vaddr), size);
}

/* ---- the table --------------------------------------------------------- */

/* Finds .eh_frame among the sections. */
static bool
find_by_section(const struct module *m, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names, n;

	if (elf_getshdrnum(m->elf, &n) != 0 || n > SECTIONS_MAX ||
	    elf_getshdrstrndx(m->elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(m->elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, sh) == NULL || sh->sh_type == SHT_NOBITS ||
		    (sh->sh_flags & SHF_ALLOC) == 0)
			continue;
		name = elf_strptr(m->elf, names, sh->sh_name);
		if (name != NULL && strcmp(name, ".eh_frame") == 0)
			return true;
	}
	return false;
}

/* Finds .eh_frame of a file without sections, by the pointer in .eh_frame_hdr, which is
 * relative to itself.  The section ends with an entry of no length, or the segment's
 * end. */
static bool
find_by_header(const struct module *m, GElf_Shdr *sh)
{
	GElf_Phdr ph;
	uint8_t *bytes = NULL;
	int32_t offset;
	size_t n;

	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && bytes == NULL; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_GNU_EH_FRAME)
			bytes = module_bytes(m, ph.p_vaddr, EH_HEADER);
	if (bytes == NULL || bytes[0] != 1 || bytes[1] != 0x1b) {
		free(bytes);
		return false;
	}
	memcpy(&offset, bytes + 4, sizeof(offset));
	free(bytes);
	sh->sh_addr = ph.p_vaddr + 4 + (uint64_t)(int64_t)offset;
	if (!find_segment(m, sh->sh_addr, &ph))
		return false;
	sh->sh_offset = ph.p_offset + (sh->sh_addr - ph.p_vaddr);
	sh->sh_size = ph.p_filesz - (sh->sh_addr - ph.p_vaddr);
	return true;
}

static uint64_t
cpu_time_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Builds the table of a module; without one it has no rows. */
static void
build_table(struct module *m)
{
	GElf_Shdr sh;
	struct cfi_section s;
	uint8_t *bytes;

	if (!find_by_section(m, &sh) && !find_by_header(m, &sh))
		return;
	if ((bytes = read_part(m, sh.sh_offset, sh.sh_size)) == NULL)
		return;
	s = (struct cfi_section){bytes, sh.sh_size, sh.sh_addr};
	if (!cfi_build(&m->cfi, cfi_our_machine(), &s))
		cfi_free(&m->cfi);
	free(bytes);
}

/* ---- opening ----------------------------------------------------------- */

/* Finds by how much addresses in memory are more than in the file. */
static void
find_bias(struct module *m)
{
	GElf_Phdr ph;
	size_t n;

	m->bias = m->start - m->offset;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_LOAD &&
		    m->offset + (m->end - m->start) > ph.p_offset &&
		    m->offset < ph.p_offset + ph.p_filesz &&
		    (ph.p_flags & PF_X) != 0) {
			m->bias = m->start - m->offset + ph.p_offset - ph.p_vaddr;
			return;
		}
}

/* Takes the build id of a part of the file that has notes.  The sizes of names and
 * descriptions are rounded up to 4 bytes. */
static void
take_build_id(struct module *m, const uint8_t *bytes, size_t size)
{
	uint32_t head[3];
	size_t at = 0;

	while (m->build_id_len == 0 && size - at >= sizeof(head)) {
		memcpy(head, bytes + at, sizeof(head));
		at += sizeof(head);
		if (head[0] > size - at || (head[0] + 3) / 4 * 4 > size - at)
			return;
		if (head[1] > size - at - (head[0] + 3) / 4 * 4)
			return;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    memcmp(bytes + at, "GNU", 4) == 0 && head[1] <= BUILD_ID_MAX) {
			m->build_id_len = head[1];
			memcpy(m->build_id, bytes + at + 4, head[1]);
		}
		at += (head[0] + 3) / 4 * 4;
		at += (head[1] + 3) / 4 * 4 <= size - at ? (head[1] + 3) / 4 * 4 :
							   size - at;
	}
}

static void
find_build_id(struct module *m)
{
	GElf_Phdr ph;
	uint8_t *bytes;
	size_t n;

	if (elf_getphdrnum(m->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && m->build_id_len == 0; i++) {
		if (gelf_getphdr(m->elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_NOTE || ph.p_filesz > NOTES_MAX ||
		    (bytes = read_part(m, ph.p_offset, ph.p_filesz)) == NULL)
			continue;
		take_build_id(m, bytes, ph.p_filesz);
		free(bytes);
	}
}

/* Opens a module that the kernel keeps in memory. */
static void
open_image(const struct modules *ms, struct module *m)
{
	uint64_t size = m->end - m->start;

	m->fd = -1;
	if (size > IMAGE_MAX || (m->image = malloc(size)) == NULL)
		return;
	m->image_len = size;
	m->offset = 0;
	if (ms->source->read(ms->source, m->start, m->image, size))
		m->elf = elf_memory((char *)m->image, size);
}

static bool
is_ours(Elf *elf)
{
	GElf_Ehdr eh;

	return elf != NULL && elf_kind(elf) == ELF_K_ELF &&
	    gelf_getehdr(elf, &eh) != NULL && eh.e_machine == ELF_MACHINE &&
	    eh.e_ident[EI_CLASS] == ELFCLASS64;
}

void
module_open(struct modules *ms, struct module *m)
{
	uint64_t begun;

	if (m->opened)
		return;
	begun = cpu_time_ns();
	m->opened = true;
	elf_version(EV_CURRENT);
	if (m->inode == 0)
		open_image(ms, m);
	else if ((m->fd = ms->source->open(ms->source, m->start)) >= 0)
		m->elf = elf_begin(m->fd, ELF_C_READ, NULL);
	if (!is_ours(m->elf)) {
		elf_end(m->elf);
		m->elf = NULL;
		return;
	}
	find_bias(m);
	find_build_id(m);
	build_table(m);
	m->built_ns = cpu_time_ns() - begun;
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
	if (map->of->elf == NULL) /* such as a file of a library for closures */
		return CODE_NO_FILE;
	*t = &map->of->cfi;
	*bias = map->of->bias;
	return map->of->cfi.count > 0 ? CODE_TABLE : CODE_NONE;
}
