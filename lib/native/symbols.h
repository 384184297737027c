/* SPDX-License-Identifier: ISC */
/*
 * symbols.h: the names of a module's functions.
 *
 * A module is a program, a library or the vdso.  Its tables are read when they are
 * first needed, in this order, and the first one that has an address names it: .symtab;
 * the .symtab of its debug file, found by build id in /usr/lib/debug of the target's
 * root and of ours and in debuginfod's cache, or by .gnu_debuglink; .gnu_debugdata;
 * .dynsym; CPython's own static tables (pytables.h).  Parts and copies of a function
 * (".cold", ".constprop.0") have its name, also where no table has them (parents.h).  A
 * function without a name is MODULE+0xSTART, by its start, so that all its samples add
 * up.
 *
 * The module is a stranger's, and so are its debug files.  A symbol takes 12 bytes, and
 * 4 more once a name of its table was asked for; its name stays in the file until then.
 * The network is never used.  Calls for one module do not overlap in time.
 */
#ifndef NATIVE_SYMBOLS_H
#define NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_NAME_MAX 1024 /* bytes: a name that is longer stays mangled */

enum symbol_source {
	SYMBOL_SYMTAB,
	SYMBOL_DEBUG_FILE,
	SYMBOL_MINIDEBUG, /* .gnu_debugdata */
	SYMBOL_DYNSYM,
	SYMBOL_PYTHON,	  /* CPython's static tables */
	SYMBOL_NAMELESS,  /* MODULE+0xSTART */
};

struct native_symbol {
	const char *name; /* valid UTF-8, demangled; until the next call */
	uint64_t start;	  /* of the function, as in the file; of a part without a symbol,
			   * of the function that it is a part of */
	enum symbol_source source;
};

/* Tells the function that holds an address, by the frame description (FDE) of
 * .eh_frame: from *start to before *end, as in the file.  False if none does. */
typedef bool native_function(void *arg, uint64_t addr, uint64_t *start,
    uint64_t *end);

struct native_module {
	int fd;		    /* of its file, which the caller keeps; -1: bytes */
	void *bytes;	    /* its file in memory, which lives as long as the symbols */
	size_t size;
	const char *path;   /* in the target's root, or "[vdso]" */
	int root;	    /* the target's root, which the caller keeps until
			     * native_symbols_close; -1: ours */
	native_function *function_of; /* NULL: not known; Python's tables are then not
					* read, and a function without a symbol has no
					* name */
	/* Whether a function, by its start, is entered in its midst.  NULL: each may be. */
	bool (*is_part)(void *arg, uint64_t start);
	void *arg;
};

struct native_symbols;

/* Opens a module; reads its headers alone.  NULL if it is no ELF file of this machine's
 * kind, or if memory is out.  The caller closes it. */
struct native_symbols *native_symbols_open(const struct native_module *);

/* Finds the function at an address, as in the file.  False if it is not known. */
bool native_symbols_find(struct native_symbols *, uint64_t addr, struct native_symbol *);

/* The build id in hexadecimal; "" if it has none. */
const char *native_symbols_build_id(const struct native_symbols *);

/* Bytes that the symbols take by now. */
size_t native_symbols_memory(const struct native_symbols *);

void native_symbols_close(struct native_symbols *);

#endif
