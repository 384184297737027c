/* SPDX-License-Identifier: ISC */
/* fdes.h: the functions of an ELF file, by the linker's index of .eh_frame. */
#ifndef T_UNIT_FDES_H
#define T_UNIT_FDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fde {
	uint64_t start, end; /* addresses as in the file */
};

struct fdes {
	struct fde *list; /* by start */
	size_t count;
};

/* Reads the index of a file of ours; ends the program if that cannot be done.  The
 * caller frees the list. */
void fdes_read(struct fdes *, const void *elf, size_t size);

/* A native_function; arg is a struct fdes. */
bool fdes_function(void *arg, uint64_t addr, uint64_t *start, uint64_t *end);

#endif
