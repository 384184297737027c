/* SPDX-License-Identifier: ISC */
/*
 * layout.h: the offsets of all fields of a TACH file.
 *
 *	header | sample data | strings | frames | [statistics] | footer
 *
 * The checksum covers all bytes from the end of the header to the checksum, and
 * then the header, which is written last.
 *
 * Two headers of the same size exist, both of version 1: the early one, of the
 * format's first document, and the wide one of CPython 3.15.  They differ from
 * byte 32 on.
 */
#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

#include "varint.h"

#define TACH_MAGIC 0x54414348 /* as a number in the writer's byte order */
#define TACH_VERSION 1

enum {
	/* Both headers. */
	HEAD_MAGIC = 0,	    /* u32 */
	HEAD_VERSION = 4,   /* u32 */
	HEAD_PYTHON = 8,    /* major, minor, micro */
	HEAD_ZERO = 11,	    /* a reserved byte */
	HEAD_START = 12,    /* u64, microseconds */
	HEAD_INTERVAL = 20, /* u64, microseconds */
	HEAD_SAMPLES = 28,  /* u32, wide: u64 */
	HEAD_SIZE = 64,

	/* The early header. */
	HEAD_THREADS = 32,     /* u32 */
	HEAD_STRINGS = 36,     /* u64, offset of the string table */
	HEAD_FRAMES = 44,      /* u64, offset of the frame table */
	HEAD_COMPRESSION = 52, /* u32 */
	HEAD_RESERVED = 56,    /* 8 bytes of zero */

	/* The wide header. */
	WIDE_THREADS = 36,     /* u32 */
	WIDE_STRINGS = 40,     /* u64 */
	WIDE_FRAMES = 48,      /* u64 */
	WIDE_COMPRESSION = 56, /* u32 */
	WIDE_CONFIG = 60,      /* u32, see below */

	/* The footer, from its start. */
	FOOT_STRINGS = 0, /* u32, count */
	FOOT_FRAMES = 4,  /* u32, count */
	FOOT_FILE = 8,	  /* u64, size of the whole file */
	FOOT_CHECK = 16,  /* XXH3-128 of all the rest, canonical; 0: none */
	FOOT_CHECK_SIZE = 16,
	FOOT_SIZE = 32,

	/* CPython's statistics before the footer, from their start.  A later form
	 * has more fields between these and the trailer. */
	STAT_DURATION = 0, /* f64, seconds */
	STAT_RATE = 8,	   /* f64, samples a second */
	STAT_FIRST = 16,   /* the end of the fields of the first form */
	STAT_ERRORS = 16,  /* f64, per cent */
	STAT_MISSED = 24,  /* f64, per cent */
	STAT_PRESENT = 32, /* u32, STAT_HAS_... */
	STAT_ZERO = 36,	   /* u32 */
	STAT_FIELDS = 40,  /* the end of the fields that are known */
	STAT_SIZE = 56,	   /* as they are written, with the trailer */

	/* The trailer of the statistics, from its start. */
	TRAIL_MAGIC = 0,   /* the eight bytes of STAT_NAME */
	TRAIL_VERSION = 8, /* u32 */
	TRAIL_BYTES = 12,  /* u32, size of the statistics with the trailer */
	TRAIL_SIZE = 16,
};

#define STAT_NAME "TACHSTAT"

#define STAT_VERSION_KNOWN 1
enum { STAT_HAS_ERRORS = 1, STAT_HAS_MISSED = 2 };

/* The greatest sizes of parts of the sample data. */
enum {
	RECORD_ID_SIZE = 13, /* thread u64, interpreter u32, encoding u8 */
	TICK_MAX = VARINT_MAX + 1,
	/* A record up to its frames or its first tick of several. */
	RECORD_HEAD_MAX = RECORD_ID_SIZE + TICK_MAX + 2 * VARINT_MAX,
	FRAME_INDEX_MAX = 5,
	/* The greatest and the smallest size of an entry of the frame table. */
	FRAME_ENTRY_MAX = 6 * VARINT_MAX + 1,
	FRAME_ENTRY_MIN = 7,
};

#endif
