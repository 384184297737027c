/* SPDX-License-Identifier: ISC */
/*
 * sidecar.h: an ELF file with the names and lines of the addresses of a
 * gperftools profile.  It looks like a library with debugging information,
 * whose code does nothing.
 */
#ifndef OUT_SIDECAR_H
#define OUT_SIDECAR_H

#include <stdio.h>

#include "error.h"
#include "out/symbols.h"

/* Writes the whole file.  Returns TACH_OK, or TACH_FATAL with the error set. */
int sidecar_write(FILE *, const struct symbols *, struct error *);

#endif
