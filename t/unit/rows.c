/* SPDX-License-Identifier: ISC */
/*
 * rows.c: rows [-p] FILE: prints the table of frames of an ELF file for x86-64 or arm64, a
 * line each: address (hexadecimal), kind (enum cfi_kind), bytes to the frame's end, slot
 * of the frame pointer.  -p: the same by parts of the table, in any order; the functions'
 * starts and ends are to be the same, too.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/cfiparts.h"
#include "native/elfmodule.h"

#define STEP 7919 /* rows: parts are asked for in another order than they lie */

static void
print_row(uint64_t addr, uint32_t v)
{
	bool simple = ROW_KIND(v) != CFI_RULE;

	printf("%" PRIx64 " %d %d %u\n", addr, (int)ROW_KIND(v),
	    simple ? 8 * ROW_CFA(v) : 0, simple ? ROW_SLOT(v) : 0);
}

/* The row of an address by a part.  The last rows are those of no function. */
static uint32_t
row_by_part(struct cfi_parts *parts, const struct cfi *whole, uint64_t addr)
{
	const struct cfi *t = cfi_parts_find(parts, addr);
	uint64_t a = 0, b = 0, c = 0, d = 0;

	if (t == NULL)
		errx(1, "no part has %" PRIx64, addr);
	if (cfi_function(t, addr, &a, &b) != cfi_function(whole, addr, &c, &d) ||
	    a != c || b != d)
		errx(1, "%" PRIx64 ": %" PRIx64 "-%" PRIx64 ", not %" PRIx64
		    "-%" PRIx64, addr, a, b, c, d);
	return cfi_row(t, addr);
}

static void
print_by_parts(const struct elf_module *m, const struct cfi *whole)
{
	struct cfi_parts *parts = cfi_parts_new(m, whole->machine);
	uint32_t *values = calloc(whole->count + 1, sizeof(*values));
	size_t at = 0;

	if (parts == NULL || values == NULL)
		errx(1, "no parts");
	for (size_t i = 0; i < whole->count; i++, at = (at + STEP) % whole->count)
		values[at] = row_by_part(parts, whole,
		    whole->base + whole->rows[at].start);
	for (size_t i = 0; i < whole->count; i++)
		print_row(whole->base + whole->rows[i].start, values[i]);
	free(values);
	cfi_parts_free(parts);
}

int
main(int argc, char *argv[])
{
	bool by_parts = argc > 1 && strcmp(argv[1], "-p") == 0;
	const char *path = argv[by_parts ? 2 : 1];
	struct elf_module m;
	struct cfi_section s;
	struct cfi t;
	uint8_t *bytes;
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || !elf_module_open(&m, fd))
		err(1, "no ELF file");
	bytes = malloc(m.frames.size + 1);
	if (bytes == NULL ||
	    !elf_module_read(&m, m.frames.offset, bytes, m.frames.size))
		err(1, "no .eh_frame");
	s = (struct cfi_section){.bytes = bytes, .len = m.frames.size,
	    .addr = m.frames_addr};
	if (!cfi_build(&t, m.machine == EM_AARCH64 ? &cfi_aarch64 : &cfi_x86_64, &s))
		errx(1, "no memory");
	if (by_parts)
		print_by_parts(&m, &t);
	else
		for (size_t i = 0; i < t.count; i++)
			print_row(t.base + t.rows[i].start, t.rows[i].value);
	cfi_free(&t);
	free(bytes);
	elf_module_close(&m);
	return 0;
}
