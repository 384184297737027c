/* SPDX-License-Identifier: ISC */
/*
 * tach-record.c: records where a Python program spends its time, to a TACH profile.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cmd.h"
#include "cmdline.h"
#include "dump.h"
#include "family.h"
#include "giveup.h"
#include "hint.h"
#include "hottest.h"
#include "natives.h"
#include "output.h"
#include "profile.h"
#include "recording.h"
#include "summary.h"
#include "tach-record.h"
#include "why.h"

#define DEFAULT_OUTPUT "tach.bin"
#define DEFAULT_RATE 1000.0 /* Hz */
#define RATE_MIN 1e-3	    /* Hz */
#define RATE_MAX 2e5	    /* Hz: no round takes less than 5 us */
#define DURATION_MIN 1e-3   /* s */
#define DURATION_MAX 1e9    /* s */
#define PROGRESS_EVERY 0.2  /* s */
#define OFFSPRING_AFTER 0.1 /* s; most commands are Pythons by then */
#define OFFSPRING_EVERY 0.05 /* s */
#define END_STEP 10000000 /* ns between two looks for the command's end */
#define END_STEPS 10	  /* looks at a command that may be ending */
#define KILL_STEPS 500	  /* the same after SIGTERM */

struct options {
	const char *output;
	pid_t pid;	 /* 0: a command */
	char **command;
	struct tach_recorder_options recorder;
	struct profile_options profile;
	bool how; /* there was an option about the profile */
	bool mode; /* there was a --mode */
	bool waits; /* there was a --waits */
	bool check, dump, locals, text, quiet;
	bool kill; /* end the command when the recording is over */
	bool subprocesses, merge;
};

/* ---- options ------------------------------------------------------------- */

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
	if (!(rate >= RATE_MIN && rate <= RATE_MAX))
		cmd_usage("the rate %s is out of range: 0.001 to 200k", text);
	return rate;
}

static double
parse_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end != '\0')
		cmd_usage("not a duration in seconds: %s", text);
	if (!(seconds >= DURATION_MIN && seconds <= DURATION_MAX))
		cmd_usage("the duration %s is out of range: 0.001 to 1e9 "
		    "seconds", text);
	return seconds;
}

static pid_t
parse_pid(const char *text)
{
	const char *why;
	long long n = strtonum(text, 1, INT32_MAX, &why);

	if (why != NULL)
		cmd_usage("the process id %s is %s", text, why);
	return (pid_t)n;
}

#define WORDS_MAX 80 /* bytes of an option's words, with what is between them */

static _Noreturn void
refuse_word(const struct option_row *row, const char *value)
{
	char words[WORDS_MAX] = "";

	for (const char *const *w = row->words; *w != NULL; w++) {
		if (w > row->words)
			strlcat(words, w[1] != NULL ? ", " : " or ", sizeof(words));
		strlcat(words, *w, sizeof(words));
	}
	cmd_usage("--%s cannot be %s: it is %s", row->name, value, words);
}

/* The index of an option's argument among its words. */
static int
record_word(const struct option_row *row, const char *value)
{
	int i = cmdline_word(row->words, value);

	if (i < 0)
		refuse_word(row, value);
	return i;
}

static const char *const engine_words[] = {
	[TACH_ENGINE_REMOTE] = "remote",
	[TACH_ENGINE_INPROCESS] = "inprocess", NULL,
};
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

static const char *const waits_words[] = {
	[TACH_WAITS_NONE] = "none", [TACH_WAITS_CALLS] = "calls",
	[TACH_WAITS_KIND] = "kind", [TACH_WAITS_FULL] = "full",
	[TACH_WAITS_EXACT] = "exact", NULL,
};
static const char *const native_words[] = {"calls", "all", NULL};

enum {
	OPT_TEXT = 256,
	OPT_SUBPROCESSES,
	OPT_MERGE,
	OPT_CHECK,
	OPT_DUMP,
	OPT_LOCALS,
	OPT_ENGINE,
	OPT_THREADS,
	OPT_IDLE,
	OPT_JITTER,
	OPT_BLOCKING,
	OPT_ASYNC,
	OPT_NATIVE,
	OPT_NATIVE_LINES,
	OPT_MARKERS,
	OPT_KERNEL,
	OPT_WAITS,
	OPT_NO_GC,
	OPT_NO_CALLEES,
	OPT_OPCODES,
	OPT_PRE_RELEASE,
	OPT_KILL,
};

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "the profile (default " DEFAULT_OUTPUT "); - is "
	    "standard output", VALUES_FILE, NULL},
	{"rate", 'r', "RATE", "samples a second: 1000, 10k, 10khz (default "
	    "1000)", VALUES_NONE, NULL},
	{"duration", 'd', "SECONDS", "stop recording after so long",
	    VALUES_NONE, NULL},
	{"kill", OPT_KILL, NULL, "then end the command, by SIGTERM", VALUES_NONE,
	    NULL},
	{"pid", 'p', "PID", "record a running process", VALUES_PROCESS, NULL},
	{"engine", OPT_ENGINE, "WHICH", "remote (from outside, the default) or "
	    "inprocess\n(threads sample themselves, by CPU time)", VALUES_NONE,
	    engine_words},
	{"mode", 'm', "MODE", "which samples to keep: wall (all, the default), "
	    "cpu\n(the default inprocess), gil or exception", VALUES_NONE,
	    mode_words},
	{"threads", OPT_THREADS, "WHICH", "main or all (the default)",
	    VALUES_NONE, threads_words},
	{"idle", OPT_IDLE, "WHAT", "keep (the default) or drop samples of idle "
	    "threads", VALUES_NONE, idle_words},
	{"jitter", OPT_JITTER, NULL, "sample at random times, at that rate on "
	    "average", VALUES_NONE, NULL},
	{"blocking", OPT_BLOCKING, NULL, "stop the program for each sample",
	    VALUES_NONE, NULL},
	{"async", OPT_ASYNC, "WHICH", "asyncio: running, or all tasks (3.14 and "
	    "later)", VALUES_NONE, async_words},
	{"native-markers", OPT_MARKERS, NULL, "frames <native> where C code was "
	    "called through", VALUES_NONE, NULL},
	{"native", OPT_NATIVE, "[=WHICH]", "frames for functions of C, also with "
	    "--dump: calls (the\ndefault), or all", VALUES_NONE, native_words},
	{"native-lines", OPT_NATIVE_LINES, NULL, "the same, with the source lines "
	    "that debug information has", VALUES_NONE, NULL},
	{"kernel", OPT_KERNEL, NULL, "frames for functions of the kernel, also with "
	    "--dump", VALUES_NONE, NULL},
	{"waits", OPT_WAITS, "[=WHICH]", "a frame for the reason that a thread is "
	    "blocked: calls (without\nthe option: none for the GIL or a CPU), kind, "
	    "full (the\ndefault of the option: with names of paths and peers), "
	    "exact\n(kind, of each wait, with its begin and end) or none",
	    VALUES_NONE, waits_words},
	{"no-gc", OPT_NO_GC, NULL, "no frames <GC>", VALUES_NONE, NULL},
	{"no-callees", OPT_NO_CALLEES, NULL, "no frames for functions of C that "
	    "Python calls", VALUES_NONE, NULL},
	{"opcodes", OPT_OPCODES, NULL, "note the instruction that each frame is "
	    "at", VALUES_NONE, NULL},
	{"pre-release", OPT_PRE_RELEASE, NULL, "record a Python before its "
	    "release candidates, too", VALUES_NONE, NULL},
	{"subprocesses", OPT_SUBPROCESSES, NULL, "record all processes that "
	    "come from it, each to a\nprofile with its number in the name: "
	    "tach.PID.bin", VALUES_NONE, NULL},
	{"merge", OPT_MERGE, NULL, "the same, and make one profile of them",
	    VALUES_NONE, NULL},
	{0},
};
static const struct option_row last_rows[] = {
	{"text", OPT_TEXT, NULL, "write lines of text while it runs, as "
	    "tach-cat -l\nprints them, to standard output if no -o is given",
	    VALUES_NONE, NULL},
	{"check", OPT_CHECK, NULL, "print what this machine, this user and, with "
	    "-p, a\nprocess permit, and commands that give the rest",
	    VALUES_NONE, NULL},
	{"dump", OPT_DUMP, NULL, "print the stacks of all threads as they are, "
	    "and end", VALUES_NONE, NULL},
	{"locals", OPT_LOCALS, NULL, "with --dump: and their local variables",
	    VALUES_NONE, NULL},
	{"quiet", 'q', NULL, "no progress, no summary", VALUES_NONE, NULL},
	{"help", OPTION_HELP, NULL, "this text", VALUES_NONE, NULL},
	{"version", OPTION_VERSION, NULL, "the version", VALUES_NONE, NULL},
	{0},
};

static void
set_sample_option(struct tach_recorder_options *r,
    const struct option_row *row, const char *value)
{
	switch (row->key) {
	case OPT_ENGINE:
		r->engine = (enum tach_recorder_engine)record_word(row, value);
		break;
	case 'm':
		r->mode = (enum tach_recorder_mode)record_word(row, value);
		break;
	case OPT_THREADS:
		r->main_only = record_word(row, value);
		break;
	case OPT_IDLE:
		r->drop_idle = record_word(row, value);
		break;
	case OPT_JITTER:
		r->jitter = true;
		break;
	case OPT_BLOCKING:
		r->blocking = true;
		break;
	case OPT_ASYNC:
		r->async = (enum tach_recorder_async)record_word(row, value);
		break;
	case OPT_MARKERS:
		r->native = true;
		break;
	case OPT_KERNEL:
		r->kernel = true;
		break;
	case OPT_WAITS:
		r->waits = value == NULL ? TACH_WAITS_FULL :
		    (enum tach_recorder_waits)record_word(row, value);
		break;
	case OPT_NO_GC:
		r->no_gc = true;
		break;
	case OPT_NO_CALLEES:
		r->no_callees = true;
		break;
	case OPT_OPCODES:
		r->opcodes = true;
		break;
	case OPT_PRE_RELEASE:
		r->pre_release = true;
		break;
	}
}

static void
record_option(void *target, const struct option_row *row, const char *value)
{
	struct options *o = target;

	switch (row->key) {
	case 'o':
		o->output = value;
		break;
	case 'r':
		o->recorder.interval_ns = (uint64_t)(1e9 / parse_rate(value));
		break;
	case 'd':
		o->recorder.duration_ns = (uint64_t)(1e9 * parse_duration(value));
		break;
	case OPT_KILL:
		o->kill = true;
		break;
	case 'p':
		o->pid = parse_pid(value);
		break;
	case OPT_MERGE:
		o->merge = true;
		/* FALLTHROUGH */
	case OPT_SUBPROCESSES:
		o->subprocesses = true;
		break;
	case OPT_TEXT:
		o->text = true;
		break;
	case OPT_CHECK:
		o->check = true;
		break;
	case OPT_DUMP:
		o->dump = o->recorder.careful = true;
		break;
	case OPT_LOCALS:
		o->locals = true;
		break;
	case OPT_NATIVE:
		o->recorder.mixed = value != NULL && record_word(row, value) != 0 ?
		    TACH_MIXED_ALL : TACH_MIXED_CALLS;
		break;
	case OPT_NATIVE_LINES:
		o->recorder.native_lines = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	default:
		o->mode |= row->key == 'm';
		o->waits |= row->key == OPT_WAITS;
		set_sample_option(&o->recorder, row, value);
	}
}

static void
check_family(const struct options *o)
{
	if (!o->subprocesses)
		return;
	if (o->text)
		cmd_usage("--text is of one process: it takes no "
		    "--subprocesses");
	if (!o->merge && o->output != NULL && strcmp(o->output, "-") == 0)
		cmd_usage("standard output takes one profile: use --merge");
}

/* Checks the options that --native does not go with, and sets it if its lines are
 * wanted. */
static void
check_native(struct options *o)
{
	struct tach_recorder_options *r = &o->recorder;

	if (r->native_lines && r->mixed == TACH_MIXED_NONE)
		r->mixed = TACH_MIXED_CALLS;
	if (r->mixed == TACH_MIXED_NONE)
		return;
	if (r->native_lines && (o->text || o->profile.depth != 0))
		cmd_usage("--native-lines finds the lines at the end: it takes no --text "
		    "and no --depth, which tach-cat and tach-convert have");
	if (r->native)
		cmd_usage("--native shows the functions of C: it takes no "
		    "--native-markers");
	if (r->blocking)
		cmd_usage("--native reads each thread as of one moment: it takes no "
		    "--blocking");
}

/* Checks the options that --kernel does not go with. */
static void
check_kernel(const struct options *o)
{
	const struct tach_recorder_options *r = &o->recorder;

	if (!r->kernel)
		return;
	if (r->engine == TACH_ENGINE_INPROCESS)
		cmd_usage("--kernel needs --engine=remote");
	if (r->blocking)
		cmd_usage("--kernel reads each thread as of one moment: it takes no "
		    "--blocking");
	if (r->waits == TACH_WAITS_EXACT)
		cmd_usage("--kernel takes no --waits=exact: --waits=kind does");
}

/* Checks the options of the in-process engine, and sets its defaults. */
static void
check_engine(struct options *o)
{
	struct tach_recorder_options *r = &o->recorder;

	if (r->engine != TACH_ENGINE_INPROCESS)
		return;
	if (o->dump)
		cmd_usage("--dump needs --engine=remote");
	if (r->async != TACH_ASYNC_NONE)
		cmd_usage("--async needs --engine=remote");
	if (!o->mode)
		r->mode = TACH_MODE_CPU;
	r->follow = o->subprocesses;
}

/* Checks what goes with exact waits. */
static void
check_exact(const struct options *o)
{
	const struct tach_recorder_options *r = &o->recorder;

	if (r->waits != TACH_WAITS_EXACT || o->check)
		return;
	if (o->dump)
		cmd_usage("--waits=exact is for recordings, not for --dump");
	if (r->engine == TACH_ENGINE_INPROCESS)
		cmd_usage("--waits=exact needs --engine=remote");
	if (r->mode != TACH_MODE_WALL || r->drop_idle)
		cmd_usage("--waits=exact is of all samples: it takes no other --mode than "
		    "wall, and no --idle=drop");
	if (r->async != TACH_ASYNC_NONE || r->native || r->blocking)
		cmd_usage("--waits=exact takes no --async, --native-markers or --blocking");
}

/* Sets the default of --waits.  A mode that keeps no thread that waits has no use for it. */
static void
set_waits(struct options *o)
{
	struct tach_recorder_options *r = &o->recorder;

	if (o->waits)
		return;
	if (o->dump)
		r->waits = TACH_WAITS_FULL;
	else if (r->mode != TACH_MODE_CPU && r->mode != TACH_MODE_GIL)
		r->waits = TACH_WAITS_CALLS;
}

/* Parses the command line, and returns the operands: the command. */
static char **
record_operands(struct options *o, int argc, char *argv[])
{
	const struct option_group groups[] = {
		{rows, 26, NULL, record_option, o, NULL},
		profile_group(&o->profile, NULL, &o->how),
		{last_rows, 26, NULL, record_option, o, NULL},
	};
	const struct command_line line = {
	    "Usage: tach-record [OPTION]... [--] COMMAND [ARG]...\n"
	    "       tach-record [OPTION]... -p PID\n"
	    "       tach-record --dump [OPTION]... -p PID\n"
	    "       tach-record --check [--engine WHICH] [-p PID]\n"
	    "Record where a Python program spends its time.\n\n",
	    "\nExits with the command's status, 128+N if signal N ended it, "
	    "127 if it was\nnot found, 126 if it could not be run, 125 if "
	    "recording failed.\n", groups, 3, VALUES_COMMAND};

	return argv + cmdline_parse(&line, argc, argv);
}

/* Checks that nothing is asked for that --check would not heed. */
static void
check_alone(const struct options *o)
{
	if (*o->command != NULL)
		cmd_usage("--check runs no command: give the PID of a process, "
		    "or none");
	if (o->dump || o->locals || o->text || o->how || o->subprocesses ||
	    o->output != NULL || o->recorder.duration_ns != 0)
		cmd_usage("--check records nothing: it takes --engine and -p "
		    "only");
}

static struct options
parse_record(int argc, char *argv[])
{
	struct options o = {.profile = PROFILE_DEFAULTS,
	    .recorder.size = sizeof(o.recorder),
	    .recorder.interval_ns = (uint64_t)(1e9 / DEFAULT_RATE)};

	o.command = record_operands(&o, argc, argv);
	if (o.check) {
		check_alone(&o);
		return o;
	}
	if (o.dump && (o.pid == 0 || *o.command != NULL))
		cmd_usage("--dump needs -p and the PID of a running process");
	if (o.dump && (o.output != NULL || o.text || o.how ||
		o.merge || o.recorder.duration_ns != 0))
		cmd_usage("--dump prints: it takes no -o, -d, --text, --merge, "
		    "--layout, --compression, --level or --depth");
	if (o.locals && !o.dump)
		cmd_usage("--locals is for --dump");
	check_native(&o);
	check_kernel(&o);
	o.recorder.plain = o.recorder.mixed != TACH_MIXED_NONE && !o.dump &&
	    !o.subprocesses;
	if (o.pid == 0 && *o.command == NULL)
		cmd_usage("no command, and no process to attach to");
	if (o.pid != 0 && *o.command != NULL)
		cmd_usage("either a command or -p, not both");
	if (o.kill && o.pid != 0)
		cmd_usage("--kill ends a command that was started: the process "
		    "of -p goes on");
	if (o.text && o.how)
		cmd_usage("--layout, --compression, --level and --depth are for "
		    "profiles, not for --text");
	check_engine(&o);
	check_exact(&o);
	set_waits(&o);
	if (o.dump)
		return o;
	check_family(&o);
	if (o.output == NULL)
		o.output = o.text ? "-" : DEFAULT_OUTPUT;
	if (!o.text && strcmp(o.output, "-") == 0 && isatty(STDOUT_FILENO))
		cmd_usage("a profile is no text: standard output is a terminal");
	return o;
}

/* ---- signals ------------------------------------------------------------- */

static struct tach_recorder *recorder; /* for the handler */
static volatile pid_t command_pid;     /* 0: attached, or ended */
static int command_status;
/* The last signal before there was a command. */
static volatile sig_atomic_t early;
static volatile sig_atomic_t early_is_ours; /* only this process got it */

/* Handles signals that ask for an end.  The terminal sends its signals to the
 * command as well, which decides what they mean: after the first one, recording
 * goes on until the command ends; after the second one, it ends.  A signal that
 * another process sent to us is passed to the command. */
static void
on_signal(int sig, siginfo_t *info, void *context)
{
	static volatile sig_atomic_t asked;
	bool ours = info->si_code <= 0 && info->si_pid != command_pid;
	int saved = errno;

	(void)context;
	if (command_pid == 0) {
		early_is_ours = ours;
		early = sig;
	} else if (ours) {
		kill(command_pid, sig);
	}
	if (command_pid == 0 || (sig != SIGINT && sig != SIGQUIT) ||
	    asked++ > 0) {
		family_stop();
		tach_recorder_stop(recorder);
		giveup_start();
	}
	errno = saved;
}

/* Handles the signals to pause and to go on, which are for this process alone. */
static void
on_pause(int sig)
{
	int saved = errno;

	family_pause(sig == SIGUSR1);
	tach_recorder_pause(recorder, sig == SIGUSR1);
	errno = saved;
}

static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
#define ENDS (sizeof(ends) / sizeof(*ends))

static void
catch_signals(void)
{
	struct sigaction end = {.sa_sigaction = on_signal,
	    .sa_flags = SA_SIGINFO | SA_RESTART}, old;
	struct sigaction pause = {.sa_handler = on_pause,
	    .sa_flags = SA_RESTART};

	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(ends[i], &end, NULL);
	sigemptyset(&pause.sa_mask);
	sigaddset(&pause.sa_mask, SIGUSR1);
	sigaddset(&pause.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &pause, NULL);
	sigaction(SIGUSR2, &pause, NULL);
	cmd_pass_over(SIGPIPE);
}

static void
ignore_children(void)
{
	signal(SIGCHLD, SIG_IGN);
}

/* Has children wait for this process to reap them, which the kernel does at once where
 * SIGCHLD is ignored: then their numbers are free.  The command ignores it as before. */
static void
keep_children(void)
{
	if (signal(SIGCHLD, SIG_DFL) == SIG_IGN)
		pthread_atfork(NULL, NULL, ignore_children);
}

/* Blocks the signals from the end of the recording to the end of the process: there
 * is nothing left for them to end. */
static void
hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&set, ends[i]);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ---- progress and summary ------------------------------------------------ */

static void
show_progress(const struct recording *r, bool over)
{
	static double next;
	const struct tach_recorder_stats *s = tach_recorder_stats(r->recorder);
	double now = recording_clock();

	if (over)
		fprintf(stderr, "\r\033[K");
	if (next == 0)
		next = now + PROGRESS_EVERY;
	if (now < next || over)
		return;
	next = now + PROGRESS_EVERY;
	if (tach_recorder_state(r->recorder) == TACH_RECORDER_WAITING)
		fprintf(stderr, "\r\033[Kwaiting for a Python to start");
	else
		fprintf(stderr, "\r\033[K%.1f s, %" PRIu64 " samples, %.0f Hz, "
		    "%" PRIu64 " failed%s", (double)s->elapsed_ns / 1e9,
		    s->samples, recording_rate(s), s->failed,
		    tach_recorder_paused(r->recorder) ? ", paused" : "");
}

static struct tach_children *offspring; /* NULL if there is a Python */
static pid_t python_pid; /* a Python that descends from the command; 0: none yet */

/* Looks for a Python that descends from a command which is none itself. */
static void
look_for_offspring(void)
{
	static double next;
	double now = recording_clock();
	pid_t pid;
	int rc;

	if (next == 0)
		next = now + OFFSPRING_AFTER;
	if (now < next || python_pid != 0 || command_pid == 0)
		return;
	next = now + OFFSPRING_EVERY;
	if (offspring == NULL)
		offspring = tach_children_new(command_pid, false);
	while (offspring != NULL &&
	    (rc = tach_children_next(offspring, &pid)) != TACH_END)
		if (rc == TACH_OK)
			python_pid = pid;
}

static void
forget_offspring(void)
{
	tach_children_free(offspring);
	offspring = NULL;
}

static bool shows; /* progress */
static bool looks_at_natives; /* at threads without Python */
static bool attached;
static struct natives natives;

static void
after_round(const struct recording *r, bool over)
{
	if (shows)
		show_progress(r, over);
	giveup_beat();
	if (over)
		giveup_stop();
	if (looks_at_natives && !over &&
	    tach_recorder_state(recorder) == TACH_RECORDER_SAMPLING)
		natives_look(&natives, tach_recorder_pid(recorder), attached,
		    recording_clock());
	if (!over && tach_recorder_state(recorder) == TACH_RECORDER_WAITING)
		look_for_offspring();
	else if (offspring != NULL)
		forget_offspring();
}

static void
show_summary(const struct recording *r, const struct options *o)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(r->recorder);
	const struct tach_writer *w = r->writer;
	const char *profile = w != NULL && r->part.copy_to < 0 ? r->part.name :
								 NULL;

	summary_show(&(struct summary){.stats = s,
	    .seconds = (double)s->elapsed_ns / 1e9,
	    .rate = recording_rate(s),
	    .bytes = w != NULL ? (int64_t)tach_writer_bytes(w) : -1,
	    .profile = profile,
	    .recorder = &o->recorder,
	    .counts = &r->counts,
	    .natives = looks_at_natives ? &natives : NULL});
	if (shows && profile != NULL)
		hottest_show(r->part.fd);
}

/* ---- recording ----------------------------------------------------------- */

/* Notes the command's number, and passes it the signal that came before.  It has
 * had a terminal's signal already. */
static void
note_command(void)
{
	command_pid = tach_recorder_pid(recorder);
	if (early != 0 && early_is_ours)
		kill(command_pid, early);
}

/* Starts the command or attaches.  The command is started before any thread: the
 * first thread of a process changes signals that are ignored. */
static void
start_target(const struct options *o)
{
	int status;

	if (o->pid != 0) {
		giveup_open(on_signal, ends, ENDS);
		if (tach_recorder_attach(recorder, o->pid) != TACH_OK)
			errx(RECORD_FAILED, "%s", recorder_hinted(recorder));
		return;
	}
	/* Our output must not be mixed with the command's. */
	if (tach_recorder_launch(recorder, o->command,
		strcmp(o->output, "-") == 0 ? STDERR_FILENO : -1) == TACH_OK) {
		note_command();
		giveup_open(on_signal, ends, ENDS);
		return;
	}
	if (errno == EINTR && early != 0)
		exit(128 + early);
	status = errno == ENOENT ? RECORD_NOT_FOUND :
	    errno == EAGAIN || errno == ENOMEM || errno == ENOSYS ?
	    RECORD_FAILED : RECORD_CANNOT_RUN;
	/* A file that may not be run is no matter of recording. */
	errx(status, "%s", status == RECORD_FAILED ? recorder_hinted(recorder) :
						     recorder_why(recorder));
}

static void
explain_command(const struct options *o)
{
	const char *name = o->command[0];

	if (o->subprocesses)
		warnx("nothing was recorded: no Python was seen in %s before "
		    "it ended", name);
	else if (python_pid != 0)
		warnx("nothing was recorded: %s was no Python, but process "
		    "%d, which came from it, was one: --subprocesses records "
		    "such processes, too", name, (int)python_pid);
	else
		warnx("nothing was recorded: no Python was seen in %s before "
		    "it ended; --subprocesses records one that it starts%s", name,
		    o->recorder.plain ? "" : ", --native a program without Python");
}

/* Prints why nothing was recorded. */
static void
explain(const struct options *o)
{
	const char *why = recorder_hinted(recorder);
	const struct tach_recorder_stats *s = tach_recorder_stats(recorder);

	if (*why != '\0')
		warnx("nothing was recorded: %s", why);
	else if (s->inprocess.refused > 0)
		warnx("nothing was recorded");
	else if (s->paused_ns > 0)
		warnx("nothing was recorded: it was paused all the time");
	else if (o->pid == 0)
		explain_command(o);
	else
		warnx("nothing was recorded: no Python was seen in the process "
		    "before it ended");
}

/* Prints why there are no samples of a family that has a Python. */
static void
explain_unsampled(void)
{
	const char *why = recorder_hinted(recorder);

	warnx("nothing was recorded: %s", *why != '\0' ? why :
	    "Python ran, but no sample was of the kind that was asked for");
}

/* Records.  False: it failed, and a message was printed. */
static bool
record_target(struct recording *r, const struct options *o)
{
	enum recording_result result;

	shows = !o->quiet && isatty(STDERR_FILENO);
	looks_at_natives = !o->quiet && o->recorder.mode == TACH_MODE_WALL &&
	    !o->recorder.drop_idle && !o->recorder.main_only;
	attached = o->pid != 0;
	r->progress = after_round;
	result = recording_run(r);
	if (result == RECORDING_EMPTY)
		explain(o);
	if (result == RECORDING_OK && !o->quiet)
		show_summary(r, o);
	natives_clear(&natives);
	summary_refused(&tach_recorder_stats(recorder)->inprocess);
	summary_strays(tach_recorder_stats(recorder));
	summary_files(tach_recorder_stats(recorder));
	return result == RECORDING_OK;
}

static bool killed; /* --kill has ended the command */

/* Waits for the command, whose status becomes what a shell would give, and 0 if it
 * ended as --kill wants it. */
static void
reap_command(void)
{
	siginfo_t si;
	int status;

	/* A process keeps its number until it is reaped. */
	while (waitid(P_PID, (id_t)command_pid, &si, WEXITED | WNOWAIT) != 0 &&
	    errno == EINTR)
		continue;
	command_pid = 0;
	if (tach_recorder_wait(recorder, &status) != TACH_OK)
		errx(RECORD_FAILED, "%s", recorder_hinted(recorder));
	command_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status);
	if (killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		command_status = 0;
}

/* Whether the command has not ended after so many steps.  It is not reaped.  One that is
 * no child any more has ended. */
static bool
command_runs(int steps)
{
	const struct timespec step = {.tv_nsec = END_STEP};
	siginfo_t si = {0};

	while (steps-- > 0 && si.si_pid == 0) {
		nanosleep(&step, NULL);
		if (waitid(P_PID, (id_t)command_pid, &si,
			WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
			return false;
	}
	return si.si_pid == 0;
}

/* Ends the command by SIGTERM, or tells that it goes on. */
static void
kill_command(void)
{
	killed = kill(command_pid, SIGTERM) == 0;
	if (!killed)
		warn("the command goes on: cannot send it SIGTERM");
	else if (command_runs(KILL_STEPS))
		warnx("the command goes on, though it was sent SIGTERM");
}

/* Ends the command by --kill, or tells that it goes on.  A recording can end with the
 * command's memory, some milliseconds before the command itself. */
static void
leave_command(const struct options *o)
{
	if (!command_runs(END_STEPS))
		return;
	if (o->kill)
		kill_command();
	else if (!o->quiet)
		warnx("the command goes on (Ctrl-C ends it; --kill would)");
}

/* Starts the command or attaches, and records one process.  False: it failed, and a
 * message was printed. */
static bool
record_one(const struct options *o)
{
	struct recording r;
	bool ok;

	if (!recording_open(&r, recorder, tach_rounds_new(recorder), o->output,
		o->text ? NULL : &o->profile))
		exit(RECORD_FAILED);
	r.quiet = o->quiet;
	start_target(o);
	ok = record_target(&r, o);
	recording_close(&r);
	return ok;
}

/* The same, with all descendants. */
static bool
record_family(const struct options *o)
{
	struct family_options fo = {.output = o->output,
	    .recorder = &o->recorder, .profile = &o->profile, .merge = o->merge,
	    .quiet = o->quiet, .command = o->pid == 0, .reap = reap_command};
	struct family *f = family_open(&fo);
	enum family_result result;

	if (f == NULL)
		exit(RECORD_FAILED);
	start_target(o);
	result = family_record(f, recorder);
	if (result == FAMILY_STUCK)
		exit(RECORD_FAILED);
	if (result == FAMILY_EMPTY)
		explain(o);
	else if (result == FAMILY_UNSAMPLED)
		explain_unsampled();
	return result == FAMILY_OK;
}

/* Prints that tasks were not recorded: a command's version is known only once it
 * runs. */
static void
tell_of_tasks(void)
{
	const uint8_t *v = tach_recorder_meta(recorder)->python;

	if (tach_recorder_stats(recorder)->no_tasks)
		warnx("--async needs Python 3.14 or later; this is %d.%d.%d: "
		    "its tasks were not recorded", v[0], v[1], v[2]);
}

/* Prints the stacks of the process instead of recording it.  Returns the exit
 * status. */
static int
dump_target(const struct options *o)
{
	bool ok = dump_process(&o->recorder, o->pid, o->locals);

	if (o->subprocesses)
		ok = dump_children(&o->recorder, o->pid, o->locals) && ok;
	return output_end(CMD_OK) == CMD_OK && ok ? 0 : RECORD_FAILED;
}

/* Prints what is permitted instead of recording.  Returns the exit status. */
static int
check_target(const struct options *o)
{
	bool ok = check_show(&o->recorder, o->pid);

	if (output_end(CMD_OK) != CMD_OK)
		return RECORD_FAILED;
	return ok ? 0 : RECORD_NOT_ALLOWED;
}

int
main(int argc, char *argv[])
{
	struct options o;
	int status;
	bool ok;

	cmd_start("tach-record", RECORD_FAILED, argv);
	keep_children();
	o = parse_record(argc, argv);
	if (o.check)
		return check_target(&o);
	if (o.dump)
		return dump_target(&o);
	if ((recorder = tach_recorder_new(&o.recorder)) == NULL)
		err(RECORD_FAILED, NULL);
	catch_signals();
	ok = o.subprocesses ? record_family(&o) : record_one(&o);
	tell_of_tasks();
	if (command_pid != 0) {
		leave_command(&o);
		reap_command();
	}
	status = command_status;
	if (!ok && (status == 0 || tach_recorder_stats(recorder)->rounds > 0))
		status = RECORD_FAILED;
	hold_signals();
	tach_recorder_free(recorder);
	return status;
}
