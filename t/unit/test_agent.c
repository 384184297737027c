/* SPDX-License-Identifier: ISC */
/*
 * test_agent.c: what the agent says of real programs: the stacks of all
 * threads of all Pythons at hand, and their CPU time.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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
	int status;

	inside_open(&in, 0, MS);
	in.sample = share;
	in.arg = &h;
	in.no_key = no_key;
	status = inside_finish(&in, inside_start(&in,
	    (char *[]){python, "-c", two, NULL}));
	check(status == 0, "%s: status %d", python, status);
	check(h.twice + h.once > 800 && h.twice + h.once <= h.all,
	    "%s: %lu and %lu of %lu", python, h.once, h.twice, h.all);
	check(h.twice > h.once && h.once > 100, "%s: %lu and %lu", python,
	    h.once, h.twice);
	check(h.thread > 400 && h.thread < 600, "%s: %lu", python, h.thread);
	check(in.drops[WIRE_DROP_INVALID] * 100 < h.all, "%s: %lu", python,
	    in.drops[WIRE_DROP_INVALID]);
	check(in.drops[WIRE_DROP_FULL] == 0, "%s: %lu", python,
	    in.drops[WIRE_DROP_FULL]);
	inside_close(&in);
}

int
main(void)
{
	find_pythons();
	if (npythons == 0)
		return 77;
	for (size_t i = 0; i < npythons; i++)
		test_stacks(pythons[i], false);
	test_stacks(pythons[0], true);
	for (size_t i = 0; i < npythons; i++)
		free(pythons[i]);
	return failures != 0;
}
