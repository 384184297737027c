/* SPDX-License-Identifier: ISC */
/* lines.c: see lines.h. */
#include "native/lines.h"

#ifndef HAVE_DW

int
native_lines_file(const struct native_module *from)
{
	(void)from;
	return -1;
}

struct native_lines *
native_lines_open(int fd)
{
	(void)fd;
	return NULL;
}

bool
native_lines_find(struct native_lines *l, uint64_t addr, struct native_line *out)
{
	(void)l, (void)addr, (void)out;
	return false;
}

bool
native_lines_damaged(const struct native_lines *l)
{
	(void)l;
	return false;
}

void
native_lines_close(struct native_lines *l)
{
	(void)l;
}

#else

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "native/debugfile.h"

#define RANGES_MAX (1 << 20)
#define NESTED_MAX 64	/* blocks in blocks, names in names */
#define LINELESS_MAX 64 /* rows without a line before one that has one */
/* Entries that are looked at: in a file of a stranger, they can lead to one another. */
#define ENTRIES_MAX (1 << 24)

/* Code of one entry of the debug information: a unit of compilation, or a function. */
struct code_range {
	uint64_t start, end;
	Dwarf_Off entry;
};

/* By start.  The units are searched for it once: not all compilers write the index of
 * them, .debug_aranges. */
struct code_ranges {
	struct code_range *list;
	size_t count, max;
};

struct native_lines {
	Elf *elf;
	Dwarf *dwarf;
	struct code_ranges units;
	bool indexed;
	Dwarf_Off unit; /* whose functions these are; 0: no unit's */
	struct code_ranges functions;
	unsigned entries; /* that were looked at */
	struct buf path;  /* of the last line */
	bool damaged;
};

/* ---- ranges -------------------------------------------------------------- */

static int
compare_ranges(const void *one, const void *other)
{
	const struct code_range *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static void
sort_ranges(struct code_ranges *r)
{
	if (r->count > 0)
		qsort(r->list, r->count, sizeof(*r->list), compare_ranges);
}

static bool
add_ranges(struct code_ranges *r, Dwarf_Die *entry)
{
	Dwarf_Addr base, start, end;
	struct code_range *p;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(entry, at, &base, &start, &end)) > 0) {
		if (start >= end || r->count == RANGES_MAX)
			continue;
		if ((p = array_grow(r->list, r->count, &r->max, sizeof(*p))) == NULL)
			return false;
		r->list = p;
		p[r->count++] = (struct code_range){start, end,
		    dwarf_dieoffset(entry)};
	}
	return true;
}

static bool
find_code(const struct native_lines *l, const struct code_ranges *r, uint64_t addr,
    Dwarf_Die *entry)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->list[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && addr < r->list[low - 1].end &&
	    dwarf_offdie(l->dwarf, r->list[low - 1].entry, entry) != NULL;
}

/* ---- units and functions ------------------------------------------------- */

static void
index_units(struct native_lines *l)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(l->dwarf, at + header, &unit) != NULL &&
		    !add_ranges(&l->units, &unit))
			break;
		at = next;
	}
	sort_ranges(&l->units);
	l->indexed = true;
}

/* Goes on to the next entry.  False if there is none. */
static bool
go_on(struct native_lines *l, Dwarf_Die *entry)
{
	return l->entries++ < ENTRIES_MAX && dwarf_siblingof(entry, entry) == 0;
}

/* Whether functions can be among the children of an entry that is no function. */
static bool
has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	    tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* Adds the functions below an entry.  False if out of memory. */
static bool
add_functions(struct native_lines *l, Dwarf_Die *of, unsigned nested)
{
	Dwarf_Die child;

	if (nested == NESTED_MAX || dwarf_child(of, &child) != 0)
		return true;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram ? !add_ranges(&l->functions, &child) :
		    has_functions(tag) && !add_functions(l, &child, nested + 1))
			return false;
	} while (go_on(l, &child));
	return true;
}

static bool
find_function(struct native_lines *l, Dwarf_Die *unit, uint64_t addr,
    Dwarf_Die *function)
{
	Dwarf_Off at = dwarf_dieoffset(unit);

	if (l->unit != at) {
		l->functions.count = 0;
		add_functions(l, unit, 0);
		sort_ranges(&l->functions);
		l->unit = at;
	}
	return find_code(l, &l->functions, addr, function);
}

/* ---- lines --------------------------------------------------------------- */

/* Finds the outermost call that was inlined at an address of a function. */
static bool
find_inlined(struct native_lines *l, Dwarf_Die *of, uint64_t addr, Dwarf_Die *call)
{
	Dwarf_Die child;

	for (unsigned nested = 0; nested < NESTED_MAX; nested++) {
		if (dwarf_child(of, &child) != 0)
			return false;
		while (dwarf_haspc(&child, addr) != 1 ||
		    (dwarf_tag(&child) != DW_TAG_inlined_subroutine &&
			dwarf_tag(&child) != DW_TAG_lexical_block))
			if (!go_on(l, &child))
				return false;
		*call = child;
		if (dwarf_tag(call) == DW_TAG_inlined_subroutine)
			return true;
		of = call;
	}
	return false;
}

static bool
read_number(Dwarf_Die *entry, unsigned name, Dwarf_Word *value)
{
	Dwarf_Attribute attribute;

	return dwarf_formudata(dwarf_attr(entry, name, &attribute), value) == 0;
}

/* Gives the line of an inlined call. */
static bool
line_of_call(Dwarf_Die *unit, Dwarf_Die *call, struct native_line *out)
{
	Dwarf_Word line, file;
	Dwarf_Files *files;
	size_t count;

	if (!read_number(call, DW_AT_call_line, &line) ||
	    !read_number(call, DW_AT_call_file, &file) || line == 0 ||
	    line > INT32_MAX || dwarf_getsrcfiles(unit, &files, &count) != 0 ||
	    file >= count)
		return false;
	out->line = (int)line;
	out->file = dwarf_filesrc(files, file, NULL, NULL);
	return out->file != NULL;
}

/* The number of rows that begin at an address or before it. */
static size_t
rows_before(Dwarf_Lines *rows, size_t count, uint64_t addr)
{
	size_t low = 0, high = count;
	Dwarf_Addr start;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (dwarf_lineaddr(dwarf_onesrcline(rows, middle), &start) == 0 &&
		    start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Gives the line of a row; false if it is the end of code. */
static bool
line_of_row(Dwarf_Line *row, struct native_line *out)
{
	bool ends = true;

	return dwarf_lineendsequence(row, &ends) == 0 && !ends &&
	    dwarf_lineno(row, &out->line) == 0 &&
	    (out->file = dwarf_linesrc(row, NULL, NULL)) != NULL;
}

static bool
find_row(struct native_lines *l, Dwarf_Die *unit, uint64_t addr, struct native_line *out)
{
	Dwarf_Lines *rows;
	size_t count, at;

	if (dwarf_getsrclines(unit, &rows, &count) != 0) {
		l->damaged = l->damaged || dwarf_hasattr(unit, DW_AT_stmt_list);
		return false;
	}
	at = rows_before(rows, count, addr);
	for (size_t i = 0; i < LINELESS_MAX && i < at; i++) {
		if (!line_of_row(dwarf_onesrcline(rows, at - 1 - i), out))
			return false;
		if (out->line > 0)
			return true;
	}
	return false;
}

/* Puts the folder of the compiler before a path that is relative to it. */
static void
complete_path(struct native_lines *l, Dwarf_Die *unit, struct native_line *line)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir,
	    &attribute));

	if (*line->file == '/' || folder == NULL || *folder == '\0')
		return;
	l->path.len = 0;
	buf_add_text(&l->path, folder);
	buf_add_char(&l->path, '/');
	buf_add_text(&l->path, line->file);
	buf_add_char(&l->path, '\0');
	if (!l->path.failed)
		line->file = l->path.text;
}

bool
native_lines_find(struct native_lines *l, uint64_t addr, struct native_line *out)
{
	Dwarf_Die unit, function, call;

	if (!l->indexed)
		index_units(l);
	if (!find_code(l, &l->units, addr, &unit) ||
	    (!(find_function(l, &unit, addr, &function) &&
		 find_inlined(l, &function, addr, &call) &&
		 line_of_call(&unit, &call, out)) &&
		!find_row(l, &unit, addr, out)))
		return false;
	complete_path(l, &unit, out);
	return true;
}

bool
native_lines_damaged(const struct native_lines *l)
{
	return l->damaged;
}

/* ---- files --------------------------------------------------------------- */

static bool
ends_with_0(Elf_Scn *scn)
{
	const Elf_Data *data = scn != NULL ? elf_getdata(scn, NULL) : NULL;

	return data == NULL || data->d_size == 0 || (data->d_buf != NULL &&
	    ((const char *)data->d_buf)[data->d_size - 1] == '\0');
}

/* Whether all sections of strings end with a 0: libdw reads a string to its 0, wherever
 * that is. */
static bool
strings_end(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0 ||
	    !ends_with_0(elf_getscn(elf, names)))
		return false;
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    (name = elf_strptr(elf, names, sh.sh_name)) != NULL &&
		    (strcmp(name, ".debug_str") == 0 ||
			strcmp(name, ".debug_line_str") == 0) &&
		    !ends_with_0(scn))
			return false;
	return true;
}

int
native_lines_file(const struct native_module *from)
{
	struct debugfile file = {.module.fd = -1};
	struct elf_module module;
	int fd = -1;

	if (from->fd < 0 || !elf_module_open(&module, from->fd))
		return -1;
	if (module.has_lines)
		fd = fcntl(module.fd, F_DUPFD_CLOEXEC, 0);
	else if (debugfile_find(&file, &module, from->path, from->root) &&
	    file.module.has_lines)
		fd = fcntl(file.module.fd, F_DUPFD_CLOEXEC, 0);
	debugfile_close(&file);
	elf_module_close(&module);
	return fd;
}

struct native_lines *
native_lines_open(int fd)
{
	struct native_lines *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	elf_version(EV_CURRENT);
	l->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	l->dwarf = l->elf != NULL ?
	    dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
	if (l->dwarf != NULL && strings_end(l->elf))
		return l;
	native_lines_close(l);
	return NULL;
}

void
native_lines_close(struct native_lines *l)
{
	if (l == NULL)
		return;
	if (l->dwarf != NULL)
		dwarf_end(l->dwarf);
	elf_end(l->elf);
	free(l->units.list);
	free(l->functions.list);
	buf_clear(&l->path);
	free(l);
}

#endif
