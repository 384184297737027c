/* SPDX-License-Identifier: ISC */
/* debugfile.h: the file that has a module's symbols and lines, if the module has not. */
#ifndef NATIVE_DEBUGFILE_H
#define NATIVE_DEBUGFILE_H

#include "native/elfmodule.h"

struct debugfile {
	struct elf_module module; /* its fd is -1 if it is in memory, or closed */
	void *bytes;		  /* of one in memory */
	size_t size;
};

/*
 * Finds a module's debug file by its build id: below /usr/lib/debug/.build-id in the
 * target's root, then in ours, then in debuginfod's cache; else by .gnu_debuglink,
 * where the module lies in that root.  The file has to have that build id, or that
 * checksum.  root: a descriptor; -1: ours.  The caller closes the file.
 */
bool debugfile_find(struct debugfile *, const struct elf_module *, const char *path,
    int root);

/* Unpacks .gnu_debugdata, which has symbols alone.  The caller closes the file.  False
 * if there is none, or if this build lacks liblzma. */
bool debugfile_unpack(struct debugfile *, const struct elf_module *);

size_t debugfile_memory(const struct debugfile *); /* bytes */

void debugfile_close(struct debugfile *);

#endif
