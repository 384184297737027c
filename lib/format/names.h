/* SPDX-License-Identifier: ISC */
/*
 * names.h: the side file of a profile that is being recorded.
 *
 * A profile has its tables at the end, and so is worth nothing before that is
 * written.  So a recorder keeps a second file, NAME.names, to which it
 * appends, once a second or more often, what is new in the tables, how far
 * the samples go by then, and a hash of them.  With it the samples can be
 * read at any time, and after any end.  It is
 *
 *	magic u32, version u32, entries
 *
 * and an entry is
 *
 *	size u32, hash u64	of the rest of it
 *	end u64			of the sample data, in the profile
 *	hash 16 bytes		of the profile, from byte 64 up to there
 *	samples u64, threads u32
 *	start u64, interval u64, config u32, layout u8, compression u8,
 *	python 3 u8
 *	strings u32, frames u32	that follow, as in the tables
 *
 * in the byte order of the machine, without gaps.
 */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "format/head.h"
#include "tach.h"

/* ---- writing ------------------------------------------------------------ */

/* How much of a profile the side file knows by now. */
struct names_out {
	uint64_t at; /* its size; 0: nothing is written yet */
	uint32_t strings, frames;
	struct buf buf;
};

/* Appends an entry.  The head says how many samples and threads there are
 * and what holds for all; end and hash are as above. */
int names_put(struct names_out *, int fd, const struct tach_table *,
    const struct head *, uint64_t end, const uint8_t hash[16], struct error *);

/* ---- reading ------------------------------------------------------------ */

struct names_in {
	int fd;
	uint64_t at; /* of the next entry; 0: the header is not read yet */
	bool swap;
	struct names_block *blocks; /* entries whose strings are in the table */
};

/* One entry, before its strings and frames are taken. */
struct names_entry {
	uint64_t end;
	uint8_t hash[16];
	struct head head;	    /* its layout, compression, meta, counts */
	struct names_block *block;
};

/* TACH_OK: an entry that is whole.  TACH_END: there is none, or not yet.
 * TACH_FATAL: this is no such file, or it cannot be read. */
int names_next(struct names_in *, struct names_entry *, struct error *);
/* Adds its strings and frames to the table, or drops it. */
int names_take(struct names_in *, struct names_entry *, struct tach_table *,
    struct error *);
void names_drop(struct names_entry *);

/* After the table was freed. */
void names_close(struct names_in *);

#endif
