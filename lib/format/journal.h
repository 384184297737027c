/* SPDX-License-Identifier: ISC */
/*
 * journal.h: the journal of a profile that is being recorded.
 *
 * A profile has its tables at its end, so it cannot be read before these are
 * written.  A recorder therefore keeps a journal beside it, NAME.journal.  Once
 * a second or more often it appends an entry: the new strings and frames of the
 * tables, the end of the samples, and a hash of these.  With its journal a
 * profile can be read at any time, and after any end.  A journal is
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
#ifndef FORMAT_JOURNAL_H
#define FORMAT_JOURNAL_H

#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "format/head.h"
#include "tach.h"

/* ---- writing ------------------------------------------------------------ */

/* How much of a profile the journal has. */
struct journal_out {
	uint64_t at; /* its size; 0 before the first write */
	uint32_t strings, frames;
	struct buf buf;
};

/* Appends an entry.  The head has the counts of samples and threads and the
 * meta; end and hash are as above. */
int journal_put(struct journal_out *, int fd, const struct tach_table *,
    const struct head *, uint64_t end, const uint8_t hash[16], struct error *);

/* ---- reading ------------------------------------------------------------ */

struct journal_in {
	int fd;
	uint64_t at; /* of the next entry; 0 before the header is read */
	bool swap;
	struct journal_block *blocks; /* the table has their strings */
};

/* One entry, before its strings and frames are taken. */
struct journal_entry {
	uint64_t end;
	uint8_t hash[16];
	struct head head;	    /* its layout, compression, meta, counts */
	struct journal_block *block;
};

/* TACH_OK if there is a whole entry.  TACH_END if there is none, or not yet.
 * TACH_FATAL if this is not a journal, or cannot be read. */
int journal_next(struct journal_in *, struct journal_entry *, struct error *);
/* Adds the strings and frames of an entry to the table, or drops the entry. */
int journal_take(struct journal_in *, struct journal_entry *,
    struct tach_table *, struct error *);
void journal_drop(struct journal_entry *);

/* To be called after the table was freed, which uses the journal's bytes. */
void journal_close(struct journal_in *);

#endif
