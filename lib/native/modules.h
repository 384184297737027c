/* SPDX-License-Identifier: ISC */
/*
 * modules.h: the files whose code a process has mapped, by address.  A file is opened,
 * and its table of frames built, when the first address in it is asked for.
 *
 * Files come from strangers: each is read piece by piece, never mapped, so that one
 * that is cut meanwhile ends nothing.
 */
#ifndef NATIVE_MODULES_H
#define NATIVE_MODULES_H

#include "native/cfiparts.h"
#include "native/elfmodule.h"
#include "native/symbols.h"
#include "native/unwind.h"

struct modules;

/* A mapping of code. */
struct code_mapping {
	uint64_t start, end, offset; /* bytes */
	uint64_t device, inode;	     /* 0 and 0: no file */
	const char *path;	     /* "" if there is none */
};

/* The process that the modules are of, or what stands for it. */
struct module_source {
	/* Lists all mappings of code by modules_map.  False if it cannot. */
	bool (*list)(const struct module_source *, struct modules *);
	/* Opens the file behind the mapping that begins at an address; -1 if it
	 * cannot.  The caller closes it. */
	int (*open)(const struct module_source *, uint64_t start);
	bool (*read)(const struct module_source *, uint64_t addr, void *, size_t);
	int root; /* a descriptor of its root; -1: ours */
};

struct module {
	char *path; /* as the process knows it; "[vdso]" */
	uint64_t device, inode;
	uint64_t start, end, offset; /* of the mapping by which it was found first */
	bool opened;	/* it was tried; the members below are set */
	bool is_elf;	/* it is an ELF file of our machine's */
	struct elf_module elf;
	uint8_t *image; /* of a module that is no file; or NULL */
	uint64_t bias;	/* an address in memory is the file's plus this */
	struct cfi cfi; /* no rows: there is no table, or it is made in parts */
	struct cfi_parts *parts; /* NULL: it is not */
	uint64_t built_ns; /* CPU time that it took */
	struct native_symbols *symbols; /* NULL: no name was asked for, or no memory */
};

/* A mapping: a part of a module's code, or code that was made at run time. */
struct module_map {
	uint64_t start, end;
	struct module *of; /* NULL: made at run time */
};

struct modules {
	const struct module_source *source; /* borrowed */
	struct module_map *maps; /* in the order of their addresses */
	size_t count, max;
	size_t recent; /* number of the mapping that was found last */
	struct module **list; /* in the order in which they were found */
	size_t nlist, list_max;
	bool failed; /* out of memory */
};

void modules_init(struct modules *, const struct module_source *);
void modules_free(struct modules *);

/* Adds a mapping, in the order of addresses; to be called by ->list. */
void modules_map(struct modules *, const struct code_mapping *);
/* Lists the mappings anew.  Modules that are known stay as they are. */
bool modules_look(struct modules *);

/* The mapping that an address is in; NULL if there is none. */
const struct module_map *modules_find(struct modules *, uint64_t pc);
/* Opens a module and builds its table, unless that was done before. */
void module_open(struct modules *, struct module *);

/* The table that has the function at an address of a module's file, if it has one.  NULL
 * if none has. */
const struct cfi *module_cfi(const struct module *, uint64_t addr);
/* Finds the function that an address of a module's file is in.  False if there is none. */
bool module_function(const struct module *, uint64_t addr, uint64_t *start, uint64_t *end);

/* For unwinds: the table of an address. */
enum unwind_code modules_table(struct modules *, uint64_t pc, const struct cfi **,
    uint64_t *bias);

/* Reads bytes of a module's file by their address there.  NULL, or the caller's to
 * free. */
uint8_t *module_bytes(const struct module *, uint64_t addr, size_t size);

/* Writes the id that a module has in notes of profiles.  Without a build id it is made of
 * the path, as profiles of one machine are to have one id for one file. */
#define MODULE_ID_SIZE (2 * ELF_BUILD_ID_MAX + 1)
void module_id(char id[MODULE_ID_SIZE], const struct module *);

/* Finds the name of the function that an address of a module's file is in.  False if
 * that is not known. */
bool module_symbol(const struct modules *, struct module *, uint64_t addr,
    struct native_symbol *);

#endif
