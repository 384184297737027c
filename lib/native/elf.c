/* SPDX-License-Identifier: ISC */
/* elf.c: see elf.h. */
#include "native/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#define PAGE_MASK_4K UINT64_C(0xfff)

#define GETTER_SIZE 8 /* bytes of a getter before it loads its variable, at most */
#define MOV_SIZE 7    /* bytes of the instruction that loads it */
#define SECTION_MAX (64 << 20) /* bytes: of symbols, or of names */
#define ALL_MAX (256 << 20)    /* bytes: of all that is read of a file */
#define HEADINGS_MAX (256 << 10) /* bytes: of the names of sections */
#define NAME_MAX_SOUGHT 64     /* bytes: no name that is looked for is longer */

struct elf_file {
	Elf *elf;
	uint64_t left; /* bytes that may still be read */
};

/* Whether that many bytes more may be read; counts them.  Many tables can lie at
 * one place, so the file's size is no limit. */
static bool
may_read(struct elf_file *f, uint64_t size)
{
	if (size > SECTION_MAX || size > f->left)
		return false;
	f->left -= size;
	return true;
}

static void
find_segments(Elf *elf, struct elf_python *p)
{
	size_t n;
	GElf_Phdr ph;
	bool found = false;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD)
			continue;
		if (!found)
			p->base = ph.p_vaddr & ~PAGE_MASK_4K;
		found = true;
		if (ph.p_flags & PF_W) {
			p->data = ph.p_vaddr;
			p->data_size = ph.p_memsz;
		}
	}
}

/* The offset of an address in the file; -1 if the file does not have it. */
static int64_t
offset_of(Elf *elf, uint64_t addr)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_LOAD && addr >= ph.p_vaddr &&
		    addr - ph.p_vaddr < ph.p_filesz &&
		    ph.p_offset <= INT64_MAX - ph.p_filesz)
			return (int64_t)(ph.p_offset + (addr - ph.p_vaddr));
	return -1;
}

static Elf_Data *
data_at(struct elf_file *f, uint64_t addr, uint64_t size, Elf_Type type)
{
	int64_t offset = may_read(f, size) ? offset_of(f->elf, addr) : -1;

	return offset < 0 ? NULL :
	    elf_getdata_rawchunk(f->elf, offset, (size_t)size, type);
}

/*
 * The address of the variable that a function of one line returns; 0 if it is
 * no such function.  It finds interp_head in a stripped file, by its getter
 * PyInterpreterState_Head.  mov DISPLACEMENT(%rip), %rax is 48 8b 05 and four
 * bytes.
 */
static uint64_t
returned_variable(struct elf_file *f, const GElf_Sym *sym)
{
	Elf_Data *data = data_at(f, sym->st_value, GETTER_SIZE + MOV_SIZE,
	    ELF_T_BYTE);
	int32_t displacement;

	if (data == NULL)
		return 0;
	for (size_t i = 0; i <= GETTER_SIZE; i++) {
		const uint8_t *code = (const uint8_t *)data->d_buf + i;
		if (memcmp(code, "\x48\x8b\x05", 3) != 0)
			continue;
		memcpy(&displacement, code + 3, sizeof(displacement));
		return sym->st_value + i + MOV_SIZE + (uint64_t)displacement;
	}
	return 0;
}

/* ---- symbols ------------------------------------------------------------- */

static void
take_symbol(struct elf_file *f, const GElf_Sym *sym, const char *name,
    struct elf_python *p)
{
	if (strcmp(name, "_PyRuntime") == 0)
		p->runtime = sym->st_value;
	else if (strcmp(name, "Py_Version") == 0)
		p->version = sym->st_value;
	else if (strcmp(name, "_PyEval_EvalFrameDefault") == 0)
		p->loop = sym->st_value;
	else if (strcmp(name, "_PyThreadState_Current") == 0)
		p->current = sym->st_value;
	else if (strcmp(name, "interp_head") == 0)
		p->head = sym->st_value;
	else if (strcmp(name, "PyInterpreterState_Head") == 0 && p->head == 0)
		p->head = returned_variable(f, sym);
}

/* Whether a name is in the table, and is short enough to be one that is looked
 * for: any number of symbols can have the same long name. */
static bool
is_short(const Elf_Data *names, size_t at)
{
	size_t room = at < names->d_size ? names->d_size - at : 0;

	return memchr((const char *)names->d_buf + (room > 0 ? at : 0), '\0',
	    room < NAME_MAX_SOUGHT ? room : NAME_MAX_SOUGHT) != NULL;
}

static void
find_symbols(struct elf_file *f, Elf_Data *symbols, const Elf_Data *names,
    struct elf_python *p)
{
	GElf_Sym sym;

	if (symbols == NULL || names == NULL || names->d_buf == NULL)
		return;
	for (int i = 0; gelf_getsym(symbols, i, &sym) != NULL; i++)
		if (sym.st_shndx != SHN_UNDEF && is_short(names, sym.st_name))
			take_symbol(f, &sym, (const char *)names->d_buf +
			    sym.st_name, p);
}

/* The contents of a section.  NULL if it is too large, if it is compressed, so
 * that it can become too large, or if the file does not have it any more. */
static Elf_Data *
section_data(struct elf_file *f, Elf_Scn *scn)
{
	GElf_Shdr sh;

	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL ||
	    (sh.sh_flags & SHF_COMPRESSED) != 0 || !may_read(f, sh.sh_size))
		return NULL;
	return elf_getdata(scn, NULL);
}

/* Finds the section with the names of sections; *names: its index.  False if
 * there is none. */
static bool
has_names(struct elf_file *f, size_t *names)
{
	GElf_Shdr sh;
	Elf_Scn *scn;

	return elf_getshdrstrndx(f->elf, names) == 0 &&
	    (scn = elf_getscn(f->elf, *names)) != NULL &&
	    gelf_getshdr(scn, &sh) != NULL && sh.sh_size <= HEADINGS_MAX &&
	    section_data(f, scn) != NULL;
}

/* Looks at .symtab and .dynsym alike.  Stripped files have section .PyRuntime,
 * too. */
static void
find_sections(struct elf_file *f, struct elf_python *p)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;
	uint64_t section = 0;
	bool named = has_names(f, &names);

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		name = named ? elf_strptr(f->elf, names, sh.sh_name) : NULL;
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			find_symbols(f, section_data(f, scn),
			    section_data(f, elf_getscn(f->elf, sh.sh_link)), p);
		else if (name != NULL && strcmp(name, ".PyRuntime") == 0)
			section = sh.sh_addr;
	}
	p->symbol = p->runtime != 0;
	if (!p->symbol)
		p->runtime = section;
}

/*
 * Finds the symbols of a file without sections, by the table of the dynamic
 * linker.  This table lacks the number of symbols, but linkers put the names of
 * symbols behind them.
 */
static void
find_dynamic(struct elf_file *f, const GElf_Phdr *ph, struct elf_python *p)
{
	Elf_Data *data = data_at(f, ph->p_vaddr, ph->p_filesz, ELF_T_DYN);
	uint64_t symbols = 0, names = 0, size = 0;
	GElf_Dyn d;

	for (int i = 0; data != NULL && gelf_getdyn(data, i, &d) != NULL &&
	     d.d_tag != DT_NULL; i++)
		if (d.d_tag == DT_SYMTAB)
			symbols = d.d_un.d_ptr;
		else if (d.d_tag == DT_STRTAB)
			names = d.d_un.d_ptr;
		else if (d.d_tag == DT_STRSZ)
			size = d.d_un.d_val;
	if (names > symbols)
		find_symbols(f,
		    data_at(f, symbols, names - symbols, ELF_T_SYM),
		    data_at(f, names, size, ELF_T_BYTE), p);
	p->symbol = p->runtime != 0;
}

static void
find_names(struct elf_file *f, struct elf_python *p)
{
	size_t sections = 0, n = 0;
	GElf_Phdr ph;

	if (elf_getshdrnum(f->elf, &sections) == 0 && sections > 0) {
		find_sections(f, p);
		return;
	}
	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(f->elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_DYNAMIC)
			find_dynamic(f, &ph, p);
}

/* ---- all ----------------------------------------------------------------- */

/* Whether the header itself counts the sections.  If there are more than it can
 * count, they take memory before one of them is read; no Python has so many. */
static bool
counts_sections(int fd)
{
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} h = {0};

	if (pread(fd, &h, sizeof(h), 0) < (ssize_t)sizeof(h.narrow))
		return false;
	if (h.wide.e_ident[EI_CLASS] == ELFCLASS64)
		return h.wide.e_shnum != 0 || h.wide.e_shoff == 0;
	return h.narrow.e_shnum != 0 || h.narrow.e_shoff == 0;
}

/* Opens a file to be read, not mapped: a mapping would end this process if the
 * file was cut meanwhile.  False if libelf does not open it, or if it has too
 * many sections. */
static bool
open_elf(struct elf_file *f, int fd)
{
	f->left = ALL_MAX;
	elf_version(EV_CURRENT);
	f->elf = counts_sections(fd) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	return f->elf != NULL;
}

bool
elf_find_python(int fd, struct elf_python *p)
{
	GElf_Ehdr eh;
	struct elf_file f;
	bool ok = false;

	*p = (struct elf_python){0};
	if (!open_elf(&f, fd))
		return false;
	if (elf_kind(f.elf) == ELF_K_ELF && gelf_getehdr(f.elf, &eh) != NULL) {
		ok = true;
		p->foreign = eh.e_machine != ELF_MACHINE ||
		    eh.e_ident[EI_CLASS] != ELFCLASS64;
		find_segments(f.elf, p);
		find_names(&f, p);
	}
	elf_end(f.elf);
	return ok;
}

static bool
find_section(struct elf_file *f, const char *wanted, uint64_t size, uint64_t *addr)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (!has_names(f, &names))
		return false;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_size != size ||
		    (name = elf_strptr(f->elf, names, sh.sh_name)) == NULL ||
		    strcmp(name, wanted) != 0)
			continue;
		*addr = sh.sh_addr;
		return true;
	}
	return false;
}

bool
elf_find_section(int fd, const char *name, uint64_t size, uint64_t *addr,
    uint64_t *base)
{
	struct elf_python p = {0};
	struct elf_file f;
	bool ok;

	if (!open_elf(&f, fd))
		return false;
	ok = elf_kind(f.elf) == ELF_K_ELF && find_section(&f, name, size, addr);
	find_segments(f.elf, &p);
	*base = p.base;
	elf_end(f.elf);
	return ok;
}
