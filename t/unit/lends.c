/* SPDX-License-Identifier: ISC */
/* lends.c: records a process for a while, once or by two recorders at a time, which
 * may share, and prints how this thread and its process were before and are
 * afterwards.
 *
 *	lends PID remote|blocking|two|shared|again
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "tach-record.h"

#define SAMPLES 300
#define SIGNALS 65

static int
drop(struct tach_sink *s, const struct tach_run *run)
{
	(void)s;
	(void)run;
	return TACH_OK;
}

static struct tach_sink sink = {.size = sizeof(sink), .run = drop};

static void
print_scheduling(void)
{
	uint64_t a[7] = {0}; /* struct sched_attr */

	if (syscall(SYS_sched_getattr, 0, a, sizeof(a), 0) != 0)
		err(1, "sched_getattr");
	printf("policy %d flags %d nice %d priority %d slice %llu slack %d\n",
	    (int)(a[0] >> 32), (int)a[1], (int)a[2], (int)(a[2] >> 32),
	    (unsigned long long)a[3],
	    prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL));
}

static void
print_limits(void)
{
	struct rlimit l;

	for (int i = 0; i < RLIM_NLIMITS; i++) {
		if (getrlimit((__rlimit_resource_t)i, &l) != 0)
			err(1, "getrlimit");
		printf("limit %d: %llu of %llu\n", i,
		    (unsigned long long)l.rlim_cur,
		    (unsigned long long)l.rlim_max);
	}
}

static void
print_signals(void)
{
	struct sigaction a;
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	for (int i = 1; i < SIGNALS; i++)
		if (sigaction(i, NULL, &a) == 0)
			printf("signal %d: %s%s\n", i,
			    a.sa_handler == SIG_DFL ? "default" :
			    a.sa_handler == SIG_IGN ? "ignored" : "handled",
			    sigismember(&set, i) ? ", blocked" : "");
}

static void
print_all(const char *when)
{
	cpu_set_t cpus;

	printf("%s\n", when);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		err(1, "sched_getaffinity");
	printf("CPUs");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus))
			printf(" %d", i);
	putchar('\n');
	print_scheduling();
	print_limits();
	print_signals();
}

static struct tach_recorder *
begin(pid_t pid, bool blocking)
{
	struct tach_recorder_options o = {
	    .size = sizeof(o), .interval_ns = 1000000, .blocking = blocking};
	struct tach_recorder *r = tach_recorder_new(&o);

	if (r == NULL || tach_recorder_attach(r, pid) != TACH_OK)
		errx(1, "%s", r != NULL ? recorder_why(r) : "memory");
	return r;
}

/* A recorder that shares with another one. */
static struct tach_recorder *
join(const struct tach_recorder_options *o, const struct tach_recorder *first,
    pid_t pid)
{
	struct tach_recorder *r = tach_recorder_new(o);

	if (r == NULL)
		errx(1, "memory");
	tach_recorder_share(r, first);
	if (tach_recorder_follow(r, pid) != TACH_OK)
		errx(1, "%s", recorder_why(r));
	return r;
}

static void
take(struct tach_recorder *r)
{
	uint64_t end = tach_recorder_stats(r)->samples + SAMPLES;

	while (tach_recorder_stats(r)->samples < end)
		if (tach_recorder_round(r, &sink) != TACH_OK)
			errx(1, "it ended: %s", recorder_why(r));
}

/* The second one begins after the first has, and ends after it. */
static void
take_two(pid_t pid)
{
	struct tach_recorder *a = begin(pid, false), *b;

	take(a);
	b = begin(pid, false);
	take(b);
	tach_recorder_free(a);
	take(b);
	tach_recorder_free(b);
}

/* The same of two that share: what they do lives longer than the first. */
static void
take_shared(pid_t pid)
{
	struct tach_recorder_options o = {
	    .size = sizeof(o), .interval_ns = 1000000};
	struct tach_recorder *a = begin(pid, false), *b, *c;

	take(a);
	b = join(&o, a, pid);
	take(b);
	tach_recorder_free(a);
	take(b);
	c = join(&o, b, pid);
	tach_recorder_free(b);
	take(c);
	tach_recorder_free(c);
}

static void
take_one(pid_t pid, bool blocking)
{
	struct tach_recorder *r = begin(pid, blocking);

	take(r);
	tach_recorder_free(r);
}

int
main(int argc, char *argv[])
{
	const char *how = argc == 3 ? argv[2] : "";
	pid_t pid = argc == 3 ? atoi(argv[1]) : 0;

	if (pid == 0)
		errx(2, "usage: lends PID remote|blocking|two|shared|again");
	print_all("before");
	if (strcmp(how, "two") == 0)
		take_two(pid);
	else if (strcmp(how, "shared") == 0)
		take_shared(pid);
	else
		take_one(pid, strcmp(how, "blocking") == 0);
	if (strcmp(how, "again") == 0)
		take_one(pid, true);
	print_all("after");
	return 0;
}
