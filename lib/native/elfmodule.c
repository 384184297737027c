/* SPDX-License-Identifier: ISC */
/* elfmodule.c: see elfmodule.h. */
#include "native/elfmodule.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

#define HEADING_SIZE 32	      /* bytes: no longer name of a section is looked for */
#define NOTES_SIZE_MAX (64 << 10) /* bytes: of a segment of notes */
#define NOTES_MAX 16	      /* segments and sections of notes that are looked at */
#define STRING_PIECE 128      /* bytes: most strings are shorter */
#define FRAMES_RELATIVE 0x1b  /* encoding of a pointer: relative to it, 4 bytes */
#define RELOCATIONS_AT_ONCE 512

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_OWN_ORDER ELFDATA2LSB
#else
#define ELF_OWN_ORDER ELFDATA2MSB
#endif

/* ---- bytes --------------------------------------------------------------- */

static bool
has_extent(const struct elf_module *m, uint64_t offset, uint64_t size)
{
	return offset <= m->size && size <= m->size - offset;
}

bool
elf_module_read(const struct elf_module *m, uint64_t offset, void *to, size_t size)
{
	if (!has_extent(m, offset, size))
		return false;
	if (m->fd >= 0)
		return io_read_at(m->fd, to, size, offset) == (ssize_t)size;
	memcpy(to, m->bytes + offset, size);
	return true;
}

bool
elf_module_offset(const struct elf_module *m, uint64_t addr, uint64_t *offset,
    uint64_t *room)
{
	for (size_t i = 0; i < m->nsegments; i++) {
		const struct elf_segment *s = &m->segments[i];
		if (addr < s->addr || addr - s->addr >= s->size)
			continue;
		*offset = s->offset + (addr - s->addr);
		*room = s->size - (addr - s->addr);
		return true;
	}
	return false;
}

bool
elf_module_is_code(const struct elf_module *m, uint64_t addr)
{
	for (size_t i = 0; i < m->nsegments; i++)
		if (m->segments[i].executable && addr >= m->segments[i].addr &&
		    addr - m->segments[i].addr < m->segments[i].memory)
			return true;
	return false;
}

int
elf_module_string(const struct elf_module *m, uint64_t offset, uint64_t room,
    char *text, size_t size)
{
	size_t got = 0;

	if (offset > m->size)
		return -1;
	if (room > m->size - offset)
		room = m->size - offset;
	if (size > room)
		size = (size_t)room;
	while (got < size) {
		size_t piece = got == 0 ? STRING_PIECE : size - got;
		const char *end;
		if (piece > size - got)
			piece = size - got;
		if (!elf_module_read(m, offset + got, text + got, piece))
			return -1;
		if ((end = memchr(text + got, '\0', piece)) != NULL)
			return (int)(end - text);
		got += piece;
	}
	return -1;
}

void
elf_module_relocated(const struct elf_module *m, elf_relocated *tell, void *arg)
{
	uint32_t relative = m->machine == EM_AARCH64 ? R_AARCH64_RELATIVE :
	    R_X86_64_RELATIVE;
	uint64_t at = m->relocations.offset;
	uint64_t left = m->relocations.size / sizeof(Elf64_Rela);
	Elf64_Rela relas[RELOCATIONS_AT_ONCE];

	while (left > 0) {
		size_t n = left < RELOCATIONS_AT_ONCE ? (size_t)left :
		    RELOCATIONS_AT_ONCE;
		if (!elf_module_read(m, at, relas, n * sizeof(*relas)))
			return;
		for (size_t i = 0; i < n; i++)
			if (ELF64_R_TYPE(relas[i].r_info) == relative)
				tell(arg, relas[i].r_offset,
				    (uint64_t)relas[i].r_addend);
		left -= n;
		at += n * sizeof(*relas);
	}
}

/* ---- headers ------------------------------------------------------------- */

/* If there are more sections than the header can count, libelf has memory for each
 * before one is read: no such file is opened. */
static bool
is_readable(struct elf_module *m)
{
	Elf64_Ehdr h;

	if (!elf_module_read(m, 0, &h, sizeof(h)) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELF_OWN_ORDER)
		return false;
	m->machine = h.e_machine;
	m->movable = h.e_type == ET_DYN;
	return h.e_shnum != 0 || h.e_shoff == 0;
}

static void
take_segment(struct elf_module *m, const GElf_Phdr *ph)
{
	struct elf_segment *s = &m->segments[m->nsegments];

	if (m->nsegments == ELF_SEGMENTS_MAX || ph->p_memsz == 0 ||
	    ph->p_vaddr > UINT64_MAX - ph->p_memsz)
		return;
	*s = (struct elf_segment){.addr = ph->p_vaddr, .offset = ph->p_offset,
	    .size = ph->p_filesz, .memory = ph->p_memsz,
	    .writable = (ph->p_flags & PF_W) != 0,
	    .executable = (ph->p_flags & PF_X) != 0};
	/* A debug file has the segments, but not their bytes. */
	if (s->size > s->memory || !has_extent(m, s->offset, s->size))
		s->size = 0;
	if (m->nsegments++ == 0 || s->addr < m->base)
		m->base = s->addr;
	if (s->addr + s->memory > m->end)
		m->end = s->addr + s->memory;
}

static void
take_build_id(struct elf_module *m, Elf_Data *notes)
{
	size_t at = 0, name, text;
	GElf_Nhdr note;

	while (m->build_id_size == 0 && notes != NULL &&
	    (at = gelf_getnote(notes, at, &note, &name, &text)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp((char *)notes->d_buf + name, "GNU", 4) == 0 &&
		    note.n_descsz <= ELF_BUILD_ID_MAX) {
			memcpy(m->build_id, (char *)notes->d_buf + text,
			    note.n_descsz);
			m->build_id_size = note.n_descsz;
		}
}

static void
take_notes(struct elf_module *m, Elf *elf, uint64_t offset, uint64_t size,
    uint64_t align)
{
	if (m->build_id_size == 0 && m->nnotes++ < NOTES_MAX &&
	    size <= NOTES_SIZE_MAX && has_extent(m, offset, size))
		take_build_id(m, elf_getdata_rawchunk(elf, (int64_t)offset,
		    (size_t)size, align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
}

/* The offset of an address that the dynamic section has told; 0 if there is none. */
static struct elf_extent
extent_at(const struct elf_module *m, uint64_t addr, uint64_t size)
{
	uint64_t offset, room;

	if (!elf_module_offset(m, addr, &offset, &room))
		return (struct elf_extent){0};
	return (struct elf_extent){offset, size < room ? size : room};
}

/*
 * Takes relocations, and symbols, which a file without sections has only here.  The
 * table lacks the number of symbols, but linkers put their names behind them.
 */
static void
take_dynamic(struct elf_module *m, const struct elf_extent *dynamic)
{
	uint64_t symbols = 0, names = 0, names_size = 0, rela = 0, rela_size = 0;
	Elf64_Dyn d;

	for (uint64_t at = 0; dynamic->size - at >= sizeof(d); at += sizeof(d)) {
		if (!elf_module_read(m, dynamic->offset + at, &d, sizeof(d)) ||
		    d.d_tag == DT_NULL)
			break;
		switch (d.d_tag) {
		case DT_SYMTAB: symbols = d.d_un.d_ptr; break;
		case DT_STRTAB: names = d.d_un.d_ptr; break;
		case DT_STRSZ: names_size = d.d_un.d_val; break;
		case DT_RELA: rela = d.d_un.d_ptr; break;
		case DT_RELASZ: rela_size = d.d_un.d_val; break;
		}
	}
	if (rela_size > 0)
		m->relocations = extent_at(m, rela, rela_size);
	if (m->dynsym.symbols.size == 0 && names > symbols && symbols > 0) {
		m->dynsym.symbols = extent_at(m, symbols, names - symbols);
		m->dynsym.names = extent_at(m, names, names_size);
	}
}

/* Takes the list of functions, and .eh_frame of a file without sections, by the pointer in
 * the list, which is relative to itself.  It ends with an entry of no length, or with its
 * segment. */
static void
take_frames(struct elf_module *m)
{
	uint64_t header = m->frames_list_addr;
	struct {
		uint8_t version, encoding, others[2];
		int32_t pointer;
	} h;

	if (header != 0)
		m->frames_list = extent_at(m, header, UINT64_MAX);
	if (m->frames.size > 0 || m->frames_list.size < sizeof(h) ||
	    !elf_module_read(m, m->frames_list.offset, &h, sizeof(h)) ||
	    h.version != 1 || h.encoding != FRAMES_RELATIVE)
		return;
	m->frames_addr = header + offsetof(typeof(h), pointer) +
	    (uint64_t)(int64_t)h.pointer;
	m->frames = extent_at(m, m->frames_addr, UINT64_MAX);
}

static void
take_segments(struct elf_module *m, Elf *elf)
{
	struct elf_extent dynamic = {0};
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph) != NULL; i++)
		if (ph.p_type == PT_LOAD)
			take_segment(m, &ph);
		else if (ph.p_type == PT_NOTE)
			take_notes(m, elf, ph.p_offset, ph.p_filesz, ph.p_align);
		else if (ph.p_type == PT_DYNAMIC &&
		    has_extent(m, ph.p_offset, ph.p_filesz))
			dynamic = (struct elf_extent){ph.p_offset, ph.p_filesz};
		else if (ph.p_type == PT_GNU_EH_FRAME)
			m->frames_list_addr = ph.p_vaddr;
	take_dynamic(m, &dynamic);
	take_frames(m);
}

/* ---- sections ------------------------------------------------------------ */

/* The bytes of a section; none if it is compressed, so that it can become larger than
 * the file. */
static struct elf_extent
section_extent(const struct elf_module *m, const GElf_Shdr *sh)
{
	if (sh->sh_type == SHT_NOBITS || (sh->sh_flags & SHF_COMPRESSED) != 0 ||
	    !has_extent(m, sh->sh_offset, sh->sh_size))
		return (struct elf_extent){0};
	return (struct elf_extent){sh->sh_offset, sh->sh_size};
}

static void
take_symbols(const struct elf_module *m, Elf *elf, const GElf_Shdr *sh,
    struct elf_symtab *table)
{
	Elf_Scn *scn = elf_getscn(elf, sh->sh_link);
	GElf_Shdr names;

	if (table->symbols.size > 0 || scn == NULL ||
	    gelf_getshdr(scn, &names) == NULL || names.sh_type != SHT_STRTAB)
		return;
	table->symbols = section_extent(m, sh);
	table->names = section_extent(m, &names);
}

/* The debug file's name, then its checksum in the last four bytes. */
static void
take_debuglink(struct elf_module *m, const struct elf_extent *section)
{
	if (elf_module_string(m, section->offset, section->size, m->debuglink,
		sizeof(m->debuglink)) < 0 || section->size < sizeof(uint32_t) ||
	    strchr(m->debuglink, '/') != NULL ||
	    !elf_module_read(m, section->offset + section->size - sizeof(uint32_t),
		&m->debuglink_crc, sizeof(m->debuglink_crc)))
		m->debuglink[0] = '\0';
}

static void
take_section(struct elf_module *m, Elf *elf, const GElf_Shdr *sh, const char *name)
{
	struct elf_extent extent = section_extent(m, sh);

	if (sh->sh_type == SHT_SYMTAB)
		take_symbols(m, elf, sh, &m->symtab);
	else if (sh->sh_type == SHT_DYNSYM)
		take_symbols(m, elf, sh, &m->dynsym);
	else if (sh->sh_type == SHT_NOTE)
		take_notes(m, elf, extent.offset, extent.size, sh->sh_addralign);
	else if (strcmp(name, ".gnu_debuglink") == 0)
		take_debuglink(m, &extent);
	else if (strcmp(name, ".gnu_debugdata") == 0)
		m->minidebug = extent;
	else if (strcmp(name, ".debug_line") == 0 ||
	    strcmp(name, ".zdebug_line") == 0)
		m->has_lines = sh->sh_type != SHT_NOBITS && sh->sh_size > 0;
	else if (strcmp(name, ".eh_frame") == 0) {
		m->frames = extent;
		m->frames_addr = sh->sh_addr;
	}
}

/* The names of sections; none if they cannot be read. */
static struct elf_extent
headings_of(const struct elf_module *m, Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0 ||
	    (scn = elf_getscn(elf, names)) == NULL ||
	    gelf_getshdr(scn, &sh) == NULL)
		return (struct elf_extent){0};
	return section_extent(m, &sh);
}

static void
take_sections(struct elf_module *m, Elf *elf)
{
	struct elf_extent headings = headings_of(m, elf);
	Elf_Scn *scn = NULL;
	char name[HEADING_SIZE];
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		if (sh.sh_name >= headings.size ||
		    elf_module_string(m, headings.offset + sh.sh_name,
			headings.size - sh.sh_name, name, sizeof(name)) < 0)
			*name = '\0';
		take_section(m, elf, &sh, name);
	}
}

/* ---- all ----------------------------------------------------------------- */

static bool
take_headers(struct elf_module *m, Elf *elf)
{
	if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return false;
	}
	take_sections(m, elf);
	take_segments(m, elf);
	elf_end(elf);
	return true;
}

bool
elf_module_open(struct elf_module *m, int fd)
{
	struct stat st;

	*m = (struct elf_module){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)};
	if (m->fd < 0)
		return false;
	m->size = fstat(m->fd, &st) == 0 && st.st_size > 0 ?
	    (uint64_t)st.st_size : 0;
	elf_version(EV_CURRENT);
	if (is_readable(m) &&
	    take_headers(m, elf_begin(m->fd, ELF_C_READ, NULL)))
		return true;
	elf_module_close(m);
	return false;
}

bool
elf_module_memory(struct elf_module *m, void *bytes, size_t size)
{
	*m = (struct elf_module){.fd = -1, .bytes = bytes, .size = size};
	elf_version(EV_CURRENT);
	return is_readable(m) && take_headers(m, elf_memory(bytes, size));
}

void
elf_module_close(struct elf_module *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

bool
elf_module_same(const struct elf_module *a, const struct elf_module *b)
{
	return a->build_id_size > 0 && a->build_id_size == b->build_id_size &&
	    memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}
