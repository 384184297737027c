/* SPDX-License-Identifier: ISC */
/* waits.c: see waits.h. */
#include "engine/waits/waits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/proc.h"
#include "engine/sample/callees.h"
#include "engine/sample/emit.h"
#include "engine/waits/wait.h"
#include "engine/waits/wait_quota.h"
#include "engine/waits/wait_socket.h"
#include "kind.h"
#include "python/callee.h"
#include "python/objects.h"
#include "python/status.h"

/* Names with a path or an address in a profile; later ones have none, as a server may
 * get to know any number of peers. */
#define DETAILS_MAX 4096
/* Bytes above the stack pointer in which a parked thread keeps its futex. */
#define PARKED_WITHIN 2048
/* From the futex back to the address of the lock: see struct wait_entry of CPython's
 * Python/parking_lot.c. */
#define PARKED_LOCK 8
/* Of a free-threaded build: where an object has its own lock. */
#define OBJECT_LOCK 10
#define STATE_SIZE 4096 /* bytes of a thread state, about */
#define TYPES_KNOWN 16
#define HOLDERS_KNOWN 64
#define NUMBER_MAX 24 /* bytes of a number as text */

/* A type of objects with locks, by its address. */
struct lock_type {
	uint64_t addr;
	char name[OBJECT_NAME_MAX];
};

/* A thread that has held a lock. */
struct lock_holder {
	uint64_t ident, state; /* its pthread_self, and the address of its state */
};

struct waits {
	/* Borrowed from the caller. */
	const struct process *process;
	struct py_objects objects;
	struct tach_table *table;
	struct waits_place place;
	struct py_calls calls;
	struct callees callees;
	bool own_callees; /* nobody else finds them */
	bool full;
	bool turns; /* also at the GIL and at CPUs */
	int folder; /* of the process's descriptors; -1: not open */
	char *root; /* of the process, as we see it; "": ours, or not known */
	uint32_t gil, cpu, throttled; /* frames; TACH_NONE: not made yet */
	uint32_t details; /* names with a path or an address */
	struct lock_type types[TYPES_KNOWN];
	size_t next_type; /* the one to be replaced */
	struct lock_holder holders[HOLDERS_KNOWN];
	struct wait_sockets sockets;
	struct wait_quota quota;
};

/* A thread that is looked at. */
struct blocked {
	struct waits *waits;
	struct thread *thread;
	const struct py_chain *chain;
	uint32_t callee_frame;
	struct wait_facts facts;
	char detail[WAIT_DETAIL_MAX], holder[WAIT_DETAIL_MAX];
	char callee[CALLEE_NAME_MAX];
};

/* The path of the process's root folder.  NULL if out of memory. */
static char *
read_root(const struct process *p)
{
	char path[PROC_PATH_MAX], root[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)p->task);
	n = readlink(path, root, sizeof(root) - 1);
	root[n > 1 ? n : 0] = '\0';
	return strdup(root);
}

struct waits *
waits_new(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct tach_table *table,
    const struct waits_place *place)
{
	struct waits *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->process = p;
	w->objects = (struct py_objects){&rt->offsets, place->memory};
	w->table = table;
	w->place = *place;
	w->calls = (struct py_calls){&rt->offsets,
	    py_effects_find(PY_MINOR(rt->version)), place->memory};
	callees_init(&w->callees, &w->calls, place->codes, table);
	w->own_callees = options->no_callees;
	w->full = options->waits == TACH_WAITS_FULL;
	w->turns = options->waits != TACH_WAITS_CALLS;
	w->folder = -1;
	w->gil = w->cpu = w->throttled = TACH_NONE;
	if ((w->root = read_root(p)) == NULL) {
		free(w);
		return NULL;
	}
	return w;
}

void
waits_free(struct waits *w)
{
	if (w == NULL)
		return;
	if (w->folder >= 0)
		close(w->folder);
	callees_free(&w->callees);
	wait_quota_free(&w->quota);
	free(w->root);
	free(w);
}

static bool
wants_detail(const struct waits *w)
{
	return w->full && w->details < DETAILS_MAX;
}

/* Notes a detail, and cuts a longer one. */
static void
set_detail(struct blocked *b, const char *detail)
{
	snprintf(b->detail, sizeof(b->detail), "%.*s", WAIT_DETAIL_MAX - 1, detail);
	b->facts.detail = b->detail;
}

/* ---- callers ------------------------------------------------------------- */

static bool
step_above(const struct blocked *b, enum wait_above *above, uint32_t index)
{
	const struct tach_table *t = b->waits->table;
	const struct tach_frame *f;
	struct tach_string file, func;

	if (index == TACH_NONE)
		return false;
	f = tach_table_frame(t, index);
	file = tach_table_string(t, f->file);
	func = tach_table_string(t, f->func);
	return wait_above_step(above, file.bytes, file.len, func.bytes, func.len);
}

static void
look_above(struct blocked *b)
{
	for (size_t i = 0; i < b->chain->depth && i < WAITS_CALLERS; i++) {
		const struct py_place *p = &b->chain->places[i];
		if (!place_is_mark(p) && !step_above(b, &b->facts.above,
			codes_frame(b->waits->place.codes, p)))
			return;
	}
}

static void
name_callee(struct blocked *b, uint32_t index)
{
	const struct tach_table *t = b->waits->table;
	struct tach_string s;

	if (index == TACH_NONE)
		return;
	s = tach_table_string(t, tach_table_frame(t, index)->func);
	snprintf(b->callee, sizeof(b->callee), "%.*s", (int)s.len, s.bytes);
	b->facts.callee = b->callee;
}

static void
look_at_callee(struct blocked *b)
{
	struct waits *w = b->waits;
	uint32_t index = b->callee_frame;

	if (index == TACH_NONE && w->own_callees)
		index = callees_frame(&w->callees, b->chain, &(struct py_called){0}, 0,
		    CALLEES_BETWEEN);
	name_callee(b, index);
}

/* ---- locks --------------------------------------------------------------- */

/* The name of a type with locks.  NULL if it cannot be read. */
static const char *
name_of_type(struct waits *w, uint64_t object, uint64_t type)
{
	struct lock_type *k;
	struct py_object o;

	for (size_t i = 0; i < TYPES_KNOWN; i++)
		if (w->types[i].addr == type && type != 0)
			return w->types[i].name;
	if (!object_read(&w->objects, object, &o) || o.type != type)
		return NULL;
	k = &w->types[w->next_type++ % TYPES_KNOWN];
	k->addr = type;
	memcpy(k->name, o.type_name, sizeof(k->name));
	return k->name;
}

static const char *
type_of_object(struct waits *w, uint64_t object)
{
	uint64_t type;

	return py_read(w->objects.memory, object + w->objects.offsets->object_type,
	    &type, sizeof(type)) ? name_of_type(w, object, type) : NULL;
}

/* Whether a thread calls itself by a number (its pthread_self). */
static bool
has_ident(const struct waits *w, const struct thread *t, uint64_t ident)
{
	uint64_t is;

	return py_read(w->objects.memory, t->py.addr +
	    w->objects.offsets->thread_ident, &is, sizeof(is)) && is == ident;
}

/* Finds the thread that calls itself by a number: the one that did so last time, or any.
 * NULL if there is none. */
static const struct thread *
find_holder(struct waits *w, uint64_t ident)
{
	/* Numbers are addresses of pages. */
	struct lock_holder *k = &w->holders[(ident >> 12) % HOLDERS_KNOWN];
	const struct threads *all = w->place.threads;

	for (size_t i = 0; k->ident == ident && i < all->count; i++)
		if (all->list[i].py.addr == k->state &&
		    has_ident(w, &all->list[i], ident))
			return &all->list[i];
	for (size_t i = 0; i < all->count; i++)
		if (has_ident(w, &all->list[i], ident)) {
			*k = (struct lock_holder){ident, all->list[i].py.addr};
			return &all->list[i];
		}
	return NULL;
}

/* The id of a thread, which may have had no sample yet.  0 if it is not known. */
static uint64_t
id_of_thread(const struct waits *w, const struct thread *t)
{
	const struct py_offsets *o = w->objects.offsets;
	uint64_t id;

	if (t->id.tid != 0)
		return t->id.tid;
	return py_has(o->thread_native_thread_id) && py_read(w->objects.memory,
	    t->py.addr + o->thread_native_thread_id, &id, sizeof(id)) ? id : 0;
}

/* An RLock notes its holder behind its lock. */
static void
look_at_holder(struct blocked *b, uint64_t lock)
{
	struct waits *w = b->waits;
	const struct thread *t;
	struct tach_string name;
	uint64_t ident, id;

	if (!py_read(w->objects.memory, lock + sizeof(uint64_t), &ident,
		sizeof(ident)) || ident == 0 || (t = find_holder(w, ident)) == NULL ||
	    (id = id_of_thread(w, t)) == 0)
		return;
	if (tach_table_thread_name(w->table, (uint32_t)t->py.interp_id, id, &name))
		snprintf(b->holder, sizeof(b->holder), "%.*s", (int)name.len,
		    name.bytes);
	else
		snprintf(b->holder, sizeof(b->holder), "thread %" PRIu64, id);
	b->facts.holder = b->holder;
}

/* Whether objects of a type have a lock right behind their heads. */
static bool
has_lock(const char *type)
{
	return type != NULL && (strcmp(type, "_thread.lock") == 0 ||
	    strcmp(type, "_thread.RLock") == 0 ||
	    strcmp(type, "_queue.SimpleQueue") == 0);
}

/* From 3.13 on a thread that waits for a lock of one byte keeps the lock's address on
 * its stack, before its futex.  The lock is in an object right behind its head; or it
 * is an object's own, or the status of the thread. */
static void
look_at_lock(struct blocked *b)
{
	struct waits *w = b->waits;
	const struct py_offsets *o = w->objects.offsets;
	const struct task_call *c = &b->facts.call;
	uint64_t futex = c->arguments[0], lock;
	const char *type;

	if (futex <= c->stack || futex - c->stack > PARKED_WITHIN ||
	    !py_read(w->objects.memory, futex - PARKED_LOCK, &lock, sizeof(lock)))
		return;
	if (lock >= b->thread->py.addr && lock - b->thread->py.addr < STATE_SIZE) {
		b->facts.world = true;
		return;
	}
	if (b->facts.above != ABOVE_NONE)
		return;
	type = type_of_object(w, lock - o->object_size);
	if (has_lock(type)) {
		b->facts.lock = type;
		if (strcmp(type, "_thread.RLock") == 0)
			look_at_holder(b, lock);
		return;
	}
	type = o->active == 0 ? NULL : type_of_object(w, lock - OBJECT_LOCK);
	if (type != NULL)
		b->facts.lock = type;
}

static void
look_at_futex(struct blocked *b)
{
	look_above(b);
	if (b->facts.above == ABOVE_NONE || b->waits->objects.offsets->active != 0)
		look_at_lock(b);
	if (b->facts.above == ABOVE_NONE && b->facts.lock[0] == '\0')
		look_at_callee(b);
}

/* ---- descriptors --------------------------------------------------------- */

/* Reads the link of a descriptor, terminated.  False if it cannot be read. */
static bool
read_link(struct waits *w, int fd, char *link, size_t size)
{
	char name[NUMBER_MAX], path[PROC_PATH_MAX];
	ssize_t n;

	if (w->folder < 0) {
		snprintf(path, sizeof(path), "/proc/%d/fd", (int)w->process->task);
		w->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	snprintf(name, sizeof(name), "%d", fd);
	n = w->folder < 0 ? -1 : readlinkat(w->folder, name, link, size - 1);
	link[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Whether a descriptor is that of a FIFO, which has a path. */
static bool
is_fifo(const struct waits *w, int fd)
{
	char name[NUMBER_MAX];
	struct stat st;

	snprintf(name, sizeof(name), "%d", fd);
	return fstatat(w->folder, name, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

/* A path as the process sees it. */
static const char *
path_inside(const struct waits *w, const char *path)
{
	size_t n = strlen(w->root);

	return strncmp(path, w->root, n) == 0 && path[n] == '/' ? path + n : path;
}

static void
look_at_descriptor(struct blocked *b, int fd)
{
	struct waits *w = b->waits;
	struct wait_facts *f = &b->facts;
	char link[PATH_MAX];
	const char *detail;

	if (!read_link(w, fd, link, sizeof(link)))
		return;
	f->file = wait_file_kind(link);
	if (f->file == WAIT_FILE_REGULAR && is_fifo(w, fd))
		f->file = WAIT_FILE_PIPE;
	if (!wants_detail(w))
		return;
	if (f->file == WAIT_FILE_SOCKET)
		detail = wait_socket_address(&w->sockets, w->process, fd,
		    wait_file_socket(link));
	else if (wait_file_has_path(link))
		detail = path_inside(w, link);
	else
		return;
	set_detail(b, detail);
}

/* The descriptor that is the argument of a call. */
static int
descriptor_in(const struct task_call *c, unsigned argument)
{
	return (int)(uint32_t)c->arguments[argument - 1];
}

static void
look_at_polled(struct blocked *b, int fd, bool writes)
{
	b->facts.writes = writes;
	look_at_descriptor(b, fd);
	look_at_callee(b);
}

static void
look_at_poll(struct blocked *b)
{
	const struct task_call *c = &b->facts.call;
	struct pollfd one;

	look_above(b);
	b->facts.polled = c->arguments[1] < POLLED_UNKNOWN ?
	    (uint32_t)c->arguments[1] : POLLED_UNKNOWN;
	if (b->facts.polled != 1)
		return;
	if (py_read(b->waits->objects.memory, c->arguments[0], &one, sizeof(one)))
		look_at_polled(b, one.fd, (one.events & POLLIN) == 0);
	else
		b->facts.polled = POLLED_UNKNOWN;
}

/* Counts the descriptors of a set, which is as long as the kernel reads it.  False if it
 * cannot be read.  *fd: the last one. */
static bool
count_set(const struct blocked *b, uint64_t set, uint64_t end, uint32_t *count, int *fd)
{
	uint64_t words[FD_SETSIZE / 64] = {0};
	size_t n = (end + 63) / 64;

	if (set == 0)
		return true;
	if (!py_read(b->waits->objects.memory, set, words, n * sizeof(*words)))
		return false;
	for (uint64_t i = 0; i < end; i++)
		if (words[i / 64] >> i % 64 & 1) {
			*fd = (int)i;
			++*count;
		}
	return true;
}

static void
look_at_select(struct blocked *b)
{
	const uint64_t *a = b->facts.call.arguments;
	uint64_t end = (uint32_t)a[0];
	uint32_t reads = 0, others = 0;
	int fd = -1;

	look_above(b);
	if (end > FD_SETSIZE || !count_set(b, a[1], end, &reads, &fd) ||
	    !count_set(b, a[2], end, &others, &fd) ||
	    !count_set(b, a[3], end, &others, &fd))
		return;
	b->facts.polled = reads + others;
	if (b->facts.polled == 1)
		look_at_polled(b, fd, reads == 0);
}

static void
look_at_connect(struct blocked *b)
{
	const uint64_t *a = b->facts.call.arguments;
	struct sockaddr_storage address;
	char text[WAIT_DETAIL_MAX];

	b->facts.file = WAIT_FILE_SOCKET;
	if (!wants_detail(b->waits) || a[2] > sizeof(address) ||
	    !py_read(b->waits->objects.memory, a[1], &address, a[2]))
		return;
	wait_address(&address, a[2], text);
	set_detail(b, text);
}

/* The kind of a file, by the kernel's mode of it. */
static enum wait_file_kind
kind_by_mode(uint32_t mode)
{
	return S_ISSOCK(mode) ? WAIT_FILE_SOCKET : S_ISFIFO(mode) ? WAIT_FILE_PIPE :
	    S_ISREG(mode) ? WAIT_FILE_REGULAR : WAIT_FILE_UNKNOWN;
}

static bool
is_same_file(const struct waits *w, const struct waits_told *p)
{
	char name[NUMBER_MAX];
	struct stat st;

	snprintf(name, sizeof(name), "%d", p->fd);
	return fstatat(w->folder, name, &st, 0) == 0 && st.st_dev == p->device &&
	    st.st_ino == p->inode;
}

static void
look_at_told_file(struct blocked *b, const struct waits_told *p)
{
	if (p->mode == 0)
		return;
	look_at_descriptor(b, p->fd);
	if (b->facts.file != WAIT_FILE_UNKNOWN && is_same_file(b->waits, p))
		return;
	b->facts.file = kind_by_mode(p->mode);
	b->detail[0] = '\0';
}

/* ---- other calls --------------------------------------------------------- */

static void
look_at_path(struct blocked *b, unsigned argument)
{
	char path[OBJECT_NAME_MAX];

	if (!wants_detail(b->waits) || !text_read(&b->waits->objects,
		b->facts.call.arguments[argument - 1], path))
		return;
	set_detail(b, path);
}

/* The kernel names the function in which a thread waits. */
static void
look_at_open(struct blocked *b)
{
	char function[64];

	b->facts.partner = proc_read_task(b->waits->process, b->thread->task, "wchan",
	    function, sizeof(function)) && strcmp(function, "wait_for_partner") == 0;
}

static void
look_at_child(struct blocked *b)
{
	const struct task_call *c = &b->facts.call;
	bool id = c->number == SYS_waitid;
	int32_t pid = (int32_t)c->arguments[id ? 1 : 0];
	char number[NUMBER_MAX];

	if (!wants_detail(b->waits) || pid <= 0 ||
	    (id ? c->arguments[0] != P_PID : c->number != SYS_wait4))
		return;
	snprintf(number, sizeof(number), "%" PRId32, pid);
	set_detail(b, number);
}

static void
look_at_stop(struct blocked *b)
{
	char text[PROC_STAT_MAX];
	const char *state = proc_read_stat(proc_open_task(b->waits->process,
	    b->thread->task, "stat"), text, sizeof(text));

	b->facts.stopped = state != NULL && (*state == 'T' || *state == 't');
}

/* ---- all calls ----------------------------------------------------------- */

static void
look_at_call(struct blocked *b)
{
	struct wait_sort s = wait_sort(b->facts.call.number);

	if (s.descriptor != 0 && (s.varies || wants_detail(b->waits)))
		look_at_descriptor(b, descriptor_in(&b->facts.call, s.descriptor));
	if (s.path != 0)
		look_at_path(b, s.path);
	switch ((enum wait_does)s.does) {
	case WAIT_FUTEX:
		look_at_futex(b);
		break;
	case WAIT_POLL:
		look_at_poll(b);
		break;
	case WAIT_SELECT:
		look_at_select(b);
		break;
	case WAIT_READ:
	case WAIT_WRITE:
	case WAIT_EPOLL:
		look_above(b);
		break;
	case WAIT_CONNECT:
		look_at_connect(b);
		break;
	case WAIT_OPEN:
		look_at_open(b);
		break;
	case WAIT_CHILD:
		look_at_child(b);
		break;
	case WAIT_NO_CALL:
		look_at_stop(b);
		break;
	case WAIT_RESTARTED:
		look_above(b);
		look_at_callee(b);
		break;
	default:
		break;
	}
}

static uint32_t
frame_of_name(struct waits *w, const char *name, size_t len, bool detail)
{
	uint32_t count = tach_table_frame_count(w->table);
	uint32_t frame = emit_lineless(w->table, WAIT_FILE,
	    (struct tach_string){name, len});

	w->details += detail && tach_table_frame_count(w->table) > count;
	return frame;
}

/* A frame that is made once. */
static uint32_t
frame_made_once(struct waits *w, uint32_t *frame, const char *name)
{
	if (*frame == TACH_NONE)
		*frame = frame_of_name(w, name, strlen(name), false);
	return *frame;
}

/* Whether a thread waits for the GIL.  A thread that has just given it up, or is about to
 * be given it, may hold it by the copy that tells the status. */
static bool
is_at_gil(const struct thread *t, const struct moment *m)
{
	const struct task_call *c = &t->looks.call;

	return (m->status & TACH_STATUS_GIL_WANTED) != 0 || (m->gil != 0 &&
	    wait_sort(c->number).does == WAIT_FUTEX &&
	    status_waits(m->offsets, m->gil, c->arguments[0]));
}

/* Whether the thread is still where its chain ends, so that it was at the looks at its call:
 * it may have run after it was read, and be blocked for another reason. */
static bool
is_still_there(const struct blocked *b)
{
	const struct py_offsets *o = b->waits->objects.offsets;
	const struct py_place *p = b->chain->places;
	bool told = py_has(o->thread_current_frame);
	uint64_t state = b->thread->py.addr, current, cframe = 0;
	uint8_t frame[PY_FRAME_MAX];
	struct py_piece pieces[] = {{p->frame, o->frame_size, frame},
	    {told ? state + o->thread_current_frame :
		b->chain->stack + o->cframe_current_frame, sizeof(current), &current},
	    {state + o->thread_cframe, sizeof(cframe), &cframe}};

	if (b->chain->depth == 0 || place_is_mark(p))
		return true;
	return b->waits->objects.memory->read(b->waits->objects.memory, pieces,
		   told ? 2 : 3) &&
	    current == p->frame && (told || cframe == b->chain->stack) &&
	    place_stays(&b->waits->calls, p, frame);
}

static uint64_t
count_switches(const struct blocked *b)
{
	return switches_count(&b->thread->switches, b->waits->process, b->thread->task);
}

/* Looks at a call that has its descriptors in memory.  select() overwrites them as it
 * returns, and what the thread does next can, too; it may then wait for a CPU or the GIL,
 * or be in the next such call, where its chain ends.  False if it has had a CPU meanwhile. */
static bool
look_at_descriptors(struct blocked *b)
{
	uint64_t had = count_switches(b);

	if (!status_is_in_call(b->thread, &b->facts.call))
		return false;
	look_at_call(b);
	return count_switches(b) == had && status_is_in_call(b->thread, &b->facts.call);
}

static bool
has_descriptors_in_memory(const struct blocked *b)
{
	enum wait_does does = (enum wait_does)wait_sort(b->facts.call.number).does;

	return does == WAIT_SELECT || does == WAIT_POLL;
}

static uint32_t
frame_of_reason(struct blocked *b)
{
	char name[WAIT_NAME_MAX];
	size_t len;

	if (!has_descriptors_in_memory(b))
		look_at_call(b);
	else if (!look_at_descriptors(b))
		return TACH_NONE;
	if (!is_still_there(b))
		return TACH_NONE;
	len = wait_name(&b->facts, name);
	return frame_of_name(b->waits, name, len, b->facts.detail[0] != '\0');
}

/* What is known for certain of a call that may be over. */
static void
look_at_past_call(struct blocked *b)
{
	const struct task_call *c = &b->facts.call;
	struct wait_sort s = wait_sort(c->number);

	if (s.descriptor != 0 && s.varies)
		look_at_descriptor(b, descriptor_in(c, s.descriptor));
	switch ((enum wait_does)s.does) {
	case WAIT_POLL:
		b->facts.polled = c->arguments[1] < POLLED_UNKNOWN ?
		    (uint32_t)c->arguments[1] : POLLED_UNKNOWN;
		/* FALLTHROUGH */
	case WAIT_FUTEX:
	case WAIT_SELECT:
	case WAIT_READ:
	case WAIT_WRITE:
	case WAIT_EPOLL:
	case WAIT_RESTARTED:
		look_above(b);
		break;
	case WAIT_CONNECT:
		b->facts.file = WAIT_FILE_SOCKET;
		break;
	default:
		break;
	}
}

uint32_t
waits_of_switch(struct waits *w, const struct py_chain *chain,
    const struct task_call *call, uint64_t gil, bool stopped, bool *wants_gil)
{
	struct blocked b = {.waits = w, .chain = chain, .callee_frame = TACH_NONE,
	    .facts = {.call = *call, .stopped = stopped, .callee = "", .lock = "",
		.holder = "", .detail = "", .polled = POLLED_UNKNOWN}};
	char name[WAIT_NAME_MAX];

	*wants_gil = gil != 0 && wait_sort(call->number).does == WAIT_FUTEX &&
	    status_waits(w->objects.offsets, gil, call->arguments[0]);
	if (*wants_gil)
		return waits_for_gil(w);
	look_at_past_call(&b);
	return frame_of_name(w, name, wait_name(&b.facts, name), false);
}

uint32_t
waits_frame(struct waits *w, struct thread *t, const struct py_chain *chain,
    uint32_t callee, const struct moment *m)
{
	struct blocked b;

	if (w == NULL)
		return TACH_NONE;
	if (is_at_gil(t, m))
		return waits_for_gil(w);
	if (t->looks.call.number == TASK_NO_CALL || (m->status & TACH_STATUS_CPU))
		return TACH_NONE;
	b.waits = w;
	b.thread = t;
	b.chain = chain;
	b.callee_frame = callee;
	b.facts = (struct wait_facts){.call = t->looks.call, .callee = "", .lock = "",
	    .holder = "", .detail = "", .polled = POLLED_UNKNOWN};
	return frame_of_reason(&b);
}

static void
look_at_told_lock(struct blocked *b, const struct waits_told *p)
{
	struct waits *w = b->waits;
	const char *type;

	b->facts.world = p->world;
	if (b->facts.above != ABOVE_NONE)
		return;
	for (size_t i = 0; i < WAITS_LOCKS && b->facts.lock[0] == '\0'; i++) {
		type = p->locks[i].object == 0 ? NULL :
		    name_of_type(w, p->locks[i].object, p->locks[i].type);
		if (has_lock(type) || (type != NULL && i > 0 &&
			w->objects.offsets->active != 0))
			b->facts.lock = type;
	}
}

static void
look_at_told(struct blocked *b, const struct waits_told *p)
{
	struct wait_sort s = wait_sort(p->call.number);

	for (size_t i = 0; i < p->depth && i < WAITS_CALLERS; i++)
		if (!step_above(b, &b->facts.above, p->frames[i]))
			break;
	b->facts.polled = p->polled;
	b->facts.writes = p->writes;
	if (p->fd >= 0 && (s.varies || p->polled == 1 || wants_detail(b->waits)))
		look_at_told_file(b, p);
	if (s.does == WAIT_FUTEX)
		look_at_told_lock(b, p);
	if (s.does == WAIT_CHILD)
		look_at_child(b);
	if (s.does == WAIT_CONNECT)
		b->facts.file = WAIT_FILE_SOCKET;
	if ((s.does == WAIT_FUTEX && b->facts.above == ABOVE_NONE) || p->polled == 1)
		name_callee(b, p->callee);
}

uint32_t
waits_of_told(struct waits *w, const struct waits_told *p)
{
	struct blocked b = {.waits = w, .callee_frame = TACH_NONE,
	    .facts = {.call = p->call, .callee = "", .lock = "", .holder = "",
		.detail = ""}};
	char name[WAIT_NAME_MAX];

	look_at_told(&b, p);
	return frame_of_name(w, name, wait_name(&b.facts, name),
	    b.facts.detail[0] != '\0');
}

uint32_t
waits_for_gil(struct waits *w)
{
	return w->turns ? frame_made_once(w, &w->gil, "GIL") : TACH_NONE;
}

uint32_t
waits_for_cpu(struct waits *w, uint64_t away)
{
	if (w == NULL || !w->turns)
		return TACH_NONE;
	if (away > 0 && wait_quota_took(&w->quota, w->process, away))
		return frame_made_once(w, &w->throttled, "no CPU (throttled)");
	return frame_made_once(w, &w->cpu, "no CPU");
}

uint32_t
waits_lasting(const struct waits *w, const struct thread *t)
{
	bool passed = w != NULL && (t->last.wait == w->cpu ||
	    t->last.wait == w->throttled);

	return passed ? TACH_NONE : t->last.wait;
}
