/* SPDX-License-Identifier: ISC */
/*
 * fuzz_merge.c: several profiles, whatever they are, and one that is good
 * become one, as tach-merge makes it: no input makes another one be left out,
 * or takes its numbers.  The bytes are
 *
 *	options u8; for each profile its size u16, little endian, and its bytes
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "fuzz.h"
#include "survey.h"

#define PROFILES 4
#define SAMPLES_MAX 20000 /* of one: more take time and show nothing */

static const char good[] = "# tach 1\n# python 3.15.0\n# start 70\n"
    "# interval 1000\n# note thread 3 9 T\n"
    "# note process 3 77\n# note time 0 5000000\n"
    "0\t3\t9\tgil\tgood.py:f:1\n1000\t3\t9\tgil\tgood.py:f:1\n";
#define GOOD_SAMPLES 2
#define GOOD_TIME 5000000

/* What survey.c says is not looked at. */
void
warnx(const char *fmt, ...)
{
	(void)fmt;
}

/* ---- profiles as inputs --------------------------------------------------- */

/* Whether one has few enough samples to be read several times. */
static bool
is_small(int fd)
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	uint64_t samples = 0, work = 0;

	if (tach_reader_open_fd(r, fd) != TACH_FATAL)
		while (samples < SAMPLES_MAX && work < 64 * SAMPLES_MAX &&
		    tach_reader_next(r, &run) == TACH_OK) {
			samples += run.count;
			work += run.count + run.depth;
		}
	tach_reader_free(r);
	return samples < SAMPLES_MAX && work < 64 * SAMPLES_MAX;
}

static bool
add(struct input *in, int fd)
{
	*in = (struct input){.copy = -1};
	promise(asprintf(&in->name, "/proc/self/fd/%d", fd) > 0);
	if (is_small(fd) && survey_input(in))
		return true;
	survey_clear(in);
	return false;
}

/* ---- merging -------------------------------------------------------------- */

static void
put_note(struct tach_merge *m, char *note)
{
	promise(note == NULL || tach_merge_note(m, note) == TACH_OK);
	free(note);
}

static void
put_notes(struct tach_merge *m, const struct input *in, uint64_t interval,
    struct interp_facts *last)
{
	for (size_t i = 0; i < in->nnotes; i++)
		put_note(m, survey_note(in, i));
	put_note(m, survey_own_note(in));
	for (size_t i = 0; i < in->ninterps; i++) {
		put_note(m, survey_interval_note(in, i, interval));
		put_note(m, survey_process_note(in, i, last));
		put_note(m, survey_time_note(in, i, last));
	}
}

static void
add_reader(struct tach_merge *m, const struct input *in,
    struct tach_reader **r, const struct tach_selection *selection)
{
	struct tach_merge_options place = {.size = sizeof(place),
	    .interp = in->base,
	    .kept = in->kept,
	    .others = in->others,
	    .nothers = in->nothers,
	    .shift = in->shift,
	    .samples = in->samples,
	    .selection = selection,
	    .no_opcodes = in->foreign};

	*r = NULL;
	if (in->samples == 0)
		return;
	promise(survey_open(in, r) != TACH_FATAL);
	promise(tach_merge_add(m, tach_reader_source(*r), &place) == TACH_OK);
}

/* How many samples the good profile's interpreter has in what was written,
 * where no note of another profile is of it. */
static uint64_t
count_good(int fd, const struct input *in, uint64_t *all)
{
	struct tach_reader *r = tach_reader_new();
	struct tach_run run;
	struct tach_string name;
	uint32_t interp = (uint32_t)in->base, first;
	uint64_t n = 0;

	promise(tach_reader_open_fd(r, fd) == TACH_OK);
	for (*all = 0; tach_reader_next(r, &run) == TACH_OK; *all += run.count)
		n += run.interp == interp ? run.count : 0;
	promise(*reader_why(r) == '\0');
	promise(tach_reader_verify(r) == TACH_OK);
	promise(tach_table_thread_name(tach_reader_table(r), interp, 9,
	    &name) && name.len == 1 && *name.bytes == 'T');
	promise(tach_table_interval(tach_reader_table(r), tach_reader_meta(r),
	    interp) == 1000);
	promise(tach_table_process(tach_reader_table(r), interp, &first) == 77 &&
	    first == interp);
	promise(tach_table_time(tach_reader_table(r), interp) ==
	    (in->shift < GOOD_TIME ? GOOD_TIME - in->shift : 0));
	tach_reader_free(r);
	return n;
}

static void
check(int fd, const struct input *last, uint64_t samples, bool selected)
{
	uint64_t all, of_good = count_good(fd, last, &all);

	promise(selected || all == samples);
	promise(all <= samples && of_good == (selected ? 0 : GOOD_SAMPLES));
}

static void
merge(struct input *list, size_t n, const struct tach_selection *selection)
{
	static const struct tach_writer_options plain = {
	    .size = sizeof(plain), TACH_LAYOUT_EARLY, TACH_PLAIN, 1};
	struct tach_meta meta = survey_meta(list, n);
	struct tach_merge *m = tach_merge_new(&meta);
	struct tach_source *source = tach_merge_source(m);
	struct tach_reader *readers[PROFILES + 1];
	struct interp_facts last = {0};
	uint64_t samples = 0;
	int fd = fuzz_fd(NULL, 0);
	struct tach_writer *w = tach_writer_new(fd, &plain, source->table);

	for (size_t i = 0; i < n; i++) {
		add_reader(m, &list[i], &readers[i], selection);
		samples += list[i].samples;
	}
	promise(tach_pump(source, tach_writer_sink(w)) == TACH_END);
	for (size_t i = 0; i < n; i++)
		put_notes(m, &list[i], meta.interval_us, &last);
	promise(tach_writer_finish(w, &meta) == TACH_OK);
	check(fd, &list[n - 1], samples, selection != NULL);
	tach_writer_free(w);
	tach_merge_free(m);
	for (size_t i = 0; i < n; i++)
		tach_reader_free(readers[i]);
	close(fd);
}

/* The good one is the last, and left. */
static void
place_and_merge(struct input *list, size_t n, uint8_t bits)
{
	static const struct tach_selection some = {
	    .size = sizeof(some), .status = TACH_STATUS_CPU, .until = 1000000};
	size_t left = survey_place(list, n, (bits & 1) != 0);

	promise(left > 0 && list[left - 1].samples == GOOD_SAMPLES);
	for (size_t i = 1; i < left; i++)
		promise(list[i].base >= list[i - 1].base +
		    list[i - 1].kept + list[i - 1].nothers);
	merge(list, left, bits & 2 ? &some : NULL);
	for (size_t i = 0; i < left; i++)
		survey_clear(&list[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input list[PROFILES + 1];
	int fds[PROFILES + 1];
	size_t n = 0, nfds = 0;
	uint8_t bits = size > 0 ? *bytes : 0;

	for (size_t at = 1; nfds < PROFILES && size >= at + 2;) {
		size_t some = bytes[at] | (size_t)bytes[at + 1] << 8;
		at += 2;
		some = some < size - at ? some : size - at;
		fds[nfds] = fuzz_fd(bytes + at, some);
		n += add(&list[n], fds[nfds++]);
		at += some;
	}
	fds[nfds] = fuzz_fd(good, sizeof(good) - 1);
	promise(add(&list[n], fds[nfds++]));
	place_and_merge(list, n + 1, bits);
	for (size_t i = 0; i < nfds; i++)
		close(fds[i]);
	return 0;
}
