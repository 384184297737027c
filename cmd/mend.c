/* SPDX-License-Identifier: ISC */
/* mend.c: see mend.h. */
#include "mend.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COLUMN 14

static const char *const site_names[] = {
	[SITE_ROOT] = "root's shell",
	[SITE_SUDO] = "sudo",
	[SITE_DOCKER] = "Docker",
	[SITE_KUBERNETES] = "Kubernetes",
	[SITE_SYSTEMD] = "systemd",
	[SITE_OUTSIDE] = "outside",
	[SITE_ANY] = "",
};

/* In a command, {words} stand for the values of values[].  Words in capitals are for
 * the user to replace. */
struct mend {
	enum fault fault;
	enum site site;
	const char *command;
};

#define DEBUG "kubectl debug -it {host} --image=IMAGE --target=CONTAINER " \
    "{asroot}--profile="
#define SERVICE "systemd-run -tPd --uid={user} -p "

static const struct mend mends[] = {
	{FAULT_CAPS, SITE_ROOT, "tach-record {target}"},
	{FAULT_CAPS, SITE_SUDO, "sudo tach-record {target}"},
	{FAULT_CAPS, SITE_DOCKER, "docker run {adds}{user0}IMAGE"},
	{FAULT_CAPS, SITE_KUBERNETES, DEBUG "{profile}"},
	{FAULT_CAPS, SITE_SYSTEMD, SERVICE "AmbientCapabilities=\"{ambient}\" "
	    "tach-record {target}"},

	{FAULT_YAMA, SITE_ROOT, "tach-record {target}"},
	{FAULT_YAMA, SITE_SUDO, "sudo tach-record {target}"},
	{FAULT_YAMA, SITE_DOCKER, "docker run --cap-add SYS_PTRACE "
	    "{user0}IMAGE"},
	{FAULT_YAMA, SITE_KUBERNETES, DEBUG "general"},
	{FAULT_YAMA, SITE_SYSTEMD, SERVICE "AmbientCapabilities=CAP_SYS_PTRACE "
	    "tach-record {target}"},

	{FAULT_PERF, SITE_ROOT, "tach-record {target}"},
	{FAULT_PERF, SITE_SUDO, "sudo tach-record {target}"},
	{FAULT_PERF, SITE_DOCKER, "docker run --cap-add PERFMON {user0}IMAGE"},
	{FAULT_PERF, SITE_KUBERNETES, DEBUG "sysadmin"},
	{FAULT_PERF, SITE_SYSTEMD, SERVICE "AmbientCapabilities=CAP_PERFMON "
	    "tach-record {target}"},

	{FAULT_REALTIME, SITE_ROOT, "prlimit --pid {shell} --rtprio=1"},
	{FAULT_REALTIME, SITE_SUDO, "sudo prlimit --pid $$ --rtprio=1"},
	{FAULT_REALTIME, SITE_DOCKER, "docker run --ulimit rtprio=1 IMAGE"},
	{FAULT_REALTIME, SITE_KUBERNETES, DEBUG "sysadmin"},
	{FAULT_REALTIME, SITE_SYSTEMD, SERVICE "LimitRTPRIO=1 tach-record "
	    "{target}"},

	{FAULT_OUTSIDE, SITE_OUTSIDE, "sudo tach-record {target}"},

	/* All that a shell with the filter starts has the filter. */
	{FAULT_SECCOMP, SITE_OUTSIDE, "sudo tach-record {target}"},
	{FAULT_SECCOMP, SITE_DOCKER, "docker run --security-opt "
	    "seccomp=unconfined IMAGE"},
	{FAULT_SECCOMP, SITE_KUBERNETES, DEBUG "sysadmin"},
	{FAULT_SECCOMP, SITE_SYSTEMD, "systemd-run -tPd tach-record {target}"},

	{FAULT_FILES, SITE_ROOT, "prlimit --pid {shell} --nofile=1024"},
	{FAULT_FILES, SITE_SUDO, "sudo prlimit --pid $$ --nofile=1024"},
	{FAULT_FILES, SITE_DOCKER, "docker run --ulimit nofile=1024 IMAGE"},
	{FAULT_FILES, SITE_SYSTEMD, SERVICE "LimitNOFILE=1024 tach-record "
	    "{target}"},

	{FAULT_KERNEL, SITE_ANY, "tach-record --engine=inprocess {target}"},
	{FAULT_BUILD, SITE_ANY, "./configure --with-interrupts=yes && make install  "
	    "# in the sources of tach"},
	{FAULT_AGENT, SITE_ANY, "tach-record --engine=remote {target}"},
	{FAULT_NO_PYTHON, SITE_ANY, "pgrep -a python"},

	{FAULT_NO_PROCESS, SITE_ROOT, "pgrep -a python"},
	{FAULT_NO_PROCESS, SITE_DOCKER, "docker run --pid=host --cap-add "
	    "SYS_PTRACE {user0}IMAGE"},
	{FAULT_NO_PROCESS, SITE_KUBERNETES, DEBUG "general"},
};

#define BOOT "  # for all users, until the next boot"

/* Settings of the machine: they open more than the one process. */
static const struct mend settings[] = {
	{FAULT_YAMA, SITE_ROOT, "sysctl -w kernel.yama.ptrace_scope=0" BOOT},
	{FAULT_YAMA, SITE_SUDO, "sudo sysctl -w kernel.yama.ptrace_scope=0" BOOT},

	{FAULT_YAMA_LOCK, SITE_ANY, "echo kernel.yama.ptrace_scope=1 | sudo tee "
	    "/etc/sysctl.d/99-ptrace.conf && sudo reboot"},

	{FAULT_PERF, SITE_ROOT, "sysctl -w kernel.perf_event_paranoid=1" BOOT},
	{FAULT_PERF, SITE_SUDO, "sudo sysctl -w kernel.perf_event_paranoid=1" BOOT},
};

/* ---- values ----------------------------------------------------------------- */

static const struct {
	int cap;
	const char *name; /* behind CAP_ */
} cap_names[] = {
	{CAP_SYS_PTRACE, "SYS_PTRACE"}, {CAP_BPF, "BPF"},
	{CAP_PERFMON, "PERFMON"}, {CAP_SYS_NICE, "SYS_NICE"},
};

/* Prints the names of capabilities, each between two texts, with a third text between
 * two of them. */
static void
print_caps(FILE *out, uint64_t caps, const char *before, const char *after,
    const char *between)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(cap_names) / sizeof(*cap_names); i++) {
		if ((caps >> cap_names[i].cap & 1) == 0)
			continue;
		fprintf(out, "%s%s%s%s", first ? "" : between, before,
		    cap_names[i].name, after);
		first = false;
	}
}

void
mend_print_caps(FILE *out, uint64_t caps)
{
	print_caps(out, caps, "CAP_", "", ", ");
}

struct mending {
	const struct need *need;
	const struct host *host;
	pid_t pid;
	bool outside; /* the command is for outside of the PID namespace */
};

static void
print_target(const struct mending *m)
{
	if (m->pid != 0 && !(m->outside && m->host->own_pid))
		printf("-p %d", (int)m->pid);
	else
		printf("-p PID");
}

static void
print_adds(const struct mending *m)
{
	print_caps(stdout, m->need->caps, "--cap-add ", " ", "");
}

static void
print_ambient(const struct mending *m)
{
	print_caps(stdout, m->need->caps, "CAP_", "", " ");
}

/* The profile `general` adds CAP_SYS_PTRACE, `sysadmin` all. */
static void
print_profile(const struct mending *m)
{
	printf("%s", m->need->caps == UINT64_C(1) << CAP_SYS_PTRACE ?
		"general" : "sysadmin");
}

/* An image's user has no capability if it is not root, whatever is added. */
static void
print_user0(const struct mending *m)
{
	if (m->host->user != 0)
		printf("--user 0 ");
}

static void
print_asroot(const struct mending *m)
{
	if (m->host->user != 0)
		printf("--custom=<(echo "
		       "'{\"securityContext\":{\"runAsUser\":0}}') ");
}

static void
print_user(const struct mending *m)
{
	printf("%u", (unsigned)m->host->user);
}

/* The host's name can be any bytes: as NAME if a shell may not take them for a word. */
static void
print_host(const struct mending *m)
{
	const char *name = m->host->name;
	bool plain = *name != '\0' && *name != '-' &&
	    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz0123456789._-")] == '\0';

	printf("%s", plain ? name : "NAME");
}

/* $$ in root's shell is not the shell of another user. */
static void
print_shell(const struct mending *m)
{
	printf("%s", m->host->user == 0 ? "$$" : "SHELL");
}

static const struct {
	const char *word;
	void (*print)(const struct mending *);
} values[] = {
	{"{target}", print_target}, {"{adds}", print_adds},
	{"{ambient}", print_ambient}, {"{profile}", print_profile},
	{"{user}", print_user}, {"{host}", print_host},
	{"{shell}", print_shell}, {"{user0}", print_user0},
	{"{asroot}", print_asroot},
};

/* ---- lines -------------------------------------------------------------------- */

/* Prints the value of the word at the beginning of a text, if there is one.  Returns
 * the length of the word. */
static size_t
print_value(const struct mending *m, const char *text)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		size_t n = strlen(values[i].word);
		if (strncmp(text, values[i].word, n) != 0)
			continue;
		values[i].print(m);
		return n;
	}
	return 0;
}

static void
print_mend(const struct mending *m, const struct mend *d)
{
	const char *name = site_names[d->site];

	printf("    %s%s%*s", name, *name != '\0' ? ":" : "",
	    *name != '\0' ? (int)(COLUMN - 1 - strlen(name)) : 0, "");
	for (const char *at = d->command; *at != '\0';) {
		size_t n = *at == '{' ? print_value(m, at) : 0;
		if (n == 0)
			putchar(*at++);
		else
			at += n;
	}
	putchar('\n');
}

/* Prints the commands for the place of the host, or for the other ones. */
static void
print_some(struct mending *m, const struct mend *d, size_t n, bool here)
{
	for (; n > 0; n--, d++) {
		if (d->fault != m->need->fault || (d->site == m->host->site) != here)
			continue;
		m->outside = d->site == SITE_OUTSIDE;
		print_mend(m, d);
	}
}

static void
print_mends(struct mending *m, const struct mend *d, size_t n)
{
	print_some(m, d, n, true);
	print_some(m, d, n, false);
}

/* A container does not set up its machine. */
static bool
in_container(const struct host *h)
{
	return h->site == SITE_DOCKER || h->site == SITE_KUBERNETES;
}

bool
mend_exists(enum fault fault, const struct host *host)
{
	return fault != FAULT_YAMA_LOCK || !in_container(host);
}

void
mend_show(const struct need *need, const struct host *host, pid_t pid)
{
	struct mending m = {need, host, pid, false};

	print_mends(&m, mends, sizeof(mends) / sizeof(*mends));
	if (!in_container(host))
		print_mends(&m, settings, sizeof(settings) / sizeof(*settings));
}
