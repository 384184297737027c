/* SPDX-License-Identifier: ISC */
/*
 * sidecar.h: an ELF file that gives the addresses of a slot profile their
 * names and lines.  It looks like a library with debugging information, whose
 * code does nothing.
 */
#ifndef OUT_SIDECAR_H
#define OUT_SIDECAR_H

#include <stdio.h>

#include "error.h"
#include "out/symbols.h"

/* Writes all of it.  TACH_FATAL, with the error set, or TACH_OK. */
int sidecar_write(FILE *, const struct symbols *, struct error *);

#endif
