/* SPDX-License-Identifier: ISC */
/* elf.h: the addresses of a Python's variables in an ELF file. */
#ifndef NATIVE_ELF_H
#define NATIVE_ELF_H

#include <stdbool.h>
#include <stdint.h>

/* The machine whose processes can be read: ours.  CPython's offsets are the same
 * on both, except behind mutexes, whose sizes differ. */
#ifdef __aarch64__
#define ELF_MACHINE EM_AARCH64
#define ELF_MACHINE_NAME "arm64"
#else
#define ELF_MACHINE EM_X86_64
#define ELF_MACHINE_NAME "x86-64"
#endif

/* Addresses are as in the file; 0: the file does not have it. */
struct elf_python {
	uint64_t runtime; /* symbol _PyRuntime, else section .PyRuntime */
	bool symbol;	  /* runtime is from the symbol */
	uint64_t version; /* symbol Py_Version: a u32 */
	uint64_t loop;	  /* the function _PyEval_EvalFrameDefault */
	/* To 3.6 there is no runtime but two variables: the first interpreter,
	 * and the thread that holds the GIL. */
	uint64_t head;
	uint64_t current;
	/* The last writable segment, zeroed memory included; size in bytes. */
	uint64_t data, data_size;
	uint64_t base;	  /* page-aligned address of the first segment */
	bool foreign;	  /* of another machine than ours */
};

/* Reads an ELF file; the caller keeps fd.  False if it is no ELF file. */
bool elf_find_python(int fd, struct elf_python *);

/* Finds a section of this name and size in bytes: its address as in the file, and
 * the base as above.  False if there is none.  The caller keeps fd. */
bool elf_find_section(int fd, const char *name, uint64_t size, uint64_t *addr,
    uint64_t *base);

#endif
