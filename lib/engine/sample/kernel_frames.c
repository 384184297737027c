/* SPDX-License-Identifier: ISC */
/* kernel_frames.c: see kernel_frames.h. */
#include "engine/sample/kernel_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/kernel/standing.h"
#include "engine/sample/emit.h"
#include "hash.h"
#include "kind.h"

#define NAMELESS "<kernel?>" /* code without a name, as of a new module */
#define SWITCH "__schedule"
#define LACK "schedule" /* in which a thread waits for a CPU */
#define TEXT_MAX 8192 /* bytes of the names of a stack */

void
kernel_frames_init(struct kernel_frames *k, struct tach_table *table)
{
	*k = (struct kernel_frames){.table = table, .names = kallsyms_hold() ==
		KALLSYMS_OK};
}

void
kernel_frames_free(struct kernel_frames *k)
{
	if (k->names)
		kallsyms_drop();
	free(k->list);
	set_clear(&k->set);
	chain_free(&k->shown);
	*k = (struct kernel_frames){0};
}

void
kernel_frames_forget(struct kernel_frames *k)
{
	k->known = false;
	k->depth = 0;
}

/* ---- places ------------------------------------------------------------- */

static bool
is_place(const void *arg, uint32_t index)
{
	const struct kernel_frames *k = arg;

	return k->list[index].addr == k->list[k->count].addr;
}

/* The place of an address.  NULL if out of memory. */
static struct kernel_place *
find_place(struct kernel_frames *k, uint64_t addr)
{
	uint64_t hash = hash_of(&addr, sizeof(addr), 0);
	struct kernel_place *list = array_grow(k->list, k->count, &k->max, sizeof(*list));
	struct kernel_name n;
	uint32_t known;

	if (list == NULL)
		return NULL;
	k->list = list;
	list[k->count].addr = addr;
	known = set_find(&k->set, hash, is_place, k);
	if (known != UINT32_MAX)
		return &list[known];
	n = kallsyms_find(addr);
	list[k->count] = (struct kernel_place){addr, TACH_NONE,
	    n.name != NULL ? n.name : NAMELESS, n.is};
	return set_add(&k->set, hash, (uint32_t)k->count) ? &list[k->count++] : NULL;
}

static uint32_t
make_frame(struct kernel_frames *k, const char *name, size_t len)
{
	return emit_lineless(k->table, KERNEL_FILE, (struct tach_string){name, len});
}

/* ---- stacks ------------------------------------------------------------- */

/* The places of a stack. */
struct places {
	uint32_t list[KERNEL_DEPTH]; /* indices */
	unsigned begin, end; /* of those that are shown */
};

static enum kernel_function
kind_at(const struct kernel_frames *k, const struct places *p, unsigned i)
{
	return k->list[p->list[i]].is;
}

static uint64_t
address_at(const struct kernel_stack *s, unsigned i)
{
	uint64_t addr;

	memcpy(&addr, (const char *)s->places + i * sizeof(addr), sizeof(addr));
	return addr;
}

/* Looks up places: that of the instruction that comes next, and those of calls, behind
 * which their addresses are.  The instruction below an interrupt comes next, too. */
static bool
find_places(struct kernel_frames *k, const struct kernel_stack *s, struct places *p)
{
	bool next = s->at == KERNEL_TICKED;

	p->begin = 0;
	for (p->end = 0; p->end < s->depth && p->end < KERNEL_DEPTH; p->end++) {
		struct kernel_place *at = find_place(k, address_at(s, p->end) - !next);
		if (at == NULL)
			return false;
		p->list[p->end] = (uint32_t)(at - k->list);
		next = at->is == KERNEL_ENTRY;
	}
	return true;
}

/* Leaves out all above the outermost interrupt: it is no part of the thread.  False if
 * there is none. */
static bool
cut_interrupts(const struct kernel_frames *k, struct places *p)
{
	for (unsigned i = p->end; i-- > 0;)
		if (kind_at(k, p, i) == KERNEL_ENTRY) {
			p->begin = i + 1;
			return true;
		}
	return false;
}

/* Leaves out the scheduler's functions at a place, and all above them.  False if there
 * are none. */
static bool
cut_scheduler(const struct kernel_frames *k, struct places *p, unsigned i)
{
	if (i == p->end)
		return false;
	while (i < p->end && kind_at(k, p, i) == KERNEL_SCHEDULER)
		i++;
	p->begin = i;
	return true;
}

/* The first function of the scheduler: it takes the CPU.  ->end if there is none. */
static unsigned
find_scheduler(const struct kernel_frames *k, const struct places *p)
{
	unsigned i = p->begin;

	while (i < p->end && kind_at(k, p, i) != KERNEL_SCHEDULER)
		i++;
	return i;
}

/* The function by which a thread gets its CPU back, and has left it.  ->end if there is
 * none. */
static unsigned
find_switch(const struct kernel_frames *k, const struct places *p)
{
	unsigned i = p->begin;

	while (i < p->end && strncmp(k->list[p->list[i]].name, SWITCH, strlen(SWITCH)) != 0)
		i++;
	return i;
}

/* Leaves out all that the thread does not do itself.  False if it cannot be told. */
static bool
cut(const struct kernel_frames *k, enum kernel_moment at, struct places *p)
{
	switch (at) {
	case KERNEL_CALLED:
	case KERNEL_TICKED:
		if (!cut_interrupts(k, p) && at == KERNEL_CALLED)
			return false;
		/* A thread whose CPU we had comes out of the scheduler. */
		cut_scheduler(k, p, find_switch(k, p));
		return true;
	case KERNEL_LEAVES:
	case KERNEL_BLOCKS:
		return cut_interrupts(k, p) ||
		    cut_scheduler(k, p, find_scheduler(k, p));
	case KERNEL_STANDS:
	case KERNEL_LACKS:
		cut_interrupts(k, p);
		return true;
	case KERNEL_UNKNOWN:
		break;
	}
	return false;
}

/* False if out of memory. */
static bool
push_frame(struct kernel_frames *k, uint32_t frame)
{
	if (frame == TACH_NONE)
		return false;
	if (k->depth < KERNEL_DEPTH)
		k->frames[k->depth++] = frame;
	return true;
}

static bool
push_place(struct kernel_frames *k, struct kernel_place *at)
{
	if (at->frame == TACH_NONE)
		at->frame = make_frame(k, at->name, strlen(at->name));
	return push_frame(k, at->frame);
}

bool
kernel_frames_take(struct kernel_frames *k, const struct kernel_stack *s)
{
	bool lacks = s->at == KERNEL_LEAVES || s->at == KERNEL_LACKS, ok = true;
	struct places p;

	kernel_frames_forget(k);
	if (!k->names || s->at == KERNEL_UNKNOWN)
		return true;
	if (!find_places(k, s, &p))
		return false;
	k->known = cut(k, s->at, &p);
	if (k->known && lacks && p.begin < p.end)
		ok = push_frame(k, make_frame(k, LACK, strlen(LACK)));
	for (unsigned i = p.begin; k->known && ok && i < p.end; i++)
		ok = push_place(k, &k->list[p.list[i]]);
	return ok;
}

/* ---- threads without a CPU ---------------------------------------------- */

/* Makes frames of lines such as "[<0>] pipe_read+0x2f0/0x400". */
static bool
take_names(struct kernel_frames *k, const char *text)
{
	const char *name;

	while ((name = strstr(text, "] ")) != NULL && k->depth < KERNEL_DEPTH) {
		size_t len = strcspn(name += 2, "+\n");
		text = name + len;
		if (kallsyms_is_entry(name, len))
			k->depth = 0;
		else if (*text == '+' && !push_frame(k, make_frame(k, name, len)))
			return false;
		text += strcspn(text, "\n");
	}
	k->known = true;
	return true;
}

bool
kernel_frames_look(struct kernel_frames *k, const struct process *p, pid_t task, int fd)
{
	uint64_t places[KERNEL_DEPTH];
	char text[TEXT_MAX];
	int n = k->names ? standing_kernel(task, places) : -1;
	bool blocked = task_state(task, fd).is == TASK_BLOCKED;

	kernel_frames_forget(k);
	if (n >= 0)
		return kernel_frames_take(k, &(struct kernel_stack){
		    blocked ? KERNEL_STANDS : KERNEL_LACKS, (unsigned)n, places});
	return !blocked || !task_kernel_stack(p, task, text, sizeof(text)) || take_names(k, text);
}

/* ---- samples ------------------------------------------------------------ */

static bool
add_index(struct py_chain *c, uint32_t index)
{
	return chain_add(c, (struct py_place){.code = PLACE_FRAME, .instr = index});
}

struct py_chain *
kernel_frames_show(struct kernel_frames *k, struct py_chain *c, uint32_t callee)
{
	bool ok = true;

	if (k->depth == 0)
		return c;
	k->shown.depth = 0;
	for (unsigned i = 0; ok && i < k->depth; i++)
		ok = add_index(&k->shown, k->frames[i]);
	if (ok && callee != TACH_NONE)
		ok = add_index(&k->shown, callee);
	for (size_t i = 0; ok && i < c->depth; i++)
		ok = chain_add(&k->shown, c->places[i]);
	k->shown.live = k->shown.depth;
	return ok ? &k->shown : NULL;
}

void
kernel_frames_count(const struct kernel_frames *k, struct tach_recorder_stats *s)
{
	s->kernel++;
	s->kernel_inside += k->depth > 0;
	s->kernel_unknown += !k->known;
}

void
kernel_frames_note(const struct tach_recorder_stats *s, struct tach_table *t)
{
	char text[128];

	if (s->kernel == 0)
		return;
	snprintf(text, sizeof(text), "kernel stacks=%" PRIu64 " inside=%" PRIu64
	    " unknown=%" PRIu64, s->kernel, s->kernel_inside, s->kernel_unknown);
	tach_table_add_note(t, text);
}
