/* SPDX-License-Identifier: ISC */
/*
 * test_stock: the interrupts of a family are made as they are asked for, no more of
 * them than the limit of open files allows, and given from one to the next.
 */
#undef NDEBUG
#include <assert.h>
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/os/os.h"
#include "engine/kernel/stock.h"

#define INTERVAL NS_PER_MS
#define EACH 32 /* descriptors that are allowed, for one */
#define MOST 3
#define ASKED 10
#define PATIENCE (20 * NS_PER_S)
#define LATER (200 * NS_PER_MS)

static void
test_most(void)
{
	assert(stock_most(0) == 1 && stock_most(EACH - 1) == 1);
	assert(stock_most(128) == 4);
	assert(stock_most(1024) == 32);
	assert(stock_most(1024 * 1024) == 64);
	assert(stock_most(RLIM_INFINITY) == 64);
}

static int
count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* What they take leaves most of the descriptors to others. */
static void
test_files(void)
{
	int before = count_files();
	struct interrupts *in = interrupts_new(INTERVAL, 0);

	assert(in != NULL && count_files() - before <= EACH / 3);
	interrupts_drop(in);
	assert(count_files() == before);
}

/* Those that somebody has. */
static struct interrupts *list[ASKED];
static unsigned count;

static bool
take(struct stock *s, bool *asked)
{
	struct interrupts *in = stock_take(s, asked);

	if (in == NULL)
		return false;
	assert(count < ASKED);
	list[count++] = in;
	return true;
}

/* Each of some recorders asks, and may be given what is there already. */
static void
ask_all(struct stock *s)
{
	for (int i = 0; i < ASKED; i++) {
		bool asked = false;
		while (!asked)
			take(s, &asked);
	}
}

/* Waits until so many are taken.  False: it takes longer than that. */
static bool
take_until(struct stock *s, unsigned n, uint64_t ns)
{
	uint64_t end = clock_ns() + ns;
	bool asked = true;

	while (count < n && clock_ns() < end)
		if (!take(s, &asked))
			usleep(1000);
	return count >= n;
}

static void
allow_files(rlim_t n)
{
	struct rlimit files;

	assert(getrlimit(RLIMIT_NOFILE, &files) == 0);
	files.rlim_cur = n;
	assert(setrlimit(RLIMIT_NOFILE, &files) == 0);
}

static void
test_limit(void)
{
	struct stock *s = stock_new(INTERVAL, 0);

	assert(s != NULL);
	allow_files(MOST * EACH);
	ask_all(s);
	assert(take_until(s, MOST, PATIENCE));
	assert(!take_until(s, MOST + 1, LATER));
	/* One that is given back is the next recorder's. */
	stock_give(s, list[--count]);
	assert(take_until(s, MOST, PATIENCE));
	while (count > 0)
		stock_give(s, list[--count]);
	stock_drop(s);
}

/* A recorder that asked gets one, though another one takes the first without having
 * asked. */
static void
test_taken(void)
{
	struct stock *s = stock_new(INTERVAL, 0);
	bool asked = false, other = false;

	assert(s != NULL);
	take(s, &asked);
	assert(asked && count == 0);
	usleep(LATER / NS_PER_US);
	take(s, &other);
	assert(take_until(s, 2, PATIENCE));
	while (count > 0)
		stock_give(s, list[--count]);
	stock_drop(s);
}

int
main(void)
{
	struct interrupts *in;

	test_most();
	in = interrupts_new(INTERVAL, 0);
	if (in == NULL)
		return 77;
	interrupts_drop(in);
	test_files();
	test_taken();
	test_limit();
	return 0;
}
