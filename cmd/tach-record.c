/* SPDX-License-Identifier: ISC */
/* tach-record: records where a Python program spends its time, from outside
 * of it, into a TACH profile. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "dump.h"
#include "part.h"
#include "profile.h"
#include "tach.h"

/* Exit statuses of its own; else it is the command's. */
enum {
	RECORD_FAILED = 125,
	RECORD_CANNOT_RUN = 126,
	RECORD_NOT_FOUND = 127,
};

#define DEFAULT_OUTPUT "tach.bin"
#define DEFAULT_RATE 1000.0 /* Hz */
#define RATE_MAX 1e6	    /* Hz: the file counts microseconds */
#define PROGRESS_EVERY 0.2  /* s */
#define SAVE_EVERY 0.5	    /* s: what can be lost, at most, and half of that */

static const char help[] =
    "Usage: tach-record [OPTION]... [--] COMMAND [ARG]...\n"
    "       tach-record [OPTION]... -p PID\n"
    "       tach-record --dump [OPTION]... -p PID\n"
    "Record where a Python program spends its time.\n"
    "\n"
    "  -o, --output FILE       the profile (default " DEFAULT_OUTPUT
    "); - is standard output\n"
    "  -r, --rate RATE         samples a second: 1000, 10k, 10khz (default "
    "1000)\n"
    "  -d, --duration SECONDS  stop recording after so long\n"
    "  -p, --pid PID           record a running process\n"
    "  -m, --mode MODE         which samples to keep: wall (all, the default), "
    "cpu,\n"
    "                          gil or exception\n"
    "      --threads WHICH     main or all (the default)\n"
    "      --idle WHAT         keep (the default) or drop samples of idle "
    "threads\n"
    "      --jitter            sample at random times, at that rate on "
    "average\n"
    "      --blocking          stop the program for each sample\n"
    "      --async WHICH       asyncio: running, or all tasks (3.14 and "
    "later)\n"
    "      --native-markers    frames <native> where C code was called through\n"
    "      --no-gc             no frames <GC>\n"
    "      --opcodes           note the instruction that each frame is at\n"
    PROFILE_HELP
    "      --text              write lines of text while it runs, as tach-cat "
    "-l\n"
    "                          prints them, to standard output if no -o is "
    "given\n"
    "      --dump              print the stacks of all threads as they are, "
    "and end\n"
    "  -q, --quiet             no progress, no summary\n"
    "  -h, --help              this text\n"
    "  -V, --version           the version\n"
    "\n"
    "Exits with the command's status, 128+N if signal N ended it, 127 if it "
    "was\n"
    "not found, 126 if it could not be run, 125 if recording failed.\n";

struct options {
	const char *output;
	pid_t pid;	 /* 0: a command */
	char **command;
	struct tach_recorder_options recorder;
	struct tach_writer_options writer;
	bool how; /* it was said how to write it */
	bool dump, text, quiet;
};

/* ---- options -------------------------------------------------------------- */

static double
parse_rate(const char *text)
{
	char *end;
	double rate = strtod(text, &end);

	if (end != text && (*end == 'k' || *end == 'K')) {
		rate *= 1000;
		end++;
	}
	if (end == text || (*end != '\0' && strcasecmp(end, "hz") != 0))
		cmd_usage("not a rate: %s (try 1000, 10k or 10khz)", text);
	if (!(rate > 0 && rate <= RATE_MAX))
		cmd_usage("the rate %s is out of range: up to 1000k", text);
	return rate;
}

static double
parse_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end != '\0' || !(seconds > 0 && seconds < 1e9))
		cmd_usage("not a duration in seconds: %s", text);
	return seconds;
}

static int
parse_number(const char *text, const char *what, int low, int high)
{
	const char *why;
	long long n = strtonum(text, low, high, &why);

	if (why != NULL)
		cmd_usage("the %s %s is %s", what, text, why);
	return (int)n;
}

/* Which of the words an option's argument is: its number. */
static int
parse_word(const char *text, const char *option, const char *const words[])
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	cmd_usage("%s cannot be %s", option, text);
}

static const char *const mode_words[] = {
	[TACH_MODE_WALL] = "wall", [TACH_MODE_CPU] = "cpu",
	[TACH_MODE_GIL] = "gil", [TACH_MODE_EXCEPTION] = "exception", NULL,
};
static const char *const threads_words[] = {"all", "main", NULL};
static const char *const idle_words[] = {"keep", "drop", NULL};
static const char *const async_words[] = {
	[TACH_ASYNC_NONE] = "none", [TACH_ASYNC_RUNNING] = "running",
	[TACH_ASYNC_ALL] = "all", NULL,
};

enum {
	OPT_TEXT = 256,
	OPT_DUMP,
	OPT_THREADS,
	OPT_IDLE,
	OPT_JITTER,
	OPT_BLOCKING,
	OPT_ASYNC,
	OPT_NATIVE,
	OPT_NO_GC,
	OPT_OPCODES,
};

static const struct option longs[] = {
	{"output", required_argument, NULL, 'o'},
	{"rate", required_argument, NULL, 'r'},
	{"duration", required_argument, NULL, 'd'},
	{"pid", required_argument, NULL, 'p'},
	{"mode", required_argument, NULL, 'm'},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"idle", required_argument, NULL, OPT_IDLE},
	{"jitter", no_argument, NULL, OPT_JITTER},
	{"blocking", no_argument, NULL, OPT_BLOCKING},
	{"async", required_argument, NULL, OPT_ASYNC},
	{"native-markers", no_argument, NULL, OPT_NATIVE},
	{"no-gc", no_argument, NULL, OPT_NO_GC},
	{"opcodes", no_argument, NULL, OPT_OPCODES},
	PROFILE_OPTIONS,
	{"text", no_argument, NULL, OPT_TEXT},
	{"dump", no_argument, NULL, OPT_DUMP},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

/* What is to be in the samples.  False: c is another option. */
static bool
parse_sample_option(struct tach_recorder_options *r, int c)
{
	switch (c) {
	case 'm':
		r->mode = (enum tach_recorder_mode)parse_word(optarg, "--mode",
		    mode_words);
		return true;
	case OPT_THREADS:
		r->main_only = parse_word(optarg, "--threads", threads_words);
		return true;
	case OPT_IDLE:
		r->drop_idle = parse_word(optarg, "--idle", idle_words);
		return true;
	case OPT_JITTER:
		return r->jitter = true;
	case OPT_BLOCKING:
		return r->blocking = true;
	case OPT_ASYNC:
		r->async = (enum tach_recorder_async)parse_word(optarg,
		    "--async", async_words);
		return true;
	case OPT_NATIVE:
		return r->native = true;
	case OPT_NO_GC:
		return r->no_gc = true;
	case OPT_OPCODES:
		return r->opcodes = true;
	default:
		return false;
	}
}

static void
parse_option(struct options *o, int c)
{
	if (parse_sample_option(&o->recorder, c))
		return;
	switch (c) {
	case 'o':
		o->output = optarg;
		break;
	case 'r':
		o->recorder.interval_ns = (uint64_t)(1e9 / parse_rate(optarg));
		break;
	case 'd':
		o->recorder.duration_ns =
		    (uint64_t)(1e9 * parse_duration(optarg));
		break;
	case 'p':
		o->pid = parse_number(optarg, "process id", 1, INT32_MAX);
		break;
	case OPT_TEXT:
		o->text = true;
		break;
	case OPT_DUMP:
		o->dump = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'h':
		cmd_help(help);
	case 'V':
		cmd_version();
	default:
		if (!profile_option(&o->writer, c, optarg))
			cmd_usage(NULL);
		o->how = true;
	}
}

static struct options
parse_options(int argc, char *argv[])
{
	struct options o = {.writer = PROFILE_DEFAULTS,
	    .recorder.interval_ns = (uint64_t)(1e9 / DEFAULT_RATE)};
	int c;

	while ((c = getopt_long(argc, argv, "+o:r:d:p:m:qhV", longs, NULL)) != -1)
		parse_option(&o, c);
	o.command = argv + optind;
	if (o.dump && (o.pid == 0 || *o.command != NULL))
		cmd_usage("--dump needs -p and the PID of a running process");
	if (o.dump && (o.output != NULL || o.text || o.how ||
		o.recorder.duration_ns != 0))
		cmd_usage("--dump prints: it takes no -o, -d, --text, --layout, "
		    "--compression or --level");
	if (o.pid == 0 && *o.command == NULL)
		cmd_usage("no command, and no process to attach to");
	if (o.pid != 0 && *o.command != NULL)
		cmd_usage("either a command or -p, not both");
	if (o.text && o.how)
		cmd_usage("--layout, --compression and --level are for profiles, "
		    "not for --text");
	if (o.dump)
		return o;
	if (o.output == NULL)
		o.output = o.text ? "-" : DEFAULT_OUTPUT;
	if (!o.text && strcmp(o.output, "-") == 0 && isatty(STDOUT_FILENO))
		cmd_usage("a profile is no text: standard output is a terminal");
	return o;
}

/* ---- signals ------------------------------------------------------------------ */

static struct tach_recorder *recorder; /* for the handler */
static volatile pid_t command_pid;     /* 0: attached, or ended */

/*
 * The terminal sends its signals to the command as well, which decides what
 * they mean: the first that asks for an end leaves us recording until it
 * ends; after the second we only wait for it.  What another process sends to
 * us, the command gets from us.
 */
static void
on_signal(int sig, siginfo_t *info, void *context)
{
	static volatile sig_atomic_t asked;

	(void)context;
	if (command_pid != 0) {
		if (info->si_code <= 0 && info->si_pid != command_pid)
			kill(command_pid, sig);
		if ((sig == SIGINT || sig == SIGQUIT) && asked++ == 0)
			return;
	}
	tach_recorder_stop(recorder);
}

static void
catch_signals(void)
{
	static const int sigs[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_sigaction = on_signal,
	    .sa_flags = SA_SIGINFO | SA_RESTART}, old;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
}

/* ---- progress and summary -------------------------------------------------------- */

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Rounds a second, so far. */
static double
rate_reached(const struct tach_recorder_stats *s)
{
	return s->elapsed_ns > 0 ?
	    (double)s->rounds * 1e9 / (double)s->elapsed_ns : 0;
}

static void
show_progress(void)
{
	static double next;
	const struct tach_recorder_stats *s = tach_recorder_stats(recorder);
	double now = seconds_now();

	if (next == 0)
		next = now + PROGRESS_EVERY;
	if (now < next)
		return;
	next = now + PROGRESS_EVERY;
	if (tach_recorder_state(recorder) == TACH_RECORDER_WAITING)
		fprintf(stderr, "\r\033[Kwaiting for a Python to start");
	else
		fprintf(stderr, "\r\033[K%.1f s, %" PRIu64 " samples, %.0f Hz, "
		    "%" PRIu64 " failed", (double)s->elapsed_ns / 1e9,
		    s->samples, rate_reached(s), s->failed);
}

static void
show_summary(const struct part *part, const struct tach_writer *w)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(recorder);
	char bytes[32] = "";

	if (w != NULL)
		snprintf(bytes, sizeof(bytes), ", %" PRIu64 " bytes",
		    tach_writer_bytes(w));
	warnx("%" PRIu64 " samples of %" PRIu32 " thread%s in %.2f s at %.0f Hz "
	    "(%" PRIu64 " missed, %" PRIu64 " torn, %" PRIu64 " failed)%s",
	    s->samples, s->threads, s->threads == 1 ? "" : "s",
	    (double)s->elapsed_ns / 1e9, rate_reached(s), s->missed, s->torn,
	    s->failed, bytes);
	if (w != NULL && part->copy_to < 0)
		warnx("next: tach-info %s; tach-convert --collapsed %s",
		    part->name, part->name);
}

/* ---- recording ---------------------------------------------------------------------- */

/* Where samples go: to a profile, or to a text. */
struct job {
	const struct options *options;
	struct part part;
	struct tach_writer *writer; /* NULL: text */
	FILE *text;		    /* NULL: profile */
	struct tach_sink *sink;
	off_t whole;  /* bytes of a text, in lines that are */
	double saved; /* when it last was made to survive us */
};

static void
start_target(const struct options *o)
{
	int status;

	if (o->pid != 0) {
		if (tach_recorder_attach(recorder, o->pid) != TACH_OK)
			errx(RECORD_FAILED, "%s", tach_recorder_error(recorder));
		return;
	}
	/* What we print must not be mixed with what the command prints. */
	if (tach_recorder_launch(recorder, o->command,
		strcmp(o->output, "-") == 0 ? STDERR_FILENO : -1) == TACH_OK) {
		command_pid = tach_recorder_pid(recorder);
		return;
	}
	status = errno == ENOENT ? RECORD_NOT_FOUND :
	    errno == EAGAIN || errno == ENOMEM || errno == ENOSYS ?
	    RECORD_FAILED : RECORD_CANNOT_RUN;
	errx(status, "%s", tach_recorder_error(recorder));
}

static void
open_sink(struct job *j)
{
	const struct tach_table *table = tach_recorder_table(recorder);

	if (j->options->text) {
		int fd = fcntl(j->part.fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0 && (j->text = fdopen(fd, "w")) != NULL)
			j->sink = tach_text_new(j->text,
			    tach_recorder_meta(recorder), table);
	} else {
		j->writer = tach_writer_new(j->part.fd, &j->options->writer,
		    table);
		if (j->writer != NULL)
			j->sink = tach_writer_sink(j->writer);
	}
	if (j->sink == NULL)
		err(RECORD_FAILED, NULL);
}

static void
close_all(struct job *j)
{
	j->sink->free(j->sink);
	tach_writer_free(j->writer);
	if (j->text != NULL)
		fclose(j->text);
	part_close(&j->part);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

/* What is known of the profile by now. */
static struct tach_meta
meta_now(void)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(recorder);
	struct tach_meta meta = *tach_recorder_meta(recorder);

	meta.quality = (struct tach_quality){
	    .known = true,
	    .has_errors = true,
	    .has_missed = true,
	    .duration = (double)s->elapsed_ns / 1e9,
	    .rate = rate_reached(s),
	    .errors = percent(s->torn + s->failed, s->samples + s->failed),
	    .missed = percent(s->missed, s->rounds + s->missed),
	};
	return meta;
}

static int
save_text(struct job *j)
{
	if (fflush(j->text) != 0)
		return TACH_FATAL;
	if (j->part.file != NULL)
		j->whole = lseek(j->part.fd, 0, SEEK_CUR);
	return TACH_OK;
}

/* Makes what was recorded until now survive us. */
static int
save(struct job *j)
{
	struct tach_meta meta = meta_now();

	if (j->text != NULL)
		return save_text(j);
	if (j->part.names_fd < 0)
		return TACH_OK;
	return tach_writer_checkpoint(j->writer, j->part.names_fd, &meta);
}

/* The same if it is time to.  A text is read while it is written. */
static int
save_again(struct job *j)
{
	double now = seconds_now();
	bool due = now >= j->saved + SAVE_EVERY;

	if (tach_recorder_stats(recorder)->samples == 0 ||
	    (!due && j->text == NULL))
		return TACH_OK;
	if (save(j) != TACH_OK)
		return TACH_FATAL;
	if (!due)
		return TACH_OK;
	if (j->saved == 0)
		part_keep(&j->part);
	j->saved = now;
	return part_sync(&j->part) ? TACH_OK : TACH_FATAL;
}

/* Why a sink or saving failed; a text that nobody reads on is no failure. */
static bool
sink_failed(struct job *j)
{
	const char *why = j->sink->error(j->sink);
	bool told = j->text == NULL && *why != '\0';

	if (*why == '\0')
		why = strerror(errno);
	if (j->text != NULL && strcmp(why, strerror(EPIPE)) == 0)
		return true;
	warnx("%s: %s%s", j->part.name, told ? "" : "cannot write: ", why);
	return false;
}

/* Samples until the end.  False: it failed, and the user was told. */
static bool
sample(struct job *j)
{
	bool progress = !j->options->quiet && isatty(STDERR_FILENO);
	int rc, saved = TACH_OK;

	while ((rc = tach_recorder_round(recorder, j->sink)) == TACH_OK &&
	    (saved = save_again(j)) == TACH_OK)
		if (progress)
			show_progress();
	if (progress)
		fprintf(stderr, "\r\033[K");
	if (saved != TACH_OK || *j->sink->error(j->sink) != '\0')
		return sink_failed(j);
	if (rc < TACH_OK)
		warnx("%s: %s", j->part.name, tach_recorder_error(recorder));
	return rc >= TACH_OK;
}

/* Completes the profile.  False: it failed, and the user was told. */
static bool
finish(struct job *j)
{
	struct tach_meta meta = meta_now();

	if (save(j) != TACH_OK)
		return sink_failed(j);
	if (j->writer != NULL &&
	    tach_writer_finish(j->writer, &meta) != TACH_OK) {
		warnx("%s: %s", j->part.name, tach_writer_error(j->writer));
		return false;
	}
	if (!part_commit(&j->part)) {
		warn("%s: cannot write", j->part.name);
		return false;
	}
	return true;
}

/* Nothing was recorded: why. */
static void
explain(const struct options *o)
{
	const char *why = tach_recorder_error(recorder);

	if (*why != '\0')
		warnx("nothing was recorded: %s", why);
	else
		warnx("nothing was recorded: no Python was seen in %s before "
		    "it ended", o->pid != 0 ? "the process" : o->command[0]);
}

/* What was saved stays.  A full disk takes the beginning of a line, too. */
static void
tell_of_part(const struct job *j)
{
	if (j->saved == 0 || j->part.file == NULL)
		return;
	if (j->text != NULL) {
		__fpurge(j->text);
		(void)!ftruncate(j->part.fd, j->whole);
	}
	warnx("what was recorded until then is in %s", j->part.file);
}

static bool
record(struct job *j)
{
	bool ok = sample(j);

	if (ok && tach_recorder_stats(recorder)->rounds == 0) {
		explain(j->options);
		return false;
	}
	if (!ok || !finish(j)) {
		tell_of_part(j);
		return false;
	}
	if (j->writer != NULL)
		profile_remark(j->part.name, j->writer, &j->options->writer);
	if (!j->options->quiet)
		show_summary(&j->part, j->writer);
	return true;
}

/* Waits for the command.  Its status as a shell would give it. */
static int
command_status(void)
{
	int status;

	if (tach_recorder_wait(recorder, &status) != TACH_OK)
		errx(RECORD_FAILED, "%s", tach_recorder_error(recorder));
	command_pid = 0;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* Prints what is going on instead of recording it. */
static int
dump(const struct options *o)
{
	bool ok = dump_process(recorder, o->pid);

	tach_recorder_free(recorder);
	if (!ok || cmd_end(CMD_OK) != CMD_OK)
		return RECORD_FAILED;
	return 0;
}

int
main(int argc, char *argv[])
{
	struct options o;
	struct job j = {.options = &o};
	int status = 0;
	bool ok;

	cmd_start("tach-record", RECORD_FAILED, argv);
	o = parse_options(argc, argv);
	if ((recorder = tach_recorder_new(&o.recorder)) == NULL)
		err(RECORD_FAILED, NULL);
	if (o.dump)
		return dump(&o);
	part_open(&j.part, o.output, o.text, RECORD_FAILED);
	catch_signals();
	open_sink(&j);
	start_target(&o);
	/* Writing to a pipe that nobody reads, or more than a file may have,
	 * is an error like others; not so for the command, which would have
	 * inherited this. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	ok = record(&j);
	close_all(&j);
	if (command_pid != 0)
		status = command_status();
	if (!ok && (status == 0 || tach_recorder_stats(recorder)->rounds > 0))
		status = RECORD_FAILED;
	tach_recorder_free(recorder);
	return status;
}
