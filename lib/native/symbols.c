/* SPDX-License-Identifier: ISC */
/* symbols.c: see symbols.h. */
#include "native/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "native/debugfile.h"
#include "native/demangle.h"
#include "native/elf.h"
#include "native/elfmodule.h"
#include "native/parents.h"
#include "native/pytables.h"
#include "utf8.h"

#define TABLE_SIZE_MAX (256 << 20) /* bytes: of a table of symbols */
#define SYMBOLS_AT_ONCE 1024
#define BACK_MAX 16	/* symbols before an address that can hold it */
#define PARENTS_MAX 4	/* parts of parts */
#define MANGLED_MAX 4096 /* bytes: longer names are no names */
#define NO_NAME UINT32_MAX

/* A function's symbol; its place is from the module's base on. */
struct symbol_entry {
	uint32_t start;
	uint32_t size; /* bytes; 0: not known */
	uint32_t name; /* where it begins in the names */
};

/* The functions of one table, by start. */
struct symbol_table {
	bool loaded;
	const struct elf_module *module; /* the file that has the names */
	struct elf_extent names;
	struct symbol_entry *entries;
	size_t count, max;
	uint32_t *kept; /* by entry, where its name begins in the names that are kept;
			 * 0: it was not asked for yet; NO_NAME: it has none */
};

/* Tables by the order in which they are asked. */
enum { FROM_SYMTAB, FROM_DEBUG_FILE, FROM_MINIDEBUG, FROM_DYNSYM, TABLES };

struct native_symbols {
	struct elf_module module;
	struct debugfile debugfile, minidebug;
	struct symbol_table tables[TABLES];
	struct pytables *python;
	struct parents *parents;
	bool python_loaded, parents_loaded;
	native_function *function_of;
	bool (*is_part)(void *arg, uint64_t start);
	void *arg;
	int root;
	char *path;
	char build_id[2 * ELF_BUILD_ID_MAX + 1];
	struct buf name; /* of the last symbol that was found; ends with a 0 */
	struct buf kept; /* names of entries, as they are told; each ends with a 0 */
};

/* ---- tables of symbols --------------------------------------------------- */

/* Whether a symbol is a function's.  Those of assembler often do not say so. */
static bool
is_function_symbol(const struct elf_module *m, const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_value <= m->base ||
	    sym->st_value - m->base > UINT32_MAX)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return elf_module_is_code(m, sym->st_value);
	return type == STT_NOTYPE && sym->st_shndx < SHN_LORESERVE &&
	    ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
	    elf_module_is_code(m, sym->st_value);
}

static bool
add_entry(struct symbol_table *t, uint64_t base, const Elf64_Sym *sym)
{
	struct symbol_entry *p = array_grow(t->entries, t->count, &t->max,
	    sizeof(*p));

	if (p == NULL)
		return false;
	t->entries = p;
	p[t->count++] = (struct symbol_entry){
		.start = (uint32_t)(sym->st_value - base),
		.size = sym->st_size < UINT32_MAX ? (uint32_t)sym->st_size :
		    UINT32_MAX,
		.name = sym->st_name};
	return true;
}

static int
compare_entries(const void *one, const void *other)
{
	const struct symbol_entry *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Sorts the entries, and gives memory back that they do not need. */
static void
settle_entries(struct symbol_table *t)
{
	struct symbol_entry *p;

	if (t->count == 0)
		return;
	qsort(t->entries, t->count, sizeof(*t->entries), compare_entries);
	if ((p = reallocarray(t->entries, t->count, sizeof(*p))) != NULL) {
		t->entries = p;
		t->max = t->count;
	}
}

/* Reads the functions of a file's table; addresses are those of the module, which a
 * debug file shares. */
static void
load_table(struct symbol_table *t, const struct elf_module *file,
    const struct elf_symtab *from, const struct elf_module *m)
{
	Elf64_Sym symbols[SYMBOLS_AT_ONCE];
	uint64_t left = from->symbols.size / sizeof(*symbols);
	uint64_t at = from->symbols.offset;

	t->module = file;
	t->names = from->names;
	if (from->symbols.size > TABLE_SIZE_MAX)
		return;
	while (left > 0) {
		size_t n = left < SYMBOLS_AT_ONCE ? (size_t)left : SYMBOLS_AT_ONCE;
		if (!elf_module_read(file, at, symbols, n * sizeof(*symbols)))
			break;
		for (size_t i = 0; i < n; i++)
			if (is_function_symbol(m, &symbols[i]) &&
			    !add_entry(t, m->base, &symbols[i]))
				break;
		left -= n;
		at += n * sizeof(*symbols);
	}
	settle_entries(t);
}

static void
load(struct native_symbols *s, int which)
{
	const struct elf_module *m = &s->module;
	struct symbol_table *t = &s->tables[which];

	t->loaded = true;
	switch (which) {
	case FROM_SYMTAB:
		load_table(t, m, &m->symtab, m);
		break;
	case FROM_DEBUG_FILE:
		if (debugfile_find(&s->debugfile, m, s->path, s->root))
			load_table(t, &s->debugfile.module,
			    &s->debugfile.module.symtab, m);
		break;
	case FROM_MINIDEBUG:
		if (debugfile_unpack(&s->minidebug, m))
			load_table(t, &s->minidebug.module,
			    &s->minidebug.module.symtab, m);
		break;
	case FROM_DYNSYM:
		load_table(t, m, &m->dynsym, m);
		break;
	}
}

/* ---- a symbol of a table ------------------------------------------------- */

/* The number of entries that begin at a place or before it. */
static size_t
count_before(const struct symbol_table *t, uint32_t place)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->entries[middle].start <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The innermost entry that holds a place; NULL if there is none.  One without a size
 * ends where the next one begins, and with its function, which begins at `function`. */
static const struct symbol_entry *
entry_at(const struct symbol_table *t, uint32_t place, uint32_t function)
{
	size_t end = count_before(t, place);
	const struct symbol_entry *sizeless = NULL;

	for (size_t i = end; i > 0 && i + BACK_MAX > end; i--) {
		const struct symbol_entry *e = &t->entries[i - 1];
		if (e->size > 0 && place - e->start < e->size)
			return e;
		if (e->size == 0 && sizeless == NULL && e->start >= function &&
		    (i == end || e->start == t->entries[end - 1].start))
			sizeless = e;
	}
	return sizeless;
}

static bool
read_symbol_name(const struct symbol_table *t, const struct symbol_entry *e,
    char *name)
{
	return e->name < t->names.size && elf_module_string(t->module,
	    t->names.offset + e->name, t->names.size - e->name, name,
	    MANGLED_MAX) > 0;
}

/* Whether a name tells more than another one of the same function: it has fewer
 * underscores in front, or is shorter. */
static bool
is_plainer(const char *a, const char *b)
{
	size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");

	if (under_a != under_b)
		return under_a < under_b;
	return strlen(a) < strlen(b);
}

/* Reads the plainest of the names that a function has. */
static bool
read_plainest(const struct symbol_table *t, const struct symbol_entry *e,
    char *name)
{
	char other[MANGLED_MAX];
	size_t end = count_before(t, e->start);
	bool found = false;

	for (size_t i = end; i > 0 && i + BACK_MAX > end &&
	     t->entries[i - 1].start == e->start; i--)
		if (read_symbol_name(t, &t->entries[i - 1], other) &&
		    *other != '$' && (!found || is_plainer(other, name))) {
			memcpy(name, other, strlen(other) + 1);
			found = true;
		}
	return found;
}

/* Keeps a name as valid UTF-8.  False if it is empty, or if memory is out. */
static bool
keep_name(struct native_symbols *s, const char *text)
{
	s->name.len = 0;
	s->name.failed = false;
	utf8_add(&s->name, text, strlen(text));
	buf_add_char(&s->name, '\0');
	return !s->name.failed && *text != '\0';
}

/* Cuts what a compiler adds to the name of a function that it has split or copied, and
 * the version of a library's function. */
static void
cut_suffixes(char *mangled)
{
	static const char *const suffixes[] = {".cold", ".warm", ".part.", ".isra.",
		".constprop.", ".lto_priv.", ".localalias", ".llvm.", "@"};
	char *end;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if ((end = strstr(mangled + 1, suffixes[i])) != NULL)
			*end = '\0';
}

static bool
keep_symbol_name(struct native_symbols *s, char *mangled)
{
	char text[SYMBOL_NAME_MAX];

	cut_suffixes(mangled);
	return keep_name(s, demangle(mangled, text, sizeof(text)) ? text : mangled);
}

/* Makes the name of an entry.  Returns where it begins in the names that are kept;
 * NO_NAME if it has none, 0 if memory is out. */
static uint32_t
make_entry_name(struct native_symbols *s, const struct symbol_table *t,
    const struct symbol_entry *e)
{
	char mangled[MANGLED_MAX];
	size_t at;

	if (!read_plainest(t, e, mangled) || !keep_symbol_name(s, mangled))
		return s->name.failed ? 0 : NO_NAME;
	if (s->kept.len == 0)
		buf_add_char(&s->kept, '\0');
	at = s->kept.len;
	buf_add(&s->kept, s->name.text, s->name.len);
	return s->kept.failed || at >= NO_NAME ? 0 : (uint32_t)at;
}

/* Keeps the name of an entry, which is read from the file once.  False if it has none, or
 * if memory is out. */
static bool
keep_entry_name(struct native_symbols *s, struct symbol_table *t,
    const struct symbol_entry *e)
{
	uint32_t *at;

	if (t->kept == NULL && (t->kept = calloc(t->count, sizeof(*at))) == NULL)
		return false;
	at = &t->kept[e - t->entries];
	if (*at == 0)
		*at = make_entry_name(s, t, e);
	if (*at == 0 || *at == NO_NAME)
		return false;
	s->name.len = 0;
	s->name.failed = false;
	buf_add(&s->name, s->kept.text + *at, strlen(s->kept.text + *at) + 1);
	return !s->name.failed;
}

static bool
find_in_table(struct native_symbols *s, int which, uint32_t place, uint32_t function,
    struct native_symbol *out)
{
	struct symbol_table *t = &s->tables[which];
	const struct symbol_entry *e;

	if (!t->loaded)
		load(s, which);
	if ((e = entry_at(t, place, function)) == NULL || !keep_entry_name(s, t, e))
		return false;
	out->start = s->module.base + e->start;
	out->source = (enum symbol_source)which;
	return true;
}

/* ---- a function without a symbol ----------------------------------------- */

static bool
find_in_python(struct native_symbols *s, uint64_t start)
{
	char name[SYMBOL_NAME_MAX];

	if (!s->python_loaded) {
		s->python_loaded = true;
		s->python = pytables_new(&s->module, s->function_of, s->arg);
	}
	return s->python != NULL &&
	    pytables_find(s->python, start, name, sizeof(name)) &&
	    keep_name(s, name);
}

static bool
name_by_start(struct native_symbols *s, uint64_t start)
{
	const char *base = strrchr(s->path, '/');
	char name[SYMBOL_NAME_MAX];

	snprintf(name, sizeof(name), "%.*s+0x%" PRIx64, SYMBOL_NAME_MAX / 2,
	    base != NULL ? base + 1 : s->path, start);
	return keep_name(s, name);
}

/* Whether a function may be a part of another one.  All jumps of the module are looked at
 * for that: of functions without a name, which a library of C has by the thousand, only
 * those that are entered in their midst are worth it. */
static bool
may_have_parent(const struct native_symbols *s, uint64_t start)
{
	return s->is_part == NULL || s->is_part(s->arg, start) ||
	    (s->python != NULL && pytables_count(s->python) > 0);
}

/* Finds the function that another one is a part of. */
static bool
find_parent(struct native_symbols *s, uint64_t *start)
{
	if (!may_have_parent(s, *start))
		return false;
	if (!s->parents_loaded) {
		s->parents_loaded = true;
		s->parents = parents_new(&s->module, s->function_of, s->arg);
	}
	return s->parents != NULL && parents_find(s->parents, *start, start);
}

/* The name of the function with this start, in any table. */
static bool
find_in_tables(struct native_symbols *s, uint64_t addr, uint64_t start,
    struct native_symbol *out)
{
	uint64_t base = s->module.base;
	uint32_t function = start > base && start <= addr ?
	    (uint32_t)(start - base) : 0;

	if (addr < base || addr - base > UINT32_MAX)
		return false;
	for (int which = 0; which < TABLES; which++)
		if (find_in_table(s, which, (uint32_t)(addr - base), function, out))
			return true;
	out->start = start;
	out->source = SYMBOL_PYTHON;
	return start != 0 && find_in_python(s, start);
}

bool
native_symbols_find(struct native_symbols *s, uint64_t addr, struct native_symbol *out)
{
	uint64_t start = 0, end;
	bool found;

	if (s->function_of != NULL && !s->function_of(s->arg, addr, &start, &end))
		start = 0;
	found = find_in_tables(s, addr, start, out);
	for (int i = 0; !found && i < PARENTS_MAX && start != 0 &&
	     find_parent(s, &start); i++)
		found = find_in_tables(s, start, start, out);
	if (!found && start != 0) {
		out->start = start;
		out->source = SYMBOL_NAMELESS;
		found = name_by_start(s, start);
	}
	out->name = s->name.text;
	return found;
}

/* ---- all ----------------------------------------------------------------- */

static void
write_build_id(struct native_symbols *s)
{
	for (size_t i = 0; i < s->module.build_id_size; i++)
		snprintf(s->build_id + 2 * i, 3, "%02x", s->module.build_id[i]);
}

struct native_symbols *
native_symbols_open(const struct native_module *from)
{
	struct native_symbols *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->function_of = from->function_of;
	s->is_part = from->is_part;
	s->arg = from->arg;
	s->root = from->root;
	s->debugfile.module.fd = s->minidebug.module.fd = -1;
	if (!(from->fd >= 0 ? elf_module_open(&s->module, from->fd) :
		elf_module_memory(&s->module, from->bytes, from->size)) ||
	    s->module.machine != ELF_MACHINE ||
	    (s->path = strdup(from->path)) == NULL) {
		native_symbols_close(s);
		return NULL;
	}
	write_build_id(s);
	return s;
}

const char *
native_symbols_build_id(const struct native_symbols *s)
{
	return s->build_id;
}

size_t
native_symbols_memory(const struct native_symbols *s)
{
	size_t bytes = sizeof(*s) + debugfile_memory(&s->minidebug);

	for (int i = 0; i < TABLES; i++)
		bytes += s->tables[i].max * sizeof(*s->tables[i].entries) +
		    (s->tables[i].kept != NULL ?
			s->tables[i].count * sizeof(*s->tables[i].kept) : 0);
	bytes += s->kept.max;
	if (s->parents != NULL)
		bytes += parents_memory(s->parents);
	return bytes + (s->python != NULL ? pytables_memory(s->python) : 0);
}

void
native_symbols_close(struct native_symbols *s)
{
	if (s == NULL)
		return;
	for (int i = 0; i < TABLES; i++) {
		free(s->tables[i].entries);
		free(s->tables[i].kept);
	}
	pytables_free(s->python);
	parents_free(s->parents);
	debugfile_close(&s->debugfile);
	debugfile_close(&s->minidebug);
	elf_module_close(&s->module);
	buf_clear(&s->name);
	buf_clear(&s->kept);
	free(s->path);
	free(s);
}
