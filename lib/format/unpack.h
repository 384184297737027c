/* SPDX-License-Identifier: ISC */
/*
 * unpack.h: the bytes of an input that is compressed by gzip, zstd or, if there is
 * liblzma, xz.  Bytes are given as soon as they arrive.  Memory does not grow with
 * the input.
 */
#ifndef FORMAT_UNPACK_H
#define FORMAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct origin;
struct unpack;

/* Whether compressed data that can be unpacked begin with these bytes. */
bool unpack_known(const void *, size_t n);

/* Unpacks these bytes, which are known, and then those that follow in the origin.
 * The descriptor of the origin is the unpacker's from now on.  NULL: out of
 * memory. */
struct unpack *unpack_open(const struct origin *, const void *head, size_t n);
void unpack_close(struct unpack *); /* or NULL */

/* Gives some bytes, n at most.  0: there are no more.  -1: see unpack_error. */
ssize_t unpack_read(struct unpack *, void *, size_t n);
const struct error *unpack_error(const struct unpack *);

#endif
