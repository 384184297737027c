/* SPDX-License-Identifier: ISC */
/* self.c: see self.h. */
#include "agent/self.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/real.h"

#define PAGE UINT64_C(4096) /* no machine has smaller ones */
#define ADDR_BITS 48
#define KNOWN 4096 /* pages that are remembered */
#define EPOCH_SHIFT 22 /* 4 ms */
#define EPOCH_BITS 28
#define READ_MAX (UINT64_C(1) << 24)

/* Pages that can be read: in each word a page's number, above the epoch in
 * which the answer holds. */
static _Atomic uint64_t known[KNOWN];

static _Atomic uint64_t changes;   /* calls of munmap that are over */
static _Atomic uint32_t changing; /* calls of munmap that are under way */

/* Counts the calls by which Python's own allocator gives memory back. */
WRAPPER int
munmap(void *addr, size_t size)
{
	int result;

	atomic_fetch_add(&changing, 1);
	result = REAL(munmap)(addr, size);
	atomic_fetch_add(&changes, 1);
	atomic_fetch_sub(&changing, 1);
	return result;
}

/* Asks the kernel whether a page can be read.  The kernel reads the new mask
 * from there before it refuses the first argument, and changes nothing. */
static bool
ask(uint64_t page)
{
	return syscall(SYS_rt_sigprocmask, ~0, page * PAGE, NULL,
		   (size_t)_NSIG / 8) != 0 && errno != EFAULT;
}

static bool
page_readable(uint64_t page, uint64_t epoch)
{
	_Atomic uint64_t *k = &known[(page ^ page >> 12) % KNOWN];
	uint64_t want = page << EPOCH_BITS | epoch;

	bool lasts = atomic_load_explicit(&changing, memory_order_relaxed) == 0;

	if (lasts && atomic_load_explicit(k, memory_order_relaxed) == want)
		return true;
	if (!ask(page))
		return false;
	if (lasts)
		atomic_store_explicit(k, want, memory_order_relaxed);
	return true;
}

size_t
self_view_extent(const struct self_view *s, uint64_t addr, size_t size)
{
	uint64_t end = addr;

	if (addr < PAGE || addr >> ADDR_BITS != 0)
		return 0;
	while (end < addr + size && page_readable(end / PAGE, s->epoch))
		end = (end / PAGE + 1) * PAGE;
	return end < addr + size ? (size_t)(end - addr) : size;
}

static bool
fill(struct py_view *v, uint64_t addr, size_t size)
{
	struct self_view *s = (struct self_view *)v;
	uint64_t first = addr / PAGE, last = (addr + size - 1) / PAGE;
	unsigned n = s->next;

	if (size == 0 || size > READ_MAX || addr < PAGE ||
	    addr >> ADDR_BITS != 0)
		return false;
	for (uint64_t page = first; page <= last; page++)
		if (!page_readable(page, s->epoch))
			return false;
	s->spans[n] = (struct py_span){first * PAGE, (last - first + 1) * PAGE,
	    (const uint8_t *)(uintptr_t)(first * PAGE)};
	if (v->count <= n)
		v->count = n + 1;
	v->hint = n;
	s->next = (n + 1) % SELF_SPANS;
	return true;
}

void
self_view_begin(struct self_view *s, uint64_t time)
{
	uint64_t epoch = time >> EPOCH_SHIFT;

	epoch += atomic_load_explicit(&changes, memory_order_relaxed);
	/* The heap's end: the C library lowers it without the wrapper. */
	epoch += (uintptr_t)sbrk(0) / PAGE;
	s->view = (struct py_view){.memory = {view_read}, .spans = s->spans,
	    .fill = fill};
	s->next = 0;
	s->epoch = epoch & ((UINT64_C(1) << EPOCH_BITS) - 1);
}
