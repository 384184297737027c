/* SPDX-License-Identifier: ISC */
/* tach-info.c: shows the content of profiles, for people or as JSON. */
#define LIBBSD_OPENBSD_VIS /* chooses a strnvis(3); none is used here */
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <vis.h>

#include "cmd.h"
#include "cmdline.h"
#include "confine.h"
#include "date.h"
#include "note.h"
#include "output.h"
#include "print.h"
#include "select.h"
#include "why.h"

static const char *const record_words[] = {"REPEAT", "FULL", "SUFFIX",
    "POP_PUSH"};

#define STATUS_BITS 8

struct info_thread {
	uint64_t id;
	uint32_t interp;
	uint64_t samples;
	uint64_t status[STATUS_BITS]; /* samples that have the bit */
};

/* The sums of all decoded samples. */
struct census {
	struct info_thread *threads;
	size_t nthreads, max;
	uint64_t duration; /* time of the latest sample */
	uint32_t deepest;  /* frames of the deepest stack */
	uint64_t opcodes[TACH_NO_OPCODE]; /* samples by the opcode of their innermost
					   * frame */
	uint64_t with_opcode; /* all of these */
};

/* A sink that counts the selected samples. */
struct counter {
	struct tach_sink sink;
	struct census *census;
	const struct tach_table *table;
};

#define OPCODES_SHOWN 10

struct info_job {
	struct selection selection;
	bool stats, verify, json;
	bool again;  /* not the first FILE */
	bool failed; /* a FILE could not be verified */
};

/* A profile, as far as it was read. */
struct info_profile {
	const char *name;
	const struct tach_meta *meta;
	const struct tach_file_info *info;
	const struct tach_decode_stats *stats;
	const struct tach_table *table;
	const struct census *census; /* NULL: not decoded */
	const char *error;	     /* that ended the decoding; NULL: none */
};

/* ---- counting ------------------------------------------------------------ */

static struct info_thread *
thread_of(struct census *c, const struct tach_run *run)
{
	while (c->nthreads <= run->index) {
		c->threads = cmd_grow(c->threads, c->nthreads, &c->max,
		    sizeof(*c->threads));
		c->threads[c->nthreads++] = (struct info_thread){0};
	}
	return &c->threads[run->index];
}

static void
census_run(struct census *c, const struct tach_run *run)
{
	struct info_thread *t = thread_of(c, run);

	t->id = run->thread;
	t->interp = run->interp;
	t->samples += run->count;
	for (size_t i = 0; i < run->count; i++)
		for (unsigned bit = 0; bit < STATUS_BITS; bit++)
			t->status[bit] += run->ticks[i].status >> bit & 1;
	if (run->count > 0 && run->ticks[run->count - 1].time > c->duration)
		c->duration = run->ticks[run->count - 1].time;
	if (run->depth > c->deepest)
		c->deepest = run->depth;
}

static void
count_opcode(struct census *c, const struct tach_table *t,
    const struct tach_run *run)
{
	uint8_t opcode = run->depth == 0 ? TACH_NO_OPCODE :
	    tach_table_frame(t, run->frames[0])->opcode;

	if (opcode == TACH_NO_OPCODE)
		return;
	c->opcodes[opcode] += run->count;
	c->with_opcode += run->count;
}

static int
counter_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct counter *c = sink->arg;

	census_run(c->census, run);
	count_opcode(c->census, c->table, run);
	return TACH_OK;
}

static int
take_census(struct tach_reader *r, const struct selection *s, struct census *c)
{
	struct counter counter = {.census = c, .table = tach_reader_table(r)};

	struct tach_source *source = select_source(s, tach_reader_source(r));
	int rc;

	counter.sink = (struct tach_sink){
	    .size = sizeof(counter.sink), .arg = &counter, .run = counter_run};
	rc = cmd_pump(source, &counter.sink, "standard output");
	tach_source_free(source);
	return rc;
}

/* A part as a share of the whole; 0 if the whole is 0. */
static double
ratio(uint64_t part, uint64_t whole)
{
	return whole != 0 ? (double)part / (double)whole : 0;
}

static double
share_percent(uint64_t part, uint64_t whole)
{
	return 100 * ratio(part, whole);
}

/* The number of frames, of all stacks, that the file need not have. */
static uint64_t
saved(const struct tach_decode_stats *s)
{
	return s->frames_total > s->frames_written ?
	    s->frames_total - s->frames_written : 0;
}

/* Takes the opcode with the most samples out of the counts; TACH_NO_OPCODE: there
 * is none. */
static uint8_t
next_opcode(uint64_t counts[TACH_NO_OPCODE], uint64_t *samples)
{
	uint8_t most = 0;

	for (uint8_t i = 1; i < TACH_NO_OPCODE; i++)
		if (counts[i] > counts[most])
			most = i;
	*samples = counts[most];
	counts[most] = 0;
	return *samples > 0 ? most : TACH_NO_OPCODE;
}

static const char *
layout_word(const struct tach_file_info *info)
{
	switch (info->input) {
	case TACH_INPUT_TEXT:
		return "text";
	case TACH_INPUT_COLLAPSED:
		return "collapsed";
	case TACH_INPUT_GPERFTOOLS:
		return "gperftools";
	case TACH_INPUT_PPROF:
		return "pprof";
	case TACH_INPUT_MOJO:
		return "mojo";
	case TACH_INPUT_PERF:
		return "perf";
	case TACH_INPUT_SPEEDSCOPE:
		return "speedscope";
	case TACH_INPUT_FILE:
		break;
	}
	return info->layout == TACH_LAYOUT_CPYTHON ? "cpython" : "early";
}

/* Whether an input has a byte order. */
static bool
has_byte_order(const struct tach_file_info *info)
{
	return info->input == TACH_INPUT_FILE ||
	    info->input == TACH_INPUT_GPERFTOOLS;
}

static const char *
mode_word(uint32_t config)
{
	static const char *const words[TACH_CONFIG_MODE + 1] = {"unknown",
	    "wall", "cpu", "gil", "all", "exception", "unknown", "unknown"};

	return words[config & TACH_CONFIG_MODE];
}

/* Takes the next feature out of a configuration.  Returns its name, or NULL. */
static const char *
next_feature(uint32_t *config)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} features[] = {
	    {TACH_CONFIG_ALL_THREADS, "all-threads"},
	    {TACH_CONFIG_NATIVE, "native"},
	    {TACH_CONFIG_GC, "gc"},
	    {TACH_CONFIG_OPCODES, "opcodes"},
	    {TACH_CONFIG_BLOCKING, "blocking"},
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if ((*config & TACH_CONFIG_FEATURES) != 0 &&
		    (*config & features[i].bit) != 0) {
			*config &= ~features[i].bit;
			return features[i].name;
		}
	return NULL;
}

static void
checksum_text(const struct tach_file_info *info, char text[33])
{
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", info->checksum[i]);
}

static const char *
compression_word(const struct tach_file_info *info)
{
	return info->compression == TACH_ZSTD ? "zstd" : "none";
}

/* ---- processes ----------------------------------------------------------- */

/* The interpreters from one on, of which notes say the same. */
struct info_process {
	bool found;
	uint32_t first;
	uint32_t pid;  /* 0: not known */
	uint64_t time; /* likewise */
};

/* Whether a note is of a process or a time of day; gives its interpreter. */
static bool
tells_process(struct tach_string note, uint32_t *interp)
{
	uint64_t value;

	return note_process(note, interp, &value) ||
	    note_time(note, interp, &value);
}

/* Finds the next interpreter of which a note tells, from the string *next on; at first
 * both are all zero.  False: there is none. */
static bool
next_process(const struct tach_table *t, uint32_t *next, struct info_process *p)
{
	struct tach_string note;
	uint32_t interp, first;

	for (; *next < tach_table_string_count(t); ++*next) {
		if (!tach_string_note(tach_table_string(t, *next), &note) ||
		    !tells_process(note, &interp) ||
		    (p->found && interp <= p->first))
			continue;
		*p = (struct info_process){true, interp,
		    tach_table_process(t, interp, &first),
		    tach_table_time(t, interp)};
		return true;
	}
	return false;
}

/* ---- for people ---------------------------------------------------------- */

/* Prints a line `key: value`, with the values in one column. */
static void __attribute__((format(printf, 2, 3)))
print_field(const char *key, const char *fmt, ...)
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
print_config(uint32_t config)
{
	char features[256] = "";
	size_t len = 0;

	print_field("mode", "%s", mode_word(config));
	for (const char *f; (f = next_feature(&config)) != NULL;)
		len += (size_t)snprintf(features + len, sizeof(features) - len,
		    "%s%s", len > 0 ? " " : "", f);
	config &= ~(uint32_t)(TACH_CONFIG_MODE | TACH_CONFIG_FEATURES);
	if (config != 0)
		snprintf(features + len, sizeof(features) - len, "%s0x%" PRIx32,
		    len > 0 ? " " : "", config);
	if (*features != '\0')
		print_field("features", "%s", features);
}

static void
print_quality(const struct tach_quality *q)
{
	print_field("recorded", "%.2f s at %.1f samples a second", q->duration,
	    q->rate);
	if (q->has_errors)
		print_field("errors", "%.2f%%", q->errors);
	if (q->has_missed)
		print_field("missed", "%.2f%%", q->missed);
}

/* The time of day is that of the earliest process. */
static void
print_start(const struct info_profile *p)
{
	uint64_t time = tach_table_first_time(p->table);
	char text[DATE_SIZE] = "";

	if (time != 0)
		date_text(time, false, text);
	print_field("start", "%" PRIu64 " us on the recording machine's "
	    "monotonic clock%s%s", p->meta->start_us, time != 0 ? ", " : "",
	    text);
}

/* Prints a process of several. */
static void
print_process(const struct info_process *p)
{
	char pid[16] = "unknown", time[DATE_SIZE] = "unknown";

	if (p->pid != 0)
		snprintf(pid, sizeof(pid), "%" PRIu32, p->pid);
	if (p->time != 0)
		date_text(p->time, false, time);
	print_field("process", "%s, interpreters from %" PRIu32 " on, start %s",
	    pid, p->first, time);
}

/* Prints the only process, or the first interpreter and the time of each one. */
static void
print_processes(const struct tach_table *t)
{
	struct info_process p = {0}, other;
	uint32_t next = 0;
	bool more = next_process(t, &next, &p);

	other = p;
	if (more && p.first == 0 && !next_process(t, &next, &other)) {
		if (p.pid != 0)
			print_field("process", "%" PRIu32, p.pid);
		return;
	}
	p = (struct info_process){0};
	for (next = 0; next_process(t, &next, &p);)
		print_process(&p);
}

static void
print_head(const struct info_profile *p)
{
	const struct tach_meta *meta = p->meta;
	char *name = cmd_plain(p->name);

	print_field("file", "%s", name);
	free(name);
	print_field("layout", "%s", layout_word(p->info));
	if (p->info->unfinished)
		print_field("state", "unfinished");
	if (has_byte_order(p->info))
		print_field("byte-order", "%s",
		    p->info->big_endian ? "big" : "little");
	if (meta->python[0] != 0)
		print_field("python", "%u.%u.%u", meta->python[0], meta->python[1],
		    meta->python[2]);
	print_start(p);
	print_processes(p->table);
	if (meta->interval_us != 0)
		print_field("interval", "%" PRIu64 " us (%g samples a second)",
		    meta->interval_us, 1e6 / (double)meta->interval_us);
	else
		print_field("interval", "unknown");
	if (meta->config != 0)
		print_config(meta->config);
	if (meta->quality.known)
		print_quality(&meta->quality);
}

static void
print_sizes(const struct tach_file_info *info)
{
	char checksum[33];

	print_field("samples", "%" PRIu64, info->samples);
	print_field("threads", "%" PRIu32, info->threads);
	print_field("strings", "%" PRIu32, info->strings);
	print_field("frames", "%" PRIu32, info->frames);
	print_field("compression", "%s", compression_word(info));
	print_field("file-size", "%" PRIu64 " bytes", info->file_size);
	print_field("data-size", "%" PRIu64 " bytes", info->data_size);
	if (info->samples != 0)
		print_field("bytes-per-sample", "%.2f",
		    ratio(info->file_size, info->samples));
	checksum_text(info, checksum);
	print_field("checksum", "%s", info->has_checksum ? checksum : "none");
}

/* Whether a note is of a module, or of a function or a source in one. */
static bool
tells_module(struct tach_string note)
{
	struct note_function function;
	struct note_module module;
	struct note_source source;

	return note_module(note, &module) || note_function(note, &function) ||
	    note_source(note, &source);
}

/* Whether a string is a note to print as it is.  Notes that name threads are printed
 * with the threads, processes and times at the top, and modules apart. */
static bool
find_note(const struct tach_table *t, uint32_t string,
    struct tach_string *note)
{
	struct tach_string rest;
	uint32_t interp;

	return tach_string_note(tach_table_string(t, string), note) &&
	    !note_kind(*note, "thread", &rest) && !tells_process(*note, &interp) &&
	    !tells_module(*note);
}

/* The next module of a table from a string on.  False: there is none. */
static bool
next_module(const struct tach_table *t, uint32_t *string, struct note_module *m)
{
	struct tach_string note;

	while (*string < tach_table_string_count(t))
		if (tach_string_note(tach_table_string(t, (*string)++), &note) &&
		    note_module(note, m))
			return true;
	return false;
}

/* A note can have anything in it, also what moves a terminal's cursor. */
static void
print_notes(const struct tach_table *t)
{
	struct tach_string note;

	for (uint32_t i = 0; i < tach_table_string_count(t); i++) {
		char *text;
		if (!find_note(t, i, &note))
			continue;
		if ((text = malloc(note.len * 4 + 1)) == NULL)
			err(CMD_FAILED, NULL);
		strvisx(text, note.bytes, note.len,
		    VIS_CSTYLE | VIS_OCTAL | VIS_NL | VIS_TAB);
		print_field("note", "%s", text);
		free(text);
	}
}

/* Prints the modules that frames of C are in. */
static void
print_modules(const struct tach_table *t)
{
	struct note_module m;

	for (uint32_t i = 0; next_module(t, &i, &m);) {
		char *path = malloc(m.path.len * 4 + 1);
		if (path == NULL)
			err(CMD_FAILED, NULL);
		strvisx(path, m.path.bytes, m.path.len,
		    VIS_CSTYLE | VIS_OCTAL | VIS_NL | VIS_TAB);
		if (note_is_build_id(m.id))
			print_field("module", "%s build-id %.*s", path, (int)m.id.len,
			    m.id.bytes);
		else
			print_field("module", "%s without a build id", path);
		free(path);
	}
}

/* The text " name NAME" of a thread, or "" if it has no name.  To be freed. */
static char *
name_text(const struct tach_table *table, const struct info_thread *t)
{
	struct tach_string name;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		err(CMD_FAILED, NULL);
	if (tach_table_thread_name(table, t->interp, t->id, &name)) {
		fputs(" name ", f);
		print_plain(f, name.bytes, name.len);
	}
	if (fclose(f) != 0)
		err(CMD_FAILED, NULL);
	return text;
}

static void
print_thread(const struct tach_table *table, const struct info_thread *t)
{
	char shares[256] = "", *name = name_text(table, t);
	size_t len = 0;

	for (int bit = 0; bit < STATUS_BITS; bit++) {
		/* The rare and the lasting bits are shown only if they are set. */
		if (bit >= 5 && t->status[bit] == 0)
			continue;
		len += (size_t)snprintf(shares + len, sizeof(shares) - len,
		    " %s %.1f%%", tach_status_name((unsigned)bit),
		    share_percent(t->status[bit], t->samples));
	}
	print_field("thread", "%" PRIu64 " interpreter %" PRIu32 " samples %" PRIu64
	    "%s%s", t->id, t->interp, t->samples, shares, name);
	free(name);
}

/* Prints the most frequent opcodes. */
static void
print_opcodes(const struct info_profile *p)
{
	struct census c = *p->census;
	uint64_t samples;
	uint8_t opcode;

	for (int i = 0; i < OPCODES_SHOWN; i++) {
		const char *name;
		opcode = next_opcode(c.opcodes, &samples);
		if (opcode == TACH_NO_OPCODE)
			break;
		name = tach_opcode_name(p->meta, opcode);
		print_field("opcode", "%u %s samples %" PRIu64 " (%.1f%%)", opcode,
		    name != NULL ? name : "unknown", samples,
		    share_percent(samples, c.with_opcode));
	}
}

/* Prints how a file's samples are encoded. */
static void
print_encoding(const struct info_profile *p)
{
	const struct tach_decode_stats *s = p->stats;

	print_field("decoded-size", "%" PRIu64 " bytes", s->data_size);
	if (p->error == NULL && p->info->data_size != 0)
		print_field("compression-ratio", "%.2f",
		    ratio(s->data_size, p->info->data_size));
	print_field("records", "REPEAT %" PRIu64 " FULL %" PRIu64 " SUFFIX %" PRIu64
	    " POP_PUSH %" PRIu64, s->records[0], s->records[1], s->records[2],
	    s->records[3]);
	print_field("repeated-samples", "%" PRIu64 " (%.1f%%)", s->repeated,
	    share_percent(s->repeated, s->samples));
	print_field("written-frames", "%" PRIu64 " (%.1f%% saved)", s->frames_written,
	    share_percent(saved(s), s->frames_total));
}

/* Prints the depth of the deepest stack, and whether CPython would read the file but
 * for it. */
static void
print_deepest(const struct info_profile *p)
{
	uint32_t deepest = p->census->deepest;

	if (p->info->input == TACH_INPUT_FILE &&
	    p->info->layout == TACH_LAYOUT_CPYTHON &&
	    deepest > TACH_CPYTHON_DEPTH)
		print_field("deepest-stack", "%" PRIu32 " (CPython reads no more "
		    "than %d: tach-merge --depth %d cuts it)", deepest,
		    TACH_CPYTHON_DEPTH, TACH_CPYTHON_DEPTH);
	else
		print_field("deepest-stack", "%" PRIu32, deepest);
}

static void
print_stats(const struct info_profile *p)
{
	print_field("duration", "%" PRIu64 ".%06" PRIu64 " s",
	    p->census->duration / 1000000, p->census->duration % 1000000);
	print_field("decoded-samples", "%" PRIu64, p->stats->samples);
	print_field("stack-frames", "%" PRIu64, p->stats->frames_total);
	print_deepest(p);
	if (p->info->input == TACH_INPUT_FILE)
		print_encoding(p);
	for (size_t i = 0; i < p->census->nthreads; i++)
		print_thread(p->table, &p->census->threads[i]);
	print_opcodes(p);
}

static void
print_text(const struct info_profile *p)
{
	print_head(p);
	if (p->info->input == TACH_INPUT_FILE)
		print_sizes(p->info);
	print_notes(p->table);
	print_modules(p->table);
	if (p->census != NULL)
		print_stats(p);
}

/* ---- as JSON ------------------------------------------------------------- */

static void
put_config(uint32_t config)
{
	uint32_t left = config;
	const char *comma = "";

	printf(",\"config\":%" PRIu32 ",\"mode\":\"%s\",\"features\":[",
	    config, mode_word(config));
	for (const char *f; (f = next_feature(&left)) != NULL; comma = ",")
		printf("%s\"%s\"", comma, f);
	putchar(']');
}

static void
put_number(const char *before, double d)
{
	fputs(before, stdout);
	print_json_number(stdout, d);
}

static void
put_quality(const struct tach_quality *q)
{
	put_number(",\"recorded\":{\"duration_s\":", q->duration);
	put_number(",\"rate\":", q->rate);
	if (q->has_errors)
		put_number(",\"errors_percent\":", q->errors);
	if (q->has_missed)
		put_number(",\"missed_percent\":", q->missed);
	putchar('}');
}

static void
put_notes(const struct tach_table *t)
{
	const char *before = ",\"notes\":[";
	struct tach_string note;

	for (uint32_t i = 0; i < tach_table_string_count(t); i++) {
		if (!find_note(t, i, &note))
			continue;
		fputs(before, stdout);
		print_json_string(stdout, note.bytes, note.len);
		before = ",";
	}
	if (*before == ',' && before[1] == '\0')
		putchar(']');
}

static void
put_modules(const struct tach_table *t)
{
	const char *before = ",\"modules\":[";
	struct note_module m;
	uint32_t i = 0;

	for (; next_module(t, &i, &m); before = ",") {
		printf("%s{\"path\":", before);
		print_json_string(stdout, m.path.bytes, m.path.len);
		if (note_is_build_id(m.id))
			printf(",\"build_id\":\"%.*s\"", (int)m.id.len, m.id.bytes);
		printf(",\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"offset\":%" PRIu64
		    ",\"bias\":%" PRIu64 "}", m.start, m.end, m.offset, m.bias);
	}
	if (before[1] == '\0')
		putchar(']');
}

static void
put_time(uint64_t time)
{
	char text[DATE_SIZE];

	if (time == 0)
		return;
	date_text(time, true, text);
	printf(",\"start_time\":\"%s\"", text);
}

static void
put_processes(const struct tach_table *t)
{
	struct info_process p = {0};
	uint32_t next = 0;
	const char *before = ",\"processes\":[";

	for (; next_process(t, &next, &p); before = ",") {
		printf("%s{\"interpreter\":%" PRIu32, before, p.first);
		if (p.pid != 0)
			printf(",\"process\":%" PRIu32, p.pid);
		put_time(p.time);
		putchar('}');
	}
	if (p.found)
		putchar(']');
}

static void
put_head(const struct info_profile *p)
{
	const struct tach_meta *meta = p->meta;

	printf("{\"file\":");
	print_json_string(stdout, p->name, strlen(p->name));
	printf(",\"layout\":\"%s\",\"finished\":%s", layout_word(p->info),
	    p->info->unfinished ? "false" : "true");
	if (has_byte_order(p->info))
		printf(",\"byte_order\":\"%s\"",
		    p->info->big_endian ? "big" : "little");
	if (meta->python[0] != 0)
		printf(",\"python\":\"%u.%u.%u\"", meta->python[0], meta->python[1],
		    meta->python[2]);
	printf(",\"start_us\":%" PRIu64 ",\"interval_us\":%" PRIu64,
	    meta->start_us, meta->interval_us);
	put_time(tach_table_first_time(p->table));
	put_processes(p->table);
	if (meta->config != 0)
		put_config(meta->config);
	if (meta->quality.known)
		put_quality(&meta->quality);
}

static void
put_sizes(const struct tach_file_info *info)
{
	char checksum[33];

	printf(",\"samples\":%" PRIu64 ",\"threads\":%" PRIu32
	    ",\"strings\":%" PRIu32 ",\"frames\":%" PRIu32, info->samples,
	    info->threads, info->strings, info->frames);
	printf(",\"compression\":\"%s\",\"file_size\":%" PRIu64
	    ",\"data_size\":%" PRIu64, compression_word(info), info->file_size,
	    info->data_size);
	if (info->samples != 0)
		printf(",\"bytes_per_sample\":%.2f",
		    ratio(info->file_size, info->samples));
	checksum_text(info, checksum);
	if (info->has_checksum)
		printf(",\"checksum\":\"%s\"", checksum);
}

static void
put_thread(const struct tach_table *table, const struct info_thread *t)
{
	struct tach_string name;

	printf("{\"thread\":%" PRIu64 ",\"interpreter\":%" PRIu32
	    ",\"samples\":%" PRIu64, t->id, t->interp, t->samples);
	for (unsigned bit = 0; bit < STATUS_BITS; bit++)
		printf("%s\"%s\":%" PRIu64, bit == 0 ? ",\"status\":{" : ",",
		    tach_status_name(bit), t->status[bit]);
	putchar('}');
	if (tach_table_thread_name(table, t->interp, t->id, &name)) {
		printf(",\"name\":");
		print_json_string(stdout, name.bytes, name.len);
	}
	putchar('}');
}

static void
put_encoding(const struct info_profile *p)
{
	const struct tach_decode_stats *s = p->stats;

	printf(",\"decoded_size\":%" PRIu64, s->data_size);
	if (p->error == NULL && p->info->data_size != 0)
		printf(",\"compression_ratio\":%.2f",
		    ratio(s->data_size, p->info->data_size));
	for (int i = 0; i < 4; i++)
		printf("%s\"%s\":%" PRIu64, i == 0 ? ",\"records\":{" : ",",
		    record_words[i], s->records[i]);
	printf("},\"repeated_samples\":%" PRIu64 ",\"written_frames\":%" PRIu64,
	    s->repeated, s->frames_written);
}

/* All of them. */
static void
put_opcodes(const struct info_profile *p)
{
	struct census c = *p->census;
	uint64_t samples;
	uint8_t opcode;

	if (c.with_opcode == 0)
		return;
	printf(",\"opcodes\":[");
	for (const char *comma = ""; (opcode = next_opcode(c.opcodes,
	    &samples)) != TACH_NO_OPCODE; comma = ",") {
		const char *name = tach_opcode_name(p->meta, opcode);
		printf("%s{\"opcode\":%u", comma, opcode);
		if (name != NULL)
			printf(",\"name\":\"%s\"", name);
		printf(",\"samples\":%" PRIu64 "}", samples);
	}
	putchar(']');
}

static void
put_stats(const struct info_profile *p)
{
	printf(",\"stats\":{\"duration_us\":%" PRIu64 ",\"decoded_samples\":%"
	    PRIu64 ",\"stack_frames\":%" PRIu64 ",\"deepest_stack\":%" PRIu32,
	    p->census->duration, p->stats->samples, p->stats->frames_total,
	    p->census->deepest);
	if (p->info->input == TACH_INPUT_FILE)
		put_encoding(p);
	printf(",\"threads\":[");
	for (size_t i = 0; i < p->census->nthreads; i++) {
		printf("%s", i == 0 ? "" : ",");
		put_thread(p->table, &p->census->threads[i]);
	}
	putchar(']');
	put_opcodes(p);
	putchar('}');
}

static void
print_json(const struct info_profile *p)
{
	put_head(p);
	if (p->info->input == TACH_INPUT_FILE)
		put_sizes(p->info);
	put_notes(p->table);
	put_modules(p->table);
	if (p->census != NULL)
		put_stats(p);
	if (p->error != NULL) {
		printf(",\"error\":");
		print_json_string(stdout, p->error, strlen(p->error));
	}
	printf("}\n");
}

/* ---- the command --------------------------------------------------------- */

static int
inform(struct tach_reader *r, const char *operand, void *arg)
{
	struct info_job *job = arg;
	struct census census = {0};
	struct info_profile p = {cmd_input_name(operand), tach_reader_meta(r),
	    tach_reader_info(r), tach_reader_stats(r), tach_reader_table(r),
	    NULL, NULL};
	int rc = TACH_OK;

	if (job->stats) {
		rc = take_census(r, &job->selection, &census);
		p.census = &census;
		p.error = rc < TACH_OK ? reader_why(r) : NULL;
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

/* Whether an error was printed already, as the warning of opening. */
static bool
was_said(const struct tach_reader *r)
{
	return strcmp(reader_why(r), tach_reader_warning(r)) == 0;
}

static int
verify_run(struct tach_sink *sink, const struct tach_run *run)
{
	(void)sink;
	(void)run;
	return TACH_OK;
}

/* Reads a whole profile, and prints that it is ok if nothing is wrong. */
static int
verify(struct tach_reader *r, const char *operand, void *arg)
{
	struct info_job *job = arg;
	const struct tach_file_info *info = tach_reader_info(r);
	struct tach_sink sink = {.size = sizeof(sink), .run = verify_run};
	char checksum[33], *name;
	int rc;

	if (tach_pump(tach_reader_source(r), &sink) != TACH_END)
		return TACH_FATAL;
	rc = tach_reader_verify(r);
	if (info->unfinished || (rc != TACH_OK && was_said(r))) {
		job->failed = true;
		return TACH_OK;
	}
	if (rc != TACH_OK)
		return TACH_FATAL;
	checksum_text(info, checksum);
	name = cmd_plain(cmd_input_name(operand));
	printf("%s: ok, %" PRIu64 " samples, %s%s\n", name,
	    tach_reader_stats(r)->samples, info->has_checksum ? "checksum " :
	    "no checksum", info->has_checksum ? checksum : "");
	free(name);
	return TACH_OK;
}

/* ---- the command line ---------------------------------------------------- */

static const struct option_row rows[] = {
	{"stats", 's', NULL, "decode the samples too: threads, encoding, "
	    "duration", VALUES_NONE, NULL},
	{"verify", 'c', NULL, "only look whether all of it is sound, and say ok",
	    VALUES_NONE, NULL},
	{"json", 'j', NULL, "print one JSON object a line for each FILE",
	    VALUES_NONE, NULL},
	{"help", OPTION_HELP, NULL, "print this help", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "print the version", VALUES_NONE,
	    NULL},
	{0},
};

static void
info_option(void *target, const struct option_row *row, const char *value)
{
	struct info_job *job = target;

	(void)value;
	switch (row->key) {
	case 's':
		job->stats = true;
		break;
	case 'c':
		job->verify = true;
		break;
	case 'j':
		job->json = true;
		break;
	}
}

/* Parses the command line, and returns the operands. */
static char **
parse_info(struct info_job *job, int argc, char *argv[])
{
	const struct option_group groups[] = {
		{rows, 17, NULL, info_option, job, NULL},
		select_group(&job->selection),
	};
	const struct command_line line = {
	    "Usage: tach-info [--stats] [--json] [FILE ...]\n"
	    "Shows the content of TACH profiles, from their headers and "
	    "tables alone.\n"
	    "With no FILE, or where FILE is -, reads standard input.\n\n",
	    CMD_EXIT_HELP, groups, 2, VALUES_FILE};
	int first = cmdline_parse(&line, argc, argv);

	if (job->selection.given && !job->stats)
		cmd_usage("options that select samples need --stats");
	if (job->verify && (job->stats || job->json))
		cmd_usage("--verify does not go with --stats and --json");
	return argv + first;
}

int
main(int argc, char *argv[])
{
	struct info_job job = {0};
	char **operands;
	int status;

	cmd_start("tach-info", CMD_USAGE, argv);
	operands = parse_info(&job, argc, argv);
	confine(NULL, 0);
	status = cmd_each(operands, job.verify ? verify : inform, &job);
	select_clear(&job.selection);
	return output_end(job.failed ? CMD_FAILED : status);
}
