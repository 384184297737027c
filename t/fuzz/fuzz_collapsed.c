/* SPDX-License-Identifier: ISC */
/* fuzz_collapsed.c: collapsed stacks of any bytes.  What is told from their
 * beginning stays so with more of them; times are made up, one interval
 * apart; and what can be read comes back from a TACH file. */
#include <stdlib.h>
#include <unistd.h>

#include "format/sniff.h"
#include "fuzz.h"

#define THREADS 64 /* that are looked at */

static void
check_sniff(const char *text, size_t n)
{
	for (size_t i = 0; i <= n; i += 1 + i / 16) {
		enum sniff begun = sniff(text, i, false);
		promise(begun == SNIFF_MORE || begun == SNIFF_COLLAPSED);
	}
}

static void
check_times(const void *text, size_t n)
{
	struct tach_reader *r = tach_reader_new();
	uint64_t next[THREADS] = {0}, most = 0;
	int fd = fuzz_fd(text, n);
	struct tach_run run;

	promise(tach_reader_open_fd(r, fd) != TACH_WARN);
	while (most < 1 << 16 && tach_reader_next(r, &run) == TACH_OK) {
		most += run.count;
		if (run.index >= THREADS)
			continue;
		for (size_t i = 0; i < run.count; i++) {
			promise(run.ticks[i].time == next[run.index]);
			promise(run.ticks[i].status == TACH_STATUS_UNKNOWN);
			next[run.index] += tach_reader_meta(r)->interval_us;
		}
	}
	tach_reader_free(r);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct tach_reader *r;
	int fd, copy;
	uint64_t digest;

	/* Anything else is not taken for them. */
	if (sniff((const char *)bytes, n < SNIFF_SIZE ? n : SNIFF_SIZE,
		true) != SNIFF_COLLAPSED)
		return 0;
	check_sniff((const char *)bytes, n < SNIFF_SIZE ? n : SNIFF_SIZE);
	check_times(bytes, n);
	r = tach_reader_new();
	fd = fuzz_fd(bytes, n);
	copy = fuzz_fd(NULL, 0);
	digest = fuzz_read(r, tach_reader_open_fd(r, fd), copy);
	promise(fuzz_read_again(copy) == digest);
	tach_reader_free(r);
	close(copy);
	close(fd);
	return 0;
}
