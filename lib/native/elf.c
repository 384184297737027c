/* SPDX-License-Identifier: ISC */
/* elf.c: see elf.h. */
#include "native/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#define PAGE_MASK_4K UINT64_C(0xfff)

#define GETTER_SIZE 8 /* bytes that can come before it loads its variable */
#define MOV_SIZE 7
#define SECTION_MAX (64 << 20) /* bytes: of symbols, or of names */

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

/* Where an address is in the file; -1: nowhere. */
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
data_at(Elf *elf, uint64_t addr, uint64_t size, Elf_Type type)
{
	int64_t offset = size <= SECTION_MAX ? offset_of(elf, addr) : -1;

	return offset < 0 ? NULL :
	    elf_getdata_rawchunk(elf, offset, (size_t)size, type);
}

/*
 * The address of the variable that a function of one line returns, or 0.  So
 * interp_head is found in a stripped file: PyInterpreterState_Head is its
 * getter.  mov DISPLACEMENT(%rip), %rax is 48 8b 05 and four bytes.
 */
static uint64_t
returned_variable(Elf *elf, const GElf_Sym *sym)
{
	Elf_Data *data = data_at(elf, sym->st_value, GETTER_SIZE + MOV_SIZE,
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
take_symbol(Elf *elf, const GElf_Sym *sym, const char *name,
    struct elf_python *p)
{
	if (strcmp(name, "_PyRuntime") == 0)
		p->runtime = sym->st_value;
	else if (strcmp(name, "Py_Version") == 0)
		p->version = sym->st_value;
	else if (strcmp(name, "_PyThreadState_Current") == 0)
		p->current = sym->st_value;
	else if (strcmp(name, "interp_head") == 0)
		p->head = sym->st_value;
	else if (strcmp(name, "PyInterpreterState_Head") == 0 && p->head == 0)
		p->head = returned_variable(elf, sym);
}

static void
find_symbols(Elf *elf, Elf_Data *symbols, const Elf_Data *names,
    struct elf_python *p)
{
	GElf_Sym sym;

	if (symbols == NULL || names == NULL || names->d_buf == NULL)
		return;
	for (int i = 0; gelf_getsym(symbols, i, &sym) != NULL; i++) {
		const char *name = (const char *)names->d_buf + sym.st_name;
		if (sym.st_shndx != SHN_UNDEF && sym.st_name < names->d_size &&
		    memchr(name, '\0', names->d_size - sym.st_name) != NULL)
			take_symbol(elf, &sym, name, p);
	}
}

/* NULL: it is larger than any that makes sense, or packed so that it can
 * become that, or the file has it no longer. */
static Elf_Data *
section_data(Elf_Scn *scn)
{
	GElf_Shdr sh;

	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL ||
	    sh.sh_size > SECTION_MAX || (sh.sh_flags & SHF_COMPRESSED) != 0)
		return NULL;
	return elf_getdata(scn, NULL);
}

/* The names of sections.  False: it has none. */
static bool
has_names(Elf *elf, size_t *names)
{
	return elf_getshdrstrndx(elf, names) == 0 &&
	    section_data(elf_getscn(elf, *names)) != NULL;
}

/* .symtab and .dynsym alike; the section is there in stripped files too. */
static void
find_sections(Elf *elf, struct elf_python *p)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;
	uint64_t section = 0;
	bool named = has_names(elf, &names);

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		name = named ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			find_symbols(elf, section_data(scn),
			    section_data(elf_getscn(elf, sh.sh_link)), p);
		else if (name != NULL && strcmp(name, ".PyRuntime") == 0)
			section = sh.sh_addr;
	}
	p->symbol = p->runtime != 0;
	if (!p->symbol)
		p->runtime = section;
}

/*
 * Of a file without sections: what the dynamic linker goes by.  It never
 * needs the number of symbols, but linkers put their names behind them.
 */
static void
find_dynamic(Elf *elf, const GElf_Phdr *ph, struct elf_python *p)
{
	Elf_Data *data = data_at(elf, ph->p_vaddr, ph->p_filesz, ELF_T_DYN);
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
		find_symbols(elf,
		    data_at(elf, symbols, names - symbols, ELF_T_SYM),
		    data_at(elf, names, size, ELF_T_BYTE), p);
	p->symbol = p->runtime != 0;
}

static void
find_names(Elf *elf, struct elf_python *p)
{
	size_t sections = 0, n = 0;
	GElf_Phdr ph;

	if (elf_getshdrnum(elf, &sections) == 0 && sections > 0) {
		find_sections(elf, p);
		return;
	}
	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) != NULL &&
		    ph.p_type == PT_DYNAMIC)
			find_dynamic(elf, &ph, p);
}

/* ---- all ----------------------------------------------------------------- */

/* Reads what is asked for, instead of mapping the file, which would end us if
 * somebody cut it meanwhile. */
static Elf *
open_elf(int fd)
{
	elf_version(EV_CURRENT);
	return elf_begin(fd, ELF_C_READ, NULL);
}

bool
elf_find_python(int fd, struct elf_python *p)
{
	GElf_Ehdr eh;
	Elf *elf;
	bool ok = false;

	*p = (struct elf_python){0};
	if ((elf = open_elf(fd)) == NULL)
		return false;
	if (elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh) != NULL) {
		ok = true;
		p->foreign = eh.e_machine != ELF_MACHINE ||
		    eh.e_ident[EI_CLASS] != ELFCLASS64;
		find_segments(elf, p);
		find_names(elf, p);
	}
	elf_end(elf);
	return ok;
}

static bool
find_section(Elf *elf, const char *wanted, uint64_t size, uint64_t *addr)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (!has_names(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_size != size ||
		    (name = elf_strptr(elf, names, sh.sh_name)) == NULL ||
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
	Elf *elf;
	bool ok;

	if ((elf = open_elf(fd)) == NULL)
		return false;
	ok = elf_kind(elf) == ELF_K_ELF && find_section(elf, name, size, addr);
	find_segments(elf, &p);
	*base = p.base;
	elf_end(elf);
	return ok;
}
