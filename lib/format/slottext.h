/* SPDX-License-Identifier: ISC */
/*
 * slottext.h: what the text in a CPU profile of gperftools says of its
 * addresses.  Behind the slots are the mapped objects, as in /proc/PID/maps,
 * and perhaps names; a symbolised profile has its names before them:
 *
 *	55d0c000-55d0e000 r-xp 00001000 08:01 42   /usr/bin/x
 *	build=/usr/lib
 *	  0x55d0c010 fib (/tmp/fib.py:3)
 *
 *	--- symbol
 *	binary=/usr/bin/x
 *	0x0000000055d0c010 fib
 *	---
 *	--- profile
 *
 * tach-convert writes names as comments, `# 0x55d0c010 fib (/tmp/fib.py:3)`,
 * of which each is of COMMENT_SIZE addresses.
 */
#ifndef FORMAT_SLOTTEXT_H
#define FORMAT_SLOTTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/source.h"
#include "tach.h"

struct slot_mapping {
	uint64_t start, end, offset;
	uint32_t file; /* string of the table; its path, or "~": it has none */
};

#define COMMENT_SIZE 16

struct slot_symbol {
	uint64_t address;
	uint32_t frame, size;
};

#define BUILD_MAX 1024 /* bytes of a path that stands for $build */

struct slottext {
	struct source_input *in;
	struct slot_mapping *mappings;
	struct slot_symbol *symbols;
	uint32_t nmappings, nsymbols;
	size_t mappings_max, symbols_max;
	char build[BUILD_MAX];
	size_t build_len;
};

void slottext_clear(struct slottext *);

/* Whether a symbolised profile begins with these bytes. */
bool slottext_wrapped(const char *, size_t n);

/* Reads the names that stand before the slots, and says where these begin:
 * 0, there is no such text. */
int slottext_before(struct slottext *, int fd, uint64_t *start);
/* Reads what stands from an offset on.  All names must have been read before
 * the first frame is asked for. */
int slottext_after(struct slottext *, int fd, uint64_t at);

/* The frame of an address; that of the call, if this is another one, is
 * where it has no name.  Without any name its function is its offset in the
 * mapped object, or the address.  TACH_NONE: out of memory. */
uint32_t slottext_frame(const struct slottext *, uint64_t address,
    uint64_t call);

#endif
