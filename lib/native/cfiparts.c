/* SPDX-License-Identifier: ISC */
/* cfiparts.c: see cfiparts.h.  The list is the linker's .eh_frame_hdr. */
#include "native/cfiparts.h"

#include <stdlib.h>
#include <string.h>

#define SMALL (1 << 20)	    /* bytes: a section is made a table in some milliseconds */
#define SECTION_LIMIT (1u << 30) /* bytes */
#define FUNCTIONS_MAX (1u << 24)
#define PART 64		    /* functions */
#define PAGE 4096	    /* bytes: read at once */

/* The encodings of the list's parts: each is relative to the list. */
static const uint8_t usual_form[] = {1, 0x1b, 0x03, 0x3b};

struct list_header {
	uint8_t form[sizeof(usual_form)];
	int32_t pointer; /* to .eh_frame */
	uint32_t count;
};

struct listed_function {
	int32_t start, entry; /* addresses, from the list's on */
};

struct cfi_parts {
	struct cfi_section section; /* first; its bytes are there where they were needed */
	const struct elf_module *file;
	const struct cfi_machine *machine;
	uint8_t *bytes;	  /* the section's */
	uint8_t *present; /* a bit for each of its pages */
	struct listed_function *list;
	size_t count;
	struct cfi **parts; /* NULL: not made yet */
};

/* ---- the section ------------------------------------------------------- */

static bool
read_page(const struct cfi_parts *p, size_t page)
{
	size_t at = page * PAGE;
	size_t size = p->section.len - at < PAGE ? p->section.len - at : PAGE;

	if ((p->present[page / 8] >> page % 8 & 1) != 0)
		return true;
	if (!elf_module_read(p->file, p->file->frames.offset + at, p->bytes + at, size))
		return false;
	p->present[page / 8] |= (uint8_t)(1 << page % 8);
	return true;
}

static bool
read_needed(const struct cfi_section *s, size_t offset, size_t len)
{
	const struct cfi_parts *p = (const struct cfi_parts *)s;

	if (len == 0)
		return true;
	for (size_t page = offset / PAGE; page <= (offset + len - 1) / PAGE; page++)
		if (!read_page(p, page))
			return false;
	return true;
}

/* ---- the list ---------------------------------------------------------- */

static bool
read_list(struct cfi_parts *p)
{
	const struct elf_extent *list = &p->file->frames_list;
	struct list_header h;

	if (list->size < sizeof(h) ||
	    !elf_module_read(p->file, list->offset, &h, sizeof(h)) ||
	    memcmp(h.form, usual_form, sizeof(usual_form)) != 0 || h.count == 0 ||
	    h.count > FUNCTIONS_MAX ||
	    h.count > (list->size - sizeof(h)) / sizeof(*p->list))
		return false;
	p->count = h.count;
	return (p->list = calloc(p->count, sizeof(*p->list))) != NULL &&
	    elf_module_read(p->file, list->offset + sizeof(h), p->list,
		p->count * sizeof(*p->list));
}

/* An address of the list, as in the file. */
static uint64_t
listed(const struct cfi_parts *p, int32_t from_list)
{
	return p->file->frames_list_addr + (uint64_t)(int64_t)from_list;
}

struct cfi_parts *
cfi_parts_new(const struct elf_module *m, const struct cfi_machine *machine)
{
	uint64_t len = m->frames.size;
	struct cfi_parts *p;

	if (len <= SMALL || len > SECTION_LIMIT || (p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->file = m;
	p->machine = machine;
	p->bytes = calloc((size_t)len, 1); /* takes no memory where it is not used */
	p->present = calloc((size_t)len / PAGE / 8 + 1, 1);
	p->section = (struct cfi_section){p->bytes, (size_t)len, m->frames_addr,
	    read_needed};
	if (p->bytes == NULL || p->present == NULL || !read_list(p) ||
	    (p->parts = calloc(p->count / PART + 1, sizeof(*p->parts))) == NULL) {
		cfi_parts_free(p);
		return NULL;
	}
	return p;
}

void
cfi_parts_free(struct cfi_parts *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; p->parts != NULL && i <= p->count / PART; i++)
		if (p->parts[i] != NULL) {
			cfi_free(p->parts[i]);
			free(p->parts[i]);
		}
	free(p->parts);
	free(p->list);
	free(p->present);
	free(p->bytes);
	free(p);
}

/* ---- parts ------------------------------------------------------------- */

/* The number of functions that begin at an address or before it. */
static size_t
begun_at(const struct cfi_parts *p, uint64_t addr)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (listed(p, p->list[middle].start) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Makes the table of some functions from one on. */
static struct cfi *
make_part(const struct cfi_parts *p, size_t first)
{
	size_t offsets[PART], n = 0;
	uint64_t next = p->count - first > PART ?
	    listed(p, p->list[first + PART].start) : 0;
	struct cfi *t = malloc(sizeof(*t));

	if (t == NULL)
		return NULL;
	for (; n < PART && n < p->count - first; n++)
		offsets[n] = (size_t)(listed(p, p->list[first + n].entry) -
		    p->section.addr);
	if (cfi_build_some(t, p->machine, &p->section, offsets, n, next))
		return t;
	cfi_free(t);
	free(t);
	return NULL;
}

const struct cfi *
cfi_parts_find(struct cfi_parts *p, uint64_t addr)
{
	size_t begun = begun_at(p, addr), part;

	if (begun == 0)
		return NULL;
	part = (begun - 1) / PART;
	if (p->parts[part] == NULL)
		p->parts[part] = make_part(p, part * PART);
	return p->parts[part];
}
