/* SPDX-License-Identifier: ISC */
/* switch_feed.c: see switch_feed.h. */
#include "engine/kernel/switch_feed.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/kernel/bpf_load.h"
#include "engine/bpf/switchesprogram.h"

#define RING_SIZE (1u << 20) /* bytes, a power of two */
#define RECORD_HEAD 8	     /* bytes before a record, which hold its length */

/* The programs and maps, for all feeds of this process. */
static struct {
	pthread_mutex_t lock; /* for all fields */
	unsigned holders; /* feeds, and calls of prepare */
	struct bpf_object *object;
	int link; /* by which the program runs */
	int processes, rings, states, stacks; /* descriptors of maps */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .link = -1};

struct switch_feed {
	uint32_t process;
	int ring;
	volatile unsigned long *read_to;	/* bytes that were read */
	const volatile unsigned long *written; /* bytes that there are */
	const uint8_t *bytes;
	uint32_t length; /* of the record that next gave, with its head */
};

/* ---- the program ----------------------------------------------------------- */

static bool
load_switches(void *arg)
{
	struct bpf_object *o;
	struct bpf_map *map;
	uint64_t namespace[2];

	(void)arg;
	o = shared.object = bpf_object__open_mem(switches_program,
	    sizeof(switches_program), NULL);
	if (o == NULL)
		return false;
	map = bpf_object__find_map_by_name(o, ".rodata");
	if (map != NULL && bpf_namespace(&namespace[0], &namespace[1]) &&
	    bpf_map__set_initial_value(map, namespace, sizeof(namespace)) != 0)
		return false;
	map = bpf_object__find_map_by_name(o, "room");
	return map != NULL &&
	    bpf_map__set_max_entries(map, (uint32_t)libbpf_num_possible_cpus()) == 0 &&
	    bpf_object__load(o) == 0;
}

static void
unload_switches(void)
{
	if (shared.link >= 0)
		close(shared.link);
	bpf_object__close(shared.object);
	shared.object = NULL;
	shared.link = -1;
}

static int
map_of(const char *name)
{
	return bpf_object__find_map_fd_by_name(shared.object, name);
}

/* Loads the program and has it run.  False, with errno. */
static bool
begin_switches(void)
{
	int saved;

	if (!KNOWS_REGISTERS) {
		errno = ENOSYS;
		return false;
	}
	if (bpf_load_quietly(load_switches, NULL)) {
		shared.processes = map_of("processes");
		shared.rings = map_of("rings");
		shared.states = map_of("states");
		shared.stacks = map_of("stacks");
		shared.link = bpf_raw_tracepoint_open("sched_switch",
		    bpf_program__fd(bpf_object__find_program_by_name(shared.object,
			"tach_switch")));
		/* An older kernel does not tell the state of a thread that leaves. */
		if (shared.link < 0 && errno == EINVAL)
			errno = ENOSYS;
	}
	if (shared.link >= 0)
		return true;
	saved = errno;
	unload_switches();
	errno = saved;
	return false;
}

/* ---- its ring -------------------------------------------------------------- */

static size_t
page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool
map_ring(struct switch_feed *f)
{
	size_t page = page_size();
	uint8_t *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, f->ring, 0);

	if (p == MAP_FAILED)
		return false;
	f->read_to = (unsigned long *)(void *)p;
	/* The kernel maps the records twice, so that none is torn at the end. */
	p = mmap(NULL, page + 2 * RING_SIZE, PROT_READ, MAP_SHARED, f->ring,
	    (off_t)page);
	if (p == MAP_FAILED)
		return false;
	f->written = (unsigned long *)(void *)p;
	f->bytes = p + page;
	return true;
}

static void
unmap_ring(struct switch_feed *f)
{
	size_t page = page_size();

	if (f->read_to != NULL)
		munmap((void *)(uintptr_t)f->read_to, page);
	if (f->written != NULL)
		munmap((void *)(uintptr_t)f->written, page + 2 * RING_SIZE);
	if (f->ring >= 0)
		close(f->ring);
}

static bool
open_ring(struct switch_feed *f, const struct switch_way *way)
{
	struct switch_process p = {.way = *way};

	f->ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_SIZE, NULL);
	return f->ring >= 0 && map_ring(f) &&
	    bpf_map_update_elem(shared.rings, &f->process, &f->ring, BPF_ANY) == 0 &&
	    bpf_map_update_elem(shared.processes, &f->process, &p, BPF_ANY) == 0;
}

/* ---- feeds ----------------------------------------------------------------- */

static bool
hold_switches(void)
{
	bool ok;

	pthread_mutex_lock(&shared.lock);
	ok = shared.holders > 0 || begin_switches();
	shared.holders += ok;
	pthread_mutex_unlock(&shared.lock);
	return ok;
}

static void
drop_switches(void)
{
	pthread_mutex_lock(&shared.lock);
	if (--shared.holders == 0)
		unload_switches();
	pthread_mutex_unlock(&shared.lock);
}

static void
close_feed(struct switch_feed *f)
{
	if (f == NULL)
		return;
	bpf_map_delete_elem(shared.processes, &f->process);
	bpf_map_delete_elem(shared.rings, &f->process);
	drop_switches();
	unmap_ring(f);
	free(f);
}

static struct switch_feed *
open_feed(pid_t process, const struct switch_way *way)
{
	struct switch_feed *f = calloc(1, sizeof(*f));
	bool held = f != NULL && hold_switches();
	int saved;

	if (held) {
		f->process = (uint32_t)process;
		f->ring = -1;
		if (open_ring(f, way))
			return f;
	}
	saved = errno;
	if (held)
		close_feed(f);
	else
		free(f);
	errno = saved;
	return NULL;
}

static void
note_state(const struct switch_feed *f, pid_t task, uint64_t state)
{
	uint32_t key = (uint32_t)task;

	(void)f;
	bpf_map_update_elem(shared.states, &key, &state, BPF_ANY);
}

static void
know_stack(const struct switch_feed *f, uint64_t stack, bool known)
{
	uint8_t one = 1;

	(void)f;
	if (known)
		bpf_map_update_elem(shared.stacks, &stack, &one, BPF_ANY);
	else
		bpf_map_delete_elem(shared.stacks, &stack);
}

static const struct switch_head *
next_record(struct switch_feed *f)
{
	unsigned long at, end;
	uint32_t head;

	while (true) {
		at = *f->read_to;
		end = __atomic_load_n(f->written, __ATOMIC_ACQUIRE);
		if (at >= end)
			return NULL;
		head = __atomic_load_n((const uint32_t *)(const void *)(f->bytes +
		    at % RING_SIZE), __ATOMIC_ACQUIRE);
		if (head & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		f->length = ((head & ~BPF_RINGBUF_DISCARD_BIT) + RECORD_HEAD + 7) &
		    ~(uint32_t)7;
		if (!(head & BPF_RINGBUF_DISCARD_BIT))
			return (const void *)(f->bytes + at % RING_SIZE + RECORD_HEAD);
		__atomic_store_n(f->read_to, at + f->length, __ATOMIC_RELEASE);
	}
}

static void
pass_record(struct switch_feed *f)
{
	__atomic_store_n(f->read_to, *f->read_to + f->length, __ATOMIC_RELEASE);
}

static uint64_t
count_lost(const struct switch_feed *f)
{
	struct switch_process p;

	return bpf_map_lookup_elem(shared.processes, &f->process, &p) == 0 ? p.lost : 0;
}

const struct switch_feed_ops switch_feed_ops = {
	.prepare = hold_switches,
	.unprepare = drop_switches,
	.open = open_feed,
	.close = close_feed,
	.thread = note_state,
	.know = know_stack,
	.next = next_record,
	.pass = pass_record,
	.lost = count_lost,
};
