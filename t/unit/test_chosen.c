/* SPDX-License-Identifier: ISC */
/*
 * test_chosen: tables whose keys a target chooses.  Keys that fall into one
 * place by a hash that everybody can compute must not do so in them.
 */
#include <xxhash.h>

#include "engine/code/codemap.h"
#include "engine/code/edges.h"
#include "engine/threads/threads.h"
#include "profile.h"

#define KEYS 1500
#define SLOTS 2048 /* at least: of a table of so many entries */
#define LONGEST 200 /* slots in a row; by chance there are some fifty */

/* Where set.c begins to look. */
static size_t
start_of(uint64_t hash)
{
	uint32_t tag = (uint32_t)(hash ^ hash >> 32);

	return (tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (2 * SLOTS - 1);
}

static size_t
longest_run(const struct set *s)
{
	size_t n = 0, longest = 0;

	for (size_t i = 0; i <= s->mask; i++) {
		n = s->slots[i].index != 0 ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static void
check_set(const struct set *s)
{
	check_number(s->count, KEYS);
	check(s->mask + 1 >= SLOTS);
	check(longest_run(s) < LONGEST);
}

/* Goes on with a word of a key until that falls into the first place. */
static void
choose(uint64_t *word, const void *key, size_t size)
{
	do
		*word += 16;
	while (start_of(XXH3_64bits(key, size)) != 0);
}

static void
test_addresses(void)
{
	struct codemap m = {0};
	struct thread_names names = {0};
	uint64_t addr = 0;

	for (int i = 0; i < KEYS; i++) {
		choose(&addr, &addr, sizeof(addr));
		check(codemap_add(&m, addr) != NULL);
		check(thread_names_add(&names, 0, addr) == (uint32_t)i);
	}
	check_set(&m.set);
	check_set(&names.set);
	codemap_free(&m);
	thread_names_free(&names);
}

static void
test_calls(void)
{
	struct edges k = {0};
	struct edge call = {.callee = 1};

	for (int i = 0; i < KEYS; i++) {
		choose(&call.instr, &call, offsetof(struct edge, line));
		check(edges_add(&k, call));
	}
	check_set(&k.young.by_place);
	edges_free(&k);
}

int
main(void)
{
	test_addresses();
	test_calls();
	return failures != 0;
}
