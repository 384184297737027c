/* SPDX-License-Identifier: ISC */
/* inside.c: see inside.h. */
#include "inside.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/copy/snapshot.h"
#include "engine/locate/find.h"
#include "engine/os/os.h"

void
inside_open(struct inside *in, uint32_t asked, uint64_t interval_ns)
{
	void *p;

	*in = (struct inside){.nonce = (uint64_t)getpid() << 32 | 12345};
	in->fd = memfd_create("inside", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (in->fd < 0 || ftruncate(in->fd, (off_t)WIRE_SIZE) != 0 ||
	    fcntl(in->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		err(1, "memory");
	p = mmap(NULL, WIRE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_NORESERVE, in->fd, 0);
	if (p == MAP_FAILED)
		err(1, "memory");
	in->control = p;
	in->control->magic = WIRE_MAGIC;
	in->control->version = WIRE_VERSION;
	in->control->asked = asked;
	in->control->nonce = in->nonce;
	in->control->interval = interval_ns;
	in->control->signal = SIGRTMAX - 2;
}

static struct wire_area *
area_of(const struct inside *in, uint32_t number)
{
	return (struct wire_area *)(void *)((char *)in->control + WIRE_AREAS +
	    (size_t)number * WIRE_AREA);
}

void
inside_close(struct inside *in)
{
	for (size_t i = 0; i < in->count; i++) {
		free(in->threads[i].codes);
		free(in->threads[i].frames);
	}
	free(in->threads);
	munmap(in->control, WIRE_SIZE);
	close(in->fd);
}

pid_t
inside_start(struct inside *in, char *const argv[])
{
	const char *dir = getenv("TACH_BUILDDIR");
	char path[4096], where[128], *real;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/lib/.libs/libtach-agent.so",
	    dir != NULL ? dir : ".");
	if ((real = realpath(path, NULL)) == NULL)
		err(1, "%s", path);
	snprintf(where, sizeof(where), "/proc/%d/fd/%d %llu", getpid(), in->fd,
	    (unsigned long long)in->nonce);
	if ((pid = fork()) < 0)
		err(1, "fork");
	if (pid == 0) {
		if (!(in->control->asked & WIRE_FOLLOW))
			in->control->pid = getpid();
		setenv("LD_PRELOAD", real, 1);
		setenv(WIRE_ENV, where, 1);
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	free(real);
	return pid;
}

/* ---- slots --------------------------------------------------------------------- */

/* The value of the pthread key, or -1. */
static int32_t
state_key(pid_t pid, const struct py_runtime *rt)
{
	struct process_memory m;
	int32_t key;

	process_memory_init(&m, pid);
	if (!py_has(rt->offsets.runtime_state_key) ||
	    !py_read(&m.memory, rt->addr + rt->offsets.runtime_state_key, &key,
		sizeof(key)))
		return -1;
	return key;
}

static void
serve_slot(struct inside *in, uint32_t i)
{
	struct wire_slot *s = &in->control->slots[i];
	struct py_runtime rt;
	struct process p;
	struct error e = {0};

	if (atomic_load(&s->state) != WIRE_SLOT_WAITING ||
	    !process_open(&p, s->pid))
		return;
	if (find_python(&p, FIND_SHALLOW, &in->seen[i], &rt, &e) == FIND_OK) {
		s->python.runtime = rt.addr;
		s->python.version = rt.version;
		s->python.offsets = rt.offsets;
		s->python.state_key = in->no_key ? -1 :
		    state_key(s->pid, &rt);
		atomic_store(&s->state, WIRE_SLOT_LIVE);
	}
	process_close(&p);
}

/* A perf event whose signals take the place of the thread's own timer's. */
static int
open_perf(struct inside *in, int tid)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK,
	    .sample_period = in->control->interval, .wakeup_events = 1,
	    .exclude_kernel = geteuid() != 0, .remove_on_exec = 1};
	struct f_owner_ex owner = {F_OWNER_TID, tid};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
	    PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETSIG, in->control->signal) != 0 ||
	    fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
	    fcntl(fd, F_SETFL, O_ASYNC) != 0)
		in->perf = false;
	return fd;
}

static void
take_areas(struct inside *in, struct wire_slot *s)
{
	uint32_t next = atomic_exchange(&s->areas, 0);

	while (next != 0) {
		struct wire_area *a = area_of(in, next - 1);
		struct inside_thread *t;
		if (in->count == in->max) {
			in->max = in->max * 2 + 16;
			in->threads = realloc(in->threads,
			    in->max * sizeof(*in->threads));
		}
		t = &in->threads[in->count++];
		*t = (struct inside_thread){.number = next - 1, .ring = {a, 0},
		    .pid = s->pid, .tid = a->tid, .perf = -1};
		if (in->perf && (t->perf = open_perf(in, t->tid)) >= 0)
			atomic_store(&a->perf, 1);
		t->codes = calloc(WIRE_CODES, sizeof(*t->codes));
		t->frames = calloc(INSIDE_DEPTH_MAX, sizeof(*t->frames));
		if (t->codes == NULL || t->frames == NULL)
			err(1, NULL);
		next = atomic_load(&a->next);
	}
}

/* ---- records ------------------------------------------------------------------- */

static void
copy_text(char *to, size_t size, const uint8_t *p, const struct wire_text *t)
{
	size_t n = t->length < size - 1 ? t->length : size - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = (char)p[i * t->kind];
	to[n] = '\0';
}

static void
take_code(struct inside_thread *t, const uint8_t *record)
{
	const struct wire_code *r = (const void *)record;
	struct inside_code *c = &t->codes[r->number];

	if (r->number >= WIRE_CODES || sizeof(*r) +
		r->name.length * r->name.kind + r->file.length * r->file.kind +
		r->lines > r->record.size)
		errx(1, "a record of a code object that is none");
	c->addr = r->addr;
	c->print = r->print;
	c->units = r->units;
	copy_text(c->name, sizeof(c->name), record + sizeof(*r), &r->name);
	copy_text(c->file, sizeof(c->file), record + sizeof(*r) +
	    r->name.length * r->name.kind, &r->file);
}

static void
take_sample(struct inside *in, struct inside_thread *t, const uint8_t *record)
{
	const struct wire_sample *s = (const void *)record;
	uint32_t own = s->depth - s->shared;

	if (s->shared > s->depth || s->shared > t->depth || s->weight == 0 ||
	    s->depth > WIRE_DEPTH || s->time < t->time ||
	    s->record.size != sizeof(*s) + own * sizeof(*s->frames) +
		(s->flags & WIRE_CALLS ? sizeof(struct wire_called) : 0))
		errx(1, "a sample that is none");
	memmove(t->frames + own, t->frames + t->depth - s->shared,
	    s->shared * sizeof(*t->frames));
	memcpy(t->frames, s->frames, own * sizeof(*t->frames));
	t->depth = s->depth;
	t->time = s->time;
	in->samples++;
	in->weight += s->weight;
	if (in->sample != NULL)
		in->sample(in->arg, t, s);
}

static void
drain(struct inside *in, struct inside_thread *t)
{
	static _Alignas(8) uint8_t buf[RING_RECORD_MAX];
	enum ring_result r;

	while ((r = ring_take(&t->ring, buf)) == RING_RECORD) {
		struct wire_record head;
		memcpy(&head, buf, sizeof(head));
		in->records++;
		if (head.kind == WIRE_CODE)
			take_code(t, buf);
		else if (head.kind == WIRE_SAMPLE)
			take_sample(in, t, buf);
		else
			errx(1, "record of kind %u", head.kind);
	}
	if (r == RING_BAD)
		errx(1, "the ring is damaged");
}

/* ---- the ends of threads --------------------------------------------------------- */

static void
finish_thread(struct inside *in, struct inside_thread *t)
{
	struct wire_area *a = t->ring.area;
	_Atomic uint64_t *list = &in->control->free;
	uint64_t head = atomic_load(list);
	bool free_it = atomic_load(&a->state) == WIRE_AREA_DONE;

	drain(in, t);
	for (int i = 0; i < WIRE_DROPS; i++)
		in->drops[i] += a->drops[i];
	for (int i = 0; i < WIRE_TIMES; i++) {
		in->times[i] += a->times[i];
		in->runs += a->times[i];
	}
	in->handler_ns += a->handler_ns;
	t->over = true;
	if (t->perf >= 0)
		close(t->perf);
	free(t->codes);
	free(t->frames);
	t->codes = NULL;
	t->frames = NULL;
	if (!free_it)
		return;
	if (fallocate(in->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)(WIRE_AREAS + (uint64_t)t->number * WIRE_AREA),
		WIRE_AREA) != 0)
		err(1, "fallocate");
	do
		atomic_store(&a->next, (uint32_t)head);
	while (!atomic_compare_exchange_weak(list, &head,
	    ((head >> 32) + 1) << 32 | (t->number + 1)));
}

void
inside_serve(struct inside *in)
{
	for (uint32_t i = 0; i < WIRE_SLOTS; i++) {
		if (atomic_load(&in->control->slots[i].state) ==
		    WIRE_SLOT_FREE)
			continue;
		serve_slot(in, i);
		take_areas(in, &in->control->slots[i]);
	}
	for (size_t i = 0; i < in->count; i++) {
		struct inside_thread *t = &in->threads[i];
		if (t->over)
			continue;
		if (atomic_load(&t->ring.area->state) == WIRE_AREA_DONE)
			finish_thread(in, t);
		else
			drain(in, t);
	}
}

int
inside_finish(struct inside *in, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		inside_serve(in);
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	inside_serve(in);
	for (size_t i = 0; i < in->count; i++)
		if (!in->threads[i].over && in->threads[i].pid == pid)
			finish_thread(in, &in->threads[i]);
	return status;
}

void
inside_order(struct inside *in, enum wire_order order)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	for (int i = 0; i < WIRE_SLOTS; i++) {
		struct wire_slot *s = &in->control->slots[i];
		if (atomic_load(&s->state) == WIRE_SLOT_FREE)
			continue;
		atomic_store(&s->order_time, ns);
		atomic_store(&s->order, order);
	}
	for (size_t i = 0; order == WIRE_RUN && i < in->count; i++) {
		const struct inside_thread *t = &in->threads[i];
		siginfo_t info = {.si_code = SI_QUEUE,
		    .si_value.sival_int = WIRE_POKE};
		if (!t->over)
			syscall(SYS_rt_tgsigqueueinfo, t->pid, t->tid,
			    in->control->signal, &info);
	}
}

void
inside_stack(const struct inside_thread *t, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (uint32_t i = t->depth; i-- > 0 && n < size;) {
		uint16_t code = t->frames[i].code;
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
		    n > 0 ? ";" : "", code < WIRE_CODES ? t->codes[code].name :
		    code == WIRE_MARK_GC ? "<GC>" :
		    code == WIRE_MARK_NATIVE ? "<native>" : "<truncated>");
	}
}
