/* SPDX-License-Identifier: ISC */
/*
 * reader.c: finds out what kind of thing a profile is to be read from, and
 * opens it; see source.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "error.h"
#include "format/foreign.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/journal.h"
#include "format/sniff.h"
#include "format/source.h"
#include "format/unpack.h"
#include "io.h"
#include "table.h"
#include "tach.h"

/* The bytes of a packed input that is read at any offset. */
#define UNPACKED_MAX (UINT32_C(1) << (30 - LIMIT_SHIFT))

struct tach_reader {
	struct source_input input;
	struct origin origin;
	int journal_fd; /* -1: none */
	struct source *source; /* NULL: not open */
	bool opened;	       /* once, with what came of it */
	bool dead;	       /* nothing more is to be had of it */
	bool follows;	       /* it may be recorded still: see next_run */
	struct tach_source as_source;
};

static int next_run(struct tach_source *, struct tach_run *);
static enum tach_error source_error(const struct tach_source *,
    const char **line);

struct tach_reader *
tach_reader_new(void)
{
	struct tach_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->origin.fd = r->journal_fd = -1;
	if ((r->input.table = tach_table_new()) == NULL) {
		free(r);
		return NULL;
	}
	r->input.meta.size = sizeof(r->input.meta);
	r->as_source = (struct tach_source){.size = sizeof(r->as_source),
	    .arg = r,
	    .meta = &r->input.meta,
	    .table = r->input.table,
	    .next = next_run,
	    .error = source_error};
	return r;
}

/* Nothing more is read.  The source stays, and so what is known by now: the
 * table's strings are its own, and sinks that are ended look at them. */
static int
give_up(struct tach_reader *r)
{
	if (r->origin.fd >= 0)
		close(r->origin.fd);
	if (r->journal_fd >= 0)
		close(r->journal_fd);
	unpack_close(r->origin.unpack);
	r->origin.unpack = NULL;
	r->origin.fd = r->journal_fd = -1;
	r->dead = true;
	return TACH_FATAL;
}

void
tach_reader_free(struct tach_reader *r)
{
	if (r == NULL)
		return;
	give_up(r);
	if (r->source != NULL)
		r->source->free(r->source);
	tach_table_free(r->input.table);
	free(r);
}

const struct tach_meta *
tach_reader_meta(const struct tach_reader *r)
{
	return &r->input.meta;
}

const struct tach_file_info *
tach_reader_info(const struct tach_reader *r)
{
	return &r->input.info;
}

const struct tach_decode_stats *
tach_reader_stats(const struct tach_reader *r)
{
	return &r->input.stats;
}

const struct tach_table *
tach_reader_table(const struct tach_reader *r)
{
	return r->input.table;
}

enum tach_error
tach_reader_error(const struct tach_reader *r, const char **line)
{
	return error_get(&r->input.error, line);
}

const char *
tach_reader_warning(const struct tach_reader *r)
{
	return r->input.warning.text;
}

/* ---- opening ------------------------------------------------------------ */

static int
system_error(struct tach_reader *r, const char *what)
{
	return error_system(&r->input.error, what, errno);
}

/* Whether so many bytes more may be copied.  A small file can unpack to more than
 * a disk has. */
static int
check_unpacked(struct tach_reader *r, uint64_t size)
{
	if (r->origin.unpack == NULL || size <= UNPACKED_MAX)
		return TACH_OK;
	return error_set(&r->input.error, TACH_ELIMIT, "it unpacks to more than "
	    "%u MiB: unpack it to a file first", UNPACKED_MAX >> 20);
}

/* Copies what can be read once only, and what was read of it already, to a file
 * without a name, which becomes the one that is read. */
static int
copy_stream(struct tach_reader *r, const void *head, size_t len, int to)
{
	char buf[65536];
	uint64_t size = len;
	ssize_t n;

	if (!io_write(to, head, len))
		return system_error(r, "cannot write a temporary file");
	while ((n = origin_read(&r->origin, buf, sizeof(buf))) > 0) {
		if (check_unpacked(r, size += (size_t)n) != TACH_OK)
			return TACH_FATAL;
		if (!io_write(to, buf, (size_t)n))
			return system_error(r,
			    "cannot write a temporary file");
	}
	if (n < 0)
		return origin_failed(&r->origin, &r->input.error);
	if (r->origin.fd >= 0)
		close(r->origin.fd);
	unpack_close(r->origin.unpack);
	r->origin = (struct origin){.fd = to};
	return TACH_OK;
}

static int
spool(struct tach_reader *r, const void *head, size_t len)
{
	int fd = io_temporary(), res;

	if (fd < 0)
		return system_error(r, "no temporary file");
	if ((res = copy_stream(r, head, len, fd)) != TACH_OK)
		close(fd);
	return res;
}

static int
open_unfinished(struct tach_reader *r)
{
	if (r->journal_fd < 0)
		return error_set(&r->input.error, TACH_ENOENT, "the profile "
		    "is unfinished, and its journal, with "
		    TACH_JOURNAL_SUFFIX " after its name, is not here");
	r->source = unfinished_source(&r->input, &r->origin, r->journal_fd);
	return r->source != NULL ? TACH_OK : TACH_FATAL;
}

/* Makes an input one that can be read at any offset, up to its size. */
static int
find_size(struct tach_reader *r, const void *head, size_t n)
{
	struct stat st = {0};

	if (r->origin.unpack == NULL && r->origin.fd < 0)
		return TACH_OK;
	if (r->origin.unpack == NULL && fstat(r->origin.fd, &st) != 0)
		return system_error(r, "");
	if (!S_ISREG(st.st_mode)) {
		if (spool(r, head, n) != TACH_OK)
			return TACH_FATAL;
		if (fstat(r->origin.fd, &st) != 0)
			return system_error(r, "");
	}
	r->origin.size = (uint64_t)st.st_size;
	return TACH_OK;
}

/* Inputs that are read at any offset, besides TACH files. */
static const struct seeker {
	bool (*known)(const uint8_t *, size_t n);
	struct source *(*open)(struct source_input *, struct origin *,
	    uint64_t size);
} seekers[] = {
    {gperftools_known, gperftools_source},
    {pprof_known, pprof_source},
    {mojo_known, mojo_source},
    {speedscope_known, speedscope_source},
};

static const struct seeker *
find_seeker(const void *head, size_t n)
{
	for (size_t i = 0; i < sizeof(seekers) / sizeof(*seekers); i++)
		if (seekers[i].known(head, n))
			return &seekers[i];
	return NULL;
}

/* Makes a source of a binary input, of which n bytes are known: HEAD_SIZE at
 * least, if there are as many.  The seeker is NULL if it may be a TACH file. */
static int
open_binary(struct tach_reader *r, const struct seeker *seeker,
    const uint8_t *head, size_t n)
{
	if (seeker == NULL &&
	    (head_unfinished(head, n) || (n == 0 && r->journal_fd >= 0)))
		return open_unfinished(r);
	if (find_size(r, head, n) != TACH_OK)
		return TACH_FATAL;
	r->source = seeker != NULL ?
	    seeker->open(&r->input, &r->origin, r->origin.size) :
	    file_source(&r->input, &r->origin, r->origin.size);
	return r->source != NULL ? TACH_OK : TACH_FATAL;
}

/* Reads until it is clear what it is, and of what is binary all that may be
 * a header. */
static int
read_beginning(struct tach_reader *r, char head[SNIFF_SIZE], size_t *len,
    enum sniff *kind)
{
	size_t n = 0;
	ssize_t more;

	do {
		more = origin_read(&r->origin, head + n, SNIFF_SIZE - n);
		if (more < 0)
			return origin_failed(&r->origin, &r->input.error);
		n += (size_t)more;
		*kind = sniff(head, n, more == 0 || n == SNIFF_SIZE);
	} while (*kind == SNIFF_MORE);
	while (*kind == SNIFF_BINARY && n < HEAD_SIZE && more > 0 &&
	    !unpack_known(head, n)) {
		more = origin_read(&r->origin, head + n, HEAD_SIZE - n);
		if (more < 0)
			return origin_failed(&r->origin, &r->input.error);
		n += (size_t)more;
	}
	*len = n;
	return TACH_OK;
}

/* The input becomes what is packed in it. */
static int
open_packed(struct tach_reader *r, const char *head, size_t n)
{
	struct unpack *u = unpack_open(&r->origin, head, n);

	if (u == NULL)
		return error_memory(&r->input.error);
	r->origin = (struct origin){.fd = -1, .unpack = u};
	return TACH_OK;
}

static int
open_any(struct tach_reader *r)
{
	char head[SNIFF_SIZE];
	const struct seeker *seeker;
	const char *fault;
	enum sniff kind;
	size_t n = 0, mark;

	/* What is no pipe is read from its start. */
	origin_seek(&r->origin, 0);
	if (read_beginning(r, head, &n, &kind) != TACH_OK)
		return TACH_FATAL;
	if (unpack_known(head, n) &&
	    (open_packed(r, head, n) != TACH_OK ||
		read_beginning(r, head, &n, &kind) != TACH_OK))
		return TACH_FATAL;
	seeker = find_seeker(head, n);
	if (seeker == NULL && (fault = foreign_fault(head, n)) != NULL)
		return error_set(&r->input.error, TACH_EFOREIGN, "it is %s",
		    fault);
	if (seeker != NULL || kind == SNIFF_BINARY)
		return open_binary(r, seeker, (const uint8_t *)head, n);
	mark = sniff_mark(head, n);
	r->source = (kind == SNIFF_TEXT ? text_source :
		kind == SNIFF_PERF ? perf_source : collapsed_source)(
	    &r->input, &r->origin, head + mark, n - mark);
	return r->source != NULL ? TACH_OK : TACH_FATAL;
}

/* The reader has its descriptors: what are they of? */
static int
open_source(struct tach_reader *r)
{
	if (open_any(r) != TACH_OK) {
		table_clear(r->input.table);
		return give_up(r);
	}
	return r->input.warning.text[0] != '\0' ? TACH_WARN : TACH_OK;
}

/* What is known of an input stays until the reader is freed.  To open it again is
 * an error of that call alone. */
static int
reader_begin(struct tach_reader *r)
{
	if (r->opened) {
		error_warn(&r->input.error, TACH_EUSE,
		    "the reader was opened before: each input takes a new one");
		return TACH_FATAL;
	}
	error_clear(&r->input.error);
	r->opened = true;
	return TACH_OK;
}

int
tach_reader_open_fd(struct tach_reader *r, int fd)
{
	if (reader_begin(r) != TACH_OK)
		return TACH_FATAL;
	if ((r->origin.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0)
		return system_error(r, "");
	return open_source(r);
}

int
tach_reader_open_memory(struct tach_reader *r, const void *bytes, size_t n)
{
	if (reader_begin(r) != TACH_OK)
		return TACH_FATAL;
	r->origin.memory = bytes;
	r->origin.size = n;
	return open_source(r);
}

int
tach_reader_open_callback(struct tach_reader *r, tach_read_at read,
    uint64_t size, void *arg)
{
	if (reader_begin(r) != TACH_OK)
		return TACH_FATAL;
	r->origin.read = read;
	r->origin.arg = arg;
	r->origin.size = size;
	return open_source(r);
}

/* Opens a regular file.  A FIFO is not waited for.  -1: there is none. */
static int
open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* Opens the journal of a file.  There is none if the file is complete.
 * Recorders before the first release called it .names.  False: no memory. */
static bool
open_journal(struct tach_reader *r, const char *path)
{
	static const char *const suffixes[] = {TACH_JOURNAL_SUFFIX, ".names"};
	char *journal;

	for (int i = 0; i < 2 && r->journal_fd < 0; i++) {
		if (asprintf(&journal, "%s%s", path, suffixes[i]) < 0)
			return false;
		r->journal_fd = open_regular(journal);
		free(journal);
	}
	return true;
}

/* Opens a file and the journal beside it. */
static int
open_beside(struct tach_reader *r, const char *path)
{
	if ((r->origin.fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	return open_journal(r, path) ? 0 : -1;
}

/* Opens a file or, if there is none, what a recorder writes to until it is
 * complete. */
static int
open_either(struct tach_reader *r, const char *path, const char *part)
{
	int e;

	if (open_beside(r, path) == 0) {
		if (access(part, F_OK) == 0)
			error_add(&r->input.warning, TACH_WARN,
			    "there is a newer recording, not finished, in %s",
			    part);
		return TACH_OK;
	}
	/* It may be completed at this very moment. */
	e = errno;
	if (e == ENOENT &&
	    (open_beside(r, part) == 0 || open_beside(r, path) == 0))
		return TACH_OK;
	errno = e;
	return system_error(r, "");
}

int
tach_reader_open(struct tach_reader *r, const char *path)
{
	char *part;
	int res;

	if (reader_begin(r) != TACH_OK)
		return TACH_FATAL;
	if (asprintf(&part, "%s%s", path, TACH_PART_SUFFIX) < 0)
		return system_error(r, "");
	res = open_either(r, path, part);
	free(part);
	return res == TACH_OK ? open_source(r) : TACH_FATAL;
}

/* ---- reading ------------------------------------------------------------ */

/* Whether there is something to read; a warning of an earlier call is forgotten. */
static bool
ready(struct tach_reader *r)
{
	error_forget(&r->input.error);
	if (!r->opened)
		error_set(&r->input.error, TACH_EUSE,
		    "the reader was not opened");
	return r->source != NULL && !r->dead;
}

int
tach_reader_next(struct tach_reader *r, struct tach_run *run)
{
	int res;

	if (!ready(r))
		return TACH_FATAL;
	res = r->source->next(r->source, run);
	return res == TACH_FATAL ? give_up(r) : res;
}

int
tach_reader_poll(struct tach_reader *r)
{
	int res = TACH_END;

	if (!ready(r))
		return TACH_FATAL;
	if (r->source->again != NULL && r->input.info.unfinished)
		res = r->source->again(r->source);
	return res == TACH_FATAL ? give_up(r) : res;
}

int
tach_reader_verify(struct tach_reader *r)
{
	if (!ready(r))
		return TACH_FATAL;
	return r->source->check != NULL ? r->source->check(r->source) : TACH_OK;
}

/* ---- as a source --------------------------------------------------------- */

/* Looks whether there is more by now.  TACH_OK: there is; else as a source. */
static int
poll_followed(struct tach_reader *r)
{
	int res = tach_reader_poll(r);

	if (res == TACH_WARN) {
		r->follows = false;
		error_warn(&r->input.error, TACH_ETRUNCATED,
		    "its recording was cut short");
	}
	return res == TACH_END && r->input.info.unfinished ? TACH_AGAIN : res;
}

static int
next_run(struct tach_source *source, struct tach_run *run)
{
	struct tach_reader *r = source->arg;
	int res;

	do
		res = tach_reader_next(r, run);
	while (res == TACH_END && r->follows &&
	    (res = poll_followed(r)) == TACH_OK);
	return res;
}

static enum tach_error
source_error(const struct tach_source *source, const char **line)
{
	const struct tach_reader *r = source->arg;

	return error_get(&r->input.error, line);
}

struct tach_source *
tach_reader_source(struct tach_reader *r)
{
	return &r->as_source;
}

struct tach_source *
tach_reader_follow(struct tach_reader *r)
{
	r->follows = true;
	return &r->as_source;
}
