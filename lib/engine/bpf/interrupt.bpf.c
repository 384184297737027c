/* SPDX-License-Identifier: ISC */
/*
 * interrupt.bpf.c: the programs that run in the kernel for interrupt.c and
 * batch.c, on the CPU of the interrupted thread, and copy its state and its
 * frames.  This file is built for BPF.
 *
 * All values that change from frame to frame are kept in the shared memory.  The
 * kernel's verifier assumes nothing of values there, so it need not follow each
 * step to see that all steps are safe.  It checks a function that is not static
 * once, and a static one wherever it is called.  This keeps the check short, for
 * which the first round has to wait.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#include "engine/bpf/bpf_shared.h"

#define PAGE INTERRUPT_PAGE
#define REGISTERS 512 /* bytes: no thread has more */
/* The offset of a task's state, behind thread_info, on x86-64 from Linux 5.16 on.
 * The state is 0 if the task can run. */
#define STATE_AT 24

/* Whether this kernel tells where a thread's registers are; set before the programs
 * are loaded. */
const volatile __u32 tells_calls = 0;
/* Whether stacks of C can be asked for; likewise. */
const volatile __u32 copies_stacks = 0;
/* Whether stacks in the kernel can be asked for; likewise. */
const volatile __u32 copies_kernel = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INTERRUPT_WIRES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct interrupt_wire);
} wires SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct interrupt_ahead);
} ahead SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INTERRUPT_TAKERS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct interrupt_ask);
} asks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INTERRUPT_SITES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct interrupt_site);
} sites SEC(".maps");

/* ---- copying ----------------------------------------------------------- */

/* False if the memory is not there, or the wire has no room. */
static __always_inline int
copy(struct interrupt_wire *w, __u64 addr, __u64 size)
{
	__u64 at = w->used;

	if (at >= INTERRUPT_ROOM || size >= INTERRUPT_PIECE ||
	    bpf_probe_read_user(w->bytes + at, (__u32)size,
		(const void *)addr) != 0)
		return 0;
	w->used = at + size;
	return 1;
}

/* Copies a part of memory, and lists it. */
__noinline int
copy_part(struct interrupt_wire *w, __u64 addr, __u64 size)
{
	__u64 n;

	if (w == 0)
		return 0;
	n = w->parts;
	w->part_at = w->used;
	if (n >= INTERRUPT_PARTS || !copy(w, addr, size))
		return 0;
	w->part[n].addr = addr;
	w->part[n].size = size;
	w->parts = n + 1;
	return 1;
}

/* The word at an offset of the wire's bytes. */
static __always_inline __u64
load(const struct interrupt_wire *w, __u64 at)
{
	return at < INTERRUPT_ROOM ? *(const __u64 *)(w->bytes + at) : 0;
}

struct writing {
	struct interrupt_ask *ask;
	struct interrupt_wire *wire;
};

/* Copies a text; or, if the next page is not there, the bytes of the text on its
 * first page. */
static __always_inline void
copy_text(struct interrupt_wire *w, const struct interrupt_way *way, __u64 addr)
{
	__u64 size = way->text_size, page = (addr + size) & ~((__u64)PAGE - 1);

	if (!copy_part(w, addr, size))
		copy_part(w, addr, page - addr);
}

/* Copies a code object, unless the last frame had the same.  The reader of the
 * record sees which parts are missing. */
static __always_inline void
copy_code(struct interrupt_wire *w, const struct interrupt_way *way, __u64 code)
{
	__u64 at;

	if (way->code_size == 0 || code == w->code)
		return;
	w->code = code;
	if (!copy_part(w, code, way->code_size))
		return;
	at = w->part_at;
	for (int i = 0; i < INTERRUPT_TEXTS; i++)
		if (way->text[i] != 0)
			copy_text(w, way, load(w, at + way->text[i]));
}

/* How many bytes behind a frame are copied with it: the evaluation stack of the innermost
 * one, as far as the page of the frame's end goes. */
static __always_inline __u64
values_of(const struct interrupt_wire *w, const struct interrupt_way *way, __u64 end)
{
	__u64 rest = -end & ((__u64)PAGE - 1);

	if (w->frames != INTERRUPT_PARTS)
		return 0;
	return rest < way->values ? rest : way->values;
}

/* Copies the object in a slot of a frame, or in the next one if that has NULL, and the
 * head of the object that it is bound to.  The reader sees which parts are missing. */
static __always_inline void
copy_object(struct interrupt_wire *w, const struct interrupt_way *way, __u64 slot)
{
	__u64 object = load(w, slot) & ~way->tags;

	if (object == 0)
		object = load(w, slot + sizeof(object)) & ~way->tags;
	if (object == 0 || !copy_part(w, object, way->object_size))
		return;
	object = load(w, w->part_at + way->self);
	if (object != 0)
		copy_part(w, object, way->head_size);
}

/* Copies the heads of an operator's operands, and the words behind them. */
static __always_inline void
copy_operands(struct interrupt_wire *w, const struct interrupt_way *way, __u64 slot,
    __u64 operands)
{
	__u64 first = load(w, slot) & ~way->tags;
	__u64 second = load(w, slot + sizeof(first)) & ~way->tags;

	if (first != 0)
		copy_part(w, first, way->operand_size);
	if (operands > 1 && second != 0)
		copy_part(w, second, way->operand_size);
}

/* Copies the object that a frame calls, or the operands of its operator, if the
 * instruction is one of the sites. */
static __always_inline void
copy_callable(struct interrupt_wire *w, const struct interrupt_way *way, __u64 frame)
{
	__u64 instr = load(w, frame + way->instr);
	const struct interrupt_site *s;
	__u32 i;

	if (way->narrow)
		instr = (__u32)instr + load(w, frame + way->frame_code);
	i = INTERRUPT_SITE(instr);
	s = bpf_map_lookup_elem(&sites, &i);
	if (s == 0 || s->at == 0 || s->instr != instr)
		return;
	if (s->operands != 0)
		copy_operands(w, way, frame + s->at, s->operands);
	else
		copy_object(w, way, frame + s->at);
}

/* Copies the next frame, unless the last part with frames has it, and goes to its
 * caller. */
static long
step(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	const struct interrupt_way *way = &to->ask->way;
	__u64 frame = w->next, size = way->frame_size;
	__u64 block = frame & ~((__u64)way->block - 1);
	__u64 n = w->frames, at;
	int innermost = n == INTERRUPT_PARTS;

	if (frame == 0)
		return 1;
	/* No part with frames is smaller than a frame. */
	if (n >= INTERRUPT_PARTS ||
	    frame - w->part[n].addr > w->part[n].size - size) {
		n = w->parts;
		if (!copy_part(w, block, frame - block + size +
			values_of(w, way, frame + size)) || n >= INTERRUPT_PARTS)
			return 1;
		w->frames = n;
		w->frames_at = w->part_at;
	}
	at = w->frames_at + (frame - w->part[n].addr);
	w->next = load(w, at + way->frame_previous);
	copy_code(w, way, load(w, at + way->frame_code));
	if (innermost && way->object_size != 0)
		copy_callable(w, way, at);
	return 0;
}

/* Copies the next exception, and goes to the one before it. */
static long
step_out(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	const struct interrupt_way *way = &to->ask->way;

	if (w->next == 0 || w->next == way->item_last ||
	    !copy_part(w, w->next, way->item_size))
		return 1;
	w->next = load(w, w->part_at + way->item_previous);
	return 0;
}

static __always_inline int
copy_exceptions(struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	const struct interrupt_way *way = &to->ask->way;

	if (way->item_size == 0)
		return 1;
	w->next = load(w, w->at + way->item);
	bpf_loop(INTERRUPT_FRAMES, step_out, to, 0);
	return w->next == 0 || w->next == way->item_last;
}

/* Copies a range that was asked for.  It is called by bpf_loop, as the verifier
 * checks that faster than a loop in here. */
static long
copy_range(__u64 i, struct writing *to)
{
	const struct interrupt_ask *a = to->ask;

	return i >= INTERRUPT_RANGES || i >= a->ranges ||
	    !copy(to->wire, a->range[i].addr, a->range[i].size);
}

/* False if the thread cannot be copied. */
static __always_inline int
copy_thread(struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	const struct interrupt_way *way = &to->ask->way;

	/* The loop ends after the last range, or at a range that is not there. */
	if (bpf_loop(INTERRUPT_RANGES + 1, copy_range, to, 0) <=
	    (long)to->ask->ranges)
		return 0;
	if (way->plain)
		return 1;
	w->next = load(w, w->at + way->current);
	if (way->cframe_size != 0 && w->next != 0) {
		if (!copy_part(w, w->next, way->cframe_size))
			return 0;
		w->next = load(w, w->part_at + way->cframe_current);
	}
	w->frames = INTERRUPT_PARTS;
	w->code = 0;
	bpf_loop(INTERRUPT_FRAMES, step, to, 0);
	return w->next == 0 && copy_exceptions(to);
}

/* Records a thread that runs here, or stands still.  False if it cannot be copied,
 * or the wire is full. */
__noinline int
record(struct interrupt_wire *w, struct interrupt_ask *ask, __u64 time,
    __u32 who)
{
	struct writing to = {ask, w};
	__u64 n;

	if (w == 0 || ask == 0)
		return 0;
	n = w->records;
	w->at = w->used;
	w->first = w->parts;
	if (n >= INTERRUPT_RECORDS)
		return 0;
	if (!copy_thread(&to)) {
		w->used = w->at;
		w->parts = w->first;
		return 0;
	}
	w->record[n].time = time;
	w->record[n].at = w->at;
	w->record[n].first = w->first;
	w->record[n].parts = w->parts - w->first;
	w->record[n].who = who;
	w->record[n].left = w->left;
	w->record[n].stack = 0;
	w->record[n].kernel = INTERRUPT_UNKNOWN;
	w->record[n].ran = w->ran;
	w->records = n + 1;
	return 1;
}

/* ---- the stack of C ----------------------------------------------------- */

/* Copies the next page of the stack, or a part of it.  A page that is not there, as it
 * was never touched, is zeros. */
static long
copy_page(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	__u64 at = w->used, addr = w->next, size = PAGE - addr % PAGE;
	int there;

	if (addr >= w->stack_end || at >= INTERRUPT_ROOM)
		return 1;
	if (size > w->stack_end - addr)
		size = w->stack_end - addr;
	if (size > PAGE)
		return 1;
	there = bpf_probe_read_user(w->bytes + at, (__u32)size,
		    (const void *)addr) == 0;
	w->used = at + size;
	w->next = addr + size;
	if (there)
		w->there = at + size;
	return 0;
}

/* Copies the stack from below a stack pointer on. */
static __always_inline void
copy_pages(struct writing *to, __u64 sp)
{
	struct interrupt_wire *w = to->wire;
	const struct interrupt_way *way = &to->ask->way;
	__u64 low = sp - INTERRUPT_BELOW, end = low + INTERRUPT_STACK;
	__u64 n = w->parts, at = w->used;

	if (n >= INTERRUPT_PARTS)
		return;
	w->next = low;
	w->stack_end = sp < way->stack_end && way->stack_end < end ?
	    way->stack_end : end;
	w->there = at;
	bpf_loop(INTERRUPT_STACK / PAGE + 1, copy_page, to, 0);
	w->used = w->there;
	w->part[n].addr = low;
	w->part[n].size = w->there - at;
	w->parts = n + 1;
}

/* The registers, in user mode, of the thread that runs here. */
static __always_inline int
copy_registers(__u64 to[INTERRUPT_REGISTERS])
{
	return bpf_probe_read_kernel(to, INTERRUPT_REGISTERS * sizeof(*to),
		   (const void *)bpf_task_pt_regs(bpf_get_current_task_btf())) == 0;
}

/* Adds the registers and the stack of C to the last record.  here: its thread runs here;
 * else it has waited for the GIL since its registers were noted. */
__noinline int
record_stack(struct interrupt_wire *w, struct interrupt_ask *ask, int here)
{
	struct writing to = {ask, w};
	__u64 n, r;

	if (!copies_stacks || w == 0 || ask == 0 || !ask->way.stack)
		return 0;
	n = w->records - 1;
	r = ask->way.sp;
	if (n >= INTERRUPT_RECORDS || r >= INTERRUPT_REGISTERS)
		return 0;
	if (!here)
		__builtin_memcpy(w->registers[n], ask->registers,
		    sizeof(ask->registers));
	else if (!copy_registers(w->registers[n]))
		return 0;
	copy_pages(&to, w->registers[n][r]);
	w->record[n].parts = w->parts - w->record[n].first;
	w->record[n].stack = 1;
	return 1;
}

/* ---- the stack in the kernel -------------------------------------------- */

/* Adds to the last record the stack in the kernel of the thread that runs here.  It has
 * no places if a tick has come in user mode. */
static __always_inline void
record_kernel(void *ctx, struct interrupt_wire *w, const struct interrupt_ask *ask,
    enum interrupt_kernel where)
{
	__u64 n = w->records - 1;
	long size;

	if (!copies_kernel || !ask->way.kernel || n >= INTERRUPT_RECORDS)
		return;
	size = bpf_get_stack(ctx, w->kernel[n], sizeof(w->kernel[n]), 0);
	if (size < 0)
		return;
	w->record[n].kernel = where;
	w->record[n].depth = size / sizeof(w->kernel[n][0]);
}

/* Adds the one that its thread had as it left its CPU last to wait for the GIL. */
static __always_inline void
record_kernel_noted(struct interrupt_wire *w, const struct interrupt_ask *ask)
{
	__u64 n = w->records - 1;

	if (!copies_kernel || !ask->way.kernel || n >= INTERRUPT_RECORDS ||
	    ask->kernel_size < 0 || bpf_probe_read_kernel(w->kernel[n],
		sizeof(w->kernel[n]), ask->kernel) != 0)
		return;
	w->record[n].kernel = INTERRUPT_BLOCKS;
	w->record[n].depth = ask->kernel_size / sizeof(ask->kernel[0]);
}

/* ---- on demand --------------------------------------------------------- */

static __always_inline int
is_wanted(const struct interrupt_ask *a)
{
	struct bpf_pidns_info info;

	if (a->namespace_ino == 0)
		return (__u32)bpf_get_current_pid_tgid() == a->task;
	return bpf_get_ns_current_pid_tgid(a->namespace_dev, a->namespace_ino,
		   &info, sizeof(info)) == 0 && info.pid == a->task;
}

SEC("raw_tp/tach")
int
tach_interrupt(void *ctx)
{
	struct interrupt_wire *wire;
	struct interrupt_ask *ask;
	__u32 zero = 0;
	__u64 time;
	int ok;

	wire = bpf_map_lookup_elem(&wires, &zero);
	ask = bpf_map_lookup_elem(&asks, &zero);
	if (wire == 0 || ask == 0)
		return INTERRUPT_FAILED;
	if (!is_wanted(ask))
		return INTERRUPT_ELSEWHERE;
	time = bpf_ktime_get_ns();
	ok = record(wire, ask, time, 0);
	if (ok) {
		record_stack(wire, ask, 1);
		record_kernel(ctx, wire, ask, INTERRUPT_CALLED);
	}
	wire->took = bpf_ktime_get_ns() - time;
	return ok ? INTERRUPT_OK : INTERRUPT_FAILED;
}

/* ---- ahead ------------------------------------------------------------- */

/* The watched words of the last record. */
struct watching {
	struct writing in;
	int changed, news; /* a word that ends the batch has changed; any has */
};

static long
compare(__u64 i, struct watching *w)
{
	struct interrupt_ask *a = w->in.ask;
	const struct interrupt_wire *wire = w->in.wire;
	__u64 value;

	if (i >= INTERRUPT_WATCHES || i >= a->watches + a->told)
		return 1;
	value = load(wire, wire->at + a->watch[i].at) & a->watch[i].mask;
	if (value == a->watch[i].value)
		return 0;
	w->changed = i < a->watches;
	w->news = 1;
	a->watch[i].value = value;
	return w->changed;
}

static __always_inline int
is_full(const struct interrupt_ahead *a, const struct interrupt_wire *w)
{
	return w->records >= a->batch ||
	    w->used + 2 * (w->used - w->at) + a->spare > INTERRUPT_ROOM ||
	    w->parts + 2 * (w->parts - w->first) > INTERRUPT_PARTS;
}

/* Passes the wire to the recorder, which is to give the next one back by the next
 * tick. */
static __always_inline void
pass(struct interrupt_ahead *a)
{
	__u32 turn = a->turn % INTERRUPT_WIRES;

	a->turn = (turn + 1) % INTERRUPT_WIRES;
	a->full[turn] = 1;
}

static __always_inline int
stop(struct interrupt_ahead *a, enum interrupt_stop why)
{
	a->stopped = why;
	return 1;
}

/* The search for the ask of the thread that runs here. */
struct finding {
	__u32 asks, who;
	struct interrupt_ask *ask; /* NULL: there is none */
};

static long
find(__u64 i, struct finding *f)
{
	__u32 who = i;
	struct interrupt_ask *ask = bpf_map_lookup_elem(&asks, &who);

	if (ask == 0 || who >= f->asks)
		return 1;
	if (!is_wanted(ask))
		return 0;
	f->who = who;
	f->ask = ask;
	return 1;
}

static __always_inline __u64
read_word(__u64 addr)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (const void *)addr);
	return word;
}

/* The turn of a taker that runs. */
enum turn {
	TURN_HAD,     /* it has the GIL */
	TURN_WAITS,   /* it is about to wait for the GIL */
	TURN_UNKNOWN, /* others can have had the GIL since the last record */
};

/*
 * A taker has its turn if it had the GIL at the last record, too; or if it follows
 * the taker that had the GIL then and has waited for it since.  No other thread can
 * have had the GIL between these two, and the taker that waits stands still now.
 * *before is the ask of the taker that had the GIL at the last record.
 */
static __always_inline enum turn
take_turn(struct interrupt_ahead *a, const struct finding *f, __u32 *before)
{
	__u64 switches = read_word(a->gil.switches);
	__u64 changes = switches - a->switches;
	__u32 last = a->last;
	struct interrupt_ask *other;

	if (f->ask == 0 || changes > 1)
		return TURN_UNKNOWN;
	/* A taker that waits has not had the GIL since it began to wait.  Where the
	 * last one has not begun to wait yet, the next one does not record before it
	 * has. */
	if (read_word(a->gil.holder) != f->ask->holder)
		return f->ask->waits || f->who == last ? TURN_WAITS :
							 TURN_UNKNOWN;
	*before = f->who;
	f->ask->waits = 0;
	if (changes == 0)
		return f->who == last ? TURN_HAD : TURN_UNKNOWN;
	other = bpf_map_lookup_elem(&asks, &last);
	if (other == 0 || !other->waits || f->who == last ||
	    (__s32)read_word(a->gil.locked) <= 0)
		return TURN_UNKNOWN;
	*before = last;
	a->last = f->who;
	a->switches = switches;
	return TURN_HAD;
}

/* Whether a taker without the GIL moves on in C or in the kernel, of which its last
 * record cannot tell. */
static __always_inline int
moves_in_c(const struct finding *f)
{
	return f->ask != 0 && !f->ask->waits &&
	    ((copies_stacks && f->ask->way.stack) ||
		(copies_kernel && f->ask->way.kernel));
}

/* Where the thread that runs here is to be recorded. */
struct scene {
	struct bpf_perf_event_data *ctx;
	enum interrupt_kernel where;
};

/* Records the thread of an ask; see record_stack.  Returns the ask; NULL if that
 * failed. */
static __always_inline struct interrupt_ask *
record_nth(struct scene r, struct interrupt_wire *w, __u64 time, __u32 who, int here)
{
	struct interrupt_ask *ask = bpf_map_lookup_elem(&asks, &who);

	if (ask == 0 || !record(w, ask, time, who))
		return 0;
	record_stack(w, ask, here);
	if (here)
		record_kernel(r.ctx, w, ask, r.where);
	else
		record_kernel_noted(w, ask);
	return ask;
}

/* Records threads at one moment: the taker whose turn has ended, if there is one,
 * and the thread that runs here.  Notes how long that took.  Returns the ask of the
 * latter; NULL if that failed. */
static __always_inline struct interrupt_ask *
record_turns(struct scene r, struct interrupt_ahead *a, struct interrupt_wire *w,
    __u32 before, __u32 who)
{
	__u64 time = bpf_ktime_get_ns();
	struct interrupt_ask *ask;

	ask = before == who || record_nth(r, w, time, before, 0) != 0 ?
	    record_nth(r, w, time, who, 1) : 0;
	w->took = bpf_ktime_get_ns() - time;
	a->cost = (a->cost * 7 + w->took) / 8;
	return ask;
}

/* Notes for the next record how long the thread that runs here has had a CPU, and
 * whether it leaves it. */
static __always_inline void
note_cpu(struct interrupt_ahead *a, struct interrupt_wire *w,
    struct bpf_perf_event_data *ctx, __u32 left)
{
	struct bpf_perf_event_value v = {0};

	w->ran = !a->rested &&
		bpf_perf_prog_read_value(ctx, &v, sizeof(v)) == 0 ?
	    v.running : 0;
	w->left = left;
	a->rested = 0;
}

/* Looks at a new record.  Returns whether the recorder is to be woken. */
static __always_inline int
note_record(struct interrupt_ahead *a, struct watching *w)
{
	if (w->in.ask == 0)
		return stop(a, INTERRUPT_BAD);
	bpf_loop(INTERRUPT_WATCHES, compare, w, 0);
	if (w->changed)
		return stop(a, INTERRUPT_CHANGED);
	if (a->cost > a->limit || a->left > a->limit)
		return stop(a, INTERRUPT_DEAR);
	a->news |= w->news;
	if (!w->news && !is_full(a, w->in.wire))
		return 0;
	pass(a);
	return 1;
}

/* A tick of a thread's clock.  The recorder is woken if this program, or the next
 * one, does not return 0. */
SEC("perf_event")
int
tach_tick(struct bpf_perf_event_data *ctx)
{
	struct watching w = {0};
	struct writing *to = &w.in;
	struct scene r = {ctx, INTERRUPT_TICKED};
	struct finding f = {0};
	struct interrupt_ahead *a;
	enum turn what;
	__u32 zero = 0, before = 0, turn;

	a = bpf_map_lookup_elem(&ahead, &zero);
	if (a == 0 || a->stopped)
		return a != 0 && a->stopped == INTERRUPT_STIRRED;
	turn = a->turn % INTERRUPT_WIRES;
	to->wire = bpf_map_lookup_elem(&wires, &turn);
	if (to->wire == 0 || a->full[turn])
		return 0;
	if (a->takers > 1) {
		f.asks = a->takers;
		bpf_loop(INTERRUPT_TAKERS, find, &f, 0);
		what = take_turn(a, &f, &before);
		if (what == TURN_WAITS && !moves_in_c(&f))
			return 0;
		if (what != TURN_HAD)
			return stop(a, INTERRUPT_CHANGED);
	}
	a->left = 0;
	note_cpu(a, to->wire, ctx, 0);
	to->ask = record_turns(r, a, to->wire, before, f.who);
	return note_record(a, &w);
}

/* Why a thread leaves its CPU. */
enum leaves {
	LEAVES_TURN, /* it waits for the GIL */
	LEAVES_CPU,  /* it is in no system call */
	LEAVES,	     /* it is in another system call, or that is not known */
};

static __always_inline enum leaves
why_leaves(const struct interrupt_gil *g)
{
	__u64 regs = bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 call = 0, addr = 0;

	bpf_probe_read_kernel(&call, sizeof(call),
	    (const void *)(regs + g->call_at % REGISTERS));
	bpf_probe_read_kernel(&addr, sizeof(addr),
	    (const void *)(regs + g->address_at % REGISTERS));
	if (call == g->call && addr >= g->waits && addr < g->end)
		return LEAVES_TURN;
	return (__s64)call < 0 ? LEAVES_CPU : LEAVES;
}

static __always_inline void
note_wait(struct bpf_perf_event_data *ctx, const struct interrupt_ahead *a)
{
	struct finding f = {a->takers};

	bpf_loop(INTERRUPT_TAKERS, find, &f, 0);
	if (f.ask == 0)
		return;
	if (copies_stacks)
		copy_registers(f.ask->registers);
	if (copies_kernel)
		f.ask->kernel_size = bpf_get_stack(ctx, f.ask->kernel,
		    sizeof(f.ask->kernel), 0);
	f.ask->waits = 1;
}

/* Whether the thread can run.  It cannot if it waits for a page, or is stopped. */
static __always_inline int
could_run(void)
{
	__u32 state = 1;

	bpf_probe_read_kernel(&state, sizeof(state),
	    (const char *)bpf_get_current_task_btf() + STATE_AT);
	return state == 0;
}

/* Records a thread as another one takes its CPU: the thread stays as it is now until
 * it has a CPU again. */
static __always_inline int
record_left(struct interrupt_ahead *a, struct bpf_perf_event_data *ctx)
{
	struct scene r = {ctx, INTERRUPT_LEAVES};
	struct watching w = {0};
	__u32 turn = a->turn % INTERRUPT_WIRES;

	w.in.wire = bpf_map_lookup_elem(&wires, &turn);
	if (w.in.wire == 0 || a->full[turn % INTERRUPT_WIRES])
		return 0;
	note_cpu(a, w.in.wire, ctx, 1);
	w.in.ask = record_turns(r, a, w.in.wire, 0, 0);
	a->left += w.in.wire->took;
	return note_record(a, &w);
}

/* A thread leaves its CPU.  If a wire is full, the recorder, which was woken to read
 * it, may have taken the CPU.  A taker in no system call may have lost it to another
 * taker.  In both cases the recorder is to see whether the thread is blocked. */
SEC("perf_event")
int
tach_leave(struct bpf_perf_event_data *ctx)
{
	struct interrupt_ahead *a;
	enum leaves why = LEAVES;
	__u32 zero = 0;

	a = bpf_map_lookup_elem(&ahead, &zero);
	if (a == 0 || a->stopped)
		return 0;
	if (tells_calls)
		why = why_leaves(&a->gil);
	if (a->takers <= 1 && why == LEAVES_CPU && could_run())
		return record_left(a, ctx);
	a->rested = 1;
	if (a->takers > 1 && why == LEAVES_TURN) {
		note_wait(ctx, a);
		return 0;
	}
	if (why == LEAVES_CPU) {
		a->away = 1;
		return 1;
	}
	for (__u32 i = 0; i < INTERRUPT_WIRES; i++) {
		if (a->full[i]) {
			a->away = 1;
			return 0;
		}
	}
	return stop(a, INTERRUPT_LEFT);
}

/* A thread that was at rest leaves its CPU, so it has had one.  In a batch with
 * takers it can have begun to wait for the GIL as well, and where stacks of C or
 * in the kernel are copied it can have moved on without the GIL.  The next tick wakes the
 * recorder. */
SEC("perf_event")
int
tach_stir(void *ctx)
{
	struct interrupt_ahead *a;
	__u32 zero = 0;

	a = bpf_map_lookup_elem(&ahead, &zero);
	if (a != 0 && !a->stopped && (a->takers > 1 || copies_stacks || copies_kernel))
		a->stopped = INTERRUPT_STIRRED;
	return 0;
}

/* The kernel's helpers ask for such a license.  Code under the ISC license may be
 * used under this one, too. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
