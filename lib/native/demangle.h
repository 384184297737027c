/* SPDX-License-Identifier: ISC */
/*
 * demangle.h: names of functions as their authors wrote them.
 *
 * Rust's manglings, the old and the new, are tried first, as the old one is also one
 * of C++; then C++ without parameters.  Rust's hashes are left out.
 */
#ifndef NATIVE_DEMANGLE_H
#define NATIVE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the demangled name with its terminating 0.  False if the name is not mangled,
 * if the result does not fit, or if this build lacks libiberty: text is then "". */
bool demangle(const char *name, char *text, size_t size);

#endif
