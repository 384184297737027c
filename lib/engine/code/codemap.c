/* SPDX-License-Identifier: ISC */
/* codemap.c: see codemap.h. */
#include "engine/code/codemap.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "tach.h"

#define HOMES_MAX 4096 /* used by a generation: at more, the next one begins */
#define FEW 16 /* new homes, sorted in one by one; more are sorted at once */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Forgets the homes from the n-th on, and all indices of homes. */
static void
forget_from(struct codemap *m, size_t n)
{
	for (size_t i = n; i < m->count; i++)
		code_free(&m->homes[i].code);
	m->count = n;
	m->sorted = 0;
	set_clear(&m->set);
	memset(m->recent, 0, sizeof(m->recent));
}

/* Moves the homes that the generation has used to the front, in their order.
 * Returns how many these are. */
static size_t
sort_out(struct codemap *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct code_home home = m->homes[i];
		if (home.used != m->generation)
			continue;
		m->homes[i] = m->homes[n];
		m->homes[n++] = home;
	}
	return n;
}

static bool
index_home(struct codemap *m, size_t home)
{
	uint64_t addr = m->homes[home].code.addr;

	return set_add(&m->set, hash_of(&addr, sizeof(addr), 0),
	    (uint32_t)home);
}

/* Forgets the homes that the generation has not used; all if out of memory. */
static void
forget_unused(struct codemap *m)
{
	forget_from(m, sort_out(m));
	for (size_t i = 0; i < m->count; i++)
		if (!index_home(m, i)) {
			forget_from(m, 0);
			return;
		}
}

/* A forgotten code object may be another one when its address is seen again, and
 * nothing would tell.  Therefore all count as replaced.  So all frames of each
 * thread's next chain are looked up, too, and the code objects that run for long
 * are of the new generation. */
void
codemap_trim(struct codemap *m, size_t depth)
{
	if (m->young <= HOMES_MAX || m->young / 4 <= depth)
		return;
	forget_unused(m);
	m->generation++;
	m->young = 0;
	m->replaced++;
}

void
codemap_free(struct codemap *m)
{
	forget_from(m, 0);
	free(m->by_addr);
	free(m->homes);
}

/* ---- by address -------------------------------------------------------- */

struct home_key {
	const struct codemap *map;
	uint64_t addr;
};

static bool
home_equal(const void *arg, uint32_t index)
{
	const struct home_key *k = arg;

	return k->map->homes[index].code.addr == k->addr;
}

/* The slot of an address in ->recent. */
static size_t
recent_slot(uint64_t addr)
{
	return (addr * FACTOR >> 32) % CODEMAP_RECENT;
}

struct code_home *
codemap_find(const struct codemap *m, uint64_t addr)
{
	const struct home_place *recent = &m->recent[recent_slot(addr)];
	struct home_key key = {m, addr};
	uint32_t found;

	if (recent->addr == addr && addr != 0)
		return &m->homes[recent->home];
	found = set_find(&m->set, hash_of(&addr, sizeof(addr), 0), home_equal,
	    &key);
	return found != TACH_NONE ? &m->homes[found] : NULL;
}

/* Notes that the generation uses a home. */
static struct code_home *
use_home(struct codemap *m, struct code_home *h)
{
	m->young += h->used != m->generation;
	h->used = m->generation;
	return h;
}

struct code_home *
codemap_add(struct codemap *m, uint64_t addr)
{
	struct code_home *found = codemap_find(m, addr), *p;

	if (found != NULL) {
		m->recent[recent_slot(addr)] = (struct home_place){addr,
		    (uint32_t)(found - m->homes)};
		return use_home(m, found);
	}
	p = array_grow(m->homes, m->count, &m->max, sizeof(*p));
	if (p == NULL)
		return NULL;
	m->homes = p;
	p[m->count] = (struct code_home){.code.addr = addr,
	    .used = m->generation};
	if (!index_home(m, m->count))
		return NULL;
	m->young++;
	return &p[m->count++];
}

/* ---- by instruction ---------------------------------------------------- */

static int
compare_places(const void *a, const void *b)
{
	const struct home_place *p = a, *q = b;

	return (p->addr > q->addr) - (p->addr < q->addr);
}

/* Moves the last of n homes to its place in the order. */
static void
sift_home(struct home_place *p, size_t n)
{
	struct home_place last = p[n - 1];
	size_t i = n - 1;

	for (; i > 0 && p[i - 1].addr > last.addr; i--)
		p[i] = p[i - 1];
	p[i] = last;
}

/* Sorts the homes by address, if there are new homes; most often these are few.
 * False if out of memory. */
static bool
sort_homes(struct codemap *m)
{
	bool few = m->count - m->sorted <= FEW;
	struct home_place *p = m->by_addr;

	if (m->sorted == m->count)
		return true;
	while (m->sorted < m->count) {
		size_t home = m->sorted;
		p = array_grow(p, home, &m->by_addr_max, sizeof(*p));
		if (p == NULL) {
			m->sorted = 0; /* they may not be in order */
			return false;
		}
		m->by_addr = p;
		p[m->sorted++] = (struct home_place){
		    m->homes[home].code.addr, (uint32_t)home};
		if (few)
			sift_home(p, m->sorted);
	}
	if (!few)
		qsort(p, m->sorted, sizeof(*p), compare_places);
	return true;
}

const struct py_code *
codemap_code_at(struct codemap *m, const struct py_offsets *o, uint64_t instr)
{
	size_t low = 0, high;
	const struct code_home *h;

	if (!sort_homes(m))
		return NULL;
	high = m->sorted;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->by_addr[middle].addr < instr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	h = &m->homes[m->by_addr[low - 1].home];
	return h->known && code_allows(o, &h->code, instr, false) ? &h->code :
								    NULL;
}
