/* SPDX-License-Identifier: ISC */
/*
 * pytables.h: names of C functions by the tables that CPython makes of them.
 *
 * A module's data has, even where it is stripped, for each function that Python can call
 * a struct with its name: PyMethodDef, PyGetSetDef, PyTypeObject and its tables of slots,
 * PyType_Spec, PyModuleDef, and the interpreter's own table of slots.  They have been
 * the same since Python 3.6, in all builds.  They are found by their shape: each pointer
 * has to lead to a name, or to the very start of a function.
 *
 * Names: "list.append", "time.sleep", "len" (of builtins), "dict.__getitem__",
 * "set frame.f_trace", "dealloc dict" (where Python has no name), "slot __len__" (by which
 * C calls a method of a class), "wrapper of __len__" (by which Python calls such a
 * function of C).  A function of several types has its name alone.
 */
#ifndef NATIVE_PYTABLES_H
#define NATIVE_PYTABLES_H

#include "native/elfmodule.h"
#include "native/symbols.h"

struct pytables;

/* Reads the tables of a module that uses Python.  NULL if it has none, or if memory is
 * out.  The caller frees them; the module has to stay. */
struct pytables *pytables_new(const struct elf_module *, native_function *, void *arg);

/* Writes the name of the function with this start, with a terminating 0.  False if none
 * is known. */
bool pytables_find(const struct pytables *, uint64_t start, char *name, size_t size);

size_t pytables_count(const struct pytables *);
size_t pytables_memory(const struct pytables *); /* bytes */

void pytables_free(struct pytables *);

#endif
