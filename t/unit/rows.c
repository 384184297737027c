/* SPDX-License-Identifier: ISC */
/* rows.c: rows FILE: prints the table of frames of an ELF file for x86-64 or arm64, a
 * line each: address (hexadecimal), kind (enum cfi_kind), bytes to the frame's end, slot
 * of the frame pointer. */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "native/cfi.h"
#include "native/elfmodule.h"

int
main(int argc, char *argv[])
{
	struct elf_module m;
	struct cfi_section s;
	struct cfi t;
	uint8_t *bytes;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || !elf_module_open(&m, fd))
		err(1, "no ELF file");
	bytes = malloc(m.frames.size + 1);
	if (bytes == NULL ||
	    !elf_module_read(&m, m.frames.offset, bytes, m.frames.size))
		err(1, "no .eh_frame");
	s = (struct cfi_section){bytes, m.frames.size, m.frames_addr};
	if (!cfi_build(&t, m.machine == EM_AARCH64 ? &cfi_aarch64 : &cfi_x86_64, &s))
		errx(1, "no memory");
	for (size_t i = 0; i < t.count; i++) {
		uint32_t v = t.rows[i].value;
		bool simple = ROW_KIND(v) != CFI_RULE;
		printf("%" PRIx64 " %d %d %u\n", t.base + t.rows[i].start,
		    (int)ROW_KIND(v), simple ? 8 * ROW_CFA(v) : 0,
		    simple ? ROW_SLOT(v) : 0);
	}
	cfi_free(&t);
	free(bytes);
	elf_module_close(&m);
	return 0;
}
