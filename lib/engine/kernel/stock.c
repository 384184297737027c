/* SPDX-License-Identifier: ISC */
/* stock.c: see stock.h. */
#include "engine/kernel/stock.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "engine/kernel/standing.h"
#include "engine/sched/caller.h"
#include "helper.h"

#define MAKE_MAX 64 /* of half a MiB each */
/* Descriptors for each one and its recorder: nine of its own, and the others for the
 * files that the recorder reads and writes. */
#define FILES_EACH 32

struct stock {
	pthread_mutex_t lock; /* for all fields below */
	pthread_cond_t changed;
	unsigned holders;
	uint64_t interval_ns; /* of rounds */
	unsigned more;	      /* see interrupts_new */
	cpu_set_t cpus;	      /* that the thread may use */
	bool refused, ending;
	bool stood, stands; /* the program of standing.h was loaded, or refused;
			     * it is held */
	pthread_t thread; /* makes the interrupts */
	bool runs;
	unsigned owed; /* recorders that have asked, and have got none yet */
	unsigned wanted, made, count;
	struct interrupts *list[MAKE_MAX];
};

static bool
lacks_files(void)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < STOCK_FILES_MIN;
}

struct stock *
stock_new(uint64_t interval_ns, unsigned more)
{
	struct stock *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->holders = 1;
	s->interval_ns = interval_ns;
	s->refused = interval_ns < STOCK_INTERVAL_MIN || lacks_files();
	s->more = more;
	caller_cpus(&s->cpus);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	return s;
}

struct stock *
stock_hold(struct stock *s)
{
	pthread_mutex_lock(&s->lock);
	s->holders++;
	pthread_mutex_unlock(&s->lock);
	return s;
}

static void
free_stock(struct stock *s)
{
	if (s->runs)
		pthread_join(s->thread, NULL);
	while (s->count > 0)
		interrupts_drop(s->list[--s->count]);
	if (s->stands)
		standing_drop();
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void
stock_drop(struct stock *s)
{
	bool last;

	if (s == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	last = --s->holders == 0;
	s->ending = last;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (last)
		free_stock(s);
}

/* ---- making ------------------------------------------------------------- */

/* The lock is held, except while the interrupts are made. */
static void
make_one(struct stock *s)
{
	struct interrupts *in;

	pthread_mutex_unlock(&s->lock);
	in = interrupts_new(s->interval_ns, s->more);
	pthread_mutex_lock(&s->lock);
	s->wanted--;
	s->refused |= in == NULL;
	if (in != NULL && s->count < MAKE_MAX)
		s->list[s->count++] = in;
	else
		interrupts_drop(in);
	pthread_cond_broadcast(&s->changed);
}

/* Loads the program of standing.h; the lock as above.  Where stacks of C or in the kernel
 * are wanted, those of threads without a CPU are, too.  No interrupts wait for that. */
static void
stand(struct stock *s)
{
	bool stands;

	pthread_mutex_unlock(&s->lock);
	stands = standing_hold();
	pthread_mutex_lock(&s->lock);
	s->stood = true;
	s->stands = stands;
	pthread_cond_broadcast(&s->changed);
}

static void *
make(void *arg)
{
	struct stock *s = arg;

	/* The thread that asked may be bound to a certain CPU just now. */
	sched_setaffinity(0, sizeof(s->cpus), &s->cpus);
	pthread_mutex_lock(&s->lock);
	while (!s->ending && !s->refused) {
		if (s->wanted > 0)
			make_one(s);
		else if (s->more != 0 && !s->stood)
			stand(s);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void
start(struct stock *s)
{
	s->runs = helper_start(&s->thread, make, s) == 0;
	s->refused |= !s->runs;
}

unsigned
stock_most(rlim_t files)
{
	rlim_t n = files / FILES_EACH;

	return n < 1 ? 1 : n > MAKE_MAX ? MAKE_MAX : (unsigned)n;
}

/* The same for this process, as its limit is now. */
static unsigned
most_here(void)
{
	struct rlimit files;

	return stock_most(getrlimit(RLIMIT_NOFILE, &files) == 0 ?
		files.rlim_cur : 0);
}

static void
ask_for_one(struct stock *s)
{
	if (s->made >= most_here())
		return;
	s->made++;
	s->wanted++;
	if (!s->runs)
		start(s);
	pthread_cond_broadcast(&s->changed);
}

/* ---- taking and giving -------------------------------------------------- */

/* Takes the last one.  A recorder that has not asked may take one that was made for
 * another recorder: then another one is made. */
static struct interrupts *
take_last(struct stock *s, bool asked)
{
	struct interrupts *in = s->list[--s->count];

	if (asked && s->owed > 0)
		s->owed--;
	else if (!asked && !s->refused && s->owed > s->count + s->wanted)
		ask_for_one(s);
	return in;
}

struct interrupts *
stock_take(struct stock *s, bool *asked)
{
	struct interrupts *in = NULL;

	if (pthread_mutex_trylock(&s->lock) != 0)
		return NULL;
	if (s->count > 0) {
		in = take_last(s, *asked);
	} else if (!s->refused && !*asked) {
		*asked = true;
		s->owed++;
		ask_for_one(s);
	}
	pthread_mutex_unlock(&s->lock);
	return in;
}

/* Whether something is being made that a recorder may wait for. */
static bool
is_making(const struct stock *s)
{
	return s->runs && !s->refused && ((s->count == 0 && s->wanted > 0) ||
	    (s->more != 0 && !s->stood));
}

struct interrupts *
stock_await(struct stock *s, bool *asked)
{
	struct interrupts *in = stock_take(s, asked);

	if (in != NULL || !*asked)
		return in;
	pthread_mutex_lock(&s->lock);
	while (is_making(s))
		pthread_cond_wait(&s->changed, &s->lock);
	if (s->count > 0)
		in = take_last(s, *asked);
	pthread_mutex_unlock(&s->lock);
	return in;
}

void
stock_give(struct stock *s, struct interrupts *in)
{
	if (in == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->count < MAKE_MAX) {
		s->list[s->count++] = in;
		in = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	interrupts_drop(in);
}
