/* SPDX-License-Identifier: ISC */
/*
 * fuzz_shared.c: any writes into the memory that a recorder shares with its
 * target, between any of what the recorder does.  Nothing comes of it that
 * cannot be, and no other process is reached.
 *
 * The target is this process.  The input is a list of steps: a byte that says
 * which, and what that takes.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/ring.h"
#include "engine/inprocess/inprocess.h"
#include "engine/os/os.h"
#include "fuzz.h"
#include "../unit/outsider.h"

#define INTERVAL NS_PER_MS
#define SLOTS 4	/* that are written to */
#define AREAS 4
#define STEPS_MAX 300

/* ---- the input --------------------------------------------------------------- */

struct input {
	const uint8_t *p, *end;
};

/* Zeros once there is no more. */
static uint64_t
take(struct input *in, size_t size)
{
	uint64_t v = 0;

	if ((size_t)(in->end - in->p) < size)
		size = (size_t)(in->end - in->p);
	memcpy(&v, in->p, size);
	in->p += size;
	return v;
}

/* ---- a sink that looks at what it gets --------------------------------------- */

struct checker {
	struct tach_sink sink;
	const struct tach_table *table;
};

static int
check_run(struct tach_sink *s, const struct tach_run *r)
{
	const struct checker *c = (const struct checker *)s;

	promise(r->depth > 0 && r->depth <= WIRE_DEPTH && r->count > 0);
	promise(r->shared <= r->depth);
	for (uint32_t i = 0; i < r->depth; i++)
		promise(r->frames[i] < tach_table_frame_count(c->table));
	for (size_t i = 1; i < r->count; i++)
		promise(r->ticks[i].time > r->ticks[i - 1].time);
	return TACH_OK;
}

/* ---- a recording ------------------------------------------------------------- */

struct stage {
	struct agents *agents;
	struct inprocess *inprocess;
	struct process process;
	struct tach_table *table;
	struct thread_names names;
	struct native_faults faults;
	struct tach_recorder_options options;
	struct tach_recorder_stats stats;
	struct checker checker;
	struct wire_control *control; /* all of the memory */
	uint64_t start;
};

static struct wire_area *
area_of(const struct stage *s, uint64_t n)
{
	return (struct wire_area *)(void *)((char *)s->control + WIRE_AREAS +
	    n % AREAS * WIRE_AREA);
}

static void
open_stage(struct stage *s)
{
	struct py_runtime rt = {.addr = 4096, .version = 0x030c00f0};
	struct error error = {.text = ""};
	struct wire_slot *slot;

	*s = (struct stage){.options = {.engine = TACH_ENGINE_INPROCESS,
	    .interval_ns = INTERVAL, .follow = true}};
	promise((s->agents = agents_new(&s->options, &error)) != NULL);
	promise(process_open(&s->process, getpid()));
	promise((s->table = tach_table_new()) != NULL);
	s->checker = (struct checker){{.size = sizeof(struct tach_sink),
		.run = check_run}, s->table};
	s->inprocess = inprocess_new(s->agents, &s->process, &s->options,
	    s->table, &s->names, &s->faults, NULL);
	promise(s->inprocess != NULL);
	s->control = mmap(NULL, WIRE_AREAS + AREAS * WIRE_AREA,
	    PROT_READ | PROT_WRITE, MAP_SHARED, agents_fd(s->agents), 0);
	promise(s->control != MAP_FAILED);
	slot = &s->control->slots[0];
	slot->pid = getpid();
	atomic_store(&slot->areas, 1);
	area_of(s, 0)->tid = getpid();
	atomic_store(&area_of(s, 0)->clock, WIRE_CLOCK_WALL);
	atomic_store(&area_of(s, 0)->state, WIRE_AREA_LIVE);
	atomic_store(&slot->state, WIRE_SLOT_WAITING);
	promise(inprocess_look(s->inprocess) == INPROCESS_WAITING);
	promise(py_offsets_load(py_layout_find(12, false), NULL,
	    &rt.offsets) == NULL);
	promise(inprocess_tell(s->inprocess, &rt, false));
	s->start = clock_ns() - NS_PER_S;
	outsider_family(getpid(), 0, SIGRTMAX - 2, INTERVAL);
}

static void
close_stage(struct stage *s, bool ended)
{
	outsider_rest();
	munmap(s->control, WIRE_AREAS + AREAS * WIRE_AREA);
	inprocess_free(s->inprocess, ended);
	agents_drop(s->agents);
	process_close(&s->process);
	thread_names_free(&s->names);
	tach_table_free(s->table);
	promise(outsider_wrong() == 0);
}

/* ---- steps ------------------------------------------------------------------- */

static void
drain(struct stage *s)
{
	promise(inprocess_drain(s->inprocess, s->start, &s->checker.sink,
	    &s->stats));
	inprocess_count(s->inprocess, &s->stats);
}

/* Puts bytes of the input behind what is in a ring. */
static void
put_bytes(struct stage *s, struct input *in)
{
	struct wire_area *a = area_of(s, take(in, 1));
	size_t size = 8 * (size_t)take(in, 1);
	uint64_t head = atomic_load(&a->head);

	for (size_t i = 0; i < size; i++)
		a->ring[(head + i) % WIRE_RING] = (uint8_t)take(in, 1);
	atomic_store(&a->head, head + size);
}

/* A record with a head that fits. */
static void
put_record(struct stage *s, struct input *in)
{
	struct wire_area *a = area_of(s, take(in, 1));
	struct wire_record r = {8 + 8 * (uint32_t)take(in, 1),
	    1 + (uint32_t)take(in, 1) % 2};
	uint8_t bytes[8 * 256] = {0};

	for (size_t i = 0; i < r.size - 8; i++)
		bytes[i] = (uint8_t)take(in, 1);
	ring_put(a, (struct ring_piece[]){{&r, sizeof(r)},
	    {bytes, r.size - 8}}, 2);
}

static void
put_word(uint8_t *base, size_t room, struct input *in)
{
	size_t at = (size_t)take(in, 4) % (room - 8) / 4 * 4;
	size_t size = take(in, 1) % 2 == 0 ? 4 : 8;
	uint64_t v = take(in, size);

	memcpy(base + at, &v, size);
}

static void
step(struct stage *s, struct input *in)
{
	switch (take(in, 1) % 10) {
	case 0:
		put_word((uint8_t *)s->control, WIRE_AREAS, in);
		break;
	case 1:
		put_word((uint8_t *)&s->control->slots[take(in, 1) % SLOTS],
		    offsetof(struct wire_slot, python), in);
		break;
	case 2:
		put_word((uint8_t *)area_of(s, take(in, 1)),
		    offsetof(struct wire_area, ring), in);
		break;
	case 3:
		put_bytes(s, in);
		break;
	case 4:
	case 5:
		put_record(s, in);
		break;
	case 6:
		inprocess_pause(s->inprocess, take(in, 1) % 2 != 0);
		break;
	case 7:
		inprocess_look(s->inprocess);
		break;
	default:
		drain(s);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input in = {bytes, bytes + n};
	struct stage s;
	pid_t pid;

	signal(SIGRTMAX - 2, SIG_IGN); /* what tells our own threads */
	open_stage(&s);
	for (int i = 0; i < STEPS_MAX && in.p < in.end; i++)
		step(&s, &in);
	for (int i = 0; i < SLOTS && agents_fork(s.agents, &pid) != AGENTS_NONE;
	    i++)
		continue;
	inprocess_stop(s.inprocess, n % 2 != 0);
	drain(&s);
	close_stage(&s, n % 2 != 0);
	return 0;
}
