/* SPDX-License-Identifier: ISC */
/*
 * test_stacks: the registers and the stack of C of a thread that runs are those of one
 * moment, in its own code and in the kernel, and of the pages that are there.
 */
#undef NDEBUG
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter.h"
#include "engine/kernel/batch.h"
#include "engine/kernel/bpf_load.h"
#include "engine/kernel/standing.h"
#include "engine/os/os.h"

#ifdef __x86_64__

#define READS 300
#define RECORDS 300
#define INTERVAL (200 * NS_PER_US)
#define BATCH 100
#define PAGE 4096
#define PAGES 16 /* of the stack */

/* DWARF's numbers. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15 };

#define PLANTED(n) (UINT64_C(0x1122334455667700) + (n))

#define STEP (2 * PAGE)

/* How a thread counts: in words from `low` on, STEP apart, so that the page between two of
 * them is never touched. */
struct counting {
	uint64_t low;
	uint64_t words; /* 2 at most */
	uint64_t calls; /* each time it makes this system call; 0: none */
};

static struct counting counting;
static uint8_t *stack; /* at the same address in both processes */

/* Counts in rbx, then in the words, with known values in other registers. */
static void
count_on_stack(void)
{
	uint64_t calls = counting.calls;
	uint64_t second = counting.low + (counting.words - 1) * STEP;

	counter_link_frames(); /* so that their pages are there */
	__asm__ volatile(
	    "mov %[low], %%rsp\n\t"
	    "mov %[second], %%r12\n\t"
	    "mov %[calls], %%r8\n\t"
	    "mov %[ready], %%r9\n\t"
	    "movabs $0x112233445566770d, %%r13\n\t"
	    "movabs $0x112233445566770e, %%r14\n\t"
	    "movabs $0x112233445566770f, %%r15\n\t"
	    "movabs $0x1122334455667706, %%rbp\n\t"
	    "xor %%ebx, %%ebx\n"
	    "1: inc %%rbx\n\t"
	    "mov %%rbx, (%%r12)\n\t"
	    "mov %%rbx, (%%rsp)\n\t"
	    "mov %%rbx, -120(%%rsp)\n\t"
	    "movl $1, (%%r9)\n\t"
	    "test %%r8, %%r8\n\t"
	    "jz 1b\n\t"
	    "mov %%r8, %%rax\n\t"
	    "syscall\n\t"
	    "jmp 1b"
	    :
	    : [low] "r"(counting.low), [second] "r"(second), [calls] "r"(calls),
	    [ready] "r"(&counter->ready)
	    : "r8", "r9", "r12", "r13", "r14", "r15", "rbx", "memory");
}

static uint64_t
word_of(const uint8_t *bytes, uint64_t at)
{
	uint64_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

/* A word is the count, or was not counted yet. */
static void
check_word(const uint8_t *bytes, uint64_t at, uint64_t count)
{
	uint64_t word = word_of(bytes, at);

	assert(word == count || word + 1 == count);
}

static void
check_registers(const struct task_registers *r)
{
	assert(r->count == 16 && r->value[RSP] == counting.low);
	assert(r->value[RBP] == PLANTED(6) && r->value[R13] == PLANTED(13) &&
	    r->value[R14] == PLANTED(14) && r->value[R15] == PLANTED(15));
	assert(r->value[R8] == counting.calls);
}

/* Fails unless the registers and the stack of a copy are those of one moment.  end: the
 * address at which the copy has to end. */
static void
check_stack(const struct snapshot *s, const struct task_registers *r, uint64_t end)
{
	const struct range *last = &s->ranges[s->count - 1];
	const uint8_t *bytes = s->bytes + s->size - last->size;
	uint64_t count = r->value[RBX];

	check_registers(r);
	assert(last->addr == counting.low - INTERRUPT_BELOW &&
	    last->addr + last->size == end);
	check_word(bytes, INTERRUPT_BELOW - 120, count);
	check_word(bytes, INTERRUPT_BELOW, count);
	if (counting.words == 1)
		return;
	check_word(bytes, INTERRUPT_BELOW + STEP, count);
	assert(word_of(bytes, INTERRUPT_BELOW) <=
	    word_of(bytes, INTERRUPT_BELOW + STEP));
	assert(word_of(bytes, INTERRUPT_BELOW + PAGE) == 0);
}

static struct interrupt_way
way_to(uint64_t end)
{
	struct interrupt_way way = counter_way;

	way.stack = 1;
	way.stack_end = end;
	return way;
}

static void
check_reads(struct interrupts *in, const struct process *p, uint64_t told, uint64_t end)
{
	struct interrupt_way way = way_to(told);
	struct snapshot s = {0};
	struct task_registers r;
	uint64_t rest;
	int cpu = process_thread_cpu(p, p->pid);

	for (int n = 0; n < READS;) {
		counter_ask(&s);
		if (interrupts_read(in, p->pid, cpu, &s, &way, &rest) !=
		    INTERRUPT_OK) {
			cpu = process_thread_cpu(p, p->pid);
			usleep(100);
			continue;
		}
		assert(interrupts_registers(in, &r));
		check_stack(&s, &r, end);
		n++;
	}
	snapshot_free(&s);
}

/* Takes the records that there are.  Returns how many that were. */
static int
check_some(struct batch *b, struct snapshot *s, uint64_t end)
{
	struct task_registers r;
	uint64_t time;
	int n = 0;

	for (; batch_next(b, &time); n++) {
		counter_ask(s);
		assert(batch_take(b, s) == INTERRUPT_OK && batch_registers(b, &r));
		check_stack(s, &r, end);
	}
	return n;
}

static void
check_records(struct interrupts *in, const struct process *p, uint64_t told, uint64_t end)
{
	struct snapshot s = {0};
	struct batch_ask ask = {.task = p->pid, .first = &s, .way = way_to(told)};
	struct interrupt_gil none = {0};
	struct pollfd fd = {.events = POLLIN};
	struct batch b;
	int n = 0;

	batch_init(&b, in);
	while (n < RECORDS) {
		counter_ask(&s);
		assert(batch_prepare(&b, INTERVAL) && batch_ask(&b, &ask) &&
		    batch_begin(&b, &none, 0, BATCH));
		fd.fd = batch_fd(&b, 0);
		while (b.on && n < RECORDS) {
			poll(&fd, 1, 100);
			n += check_some(&b, &s, end);
		}
		batch_cancel(&b);
	}
	batch_free(&b);
	snapshot_free(&s);
}

/* told: the end that the kernel is told of; end: the one that the copies have. */
static void
check_at(struct interrupts *in, struct counting what, uint64_t told, uint64_t end)
{
	struct process p;

	counting = what;
	counter_start(&p, count_on_stack);
	check_reads(in, &p, told, end);
	check_records(in, &p, told, end);
	counter_stop(&p);
}

/* Pages behind which no memory is. */
static void
make_stack(void)
{
	uint8_t *p = mmap(NULL, 2 * PAGES * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert(p != MAP_FAILED &&
	    mprotect(p + PAGES * PAGE, PAGES * PAGE, PROT_NONE) == 0);
	stack = p;
}

static void
test_stacks(struct interrupts *in)
{
	uint64_t low = (uint64_t)(uintptr_t)stack + PAGE + 520;
	uint64_t end = (uint64_t)(uintptr_t)stack + PAGES * PAGE;

	/* As far as is wanted, with a page in between that was never touched. */
	check_at(in, (struct counting){low, 2, 0}, low + STEP + 72, low + STEP + 72);
	check_at(in, (struct counting){low, 2, SYS_getpid}, low + STEP + 72, low + STEP + 72);
	/* Up to the last page that is there: the end is not known, is that of another
	 * stack, or is too far. */
	check_at(in, (struct counting){low, 2, 0}, 0, low - 520 + STEP + PAGE);
	check_at(in, (struct counting){low, 2, SYS_getpid}, low - PAGE, low - 520 + STEP + PAGE);
	check_at(in, (struct counting){low, 2, SYS_getpid}, UINT64_MAX, low - 520 + STEP + PAGE);
	/* In the last page. */
	check_at(in, (struct counting){end - 64, 1, SYS_getpid}, 0, end);
	check_at(in, (struct counting){end - 64, 1, 0}, end + PAGE, end);
}

/* There are no registers and no stack unless they are asked for. */
static void
test_without(struct interrupts *in)
{
	struct snapshot s = {0};
	struct task_registers r;
	struct process p;
	uint64_t rest;
	enum interrupt_result got;

	counting = (struct counting){(uint64_t)(uintptr_t)stack + PAGE + 520, 1, 0};
	counter_start(&p, count_on_stack);
	do {
		counter_ask(&s);
		got = interrupts_read(in, p.pid, process_thread_cpu(&p, p.pid), &s,
		    &counter_way, &rest);
	} while (got != INTERRUPT_OK);
	assert(!interrupts_registers(in, &r));
	assert(s.count == 2 + COUNTER_FRAMES);
	counter_stop(&p);
	snapshot_free(&s);
}

/* A thread without a CPU has its registers, one with a CPU and one that has ended have
 * none. */
static void
test_standing(void)
{
	struct task_registers r;
	struct process p;

	if (!standing_hold()) {
		puts("not tried: threads without a CPU need the first PID namespace "
		    "and Linux 6.2");
		return;
	}
	counting = (struct counting){(uint64_t)(uintptr_t)stack + PAGE + 520, 1,
	    SYS_pause};
	counter_start(&p, count_on_stack);
	for (int n = 0; n < READS; n++) {
		while (!standing_registers(p.pid, &r))
			usleep(100);
		check_registers(&r);
		assert(r.value[RBX] == 1);
	}
	counter_stop(&p);
	assert(!standing_registers(p.pid, &r));
	counting.calls = 0;
	counter_start(&p, count_on_stack);
	while (standing_registers(p.pid, &r))
		check_registers(&r); /* it waits for a CPU */
	counter_stop(&p);
	standing_drop();
	assert(!standing_registers(getpid(), &r));
}

int
main(void)
{
	struct interrupts *in = interrupts_new(NS_PER_MS, INTERRUPTS_STACKS);

	if (!counter_prepare(in))
		return 77;
	if (!in->tells_calls) {
		puts("needs a kernel that describes its types");
		return 77;
	}
	make_stack();
	test_stacks(in);
	test_without(in);
	test_standing();
	interrupts_drop(in);
	return 0;
}

#else

int
main(void)
{
	puts("needs x86-64");
	return 77;
}

#endif
