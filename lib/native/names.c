/* SPDX-License-Identifier: ISC */
/* names.c: see names.h. */
#include "native/names.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

static const char *
find_in(Elf *elf, Elf_Scn *scn, uint64_t addr)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Shdr sh;
	GElf_Sym sym;

	gelf_getshdr(scn, &sh);
	for (int i = 0; d != NULL && gelf_getsym(d, i, &sym) != NULL; i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF && addr >= sym.st_value &&
		    addr - sym.st_value < sym.st_size)
			return elf_strptr(elf, sh.sh_link, sym.st_name);
	return NULL;
}

void
native_name(struct module *m, uint64_t addr, char name[NATIVE_NAME_MAX], bool *named)
{
	const char *found = NULL, *base = strrchr(m->path, '/');
	uint64_t start = addr, end;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (found == NULL && (scn = elf_nextscn(m->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			found = find_in(m->elf, scn, addr);
	*named = found != NULL;
	cfi_function(&m->cfi, addr, &start, &end);
	if (found != NULL)
		snprintf(name, NATIVE_NAME_MAX, "%s", found);
	else
		snprintf(name, NATIVE_NAME_MAX, "%s+0x%lx",
		    base != NULL ? base + 1 : m->path, (unsigned long)start);
}
