/* SPDX-License-Identifier: ISC */
/* many.c: writes a profile of so many equal samples, a microsecond apart, with
 * the early header if that can count them.
 *
 *	many FILE COUNT
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "tach.h"

#define BATCH 4096

static struct tach_table *
make_table(uint32_t *frame)
{
	struct tach_table *t = tach_table_new();
	struct tach_frame f = {.line = 1, .end_line = 1,
	    .opcode = TACH_NO_OPCODE};

	if (t == NULL)
		err(1, NULL);
	f.file = tach_table_add_string(t, "many.py", 7);
	f.func = tach_table_add_string(t, "f", 1);
	*frame = tach_table_add_frame(t, &f);
	return t;
}

static void
write_samples(struct tach_writer *w, uint32_t frame, uint64_t left)
{
	static struct tach_tick ticks[BATCH];
	struct tach_run run = {.thread = 1, .frames = &frame, .depth = 1,
	    .ticks = ticks};
	uint64_t time = 0;

	for (; left > 0; left -= run.count) {
		run.count = left < BATCH ? (size_t)left : BATCH;
		for (size_t i = 0; i < run.count; i++)
			ticks[i].time = time++;
		if (tach_writer_run(w, &run) != TACH_OK)
			errx(1, "%s", writer_why(w));
		run.shared = 1;
	}
}

int
main(int argc, char *argv[])
{
	static const struct tach_writer_options options = {
	    .size = sizeof(options), TACH_LAYOUT_EARLY, TACH_ZSTD, 1};
	static const struct tach_meta meta = {
	    .size = sizeof(meta), .python = {3, 15, 0}, .interval_us = 1};
	struct tach_table *t;
	struct tach_writer *w;
	uint32_t frame;
	int fd;

	if (argc != 3)
		errx(2, "usage: many FILE COUNT");
	t = make_table(&frame);
	if ((fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666)) < 0)
		err(1, "%s", argv[1]);
	if ((w = tach_writer_new(fd, &options, t)) == NULL)
		err(1, NULL);
	write_samples(w, frame, strtoull(argv[2], NULL, 10));
	if (tach_writer_finish(w, &meta) != TACH_OK)
		errx(1, "%s", writer_why(w));
	tach_writer_free(w);
	tach_table_free(t);
	return close(fd) != 0;
}
