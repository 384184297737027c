/* SPDX-License-Identifier: ISC */
/*
 * recode.c: a profile read by libtach and written by it again, or printed as
 * t/peers/cpython-format.py prints samples.
 *
 *	recode FILE
 *	recode FILE OUT early|cpython none|zstd [unfinished]
 *
 * The last leaves OUT and OUT.journal as a recorder does that is killed.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "tach.h"

static void
print_string(const struct tach_table *t, uint32_t index)
{
	struct tach_string s = tach_table_string(t, index);

	fwrite(s.bytes, 1, s.len, stdout);
	putchar(':');
}

static void
print_frame(const struct tach_table *t, const struct tach_frame *f)
{
	print_string(t, f->file);
	print_string(t, f->func);
	if (f->line != -1)
		printf("%" PRId32 "-%" PRId32 ":%" PRId32 "-%" PRId32, f->line,
		    f->end_line, f->column, f->end_column);
	printf(":%u", f->opcode);
}

static void
print_run(const struct tach_table *t, const struct tach_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		printf("%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%u\t",
		    run->ticks[i].time, run->interp, run->thread,
		    run->ticks[i].status);
		for (uint32_t k = 0; k < run->depth; k++) {
			if (k > 0)
				printf(" < ");
			print_frame(t, tach_table_frame(t, run->frames[k]));
		}
		putchar('\n');
	}
}

static struct tach_writer *
open_writer(char *const argv[], const struct tach_table *t)
{
	struct tach_writer_options o = {
	    .size = sizeof(o),
	    .layout = strcmp(argv[1], "cpython") == 0 ? TACH_LAYOUT_CPYTHON :
							TACH_LAYOUT_EARLY,
	    .compression =
		strcmp(argv[2], "zstd") == 0 ? TACH_ZSTD : TACH_PLAIN,
	    .level = TACH_LEVEL_DEFAULT,
	};
	int fd = open(argv[0], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct tach_writer *w;

	if (fd < 0 || (w = tach_writer_new(fd, &o, t)) == NULL)
		err(2, "%s", argv[0]);
	return w;
}

static int
open_names(const char *out)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s" TACH_JOURNAL_SUFFIX, out) < 0 ||
	    (fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
		 0666)) < 0)
		err(2, "%s", out);
	free(path);
	return fd;
}

/* Writes all runs, with a checkpoint now and then if there are names. */
static int
write_runs(struct tach_reader *r, struct tach_writer *w, int names)
{
	const struct tach_meta *meta = tach_reader_meta(r);
	struct tach_run run;
	int res;

	for (int n = 1; (res = tach_reader_next(r, &run)) == TACH_OK; n++)
		if (tach_writer_run(w, &run) != TACH_OK || (names >= 0 &&
			n % 50 == 0 &&
			tach_writer_checkpoint(w, names, meta) != TACH_OK))
			break;
	if (res == TACH_END && (names < 0 ? tach_writer_finish(w, meta) :
		tach_writer_checkpoint(w, names, meta)) != TACH_OK)
		res = TACH_FATAL;
	return res;
}

static int
print_runs(struct tach_reader *r)
{
	struct tach_run run;
	int res;

	while ((res = tach_reader_next(r, &run)) == TACH_OK)
		print_run(tach_reader_table(r), &run);
	return res;
}

int
main(int argc, char *argv[])
{
	struct tach_reader *r = tach_reader_new();
	struct tach_writer *w = NULL;
	int res, names = -1;

	if (r == NULL || (argc != 2 && argc != 5 && argc != 6))
		errx(2, "usage: recode FILE [OUT LAYOUT COMPRESSION "
		    "[unfinished]]");
	if (tach_reader_open(r, argv[1]) == TACH_FATAL)
		errx(1, "%s: %s", argv[1], reader_why(r));
	if (argc > 2)
		w = open_writer(argv + 2, tach_reader_table(r));
	if (argc == 6)
		names = open_names(argv[2]);
	res = w != NULL ? write_runs(r, w, names) : print_runs(r);
	if (res != TACH_END && reader_why(r)[0] != '\0')
		errx(1, "%s: %s", argv[1], reader_why(r));
	if (res != TACH_END)
		errx(1, "%s: %s", argv[2], writer_why(w));
	tach_writer_free(w);
	tach_reader_free(r);
	if (fflush(stdout) != 0)
		err(1, "stdout");
	return 0;
}
