/* SPDX-License-Identifier: ISC */
/*
 * shares.c: a program whose shares of CPU time are known: sixty(), thirty() and ten()
 * take as many per cent.  ten() is called by a recursion, DEPTH deep.
 *
 *	shares SECONDS [THREADS]
 *
 * Each thread takes so many seconds of CPU time.  A turn takes a fraction of a
 * millisecond, less with a smaller STEP, and ends with a system call: it must not keep
 * step with a profiler's clock.  With -DLIBRARY it is a library of thirty() alone, with
 * -DNO_THIRTY the program that is linked with it.  It is C++, too.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))
#define DEPTH 20
#ifndef STEP
#define STEP 80
#endif

#ifdef __cplusplus
namespace shares {
#endif

struct work {
	unsigned long value;
	double seconds;
};

/* Each part of a step waits for the one before, so a step takes as long wherever the
 * compiler has put the loop, and the value. */
#define MIX(v) __builtin_bswap64(0x9e3779b97f4a7c15UL * (v))
#define MIX4(v) MIX(MIX(MIX(MIX(v))))
#define MIX16(v) MIX4(MIX4(MIX4(MIX4(v))))

static inline void
spin(struct work *w, int n)
{
	for (int i = 0; i < n; i++) {
		w->value = MIX16(w->value);
		__asm__ volatile("" : "+m"(w->value));
	}
}

APART void thirty(struct work *w, int n);

#ifndef NO_THIRTY
APART void
thirty(struct work *w, int n)
{
	spin(w, n * 30);
	__asm__ volatile("");
}
#endif

#ifndef LIBRARY
APART void
sixty(struct work *w, int n)
{
	spin(w, n * 60);
	__asm__ volatile("");
}

APART void
ten(struct work *w, int n)
{
	spin(w, n * 10);
	__asm__ volatile("");
}

APART void
deep(struct work *w, int n, int depth)
{
	if (depth == 0)
		ten(w, n);
	else
		deep(w, n, depth - 1);
	__asm__ volatile("");
}

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

APART void *
run(void *arg)
{
	struct work *w = (struct work *)arg;

	while (cpu_seconds() < w->seconds) {
		sixty(w, STEP);
		thirty(w, STEP);
		deep(w, STEP, DEPTH);
	}
	return NULL;
}
#endif

#ifdef __cplusplus
}
using namespace shares;
#endif

#ifndef LIBRARY
int
main(int argc, char *argv[])
{
	struct work mine = {1, atof(argv[1])}, other = {1, atof(argv[1])};
	pthread_t thread;

	if (argc > 2)
		pthread_create(&thread, NULL, run, &other);
	run(&mine);
	if (argc > 2)
		pthread_join(thread, NULL);
	return 0;
}
#endif
