/* SPDX-License-Identifier: ISC */
/* elf.c: see elf.h. */
#include "native/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#define PAGE_MASK_4K UINT64_C(0xfff)

#define GETTER_SIZE 8 /* bytes that can come before it loads its variable */
#define MOV_SIZE 7

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

/*
 * The address of the variable that a function of one line returns, or 0.  So
 * interp_head is found in a stripped file: PyInterpreterState_Head is its
 * getter.  mov DISPLACEMENT(%rip), %rax is 48 8b 05 and four bytes.
 */
static uint64_t
returned_variable(Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf_getscn(elf, sym->st_shndx);
	Elf_Data *data = scn != NULL ? elf_rawdata(scn, NULL) : NULL;
	GElf_Shdr sh;
	uint64_t at;
	int32_t displacement;

	if (data == NULL || data->d_buf == NULL ||
	    gelf_getshdr(scn, &sh) == NULL || sym->st_value < sh.sh_addr)
		return 0;
	at = sym->st_value - sh.sh_addr;
	for (size_t i = 0; i <= GETTER_SIZE; i++) {
		const uint8_t *code = (const uint8_t *)data->d_buf + at + i;
		if (at >= data->d_size || data->d_size - at < i + MOV_SIZE)
			return 0;
		if (memcmp(code, "\x48\x8b\x05", 3) != 0)
			continue;
		memcpy(&displacement, code + 3, sizeof(displacement));
		return sym->st_value + i + MOV_SIZE + (uint64_t)displacement;
	}
	return 0;
}

static void
find_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct elf_python *p)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	size_t n = sh->sh_entsize != 0 ? sh->sh_size / sh->sh_entsize : 0;

	for (size_t i = 0; data != NULL && i < n && i <= INT32_MAX; i++) {
		const char *name;
		if (gelf_getsym(data, (int)i, &sym) == NULL)
			return;
		if (sym.st_shndx == SHN_UNDEF ||
		    (name = elf_strptr(elf, sh->sh_link, sym.st_name)) == NULL)
			continue;
		if (strcmp(name, "_PyRuntime") == 0)
			p->runtime = sym.st_value;
		else if (strcmp(name, "Py_Version") == 0)
			p->version = sym.st_value;
		else if (strcmp(name, "_PyThreadState_Current") == 0)
			p->current = sym.st_value;
		else if (strcmp(name, "interp_head") == 0)
			p->head = sym.st_value;
		else if (strcmp(name, "PyInterpreterState_Head") == 0 &&
		    p->head == 0)
			p->head = returned_variable(elf, &sym);
	}
}

/* .symtab and .dynsym alike; the section is there in stripped files too. */
static void
find_sections(Elf *elf, struct elf_python *p)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;
	uint64_t section = 0;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name;
		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			find_symbols(elf, scn, &sh, p);
		else if (name != NULL && strcmp(name, ".PyRuntime") == 0)
			section = sh.sh_addr;
	}
	p->symbol = p->runtime != 0;
	if (!p->symbol)
		p->runtime = section;
}

bool
elf_find_python(int fd, struct elf_python *p)
{
	GElf_Ehdr eh;
	Elf *elf;
	bool ok = false;

	*p = (struct elf_python){0};
	elf_version(EV_CURRENT);
	if ((elf = elf_begin(fd, ELF_C_READ_MMAP, NULL)) == NULL)
		return false;
	if (elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh) != NULL) {
		ok = true;
		p->foreign = eh.e_machine != ELF_MACHINE ||
		    eh.e_ident[EI_CLASS] != ELFCLASS64;
		find_segments(elf, p);
		find_sections(elf, p);
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

	if (elf_getshdrstrndx(elf, &names) != 0)
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

	elf_version(EV_CURRENT);
	if ((elf = elf_begin(fd, ELF_C_READ_MMAP, NULL)) == NULL)
		return false;
	ok = elf_kind(elf) == ELF_K_ELF && find_section(elf, name, size, addr);
	find_segments(elf, &p);
	*base = p.base;
	elf_end(elf);
	return ok;
}
