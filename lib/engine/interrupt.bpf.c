/* SPDX-License-Identifier: ISC */
/*
 * interrupt.bpf.c: what runs in the kernel for interrupt.c, on the CPU of the
 * thread that it interrupts, and copies the state and the frames of that: see
 * there.  It is built for BPF.
 *
 * What changes from frame to frame is kept in the shared memory: of what is
 * there the kernel assumes nothing, so it need not follow each step to see that
 * all of them are safe.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "engine/interruptwire.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct interrupt_wire);
} wire SEC(".maps");

/* False: it is not there, or there is no room. */
static __always_inline int
copy(struct interrupt_wire *w, __u64 addr, __u64 size)
{
	__u32 at = w->used;

	if (at >= INTERRUPT_ROOM || size >= INTERRUPT_PIECE ||
	    bpf_probe_read_user(w->bytes + at, (__u32)size,
		(const void *)addr) != 0)
		return 0;
	w->used = at + size;
	return 1;
}

/* Copies a part of memory that frames lie in. */
static __always_inline int
copy_part(struct interrupt_wire *w, __u64 addr, __u64 size)
{
	__u32 n = w->parts;

	if (n >= INTERRUPT_PARTS)
		return 0;
	w->part[n].addr = addr;
	w->part[n].size = size;
	w->part_at = w->used;
	w->parts = n + 1;
	return copy(w, addr, size);
}

/* The address that was copied to there. */
static __always_inline __u64
load(const struct interrupt_wire *w, __u64 at)
{
	return at < INTERRUPT_ROOM ? *(const __u64 *)(w->bytes + at) : 0;
}

/* Copies the frame that is next, if the last part does not have it, and goes to
 * its caller. */
static long
step(__u32 i, struct interrupt_wire **shared)
{
	struct interrupt_wire *w = *shared;
	__u64 frame = w->frame, size = w->way.frame_size;
	__u64 block = frame & ~((__u64)w->way.block - 1);
	__u32 n = w->parts - 1;

	if (frame == 0)
		return 1;
	/* No part is smaller than a frame, but for a cframe. */
	if (n >= INTERRUPT_PARTS || w->part[n].size < size ||
	    frame - w->part[n].addr > w->part[n].size - size) {
		if (!copy_part(w, block, frame - block + size))
			return 1;
		n++;
	}
	if (n >= INTERRUPT_PARTS)
		return 1;
	w->frame = load(w, w->part_at + (frame - w->part[n].addr) +
		w->way.frame_previous);
	return 0;
}

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
	struct interrupt_wire *w;
	__u32 zero = 0;

	w = bpf_map_lookup_elem(&wire, &zero);
	if (w == 0)
		return INTERRUPT_FAILED;
	if (!is_wanted(w))
		return INTERRUPT_ELSEWHERE;
	w->used = w->parts = 0;
	for (__u32 i = 0; i < INTERRUPT_RANGES && i < w->ranges; i++)
		if (!copy(w, w->range[i].addr, w->range[i].size))
			return INTERRUPT_FAILED;
	w->frame = load(w, w->current);
	if (w->way.cframe_size != 0 && w->frame != 0) {
		if (!copy_part(w, w->frame, w->way.cframe_size))
			return INTERRUPT_FAILED;
		w->frame = load(w, w->part_at + w->way.cframe_current);
	}
	bpf_loop(INTERRUPT_FRAMES, step, &w, 0);
	return w->frame == 0 ? INTERRUPT_OK : INTERRUPT_FAILED;
}

/* As the kernel's helpers ask for: what is under the ISC license may be used
 * under this one, too. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
