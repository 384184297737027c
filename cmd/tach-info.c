/* SPDX-License-Identifier: ISC */
/* tach-info.c: says what is in profiles, for people or as JSON. */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define STATUS_BITS 8

static const char help[] =
    "Usage: tach-info [--stats] [--json] [FILE ...]\n"
    "Says what is in TACH profiles, from their headers and tables alone.\n"
    "With no FILE, or where FILE is -, reads standard input.\n"
    "\n"
    "  -s, --stats    decode the samples too: threads, encoding, duration\n"
    "  -j, --json     print one JSON object a line for each FILE\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    "The exit status is 0 if all went well, 1 if something was wrong with\n"
    "an input or the output, 2 if the command line was wrong.\n";

static const struct option options[] = {
	{"stats", no_argument, NULL, 's'},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

/* In the order of their bits, as tach-cat(1) names them. */
static const char *const status_words[STATUS_BITS] = {"gil", "cpu", "unknown",
    "gil-wanted", "exception", "main", "0x40", "0x80"};
static const char *const record_words[] = {"REPEAT", "FULL", "SUFFIX",
    "POP_PUSH"};

struct thread {
	uint64_t id;
	uint32_t interp;
	uint64_t samples;
	uint64_t status[STATUS_BITS]; /* samples that have the bit */
};

/* What decoding the samples has shown. */
struct census {
	struct thread *threads;
	size_t nthreads, max;
	uint64_t duration; /* time of the latest sample */
};

struct job {
	bool stats, json;
	bool again; /* not the first FILE */
};

/* One profile, as far as it was looked at. */
struct profile {
	const char *name;
	const struct tach_meta *meta;
	const struct tach_file_info *info;
	const struct tach_decode_stats *stats;
	const struct census *census; /* NULL: not decoded */
	const char *error;	     /* that ended the decoding, or NULL */
};

/* ---- counting ------------------------------------------------------------ */

static struct thread *
thread_of(struct census *c, const struct tach_run *run)
{
	while (c->nthreads <= run->index) {
		if (c->nthreads == c->max) {
			c->max = c->max != 0 ? c->max * 2 : 16;
			c->threads = reallocarray(c->threads, c->max,
			    sizeof(*c->threads));
			if (c->threads == NULL)
				err(CMD_FAILED, NULL);
		}
		c->threads[c->nthreads++] = (struct thread){0};
	}
	return &c->threads[run->index];
}

static void
count_run(struct census *c, const struct tach_run *run)
{
	struct thread *t = thread_of(c, run);

	t->id = run->thread;
	t->interp = run->interp;
	t->samples += run->count;
	for (size_t i = 0; i < run->count; i++)
		for (int bit = 0; bit < STATUS_BITS; bit++)
			t->status[bit] += run->ticks[i].status >> bit & 1;
	if (run->count > 0 && run->ticks[run->count - 1].time > c->duration)
		c->duration = run->ticks[run->count - 1].time;
}

static int
take_census(struct tach_reader *r, struct census *c)
{
	struct tach_run run;
	int rc;

	while ((rc = tach_reader_next(r, &run)) == TACH_OK)
		count_run(c, &run);
	return rc;
}

/* What share a part is of the whole; 0 of nothing. */
static double
ratio(uint64_t part, uint64_t whole)
{
	return whole != 0 ? (double)part / (double)whole : 0;
}

static double
percent(uint64_t part, uint64_t whole)
{
	return 100 * ratio(part, whole);
}

/* Of all the frames in all stacks, how many the file need not hold. */
static uint64_t
saved(const struct tach_decode_stats *s)
{
	return s->frames_total > s->frames_written ?
	    s->frames_total - s->frames_written : 0;
}

static const char *
layout_word(const struct tach_file_info *info)
{
	return info->layout == TACH_LAYOUT_CPYTHON ? "cpython" : "documented";
}

static const char *
compression_word(const struct tach_file_info *info)
{
	return info->compression == TACH_ZSTD ? "zstd" : "none";
}

/* ---- for people ---------------------------------------------------------- */

/* A line `key: value`, its values in one column. */
static void __attribute__((format(printf, 2, 3)))
line(const char *key, const char *fmt, ...)
{
	int width = printf("%s:", key);
	va_list ap;

	printf("%*s", width < 19 ? 19 - width : 1, "");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static void
print_head(const struct profile *p)
{
	const struct tach_meta *meta = p->meta;

	line("file", "%s", p->name);
	line("layout", "%s", layout_word(p->info));
	line("byte-order", "%s", p->info->big_endian ? "big" : "little");
	line("python", "%u.%u.%u", meta->python[0], meta->python[1],
	    meta->python[2]);
	line("start", "%" PRIu64 " us on the recording machine's monotonic "
	    "clock", meta->start_us);
	if (meta->interval_us != 0)
		line("interval", "%" PRIu64 " us (%g samples a second)",
		    meta->interval_us, 1e6 / (double)meta->interval_us);
	else
		line("interval", "unknown");
}

static void
print_sizes(const struct tach_file_info *info)
{
	line("samples", "%" PRIu64, info->samples);
	line("threads", "%" PRIu32, info->threads);
	line("strings", "%" PRIu32, info->strings);
	line("frames", "%" PRIu32, info->frames);
	line("compression", "%s", compression_word(info));
	line("file-size", "%" PRIu64 " bytes", info->file_size);
	line("data-size", "%" PRIu64 " bytes", info->data_size);
	if (info->samples != 0)
		line("bytes-per-sample", "%.2f",
		    ratio(info->file_size, info->samples));
}

static void
print_thread(const struct thread *t)
{
	char shares[256] = "";
	size_t len = 0;

	for (int bit = 0; bit < STATUS_BITS; bit++) {
		/* The rare and the lasting bits only where they are set. */
		if (bit >= 5 && t->status[bit] == 0)
			continue;
		len += (size_t)snprintf(shares + len, sizeof(shares) - len,
		    " %s %.1f%%", status_words[bit],
		    percent(t->status[bit], t->samples));
	}
	line("thread", "%" PRIu64 " interpreter %" PRIu32 " samples %" PRIu64
	    "%s", t->id, t->interp, t->samples, shares);
}

static void
print_stats(const struct profile *p)
{
	const struct tach_decode_stats *s = p->stats;

	line("duration", "%" PRIu64 ".%06" PRIu64 " s",
	    p->census->duration / 1000000, p->census->duration % 1000000);
	line("decoded-samples", "%" PRIu64, s->samples);
	line("decoded-size", "%" PRIu64 " bytes", s->data_size);
	if (p->error == NULL)
		line("compression-ratio", "%.2f",
		    ratio(s->data_size, p->info->data_size));
	line("records", "REPEAT %" PRIu64 " FULL %" PRIu64 " SUFFIX %" PRIu64
	    " POP_PUSH %" PRIu64, s->records[0], s->records[1], s->records[2],
	    s->records[3]);
	line("repeated-samples", "%" PRIu64 " (%.1f%%)", s->repeated,
	    percent(s->repeated, s->samples));
	line("stack-frames", "%" PRIu64, s->frames_total);
	line("written-frames", "%" PRIu64 " (%.1f%% saved)", s->frames_written,
	    percent(saved(s), s->frames_total));
	for (size_t i = 0; i < p->census->nthreads; i++)
		print_thread(&p->census->threads[i]);
}

static void
print_text(const struct profile *p)
{
	print_head(p);
	print_sizes(p->info);
	if (p->census != NULL)
		print_stats(p);
}

/* ---- as JSON ------------------------------------------------------------- */

static void
put_head(const struct profile *p)
{
	const struct tach_meta *meta = p->meta;

	printf("{\"file\":");
	tach_json_string(stdout, p->name, strlen(p->name));
	printf(",\"layout\":\"%s\",\"byte_order\":\"%s\"",
	    layout_word(p->info), p->info->big_endian ? "big" : "little");
	printf(",\"python\":\"%u.%u.%u\"", meta->python[0], meta->python[1],
	    meta->python[2]);
	printf(",\"start_us\":%" PRIu64 ",\"interval_us\":%" PRIu64,
	    meta->start_us, meta->interval_us);
}

static void
put_sizes(const struct tach_file_info *info)
{
	printf(",\"samples\":%" PRIu64 ",\"threads\":%" PRIu32
	    ",\"strings\":%" PRIu32 ",\"frames\":%" PRIu32, info->samples,
	    info->threads, info->strings, info->frames);
	printf(",\"compression\":\"%s\",\"file_size\":%" PRIu64
	    ",\"data_size\":%" PRIu64, compression_word(info), info->file_size,
	    info->data_size);
	if (info->samples != 0)
		printf(",\"bytes_per_sample\":%.2f",
		    ratio(info->file_size, info->samples));
}

static void
put_thread(const struct thread *t)
{
	printf("{\"thread\":%" PRIu64 ",\"interpreter\":%" PRIu32
	    ",\"samples\":%" PRIu64, t->id, t->interp, t->samples);
	for (int bit = 0; bit < STATUS_BITS; bit++)
		printf("%s\"%s\":%" PRIu64, bit == 0 ? ",\"status\":{" : ",",
		    status_words[bit], t->status[bit]);
	printf("}}");
}

static void
put_stats(const struct profile *p)
{
	const struct tach_decode_stats *s = p->stats;

	printf(",\"stats\":{\"duration_us\":%" PRIu64 ",\"decoded_samples\":%"
	    PRIu64 ",\"decoded_size\":%" PRIu64, p->census->duration,
	    s->samples, s->data_size);
	if (p->error == NULL)
		printf(",\"compression_ratio\":%.2f",
		    ratio(s->data_size, p->info->data_size));
	for (int i = 0; i < 4; i++)
		printf("%s\"%s\":%" PRIu64, i == 0 ? ",\"records\":{" : ",",
		    record_words[i], s->records[i]);
	printf("},\"repeated_samples\":%" PRIu64 ",\"stack_frames\":%" PRIu64
	    ",\"written_frames\":%" PRIu64 ",\"threads\":[", s->repeated,
	    s->frames_total, s->frames_written);
	for (size_t i = 0; i < p->census->nthreads; i++) {
		printf("%s", i == 0 ? "" : ",");
		put_thread(&p->census->threads[i]);
	}
	printf("]}");
}

static void
print_json(const struct profile *p)
{
	put_head(p);
	put_sizes(p->info);
	if (p->census != NULL)
		put_stats(p);
	if (p->error != NULL) {
		printf(",\"error\":");
		tach_json_string(stdout, p->error, strlen(p->error));
	}
	printf("}\n");
}

/* ---- the command --------------------------------------------------------- */

static int
inform(struct tach_reader *r, const char *operand, void *arg)
{
	struct job *job = arg;
	struct census census = {0};
	struct profile p = {cmd_input_name(operand), tach_reader_meta(r),
	    tach_reader_info(r), tach_reader_stats(r), NULL, NULL};
	int rc = TACH_OK;

	if (job->stats) {
		rc = take_census(r, &census);
		p.census = &census;
		p.error = rc < TACH_OK ? tach_reader_error(r) : NULL;
	}
	if (job->json) {
		print_json(&p);
	} else {
		if (job->again)
			putchar('\n');
		print_text(&p);
	}
	job->again = true;
	free(census.threads);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct job job = {0};
	int c;

	cmd_start("tach-info", CMD_USAGE, argv);
	while ((c = getopt_long(argc, argv, "sjhV", options, NULL)) != -1) {
		switch (c) {
		case 's':
			job.stats = true;
			break;
		case 'j':
			job.json = true;
			break;
		case 'h':
			cmd_help(help);
		case 'V':
			cmd_version();
		default:
			cmd_usage(NULL);
		}
	}
	return cmd_end(cmd_each(argv + optind, inform, &job));
}
