/* SPDX-License-Identifier: ISC */
/* attached.c: puts the agent into a process's Python for so long, and prints
 * each sample: thread id, weight and stack, outermost first.
 *
 *	attached PID SECONDS [INTERVAL_US [wall]]
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/locate/attach.h"
#include "engine/locate/find.h"
#include "engine/os/os.h"
#include "inside.h"

static void
print(void *arg, const struct inside_thread *t, const struct wire_sample *s)
{
	char stack[4096];

	(void)arg;
	inside_stack(t, stack, sizeof(stack));
	printf("%d %" PRIu32 " %s\n", (int)t->tid, s->weight, stack);
}

/* As a recorder does at its end. */
static void
end_slots(struct inside *in)
{
	for (int i = 0; i < WIRE_SLOTS; i++) {
		struct wire_slot *s = &in->control->slots[i];
		if (atomic_load(&s->state) == WIRE_SLOT_FREE)
			continue;
		atomic_store(&s->order, WIRE_PAUSE);
		atomic_store(&s->state, WIRE_SLOT_DONE);
	}
}

int
main(int argc, char *argv[])
{
	const char *dir = getenv("TACH_BUILDDIR");
	struct inside in;
	struct process p;
	struct py_runtime rt;
	struct error error = {0};
	struct attach_offer offer = {0};
	char path[4096];
	uint64_t seen = 0, end;

	if (argc < 3)
		errx(2, "usage: attached PID SECONDS [INTERVAL_US [wall]]");
	snprintf(path, sizeof(path), "%s/lib/.libs/libtach-agent.so",
	    dir != NULL ? dir : ".");
	inside_open(&in, argc > 4 ? WIRE_WALL : 0,
	    argc > 3 ? strtoull(argv[3], NULL, 10) * NS_PER_US : NS_PER_MS);
	in.sample = print;
	offer = (struct attach_offer){in.fd, in.nonce, path};
	if (!process_open(&p, atoi(argv[1])))
		err(1, "%s", argv[1]);
	if (find_python(&p, FIND_DEEP, &seen, &rt, &error) != FIND_OK)
		errx(1, "no Python: %s", error.text);
	if (!attach_agent(&p, &rt, &offer, -1, &error))
		errx(1, "%s", error.text);
	end = clock_ns() + (uint64_t)(atof(argv[2]) * NS_PER_S);
	while (clock_ns() < end && !process_ended(&p)) {
		inside_serve(&in);
		nanosleep(&(struct timespec){0, NS_PER_MS}, NULL);
	}
	end_slots(&in);
	inside_serve(&in);
	fprintf(stderr, "refused %u, no area %u, threads %u\n",
	    in.control->slots[0].refused, in.control->slots[0].no_area,
	    in.control->slots[0].threads);
	process_close(&p);
	inside_close(&in);
	return 0;
}
