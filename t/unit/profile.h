/* SPDX-License-Identifier: ISC */
/*
 * profile.h: what the tests of the format share: profiles in memory, made by
 * hand or by libtach, and the samples that are in them.
 */
#ifndef T_PROFILE_H
#define T_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

/* ---- a test that fails says where, and the program ends with 1 ------- */

extern int failures;

#define check(cond) \
	((cond) ? (void)0 : fail_at(__FILE__, __LINE__, "%s", #cond))
#define check_number(got, want) \
	check_number_at(__FILE__, __LINE__, #got, (got), (want))
#define check_text(got, want) \
	check_text_at(__FILE__, __LINE__, (got), (want))

void fail_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void check_number_at(const char *file, int line, const char *what,
    uint64_t got, uint64_t want);
void check_text_at(const char *file, int line, const char *got,
    const char *want);

/* ---- bytes ----------------------------------------------------------- */

struct bytes {
	uint8_t *p;
	size_t n, room;
};

void bytes_add(struct bytes *, const void *, size_t);
void bytes_u8(struct bytes *, unsigned);
void bytes_number(struct bytes *, uint64_t, unsigned size, bool big);
void bytes_varint(struct bytes *, uint64_t);
void bytes_pack(struct bytes *, const struct bytes *data); /* one zstd frame */
struct bytes bytes_copy(const struct bytes *);
struct bytes bytes_of_file(const char *path);
void bytes_clear(struct bytes *);

/* A descriptor of a file without a name that holds them. */
int bytes_fd(const struct bytes *);

/* ---- profiles by hand ------------------------------------------------ */

/* Whether libtach writes here as big-endian machines do. */
#define BIG_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A profile whose header, tables and footer are put together here, from the
 * format's description and not by libtach. */
struct hand {
	bool wide, big, zstd;
	uint64_t samples;
	uint32_t threads;
	uint32_t frames; /* frame i: string 0 as file, 1 as function, line i */
	struct bytes data; /* zstd: as it comes out of zstd */
};

struct bytes hand_file(const struct hand *);
/* The start of a record. */
void hand_record(struct hand *, uint64_t thread, uint32_t interp,
    unsigned encoding);

/* Puts the checksum of all the rest where it belongs. */
void put_checksum(struct bytes *);

/* The same profile in the other byte order. */
struct bytes swapped(const struct bytes *);

/* ---- samples --------------------------------------------------------- */

struct sample {
	uint64_t thread;
	uint32_t interp;
	uint64_t time;
	uint8_t status;
	uint32_t depth;
	uint32_t *frames;
};

/* Samples in the order of a file; each owns its frames. */
struct trace {
	struct sample *samples;
	size_t n, room;
};

void trace_add(struct trace *, uint64_t thread, uint32_t interp, uint64_t time,
    uint8_t status, const uint32_t *frames, uint32_t depth);
void trace_clear(struct trace *);
/* Whether both have the same samples a thread, in the same order. */
bool trace_equal(const struct trace *, const struct trace *);

/* Reads a profile to its end, and looks at its checksum; the trace may be
 * NULL.  Checks on the way what tach.h promises of runs.  On TACH_FATAL the
 * line is in read_error; what was odd is in read_warning, and which rule of the
 * format it breaks nevertheless in read_rule. */
int read_profile(const struct bytes *, struct trace *);
extern char read_error[512], read_warning[512], read_rule[512];
extern struct tach_meta read_meta;
extern struct tach_file_info read_info;
extern struct tach_decode_stats read_stats;

/* What a source says about shared frames. */
enum hint { HINT_NONE, HINT_TRUE, HINT_SOME };

/* Writes the samples, equal neighbours as one run; fails if that fails. */
struct bytes write_profile(const struct trace *,
    const struct tach_writer_options *, const struct tach_table *,
    enum hint);
extern struct tach_meta write_meta; /* of what is written */
extern uint64_t write_deep; /* samples of the last that CPython does not read */

/* A table with this many frames. */
struct tach_table *make_table(uint32_t frames);

/* Random numbers that are the same in every run. */
uint32_t random_below(uint32_t);

#endif
