/* SPDX-License-Identifier: ISC */
/*
 * test_errors.c: the code that each handle tells when something fails, and that a
 * warning is gone with the next call.  For want of memory: every allocation of a
 * piece of work fails once.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile.h"
#include "tach-record.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- allocations that fail ------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FAILING 0
#endif
#endif
#if !defined(FAILING) && defined(__GLIBC__)
#define FAILING 1
#endif

static long left = -1; /* allocations until one fails; -1: none does */
static bool failed;    /* one has */

#if FAILING
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static bool
fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return fails() ? NULL : __libc_realloc(p, all);
}
#endif

/* Does a piece of work as often as it has allocations, each of which fails once.
 * It gives its handle's code: no other than TACH_ENOMEM, which is told. */
static void
check_memory(const char *name, enum tach_error (*work)(void))
{
	long n = 0, told = 0;

	do {
		enum tach_error code;
		left = n++;
		failed = false;
		code = work();
		left = -1;
		if (code != TACH_ENONE && code != TACH_ENOMEM)
			fail_at(__FILE__, __LINE__, "%s: allocation %ld: code "
			    "%d", name, n, (int)code);
		if (code == TACH_ENOMEM && !failed)
			fail_at(__FILE__, __LINE__, "%s: there is memory",
			    name);
		told += code == TACH_ENOMEM;
	} while (failed);
	if (told == 0 && FAILING)
		fail_at(__FILE__, __LINE__, "%s: never told", name);
}

/* ---- pieces of work -------------------------------------------------------- */

static struct tach_table *table;
static int profile; /* a descriptor */

static void
make_profile(void)
{
	static const struct tach_writer_options options = {
	    .size = sizeof(options),
	    TACH_LAYOUT_CPYTHON,
	    TACH_ZSTD,
	    TACH_LEVEL_DEFAULT};
	struct trace t = {0};
	struct bytes b;

	table = make_table(40);
	for (uint32_t i = 0; i < 300; i++)
		trace_add(&t, 1 + i % 20, 0, i, (uint8_t)(i % 3),
		    (uint32_t[]){i % 39, 39 - i % 7, 3}, 1 + i % 3);
	b = write_profile(&t, &options, table, HINT_NONE);
	profile = bytes_fd(&b);
	bytes_clear(&b);
	trace_clear(&t);
}

/* A reader of it, or NULL with the code. */
static struct tach_reader *
open_reader(enum tach_error *code)
{
	struct tach_reader *r = tach_reader_new();

	*code = TACH_ENOMEM;
	if (r == NULL)
		return NULL;
	if (tach_reader_open_fd(r, profile) == TACH_OK)
		return r;
	*code = tach_reader_error(r, NULL);
	check(*code != TACH_ENONE);
	tach_reader_free(r);
	return NULL;
}

static enum tach_error
work_reader(void)
{
	enum tach_error code;
	struct tach_reader *r = open_reader(&code);
	struct tach_run run;
	int res;

	if (r == NULL)
		return code;
	while ((res = tach_reader_next(r, &run)) == TACH_OK)
		continue;
	if (res == TACH_END)
		res = tach_reader_verify(r);
	code = tach_reader_error(r, NULL);
	check((res == TACH_OK) == (code == TACH_ENONE));
	tach_reader_free(r);
	return code;
}

static enum tach_error
work_writer(void)
{
	static const struct tach_writer_options options = {
	    .size = sizeof(options),
	    TACH_LAYOUT_EARLY,
	    TACH_ZSTD,
	    TACH_LEVEL_DEFAULT};
	struct tach_meta meta = {.size = sizeof(meta), .interval_us = 1000};
	struct bytes none = {0};
	int fd = bytes_fd(&none), res = TACH_OK;
	struct tach_writer *w = tach_writer_new(fd, &options, table);
	enum tach_error code = TACH_ENOMEM;

	for (uint32_t i = 0; w != NULL && i < 90 && res == TACH_OK; i++)
		res = tach_writer_run(w, &(struct tach_run){i % 30, 0, i % 30,
		    (uint32_t[]){i % 40}, 1, 0, &(struct tach_tick){i, 0, 0},
		    1});
	if (w != NULL && res == TACH_OK)
		res = tach_writer_finish(w, &meta);
	if (w != NULL) {
		code = tach_writer_error(w, NULL);
		check((res == TACH_OK) == (code == TACH_ENONE));
	}
	tach_writer_free(w);
	close(fd);
	return code;
}

/* Pumps a source, which it frees, into a sink, which it does not. */
static enum tach_error
pump(struct tach_source *source, struct tach_sink *sink)
{
	enum tach_error code = TACH_ENOMEM;
	int res;

	if (source != NULL && sink != NULL) {
		while ((res = tach_pump(source, sink)) == TACH_WARN)
			continue;
		code = res == TACH_REFUSED ? tach_sink_error(sink, NULL) :
					     tach_source_error(source, NULL);
		check((res == TACH_END) == (code == TACH_ENONE));
	}
	tach_source_free(source);
	return code;
}

static enum tach_error
into_baseline(struct tach_source *source)
{
	struct tach_baseline *b = tach_baseline_new();
	enum tach_error code = pump(source,
	    b != NULL ? tach_baseline_sink(b) : NULL);

	tach_baseline_free(b);
	return code;
}

static enum tach_error
work_wrapped(struct tach_source *(*wrap)(struct tach_source *))
{
	enum tach_error code;
	struct tach_reader *r = open_reader(&code);

	if (r == NULL)
		return code;
	code = into_baseline(wrap(tach_reader_source(r)));
	tach_reader_free(r);
	return code;
}

static struct tach_source *
wrap_select(struct tach_source *source)
{
	static const struct tach_selection some = {
	    .size = sizeof(some), .status = 1};

	return tach_select_new(source, &some);
}

static enum tach_error
work_select(void)
{
	return work_wrapped(wrap_select);
}

static enum tach_error
work_durations(void)
{
	return work_wrapped(tach_durations_new);
}

static enum tach_error
work_intervals(void)
{
	return work_wrapped(tach_fixed_durations_new);
}

static struct tach_source *
wrap_depth(struct tach_source *source)
{
	return tach_depth_new(source, 2);
}

static enum tach_error
work_depth(void)
{
	return work_wrapped(wrap_depth);
}

static enum tach_error
work_opcodes(void)
{
	return work_wrapped(tach_opcodes_new);
}

static enum tach_error
merge_two(struct tach_merge *m, struct tach_reader *a, struct tach_reader *b)
{
	static const struct tach_merge_options first = {.size = sizeof(first),
						 .kept = UINT64_MAX},
					     second = {.size = sizeof(second),
						 .interp = 1,
						 .kept = UINT64_MAX,
						 .shift = 7};
	struct tach_source *s = tach_merge_source(m);
	enum tach_error code;

	if (tach_merge_add(m, tach_reader_source(a), &first) != TACH_OK ||
	    tach_merge_add(m, tach_reader_source(b), &second) != TACH_OK ||
	    tach_merge_note(m, "about this") != TACH_OK)
		return tach_merge_error(m, NULL);
	code = into_baseline(s);
	return code;
}

static enum tach_error
work_merge(void)
{
	static const struct tach_meta meta;
	enum tach_error code;
	struct tach_reader *a = open_reader(&code);
	struct tach_reader *b = a != NULL ? open_reader(&code) : NULL;
	struct tach_merge *m = b != NULL ? tach_merge_new(&meta) : NULL;

	if (m != NULL)
		code = merge_two(m, a, b);
	else if (b != NULL)
		code = TACH_ENOMEM;
	tach_merge_free(m);
	tach_reader_free(b);
	tach_reader_free(a);
	return code;
}

/* Other than memory, `code` tells that this reader cannot be opened. */
static enum tach_error
into_sink(struct tach_sink *sink)
{
	enum tach_error code;
	struct tach_reader *r = open_reader(&code);

	if (r != NULL)
		code = pump(tach_durations_new(tach_reader_source(r)), sink);
	tach_reader_free(r);
	tach_sink_free(sink);
	return code;
}

static struct tach_output nowhere = {.size = sizeof(nowhere)};

static enum tach_error
work_text(void)
{
	return into_sink(tach_text_new(&nowhere, true));
}

/* Calls that write one text to an output. */
static enum tach_error
work_strings(void)
{
	enum tach_error code = tach_plain_string(&nowhere, "a\x1b", 2);

	if (code == TACH_ENONE)
		code = tach_json_string(&nowhere, "a\x1b", 2);
	return code == TACH_ENONE ? tach_json_number(&nowhere, 0.5) : code;
}

static const struct tach_format *format;
static struct tach_format_options options = {
    .size = sizeof(options), .directory = -1, .word_size = 8, .title = "it"};

static enum tach_error
work_format(void)
{
	struct tach_baseline *b;
	enum tach_error code = TACH_ENOMEM;
	struct tach_reader *r;

	if ((format->uses & TACH_NEEDS_BASE) == 0)
		return into_sink(tach_format_open(format, &nowhere,
		    &options));
	if ((r = open_reader(&code)) == NULL)
		return code;
	b = tach_baseline_new();
	code = pump(tach_reader_source(r),
	    b != NULL ? tach_baseline_sink(b) : NULL);
	options.base = b;
	if (code == TACH_ENONE)
		code = into_sink(tach_format_open(format, &nowhere,
		    &options));
	tach_baseline_free(b);
	tach_reader_free(r);
	return code;
}

static void
check_no_memory(void)
{
	check_memory("reader", work_reader);
	check_memory("writer", work_writer);
	check_memory("select", work_select);
	check_memory("durations", work_durations);
	check_memory("intervals", work_intervals);
	check_memory("opcodes", work_opcodes);
	check_memory("depth", work_depth);
	check_memory("merge", work_merge);
	check_memory("text", work_text);
	check_memory("strings", work_strings);
	while ((format = tach_format_next(format)) != NULL)
		if ((format->uses & TACH_USES_DIRECTORY) == 0)
			check_memory(format->name, work_format);
}

/* ---- readers --------------------------------------------------------------- */

static enum tach_error
code_of_path(const char *path)
{
	struct tach_reader *r = tach_reader_new();
	enum tach_error code;
	const char *line;

	check(tach_reader_open(r, path) == TACH_FATAL);
	code = tach_reader_error(r, &line);
	check(*line != '\0');
	check_number(tach_source_error(tach_reader_source(r), NULL), code);
	tach_reader_free(r);
	return code;
}

/* The code of reading so many bytes of the profile, of which one is another. */
static enum tach_error
code_of_bytes(size_t n, size_t at, uint8_t byte)
{
	struct bytes b = {0};
	uint8_t all[65536];
	ssize_t size = pread(profile, all, sizeof(all), 0);
	enum tach_error code;
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	int fd;

	if (n > (size_t)size)
		n = (size_t)size;
	all[at] = byte;
	bytes_add(&b, all, n);
	fd = bytes_fd(&b);
	if (tach_reader_open_fd(r, fd) != TACH_FATAL)
		while (tach_reader_next(r, &run) == TACH_OK)
			continue;
	code = tach_reader_error(r, NULL);
	tach_reader_free(r);
	close(fd);
	bytes_clear(&b);
	return code;
}

static enum tach_error
code_of_text_head(const char *text)
{
	struct tach_reader *r = tach_reader_new();
	enum tach_error code;

	check(tach_reader_open_memory(r, text, strlen(text)) == TACH_FATAL);
	code = tach_reader_error(r, NULL);
	tach_reader_free(r);
	return code;
}

/* To root all files are open; another user reads them in a process of its own. */
static void
check_denied(void)
{
	char path[] = "/tmp/tach-errors.XXXXXX";
	int fd = mkstemp(path), status;
	pid_t pid;

	if (fd < 0 || fchmod(fd, 0) != 0)
		err(2, NULL);
	close(fd);
	if ((pid = fork()) == 0) {
		if (geteuid() == 0 && seteuid(65534) != 0)
			_exit(0);
		_exit(code_of_path(path) != TACH_EPERM || failures != 0);
	}
	check(waitpid(pid, &status, 0) == pid && status == 0);
	unlink(path);
}

static void
check_reader(void)
{
	struct tach_reader *r = tach_reader_new();
	const char *line;
	struct tach_run run;

	check_number(code_of_path("/nosuch"), TACH_ENOENT);
	check_number(code_of_path("/dev/null/x"), TACH_ENOENT);
	check_number(code_of_path("/proc/self"), TACH_EIO);
	check_number(code_of_path("/proc/self/exe"), TACH_EFOREIGN);
	check_denied();
	check_number(code_of_bytes(65536, 0, 'H'), TACH_ENONE);
	check_number(code_of_bytes(90, 0, 'H'), TACH_ETRUNCATED);
	check_number(code_of_bytes(400, 0, 'H'), TACH_ETRUNCATED);
	check_number(code_of_bytes(65536, 4, 9), TACH_EVERSION);
	check_number(code_of_bytes(65536, 70, 0xff), TACH_EDAMAGED);
	check_number(code_of_text_head("# tach 9\n"), TACH_EVERSION);
	check_number(code_of_text_head("# tach 1\n# start x\n"),
	    TACH_EDAMAGED);
	check(tach_reader_next(r, &run) == TACH_FATAL);
	check_number(tach_reader_error(r, &line), TACH_EUSE);
	check_text(line, "the reader was not opened");
	/* That is no failure of the file, which is opened next. */
	check(tach_reader_open_fd(r, profile) == TACH_OK);
	check_number(tach_reader_error(r, &line), TACH_ENONE);
	check_text(line, "");
	/* Nor is it one that the reader was opened again. */
	check(tach_reader_open_fd(r, profile) == TACH_FATAL);
	check_number(tach_reader_error(r, NULL), TACH_EUSE);
	check(tach_reader_open_fd(r, profile) == TACH_FATAL);
	check_number(tach_reader_error(r, NULL), TACH_EUSE);
	check(tach_reader_next(r, &run) == TACH_OK);
	check_number(tach_reader_error(r, &line), TACH_ENONE);
	check_text(line, "");
	tach_reader_free(r);
}

/* ---- others ---------------------------------------------------------------- */

static void
check_writer(void)
{
	static const struct tach_writer_options how = {
	    .size = sizeof(how), TACH_LAYOUT_CPYTHON, TACH_PLAIN, 0};
	static const struct tach_tick late = {5, 0, 0}, early = {4, 0, 0};
	struct tach_meta meta = {.size = sizeof(meta)};
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct bytes none = {0};
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(full, &how, table);
	struct tach_run run = {.ticks = &late, .count = 1};

	check(tach_writer_finish(w, &meta) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EIO);
	tach_writer_free(w);
	w = tach_writer_new(fd, &how, table);
	check(tach_writer_run(w, &run) == TACH_OK);
	run.ticks = &early;
	check(tach_writer_run(w, &run) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EUSE);
	check_number(tach_sink_error(tach_writer_sink(w), NULL), TACH_EUSE);
	tach_writer_free(w);
	w = tach_writer_new(fd, &how, table);
	check(tach_writer_finish(w, &meta) == TACH_OK);
	check_number(tach_writer_error(w, NULL), TACH_ENONE);
	check(tach_writer_finish(w, &meta) == TACH_FATAL);
	check_number(tach_writer_error(w, NULL), TACH_EUSE);
	tach_writer_free(w);
	close(fd);
	close(full);
}

/* A merge tells why an input failed, as a warning, and goes on. */
static void
check_merge(void)
{
	static const struct tach_meta meta;
	static const struct tach_merge_options more = {.size = sizeof(more),
						 .kept = UINT64_MAX,
						 .samples = 1000},
					     far = {.size = sizeof(far),
						 .interp = UINT64_C(1) << 32,
						 .kept = UINT64_MAX};
	enum tach_error code;
	struct tach_merge *m = tach_merge_new(&meta);
	struct tach_reader *r = open_reader(&code), *other;
	struct tach_source *s = tach_merge_source(m);
	struct tach_run run;
	int res;

	check(tach_merge_add(m, tach_reader_source(r), &more) == TACH_OK);
	while ((res = tach_source_next(s, &run)) == TACH_OK)
		check_number(tach_merge_error(m, NULL), TACH_ENONE);
	check(res == TACH_WARN);
	check_number(tach_merge_error(m, NULL), TACH_ETRUNCATED);
	check(tach_source_next(s, &run) == TACH_END);
	check_number(tach_merge_error(m, NULL), TACH_ENONE);
	other = open_reader(&code);
	check(tach_merge_add(m, tach_reader_source(other), &far) == TACH_OK);
	check(tach_source_next(s, &run) == TACH_FATAL);
	check_number(tach_source_error(s, NULL), TACH_ELIMIT);
	check(tach_source_next(s, &run) == TACH_FATAL);
	check_number(tach_source_error(s, NULL), TACH_ELIMIT);
	tach_merge_free(m);
	tach_reader_free(other);
	tach_reader_free(r);
}

static int
no_runs(struct tach_source *source, struct tach_run *run)
{
	(void)source;
	(void)run;
	failures++;
	return TACH_END;
}

/* An input that is refused is not read, and the others are merged. */
static void
check_refused_input(void)
{
	static const struct tach_meta meta;
	static const struct tach_merge_options all = {.size = sizeof(all),
	    .kept = UINT64_MAX};
	struct tach_source bad = {.size = 0, .meta = &meta, .table = table,
	    .next = no_runs};
	enum tach_error code;
	struct tach_merge *m = tach_merge_new(&meta);
	struct tach_reader *r = open_reader(&code);
	struct tach_run run;

	check(tach_merge_add(m, &bad, &all) == TACH_FATAL);
	check_number(tach_merge_error(m, NULL), TACH_EUSE);
	check(tach_merge_add(m, tach_reader_source(r), &all) == TACH_OK);
	check_number(tach_merge_error(m, NULL), TACH_ENONE);
	while (tach_source_next(tach_merge_source(m), &run) == TACH_OK)
		check_number(tach_merge_input(m), 0);
	check_number(tach_merge_error(m, NULL), TACH_ENONE);
	tach_merge_free(m);
	tach_reader_free(r);
}

static enum tach_error
code_of_text(int fd)
{
	struct tach_output to = {.size = sizeof(to), .fd = fd};
	enum tach_error code = into_sink(tach_text_new(&to, false));

	close(fd);
	return code;
}

static void
check_text_sink(void)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, NULL);
	close(fds[0]);
	check_number(code_of_text(fds[1]), TACH_EPIPE);
	check_number(code_of_text(open("/dev/full", O_WRONLY | O_CLOEXEC)),
	    TACH_EIO);
}

static void
check_strings(void)
{
	const struct tach_output full = {.size = sizeof(full),
	    .fd = open("/dev/full", O_WRONLY | O_CLOEXEC)};
	const struct tach_output unset = {.fd = full.fd};
	struct tach_output to = {.size = sizeof(to)};
	char got[64] = "";
	int fds[2];

	check_number(tach_plain_string(&full, "a", 1), TACH_EIO);
	check_number(tach_plain_string(&full, "", 0), TACH_ENONE);
	check_number(tach_json_string(&full, "", 0), TACH_EIO);
	check_number(tach_json_number(&full, 1), TACH_EIO);
	check_number(tach_json_number(&unset, 1), TACH_EUSE);
	close(full.fd);
	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, NULL);
	to.fd = fds[1];
	check_number(tach_plain_string(&to, "\\\x1b", 2), TACH_ENONE);
	check_number(tach_json_string(&to, "\xff\"", 2), TACH_ENONE);
	check_number(tach_json_number(&to, 0.5), TACH_ENONE);
	check(read(fds[0], got, sizeof(got) - 1) > 0);
	check(strcmp(got, "\\134\\033\"\\ufffd\\\"\"0.5") == 0);
	close(fds[0]);
	close(fds[1]);
}

/* A sink is ended once, whatever is called. */
static int ends;

static int
count_end(struct tach_sink *sink)
{
	(void)sink;
	ends++;
	return TACH_OK;
}

static int
pass_over(struct tach_sink *sink, const struct tach_run *run)
{
	(void)sink;
	(void)run;
	return TACH_OK;
}

static void
check_end(void)
{
	struct tach_sink sink = {
	    .size = sizeof(sink), .run = pass_over, .end = count_end};
	enum tach_error code;
	struct tach_reader *r = open_reader(&code);

	check(tach_pump(tach_reader_source(r), &sink) == TACH_END);
	check(tach_pump(tach_reader_source(r), &sink) == TACH_END);
	check(tach_sink_end(&sink) == TACH_OK);
	check_number((uint64_t)ends, 1);
	check_number(tach_sink_error(&sink, NULL), TACH_ENONE);
	tach_reader_free(r);
	r = open_reader(&code);
	check(tach_pump(tach_reader_source(r), &sink) == TACH_REFUSED);
	check_number(tach_sink_error(&sink, NULL), TACH_EUSE);
	check_number((uint64_t)ends, 1);
	tach_reader_free(r);
}

/* A writer is one sink, however often it is asked for. */
static void
check_writer_end(void)
{
	static const struct tach_writer_options how = {
	    .size = sizeof(how), TACH_LAYOUT_CPYTHON, TACH_PLAIN, 0};
	struct bytes none = {0};
	enum tach_error code;
	struct tach_reader *r = open_reader(&code);
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(fd, &how,
	    tach_reader_table(r));

	check(tach_pump(tach_reader_source(r), tach_writer_sink(w)) ==
	    TACH_END);
	tach_reader_free(r);
	r = open_reader(&code);
	check(tach_pump(tach_reader_source(r), tach_writer_sink(w)) ==
	    TACH_REFUSED);
	check_number(tach_sink_error(tach_writer_sink(w), NULL), TACH_EUSE);
	tach_writer_free(w);
	tach_reader_free(r);
	close(fd);
}

static void
check_recorder(void)
{
	static const struct tach_recorder_options how = {
	    .size = sizeof(how), .interval_ns = 1000000};
	static char *nosuch[] = {"/nosuch", NULL}, *no_right[] = {"/", NULL};
	struct tach_recorder *r = tach_recorder_new(&how);
	struct tach_source *s = tach_rounds_new(r);
	pid_t pid;

	check_number(tach_recorder_error(r, NULL), TACH_ENONE);
	check(tach_recorder_launch(r, nosuch, -1) == TACH_FATAL);
	check_number(tach_recorder_error(r, NULL), TACH_ENOENT);
	check_number(tach_source_error(s, NULL), TACH_ENOENT);
	tach_source_free(s);
	tach_recorder_free(r);
	r = tach_recorder_new(&how);
	check(tach_recorder_launch(r, no_right, -1) == TACH_FATAL);
	check_number(tach_recorder_error(r, NULL), TACH_EPERM);
	tach_recorder_free(r);
	if ((pid = fork()) == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	r = tach_recorder_new(&how);
	check(tach_recorder_attach(r, pid) == TACH_FATAL);
	check_number(tach_recorder_error(r, NULL), TACH_ENOENT);
	tach_recorder_free(r);
	r = tach_recorder_new(&how);
	check(tach_recorder_wait(r, &(int){0}) == TACH_FATAL);
	check_number(tach_recorder_error(r, NULL), TACH_EUSE);
	tach_recorder_free(r);
}

/* Whether the memory of a child can be read here: qemu, which emulates a process by
 * another one, cannot do that. */
static bool
reads_children(void)
{
	static char byte = 'a';
	char copy = '\0';
	struct iovec to = {&copy, 1}, from = {&byte, 1};
	pid_t pid = fork();
	bool reads;

	if (pid == 0)
		for (;;)
			pause();
	reads = syscall(SYS_process_vm_readv, pid, &to, 1UL, &from, 1UL, 0UL) == 1 &&
	    copy == byte;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return reads;
}

/* The checks of memory that may be read. */
static void
check_memory_checks(char *line, size_t size)
{
	if (!reads_children()) {
		puts("no memory of a child can be read here: not all was tested");
		return;
	}
	check(tach_check(TACH_CHECK_COMMAND, 0, NULL, 0) == TACH_OK);
	check(tach_check(TACH_CHECK_MEMORY, getpid(), line, size) == TACH_OK &&
	    *line == '\0');
}

/* The line of a check has an end in any room, and no room at all is enough. */
static void
check_checks(void)
{
	char line[8] = "abcdefg";

	errno = 0;
	check(tach_check((enum tach_check)1000, 0, line, sizeof(line)) ==
	    TACH_FATAL);
	check(errno == EINVAL && strlen(line) == sizeof(line) - 1);
	check_memory_checks(line, sizeof(line));
	check(tach_check(TACH_CHECK_MEMORY, -1, NULL, 0) == TACH_FATAL);
	check(tach_check(TACH_CHECK_ATTACH, getpid(), line, 1) == TACH_FATAL &&
	    *line == '\0' && errno == 0);
	check(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

int
main(void)
{
	if ((nowhere.fd = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
		err(2, NULL);
	make_profile();
	check_no_memory();
	check_reader();
	check_writer();
	check_merge();
	check_refused_input();
	check_text_sink();
	check_strings();
	check_end();
	check_writer_end();
	check_recorder();
	check_checks();
	close(nowhere.fd);
	tach_table_free(table);
	close(profile);
	return failures != 0;
}
