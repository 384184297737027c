/* SPDX-License-Identifier: ISC */
/*
 * interrupt.bpf.c: what runs in the kernel for interrupt.c and ahead.c, on the
 * CPU of the thread that is interrupted, and copies the state and the frames of
 * that: see there.  It is built for BPF.
 *
 * What changes from frame to frame is kept in the shared memory: of what is
 * there the kernel assumes nothing, so it need not follow each step to see that
 * all of them are safe.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "engine/interruptwire.h"

#define PAGE 4096 /* no page is smaller */

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

/* ---- copying ----------------------------------------------------------- */

/* False: it is not there, or there is no room. */
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

/* Copies a part of memory. */
static __always_inline int
copy_part(struct interrupt_wire *w, __u64 addr, __u64 size)
{
	__u64 n = w->parts;

	w->part_at = w->used;
	if (n >= INTERRUPT_PARTS || !copy(w, addr, size))
		return 0;
	w->part[n].addr = addr;
	w->part[n].size = size;
	w->parts = n + 1;
	return 1;
}

/* The word that was copied to there. */
static __always_inline __u64
load(const struct interrupt_wire *w, __u64 at)
{
	return at < INTERRUPT_ROOM ? *(const __u64 *)(w->bytes + at) : 0;
}

/* A wire, and what a record of it begins with. */
struct writing {
	struct interrupt_wire *wire;
	__u64 at, first; /* byte, part */
};

/* Copies a text, or what of it is on its first page, if the next one is not
 * there. */
static __always_inline void
copy_text(struct interrupt_wire *w, __u64 addr)
{
	__u64 size = w->way.text_size, page = (addr + size) & ~((__u64)PAGE - 1);

	if (!copy_part(w, addr, size))
		copy_part(w, addr, page - addr);
}

/* Copies a code object, if the last frame did not have it.  Who reads sees what
 * could not be. */
static __always_inline void
copy_code(struct interrupt_wire *w, __u64 code)
{
	__u64 at;

	if (w->way.code_size == 0 || code == w->code)
		return;
	w->code = code;
	if (!copy_part(w, code, w->way.code_size))
		return;
	at = w->part_at;
	for (int i = 0; i < INTERRUPT_TEXTS; i++)
		if (w->way.text[i] != 0)
			copy_text(w, load(w, at + w->way.text[i]));
}

/* Copies the frame that is next, if the last part with frames does not have it,
 * and goes to its caller. */
static long
step(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	__u64 frame = w->next, size = w->way.frame_size;
	__u64 block = frame & ~((__u64)w->way.block - 1);
	__u64 n = w->frames, at;

	if (frame == 0)
		return 1;
	/* No part with frames is smaller than one. */
	if (n >= INTERRUPT_PARTS ||
	    frame - w->part[n].addr > w->part[n].size - size) {
		n = w->parts;
		if (!copy_part(w, block, frame - block + size) ||
		    n >= INTERRUPT_PARTS)
			return 1;
		w->frames = n;
		w->frames_at = w->part_at;
	}
	at = w->frames_at + (frame - w->part[n].addr);
	w->next = load(w, at + w->way.frame_previous);
	copy_code(w, load(w, at + w->way.frame_code));
	return 0;
}

/* Copies the exception that is next, and goes to the one before it. */
static long
step_out(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;

	if (w->next == 0 || w->next == w->way.item_last ||
	    !copy_part(w, w->next, w->way.item_size))
		return 1;
	w->next = load(w, w->part_at + w->way.item_previous);
	return 0;
}

static __always_inline int
copy_exceptions(struct writing *to)
{
	struct interrupt_wire *w = to->wire;

	if (w->way.item_size == 0)
		return 1;
	w->next = load(w, to->at + w->way.item);
	bpf_loop(INTERRUPT_FRAMES, step_out, to, 0);
	return w->next == 0 || w->next == w->way.item_last;
}

/* Copies a range that was asked for.  A loop of the kernel's takes it less to
 * check, which is before the first round, than one of ours. */
static long
copy_range(__u64 i, struct writing *to)
{
	struct interrupt_wire *w = to->wire;

	return i >= INTERRUPT_RANGES || i >= w->ranges ||
	    !copy(w, w->range[i].addr, w->range[i].size);
}

/* False: it cannot be copied. */
static __always_inline int
copy_thread(struct writing *to)
{
	struct interrupt_wire *w = to->wire;

	/* It ends at the one after the last, or at one that is not there. */
	if (bpf_loop(INTERRUPT_RANGES + 1, copy_range, to, 0) <=
	    (long)w->ranges)
		return 0;
	w->next = load(w, to->at + w->way.current);
	if (w->way.cframe_size != 0 && w->next != 0) {
		if (!copy_part(w, w->next, w->way.cframe_size))
			return 0;
		w->next = load(w, w->part_at + w->way.cframe_current);
	}
	w->frames = INTERRUPT_PARTS;
	w->code = 0;
	bpf_loop(INTERRUPT_FRAMES, step, to, 0);
	return w->next == 0 && copy_exceptions(to);
}

/* Records the thread that runs here. */
static __always_inline int
record(struct writing *to)
{
	struct interrupt_wire *w = to->wire;
	__u64 n = w->records;

	to->at = w->used;
	to->first = w->parts;
	if (n >= INTERRUPT_RECORDS)
		return 0;
	if (!copy_thread(to)) {
		w->used = to->at;
		w->parts = to->first;
		return 0;
	}
	w->record[n].time = bpf_ktime_get_ns();
	w->record[n].at = to->at;
	w->record[n].first = to->first;
	w->record[n].parts = w->parts - to->first;
	w->records = n + 1;
	return 1;
}

/* ---- on demand --------------------------------------------------------- */

static __always_inline int
is_wanted(const struct interrupt_wire *w)
{
	struct bpf_pidns_info info;

	if (w->namespace_ino == 0)
		return (__u32)bpf_get_current_pid_tgid() == w->task;
	return bpf_get_ns_current_pid_tgid(w->namespace_dev, w->namespace_ino,
		   &info, sizeof(info)) == 0 && info.pid == w->task;
}

SEC("raw_tp/tach")
int
tach_interrupt(void *ctx)
{
	struct writing to = {0};
	__u32 zero = 0;

	to.wire = bpf_map_lookup_elem(&wires, &zero);
	if (to.wire == 0)
		return INTERRUPT_FAILED;
	if (!is_wanted(to.wire))
		return INTERRUPT_ELSEWHERE;
	return record(&to) ? INTERRUPT_OK : INTERRUPT_FAILED;
}

/* ---- ahead ------------------------------------------------------------- */

/* Words that are watched in what was written. */
struct watching {
	const struct interrupt_ahead *ahead;
	const struct writing *in;
	int changed;
};

static long
compare(__u64 i, struct watching *w)
{
	const struct interrupt_ahead *a = w->ahead;

	if (i >= INTERRUPT_WATCHES || i >= a->watches)
		return 1;
	w->changed = (load(w->in->wire, w->in->at + a->watch[i].at) &
	    a->watch[i].mask) != a->watch[i].value;
	return w->changed;
}

static __always_inline int
has_changed(const struct interrupt_ahead *a, const struct writing *to)
{
	struct watching w = {a, to};

	bpf_loop(INTERRUPT_WATCHES, compare, &w, 0);
	return w.changed;
}

static __always_inline int
is_full(const struct interrupt_ahead *a, const struct writing *to)
{
	const struct interrupt_wire *w = to->wire;

	return w->records >= a->batch ||
	    w->used + 2 * (w->used - to->at) > INTERRUPT_ROOM ||
	    w->parts + 2 * (w->parts - to->first) > INTERRUPT_PARTS;
}

/* The wire goes to who reads, who are to have given back the next one by the
 * next tick. */
static __always_inline void
pass(struct interrupt_ahead *a)
{
	__u32 turn = a->turn % INTERRUPT_WIRES;

	a->turn = (turn + 1) % INTERRUPT_WIRES;
	a->full[turn] = 1;
}

/* A tick of the clock of the thread.  As with the next one, who reads is woken
 * if what it returns is not 0. */
SEC("perf_event")
int
tach_tick(void *ctx)
{
	struct writing to = {0};
	struct interrupt_ahead *a;
	__u32 zero = 0, turn;

	a = bpf_map_lookup_elem(&ahead, &zero);
	if (a == 0 || a->stopped)
		return 0;
	turn = a->turn % INTERRUPT_WIRES;
	to.wire = bpf_map_lookup_elem(&wires, &turn);
	if (to.wire == 0 || a->full[turn])
		return 0;
	if (!record(&to))
		a->stopped = INTERRUPT_BAD;
	else if (has_changed(a, &to))
		a->stopped = INTERRUPT_CHANGED;
	else if (is_full(a, &to))
		pass(a);
	else
		return 0;
	return 1;
}

/* It leaves its CPU: to who was woken to read, if there is no other one. */
SEC("perf_event")
int
tach_leave(void *ctx)
{
	struct interrupt_ahead *a;
	__u32 zero = 0;

	a = bpf_map_lookup_elem(&ahead, &zero);
	if (a == 0 || a->stopped)
		return 0;
	for (__u32 i = 0; i < INTERRUPT_WIRES; i++) {
		if (a->full[i]) {
			a->away = 1;
			return 0;
		}
	}
	a->stopped = INTERRUPT_LEFT;
	return 1;
}

/* As the kernel's helpers ask for: what is under the ISC license may be used
 * under this one, too. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
