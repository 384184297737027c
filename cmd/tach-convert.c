/* SPDX-License-Identifier: ISC */
/*
 * tach-convert.c: converts a profile to a format that other tools read.  The
 * formats, and the options that choose them, come from libtach.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cmdline.h"
#include "confine.h"
#include "counts.h"
#include "format.h"
#include "output.h"
#include "profile.h"
#include "progress.h"
#include "select.h"
#include "to_file.h"
#include "why.h"

#define FORMATS_MAX 64

enum { OPT_LIST = 256, OPT_OPCODES, OPT_TACH, OPT_FORMAT };

static const struct option_row rows[] = {
	{"output", 'o', "OUT", "write to OUT, not to standard output",
	    VALUES_FILE, NULL},
	{"list", OPT_LIST, NULL, "print the formats", VALUES_NONE, NULL},
	{"opcodes", OPT_OPCODES, NULL, "show opcodes as frames, below the "
	    "innermost ones", VALUES_NONE, NULL},
	{"help", OPTION_HELP, NULL, "print this help", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "print the version", VALUES_NONE,
	    NULL},
	{0},
};

#define ABOUT_TACH "TACH again: another layout, or of another input"

struct job {
	const struct tach_format *format; /* NULL: TACH again */
	bool tach;
	bool said;	    /* how to write TACH */
	bool opcodes;	    /* show opcodes as frames */
	const char *output; /* NULL: standard output */
	struct how how;
	struct profile_options profile;
	struct selection selection;
	struct sample_counts counts; /* of what was converted */
	char **operands;
	int status;
};

/* ---- the command line ---------------------------------------------------- */

static noreturn void
print_list(void)
{
	const struct tach_format *f = NULL;

	while ((f = tach_format_next(f)) != NULL)
		printf("%-13s %s\n", f->name, f->about);
	printf("%-13s %s\n", "tach", ABOUT_TACH);
	exit(output_end(CMD_OK));
}

/* Makes a row of each format.  --diff has an argument, so its option is among those
 * of formats. */
static void
list_formats(struct option_row formats[FORMATS_MAX + 2])
{
	const struct tach_format *f = NULL;
	size_t n = 0;

	for (; n < FORMATS_MAX && (f = tach_format_next(f)) != NULL; n++)
		formats[n] = (struct option_row){f->name,
		    f->uses & TACH_NEEDS_BASE ? 0 : OPT_FORMAT + (int)n, NULL,
		    f->about, VALUES_NONE, NULL};
	formats[n++] = (struct option_row){"tach", OPT_TACH, NULL, ABOUT_TACH,
	    VALUES_NONE, NULL};
	formats[n] = (struct option_row){0};
}

static const struct tach_format *
format_at(int index)
{
	const struct tach_format *f = tach_format_next(NULL);

	while (index-- > 0)
		f = tach_format_next(f);
	return f;
}

static const char *
chosen(const struct job *job)
{
	return job->format != NULL ? job->format->name :
	    job->tach		   ? "tach" :
				     NULL;
}

/* NULL: TACH again. */
static void
choose_format(struct job *job, const struct tach_format *format)
{
	const char *before = chosen(job);

	job->format = format;
	job->tach = format == NULL;
	if (before != NULL && strcmp(before, chosen(job)) != 0)
		cmd_usage("--%s and --%s exclude each other", before,
		    chosen(job));
}

static void
convert_option(void *target, const struct option_row *row, const char *value)
{
	struct job *job = target;

	switch (row->key) {
	case 'o':
		job->output = value;
		break;
	case OPT_LIST:
		print_list();
	case OPT_OPCODES:
		job->opcodes = true;
		break;
	case OPT_TACH:
		choose_format(job, NULL);
		break;
	default:
		choose_format(job, format_at(row->key - OPT_FORMAT));
	}
}

/* --diff is a format of its own if no other is chosen. */
static void
choose_diff(struct job *job)
{
	const struct tach_format *f = NULL;

	while ((f = tach_format_next(f)) != NULL)
		if (f->uses & TACH_NEEDS_BASE)
			choose_format(job, f);
}

static bool
reads_stdin(const char *operand)
{
	return operand == NULL || strcmp(operand, "-") == 0;
}

static void
check_job(const struct job *job)
{
	const struct tach_format *f = job->format;
	bool to_stdout = job->output == NULL || strcmp(job->output, "-") == 0;

	if (chosen(job) == NULL)
		cmd_usage("no format: choose one, such as --%s",
		    tach_format_next(NULL)->name);
	if (job->said && !job->tach)
		cmd_usage("--layout, --compression, --level and --depth go with "
		    "--tach");
	if (job->opcodes && job->tach)
		cmd_usage("--opcodes does not go with --tach, which keeps "
		    "them as they are");
	how_check(&job->how, f);
	if (job->operands[0] != NULL && job->operands[1] != NULL)
		cmd_usage("one FILE at a time");
	if (job->how.base != NULL && reads_stdin(job->how.base) &&
	    reads_stdin(job->operands[0]))
		cmd_usage("both profiles cannot be standard input");
	if (f != NULL && f->uses & TACH_USES_DIRECTORY && to_stdout)
		cmd_usage("--%s writes a directory: name it with -o", f->name);
	if (f != NULL && f->uses & TACH_USES_NO_TERMINAL && to_stdout &&
	    isatty(STDOUT_FILENO))
		cmd_usage("--%s is no text: standard output is a terminal",
		    f->name);
}

/* Parses the command line, and returns the operands. */
static char **
convert_operands(struct job *job, int argc, char *argv[])
{
	struct option_row formats[FORMATS_MAX + 2];
	const struct option_group groups[] = {
		{formats, 22, NULL, convert_option, job, NULL},
		{rows, 20, "", convert_option, job, NULL},
		how_group(&job->how),
		profile_group(&job->profile, "With --tach:", &job->said),
		select_group_but_idle(&job->selection),
	};
	const struct command_line line = {
	    "Usage: tach-convert --FORMAT [OPTION ...] [FILE]\n"
	    "Converts a profile into another format.  It may be a TACH "
	    "profile, its text,\ncollapsed stacks, or one of pprof, austin, perf, "
	    "speedscope or gperftools.\nWith no FILE, or where FILE is -, "
	    "reads standard input.\n\n",
	    "\nThe exit status is 0 if all went well, 1 if something was "
	    "wrong with\nthe input or the output, 2 if the command line "
	    "was wrong.\n", groups, 5, VALUES_FILE};

	list_formats(formats);
	return argv + cmdline_parse(&line, argc, argv);
}

static struct job
parse_convert(int argc, char *argv[])
{
	struct job job = {.profile = PROFILE_DEFAULTS};

	how_init(&job.how);
	job.operands = convert_operands(&job, argc, argv);
	if (chosen(&job) == NULL && job.how.base != NULL)
		choose_diff(&job);
	check_job(&job);
	if (job.how.drop_idle)
		select_drop_idle(&job.selection);
	return job;
}

/* ---- converting ---------------------------------------------------------- */

/* The samples of rounds alone, where each counts as much as another. */
static struct tach_source *
without_switches(struct tach_source *source)
{
	struct tach_selection s = {.size = sizeof(s), .no_switches = true};

	return tach_select_new(source, &s);
}

/* The source of a format's sink: the profile, with all that the options put behind
 * it. */
static struct tach_source *
source_of(const struct job *job, struct tach_reader *r)
{
	unsigned uses = job->format != NULL ? job->format->uses : 0;
	struct tach_source *source = progress_new(r);
	bool timed = job->how.options.weight == TACH_WEIGHT_TIME ||
	    (uses & TACH_NEEDS_DURATIONS) != 0;

	if (timed)
		source = tach_durations_new(source);
	else if (job->format != NULL)
		source = without_switches(source);
	if (!timed && (uses & TACH_NEEDS_INTERVALS) != 0)
		source = tach_fixed_durations_new(source);
	source = tach_depth_new(select_source(&job->selection, source),
	    job->profile.depth);
	if (job->opcodes)
		source = tach_opcodes_new(source);
	if (source == NULL)
		err(CMD_FAILED, NULL);
	return source;
}

static int
write_to(struct job *job, struct tach_reader *r,
    const struct tach_output *to, const char *output)
{
	struct tach_source *source = source_of(job, r);
	struct tach_sink *sink = tach_format_open(job->format, to,
	    &job->how.options);
	int rc;

	counts_init(&job->counts, sink);
	rc = cmd_pump(source, sink != NULL ? &job->counts.sink : NULL, output);
	counts_clear(&job->counts);
	tach_sink_free(sink);
	tach_source_free(source);
	return rc;
}

/* Writes the file of names as well, which gets its name before the profile does. */
static int
convert_symbols(struct job *job, struct tach_reader *r, FILE *file,
    const char *output)
{
	struct tach_output to = to_file(file), names;
	struct output symbols;
	int rc;

	if (job->how.symbols == NULL)
		return write_to(job, r, &to, output);
	output_open(&symbols, job->how.symbols, OUTPUT_FILE);
	names = to_file(symbols.file);
	job->how.options.symbols = &names;
	job->how.options.symbols_path = cmd_absolute(job->how.symbols);
	rc = write_to(job, r, &to, output);
	output_close(&symbols);
	job->how.options.symbols = NULL;
	free((char *)(uintptr_t)job->how.options.symbols_path);
	return rc;
}

static int
convert_file(struct job *job, struct tach_reader *r)
{
	struct output out;
	int rc;

	output_open(&out, job->output, OUTPUT_FILE);
	output_unread(&out, job->format->unread);
	rc = convert_symbols(job, r, out.file, out.name);
	output_close(&out);
	return rc;
}

static int
convert_directory(struct job *job, struct tach_reader *r)
{
	struct output out;
	int rc;

	output_open(&out, job->output, OUTPUT_DIRECTORY);
	job->how.options.directory = out.fd;
	rc = write_to(job, r, NULL, job->output);
	output_close(&out);
	return rc;
}

static void
remark_intervals(const struct tach_format *format, const struct tach_reader *r,
    const char *operand)
{
	if ((format->uses & TACH_ONE_INTERVAL) != 0 &&
	    tach_table_intervals(tach_reader_table(r)))
		warnx("%s: its interpreters have several intervals, and %s has "
		    "room for one: only times of interpreters with %" PRIu64
		    " us are right (see --interp)", cmd_input_name(operand),
		    format->name, tach_reader_meta(r)->interval_us);
}

/* Offers to leave out idle threads, where a format adds up and most of what it shows is
 * waiting; and says where none can be left out. */
static void
remark_idle(const struct job *job)
{
	const struct sample_counts *c = &job->counts;

	bool sums = (job->format->uses & TACH_USES_BY) != 0 &&
	    (job->format->uses & TACH_USES_WEIGHT) != 0;

	if (sums && c->idle > c->samples / 2)
		warnx("%.0f%% of the samples are of idle threads: --idle drop "
		    "leaves them out", cmd_percent(c->idle, c->samples));
	if (job->how.drop_idle && c->samples > 0 && c->unknown == c->samples)
		warnx("the profile does not say which threads were on a CPU, so "
		    "none is taken for idle");
}

static int
convert(struct tach_reader *r, const char *operand, void *arg)
{
	struct job *job = arg;
	int rc;

	job->how.options.title = cmd_input_name(operand);
	remark_intervals(job->format, r, operand);
	job->how.sources.directory = job->how.directory;
	if (job->how.directory != NULL)
		job->how.options.sources = &job->how.sources;
	rc = job->format->uses & TACH_USES_DIRECTORY ?
	    convert_directory(job, r) : convert_file(job, r);
	how_report(&job->how, job->format);
	remark_idle(job);
	return rc;
}

/* Reads the profile to compare with, then converts the other one while the first
 * one's names are there. */
static int
convert_after(struct tach_reader *r, const char *operand, void *arg)
{
	struct job *job = arg;
	struct tach_source *source = source_of(job, r);
	struct tach_baseline *base = tach_baseline_new();
	int rc;

	if (base == NULL)
		err(CMD_FAILED, NULL);
	rc = cmd_pump(source, tach_baseline_sink(base), job->how.base);
	progress_clear();
	job->how.options.base = base;
	job->how.options.base_title = operand;
	job->status = cmd_each(job->operands, convert, job);
	tach_baseline_free(base);
	tach_source_free(source);
	return rc;
}

static int
convert_with_base(struct job *job)
{
	char *base[] = {(char *)(uintptr_t)job->how.base, NULL};
	int status = cmd_each(base, convert_after, job);

	return status != CMD_OK ? status : job->status;
}

static int
rewrite(struct tach_reader *r, const char *operand, void *arg)
{
	const struct job *job = arg;
	struct output out;
	struct tach_source *source = source_of(job, r);
	struct tach_writer *w;
	int rc;

	(void)operand;
	output_open(&out, job->output, OUTPUT_PROFILE);
	w = tach_writer_new(out.fd, &job->profile.writer, source->table);
	if (w == NULL)
		err(CMD_FAILED, NULL);
	rc = cmd_pump(source, tach_writer_sink(w), out.name);
	if (tach_writer_finish(w, tach_reader_meta(r)) != TACH_OK)
		output_failed(out.name, writer_why(w));
	profile_remark(out.name, w, &job->profile.writer);
	output_close(&out);
	tach_writer_free(w);
	tach_source_free(source);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct job job;
	int status;

	cmd_start("tach-convert", CMD_USAGE, argv);
	job = parse_convert(argc, argv);
	confine((const char *[]){job.output, job.how.symbols}, 2);
	if (job.tach)
		status = cmd_each(job.operands, rewrite, &job);
	else if (job.how.base == NULL)
		status = cmd_each(job.operands, convert, &job);
	else
		status = convert_with_base(&job);
	select_clear(&job.selection);
	how_clear(&job.how);
	return output_end(status);
}
