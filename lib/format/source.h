/* SPDX-License-Identifier: ISC */
/*
 * source.h: the source of a reader.  Each kind of input has a file that makes a
 * source; reader.c finds out the kind.
 */
#ifndef FORMAT_SOURCE_H
#define FORMAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "format/origin.h"
#include "tach.h"

/* Set by every kind of source; see tach.h for the fields. */
struct source_input {
	struct error error, warning;
	struct tach_meta meta;
	struct tach_file_info info;
	struct tach_decode_stats stats;
	struct tach_table *table;
};

/* next is tach_reader_next.  again is tach_reader_poll, NULL if the input never
 * grows.  check is tach_reader_verify, NULL if there is nothing to compare.
 * After TACH_FATAL only free is called. */
struct source {
	int (*next)(struct source *, struct tach_run *);
	int (*again)(struct source *);
	int (*check)(struct source *);
	void (*free)(struct source *);
};

/* The greatest sum of counts of samples, which are given one by one: without it
 * a few bytes could ask for years of work. */
#define SOURCE_COUNTED_MAX (UINT64_C(1) << 40)

/* Whether the names of an input are no more than NAMES_MAX.  TACH_FATAL: its error
 * says so. */
int source_check_names(struct source_input *);

/* Adds a note of what a thread is called, if it has a name. */
int source_name_thread(struct source_input *, uint32_t interp, uint64_t thread,
    struct tach_string name);

/* Each opens one and reads what comes before its samples.  NULL: the input's
 * error says why.  The origin, descriptors and the input outlive the
 * source. */

/* A TACH file of so many bytes that can be read at any offset. */
struct source *file_source(struct source_input *, const struct origin *,
    uint64_t size);

/* One that is not finished, and its journal. */
struct source *unfinished_source(struct source_input *,
    const struct origin *, int journal_fd);

/* A text, of which the first bytes have been read already. */
struct source *text_source(struct source_input *, struct origin *,
    const char *head, size_t len);

/* Likewise collapsed stacks. */
struct source *collapsed_source(struct source_input *, struct origin *,
    const char *head, size_t len);

/* Likewise the text of perf script. */
struct source *perf_source(struct source_input *, struct origin *,
    const char *head, size_t len);

/* Whether these first bytes are those of a gperftools CPU profile. */
bool gperftools_known(const uint8_t *, size_t n);
/* One of so many bytes that can be read at any offset. */
struct source *gperftools_source(struct source_input *, struct origin *,
    uint64_t size);

/* Likewise a profile.proto of pprof's. */
bool pprof_known(const uint8_t *, size_t n);
struct source *pprof_source(struct source_input *, struct origin *,
    uint64_t size);

/* Likewise a MOJO file of austin's. */
bool mojo_known(const uint8_t *, size_t n);
struct source *mojo_source(struct source_input *, struct origin *,
    uint64_t size);

/* Likewise speedscope's JSON. */
bool speedscope_known(const uint8_t *, size_t n);
struct source *speedscope_source(struct source_input *, struct origin *,
    uint64_t size);

#endif
