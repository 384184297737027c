/* SPDX-License-Identifier: ISC */
/*
 * origin.h: where an input's bytes come from: a descriptor, memory, a function of
 * the caller's, or an unpacker of one of these.
 */
#ifndef FORMAT_ORIGIN_H
#define FORMAT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "format/unpack.h"
#include "tach.h"

struct origin {
	struct unpack *unpack; /* can be read from its start to its end only; NULL */
	int fd;		       /* -1: none */
	const uint8_t *memory; /* NULL: none */
	tach_read_at read; /* NULL: none */
	void *arg;	       /* of read */
	uint64_t size;	       /* bytes, without a descriptor */
	uint64_t at;	       /* the next one to be read, without a descriptor */
};

/* Reads n bytes from an offset on.  Fewer: the origin ends there.  -1, with errno:
 * it cannot be read. */
ssize_t origin_read_at(const struct origin *, void *, size_t n, uint64_t at);

/* Reads some bytes, n at most, behind those that were read before.  0: there are no
 * more.  -1, with errno: it cannot be read. */
ssize_t origin_read(struct origin *, void *, size_t n);
/* Such reads go on from an offset.  False, with errno: that is not possible. */
bool origin_seek(struct origin *, uint64_t at);

/* Sets the error of such a read that failed.  Returns TACH_FATAL. */
int origin_failed(const struct origin *, struct error *);

/* The n bytes from an offset on where they lie in memory, or NULL. */
const uint8_t *origin_view(const struct origin *, size_t n, uint64_t at);

#endif
