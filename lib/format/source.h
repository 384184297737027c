/* SPDX-License-Identifier: ISC */
/*
 * source.h: what a reader reads from.  Each kind of input has a file that
 * makes one of these; reader.c finds out which kind it is.
 */
#ifndef FORMAT_SOURCE_H
#define FORMAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tach.h"

/* What every kind fills in; see tach.h for each. */
struct source_input {
	struct error error, warning;
	struct tach_meta meta;
	struct tach_file_info info;
	struct tach_decode_stats stats;
	struct tach_table *table;
};

/* next is tach_reader_next; again is tach_reader_poll, NULL: there is never
 * more; check is tach_reader_verify, NULL: nothing to compare with.  After
 * TACH_FATAL only free is called. */
struct source {
	int (*next)(struct source *, struct tach_run *);
	int (*again)(struct source *);
	int (*check)(struct source *);
	void (*free)(struct source *);
};

/* How many samples counts may add up to, which are handed out one by one: a
 * few bytes could otherwise ask for years of work. */
#define SOURCE_COUNTED_MAX (UINT64_C(1) << 40)

/* Each opens one and reads what comes before its samples.  NULL: the input's
 * error says why.  Descriptors and the input outlive the source. */

/* A TACH file of so many bytes that can be read at any offset. */
struct source *file_source(struct source_input *, int fd, uint64_t size);

/* A TACH file that is not finished, and its journal. */
struct source *unfinished_source(struct source_input *, int fd, int journal_fd);

/* A text, of which the first bytes have been read already. */
struct source *text_source(struct source_input *, int fd, const char *head,
    size_t len);

/* Likewise collapsed stacks. */
struct source *collapsed_source(struct source_input *, int fd, const char *head,
    size_t len);

/* Whether a file that begins with these bytes is a profile of gperftools. */
bool gperftools_known(const uint8_t *, size_t n);
/* One of so many bytes that can be read at any offset. */
struct source *gperftools_source(struct source_input *, int fd, uint64_t size);

#endif
