/* SPDX-License-Identifier: ISC */
/* callees.c: see callees.h. */
#include "engine/sample/callees.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/os/os.h"
#include "engine/sample/emit.h"
#include "hash.h"
#include "kind.h"
#include "python/held.h"

#define PREFIX (sizeof(CALLEE_TYPE) - 1)
#define ENTRIES_MAX 8192 /* then all are forgotten */
#define PRESENT UINT64_MAX /* a time: whatever is there when it is read */

void
callees_init(struct callees *c, const struct py_calls *by, struct codes *codes,
    struct tach_table *table)
{
	*c = (struct callees){.by = by, .codes = codes, .table = table};
}

void
callees_free(struct callees *c)
{
	free(c->list);
	set_clear(&c->set);
	*c = (struct callees){0};
}

/* ---- entries ------------------------------------------------------------ */

static bool
is_entry_of(const void *arg, uint32_t index)
{
	const struct callee_entry *const *key = arg;

	return key[0][index].addr == key[1]->addr;
}

static uint64_t
hash_of_addr(uint64_t addr)
{
	return hash_of(&addr, sizeof(addr), 0);
}

/* The entry of an address; NULL if there is none. */
static struct callee_entry *
find_entry(const struct callees *c, uint64_t addr)
{
	struct callee_entry at = {.addr = addr};
	const struct callee_entry *key[] = {c->list, &at};
	uint32_t found = set_find(&c->set, hash_of_addr(addr), is_entry_of, key);

	return found != UINT32_MAX ? &c->list[found] : NULL;
}

/* The entry of an address, added if it is new; valid until the next is added.  NULL if
 * out of memory. */
static struct callee_entry *
entry_at(struct callees *c, uint64_t addr)
{
	struct callee_entry *e = find_entry(c, addr);
	void *p;

	if (e != NULL)
		return e;
	if (c->count == ENTRIES_MAX) {
		set_clear(&c->set);
		c->count = 0;
	}
	if ((p = array_grow(c->list, c->count, &c->max, sizeof(*c->list))) == NULL)
		return NULL;
	c->list = p;
	if (!set_add(&c->set, hash_of_addr(addr), (uint32_t)c->count))
		return NULL;
	c->list[c->count] = (struct callee_entry){.addr = addr, .frame = TACH_NONE};
	return &c->list[c->count++];
}

/* Reads the words by which a callable is named, as they are now. */
static bool
read_head(const struct callees *c, const struct callee_entry *e, uint64_t *type,
    uint64_t *head)
{
	const struct py_offsets *o = c->by->offsets;
	const struct py_memory *m = c->by->memory;
	struct py_piece pieces[] = {
		{e->addr + o->object_type, sizeof(*type), type},
		{e->addr + o->object_size, e->words * sizeof(*head), head},
	};

	return m->read(m, pieces, sizeof(pieces) / sizeof(*pieces));
}

/* Whether a callable that was named still has the words by which it was named. */
static bool
is_same(const struct callees *c, const struct callee_entry *e)
{
	uint64_t type, head[CALLABLE_WORDS];

	return read_head(c, e, &type, head) && type == e->type &&
	    memcmp(head, e->head, e->words * sizeof(*head)) == 0;
}

static uint32_t
name_frame(struct callees *c, const struct py_callee *named)
{
	return emit_lineless(c->table, CALLEE_FILE,
	    (struct tach_string){named->name, strlen(named->name)});
}

/* Names a callable anew, if it is of the kind that lasts.  It was one object while that
 * took if it is named alike once more.  At the end of a process it may have been freed
 * before. */
static void
name_entry(struct callees *c, struct callee_entry *e)
{
	const struct py_objects objects = {c->by->offsets, c->by->memory};
	struct py_callee named, again;

	e->words = 0;
	if (!callee_name(&objects, e->addr, &named) || named.words == 0)
		return;
	e->words = named.words;
	e->is_type = named.type;
	if (!read_head(c, e, &e->type, e->head) ||
	    !callee_name(&objects, e->addr, &again) ||
	    strcmp(named.name, again.name) != 0 || !is_same(c, e) ||
	    !object_is_held(c->by->offsets, c->by->memory, e->addr) ||
	    (e->frame = name_frame(c, &named)) == TACH_NONE)
		e->words = 0;
	e->since = clock_ns();
}

/* Looks whether a callable is still the same, and names it if it is another one. */
static void
renew_entry(struct callees *c, struct callee_entry *e)
{
	uint64_t now = clock_ns();

	if (e->words == 0 || !is_same(c, e))
		name_entry(c, e);
	e->until = now;
}

/* ---- frames ------------------------------------------------------------- */

/* Whether a callable, as it was, had the words by which it was named. */
static bool
was_same(const struct callee_entry *e, const struct py_callable *callable)
{
	return e->words > 0 && callable->type == e->type &&
	    memcmp(callable->words, e->head, e->words * sizeof(*e->head)) == 0;
}

/* The frame of an object that lasts, if it was there at that time: its words say so, if
 * they were copied then. */
static uint32_t
lasting_frame(struct callees *c, const struct py_callable *callable, uint64_t time)
{
	struct callee_entry *e = entry_at(c, callable->addr);

	if (e == NULL)
		return TACH_NONE;
	if (was_same(e, callable))
		return e->frame;
	if (e->until < time)
		renew_entry(c, e);
	return was_same(e, callable) || (callable->type == 0 && e->words > 0 &&
	    e->since <= time) ? e->frame : TACH_NONE;
}

/* The part of an entry by which it is found. */
#define KEY_SIZE offsetof(struct callee_then, inner)

static struct callee_then
key_of(const struct py_callable *c, enum callee_follows by)
{
	return (struct callee_then){.by = by, .type = c->type,
	    .word = by != CALLEE_BY_TYPE ? c->words[0] : 0,
	    .self = by == CALLEE_BY_SELF ? c->words[CALLABLE_SELF] : 0,
	    .self_type = by == CALLEE_BY_SELF_TYPE ? c->self_type : 0};
}

static struct callee_then *
place_then(struct callees *c, const struct callee_then *key)
{
	return &c->then[hash_of(key, KEY_SIZE, 0) % CALLEES_THEN];
}

static const struct callee_then *
find_then(struct callees *c, const struct py_callable *callable)
{
	for (int by = 0; by < CALLEE_FOLLOWS; by++) {
		struct callee_then key = key_of(callable, (enum callee_follows)by);
		const struct callee_then *then = place_then(c, &key);
		if (memcmp(then, &key, KEY_SIZE) == 0)
			return then;
	}
	return NULL;
}

/* Whether the type whose name a name begins with was there at that time, by that name:
 * the type may be gone by now, and its memory overwritten. */
static bool
has_owner(struct callees *c, const struct py_callee *named, uint64_t time)
{
	uint32_t frame = lasting_frame(c, &(struct py_callable){.addr = named->owner}, time);
	struct tach_string type;

	if (named->owner == 0 || frame == TACH_NONE)
		return false;
	type = tach_table_string(c->table, tach_table_frame(c->table, frame)->func);
	return type.len > PREFIX &&
	    strncmp(named->name, type.bytes + PREFIX, type.len - PREFIX) == 0;
}

static const struct callee_then *
keep_then(struct callees *c, const struct callee_then *key)
{
	struct callee_then *then = place_then(c, key);

	*then = *key;
	return then;
}

/* Names an object that was copied with the stack and is none that lasts.  NULL if it
 * cannot be named. */
static const struct callee_then *
name_then(struct callees *c, const struct py_callable *callable,
    const struct py_callee *named, uint64_t time)
{
	struct callee_then key = key_of(callable, named->by);

	key.inner = named->inner;
	key.frame = TACH_NONE;
	if (named->inner == 0 && (!has_owner(c, named, time) ||
	    (key.frame = name_frame(c, named)) == TACH_NONE))
		return NULL;
	return keep_then(c, &key);
}

/* Notes that no object of a type is a callable of C. */
static void
note_none(struct callees *c, const struct py_callable *callable)
{
	struct callee_then key = key_of(callable, CALLEE_BY_TYPE);

	key.frame = TACH_NONE;
	keep_then(c, &key);
}

/* The frame of an object that was copied with the stack. */
static uint32_t
frame_then(struct callees *c, const struct py_callable *callable, uint64_t time)
{
	const struct py_objects now = {c->by->offsets, c->by->memory};
	const struct callee_then *then = find_then(c, callable);
	struct py_callee named;

	if (then == NULL && !callee_name_then(&now, callable, &named)) {
		if (named.by == CALLEE_BY_TYPE)
			note_none(c, callable);
		return TACH_NONE;
	}
	if (then == NULL && named.words > 0)
		return lasting_frame(c, callable, time);
	if (then == NULL && (then = name_then(c, callable, &named, time)) == NULL)
		return TACH_NONE;
	return then->inner != 0 ? lasting_frame(c,
	    &(struct py_callable){.addr = then->inner}, time) : then->frame;
}

/* ---- operations --------------------------------------------------------- */

/* Whether an operation's types that may be freed were there at that time. */
static bool
has_types(struct callees *c, const struct py_called *called, uint64_t time)
{
	for (size_t i = 0; i < called_objects((enum py_operator)called->operator); i++)
		if (lasting_frame(c, &(struct py_callable){
			.addr = called->operands[i].type}, time) == TACH_NONE)
			return false;
	return true;
}

/* Names an operation.  It is kept if its types last. */
static struct callee_operation
find_operation(struct callees *c, const struct py_called *called)
{
	const struct py_objects objects = {c->by->offsets, c->by->memory};
	struct callee_operation key = {.operator = called->operator, .types = {
		called->operands[0].type, called->operands[1].type}}, *kept;
	char name[CALLEE_NAME_MAX];

	kept = &c->operations[hash_of(&key, offsetof(struct callee_operation, frame),
	    0) % CALLEES_THEN];
	if (memcmp(kept, &key, offsetof(struct callee_operation, frame)) == 0)
		return *kept;
	key.frame = TACH_NONE;
	if (operation_name(&objects, called, name, &key.operation))
		key.frame = emit_lineless(c->table, CALLEE_FILE,
		    (struct tach_string){name, strlen(name)});
	if (key.operation.lasts)
		*kept = key;
	return key;
}

/* The frame of an operation whose operands were read, if it takes long. */
static uint32_t
operation_frame(struct callees *c, const struct py_called *called, uint64_t time)
{
	const struct py_operand_object *freed = operation_freed(called);
	struct py_called drop = {.operator = PY_DROP};
	struct callee_operation o;

	if (freed == NULL && called->operator == PY_DROP)
		return TACH_NONE;
	if (freed != NULL) {
		drop.operands[0] = *freed;
		called = &drop;
	}
	o = find_operation(c, called);
	return o.frame != TACH_NONE &&
	    operation_is_long(c->by->offsets, &o.operation, called) &&
	    (o.operation.lasts || has_types(c, called, time)) ? o.frame : TACH_NONE;
}

/* ---- frames of calls ------------------------------------------------------ */

static uint32_t
entering_frame(struct callees *c, uint64_t manager)
{
	const struct py_objects objects = {c->by->offsets, c->by->memory};
	struct py_callee named;

	return callee_name_enter(&objects, manager, &named) ? name_frame(c, &named) :
	    TACH_NONE;
}

/* The frame of the object that is called now. */
static uint32_t
present_frame(struct callees *c, uint64_t callable)
{
	const struct py_objects objects = {c->by->offsets, c->by->memory};
	struct callee_entry *e = entry_at(c, callable);
	struct py_callee named;

	if (e == NULL)
		return TACH_NONE;
	renew_entry(c, e);
	if (e->words > 0)
		return e->frame;
	return callee_name(&objects, callable, &named) ? name_frame(c, &named) :
	    TACH_NONE;
}

/* The frame of what is called now. */
static uint32_t
site_frame(struct callees *c, const struct py_site *s)
{
	struct py_called called;

	if (s->operator == PY_CALL)
		return present_frame(c, s->objects[0]);
	if (s->operator == PY_ENTER)
		return entering_frame(c, s->objects[0]);
	return called_read(c->by->offsets, c->by->memory, s->operator, s->objects,
	    &called) ? operation_frame(c, &called, PRESENT) : TACH_NONE;
}

/* Whether an object is a function of a module or a method of a type. */
static bool
is_definition(const struct callees *c, uint64_t callable)
{
	const struct callee_entry *e = find_entry(c, callable);

	return e != NULL && e->words > 0 && !e->is_type;
}

/* Whether a thread that waits for the GIL is in its call for certain: a method lies below
 * its object. */
static bool
is_below_object(const struct callees *c, const struct py_site *s)
{
	const struct py_objects objects = {c->by->offsets, c->by->memory};
	uint64_t next;

	return s->operator == PY_CALL && py_read(c->by->memory,
		s->place + sizeof(next), &next, sizeof(next)) &&
	    callee_is_method_of(&objects, s->objects[0],
		frame_untag(c->by->offsets, next));
}

/* Whether the slot of a site has the callable, not the result of its call. */
static bool
is_in_call(const struct callees *c, const struct py_site *s, unsigned thread)
{
	return !(thread & (CALLEES_WAITS | CALLEES_AWAY)) ||
	    !site_may_be_over(c->by, s) || is_below_object(c, s) ||
	    (!(thread & CALLEES_WAITS) && is_definition(c, s->objects[0]));
}

/* The object may be freed while it is read: the frame counts if the call still goes on
 * afterwards. */
static uint32_t
frame_of_call(struct callees *c, const struct py_chain *chain, unsigned thread)
{
	const struct py_place *p = chain->places;
	struct py_code *code = codes_code(c->codes, p);
	struct py_site site;
	uint32_t frame;

	if (code == NULL || !site_open(c->by, c->by->memory, code, p, &site) ||
	    ((thread & CALLEES_BETWEEN) && !called_is_callable(site.operator)))
		return TACH_NONE;
	frame = site_frame(c, &site);
	return frame != TACH_NONE && is_in_call(c, &site, thread) &&
	    site_goes_on(c->by, &site, chain) ? frame :
	    TACH_NONE;
}

static uint32_t
callable_then(struct callees *c, const struct py_callable *callable, uint64_t time)
{
	const struct callee_entry *e;

	if (callable->type == 0)
		return lasting_frame(c, callable, time);
	e = find_entry(c, callable->addr);
	return e != NULL && was_same(e, callable) ? e->frame :
	    frame_then(c, callable, time);
}

/* The frame of an object that was in the slot of the callable.  From 3.14 on that has
 * been looked at: see calls.h. */
static uint32_t
call_then(struct callees *c, const struct py_callable *callable, uint64_t time,
    unsigned thread)
{
	bool result = (thread & (CALLEES_WAITS | CALLEES_AWAY)) &&
	    !py_has(c->by->offsets->frame_stack);
	uint32_t frame;

	if (result && (thread & CALLEES_WAITS))
		return TACH_NONE;
	frame = callable_then(c, callable, time);
	return result && !is_definition(c, callable->addr) ? TACH_NONE : frame;
}

uint32_t
callees_then(struct callees *c, const struct py_called *called, uint64_t time,
    unsigned thread)
{
	if (called->callable.addr == 0 || called->operator == PY_ENTER)
		return TACH_NONE;
	if (called->operator == PY_CALL)
		return call_then(c, &called->callable, time, thread);
	return called_is_known(called) ? operation_frame(c, called, time) : TACH_NONE;
}

uint32_t
callees_frame(struct callees *c, const struct py_chain *chain,
    const struct py_called *called, uint64_t time, unsigned thread)
{
	const struct py_place *p = chain->places;
	uint32_t frame = TACH_NONE;

	if (!(thread & CALLEES_BETWEEN) || called_is_callable(called->operator))
		frame = callees_then(c, called, time, thread);
	if (frame != TACH_NONE || (thread & CALLEES_LATE) || chain->depth == 0 ||
	    place_is_mark(p) || p->left)
		return frame;
	return frame_of_call(c, chain, thread);
}
