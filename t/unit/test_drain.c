/* SPDX-License-Identifier: ISC */
/*
 * test_drain.c: what the recorder makes of the memory that it shares with an
 * agent, whatever is in there: good records become samples, and of noise, and
 * of good records with noise in them, nothing comes that cannot be.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/ring.h"
#include "engine/inprocess/inprocess.h"
#include "engine/inprocess/thread_ring.h"
#include "engine/os/os.h"

#define ROUNDS 4000
#define INTERVAL NS_PER_MS

/* ---- a sink that looks at what it gets ------------------------------------- */

struct checker {
	struct tach_sink sink;
	const struct tach_table *table;
	uint64_t ticks, runs;
	uint64_t last[64]; /* us, by index */
	uint32_t stack[WIRE_DEPTH], depth; /* of the last run of index 0 */
};

static int
check_run(struct tach_sink *s, const struct tach_run *r)
{
	struct checker *c = (struct checker *)s;

	assert(r->depth > 0 && r->depth <= WIRE_DEPTH && r->count > 0);
	assert(r->shared <= r->depth);
	for (uint32_t i = 0; i < r->depth; i++)
		assert(r->frames[i] < tach_table_frame_count(c->table));
	if (r->index < 64)
		for (size_t i = 0; i < r->count; i++) {
			assert(r->ticks[i].time > c->last[r->index]);
			c->last[r->index] = r->ticks[i].time;
		}
	if (r->index == 0) {
		assert(r->shared <= c->depth);
		assert(memcmp(r->frames + r->depth - r->shared,
		    c->stack + c->depth - r->shared,
		    r->shared * sizeof(*r->frames)) == 0);
		memcpy(c->stack, r->frames, r->depth * sizeof(*r->frames));
		c->depth = r->depth;
	}
	c->ticks += r->count;
	c->runs++;
	return TACH_OK;
}

/* ---- an agent ---------------------------------------------------------------- */

static uint64_t seed = 88172645463325252u;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

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
	struct wire_area *area; /* number 0 */
	uint64_t start;
};

static void
raise_curtain(struct stage *s)
{
	struct error error = {.text = ""};
	struct py_runtime rt = {.addr = 4096, .version = 0x030c00f0};
	struct wire_slot *slot;

	memset(s, 0, sizeof(*s));
	s->options = (struct tach_recorder_options){.size = sizeof(s->options),
	    .interval_ns = INTERVAL,
	    .engine = TACH_ENGINE_INPROCESS};
	s->agents = agents_new(&s->options, &error);
	if (s->agents == NULL)
		fprintf(stderr, "%s\n", error.text);
	assert(s->agents != NULL);
	assert(process_open(&s->process, getpid()));
	s->table = tach_table_new();
	s->checker = (struct checker){.sink = {.size = sizeof(struct tach_sink),
	    .run = check_run},
	    .table = s->table};
	s->inprocess = inprocess_new(s->agents, &s->process, &s->options,
	    s->table, &s->names, &s->faults, NULL);
	assert(s->inprocess != NULL);
	assert(inprocess_look(s->inprocess) == INPROCESS_NONE);
	slot = agents_slot(s->agents, 3);
	slot->pid = getpid();
	atomic_store(&slot->state, WIRE_SLOT_WAITING);
	assert(inprocess_look(s->inprocess) == INPROCESS_WAITING);
	assert(py_offsets_load(py_layout_find(12, false), NULL,
	    &rt.offsets) == NULL);
	assert(inprocess_tell(s->inprocess, &rt, false));
	assert(atomic_load(&slot->state) == WIRE_SLOT_LIVE);
	s->area = mmap(NULL, offsetof(struct wire_area, own),
	    PROT_READ | PROT_WRITE, MAP_SHARED, agents_fd(s->agents),
	    (off_t)WIRE_AREAS);
	assert(s->area != MAP_FAILED);
	s->area->tid = getpid();
	s->area->ident = 1;
	atomic_store(&s->area->clock, WIRE_CLOCK_WALL);
	atomic_store(&s->area->state, WIRE_AREA_LIVE);
	atomic_store(&slot->areas, 1);
	s->start = clock_ns() - NS_PER_S;
}

static void
lower_curtain(struct stage *s)
{
	munmap(s->area, offsetof(struct wire_area, own));
	inprocess_free(s->inprocess, true);
	agents_drop(s->agents);
	process_close(&s->process);
	thread_names_free(&s->names);
	tach_table_free(s->table);
}

static void
drain(struct stage *s)
{
	assert(inprocess_drain(s->inprocess, s->start, &s->checker.sink,
	    &s->stats));
	inprocess_count(s->inprocess, &s->stats);
}

static void
put_code(struct stage *s, uint32_t number, const char *name, int32_t line)
{
	static const uint8_t lines[] = {0x80 | 13 << 3 | 7, 0};
	struct wire_code c = {.number = number, .firstlineno = line,
	    .name = {(uint32_t)strlen(name), 1, 1, 0}, .file = {3, 1, 1, 0},
	    .lines = sizeof(lines), .units = 16};
	size_t size = sizeof(c) + strlen(name) + 3 + sizeof(lines);
	static const uint8_t zero[8];
	struct ring_piece pieces[] = {{&c, sizeof(c)}, {name, strlen(name)},
	    {"f.p", 3}, {lines, sizeof(lines)}, {zero, -size % 8}};

	c.record = (struct wire_record){(uint32_t)(size + -size % 8),
	    WIRE_CODE};
	ring_put(s->area, pieces, 5); /* what is no ring takes nothing */
}

static void
make_sample(struct wire_sample *w, uint32_t depth, uint32_t shared,
    uint32_t weight)
{
	*w = (struct wire_sample){
	    .record = {(uint32_t)(sizeof(struct wire_sample) +
		(depth - shared) * sizeof(struct wire_frame)), WIRE_SAMPLE},
	    .time = clock_ns(), .weight = weight, .depth = depth,
	    .shared = shared};
}

static bool
put_sample(struct stage *s, const struct wire_sample *w,
    const struct wire_frame *f, size_t n)
{
	return ring_put(s->area, (struct ring_piece[]){{w, sizeof(*w)},
	    {f, n * sizeof(*f)}}, 2);
}

/* ---- tests ------------------------------------------------------------------- */

static void
test_good(void)
{
	static struct stage s;
	struct wire_frame f[] = {{1, TACH_NO_OPCODE, 0, 4},
	    {0, TACH_NO_OPCODE, 0, UINT32_MAX}};
	struct wire_sample w;

	raise_curtain(&s);
	put_code(&s, 0, "outer", 10);
	put_code(&s, 1, "inner", 20);
	make_sample(&w, 2, 0, 1);
	put_sample(&s, &w, f, 2);
	make_sample(&w, 2, 1, 2);
	put_sample(&s, &w, f, 1);
	drain(&s);
	assert(s.checker.ticks == 3 && s.checker.runs == 2);
	assert(s.stats.inprocess.ring_size == WIRE_RING);
	assert(s.checker.depth == 2 && s.stats.samples == 3);
	assert(tach_table_frame(s.table, s.checker.stack[0])->line == 20);
	assert(tach_table_frame(s.table, s.checker.stack[1])->line == 10);
	/* A number that another code object gets is that one's from then on. */
	put_code(&s, 1, "other", 30);
	make_sample(&w, 2, 1, 1);
	put_sample(&s, &w, f, 1);
	drain(&s);
	assert(tach_table_frame(s.table, s.checker.stack[0])->line == 30);
	assert(s.stats.inprocess.damaged == 0);
	/* Its thread ends: the area is drained, and anybody's again. */
	make_sample(&w, 2, 2, 1);
	put_sample(&s, &w, f, 0);
	atomic_store(&s.area->state, WIRE_AREA_DONE);
	drain(&s);
	assert(s.checker.ticks == 5);
	assert(atomic_load(&s.area->state) == WIRE_AREA_FREE);
	assert((uint32_t)atomic_load(&agents_control(s.agents)->free) == 1);
	lower_curtain(&s);
}

/* What no sample can be. */
static void
test_bad(void)
{
	static struct stage s;
	struct wire_frame f[] = {{0, TACH_NO_OPCODE, 0, 4}};
	const struct {
		struct wire_frame frame;
		uint32_t depth, shared, weight;
	} bad[] = {
		{{7, TACH_NO_OPCODE, 0, 4}, 1, 0, 1}, /* an unknown number */
		{{WIRE_CODES, TACH_NO_OPCODE, 0, 4}, 1, 0, 1},
		{{0xfff3, TACH_NO_OPCODE, 0, 4}, 1, 0, 1}, /* no mark */
		{{0, TACH_NO_OPCODE, 0, 16}, 1, 0, 1}, /* behind its code */
		{{0, TACH_NO_OPCODE, 0, 4}, 1, 0, 0},
		{{0, TACH_NO_OPCODE, 0, 4}, 9, 8, 1}, /* shared with nothing */
		{{0, TACH_NO_OPCODE, 0, 4}, 1, 2, 1},
		{{0, TACH_NO_OPCODE, 0, 4}, WIRE_DEPTH + 1, 0, 1},
		{{0, TACH_NO_OPCODE, 0, 4}, 2, 0, 1}, /* more than there are */
	};
	struct wire_sample w;

	raise_curtain(&s);
	put_code(&s, 0, "outer", 10);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		make_sample(&w, 1, 0, bad[i].weight);
		w.depth = bad[i].depth;
		w.shared = bad[i].shared;
		assert(put_sample(&s, &w, &bad[i].frame, 1));
		drain(&s);
		assert(s.checker.ticks == 0);
		assert(s.stats.inprocess.damaged == i + 1);
	}
	/* A weight, and times, that cannot be. */
	make_sample(&w, 1, 0, UINT32_MAX);
	w.time = UINT64_MAX;
	put_sample(&s, &w, f, 1);
	w.time = 0;
	put_sample(&s, &w, f, 1);
	drain(&s);
	assert(s.checker.ticks >= 2 && s.checker.ticks < 100000);
	/* And a head that cannot be: the ring is left alone. */
	atomic_store(&s.area->head, atomic_load(&s.area->head) + WIRE_RING + 8);
	drain(&s);
	drain(&s);
	assert(s.stats.inprocess.damaged ==
	    sizeof(bad) / sizeof(*bad) + 1);
	lower_curtain(&s);
}

/* Records with noise in them, noise around them, and nothing else. */
static void
test_noise(void)
{
	static struct stage s;
	struct wire_frame f[8];
	struct wire_sample w;

	for (int i = 0; i < ROUNDS; i++) {
		size_t fresh = 1 + any(8);
		if (i % 100 == 0) {
			if (i > 0)
				lower_curtain(&s);
			raise_curtain(&s);
			put_code(&s, 0, "outer", 10);
		}
		for (size_t k = 0; k < 8; k++)
			f[k] = (struct wire_frame){(uint16_t)(any(20) == 0 ?
			    0xfff0 + any(4) : any(3)), TACH_NO_OPCODE, 0,
			    (uint32_t)any(20)};
		make_sample(&w, (uint32_t)fresh, 0, (uint32_t)any(4));
		w.shared = any(3) == 0 ? (uint32_t)any(fresh + 2) : 0;
		w.time += any(9) == 0 ? any(UINT64_MAX) : 0;
		put_sample(&s, &w, f, fresh);
		if (any(4) == 0)
			put_code(&s, (uint32_t)any(4), "noise", (int)any(9));
		if (any(10) == 0) {
			uint8_t *ring = s.area->ring;
			ring[any(4096)] = (uint8_t)any(256);
		}
		if (any(200) == 0)
			atomic_store(&s.area->head, any(UINT64_MAX));
		if (any(50) == 0)
			atomic_store(&s.area->next, (uint32_t)any(99999));
		if (any(50) == 0)
			atomic_store(&agents_slot(s.agents, 3)->areas,
			    (uint32_t)any(4));
		drain(&s);
	}
	lower_curtain(&s);
}

/* ---- one image after another --------------------------------------------------- */

static void
come_up(const struct stage *s, uint32_t number, enum wire_slot_state state,
    uint64_t claimed)
{
	struct wire_slot *slot = agents_slot(s->agents, number);

	slot->pid = getpid();
	slot->claimed = claimed;
	atomic_store(&slot->state, state);
}

/* Two execs between two looks: the last image stays, wherever its slot is. */
static void
test_images(void)
{
	static struct stage s;

	raise_curtain(&s);
	atomic_store(&agents_slot(s.agents, 3)->state, WIRE_SLOT_DONE);
	come_up(&s, 5, WIRE_SLOT_DONE, 100);
	come_up(&s, 4, WIRE_SLOT_WAITING, 200);
	for (int i = 0; i < 3; i++)
		assert(inprocess_look(s.inprocess) == INPROCESS_WAITING);
	assert(atomic_load(&agents_slot(s.agents, 3)->state) ==
	    WIRE_SLOT_FREE);
	assert(atomic_load(&agents_slot(s.agents, 5)->state) ==
	    WIRE_SLOT_FREE);
	assert(atomic_load(&agents_slot(s.agents, 4)->state) ==
	    WIRE_SLOT_WAITING);
	lower_curtain(&s);
}

/* Ticks of a wait that were given before it was over. */
static void
test_ahead(void)
{
	static struct thread_ring a = {.clock = WIRE_CLOCK_WALL,
	    .since = 10 * INTERVAL};

	assert(thread_ring_untold(&a, 0, 15 * INTERVAL + 1, INTERVAL) == 5);
	assert(thread_ring_untold(&a, 12 * INTERVAL, 15 * INTERVAL, INTERVAL) == 3);
	assert(thread_ring_untold(&a, 0, 9 * INTERVAL, INTERVAL) == 0);
	/* The sample that the thread takes then has them, too. */
	a.ahead = 5;
	a.since = 15 * INTERVAL;
	a.next.time = 18 * INTERVAL - 1;
	assert(thread_ring_rest(&a, 8, INTERVAL) == 3);
	assert(a.ahead == 0 && a.since == a.next.time);
	a.next.time = 20 * INTERVAL;
	assert(thread_ring_rest(&a, 2, INTERVAL) == 2);
	/* Or that was lost, and the next one has not. */
	a.ahead = 5;
	a.since = 25 * INTERVAL;
	a.next.time = 27 * INTERVAL;
	assert(thread_ring_rest(&a, 1, INTERVAL) == 1);
	/* By a CPU clock, a wait has none. */
	a.clock = WIRE_CLOCK_PERF;
	assert(thread_ring_untold(&a, 0, 99 * INTERVAL, INTERVAL) == 0);
}

/* What samples cost in two processes: most are fast in one of them, and there
 * are few in the other. */
static void
test_sums(void)
{
	struct tach_inprocess_stats sum = {.size = sizeof(sum)};
	struct tach_inprocess_stats fast = {.size = sizeof(fast),
	    .records = 980, .weight = 990,
	    .invalid = 1, .full = 2, .late = 3, .overruns = 10,
	    .handler_ns = 98000, .handler_times = {[4] = 980},
	    .ring_high = 700, .ring_size = WIRE_RING, .frames = 5,
	    .clocks = {[TACH_CLOCK_PERF] = 1}};
	struct tach_inprocess_stats slow = {.size = sizeof(slow),
	    .records = 20, .weight = 20,
	    .full = 4, .handler_ns = 902000, .handler_times = {[40] = 20},
	    .ring_high = 600, .ring_size = WIRE_RING, .frames = 6,
	    .frames_known = 2, .clocks = {[TACH_CLOCK_PERF] = 2}};

	assert(tach_inprocess_add(&sum, &fast));
	assert(sum.handler_mean_ns == 100 && sum.handler_p99_ns == 200);
	assert(tach_inprocess_add(&sum, &slow));
	assert(sum.records == 1000 && sum.weight == 1010);
	assert(sum.invalid == 1 && sum.full == 6 && sum.late == 3);
	assert(sum.overruns == 10 && sum.ring_high == 700);
	assert(sum.ring_size == WIRE_RING);
	assert(sum.frames == 11 && sum.frames_known == 2);
	assert(sum.clocks[TACH_CLOCK_PERF] == 3);
	assert(sum.handler_mean_ns == 1000);
	assert(sum.handler_p99_ns == 102400);
}

int
main(void)
{
	test_images();
	test_ahead();
	test_sums();
	test_good();
	test_bad();
	test_noise();
	return 0;
}
