/* SPDX-License-Identifier: ISC */
/*
 * cfiparts.h: the table of a file with a large .eh_frame, part by part.
 *
 * A library of hundreds of megabytes has as many functions, of which a program runs few.
 * The linker has listed them by address: only what is sought is read of the file, and made
 * into a table.
 */
#ifndef NATIVE_CFIPARTS_H
#define NATIVE_CFIPARTS_H

#include "native/cfi.h"
#include "native/elfmodule.h"

struct cfi_parts;

/* Reads the list.  NULL if the section is small, or if there is no list of the usual form,
 * or if memory is out.  The file must outlive the parts; the caller frees them. */
struct cfi_parts *cfi_parts_new(const struct elf_module *, const struct cfi_machine *);

/* The table that has the function at an address, if there is one; it lives as long as the
 * parts.  NULL if there is none, or if memory is out. */
const struct cfi *cfi_parts_find(struct cfi_parts *, uint64_t addr);

void cfi_parts_free(struct cfi_parts *);

#endif
