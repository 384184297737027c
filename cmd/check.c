/* SPDX-License-Identifier: ISC */
/* check.c: see check.h. */
#include "check.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "host.h"
#include "mend.h"

#define CAP(name) (UINT64_C(1) << CAP_##name)
#define CAPS_ALL (CAP(SYS_PTRACE) | CAP(BPF) | CAP(PERFMON) | CAP(SYS_NICE))
#define LINUX_OF_BPF 17 /* 5.17 */
#define AGENT "libtach-agent.so"
#define LINE_MAX_SIZE 600
#define ROWS_OF_MACHINE 9
#define ROWS_ALL 15 /* and of a process */

enum answer { ANSWER_YES, ANSWER_PARTLY, ANSWER_NO };

struct check_finding {
	enum answer answer;
	struct need need;
	char why[LINE_MAX_SIZE];
};

/* A call of tach_check. */
struct tried {
	int result, number; /* errno */
	char line[LINE_MAX_SIZE];
};

/* What is known by earlier rows. */
struct checks {
	const struct tach_recorder_options *options;
	pid_t pid; /* 0: none */
	struct host host;
	struct tried memory; /* of the process */
	bool python;	     /* there is one, and it can be recorded */
	struct check_finding findings[ROWS_ALL]; /* by row */
};

struct check_row {
	const char *name;
	void (*look)(struct checks *, struct check_finding *);
	/* Whether an engine records nothing without it: a command, a process. */
	bool remote[2], inprocess[2];
};

/* ---- answers --------------------------------------------------------------- */

static void __attribute__((format(printf, 3, 4)))
answer(struct check_finding *f, enum answer a, const char *fmt, ...)
{
	va_list ap;

	f->answer = a;
	va_start(ap, fmt);
	vsnprintf(f->why, sizeof(f->why), fmt, ap);
	va_end(ap);
}

/* Adds to the reason. */
static void __attribute__((format(printf, 2, 3)))
because(struct check_finding *f, const char *fmt, ...)
{
	size_t n = strlen(f->why);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->why + n, sizeof(f->why) - n, fmt, ap);
	va_end(ap);
}

static void
needs(struct check_finding *f, enum fault fault, uint64_t caps)
{
	f->need = (struct need){fault, caps};
}

static struct tried
try_check(enum tach_check what, pid_t pid)
{
	struct tried t;

	t.result = tach_check(what, pid, t.line, sizeof(t.line));
	t.number = errno;
	return t;
}

/* Which of these capabilities this process does not have.  CAP_SYS_ADMIN is older than
 * two of them, and has their rights. */
static uint64_t
missing(const struct host *h, uint64_t caps)
{
	uint64_t have = h->caps;

	if (host_has(h, CAP_SYS_ADMIN))
		have |= CAP(BPF) | CAP(PERFMON);
	return caps & ~have;
}

static void
name_caps(struct check_finding *f, uint64_t caps)
{
	char names[128] = "";
	FILE *out = fmemopen(names, sizeof(names), "w");

	if (out == NULL)
		return;
	mend_print_caps(out, caps);
	fclose(out);
	because(f, "%s", names);
}

static bool
is_refusal(int number)
{
	return number == EPERM || number == EACCES || number == ENOSYS;
}

/* Capabilities that count in this user namespace alone are had outside of it. */
static void
needs_caps(const struct host *h, struct check_finding *f, enum fault fault,
    uint64_t caps)
{
	needs(f, h->own_user ? FAULT_OUTSIDE : fault, caps);
}

/* Says why a call was refused for which these capabilities are enough; 0: none is
 * needed. */
static void
refused(const struct host *h, struct check_finding *f, uint64_t caps)
{
	uint64_t lacks = missing(h, caps);

	if (lacks != 0) {
		because(f, ": without ");
		name_caps(f, lacks);
		needs_caps(h, f, FAULT_CAPS, lacks);
	} else if (caps != 0 && h->own_user) {
		because(f, ": capabilities of this user namespace do not count");
		needs_caps(h, f, FAULT_CAPS, caps);
	} else if (h->seccomp > 0) {
		because(f, ": a seccomp filter is on");
		needs(f, FAULT_SECCOMP, 0);
	} else {
		because(f, ": a security module forbids it");
	}
}

/* The process that was not read: the setting from which on Yama forbids that without
 * CAP_SYS_PTRACE.  Another user's takes the capability anyway. */
enum whose { WHOSE_OWN = 1, WHOSE_CHILD = 2, WHOSE_OTHER = 3 };

/* Says why a process's memory was not read. */
static void
read_refused(const struct host *h, struct check_finding *f, enum whose whose)
{
	if (h->yama >= 3) {
		because(f, ": Yama's ptrace_scope is %d", h->yama);
		needs(f, FAULT_YAMA_LOCK, 0);
	} else if (h->yama >= (int)whose && !host_has(h, CAP_SYS_PTRACE)) {
		because(f, ": Yama's ptrace_scope is %d", h->yama);
		needs_caps(h, f, h->yama == 1 ? FAULT_YAMA : FAULT_CAPS,
		    CAP(SYS_PTRACE));
	} else {
		refused(h, f, whose == WHOSE_OTHER ? CAP(SYS_PTRACE) : 0);
	}
}

/* ---- the machine and the user ------------------------------------------------- */

static void
look_command(struct checks *c, struct check_finding *f)
{
	struct tried t = try_check(TACH_CHECK_COMMAND, 0);

	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "a child was read");
		return;
	}
	answer(f, ANSWER_NO, "%s", t.line);
	if (is_refusal(t.number))
		read_refused(&c->host, f, WHOSE_CHILD);
}

/* Says whether processes of other users can be read, too. */
static void
look_strangers(const struct host *h, struct check_finding *f)
{
	struct tried t = try_check(TACH_CHECK_STRANGERS, 0);

	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "a process that may not be dumped was "
		    "read, so others can be");
		return;
	}
	answer(f, ANSWER_PARTLY, "of user %u alone", (unsigned)h->user);
	if (is_refusal(t.number))
		refused(h, f, CAP(SYS_PTRACE));
}

static void
look_others(struct checks *c, struct check_finding *f)
{
	struct tried t = try_check(TACH_CHECK_OTHERS, 0);

	if (t.result == TACH_OK) {
		look_strangers(&c->host, f);
		return;
	}
	answer(f, ANSWER_NO, "%s", t.line);
	if (is_refusal(t.number))
		read_refused(&c->host, f, WHOSE_OWN);
}

static void
look_yama(struct checks *c, struct check_finding *f)
{
	const struct host *h = &c->host;
	bool overrides = h->yama > 0 && h->yama < 3 &&
	    host_has(h, CAP_SYS_PTRACE);

	if (h->yama == HOST_ABSENT) {
		answer(f, ANSWER_YES, "there is no kernel.yama.ptrace_scope");
		return;
	}
	answer(f, h->yama == 0 || overrides ? ANSWER_YES :
		h->yama == 1 ? ANSWER_PARTLY : ANSWER_NO,
	    "ptrace_scope is %d%s", h->yama,
	    overrides ? ", and CAP_SYS_PTRACE overrides it" :
	    h->yama == 1 ? ": a process may read its descendants" :
	    h->yama == 2 ? ": only CAP_SYS_PTRACE may read processes" :
	    h->yama > 2 ? ": no process may read another one until the machine "
	    "starts again" : "");
	if (h->yama >= 3)
		needs(f, FAULT_YAMA_LOCK, 0);
	else if (f->answer != ANSWER_YES)
		needs_caps(h, f, h->yama == 1 ? FAULT_YAMA : FAULT_CAPS,
		    CAP(SYS_PTRACE));
}

static void
look_capabilities(struct checks *c, struct check_finding *f)
{
	const struct host *h = &c->host;
	uint64_t lacks = missing(h, CAPS_ALL);

	if (lacks == 0 && h->own_user) {
		answer(f, ANSWER_PARTLY, "they count in this user namespace "
		    "only");
		needs_caps(h, f, FAULT_CAPS, CAPS_ALL);
		return;
	}
	answer(f, lacks == 0 ? ANSWER_YES : lacks == CAPS_ALL ? ANSWER_NO :
							      ANSWER_PARTLY,
	    "user %u %s ", (unsigned)h->user, lacks == 0 ? "has" : "lacks");
	name_caps(f, lacks == 0 ? CAPS_ALL : lacks);
	if (lacks != 0)
		needs_caps(h, f, FAULT_CAPS, lacks);
}

static bool
is_old(const struct host *h)
{
	return h->major < 5 || (h->major == 5 && h->minor < LINUX_OF_BPF);
}

/* Says why the programs could not be loaded. */
static void
bpf_refused(const struct host *h, struct check_finding *f, const struct tried *t)
{
	if (t->number == 0) {
		needs(f, FAULT_FILES, 0);
	} else if (is_old(h)) {
		because(f, ": this is Linux %u.%u, and they need 5.17", h->major,
		    h->minor);
		needs(f, FAULT_KERNEL, 0);
	} else if (t->number == ENOSYS) {
		because(f, ": this kernel has no such call, or a filter "
		    "forbids it");
		needs(f, FAULT_KERNEL, 0);
	} else if (strcmp(h->lockdown, "confidentiality") == 0) {
		because(f, ": lockdown is %s", h->lockdown);
		needs(f, FAULT_KERNEL, 0);
	} else if (is_refusal(t->number)) {
		refused(h, f, CAP(BPF) | CAP(PERFMON));
		if (h->bpf_disabled > 0)
			because(f, " (unprivileged_bpf_disabled is %d)",
			    h->bpf_disabled);
	} else {
		needs(f, FAULT_KERNEL, 0);
	}
}

/* The program of --waits=exact needs a newer kernel and a certain machine. */
static void
look_switches(struct check_finding *f)
{
	struct tried t = try_check(TACH_CHECK_SWITCHES, 0);

	if (t.result != TACH_OK)
		because(f, ", but not the one of --waits=exact, which needs Linux 5.18 and "
		    "x86-64 (%s)", t.line);
}

static void
look_bpf(struct checks *c, struct check_finding *f)
{
	struct tried t;

	if (*NO_INTERRUPTS != '\0') {
		answer(f, ANSWER_NO, "this tach was built without the programs: "
		    NO_INTERRUPTS);
		needs(f, FAULT_BUILD, 0);
		return;
	}
	t = try_check(TACH_CHECK_INTERRUPTS, 0);
	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "the programs were loaded, by Linux "
		    "%u.%u", c->host.major, c->host.minor);
		look_switches(f);
		return;
	}
	answer(f, ANSWER_NO, "%s", t.line);
	bpf_refused(&c->host, f, &t);
}

static void
look_perf(struct checks *c, struct check_finding *f)
{
	const struct host *h = &c->host;
	struct tried t = try_check(TACH_CHECK_EVENTS, 0);

	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "an event of another process was opened");
		return;
	}
	answer(f, t.result == TACH_WARN ? ANSWER_PARTLY : ANSWER_NO, "%s",
	    t.line);
	if (h->perf_paranoid > 1 && missing(h, CAP(PERFMON)) != 0) {
		because(f, ": perf_event_paranoid is %d", h->perf_paranoid);
		needs_caps(h, f, FAULT_PERF, 0);
	} else if (t.result == TACH_WARN || is_refusal(t.number)) {
		refused(h, f, CAP(PERFMON));
	}
}

static void
look_realtime(struct checks *c, struct check_finding *f)
{
	const struct host *h = &c->host;
	struct tried t = try_check(TACH_CHECK_REALTIME, 0);

	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "a thread was SCHED_FIFO, and is not "
		    "any more");
		return;
	}
	answer(f, t.result == TACH_WARN ? ANSWER_PARTLY : ANSWER_NO, "%s",
	    t.line);
	if (!is_refusal(t.number))
		return;
	if (h->rtprio == 0 &&
	    (h->own_user || missing(h, CAP(SYS_NICE)) != 0)) {
		because(f, ": RLIMIT_RTPRIO is 0%s", h->own_user ? ", and "
		    "capabilities of this user namespace do not count" :
		    ", and there is no CAP_SYS_NICE");
		needs_caps(h, f, FAULT_REALTIME, 0);
	} else if (h->seccomp > 0) {
		because(f, ": a seccomp filter is on");
		needs(f, FAULT_SECCOMP, 0);
	} else {
		because(f, ": its cgroup has no real-time");
	}
}

static void
look_namespaces(struct checks *c, struct check_finding *f)
{
	const struct host *h = &c->host;

	answer(f, h->own_user || h->own_pid ? ANSWER_PARTLY : ANSWER_YES, "%s",
	    h->own_user && h->own_pid ? "a user and a PID namespace of its own: "
	    "processes outside are neither seen nor read" :
	    h->own_user ? "a user namespace of its own: processes outside are "
	    "not read" :
	    h->own_pid ? "a PID namespace of its own: processes outside are "
	    "not seen" : "the first user and PID namespaces");
}

static void
look_agent(struct checks *c, struct check_finding *f)
{
	struct tried t = try_check(TACH_CHECK_AGENT, 0);

	(void)c;
	answer(f, t.result == TACH_OK ? ANSWER_YES : ANSWER_NO, "%s", t.line);
	if (t.result != TACH_OK)
		needs(f, FAULT_AGENT, 0);
}

/* ---- the process ---------------------------------------------------------------- */

/* Says why a process is not there, or is none. */
static void
no_process(const struct checks *c, struct check_finding *f)
{
	long long tgid = host_status(c->pid, "Tgid");

	if (tgid > 0 && tgid != c->pid) {
		answer(f, ANSWER_NO, "it is a thread of process %lld: give "
		    "-p %lld", tgid, tgid);
		return;
	}
	answer(f, ANSWER_NO, "%s", c->memory.line);
	if (tgid > 0 || c->memory.number == 0) {
		needs(f, FAULT_NO_PYTHON, 0);
		return;
	}
	if (c->host.own_pid)
		because(f, " in this PID namespace");
	needs(f, FAULT_NO_PROCESS, 0);
}

/* Whether /proc hides a process that may not be read, as its option hidepid says. */
static bool
is_hidden(pid_t pid)
{
	return host_status(pid, "Tgid") < 0 &&
	    (kill(pid, 0) == 0 || errno == EPERM);
}

/* Whether the process is there, and is one. */
static bool
is_process(const struct checks *c)
{
	const struct tried *t = &c->memory;

	return t->result == TACH_OK || is_hidden(c->pid) ||
	    (t->number != 0 && host_status(c->pid, "Tgid") == c->pid);
}

static void
look_process(struct checks *c, struct check_finding *f)
{
	char path[64], name[64] = "";
	FILE *comm;

	c->memory = try_check(TACH_CHECK_MEMORY, c->pid);
	if (!is_process(c)) {
		no_process(c, f);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)c->pid);
	if ((comm = fopen(path, "re")) != NULL) {
		name[fread(name, 1, sizeof(name) - 1, comm)] = '\0';
		fclose(comm);
	}
	name[strcspn(name, "\n")] = '\0';
	answer(f, ANSWER_YES, "%s, of user %lld", name,
	    host_status(c->pid, "Uid"));
}

/* Whether the kernel gives the process's files to root although the process is of
 * another user: it may not be dumped. */
static bool
is_undumpable(pid_t pid, long long user)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns", (int)pid);
	return stat(path, &st) == 0 && st.st_uid != user;
}

/* Adds the property of the process for which it may not be read without
 * CAP_SYS_PTRACE, if there is one. */
static enum whose
say_whose(const struct checks *c, struct check_finding *f)
{
	long long user = host_status(c->pid, "Uid");
	int shares = host_shares(c->pid, "user");

	if (user < 0)
		because(f, "; /proc hides it");
	else if (user != c->host.user)
		because(f, "; it is of user %lld", user);
	else if (host_status(c->pid, "Gid") != (long long)getegid())
		because(f, "; it is of another group");
	else if (is_undumpable(c->pid, user))
		because(f, "; it is not dumpable");
	else if (shares == 0)
		because(f, "; it is in another user namespace");
	else if (shares < 0) /* to tell it takes the same rights; Yama does not */
		because(f, "; it has other capabilities or another user "
		    "namespace");
	else
		return WHOSE_OWN;
	return WHOSE_OTHER;
}

static void
look_memory(struct checks *c, struct check_finding *f)
{
	if (c->memory.result == TACH_OK) {
		answer(f, ANSWER_YES, "it was read");
		return;
	}
	answer(f, ANSWER_NO, "%s", c->memory.line);
	if (is_refusal(c->memory.number) || is_hidden(c->pid))
		read_refused(&c->host, f, say_whose(c, f));
}

static void
look_its_namespaces(struct checks *c, struct check_finding *f)
{
	static const char *const spaces[] = {"user", "pid", "mnt"};
	const char *before = ": ";
	bool known = true;

	answer(f, ANSWER_YES, "those of this process");
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		int shares = host_shares(c->pid, spaces[i]);
		known = known && shares >= 0;
		if (shares != 0)
			continue;
		if (f->answer == ANSWER_YES)
			answer(f, ANSWER_PARTLY, "some are its own");
		because(f, "%s%s", before, spaces[i]);
		before = ", ";
	}
	if (!known)
		answer(f, ANSWER_PARTLY, "they are not told");
}

/* Attaches as a recording would, and takes no sample. */
static void
look_python(struct checks *c, struct check_finding *f)
{
	struct tach_recorder_options o = *c->options;
	struct tach_recorder *r;
	const uint8_t *v;
	const char *line;

	if (c->memory.result != TACH_OK) {
		answer(f, ANSWER_NO, "it is not known: its memory is not read");
		return;
	}
	o.engine = TACH_ENGINE_REMOTE;
	o.careful = true; /* no interrupts: these were tried */
	if ((r = tach_recorder_new(&o)) == NULL)
		err(RECORD_FAILED, NULL);
	c->python = tach_recorder_attach(r, c->pid) == TACH_OK;
	v = tach_recorder_meta(r)->python;
	if (c->python) {
		answer(f, ANSWER_YES, "Python %d.%d.%d", v[0], v[1], v[2]);
	} else {
		if (tach_recorder_error(r, &line) == TACH_EFOREIGN)
			needs(f, FAULT_NO_PYTHON, 0);
		answer(f, ANSWER_NO, "%s", line);
	}
	tach_recorder_free(r);
}

static void
look_attach(struct checks *c, struct check_finding *f)
{
	struct tried t;

	if (!c->python) {
		answer(f, ANSWER_NO, "there is no Python to load it");
		return;
	}
	if (host_maps(c->pid, AGENT)) {
		answer(f, ANSWER_YES, AGENT " is there already");
		return;
	}
	t = try_check(TACH_CHECK_ATTACH, c->pid);
	if (t.result == TACH_OK) {
		answer(f, ANSWER_YES, "this Python loads it when its main "
		    "thread runs Python code");
		return;
	}
	answer(f, ANSWER_NO, "%s", t.line);
	needs(f, FAULT_AGENT, 0);
}

static void
look_tracer(struct checks *c, struct check_finding *f)
{
	long long tracer = host_status(c->pid, "TracerPid");

	if (c->memory.result != TACH_OK)
		answer(f, ANSWER_NO, "its memory is not read");
	else if (tracer > 0)
		answer(f, ANSWER_NO, "process %lld traces it", tracer);
	else
		answer(f, ANSWER_YES, "no process traces it");
}

/* ---- all ---------------------------------------------------------------------- */

#define NEVER {false, false}
#define COMMAND {true, false}
#define PROCESS {false, true}
#define BOTH {true, true}

static const struct check_row rows[ROWS_ALL] = {
	{"memory of commands", look_command, COMMAND, COMMAND},
	{"memory of processes", look_others, NEVER, NEVER},
	{"Yama", look_yama, NEVER, NEVER},
	{"capabilities", look_capabilities, NEVER, NEVER},
	{"BPF", look_bpf, NEVER, NEVER},
	{"perf events", look_perf, NEVER, NEVER},
	{"real-time class", look_realtime, NEVER, NEVER},
	{"namespaces", look_namespaces, NEVER, NEVER},
	{"in-process library", look_agent, NEVER, BOTH},
	/* Of the process: */
	{"process", look_process, PROCESS, PROCESS},
	{"its memory", look_memory, PROCESS, PROCESS},
	{"its namespaces", look_its_namespaces, NEVER, NEVER},
	{"its Python", look_python, PROCESS, PROCESS},
	{"the library in it", look_attach, NEVER, PROCESS},
	{"its tracer", look_tracer, NEVER, NEVER},
};

static const char *const answers[] = {
	[ANSWER_YES] = "yes", [ANSWER_PARTLY] = "partly", [ANSWER_NO] = "no",
};

/* Exits if the lines until now cannot be printed.  A status of 1 would be an answer. */
static void
flush_lines(void)
{
	if (fflush(stdout) != 0 && errno != EPIPE)
		err(RECORD_FAILED, "standard output");
}

static void
print_finding(const struct check_row *row, const struct check_finding *f)
{
	char *why = cmd_plain(f->why);

	printf("%-21s%-8s%s\n", row->name, answers[f->answer], why);
	free(why);
	flush_lines();
}

/* Whether the engine of the options records nothing without the row. */
static bool
is_needed(const struct checks *c, const struct check_row *row)
{
	const bool *needed = c->options->engine == TACH_ENGINE_INPROCESS ?
	    row->inprocess : row->remote;

	return needed[c->pid != 0];
}

/* Looks at the rows and prints them.  Rows of a process that is not there are left
 * out.  Whether the engine can record. */
static bool
print_rows(struct checks *c)
{
	size_t n = c->pid != 0 ? ROWS_ALL : ROWS_OF_MACHINE;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		struct check_finding *f = &c->findings[i];
		rows[i].look(c, f);
		print_finding(&rows[i], f);
		if (f->answer != ANSWER_NO)
			continue;
		ok = ok && !is_needed(c, &rows[i]);
		if (rows[i].look == look_process)
			break;
	}
	return ok;
}

/* Whether the in-process engine lacks nothing that it needs. */
static bool
inprocess_can(const struct checks *c)
{
	for (size_t i = 0; i < ROWS_ALL; i++) {
		if (rows[i].inprocess[c->pid != 0] &&
		    c->findings[i].answer == ANSWER_NO)
			return false;
	}
	return true;
}

/* Whether the command that mends it would do so here: the one of FAULT_KERNEL is the
 * in-process engine. */
static bool
mend_helps(const struct checks *c, enum fault fault)
{
	return mend_exists(fault, &c->host) &&
	    (fault != FAULT_KERNEL || inprocess_can(c));
}

/* Prints the names of the rows that one command mends, and that command for all of
 * them. */
static void
print_mends_of(const struct checks *c, enum fault fault)
{
	struct need all = {fault, 0};
	const char *before = "\n";

	if (!mend_helps(c, fault))
		return;
	for (size_t i = 0; i < ROWS_ALL; i++) {
		if (c->findings[i].need.fault != fault)
			continue;
		printf("%s%s", before, rows[i].name);
		before = ", ";
		all.caps |= c->findings[i].need.caps;
	}
	if (*before == '\n')
		return;
	printf(":\n");
	mend_show(&all, &c->host, c->pid);
}

static void
print_verdict(const struct checks *c, bool ok)
{
	const char *engine = c->options->engine == TACH_ENGINE_INPROCESS ?
	    " --engine=inprocess" : "";

	printf("\ntach-record%s can%s record ", engine, ok ? "" : "not");
	if (c->pid != 0)
		printf("process %d\n", (int)c->pid);
	else
		printf("commands\n");
}

bool
check_show(const struct tach_recorder_options *o, pid_t pid)
{
	struct checks c = {.options = o, .pid = pid};
	bool ok;

	host_look(&c.host);
	ok = print_rows(&c);
	print_verdict(&c, ok);
	for (enum fault fault = FAULT_NONE + 1; fault < FAULTS; fault++)
		print_mends_of(&c, fault);
	flush_lines();
	return ok;
}
