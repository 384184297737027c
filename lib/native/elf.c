/* SPDX-License-Identifier: ISC */
/* elf.c: see elf.h. */
#include "native/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#define PAGE_MASK_4K UINT64_C(0xfff)

static void
find_base(Elf *elf, struct elf_python *p)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD)
			continue;
		p->base = ph.p_vaddr & ~PAGE_MASK_4K;
		return;
	}
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
		p->foreign = eh.e_machine != EM_X86_64 ||
		    eh.e_ident[EI_CLASS] != ELFCLASS64;
		find_base(elf, p);
		find_sections(elf, p);
	}
	elf_end(elf);
	return ok;
}
