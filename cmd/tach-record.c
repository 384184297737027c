/* SPDX-License-Identifier: ISC */
/* tach-record: records where a Python program spends its time, from outside
 * of it, into a TACH profile. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
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

static const char help[] =
    "Usage: tach-record [OPTION]... [--] COMMAND [ARG]...\n"
    "       tach-record [OPTION]... -p PID\n"
    "Record where a Python program spends its time.\n"
    "\n"
    "  -o, --output FILE       the profile (default " DEFAULT_OUTPUT
    "); - is standard output\n"
    "  -r, --rate RATE         samples a second: 1000, 10k, 10khz (default "
    "1000)\n"
    "  -d, --duration SECONDS  stop recording after so long\n"
    "  -p, --pid PID           record a running process\n"
    "      --compression TYPE  zstd (default) or none\n"
    "      --level N           of zstd, 1 to 22 (default 5)\n"
    "      --layout LAYOUT     documented (default), or cpython: the header "
    "that\n"
    "                          CPython 3.15 reads\n"
    "  -q, --quiet             no progress, no summary\n"
    "  -h, --help              this text\n"
    "  -V, --version           the version\n"
    "\n"
    "Exits with the command's status, 128+N if signal N ended it, 127 if it "
    "was\n"
    "not found, 126 if it could not be run, 125 if recording failed.\n";

struct options {
	const char *output;
	double rate;	 /* Hz */
	double duration; /* s; 0: until the end */
	pid_t pid;	 /* 0: a command */
	char **command;
	struct tach_writer_options writer;
	bool quiet;
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

/* The index of a word among two. */
static int
parse_word(const char *text, const char *what, const char *first,
    const char *second)
{
	if (strcmp(text, first) == 0)
		return 0;
	if (strcmp(text, second) != 0)
		cmd_usage("no such %s: %s (there are %s and %s)", what, text,
		    first, second);
	return 1;
}

enum { OPT_COMPRESSION = 256, OPT_LEVEL, OPT_LAYOUT };

static const struct option longs[] = {
	{"output", required_argument, NULL, 'o'},
	{"rate", required_argument, NULL, 'r'},
	{"duration", required_argument, NULL, 'd'},
	{"pid", required_argument, NULL, 'p'},
	{"compression", required_argument, NULL, OPT_COMPRESSION},
	{"level", required_argument, NULL, OPT_LEVEL},
	{"layout", required_argument, NULL, OPT_LAYOUT},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static void
parse_option(struct options *o, int c)
{
	switch (c) {
	case 'o':
		o->output = optarg;
		break;
	case 'r':
		o->rate = parse_rate(optarg);
		break;
	case 'd':
		o->duration = parse_duration(optarg);
		break;
	case 'p':
		o->pid = parse_number(optarg, "process id", 1, INT32_MAX);
		break;
	case OPT_COMPRESSION:
		o->writer.compression =
		    parse_word(optarg, "compression", "zstd", "none") == 0 ?
		    TACH_ZSTD : TACH_PLAIN;
		break;
	case OPT_LEVEL:
		o->writer.level = parse_number(optarg, "level", 1, 22);
		break;
	case OPT_LAYOUT:
		o->writer.layout =
		    parse_word(optarg, "layout", "documented", "cpython") == 0 ?
		    TACH_LAYOUT_DOCUMENTED : TACH_LAYOUT_CPYTHON;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'h':
		cmd_help(help);
	case 'V':
		cmd_version();
	default:
		cmd_usage(NULL);
	}
}

static struct options
parse_options(int argc, char *argv[])
{
	struct options o = {.output = DEFAULT_OUTPUT, .rate = DEFAULT_RATE,
	    .writer = {TACH_LAYOUT_DOCUMENTED, TACH_ZSTD, TACH_LEVEL_DEFAULT}};
	int c;

	while ((c = getopt_long(argc, argv, "+o:r:d:p:qhV", longs, NULL)) != -1)
		parse_option(&o, c);
	o.command = argv + optind;
	if (o.pid == 0 && *o.command == NULL)
		cmd_usage("no command, and no process to attach to");
	if (o.pid != 0 && *o.command != NULL)
		cmd_usage("either a command or -p, not both");
	if (strcmp(o.output, "-") == 0 && isatty(STDOUT_FILENO))
		cmd_usage("a profile is no text: standard output is a terminal");
	return o;
}

/* ---- output ----------------------------------------------------------------- */

/*
 * The profile is written beside its name and gets it when it is complete, so
 * that an older file of that name survives until then.  What cannot be
 * replaced by a rename (a pipe, a device, standard output) gets the complete
 * profile at the end.
 */
struct output {
	const char *name;
	char *temporary; /* its name; NULL: it has none */
	int fd;
	int copy_to; /* -1: it is renamed */
};

/* Removed when this ends in any way but by SIGKILL. */
static const char *unfinished;

static void
remove_unfinished(void)
{
	if (unfinished != NULL)
		unlink(unfinished);
	unfinished = NULL;
}

static noreturn void
output_failed(const char *name, const char *why)
{
	errx(RECORD_FAILED, "%s: cannot write: %s", name, why);
}

static bool
is_sticky(const char *path)
{
	char *copy = strdup(path);
	struct stat st;
	bool sticky = copy != NULL && stat(dirname(copy), &st) == 0 &&
	    (st.st_mode & S_ISVTX) != 0;

	free(copy);
	return sticky;
}

/* A descriptor to write to directly, or -1: a file is made beside it. */
static int
open_special(const char *path)
{
	struct stat st;
	int fd;

	if (strcmp(path, "-") == 0)
		return STDOUT_FILENO;
	if (lstat(path, &st) != 0)
		return -1;
	if (S_ISLNK(st.st_mode))
		output_failed(path, "it is a symbolic link, and those are not "
		    "followed: name the file itself");
	if (is_sticky(path) && S_ISREG(st.st_mode) && st.st_uid != geteuid())
		output_failed(path, "it is somebody else's file in a shared "
		    "folder: choose another name");
	if (S_ISREG(st.st_mode))
		return -1;
	if ((fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		output_failed(path, strerror(errno));
	return fd;
}

/* A file without a name, for what cannot be written out of order. */
static int
open_spool(const char *name)
{
	FILE *f = tmpfile();
	int fd = f != NULL ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 0) : -1;

	if (fd < 0)
		output_failed(name, strerror(errno));
	fclose(f);
	return fd;
}

static void
open_beside(struct output *o)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&o->temporary, "%s.XXXXXX", o->name) < 0)
		output_failed(o->name, strerror(ENOMEM));
	if ((o->fd = mkostemp(o->temporary, O_CLOEXEC)) < 0)
		output_failed(o->name, strerror(errno));
	unfinished = o->temporary;
	if (fchmod(o->fd, 0600 & ~mask) != 0)
		output_failed(o->name, strerror(errno));
}

static struct output
output_open(const char *path)
{
	struct output o = {.name = path, .copy_to = open_special(path)};

	if (strcmp(path, "-") == 0)
		o.name = "standard output";
	atexit(remove_unfinished);
	if (o.copy_to >= 0)
		o.fd = open_spool(o.name);
	else
		open_beside(&o);
	return o;
}

static bool
write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, bytes, n);
		if (k < 0 && errno != EINTR)
			return false;
		bytes += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return true;
}

static bool
copy_all(int from, int to)
{
	static char bytes[65536];
	ssize_t n;

	if (lseek(from, 0, SEEK_SET) < 0)
		return false;
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (!write_all(to, bytes, (size_t)n))
			return false;
	return n == 0;
}

/* Gives the complete profile its name.  False, with errno. */
static bool
output_commit(struct output *o)
{
	if (o->copy_to >= 0)
		return copy_all(o->fd, o->copy_to) && close(o->fd) == 0;
	if (close(o->fd) != 0 || rename(o->temporary, o->name) != 0)
		return false;
	unfinished = NULL;
	return true;
}

/* ---- signals ------------------------------------------------------------------ */

static struct tach_recorder *recorder; /* for the handler */
static volatile pid_t command_pid;     /* 0: attached, or ended */

/*
 * The terminal sends its signals to the command as well, which decides what
 * they mean: the first that asks for an end leaves us recording until it
 * ends; after the second we only wait for it.  What another process sends to us, the command gets from us.
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
show_summary(const struct output *o, uint64_t bytes)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(recorder);

	warnx("%" PRIu64 " samples of %" PRIu32 " thread%s in %.2f s at %.0f Hz "
	    "(%" PRIu64 " missed, %" PRIu64 " torn, %" PRIu64 " failed), %"
	    PRIu64 " bytes", s->samples, s->threads, s->threads == 1 ? "" : "s",
	    (double)s->elapsed_ns / 1e9, rate_reached(s), s->missed, s->torn,
	    s->failed, bytes);
	if (o->copy_to < 0)
		warnx("next: tach-info %s; tach-convert --collapsed %s",
		    o->name, o->name);
}

/* ---- recording ---------------------------------------------------------------------- */

/* The writer as a sink. */
struct writer_sink {
	struct tach_sink sink;
	struct tach_writer *writer;
};

static int
sink_run(struct tach_sink *s, const struct tach_run *run)
{
	return tach_writer_run(((struct writer_sink *)s)->writer, run);
}

static const char *
sink_error(const struct tach_sink *s)
{
	return tach_writer_error(((const struct writer_sink *)s)->writer);
}

static void
start_target(const struct options *o)
{
	int status;

	if (o->pid != 0) {
		if (tach_recorder_attach(recorder, o->pid) != TACH_OK)
			errx(RECORD_FAILED, "%s", tach_recorder_error(recorder));
		return;
	}
	/* A profile on standard output must not be mixed with the command's. */
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

/* Samples until the end.  False: it failed, and the user was told. */
static bool
sample(const struct options *o, struct tach_writer *w, const char *name)
{
	struct writer_sink sink = {{.run = sink_run, .error = sink_error}, w};
	bool progress = !o->quiet && isatty(STDERR_FILENO);
	int rc;

	while ((rc = tach_recorder_round(recorder, &sink.sink)) == TACH_OK)
		if (progress)
			show_progress();
	if (progress)
		fprintf(stderr, "\r\033[K");
	if (rc < TACH_OK)
		warnx("%s: %s", name, tach_recorder_error(recorder));
	return rc >= TACH_OK;
}

/* Completes the profile.  False: it failed, and the user was told. */
static bool
finish(struct tach_writer *w, struct output *out)
{
	if (tach_writer_finish(w, tach_recorder_meta(recorder)) != TACH_OK) {
		warnx("%s: %s", out->name, tach_writer_error(w));
		return false;
	}
	if (!output_commit(out)) {
		warn("%s: cannot write", out->name);
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

static bool
record(const struct options *o, struct output *out)
{
	struct tach_writer *w = tach_writer_new(out->fd, &o->writer,
	    tach_recorder_table(recorder));
	bool ok;

	if (w == NULL)
		err(RECORD_FAILED, NULL);
	ok = sample(o, w, out->name);
	if (ok && tach_recorder_stats(recorder)->rounds == 0) {
		explain(o);
		ok = false;
	} else if (ok && (ok = finish(w, out)) && !o->quiet) {
		show_summary(out, tach_writer_bytes(w));
	}
	tach_writer_free(w);
	return ok;
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

int
main(int argc, char *argv[])
{
	struct options o;
	struct output out;
	int status = 0;
	bool ok;

	cmd_start("tach-record", RECORD_FAILED, argv);
	o = parse_options(argc, argv);
	out = output_open(o.output);
	recorder = tach_recorder_new(&(struct tach_recorder_options){
	    .interval_ns = (uint64_t)(1e9 / o.rate),
	    .duration_ns = (uint64_t)(o.duration * 1e9)});
	if (recorder == NULL)
		err(RECORD_FAILED, NULL);
	catch_signals();
	start_target(&o);
	/* Writing to a pipe that nobody reads is an error like others; not so
	 * for the command, which would have inherited this. */
	signal(SIGPIPE, SIG_IGN);
	ok = record(&o, &out);
	remove_unfinished();
	free(out.temporary);
	if (command_pid != 0)
		status = command_status();
	if (!ok && (status == 0 || tach_recorder_stats(recorder)->rounds > 0))
		status = RECORD_FAILED;
	tach_recorder_free(recorder);
	return status;
}
