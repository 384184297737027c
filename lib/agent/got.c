/* SPDX-License-Identifier: ISC */
/* got.c: see got.h. */
#include "agent/got.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/real.h"

/* The relocations that make a word the address of a function. */
#ifdef __aarch64__
#define RELOC_CALL R_AARCH64_JUMP_SLOT
#define RELOC_TABLE R_AARCH64_GLOB_DAT
#define RELOC_DATA R_AARCH64_ABS64
#else
#define RELOC_CALL R_X86_64_JUMP_SLOT
#define RELOC_TABLE R_X86_64_GLOB_DAT
#define RELOC_DATA R_X86_64_64
#endif

struct object {
	uintptr_t base;
	uintptr_t start, end; /* of its loaded segments */
	uintptr_t sealed, sealed_end; /* whole pages, read-only by now */
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Rela) *calls, *others;
	size_t ncalls, nothers;
};

/* ---- one object --------------------------------------------------------- */

static bool
holds(const struct object *o, const void *p)
{
	return (uintptr_t)p >= o->start && (uintptr_t)p < o->end;
}

/* The address of a part that the dynamic section names.  Some dynamic linkers
 * have added the base to it, some have not. */
static const void *
address(const struct object *o, ElfW(Addr) v)
{
	return (const void *)(v < o->base ? o->base + v : v);
}

static void
read_dynamic(struct object *o, const ElfW(Dyn) *d)
{
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB:
			o->symbols = address(o, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			o->strings = address(o, d->d_un.d_ptr);
			break;
		case DT_JMPREL:
			o->calls = address(o, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			o->ncalls = d->d_un.d_val / sizeof(*o->calls);
			break;
		case DT_RELA:
			o->others = address(o, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			o->nothers = d->d_un.d_val / sizeof(*o->others);
			break;
		}
}

static void
read_object(struct object *o, const struct dl_phdr_info *info)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const ElfW(Dyn) *dynamic = NULL;

	*o = (struct object){.base = info->dlpi_addr, .start = UINTPTR_MAX};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = o->base + p->p_vaddr;
		uintptr_t end = start + p->p_memsz;
		if (p->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)start;
		if (p->p_type == PT_GNU_RELRO) {
			o->sealed = start & ~(page - 1);
			o->sealed_end = end & ~(page - 1);
		}
		if (p->p_type == PT_LOAD && start < o->start)
			o->start = start;
		if (p->p_type == PT_LOAD && end > o->end)
			o->end = end;
	}
	if (dynamic != NULL)
		read_dynamic(o, dynamic);
}

/* Writes a word that may lie in a read-only page.  If the page cannot be made
 * writable, the word stays as it is. */
static void
write_word(const struct object *o, _Atomic(void *) *word, void *v)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)word;
	void *start = (void *)(at & ~(page - 1));
	bool sealed = at >= o->sealed && at < o->sealed_end;

	if (sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
		return;
	atomic_store_explicit(word, v, memory_order_release);
	if (sealed)
		mprotect(start, page, PROT_READ);
}

/* NULL if the agent does not wrap a function of this name. */
static const struct wrapper *
wrapper_of(const char *name)
{
	for (size_t i = 0; i < WRAPPERS; i++)
		if (strcmp(wrappers[i].name, name) == 0)
			return &wrappers[i];
	return NULL;
}

/* True if the linker wrote the word's value: the function's address, or an
 * address in the object itself, by which the linker looks the function up at
 * its first call.  Another value was written by other code. */
static bool
is_linkers(const struct object *o, const void *v, const void *real)
{
	return v == real || holds(o, v);
}

static void
wrap_word(const struct object *o, const ElfW(Rela) *r)
{
	_Atomic(void *) *word = (_Atomic(void *) *)(o->base + r->r_offset);
	const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(r->r_info)];
	const struct wrapper *w;
	void *real;

	if (symbol->st_shndx != SHN_UNDEF || r->r_addend != 0 ||
	    (w = wrapper_of(o->strings + symbol->st_name)) == NULL)
		return;
	real = atomic_load(&w->real);
	if (real != NULL && is_linkers(o, atomic_load(word), real))
		write_word(o, word, w->own);
}

static void
wrap_words(const struct object *o, const ElfW(Rela) *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t type = ELF64_R_TYPE(list[i].r_info);
		if (type == RELOC_CALL || type == RELOC_TABLE ||
		    type == RELOC_DATA)
			wrap_word(o, &list[i]);
	}
}

/* ---- all objects -------------------------------------------------------- */

/* The number of objects that had ever been loaded at the last call. */
static _Atomic unsigned long long seen;

static int
wrap_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned long long *adds = arg;
	struct object o;

	(void)size;
	*adds = info->dlpi_adds;
	if (*adds == atomic_load(&seen))
		return 1;
	read_object(&o, info);
	if (o.symbols == NULL || o.strings == NULL || holds(&o, wrappers))
		return 0;
	wrap_words(&o, o.calls, o.ncalls);
	wrap_words(&o, o.others, o.nothers);
	return 0;
}

/* Reads the first object, which is the program, and stops. */
static int
read_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	read_object(arg, info);
	return 1;
}

/*
 * Notes the functions that objects call now as the real ones.  Another library
 * may wrap the C library, too: the agent's wrappers then call that library's.
 * An address in the program is not noted, as it may only be the program's own
 * way to call the function, which will lead to the wrapper.  False if objects
 * call the agent's wrappers already.
 */
static bool
find_others(void)
{
	void *global = dlopen(NULL, RTLD_LAZY);
	struct object program;

	dl_iterate_phdr(read_program, &program);
	for (size_t i = 0; i < WRAPPERS; i++) {
		void *p = dlsym(global, wrappers[i].name);
		if (p == wrappers[i].own)
			return false;
		if (p != NULL && !holds(&program, p))
			atomic_store(&wrappers[i].real, p);
	}
	return true;
}

void
got_wrap(void)
{
	static _Atomic bool first = true, need;
	unsigned long long adds = 0;

	if (atomic_exchange(&first, false))
		atomic_store(&need, find_others());
	if (!atomic_load(&need))
		return;
	dl_iterate_phdr(wrap_object, &adds);
	atomic_store(&seen, adds);
}
