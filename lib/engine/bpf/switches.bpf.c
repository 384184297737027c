/* SPDX-License-Identifier: ISC */
/*
 * switches.bpf.c: the program that runs in the kernel at each switch of a CPU from one
 * thread to another, for switch_feed.c.  This file is built for BPF.
 *
 * A switch of other processes costs two look-ups: of the process that leaves, and
 * of the thread that comes.  Threads are known by the addresses of their tasks, so that
 * no layout of the kernel's need be known.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "engine/bpf/switch_shared.h"

#define REGISTERS 21 /* words of a thread's registers, on x86-64 */
#define AT_CALL 15   /* in them: the system call, ... */
#define AT_SP 19
#define DEAD 0x80 /* state of a task that ends */
#define PROCESSES 4096
#define THREADS 16384 /* at once */
#define STACKS 8192

/* The PID namespace by which threads are numbered; 0: the first one. */
const volatile __u64 namespace_dev = 0;
const volatile __u64 namespace_ino = 0;

/* By the number of a process. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct switch_process);
} processes SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* The thread state of a thread, by the thread's number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} states SEC(".maps");

/* The stacks that the recorder knows. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, STACKS);
	__type(key, __u64);
	__type(value, __u8);
} stacks SEC(".maps");

/* A thread that has left a CPU before, by the address of its task. */
struct away {
	__u32 process, task;
	__u32 left; /* it has no CPU now */
};

/* Its room is made beforehand: in a switch there may be none to be had. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__type(key, __u64);
	__type(value, struct away);
} tasks SEC(".maps");

/* Room for the record that a CPU makes. */
struct making {
	struct switch_left left;
	struct switch_frame frame[SWITCH_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* as many as CPUs, when it is loaded */
	__type(key, __u32);
	__type(value, struct making);
} room SEC(".maps");

/* ---- a stack ------------------------------------------------------------- */

/* A walk from frame to frame, outwards. */
struct stack_walk {
	struct making *to;
	const struct switch_way *way;
	__u64 next, hash;
	__u32 count, size;
};

static __always_inline __u64
mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* The word at an offset of a frame. */
static __always_inline __u64
word_of(const struct switch_frame *f, __u32 at)
{
	return at <= SWITCH_FRAME_SIZE - sizeof(__u64) ?
	    *(const __u64 *)(f->bytes + at) : 0;
}

static long
step(__u64 i, struct stack_walk *w)
{
	const struct switch_way *way = w->way;
	struct switch_frame *f;
	__u64 frame = w->next;
	__u32 size = w->size;

	if (i >= SWITCH_FRAMES || frame == 0 || size > SWITCH_FRAME_SIZE)
		return 1;
	f = &w->to->frame[i];
	if (bpf_probe_read_user(f->bytes, size, (const void *)frame) != 0)
		return 1;
	f->addr = frame;
	w->hash = mix(w->hash, frame);
	w->hash = mix(w->hash, word_of(f, way->code));
	w->hash = mix(w->hash, word_of(f, way->instr) & way->instr_bits);
	w->next = word_of(f, way->previous);
	w->count++;
	return 0;
}

static __always_inline __u64
read_pointer(__u64 addr)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (const void *)addr);
	return word;
}

/* Copies the frames of the thread that runs here, and writes the stack's number. */
static __always_inline void
take_user_stack(struct making *to, const struct switch_way *way, __u32 process, __u64 state)
{
	struct stack_walk w = {.to = to, .way = way, .hash = process, .size = way->size};

	w.next = read_pointer(state + way->current);
	if (way->cframe && w.next != 0) {
		to->left.cframe = w.next;
		w.next = read_pointer(w.next + way->cframe_current);
	}
	if (w.next == 0)
		return;
	bpf_loop(SWITCH_FRAMES, step, &w, 0);
	if (w.next != 0)
		return;
	to->left.frames = w.count;
	to->left.stack = w.hash != 0 ? w.hash : 1;
}

/* ---- records ------------------------------------------------------------- */

/* Adds a record, of which the recorder is not told: it looks at times. */
static __always_inline void
put(__u32 process, void *record, __u64 size)
{
	void *ring = bpf_map_lookup_elem(&rings, &process);
	struct switch_process *p;

	if (ring == 0 ||
	    bpf_ringbuf_output(ring, record, size, BPF_RB_NO_WAKEUP) == 0)
		return;
	p = bpf_map_lookup_elem(&processes, &process);
	if (p != 0)
		__sync_fetch_and_add(&p->lost, 1);
}

static __always_inline void
note_call(struct switch_left *left)
{
	__u64 r[REGISTERS] = {0};
	__u64 at = bpf_task_pt_regs(bpf_get_current_task_btf());

	left->call = -1;
	if (bpf_probe_read_kernel(r, sizeof(r), (const void *)at) != 0)
		return;
	left->call = r[AT_CALL];
	left->arguments[0] = r[14];
	left->arguments[1] = r[13];
	left->arguments[2] = r[12];
	left->arguments[3] = r[7];
	left->sp = r[AT_SP];
}

/* Whether a stack is new to the recorder. */
static __always_inline int
is_new(__u64 stack)
{
	return stack != 0 && bpf_map_lookup_elem(&stacks, &stack) == 0;
}

/* Records that the thread that runs here leaves its CPU. */
static __always_inline void
record_left(const struct switch_process *p, __u32 process, __u32 task, __u64 state,
    __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct making *to = bpf_map_lookup_elem(&room, &cpu);
	__u64 *thread = bpf_map_lookup_elem(&states, &task);
	__u64 size = sizeof(to->left);

	if (to == 0)
		return;
	to->left.head.kind = SWITCH_LEFT;
	to->left.head.task = task;
	to->left.head.time = now;
	to->left.state = state;
	to->left.stack = to->left.cframe = to->left.frames = 0;
	note_call(&to->left);
	if (thread != 0)
		take_user_stack(to, &p->way, process, *thread);
	if (is_new(to->left.stack) && to->left.frames <= SWITCH_FRAMES)
		size += to->left.frames * sizeof(struct switch_frame);
	else
		to->left.frames = 0;
	if (size <= sizeof(*to))
		put(process, to, size);
}

static __always_inline int
who(__u32 *process, __u32 *task)
{
	struct bpf_pidns_info info;
	__u64 both;

	if (namespace_ino == 0) {
		both = bpf_get_current_pid_tgid();
		*process = both >> 32;
		*task = (__u32)both;
		return 1;
	}
	if (bpf_get_ns_current_pid_tgid(namespace_dev, namespace_ino, &info,
		sizeof(info)) != 0)
		return 0;
	*process = info.tgid;
	*task = info.pid;
	return 1;
}

static __always_inline void
note_away(__u64 addr, __u32 process, __u32 task)
{
	struct away *known = bpf_map_lookup_elem(&tasks, &addr);
	struct away a = {process, task, 1};

	if (known != 0 && known->process == process && known->task == task)
		known->left = 1;
	else
		bpf_map_update_elem(&tasks, &addr, &a, BPF_ANY);
}

static __always_inline void
leave(__u64 addr, __u64 state, __u64 now)
{
	struct switch_process *p;
	__u32 process, task;

	if (!who(&process, &task))
		return;
	p = bpf_map_lookup_elem(&processes, &process);
	if (p == 0)
		return;
	if (state & DEAD) {
		bpf_map_delete_elem(&tasks, &addr);
		bpf_map_delete_elem(&states, &task);
		return;
	}
	note_away(addr, process, task);
	record_left(p, process, task, state, now);
}

static __always_inline void
come(__u64 addr, __u64 now)
{
	struct away *a = bpf_map_lookup_elem(&tasks, &addr);
	struct switch_head head = {.kind = SWITCH_CAME};

	if (a == 0 || !a->left)
		return;
	a->left = 0;
	head.task = a->task;
	head.time = now;
	put(a->process, &head, sizeof(head));
}

/* Its arguments: whether the thread was preempted; the thread that leaves, and the one
 * that comes; the state of the former. */
SEC("raw_tp/sched_switch")
int
tach_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 now = bpf_ktime_get_ns();

	leave(ctx->args[1], ctx->args[0] ? 0 : (__u32)ctx->args[3], now);
	come(ctx->args[2], now);
	return 0;
}

/* See interrupt.bpf.c. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
