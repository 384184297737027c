/* SPDX-License-Identifier: ISC */
/*
 * ticks.c: what a signal of a timer costs a program that does nothing with it:
 * the least that the in-process engine can cost on a machine.
 *
 *	ticks RATE	microseconds of CPU time a signal
 *
 * A fixed amount of work, alone and with a timer of the wall's clock whose
 * handler is empty, in turn; the median of eleven differences.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMES 11
#define AMOUNT 200000000 /* turns of a loop: some tenths of a second */

static volatile sig_atomic_t signals;

static void
handle(int signal)
{
	(void)signal;
	signals++;
}

/* Seconds of CPU time that the work takes. */
static double
work(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (volatile long n = AMOUNT; n > 0; n--)
		continue;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return (double)(b.tv_sec - a.tv_sec) +
	    1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

static int
compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/* What a signal took, in us, of those that came during the work. */
static double
cost(timer_t timer, long interval_ns)
{
	struct itimerspec on = {{0, interval_ns}, {0, interval_ns}}, off = {0};
	double alone = work(), with;

	signals = 0;
	timer_settime(timer, 0, &on, NULL);
	with = work();
	timer_settime(timer, 0, &off, NULL);
	return signals > 0 ? 1e6 * (with - alone) / (double)signals : 0;
}

int
main(int argc, char **argv)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
	    .sigev_signo = SIGUSR1};
	struct sigaction action = {.sa_handler = handle,
	    .sa_flags = SA_RESTART};
	long rate = argc == 2 ? atol(argv[1]) : 0;
	double us[TIMES];
	timer_t timer;

	if (rate < 2 || rate > 100000) {
		fputs("usage: ticks RATE\n", stderr);
		return 2;
	}
	if (sigaction(SIGUSR1, &action, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
		perror("ticks");
		return 1;
	}
	for (int i = 0; i < TIMES; i++)
		us[i] = cost(timer, 1000000000 / rate);
	qsort(us, TIMES, sizeof(*us), compare);
	printf("%.1f\n", us[TIMES / 2]);
	return 0;
}
