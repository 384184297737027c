/* SPDX-License-Identifier: ISC */
/* lines.c: see lines.h. */
#include "native/lines.h"

#ifndef HAVE_DW

struct native_lines *
native_lines_open(const struct native_module *from)
{
	(void)from;
	return NULL;
}

bool
native_lines_find(struct native_lines *l, uint64_t addr, struct native_line *out)
{
	(void)l, (void)addr, (void)out;
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
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "native/debugfile.h"

#define UNIT_RANGES_MAX (1 << 20)

/* Code of one unit of compilation, by start.  The units are searched for it once: not
 * all compilers write the index of them, .debug_aranges. */
struct unit_range {
	uint64_t start, end;
	uint64_t unit; /* the offset of its entry */
};

struct native_lines {
	struct debugfile file; /* of the lines; its fd is -1 if they are the module's */
	struct elf_module module;
	Elf *elf;
	Dwarf *dwarf;
	struct unit_range *ranges;
	size_t count, max;
	bool indexed;
};

/* ---- units --------------------------------------------------------------- */

static int
compare_ranges(const void *one, const void *other)
{
	const struct unit_range *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static bool
add_ranges(struct native_lines *l, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	struct unit_range *p;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (start >= end || l->count == UNIT_RANGES_MAX)
			continue;
		if ((p = array_grow(l->ranges, l->count, &l->max,
			sizeof(*p))) == NULL)
			return false;
		l->ranges = p;
		p[l->count++] = (struct unit_range){start, end,
		    dwarf_dieoffset(unit)};
	}
	return true;
}

static void
index_units(struct native_lines *l)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(l->dwarf, at + header, &unit) != NULL &&
		    !add_ranges(l, &unit))
			break;
		at = next;
	}
	if (l->count > 0)
		qsort(l->ranges, l->count, sizeof(*l->ranges), compare_ranges);
	l->indexed = true;
}

static bool
find_unit(struct native_lines *l, uint64_t addr, Dwarf_Die *unit)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->ranges[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && addr < l->ranges[low - 1].end &&
	    dwarf_offdie(l->dwarf, l->ranges[low - 1].unit, unit) != NULL;
}

/* ---- all ----------------------------------------------------------------- */

static void
close_dwarf(struct native_lines *l)
{
	if (l->dwarf != NULL)
		dwarf_end(l->dwarf);
	elf_end(l->elf);
	l->dwarf = NULL;
	l->elf = NULL;
}

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

/* Opens the lines of a file.  It is read, not mapped: a mapping would end this process
 * if the file was cut meanwhile. */
static bool
open_dwarf(struct native_lines *l, int fd)
{
	elf_version(EV_CURRENT);
	l->elf = elf_begin(fd, ELF_C_READ, NULL);
	l->dwarf = l->elf != NULL ?
	    dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
	if (l->dwarf != NULL && strings_end(l->elf))
		return true;
	close_dwarf(l);
	return false;
}

/* Opens those of the module or of its debug file. */
static bool
open_lines(struct native_lines *l, const struct native_module *from)
{
	if (from->fd < 0 || !elf_module_open(&l->module, from->fd))
		return false;
	if (open_dwarf(l, l->module.fd))
		return true;
	return debugfile_find(&l->file, &l->module, from->path, from->root) &&
	    open_dwarf(l, l->file.module.fd);
}

struct native_lines *
native_lines_open(const struct native_module *from)
{
	struct native_lines *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->module.fd = l->file.module.fd = -1;
	if (open_lines(l, from))
		return l;
	native_lines_close(l);
	return NULL;
}

bool
native_lines_find(struct native_lines *l, uint64_t addr, struct native_line *out)
{
	Dwarf_Die unit;
	Dwarf_Line *line;

	if (!l->indexed)
		index_units(l);
	return find_unit(l, addr, &unit) &&
	    (line = dwarf_getsrc_die(&unit, addr)) != NULL &&
	    dwarf_lineno(line, &out->line) == 0 && out->line > 0 &&
	    (out->file = dwarf_linesrc(line, NULL, NULL)) != NULL;
}

void
native_lines_close(struct native_lines *l)
{
	if (l == NULL)
		return;
	close_dwarf(l);
	debugfile_close(&l->file);
	elf_module_close(&l->module);
	free(l->ranges);
	free(l);
}

#endif
