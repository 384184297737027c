/* SPDX-License-Identifier: ISC */
/*
 * test_agent.c: what the agent says of real programs: the stacks of all
 * threads of all Pythons at hand, and their CPU time; and that other programs
 * are as they would be without it.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

#define MS 1000000u
#define PYTHONS 64

#define check(cond, ...)                                                       \
	((cond) ? (void)0 :                                                    \
		  (fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond),  \
		      fprintf(stderr, __VA_ARGS__), fputc('\n', stderr),       \
		      (void)failures++))

static int failures;
static char *pythons[PYTHONS];
static size_t npythons;

/* Those that need no folder of their own: the agent must lie there, too. */
static void
find_pythons(void)
{
	const char *dir = getenv("TACH_SRCDIR");
	char command[4096], line[4096];
	FILE *f;

	snprintf(command, sizeof(command), "%s/t/peers/pythons 3.8 3.9 3.10 "
	    "3.11 3.12 3.13 3.14 3.15 3.13t 3.14t 3.15t", dir != NULL ? dir : ".");
	if ((f = popen(command, "r")) == NULL)
		err(1, "%s", command);
	while (fgets(line, sizeof(line), f) != NULL && npythons < PYTHONS) {
		char *path = strchr(line, '\t');
		if (path == NULL || strchr(path, ' ') != NULL)
			continue;
		path[strcspn(path, "\n")] = '\0';
		pythons[npythons++] = strdup(path + 1);
	}
	pclose(f);
}

/* ---- stacks ---------------------------------------------------------------------- */

struct shares {
	uint64_t once, twice, thread, all;
};

static void
share(void *arg, const struct inside_thread *t, const struct wire_sample *s)
{
	struct shares *h = arg;
	char stack[4096];

	inside_stack(t, stack, sizeof(stack));
	h->all += s->weight;
	if (strstr(stack, ";once;leaf") != NULL)
		h->once += s->weight;
	if (strstr(stack, ";twice;leaf") != NULL)
		h->twice += s->weight;
	if (strstr(stack, "run;main;") != NULL)
		h->thread += s->weight;
}

/* Two threads of which each runs for half a second of CPU time. */
static char two[] =
    "import time, threading\n"
    "def leaf(n):\n"
    "    for i in range(n): pass\n"
    "def once(n): leaf(n)\n"
    "def twice(n): leaf(2 * n)\n"
    "def main():\n"
    "    end = time.thread_time() + 0.5\n"
    "    while time.thread_time() < end:\n"
    "        once(10000); twice(10000)\n"
    "t = threading.Thread(target=main)\n"
    "t.start(); main(); t.join()\n";

static void
test_stacks(char *python, bool no_key)
{
	struct shares h = {0};
	struct inside in;
	uint64_t lost;
	int status;

	inside_open(&in, 0, MS);
	in.sample = share;
	in.arg = &h;
	in.no_key = no_key;
	status = inside_finish(&in, inside_start(&in,
	    (char *[]){python, "-c", two, NULL}));
	check(status == 0, "%s: status %d", python, status);
	/* Python may be found late. */
	lost = in.drops[WIRE_DROP_EARLY] + in.drops[WIRE_DROP_END];
	check(h.twice + h.once + lost > 800 && h.twice + h.once > 100,
	    "%s: %lu and %lu of %lu, %lu lost", python, h.once, h.twice, h.all,
	    lost);
	check(h.twice > h.once && h.once * 10 > h.twice, "%s: %lu and %lu",
	    python, h.once, h.twice);
	check(h.thread + lost > 400 && h.thread < 600, "%s: %lu, %lu lost",
	    python, h.thread, lost);
	check(in.drops[WIRE_DROP_INVALID] * 100 < h.all, "%s: %lu", python,
	    in.drops[WIRE_DROP_INVALID]);
	check(in.drops[WIRE_DROP_FULL] == 0, "%s: %lu", python,
	    in.drops[WIRE_DROP_FULL]);
	inside_close(&in);
}

/* ---- programs that find out by themselves ---------------------------------------- */

static char *
subject(void)
{
	static char path[4096];
	const char *dir = getenv("TACH_BUILDDIR");

	snprintf(path, sizeof(path), "%s/t/unit/subject",
	    dir != NULL ? dir : ".");
	return path;
}

/* Runs one, sampled often. */
static struct inside
run(uint32_t asked, char *what, char *number)
{
	struct inside in;
	int status;

	inside_open(&in, asked, MS / 10);
	status = inside_finish(&in, inside_start(&in,
	    (char *[]){subject(), what, number, NULL}));
	check(status == 0, "%s %s: status %#x", what, number,
	    (unsigned)status);
	return in;
}

static uint32_t
slots_in_use(const struct inside *in)
{
	uint32_t n = 0;

	for (int i = 0; i < WIRE_SLOTS; i++)
		n += atomic_load(&in->control->slots[i].state) !=
		    WIRE_SLOT_FREE;
	return n;
}

static void
test_threads(uint32_t asked)
{
	struct inside in = run(asked, "threads", "2000");
	const struct wire_slot *s = &in.control->slots[0];

	check(s->threads == 2001, "%u", s->threads);
	check(in.count == 2001, "%zu", in.count);
	check(s->no_area == 0 && s->refused == 0, "%u and %u", s->no_area,
	    s->refused);
	/* All but the main thread's were given back. */
	for (size_t i = 0; i < in.count; i++)
		check(in.threads[i].over, "area %u", in.threads[i].number);
	/* Of all that worked, 20 had 2 ms: 20 ticks each. */
	check(in.drops[WIRE_DROP_EARLY] + in.drops[WIRE_DROP_END] >= 380,
	    "%lu and %lu", in.drops[WIRE_DROP_EARLY],
	    in.drops[WIRE_DROP_END]);
	inside_close(&in);
}

/* What they say of themselves is what is tested; all samples are early. */
static void
test_subjects(void)
{
	static const uint32_t clocks[] = {0, WIRE_WALL};
	struct inside in;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		in = run(clocks[i], "waits", "30");
		inside_close(&in);
		in = run(clocks[i], "masks", "50");
		/* It worked for 50 ms with all signals blocked. */
		check(in.drops[WIRE_DROP_EARLY] + in.drops[WIRE_DROP_END] > 400,
		    "%lu and %lu", in.drops[WIRE_DROP_EARLY],
		    in.drops[WIRE_DROP_END]);
		inside_close(&in);
		in = run(clocks[i], "forks", "5");
		check(slots_in_use(&in) == 1, "%u", slots_in_use(&in));
		inside_close(&in);
		in = run(clocks[i] | WIRE_FOLLOW, "forks", "5");
		check(slots_in_use(&in) == 6, "%u", slots_in_use(&in));
		check(in.count == 46, "%zu", in.count);
		inside_close(&in);
		in = run(clocks[i], "spawns", "5");
		check(slots_in_use(&in) == 1, "%u", slots_in_use(&in));
		inside_close(&in);
		in = run(clocks[i] | WIRE_FOLLOW, "spawns", "5");
		check(slots_in_use(&in) == 11, "%u", slots_in_use(&in));
		inside_close(&in);
		in = run(clocks[i], "execs", "30");
		check(slots_in_use(&in) == 31, "%u", slots_in_use(&in));
		for (int k = 0; k < 30; k++)
			check(in.control->slots[k].state == WIRE_SLOT_DONE,
			    "%d", k);
		inside_close(&in);
	}
	in = run(0, "hidden", "2");
	check(slots_in_use(&in) == 3, "%u", slots_in_use(&in));
	inside_close(&in);
}

/* ---- orders ------------------------------------------------------------------------ */

static void
serve_for(struct inside *in, unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		inside_serve(in);
		nanosleep(&(struct timespec){0, MS}, NULL);
	}
}

static uint64_t
ticks(const struct inside *in)
{
	const struct wire_area *a = in->threads[0].ring.area;
	uint64_t n = atomic_load(&a->weight);

	for (int i = 0; i < WIRE_DROPS; i++)
		n += atomic_load(&a->drops[i]);
	return n;
}

/* A pause and what comes after it, of a program that works or sleeps. */
static void
test_pause(uint32_t asked, char *what, char *number)
{
	struct inside in;
	uint64_t before, after;
	pid_t pid;

	inside_open(&in, asked, MS);
	pid = inside_start(&in, (char *[]){subject(), what, number, NULL});
	while (in.count == 0 || (what[0] == 'w' && ticks(&in) < 20))
		serve_for(&in, 1);
	inside_order(&in, WIRE_PAUSE);
	serve_for(&in, 100);
	before = ticks(&in);
	serve_for(&in, 300);
	after = ticks(&in);
	check(after == before, "%lu, then %lu", before, after);
	inside_order(&in, WIRE_RUN);
	if (what[0] == 'w')
		while (ticks(&in) < after + 20)
			serve_for(&in, 1);
	check(inside_finish(&in, pid) == 0, "%s", what);
	/* It sleeps for a second, of which 400 ms do not count. */
	if (what[0] != 'w')
		check(in.drops[WIRE_DROP_EARLY] < 700, "%lu",
		    in.drops[WIRE_DROP_EARLY]);
	inside_close(&in);
}

/* ---- a recorder that comes too late ------------------------------------------------ */

/* Calls that go up and down, so that samples are long. */
static char deep[] =
    "import time\n"
    "def down(n, end):\n"
    "    if n: return down(n - 1, end)\n"
    "    for i in range(1000): pass\n"
    "end = time.monotonic() + 2\n"
    "while time.monotonic() < end:\n"
    "    down(50, end); down(400, end)\n";

/* What has no room is counted, and what comes after it is whole. */
static void
test_full(char *python)
{
	struct inside in;
	pid_t pid;
	int status;

	inside_open(&in, WIRE_WALL, MS / 10);
	pid = inside_start(&in, (char *[]){python, "-c", deep, NULL});
	while (in.samples == 0)
		serve_for(&in, 1);
	for (int i = 0; i < 10000 && atomic_load(
		&in.threads[0].ring.area->drops[WIRE_DROP_FULL]) == 0; i++)
		nanosleep(&(struct timespec){0, MS}, NULL);
	serve_for(&in, 1);
	check(in.threads[0].ring.area->high > WIRE_RING / 2, "%u",
	    in.threads[0].ring.area->high);
	status = inside_finish(&in, pid);
	check(status == 0, "%s: status %d", python, status);
	check(in.drops[WIRE_DROP_FULL] > 0, "%s: %lu samples", python,
	    in.samples);
	check(in.samples > 100, "%s: %lu", python, in.samples);
	inside_close(&in);
}

/* ---- perf events ------------------------------------------------------------------- */

/* Each tick is a signal then, not only those that the kernel's own make. */
static void
test_perf(void)
{
	struct inside in;
	uint64_t n, all = 0;
	pid_t pid;

	inside_open(&in, 0, MS);
	in.perf = true;
	pid = inside_start(&in, (char *[]){subject(), "work", "1000", NULL});
	while (in.count == 0)
		serve_for(&in, 1);
	check(inside_finish(&in, pid) == 0, "with perf events");
	n = in.drops[WIRE_DROP_EARLY] + in.drops[WIRE_DROP_END];
	for (int i = 0; i < WIRE_TIMES; i++)
		all += in.times[i];
	check(n > 900 && n < 1200, "%lu", n);
	check(!in.perf || all > n / 2, "%lu signals for %lu ticks", all, n);
	inside_close(&in);
	/* None comes to a program that has no handler for it yet. */
	inside_open(&in, 0, MS / 10);
	in.perf = true;
	pid = inside_start(&in, (char *[]){subject(), "execs", "50", NULL});
	check(inside_finish(&in, pid) == 0, "execs with perf events");
	inside_close(&in);
}

/* ---- signals for a program that has just taken the place of one --------------------- */

/* Of clocks whose recorder was killed. */
static void
test_orphan(void)
{
	struct inside in;
	int status = 0;
	pid_t pid;

	inside_open(&in, 0, MS / 10);
	in.perf = true;
	pid = inside_start(&in, (char *[]){subject(), "execs", "1", NULL});
	while (in.count == 0 && waitpid(pid, &status, WNOHANG) == 0)
		inside_serve(&in);
	atomic_fetch_or(&in.control->owner, WIRE_OWNER_DIED);
	waitpid(pid, &status, 0);
	check(status == 0, "status %#x", (unsigned)status);
	inside_close(&in);
}

/* From a recorder that wakes a program too late. */
static void
test_woken(void)
{
	siginfo_t info = {.si_code = SI_QUEUE,
	    .si_value.sival_int = WIRE_POKE};
	struct inside in;
	int status = 0;
	pid_t pid;

	inside_open(&in, WIRE_WALL, MS);
	pid = inside_start(&in, (char *[]){subject(), "execs", "30", NULL});
	while (waitpid(pid, &status, WNOHANG) == 0) {
		inside_serve(&in);
		if (in.count > 0)
			syscall(SYS_rt_tgsigqueueinfo, pid, pid,
			    in.control->signal, &info);
		nanosleep(&(struct timespec){0, MS / 20}, NULL);
	}
	check(status == 0, "status %#x", (unsigned)status);
	inside_close(&in);
}

/* A stack so deep that a sample takes longer than the interval: the program
 * still gets on. */
static char deeper[] =
    "import sys, threading\n"
    "sys.setrecursionlimit(100000)\n"
    "threading.stack_size(256 << 20)\n"
    "def down(n):\n"
    "    if n: return down(n - 1)\n"
    "    for i in range(1000000): pass\n"
    "t = threading.Thread(target=down, args=(20000,))\n"
    "t.start(); t.join()\n";

static void
test_slow(char *python, uint32_t asked)
{
	struct inside in;
	int status;

	inside_open(&in, asked, MS / 10);
	in.perf = !(asked & WIRE_WALL);
	status = inside_finish(&in, inside_start(&in,
	    (char *[]){python, "-c", deeper, NULL}));
	check(status == 0, "%s: status %#x", python, (unsigned)status);
	check(in.samples > 0, "%s", python);
	inside_close(&in);
}

/* Forty threads that wait for the GIL, which one has that computes: each wakes
 * every 5 ms. */
static char herd[] =
    "import threading, time\n"
    "def spin(s):\n"
    "  end = time.process_time() + s\n"
    "  while time.process_time() < end: pass\n"
    "def wait():\n"
    "  go.wait(10)\n"
    "go = threading.Event()\n"
    "ts = [threading.Thread(target=wait) for _ in range(40)]\n"
    "for t in ts: t.start()\n"
    "spin(0.3)\n"
    "go.set()\n"
    "spin(1)\n"
    "for t in ts: t.join()\n";

/* Few signals come to them: they do not compute. */
static void
test_herd(char *python)
{
	struct inside in;
	uint64_t idle = 0;
	int status;

	inside_open(&in, 0, MS);
	status = inside_finish(&in, inside_start(&in,
	    (char *[]){python, "-c", herd, NULL}));
	check(status == 0, "%s: status %#x", python, (unsigned)status);
	idle = in.runs - in.samples;
	check(in.count == 41, "%zu threads", in.count);
	check(in.samples > 300, "%lu", in.samples);
	check(idle < 41 * 20, "%s: %lu signals for nothing", python, idle);
	inside_close(&in);
}

int
main(void)
{
	alarm(900); /* what hangs fails */
	test_perf();
	for (int i = 0; i < 20; i++)
		test_orphan();
	test_woken();
	test_threads(0);
	test_threads(WIRE_WALL);
	test_subjects();
	test_pause(0, "work", "1000");
	test_pause(WIRE_WALL, "work", "1000");
	test_pause(WIRE_WALL, "sleep", "1");
	find_pythons();
	if (npythons == 0)
		return 77;
	for (size_t i = 0; i < npythons; i++)
		test_stacks(pythons[i], false);
	test_stacks(pythons[0], true);
	test_full(pythons[npythons - 1]);
	test_slow(pythons[npythons - 1], 0);
	test_slow(pythons[npythons - 1], WIRE_WALL);
	test_herd(pythons[npythons - 1]);
	for (size_t i = 0; i < npythons; i++)
		free(pythons[i]);
	return failures != 0;
}
