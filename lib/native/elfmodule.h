/* SPDX-License-Identifier: ISC */
/*
 * elfmodule.h: an ELF file piece by piece, for names of its functions.
 *
 * The file can be huge and comes from a stranger: its headers are read once, and all
 * else where and when it is needed.  Nothing is mapped, as a mapping would end this
 * process if the file was cut meanwhile.
 */
#ifndef NATIVE_ELFMODULE_H
#define NATIVE_ELFMODULE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS_MAX 32
#define ELF_BUILD_ID_MAX 64 /* bytes */

/* Bytes of the file; size 0: the file does not have them. */
struct elf_extent {
	uint64_t offset, size;
};

/* A segment that is loaded.  Addresses are as in the file. */
struct elf_segment {
	uint64_t addr, offset;
	uint64_t size;	 /* bytes in the file */
	uint64_t memory; /* bytes in memory; the rest is zero */
	bool writable, executable;
};

/* Symbols, and the text that has their names. */
struct elf_symtab {
	struct elf_extent symbols, names;
};

struct elf_module {
	int fd;		      /* -1: bytes */
	const uint8_t *bytes; /* the caller's */
	uint64_t size;	      /* bytes */
	uint16_t machine;
	bool movable;	      /* pointers in it are relocated */
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	size_t nsegments;
	uint64_t base, end;   /* addresses of all segments */
	struct elf_symtab symtab, dynsym;
	struct elf_extent relocations; /* with addends */
	struct elf_extent minidebug;   /* .gnu_debugdata: an ELF file, by xz */
	bool has_lines;	      /* of source, for debuggers: .debug_line */
	struct elf_extent frames;      /* .eh_frame, ... */
	uint64_t frames_addr;	       /* ... and its address */
	struct elf_extent frames_list; /* .eh_frame_hdr: its functions by address ... */
	uint64_t frames_list_addr;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t build_id_size;	       /* bytes; 0: it has none */
	unsigned int nnotes;	       /* that were searched for it */
	char debuglink[NAME_MAX + 1];  /* name of its debug file, or "" */
	uint32_t debuglink_crc;	       /* of that file */
};

/* Reads the headers of a file; the caller may close fd.  False if it is no ELF file of
 * 64 bits in this machine's byte order. */
bool elf_module_open(struct elf_module *, int fd);

/* The same of a file in memory, such as the vdso; the caller keeps it until the module
 * is closed. */
bool elf_module_memory(struct elf_module *, void *bytes, size_t size);

void elf_module_close(struct elf_module *);

/* Reads bytes at an offset of the file.  False if it does not have all of them. */
bool elf_module_read(const struct elf_module *, uint64_t offset, void *, size_t);

/* The offset of an address, and in *room how many bytes from there on the file has.
 * False if the file does not have it. */
bool elf_module_offset(const struct elf_module *, uint64_t addr, uint64_t *offset,
    uint64_t *room);

/* Whether code is loaded at an address. */
bool elf_module_is_code(const struct elf_module *, uint64_t addr);

/* Reads a string, with its terminating 0, that lies in the first `room` bytes from an
 * offset on.  Its length; -1 if it does not end there, or not in `size` bytes. */
int elf_module_string(const struct elf_module *, uint64_t offset, uint64_t room,
    char *text, size_t size);

/* Tells each pointer that the dynamic linker adds the module's address to: its own
 * address, and its value as in the file. */
typedef void elf_relocated(void *arg, uint64_t at, uint64_t value);
void elf_module_relocated(const struct elf_module *, elf_relocated *, void *arg);

/* Whether two files have the same build id, and have one. */
bool elf_module_same(const struct elf_module *, const struct elf_module *);

#endif
