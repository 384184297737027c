/* SPDX-License-Identifier: ISC */
/*
 * tach.h: the one public header of libtach.
 *
 * Everything is a stream of samples.  A source makes runs of samples, a sink
 * takes them; strings and frames are interned once, in a table that both
 * share.  Nothing in here prints or exits: calls return a graded result and
 * keep one line about what was wrong on their handle.
 *
 * Times are in microseconds since the start of the profile unless a name
 * says otherwise.
 */
#ifndef TACH_H
#define TACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results.  Below TACH_OK something is wrong, and the handle says what. */
enum tach_result {
	TACH_FATAL = -2, /* nothing more can be had from this handle */
	TACH_WARN = -1,	 /* damaged or odd, yet usable: go on */
	TACH_OK = 0,
	TACH_END = 1, /* no more samples */
};

/* An index that names nothing; also what an interning call returns when
 * memory ran out. */
#define TACH_NONE UINT32_MAX

/* Bits of a sample's status, as CPython 3.15 defines them.  Other bits are
 * kept as they are. */
enum tach_status {
	TACH_STATUS_GIL = 0x01,	      /* holds the GIL */
	TACH_STATUS_CPU = 0x02,	      /* runs, or waits for a CPU only */
	TACH_STATUS_UNKNOWN = 0x04,   /* what the CPU bit should be is not known */
	TACH_STATUS_GIL_WANTED = 0x08,
	TACH_STATUS_EXCEPTION = 0x10,
	TACH_STATUS_MAIN = 0x20, /* the main thread */
};

/* ---- table: strings and frames, interned once -------------------------- */

struct tach_table;

/* UTF-8; may hold NUL bytes; not terminated. */
struct tach_string {
	const char *bytes;
	size_t len;
};

#define TACH_NO_OPCODE 255

/* One place in a program.  file and func are strings of the same table.
 * line is -1 in a synthetic frame such as <GC>; columns are UTF-8 byte
 * offsets, -1 where unknown; opcode is TACH_NO_OPCODE where unknown. */
struct tach_frame {
	uint32_t file, func;
	int32_t line, end_line;
	int32_t column, end_column;
	uint8_t opcode;
};

struct tach_table *tach_table_new(void); /* NULL: out of memory */
void tach_table_free(struct tach_table *);

/* Interns a copy; equal input gives the equal index.  TACH_NONE: out of
 * memory, or a frame whose strings are not in the table. */
uint32_t tach_table_add_string(struct tach_table *, const char *, size_t);
uint32_t tach_table_add_frame(struct tach_table *, const struct tach_frame *);

/* The entry at an index below the count.  Valid until the table is freed
 * (strings) or added to (frames). */
struct tach_string tach_table_string(const struct tach_table *, uint32_t);
const struct tach_frame *tach_table_frame(const struct tach_table *, uint32_t);
uint32_t tach_table_strings(const struct tach_table *);
uint32_t tach_table_frames(const struct tach_table *);

/* ---- stream: sources and sinks ----------------------------------------- */

/* When one sample was taken and how its thread was then. */
struct tach_tick {
	uint64_t time; /* never before the thread's previous one */
	uint8_t status;
};

/*
 * A run: one or more samples of one thread with the same stack.
 * frames are indices into the source's table, innermost first; depth may be
 * 0.  The outermost `shared` frames (at least those) are the same as in the
 * previous run of this thread.  index numbers the (interp, thread) pairs of
 * a source densely from 0, in order of first sight.  All of it belongs to
 * the source and is valid until its next call.
 */
struct tach_run {
	uint64_t thread;
	uint32_t interp;
	uint32_t index;
	const uint32_t *frames;
	uint32_t depth;
	uint32_t shared;
	const struct tach_tick *ticks;
	size_t count;
};

/* What holds for a profile as a whole. */
struct tach_meta {
	uint8_t python[3];   /* major, minor, micro of the interpreter */
	uint64_t start_us;   /* monotonic clock of the recording machine */
	uint64_t interval_us; /* wanted time between rounds */
};

/*
 * A sink.  Whoever has a source calls run for every run, in the source's
 * order, then end once, then free.  Each returns TACH_OK or TACH_FATAL;
 * error then says why.  A sink that looks names up is given the source's
 * meta and table when it is made.
 */
struct tach_sink {
	int (*run)(struct tach_sink *, const struct tach_run *);
	int (*end)(struct tach_sink *);
	void (*free)(struct tach_sink *);
	const char *(*error)(const struct tach_sink *);
};

/* ---- reader: a TACH file as a source ----------------------------------- */

enum tach_layout {
	TACH_LAYOUT_DOCUMENTED, /* the header of the format document */
	TACH_LAYOUT_CPYTHON,	/* the header that CPython 3.15 ships */
};

enum tach_compression { TACH_PLAIN = 0, TACH_ZSTD = 1 };

/* What header, footer and tables say, before any sample is decoded. */
struct tach_file_info {
	enum tach_layout layout;
	bool big_endian;
	enum tach_compression compression;
	uint64_t samples;
	uint32_t threads, strings, frames;
	uint64_t file_size; /* bytes */
	uint64_t data_size; /* bytes of sample data, as they lie in the file */
};

/* What decoding has met so far. */
struct tach_decode_stats {
	uint64_t samples;
	uint64_t data_size;	/* bytes of sample data after decompression */
	uint64_t records[4];	/* REPEAT, FULL, SUFFIX, POP_PUSH */
	uint64_t repeated;	/* samples in REPEAT records */
	uint64_t frames_written; /* frame indices in the file */
	uint64_t frames_total;	/* frames of all samples */
};

struct tach_reader;

struct tach_reader *tach_reader_new(void); /* NULL: out of memory */
void tach_reader_free(struct tach_reader *);

/* Opens a profile: checks header and footer and loads the tables.  The
 * file is mapped, and read as it is at that moment.  A descriptor stays
 * the caller's; one that cannot be mapped (a pipe) is read to its end. */
int tach_reader_open(struct tach_reader *, const char *path);
int tach_reader_open_fd(struct tach_reader *, int fd);

/* Decodes the next run.  TACH_FATAL: the file is damaged from here on;
 * every run that came before it is good. */
int tach_reader_next(struct tach_reader *, struct tach_run *);

const struct tach_meta *tach_reader_meta(const struct tach_reader *);
const struct tach_file_info *tach_reader_info(const struct tach_reader *);
const struct tach_decode_stats *tach_reader_stats(const struct tach_reader *);
const struct tach_table *tach_reader_table(const struct tach_reader *);
/* One line: what, at which offset of the file, in which field.  It does
 * not name the file. */
const char *tach_reader_error(const struct tach_reader *);

/* ---- writer: a TACH file as a sink ------------------------------------- */

struct tach_writer_options {
	enum tach_layout layout;
	enum tach_compression compression;
	int level; /* of zstd, 1 to 22 */
};

#define TACH_LEVEL_DEFAULT 5

struct tach_writer;

/* Writes to a seekable descriptor that is empty and stays the caller's.
 * The runs' frames are indices into the table, which is written whole at
 * the end and must outlive the writer.  NULL: out of memory. */
struct tach_writer *tach_writer_new(int fd, const struct tach_writer_options *,
    const struct tach_table *);
void tach_writer_free(struct tach_writer *);

int tach_writer_run(struct tach_writer *, const struct tach_run *);
/* Writes what is pending, the tables, the footer and, last, the header. */
int tach_writer_finish(struct tach_writer *, const struct tach_meta *);

uint64_t tach_writer_bytes(const struct tach_writer *);	  /* in the file so far */
uint64_t tach_writer_samples(const struct tach_writer *);
uint32_t tach_writer_threads(const struct tach_writer *);
const char *tach_writer_error(const struct tach_writer *);

/* ---- other sinks -------------------------------------------------------- */

/* One line a sample, as tach-cat(1) prints it. */
struct tach_sink *tach_text_new(FILE *, const struct tach_table *);

/* Writes bytes as a JSON string with its quotes.  What is no UTF-8 becomes
 * U+FFFD, so that the result is always valid. */
void tach_json_string(FILE *, const char *, size_t);

/* The formats that tach-convert(1) writes, by name; the list ends with a
 * NULL name. */
struct tach_format {
	const char *name; /* "collapsed" */
	const char *about; /* one line for people */
	struct tach_sink *(*open)(FILE *, const struct tach_meta *,
	    const struct tach_table *); /* NULL: out of memory */
};
extern const struct tach_format tach_formats[];

/* ---- recorder: a running Python as a source ----------------------------- */

struct tach_recorder;

struct tach_recorder_options {
	uint64_t interval_ns;
	uint64_t duration_ns; /* 0: until the target ends */
};

struct tach_recorder_stats {
	uint64_t elapsed_ns;  /* since the first round */
	uint64_t rounds;      /* moments at which all threads were sampled */
	uint64_t missed;      /* rounds whose time had passed: not made up */
	uint64_t samples;     /* thread samples given to the sink */
	uint64_t torn;	      /* of these, kept from their root only */
	uint64_t failed;      /* thread samples lost */
	uint64_t retries;     /* reads repeated because the target moved on */
	uint32_t threads;     /* ever seen */
};

/* What a recorder is doing. */
enum tach_recorder_state {
	TACH_RECORDER_WAITING, /* no Python found in the target yet */
	TACH_RECORDER_SAMPLING,
	TACH_RECORDER_ENDED,
};

/* NULL: out of memory. */
struct tach_recorder *tach_recorder_new(const struct tach_recorder_options *);
void tach_recorder_free(struct tach_recorder *);

/* Starts a command, whose stdin, stdout and stderr are the caller's; with
 * stdout_fd >= 0 its standard output is that descriptor.  TACH_FATAL: it
 * could not be run, with errno as execvp left it. */
int tach_recorder_launch(struct tach_recorder *, char *const argv[],
    int stdout_fd);
int tach_recorder_attach(struct tach_recorder *, pid_t);

/* Waits for the next deadline and samples every thread of every
 * interpreter once.  TACH_OK: go on; TACH_END: the target is gone, the
 * duration is over, or tach_recorder_stop was called. */
int tach_recorder_round(struct tach_recorder *, struct tach_sink *);
void tach_recorder_stop(struct tach_recorder *); /* async-signal-safe */

enum tach_recorder_state tach_recorder_state(const struct tach_recorder *);
/* Complete once the state has been TACH_RECORDER_SAMPLING. */
const struct tach_meta *tach_recorder_meta(const struct tach_recorder *);
const struct tach_table *tach_recorder_table(const struct tach_recorder *);
const struct tach_recorder_stats *tach_recorder_stats(
    const struct tach_recorder *);
pid_t tach_recorder_pid(const struct tach_recorder *);
/* Waits until a launched command ends and reaps it; gives its wait(2)
 * status. */
int tach_recorder_wait(struct tach_recorder *, int *status);
const char *tach_recorder_error(const struct tach_recorder *);

/* The version of libtach, "0.1.0". */
const char *tach_version(void);

#ifdef __cplusplus
}
#endif
#endif
