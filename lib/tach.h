/* SPDX-License-Identifier: ISC */
/*
 * tach.h: the public header of libtach.  Recorders are in tach-record.h.
 *
 * Everything is a stream of samples.  A source makes runs of samples, a sink
 * takes them; strings and frames are interned once, in a table that both
 * share.  Nothing in here prints or exits: calls return a graded result and
 * keep a code and one line about what was wrong on their handle.  A handle is used
 * once: a reader for one input, a writer for one profile, a sink until its end; to
 * use it again is an error of that call and changes nothing.
 *
 * One thread at a time calls a handle, or what was made of it or belongs to it, such
 * as a source, a sink and a table.  Handles that have nothing to do with each other
 * are independent: different threads may call them at once.  There is no other state,
 * and no call depends on the locale, except that the reason of a failed system call is
 * in the program's language.
 *
 * Times are in microseconds since the start of the profile unless a name
 * says otherwise.
 */
#ifndef TACH_H
#define TACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* What compilers can check: that a result is looked at, and that arguments, the
 * first being 1, are no null pointers. */
#if defined(__GNUC__)
#define TACH_CHECKED __attribute__((warn_unused_result))
#define TACH_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
#define TACH_CHECKED
#define TACH_NONNULL(...)
#endif

/*
 * Results.  Below TACH_OK something is wrong, and the handle says what.  After
 * TACH_FATAL nothing more can be had from the handle, with one exception: some calls
 * refuse an argument, or a use that is not theirs, by TACH_EUSE, and change nothing.
 * These are to open a reader again, an input or options that a merge cannot use, an
 * unusable meta, and unusable locals of a recorder.
 */
enum tach_result {
	TACH_REFUSED = -3, /* of tach_pump: it is the sink that failed */
	TACH_FATAL = -2, /* the call failed */
	TACH_WARN = -1,	 /* damaged or odd, yet usable: go on */
	TACH_OK = 0,
	TACH_END = 1, /* no more samples */
	TACH_AGAIN = 2, /* none now, but there may be more later */
};

/* An index that names nothing; also what an interning call returns when
 * memory ran out. */
#define TACH_NONE UINT32_MAX

/*
 * Structs that can grow.
 * Structs that a caller fills begin with `size`, which he sets to the sizeof that
 * he knows: `struct tach_selection s = {.size = sizeof(s)};`.  A library that knows
 * more members takes the others for zero.  A library that knows fewer refuses the
 * struct by TACH_EUSE, unless all that it does not know is zero.  A size that was
 * not set is refused as well.
 * Structs that the library fills are given by const pointers, and grow at their
 * end: tach_file_info, tach_decode_stats, tach_format, tach_recorder_stats.
 * tach_inprocess_stats has a size and never becomes longer: it has a reserve.
 * These never change: tach_string, tach_frame, tach_tick, tach_run, tach_quality.
 */

/* Bits of a sample's status, as CPython 3.15 defines them.  Other bits are
 * kept as they are. */
enum tach_status {
	TACH_STATUS_GIL = 0x01,	      /* holds the GIL */
	TACH_STATUS_CPU = 0x02,	      /* runs, or waits for a CPU only */
	TACH_STATUS_UNKNOWN = 0x04,   /* what the CPU bit should be is not known */
	TACH_STATUS_GIL_WANTED = 0x08,
	TACH_STATUS_EXCEPTION = 0x10,
	TACH_STATUS_MAIN = 0x20, /* the main thread */
	TACH_STATUS_SWITCH = 0x40, /* ours: a sample of no round, but of the moment at
				    * which the thread left its CPU or got one, before
				    * which all was as in the sample before; it counts
				    * by its duration only.  See tach_table_switches */
};

/* What tach-cat(1) calls a bit: "gil" for 0, ..., "0x80" for 7.  NULL: a status has
 * no such bit. */
const char *tach_status_name(unsigned bit);

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

struct tach_table *tach_table_new(void) TACH_CHECKED; /* NULL: out of memory */
void tach_table_free(struct tach_table *);

/* Interns a copy; equal input gives the equal index.  TACH_NONE: out of
 * memory, or a frame whose strings are not in the table. */
uint32_t tach_table_add_string(struct tach_table *, const char *, size_t);
uint32_t tach_table_add_frame(struct tach_table *, const struct tach_frame *);

/* Adds a frame of which more is known later: it is equal to no other frame, and
 * tach_table_put_frame makes it another one.  A writer puts frames into its file at the
 * end; other sinks need not notice the change.  TACH_NONE, and false: as above, or there
 * is no such frame. */
uint32_t tach_table_add_late_frame(struct tach_table *, const struct tach_frame *)
    TACH_CHECKED;
bool tach_table_put_frame(struct tach_table *, uint32_t late,
    const struct tach_frame *) TACH_CHECKED;

/* The entry at an index below the count.  Valid until the table is freed
 * (strings) or added to (frames). */
struct tach_string tach_table_string(const struct tach_table *, uint32_t);
const struct tach_frame *tach_table_frame(const struct tach_table *, uint32_t);
uint32_t tach_table_string_count(const struct tach_table *);
uint32_t tach_table_frame_count(const struct tach_table *);

/* ---- stream: sources and sinks ----------------------------------------- */

/* When one sample was taken, how its thread was then, and how long it stands
 * for: see tach_durations_new. */
struct tach_tick {
	uint64_t time; /* never before the thread's previous one */
	uint8_t status;
	uint32_t duration; /* 0 where nothing has told */
};

/* Of a thread that neither runs nor holds the GIL nor wants it. */
bool tach_status_idle(uint8_t status);

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

/* What was recorded, as bits of tach_meta's config, which is the word in
 * the header of CPython 3.15.  Other bits are kept as they are. */
enum tach_config {
	TACH_CONFIG_MODE = 0x07, /* the mode plus one, 0: not known; the modes
				  * are wall, cpu, gil, all, exception */
	TACH_CONFIG_WALL = 0x01,
	TACH_CONFIG_CPU = 0x02,
	TACH_CONFIG_GIL = 0x03,
	TACH_CONFIG_EXCEPTION = 0x05,
	TACH_CONFIG_FEATURES = 0x08, /* the bits below mean something */
	TACH_CONFIG_ALL_THREADS = 0x10,
	TACH_CONFIG_NATIVE = 0x20,
	TACH_CONFIG_GC = 0x40,
	TACH_CONFIG_OPCODES = 0x80,
	TACH_CONFIG_BLOCKING = 0x100, /* stopped for each sample */
};

/* How well recording went, as CPython's statistics say it. */
struct tach_quality {
	bool known, has_errors, has_missed;
	double duration; /* seconds */
	double rate;	 /* samples a second */
	double errors;	 /* per cent of the samples that were due: failed */
	double missed;	 /* per cent of the rounds */
};

/* What holds for a profile as a whole. */
struct tach_meta {
	size_t size; /* see "structs that can grow" */
	uint8_t python[3];   /* major, minor, micro of the interpreter */
	uint64_t start_us;   /* monotonic clock of the recording machine */
	uint64_t interval_us; /* wanted time between rounds */
	uint32_t config;      /* bits of enum tach_config; 0: not known */
	struct tach_quality quality;
};

/*
 * Notes: whatever else is to be said of a profile, as `KEY VALUE`.  The file
 * has no place for them, so a note is a string of the table that no frame
 * uses and that begins with a NUL byte, which no name does: other readers of
 * the format pass over it.  See tach(5) for the keys that there are.
 */
uint32_t tach_table_add_note(struct tach_table *, const char *text);
/* Whether a string is a note; gives it without its NUL byte. */
bool tach_string_note(struct tach_string, struct tach_string *note);
/* What a thread is called, if a note says it; of several, the last one does. */
bool tach_table_thread_name(const struct tach_table *, uint32_t interp,
    uint64_t thread, struct tach_string *name);

/* The wanted time between rounds of an interpreter's threads, in microseconds:
 * in a merged profile it may be another than the meta's, and a note says it.
 * 0: not known. */
uint64_t tach_table_interval(const struct tach_table *,
    const struct tach_meta *, uint32_t interp);
/* Whether notes say any. */
bool tach_table_intervals(const struct tach_table *);

/* TACH_STATUS_SWITCH if a note says that samples with this status are of switches.
 * Else 0: that bit is another program's, and means nothing. */
uint8_t tach_table_switches(const struct tach_table *);

/* The id of the process that an interpreter is in, as the recorder saw it, and the
 * first interpreter of this process, or the interpreter itself.  0: not known. */
uint32_t tach_table_process(const struct tach_table *, uint32_t interp,
    uint32_t *first) TACH_NONNULL(1, 3);
/* The time of day at time 0 of an interpreter's samples, in microseconds of UTC since
 * 1970: nanoseconds of it fit in 63 bits.  0: not known. */
uint64_t tach_table_time(const struct tach_table *, uint32_t interp);
/* The earliest of all such times. */
uint64_t tach_table_first_time(const struct tach_table *);

/* What an opcode is called in that version of Python: "BINARY_OP_ADD_INT".
 * NULL: it has no such opcode, or is not known. */
const char *tach_opcode_name(const struct tach_meta *, uint8_t opcode);

/*
 * Why something failed.  All handles tell it alike: tach_X_error returns the code
 * of the last failure or warning and, unless line is NULL, gives one line for
 * people, which is the handle's and stays until its next call.  Without an error
 * these are TACH_ENONE and "".  A failure stays; a warning, of a call that
 * returned TACH_WARN, is gone with the next call.  Two calls return TACH_WARN
 * without an error: to open a reader, whose line tach_reader_warning gives, and
 * tach_reader_poll, of which it means one thing alone.
 */
enum tach_error {
	TACH_ENONE,	 /* nothing is wrong */
	TACH_EFAILED,	 /* another reason: the line says it */
	TACH_ENOMEM,	 /* there is no memory */
	TACH_EPIPE,	 /* nobody reads what is written */
	TACH_ENOENT,	 /* there is no such file or process */
	TACH_EPERM,	 /* the caller has no right to it */
	TACH_EIO,	 /* the system cannot open, read or write it */
	TACH_EFOREIGN,	 /* it is no profile, or no Python */
	TACH_EVERSION,	 /* this version of a format or a Python is not known */
	TACH_ETRUNCATED, /* the input ends too early */
	TACH_EDAMAGED,	 /* the input breaks a rule of its format */
	TACH_ELIMIT,	 /* it is more than is counted, or kept in memory */
	TACH_EUSE,	 /* the caller broke a rule of the call */
};

/*
 * A source.  next gives a run, which is valid until it is called again; or there is
 * none, now or any more: TACH_AGAIN, TACH_END; or TACH_WARN: samples are lost, and
 * it goes on; or TACH_FATAL.  error says why by a code and a line.  Meta and table
 * belong to the source; what they do not say yet is added while it is read.  free
 * and error may be NULL.
 */
struct tach_source {
	size_t size;
	void *arg; /* the source's own */
	const struct tach_meta *meta;
	const struct tach_table *table;
	int (*next)(struct tach_source *, struct tach_run *);
	void (*free)(struct tach_source *);
	enum tach_error (*error)(const struct tach_source *, const char **line);
};

/* These call what a source has; the line of an absent error is "".  A source that
 * cannot be used, for its size, is a failed one. */
int tach_source_next(struct tach_source *, struct tach_run *)
    TACH_CHECKED TACH_NONNULL(1, 2);
void tach_source_free(struct tach_source *); /* NULL is freed, too */
enum tach_error tach_source_error(const struct tach_source *,
    const char **line) TACH_NONNULL(1);

/*
 * A sink.  begin is called once, with the meta and the table of the source, which
 * outlive what is read from it; then run for every run, in the source's order;
 * then end once, then free.  The first three return TACH_OK or TACH_FATAL; error
 * then gives a code and a line.  All but run may be NULL.
 */
struct tach_sink {
	size_t size;
	void *arg;  /* the sink's own */
	unsigned state; /* tach_pump's, 0 at first */
	int (*begin)(struct tach_sink *, const struct tach_meta *,
	    const struct tach_table *);
	int (*run)(struct tach_sink *, const struct tach_run *);
	int (*end)(struct tach_sink *);
	void (*free)(struct tach_sink *);
	enum tach_error (*error)(const struct tach_sink *, const char **line);
};

/* These call what a sink has.  One that is absent does nothing, and returns
 * TACH_OK; the line of an absent error is "". */
int tach_sink_begin(struct tach_sink *, const struct tach_meta *,
    const struct tach_table *); /* the first time that it is called */
int tach_sink_run(struct tach_sink *, const struct tach_run *)
    TACH_CHECKED TACH_NONNULL(1, 2);
int tach_sink_end(struct tach_sink *); /* likewise */
void tach_sink_free(struct tach_sink *); /* NULL is freed, too */
enum tach_error tach_sink_error(const struct tach_sink *, const char **line)
    TACH_NONNULL(1);

/*
 * Begins a sink, gives it all runs of a source, and ends it at TACH_END and at
 * TACH_FATAL: what came before damage is kept.  Returns what the source returned
 * last, after TACH_AGAIN and TACH_WARN it may be called once more; or
 * TACH_REFUSED: the sink failed.  Neither is freed.  A sink is ended once: if it
 * was, a call returns what the source returns, and TACH_REFUSED if that is a run.
 */
int tach_pump(struct tach_source *, struct tach_sink *)
    TACH_CHECKED TACH_NONNULL(1, 2);

/* ---- reader: a file as a source ----------------------------------------- */

/* The header of a TACH file. */
enum tach_layout {
	TACH_LAYOUT_CPYTHON, /* of CPython 3.15, which reads no other one */
	TACH_LAYOUT_EARLY,   /* of the format's first document */
};

enum tach_compression { TACH_PLAIN = 0, TACH_ZSTD = 1 };

/* What a profile is read from. */
enum tach_input {
	TACH_INPUT_FILE, /* a TACH file, complete or not */
	TACH_INPUT_TEXT, /* tach-text(5) */
	TACH_INPUT_COLLAPSED, /* collapsed stacks, of whichever profiler */
	TACH_INPUT_GPERFTOOLS, /* a CPU profile of gperftools */
	TACH_INPUT_PPROF, /* a profile of pprof's */
	TACH_INPUT_MOJO, /* a binary profile of austin's */
	TACH_INPUT_PERF, /* the text of perf script */
	TACH_INPUT_SPEEDSCOPE, /* a profile of speedscope's */
};

/* What header, footer and tables say, before any sample is decoded.  Of what
 * is no TACH file nothing else than what it is is known, but for the byte
 * order of a profile of gperftools. */
struct tach_file_info {
	enum tach_input input;
	bool unfinished; /* by a recorder that still runs, or was killed */
	enum tach_layout layout;
	bool big_endian;
	enum tach_compression compression;
	uint64_t samples;
	uint32_t threads, strings, frames;
	uint64_t file_size; /* bytes */
	uint64_t data_size; /* bytes of sample data, as they lie in the file */
	bool has_checksum;
	uint8_t checksum[16]; /* XXH3-128, in its canonical order */
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

struct tach_reader *tach_reader_new(void) TACH_CHECKED; /* NULL: out of memory */
void tach_reader_free(struct tach_reader *);

/* A recorder writes NAME.part until it is complete, and beside it, to
 * NAME.part.journal, what is needed to read it before that. */
#define TACH_PART_SUFFIX ".part"
#define TACH_JOURNAL_SUFFIX ".journal"

/*
 * Opens a profile, whatever it is, by its content: checks header and footer
 * and loads the tables.  TACH_WARN: something is odd, yet it can be read; see
 * tach_reader_warning.  If there is no file of that name but one that a
 * recorder writes to or has left unfinished, NAME.part, that one is opened.
 * A descriptor stays the caller's, who does not read from it meanwhile; where
 * it has an offset, that is moved to the start first.  A reader opens one
 * input only: a second call is TACH_FATAL, and changes nothing.  What comes from
 * a pipe, or is compressed, is first read to its end, unless it is a text, collapsed
 * stacks or perf's.  Inputs that have no times, all of other programs but perf's, get
 * some: in each thread a sample an interval.
 */
int tach_reader_open(struct tach_reader *, const char *path)
    TACH_CHECKED TACH_NONNULL(1, 2);
int tach_reader_open_fd(struct tach_reader *, int fd)
    TACH_CHECKED TACH_NONNULL(1);

/* Reads n bytes at most from an offset on, and returns how many it has read; fewer
 * than n is no end, 0 is one, and below 0 is an error, whose errno is told. */
typedef ssize_t (*tach_read_at)(void *arg, void *bytes, size_t n, uint64_t at);

/* The same for bytes that lie in memory, and for `size` bytes that a function
 * reads.  Both stay as they are until the reader is freed.  There are no names
 * beside them, so what is unfinished cannot be read. */
int tach_reader_open_memory(struct tach_reader *, const void *bytes, size_t n)
    TACH_CHECKED TACH_NONNULL(1);
int tach_reader_open_callback(struct tach_reader *, tach_read_at,
    uint64_t size, void *arg) TACH_CHECKED TACH_NONNULL(1, 2);

/* After TACH_END of a file that was unfinished when it was opened: TACH_OK
 * if there is more to read by now, TACH_END if there may be later, TACH_WARN
 * if the recorder is gone and there will not be, or TACH_FATAL.  Once the
 * recording is complete, and all is read, its info says so. */
int tach_reader_poll(struct tach_reader *);

/* After TACH_END: reads the whole file once more, to compare it with its
 * checksum.  TACH_OK also if it has none; TACH_FATAL: it is damaged.
 * TACH_WARN: all samples are good, but the file breaks a rule of its format,
 * such as that its header counts more threads than there are. */
int tach_reader_verify(struct tach_reader *);

/* Decodes the next run.  TACH_FATAL: the file is damaged from here on;
 * every run that came before it is good. */
int tach_reader_next(struct tach_reader *, struct tach_run *)
    TACH_CHECKED TACH_NONNULL(1, 2);

const struct tach_meta *tach_reader_meta(const struct tach_reader *);
const struct tach_file_info *tach_reader_info(const struct tach_reader *);
const struct tach_decode_stats *tach_reader_stats(const struct tach_reader *);
const struct tach_table *tach_reader_table(const struct tach_reader *);
/* The line says what, at which offset of the file, in which field.  It does not
 * name the file. */
enum tach_error tach_reader_error(const struct tach_reader *,
    const char **line) TACH_NONNULL(1);
/* Likewise, what is odd though it can be read; else "".  Reading may add
 * to it, behind "; ". */
const char *tach_reader_warning(const struct tach_reader *);

/* The reader as a source, which is the reader's and lives as long. */
struct tach_source *tach_reader_source(struct tach_reader *);
/* The same for a profile that is perhaps still being recorded: it returns
 * TACH_AGAIN where there may be more later, and TACH_WARN, once, if the recorder is
 * gone before its profile was complete. */
struct tach_source *tach_reader_follow(struct tach_reader *);

/* ---- sources of a part, or of more --------------------------------------- */

/*
 * What to take of a profile; all zero selects everything.  A sample is taken if every
 * part allows it: its thread, by its id or its name, and interpreter are of those
 * listed, if any are, and of none of the others; it has all bits of status and none of
 * not_status, and is not idle if not_idle is set; since <= time < until, where until 0
 * is no end; every regular expression of match finds something in one of its frames,
 * taken as FILE:FUNCTION:LINE, and those of not_match in none.  The lists are the
 * caller's, and must outlive the source; the texts of expressions need not.
 */
struct tach_selection {
	size_t size;
	const uint64_t *threads, *not_threads;
	size_t nthreads, nnot_threads;
	const struct tach_string *names, *not_names; /* of threads */
	size_t nnames, nnot_names;
	const uint32_t *interps, *not_interps;
	size_t ninterps, nnot_interps;
	uint8_t status, not_status;
	uint64_t since, until;
	const char *const *match, *const *not_match; /* extended expressions */
	size_t nmatch, nnot_match;
	bool not_idle;
	bool no_switches; /* see tach_table_switches */
};

/*
 * Sources that read from another one, which is then theirs: freed with them, and
 * also if there is no memory for them, where they are NULL.  So they can be nested
 * without a look in between: of NULL they make NULL.
 */

/* What is selected.  It is the other source itself if that is all.  It has an error
 * at once, TACH_EUSE, if the selection cannot be used: for its size, or for an
 * expression, with which the line begins. */
struct tach_source *tach_select_new(struct tach_source *,
    const struct tach_selection *) TACH_CHECKED;

/* A sample stands for the time until its thread's next one, but for so many
 * intervals at most: what is longer is a gap, of which nothing is known.  A
 * thread's last one stands for one interval.  A sample before one of a switch stands
 * until then, however long that is. */
#define TACH_DURATION_INTERVALS 10

/* All, with the durations of the ticks filled in.  To select comes after it, so that
 * what is left out makes nothing longer. */
struct tach_source *tach_durations_new(struct tach_source *) TACH_CHECKED;
/* Likewise, where each sample stands for an interval of its thread. */
struct tach_source *tach_fixed_durations_new(struct tach_source *) TACH_CHECKED;

/* All, with one more frame in each stack, below its innermost frame of Python if that
 * has an opcode: a synthetic one that is called as the opcode is.  It has a table of
 * its own. */
struct tach_source *tach_opcodes_new(struct tach_source *) TACH_CHECKED;

/* All, with stacks of `depth` frames at most, 1 or more: a deeper one has its innermost
 * frames, and a synthetic one, <truncated>, as the outermost.  0: the other source
 * itself.  It has a table of its own. */
struct tach_source *tach_depth_new(struct tach_source *, uint32_t depth)
    TACH_CHECKED;

/* ---- writer: a TACH file as a sink ------------------------------------- */

struct tach_writer_options {
	size_t size;
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
    const struct tach_table *)
    TACH_CHECKED TACH_NONNULL(2, 3);
void tach_writer_free(struct tach_writer *);

int tach_writer_run(struct tach_writer *, const struct tach_run *)
    TACH_CHECKED TACH_NONNULL(1, 2);
/* Adds one sample, for callers without runs: the stack has n frames, indices into
 * the table, innermost first.  The times of a thread do not run backwards.
 * TACH_FATAL: see tach_writer_error; TACH_EUSE also if runs were written to the
 * same writer. */
int tach_writer_add(struct tach_writer *, uint64_t thread, uint32_t interp,
    uint64_t time_us, uint8_t status, const uint32_t *frames, size_t n)
    TACH_CHECKED TACH_NONNULL(1);
/* Makes all that was written until now readable if nothing comes after it:
 * writes what is pending, and what the table has got since the last time to
 * the descriptor of the journal. */
int tach_writer_checkpoint(struct tach_writer *, int journal_fd,
    const struct tach_meta *) TACH_CHECKED TACH_NONNULL(1, 3);
/* Writes what is pending, the tables, the footer and, last, the header. */
int tach_writer_finish(struct tach_writer *, const struct tach_meta *)
    TACH_CHECKED TACH_NONNULL(1, 2);
/* The writer as a sink, which is the writer's; its end does nothing. */
struct tach_sink *tach_writer_sink(struct tach_writer *);

uint64_t tach_writer_bytes(const struct tach_writer *);	  /* in the file so far */
uint64_t tach_writer_samples(const struct tach_writer *);
uint32_t tach_writer_threads(const struct tach_writer *);
/* The most frames of a stack that CPython's reader takes: it refuses a file with a
 * deeper one. */
#define TACH_CPYTHON_DEPTH 256
/* Samples whose stack is deeper; see tach_depth_new. */
uint64_t tach_writer_deep(const struct tach_writer *);
/* Not what was asked for if that cannot count so many samples. */
enum tach_layout tach_writer_layout(const struct tach_writer *);
enum tach_error tach_writer_error(const struct tach_writer *,
    const char **line) TACH_NONNULL(1);

/* ---- other sinks -------------------------------------------------------- */

/* Where a sink writes to.  write takes all n bytes at once and returns 0, or -1 with
 * errno, which the sink tells; it is called for each piece that a sink has.  If it
 * is NULL, the sink writes by the block to the descriptor, which stays the
 * caller's. */
struct tach_output {
	size_t size;
	int (*write)(void *arg, const void *bytes, size_t n);
	void *arg;
	int fd;
};

/* One line a sample: the short or the long form of tach-text(5).  NULL: out of
 * memory.  The sink has an error at once if the output cannot be used. */
struct tach_sink *tach_text_new(const struct tach_output *, bool long_form)
    TACH_CHECKED TACH_NONNULL(1);

/* These write one text to an output, and return TACH_ENONE or why they cannot. */

/* Bytes so that a terminal can show them: control characters, the backslash and what
 * is no UTF-8 are escaped as in tach-text(5). */
enum tach_error tach_plain_string(const struct tach_output *, const char *,
    size_t) TACH_NONNULL(1);
/* Bytes as a JSON string with its quotes.  What is no UTF-8 becomes U+FFFD, so that
 * the result is always valid. */
enum tach_error tach_json_string(const struct tach_output *, const char *,
    size_t) TACH_NONNULL(1);
/* A finite number by the fewest digits that give it again. */
enum tach_error tach_json_number(const struct tach_output *, double)
    TACH_NONNULL(1);

/* ---- formats: what tach-convert(1) writes -------------------------------- */

/* What counts. */
enum tach_weight { TACH_WEIGHT_SAMPLES, TACH_WEIGHT_TIME };

/* Which threads are one for a format that adds up. */
enum tach_by {
	TACH_BY_FORMAT, /* as the format has it */
	TACH_BY_THREAD, /* none: each is told */
	TACH_BY_NAME,	/* those whose names differ in numbers alone */
	TACH_BY_NONE,	/* all: none is told */
};

/* How a frame is written where it is one word. */
enum tach_frame_style {
	TACH_FRAME_CPYTHON,  /* BASENAME:FUNCTION:LINE */
	TACH_FRAME_PYSPY,    /* FUNCTION (FILE:LINE) */
	TACH_FRAME_AUSTIN,   /* FILE:FUNCTION:LINE */
	TACH_FRAME_FUNCTION, /* FUNCTION */
};

/* What became of a source file that a page could show. */
enum tach_source_text {
	TACH_SOURCE_PUT,       /* its text was put in */
	TACH_SOURCE_MISSING,   /* it is not here, or cannot be read */
	TACH_SOURCE_LINK,      /* a symbolic link is in its path */
	TACH_SOURCE_FOREIGN,   /* it is neither the reader's nor root's */
	TACH_SOURCE_PRIVATE,   /* not all may read it */
	TACH_SOURCE_NO_FILE,   /* it is no regular file */
	TACH_SOURCE_NO_PYTHON, /* its name does not end in .py */
	TACH_SOURCE_LARGE,     /* it has more than a mebibyte */
	TACH_SOURCE_ELSEWHERE, /* it is not below the directory */
	TACH_SOURCE_TEXTS,     /* how many of these there are */
};

/* Source text that a format may put in.  The caller names a directory by its
 * absolute path without links, "/" for all; the sink counts files. */
struct tach_source_texts {
	size_t size;
	const char *directory;
	uint64_t count[TACH_SOURCE_TEXTS];
};

/* All zero but for the title, the directory and the word size are defaults.  A
 * format does not look at what it does not use.  All pointers are the
 * caller's. */
struct tach_format_options {
	size_t size;
	enum tach_weight weight;
	enum tach_frame_style frame;
	bool keep_idle;	 /* show the stacks of idle threads, not gaps */
	bool gzip;
	const char *title; /* of a page: the profile's name */
	struct tach_source_texts *sources; /* NULL: no source text is put in */
	int directory;	   /* descriptor of the one that pages go to */
	/* Another profile to compare with: see tach_baseline_new. */
	const struct tach_baseline *base;
	/* Of profiles of gperftools. */
	unsigned word_size; /* bytes, 4 or 8 */
	bool big_endian;
	bool symbolized;      /* with a table of names in front */
	const struct tach_output *symbols; /* an ELF file with the names goes
					    * there */
	const char *symbols_path; /* absolute, as it will be called */
	const char *build;    /* what $build means in that path, or NULL */
	enum tach_by by;
	const char *base_title; /* of a page: the other profile's name */
};

/* What of the options a format looks at, and what it needs. */
enum tach_format_uses {
	TACH_USES_WEIGHT = 0x01,
	TACH_USES_FRAME = 0x02,
	TACH_USES_IDLE = 0x04,
	TACH_USES_GZIP = 0x08,
	TACH_USES_DIRECTORY = 0x10, /* it writes there, not to the file */
	TACH_USES_BASE = 0x20,
	TACH_USES_GPERFTOOLS = 0x40,
	TACH_NEEDS_BASE = 0x80,
	TACH_NEEDS_DURATIONS = 0x100, /* whatever the weight is */
	TACH_USES_NO_TERMINAL = 0x200, /* it is binary */
	TACH_USES_SOURCES = 0x400,
	TACH_NEEDS_INTERVALS = 0x800, /* or durations, if the weight is time */
	TACH_ONE_INTERVAL = 0x1000, /* it has room for that of one thread */
	TACH_USES_BY = 0x2000,
	TACH_ONE_THREAD = 0x4000, /* it has no threads: by none alone */
};

/* A format. */
struct tach_format {
	const char *name;  /* "collapsed" */
	const char *about; /* one line for people */
	unsigned uses;	   /* bits of enum tach_format_uses */
	/* What to say to people if a pipe's reader goes away and leaves
	 * something unread; NULL: nothing. */
	const char *unread;
};

/* All formats, one after the other: the one after NULL is the first, and the one
 * after the last is NULL. */
const struct tach_format *tach_format_next(const struct tach_format *);
/* The format of that name, or NULL. */
const struct tach_format *tach_format_find(const char *name);

/* A sink that writes a format, by options that it copies; what they point to
 * outlives the sink.  A format that writes to a directory needs no output.  NULL:
 * out of memory.  The sink has an error at once if the options or the output
 * cannot be used. */
struct tach_sink *tach_format_open(const struct tach_format *,
    const struct tach_output *,
    const struct tach_format_options *) TACH_CHECKED;

/* Keeps what a profile's stacks weigh, for a format to compare another one
 * with once the sink, which stays the base's, has got all of it and been
 * ended.  The meta and the table must outlive that.  NULL: out of memory. */
struct tach_baseline;
struct tach_baseline *tach_baseline_new(void) TACH_CHECKED;
void tach_baseline_free(struct tach_baseline *);
struct tach_sink *tach_baseline_sink(struct tach_baseline *);

/* ---- merge: several sources as one ---------------------------------------- */

/*
 * Where an input's samples go.  Its interpreters below `kept` become interp
 * plus their number; others, ascending, the ones that follow: the i-th of
 * them becomes interp + kept + i.  All zero but for kept = UINT64_MAX leaves
 * everything as it is.
 */
struct tach_merge_options {
	size_t size;
	uint64_t interp, kept;
	const uint32_t *others; /* the caller's, while it merges */
	size_t nothers;
	uint64_t shift;	  /* added to times */
	uint64_t samples; /* to take, before selecting; 0: to the end */
	const struct tach_selection *selection; /* likewise; NULL: all */
	bool no_opcodes;  /* its frames lose theirs */
	/* Of what is selected: see tach_depth_new.  It fills no padding: the size
	 * tells whether a caller knows it. */
	uint64_t depth;
};

struct tach_merge;

/* What holds for all of it is the caller's, as long as there is the merge.  NULL:
 * out of memory. */
struct tach_merge *tach_merge_new(const struct tach_meta *)
    TACH_CHECKED TACH_NONNULL(1);
void tach_merge_free(struct tach_merge *);

/* Adds a source that was not read from yet, and that has an end and nothing before it
 * but runs: no TACH_AGAIN, no TACH_WARN.  It stays the caller's, and is freed after the
 * merge.  No two inputs may come to have a thread
 * of one number in one interpreter. */
int tach_merge_add(struct tach_merge *, struct tach_source *,
    const struct tach_merge_options *) TACH_CHECKED TACH_NONNULL(1, 2, 3);

/*
 * The merge as a source, which is the merge's and lives as long.  It gives the run
 * that begins earliest, or what is selected of it.  TACH_WARN: an input ended
 * before its time, its error says why, and the others go on; tach_merge_input is
 * its number, in the order of adding.  Its table grows meanwhile.
 */
struct tach_source *tach_merge_source(struct tach_merge *);
size_t tach_merge_input(const struct tach_merge *);

/* A note for its table, once.  What is no UTF-8 in it becomes U+FFFD. */
int tach_merge_note(struct tach_merge *, const char *text);
enum tach_error tach_merge_error(const struct tach_merge *,
    const char **line) TACH_NONNULL(1);

/* ---- version ------------------------------------------------------------- */

/* The version of this header.  A later version has a greater number. */
#define TACH_VERSION_MAJOR 0
#define TACH_VERSION_MINOR 1
#define TACH_VERSION_MICRO 0
#define TACH_VERSION_OF(major, minor, micro) \
	((major) * 1000000 + (minor) * 1000 + (micro))
#define TACH_VERSION_NUMBER \
	TACH_VERSION_OF(TACH_VERSION_MAJOR, TACH_VERSION_MINOR, \
	    TACH_VERSION_MICRO)

/* The version of the library that the program runs with, as MAJOR.MINOR.MICRO. */
const char *tach_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
