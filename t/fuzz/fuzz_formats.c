/* SPDX-License-Identifier: ISC */
/*
 * fuzz_formats.c: whatever samples there are, every format takes them, and
 * writes what its readers can read.  The first byte chooses options; the rest
 * is a profile of any kind.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../cmd/to_file.h"
#include "fuzz.h"
#include "judge.h"

#define FORMATS_MAX 32

/* Where pages go, which is empty again before each profile. */
static int
directory(void)
{
	static int fd = -1;
	char name[] = "/tmp/tach-fuzz.XXXXXX";
	const struct dirent *e;
	DIR *dir;

	if (fd < 0) {
		promise(mkdtemp(name) != NULL);
		fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	dir = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			promise(unlinkat(fd, e->d_name, 0) == 0);
	closedir(dir);
	return fd;
}

static struct tach_reader *
open_reader(int fd, int *res)
{
	struct tach_reader *r = tach_reader_new();

	*res = tach_reader_open_fd(r, fd);
	return r;
}

static struct tach_format_options
choose(uint8_t bits, const struct tach_output *null)
{
	struct tach_format_options o = {
	    .size = sizeof(o),
	    .weight = bits & 1 ? TACH_WEIGHT_TIME : TACH_WEIGHT_SAMPLES,
	    .frame = bits >> 1 & 3,
	    .keep_idle = (bits & 8) != 0,
	    .gzip = (bits & 16) != 0,
	    .word_size = bits & 32 ? 4 : 8,
	    .big_endian = (bits & 64) != 0,
	    .symbolized = (bits & 128) != 0,
	    .title = "fuzz",
	    .by = bits >> 1 & 3,
	    .directory = directory(),
	};

	if (!o.symbolized) {
		o.symbols = null;
		o.symbols_path = "/tmp/fuzz.so";
	}
	return o;
}

/* What a format writes. */
struct output {
	FILE *file;
	char *text;
	size_t len;
};

static void
open_all(struct fuzz_sink *sinks, struct output *outputs,
    const struct tach_format_options *options)
{
	size_t n = 0;

	for (const struct tach_format *f = NULL;
	     (f = tach_format_next(f)) != NULL;) {
		struct output *o = &outputs[n];
		struct tach_format_options its = *options;
		struct tach_output to;
		if (f->uses & TACH_ONE_THREAD)
			its.by = TACH_BY_NONE;
		o->file = open_memstream(&o->text, &o->len);
		to = to_file(o->file);
		sinks[n].sink = tach_format_open(f, &to, &its);
		promise(sinks[n].sink != NULL && n < FORMATS_MAX);
		n++;
	}
	sinks[n].sink = NULL;
}

/* A format that is full has written nothing, or a part. */
static void
judge_all(struct output *outputs, const struct fuzz_sink *sinks)
{
	for (const struct tach_format *f = NULL;
	     (f = tach_format_next(f)) != NULL;) {
		struct output *o = outputs++;
		fclose(o->file);
		if (!sinks++->full)
			judge(f->name, o->text, o->len);
		free(o->text);
	}
}

static void
judge_file(int folder, const char *name)
{
	static char text[1 << 23];
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text));

	promise(n >= 0);
	if ((size_t)n < sizeof(text))
		judge_page(text, (size_t)n);
	close(fd);
}

static void
judge_pages(int folder)
{
	DIR *dir = fdopendir(openat(folder, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;

	while ((e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			judge_file(folder, e->d_name);
	closedir(dir);
}

/* A profile as a base, or an empty one if it is too much for that. */
static struct tach_baseline *
read_base(struct tach_reader *r, int res)
{
	struct tach_baseline *base = tach_baseline_new();
	struct fuzz_sink sinks[] = {{.sink = tach_baseline_sink(base)},
	    {.sink = NULL}};

	fuzz_read_to(r, res, sinks);
	if (!sinks[0].full)
		return base;
	tach_baseline_free(base);
	base = tach_baseline_new();
	tach_sink_begin(tach_baseline_sink(base), tach_reader_meta(r),
	    tach_reader_table(r));
	return base;
}

/* Reads the profile twice: what it is compared with is itself. */
static void
convert(int fd, uint8_t bits)
{
	FILE *null = fopen("/dev/null", "we");
	struct tach_output nowhere = to_file(null);
	struct tach_format_options options = choose(bits, &nowhere);
	struct fuzz_sink sinks[FORMATS_MAX + 1] = {{.sink = NULL}};
	struct output outputs[FORMATS_MAX];
	struct tach_reader *compared, *r;
	struct tach_baseline *base;
	int res;

	compared = open_reader(fd, &res);
	options.base = base = read_base(compared, res);
	r = open_reader(fd, &res);
	open_all(sinks, outputs, &options);
	fuzz_read_to(r, res, sinks);
	judge_all(outputs, sinks);
	judge_pages(options.directory);
	tach_reader_free(r);
	tach_baseline_free(base);
	tach_reader_free(compared);
	fclose(null);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (size < 1)
		return 0;
	fd = fuzz_fd(data + 1, size - 1);
	convert(fd, *data);
	close(fd);
	return 0;
}
