/* SPDX-License-Identifier: ISC */
/* elf.h: what an ELF file says about a Python inside of it. */
#ifndef NATIVE_ELF_H
#define NATIVE_ELF_H

#include <stdbool.h>
#include <stdint.h>

/* The machine whose processes can be read: ours.  Where CPython keeps things is
 * the same on both, but for sizes of what holds a mutex. */
#ifdef __aarch64__
#define ELF_MACHINE EM_AARCH64
#define ELF_MACHINE_NAME "arm64"
#else
#define ELF_MACHINE EM_X86_64
#define ELF_MACHINE_NAME "x86-64"
#endif

/* Addresses are as in the file; 0: it has no such thing. */
struct elf_python {
	uint64_t runtime; /* symbol _PyRuntime, else section .PyRuntime */
	bool symbol;	  /* it was the symbol */
	uint64_t version; /* symbol Py_Version: a u32 */
	/* To 3.6 there is no runtime but two variables: the first interpreter,
	 * and the thread that holds the GIL. */
	uint64_t head;
	uint64_t current;
	/* What it can write, zeroed memory included. */
	uint64_t data, data_size;
	uint64_t base;	  /* page-aligned address of the first segment */
	bool foreign;	  /* of another machine than ours */
};

/* Reads an ELF file.  False: it is none. */
bool elf_find_python(int fd, struct elf_python *);

/* Finds a section that is that large in memory: its address in the file, and
 * the base as above.  False: there is none. */
bool elf_find_section(int fd, const char *name, uint64_t size, uint64_t *addr,
    uint64_t *base);

#endif
