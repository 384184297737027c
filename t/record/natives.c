/* SPDX-License-Identifier: ISC */
/*
 * natives.c: for tests: threads without Python, which Python's ctypes starts; and
 * if it is preloaded, a clock_gettime by which time goes ten times as fast and
 * began a year later.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000LL
#define YEAR (365LL * 86400)

int natives(int threads, int ms);

static long long
cpu_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static void *
compute(void *ms)
{
	long long end = cpu_ns() + *(int *)ms * 1000000LL;

	while (cpu_ns() < end)
		for (volatile int i = 0; i < 10000; i++)
			continue;
	return NULL;
}

/* So many threads that take so much CPU time each, all at once. */
int
natives(int threads, int ms)
{
	pthread_t *t = calloc((size_t)threads, sizeof(*t));
	int n = 0;

	while (n < threads && pthread_create(&t[n], NULL, compute, &ms) == 0)
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return n;
}

int
clock_gettime(clockid_t clock, struct timespec *t)
{
	long result = syscall(SYS_clock_gettime, clock, t);
	long long ns = (t->tv_sec * NS + t->tv_nsec) * 10 % (NS * YEAR);

	t->tv_sec = ns / NS + YEAR;
	t->tv_nsec = ns % NS;
	return (int)result;
}
