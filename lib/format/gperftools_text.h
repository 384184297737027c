/* SPDX-License-Identifier: ISC */
/*
 * gperftools_text.h: the names of addresses in the text of a gperftools CPU
 * profile.  The mapped objects stand behind the slots, as in /proc/PID/maps.
 * Names can follow them; a symbolised profile has its names before the slots:
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
 * tach-convert writes names as comments, `# 0x55d0c010 fib (/tmp/fib.py:3)`.
 * Each comment names COMMENT_SIZE addresses.
 */
#ifndef FORMAT_GPERFTOOLS_TEXT_H
#define FORMAT_GPERFTOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/source.h"
#include "tach.h"

struct gperftools_mapping {
	uint64_t start, end, offset;
	uint32_t file; /* path as a string of the table; "~" if it has none */
};

#define COMMENT_SIZE 16

struct gperftools_symbol {
	uint64_t address;
	uint32_t frame, size;
};

#define BUILD_MAX 1024 /* bytes of a path that stands for $build */

struct gperftools_text {
	struct source_input *in;
	struct gperftools_mapping *mappings;
	struct gperftools_symbol *symbols;
	uint32_t nmappings, nsymbols;
	size_t mappings_max, symbols_max;
	char build[BUILD_MAX];
	size_t build_len;
};

void gperftools_text_clear(struct gperftools_text *);

/* Whether a symbolised profile begins with these bytes. */
bool gperftools_text_wrapped(const char *, size_t n);

/* Reads the names that stand before the slots, and says where these begin:
 * 0, there is no such text. */
int gperftools_text_before(struct gperftools_text *, struct origin *,
    uint64_t *start);
/* Reads what stands from an offset on.  All names must have been read before
 * the first frame is asked for. */
int gperftools_text_after(struct gperftools_text *, struct origin *,
    uint64_t at);

/* The frame of `address` or, if that has no name, of `call`.  If neither has
 * one, the function is the offset of `call` in its mapped object, or `call`
 * itself.  TACH_NONE if out of memory. */
uint32_t gperftools_text_frame(const struct gperftools_text *, uint64_t address,
    uint64_t call);

#endif
