/* SPDX-License-Identifier: ISC */
/* names.c: see names.h. */
#include "engine/sample/names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "buf.h"
#include "python/traits.h"
#include "utf8.h"

/* A thread's name is read again after SOON, and then each time after ten times as
 * long as before, or twice as long if Python has given none, up to LATE; us.
 * Where there are many threads, RATE names are read again in a second. */
#define SOON 1000
#define LATE 1000000
#define RATE 100
/* If Python gives no name for so long, the kernel's name is taken; us. */
#define PATIENCE 100000
/* Names that are read after one round: the next round must be in time. */
#define BATCH 4
#define NAME_SIZE 1024 /* longer names are cut */
#define COMM_SIZE 64

/* The name of a thread, by the thread's index. */
struct known_name {
	uint64_t state; /* the thread state that it was read from, or the
			 * thread's pthread_self() if that is not known */
	uint64_t due;	/* when it is read again; us */
	uint64_t delay; /* before it is read again; us */
	uint64_t print; /* hash of the name that was noted last */
	bool told;	/* Python has given the name */
};

/* Where an interpreter keeps its threads. */
struct threads_home {
	uint64_t interp; /* address */
	uint64_t active; /* address of the dict; 0: not found */
	uint64_t again;	 /* when to look for it again; us */
};

struct name {
	char bytes[NAME_SIZE];
	size_t len;
};

struct names {
	const struct process *process;
	struct py_objects objects;
	struct tach_table *table;
	struct known_name *list;
	size_t count;
	struct threads_home home;
	uint64_t due; /* when the next name is due; us */
	uint64_t late; /* the longest delay, by the number of threads; us */
};

struct names *
names_new(const struct process *p, const struct py_offsets *offsets,
    const struct py_memory *memory, struct tach_table *table)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n == NULL)
		return NULL;
	n->process = p;
	n->objects = (struct py_objects){offsets, memory};
	n->table = table;
	return n;
}

void
names_free(struct names *n)
{
	if (n == NULL)
		return;
	free(n->list);
	free(n);
}

/* ---- names from Python ------------------------------------------------- */

/* The address of threading._active, which stays the same dict.  0 if it is not
 * found. */
static uint64_t
active_of(struct names *n, uint64_t interp, uint64_t time)
{
	struct threads_home *h = &n->home;
	uint64_t module;

	if (h->interp == interp && (h->active != 0 || time < h->again))
		return h->active;
	*h = (struct threads_home){.interp = interp, .again = time + PATIENCE};
	if (!object_module(&n->objects, interp, "threading", &module) ||
	    !object_attribute(&n->objects, module, "_active", &h->active))
		h->active = 0;
	return h->active;
}

static bool
read_name(const struct names *n, uint64_t active, uint64_t ident,
    struct name *name)
{
	const struct py_objects *p = &n->objects;
	struct py_object text;
	struct py_taken taken;
	uint64_t thread, addr;

	if (!dict_find_int(p, active, ident, &thread) ||
	    !object_attribute(p, thread, "_name", &addr) ||
	    !object_read(p, addr, &text) || text.kind != OBJECT_STR ||
	    !object_text(p, &text, name->bytes, sizeof(name->bytes), &taken))
		return false;
	name->len = taken.len;
	return true;
}

/* Reads the number by which `threading` knows a thread.  False if it may be another
 * thread's: a state that is new, or used again, has the numbers of the thread that
 * made it until its own thread begins.  A thread without a known state has given
 * its number itself. */
static bool
read_ident(const struct names *n, const struct thread *t, uint64_t *ident)
{
	const struct py_offsets *o = n->objects.offsets;
	const struct py_memory *m = n->objects.memory;
	bool native = py_state_names_thread(o);
	uint64_t tid = 0;
	struct py_piece pieces[] = {
		{t->py.addr + o->thread_ident, sizeof(*ident), ident},
		{t->py.addr + o->thread_native_thread_id, sizeof(tid), &tid},
	};

	if (t->py.addr == 0) {
		*ident = t->id.pthread;
		return true;
	}
	return m->read(m, pieces, native ? 2 : 1) &&
	    (native ? tid == t->id.told : *ident == t->id.pthread);
}

static uint64_t
print_of(const struct name *name)
{
	return XXH3_64bits(name->bytes, name->len);
}

/* Reads a thread's name while the target runs.  A name is believed if it is read
 * twice alike, or if it is known already. */
static bool
ask_python(struct names *n, const struct thread *t, const struct known_name *k,
    uint64_t time, struct name *name)
{
	uint64_t active = active_of(n, t->py.interp, time), ident;
	struct name again;

	return active != 0 && read_ident(n, t, &ident) &&
	    read_name(n, active, ident, name) &&
	    (print_of(name) == k->print ||
		(read_name(n, active, ident, &again) &&
		    name->len == again.len &&
		    memcmp(name->bytes, again.bytes, again.len) == 0));
}

/* ---- names from the kernel --------------------------------------------- */

static bool
is_main(const struct names *n, const struct thread *t)
{
	return t->task == n->process->pid && t->py.interp_id == 0;
}

/* Reads the kernel's name of a thread.  False if it is the program's name, or if it
 * cannot be read. */
static bool
ask_kernel(const struct names *n, const struct thread *t, struct name *name)
{
	char own[COMM_SIZE];

	if (!task_name(n->process, t->task, name->bytes, COMM_SIZE + 1))
		return false;
	name->len = strlen(name->bytes);
	process_name(n->process, own, sizeof(own));
	return name->len != strlen(own) ||
	    memcmp(name->bytes, own, name->len) != 0;
}

/* ---- notes ------------------------------------------------------------- */

/* thread INTERP THREAD NAME, see tach(5). */
static bool
note_name(struct names *n, const struct thread *t, const struct name *name)
{
	struct buf b = {0};
	uint32_t index = TACH_NONE;

	buf_add(&b, "thread ", 7);
	buf_add_number(&b, t->py.interp_id);
	buf_add_char(&b, ' ');
	buf_add_number(&b, t->id.tid);
	buf_add_char(&b, ' ');
	for (size_t i = 0, len; i < name->len; i += len + 1) {
		len = strnlen(name->bytes + i, name->len - i);
		utf8_add(&b, name->bytes + i, len);
		if (i + len < name->len) /* NUL ends a note */
			utf8_add(&b, "\xff", 1);
	}
	buf_add_char(&b, '\0');
	if (!b.failed)
		index = tach_table_add_note(n->table, b.text);
	buf_clear(&b);
	return index != TACH_NONE;
}

static bool
take_name(struct names *n, const struct thread *t, struct known_name *k,
    const struct name *name)
{
	uint64_t print = print_of(name);

	if (name->len == 0 || print == k->print)
		return true;
	k->print = print;
	return note_name(n, t, name);
}

/* ---- when -------------------------------------------------------------- */

static bool
look_at_name(struct names *n, const struct thread *t, struct known_name *k,
    uint64_t time)
{
	static const struct name main_name = {"MainThread",
	    sizeof("MainThread") - 1};
	struct name name;
	uint64_t state = t->py.addr != 0 ? t->py.addr : t->id.pthread;

	if (k->state != state)
		*k = (struct known_name){.state = state, .print = k->print};
	k->delay = k->delay == 0 ? SOON : k->delay * (k->told ? 10 : 2);
	if (k->delay > n->late)
		k->delay = n->late;
	k->due = time + k->delay;
	if (ask_python(n, t, k, time, &name)) {
		k->told = true;
		return take_name(n, t, k, &name);
	}
	if (k->told)
		return true;
	if (is_main(n, t))
		return take_name(n, t, k, &main_name);
	return k->delay <= PATIENCE || !ask_kernel(n, t, &name) ||
	    take_name(n, t, k, &name);
}

/* Makes room for the names of new threads, which are due at once.  False if out of
 * memory. */
static bool
reserve_names(struct names *n, size_t count)
{
	struct known_name *p;

	if (count <= n->count)
		return true;
	if ((p = reallocarray(n->list, count, sizeof(*p))) == NULL)
		return false;
	memset(p + n->count, 0, (count - n->count) * sizeof(*p));
	n->list = p;
	n->count = count;
	n->due = 0;
	return true;
}

bool
names_look(struct names *n, const struct threads *threads, size_t count,
    uint64_t time)
{
	size_t done = 0;

	if (!reserve_names(n, count))
		return false;
	if (time < n->due)
		return true;
	n->due = UINT64_MAX;
	n->late = LATE;
	if (threads->count > RATE)
		n->late = threads->count * (LATE / RATE);
	for (size_t i = 0; i < threads->count; i++) {
		const struct thread *t = &threads->list[i];
		struct known_name *k;
		if (t->id.tid == 0 || thread_is_gone(t) ||
		    t->index == TACH_NONE)
			continue;
		k = &n->list[t->index];
		if (k->due <= time && done++ < BATCH &&
		    !look_at_name(n, t, k, time))
			return false;
		if (k->due < n->due)
			n->due = k->due;
	}
	return true;
}
