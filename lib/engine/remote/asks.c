/* SPDX-License-Identifier: ISC */
/* asks.c: see asks.h. */
#include "engine/remote/asks.h"

#include "engine/threads/status.h"

/* ---- watches ----------------------------------------------------------- */

/* Watches the value that was seen at an address.  The address stands for the place
 * in the records until place_watches.  False if there are too many watches. */
static bool
watch_value(struct batch_ask *ask, uint64_t addr, size_t size, uint64_t value)
{
	uint64_t mask = size < sizeof(mask) ? (UINT64_C(1) << size * 8) - 1 :
					      UINT64_MAX;

	if (ask->watches == INTERRUPT_WATCHES)
		return false;
	ask->watch[ask->watches++] = (struct interrupt_watch){addr, mask,
	    value & mask};
	return true;
}

static bool
watch_word(struct batch_ask *ask, uint64_t addr, uint64_t value)
{
	return watch_value(ask, addr, sizeof(value), value);
}

/* Watches all words of a GIL but its lock word, which changes wherever a thread
 * releases the GIL for a while. */
static bool
watch_gil(const struct plan *v, struct batch_ask *ask, uint64_t gil)
{
	const struct py_offsets *o = v->reader->offsets;
	size_t at;

	if (!snapshot_find(&v->all, v->globals.first, gil, o->gil_size, &at))
		return false;
	for (size_t i = 0; i < o->gil_size; i += sizeof(uint64_t))
		if (o->gil_locked - i >= sizeof(uint64_t) &&
		    !watch_word(ask, gil + i,
			load_u64(v->all.bytes + at + i)))
			return false;
	return true;
}

/* Watches an interpreter's counts of code objects, if there are any. */
static bool
watch_interp_counts(const struct plan *v, struct batch_ask *ask,
    const struct interp *in)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(v->reader->codes, in->addr, at);
	const uint8_t *count = in->count;

	for (size_t i = 0; i < n; count += at[i++].size)
		if (!watch_value(ask, at[i].addr, at[i].size,
			at[i].size == sizeof(uint64_t) ? load_u64(count) :
							 load_u32(count)))
			return false;
	return true;
}

static bool
watch_interp(const struct plan *v, struct batch_ask *ask,
    const struct interp *in, bool turns)
{
	const struct py_offsets *o = v->reader->offsets;

	return watch_word(ask, in->addr + o->interp_next, in->next) &&
	    watch_word(ask, in->addr + o->interp_threads_head, in->first) &&
	    (turns || watch_gil(v, ask, in->gil_at));
}

/* Watches the counts of code objects.  A change does not end the batch, it only
 * wakes the recorder: new code objects have to be read before they are freed. */
static bool
watch_counts(const struct plan *v, struct batch_ask *ask)
{
	size_t others = ask->watches;

	for (size_t i = 0; i < v->interps.count; i++)
		if (!watch_interp_counts(v, ask, &v->interps.list[i]))
			return false;
	ask->told = ask->watches - others;
	ask->watches = others;
	return true;
}

/* Watches the link to a thread, which shows that it has not ended. */
static bool
watch_link(const struct plan *v, struct batch_ask *ask, const struct thread *t)
{
	uint64_t link = plan_link(v, t);

	return link == 0 || watch_word(ask, link, t->py.addr);
}

/* Watches each word that shows that another thread can have run (unless threads
 * take turns), that a thread is new, or that this thread has ended. */
static bool
watch_all(const struct plan *v, struct batch_ask *ask, const struct thread *t,
    bool turns)
{
	for (size_t i = 0; i < v->interps.count; i++)
		if (!watch_interp(v, ask, &v->interps.list[i], turns))
			return false;
	return watch_word(ask, interps_head(&v->interps),
	    v->interps.list[0].addr) &&
	    watch_link(v, ask, t) && watch_counts(v, ask);
}

/* Turns addresses of watches into places in a record, which begins as the newest
 * copy does. */
static bool
place_watches(const struct plan *v, struct batch_ask *ask)
{
	for (size_t i = 0; i < ask->watches + ask->told; i++) {
		struct interrupt_watch *w = &ask->watch[i];
		size_t size = w->mask > UINT32_MAX ? sizeof(uint64_t) :
						     sizeof(uint32_t), at;
		if (!snapshot_find(&v->all, v->globals.first, w->at, size, &at))
			return false;
		w->at = at;
	}
	return true;
}

/* ---- threads ----------------------------------------------------------- */

/* Whether a thread has the GIL, and was seen on a CPU.  A thread that could run but
 * has no CPU may have none for long. */
static bool
has_turn(const struct interp *in, const struct thread *t)
{
	return in->gil.locked && in->gil.holder == t->py.addr &&
	    t->held != HOLD_NONE;
}

static bool
waits_turn(const struct thread *t)
{
	return (t->status.bits & TACH_STATUS_GIL_WANTED) != 0;
}

/* Whether a batch can have takers. */
static bool
knows_turns(const struct plan *v, const struct batch *b)
{
	return batch_knows_calls(b) && v->interps.count == 1 &&
	    v->interps.list[0].counted && py_has(v->reader->offsets->gil_cond);
}

/* Lists the threads that take turns, or the thread that has all turns.  Each other
 * thread must be blocked, and its page must show when it gets a CPU.  Returns how
 * many are listed; 0 if that cannot be said of all threads. */
static size_t
find_takers(const struct plan *v, struct thread *list[INTERRUPT_TAKERS])
{
	const struct interp *in = v->interps.list;
	bool had = false;
	size_t n = 0;

	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		if (thread_is_gone(t) || status_rests(t))
			continue;
		if (n == INTERRUPT_TAKERS || t->last.is != LAST_GOOD ||
		    t->task == 0 || !(has_turn(in, t) || waits_turn(t)))
			return 0;
		had |= has_turn(in, t);
		list[n++] = t;
	}
	return had ? n : 0;
}

static size_t
find_asked(const struct plan *v, const struct batch *b,
    struct thread *list[INTERRUPT_TAKERS])
{
	size_t n;

	if (!v->listed)
		return 0;
	n = knows_turns(v, b) ? find_takers(v, list) : 0;
	if (n > 1)
		return n;
	list[0] = v->kept ? plan_runner(v) : NULL;
	return list[0] != NULL &&
	    (list[0]->held != HOLD_NONE || batch_knows_calls(b));
}

size_t
asks_possible(const struct plan *v, const struct batch *b)
{
	struct thread *list[INTERRUPT_TAKERS];

	return find_asked(v, b, list);
}

/* ---- asking ------------------------------------------------------------ */

/* turns: the thread is a taker. */
static bool
ask_for_thread(struct plan *v, struct batch *b, struct thread *t, bool turns)
{
	struct batch_ask ask = {.holder = t->py.addr,
	    .waits = !has_turn(v->interps.list, t)};

	return watch_all(v, &ask, t, turns) && plan_begin_alone(v, t) &&
	    place_watches(v, &ask) &&
	    interrupted_ask(v->reader, t, &v->all, &ask) && batch_ask(b, &ask);
}

static struct interrupt_gil
gil_words_of(const struct plan *v, uint64_t gil)
{
	const struct py_offsets *o = v->reader->offsets;

	return (struct interrupt_gil){.locked = gil + o->gil_locked,
	    .holder = gil + o->gil_holder, .switches = gil + o->gil_switches,
	    .waits = gil + o->gil_cond, .end = gil + o->gil_size};
}

/* Whether one of the threads runs: the others may have left their CPUs before the
 * batch began. */
static bool
one_runs(struct thread *const list[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (status_runs(list[i]))
			return true;
	return false;
}

static bool
begin_asked(struct plan *v, struct batch *b, struct thread *const list[], size_t n,
    uint32_t size)
{
	const struct interp *in = v->interps.list;
	struct interrupt_gil gil = gil_words_of(v, in->gil_at);

	for (size_t i = 0; i < n; i++)
		if (!ask_for_thread(v, b, list[i], n > 1))
			return false;
	return batch_begin(b, &gil, in->gil.switches, size) && one_runs(list, n);
}

bool
asks_begin(struct plan *v, struct batch *b, struct asked *a, uint64_t interval_ns,
    uint32_t size)
{
	struct thread *list[INTERRUPT_TAKERS];

	a->count = find_asked(v, b, list);
	for (size_t i = 0; i < a->count; i++)
		a->states[i] = list[i]->py.addr;
	if (a->count == 0 || !batch_prepare(b, interval_ns))
		return false;
	if (begin_asked(v, b, list, a->count, size))
		return true;
	batch_cancel(b);
	return false;
}
