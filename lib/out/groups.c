/* SPDX-License-Identifier: ISC */
/* groups.c: see groups.h. */
#include "out/groups.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "note.h"

#define NO_NAME "(no name)"

/* ---- names without their numbers ----------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of the digits at a place of a name. */
static size_t
count_digits(struct tach_string name, size_t at)
{
	size_t end = at;

	while (end < name.len && is_digit(name.bytes[end]))
		end++;
	return end - at;
}

/* The hash of what lies between the numbers. */
static uint64_t
hash_of_name(struct tach_string name)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < name.len;) {
		size_t digits = count_digits(name, i);
		hash = digits > 0 ? hash_of("", 1, hash) :
				    hash_of(name.bytes + i, 1, hash);
		i += digits > 0 ? digits : 1;
	}
	return hash;
}

/* Whether names differ in numbers alone. */
static bool
names_alike(struct tach_string a, struct tach_string b)
{
	size_t i = 0, j = 0;

	while (i < a.len && j < b.len) {
		size_t da = count_digits(a, i), db = count_digits(b, j);
		if ((da > 0) != (db > 0) ||
		    (da == 0 && a.bytes[i] != b.bytes[j]))
			return false;
		i += da > 0 ? da : 1;
		j += db > 0 ? db : 1;
	}
	return i == a.len && j == b.len;
}

/* ---- patterns ------------------------------------------------------------ */

/* Adds what two alike names have in common.  A star of the first one stays. */
static void
add_common(struct buf *b, struct tach_string a, struct tach_string name)
{
	for (size_t i = 0, j = 0; i < a.len && j < name.len;) {
		size_t da = count_digits(a, i), dn = count_digits(name, j);
		size_t n = da > 0 ? da : 1;
		if (n == (dn > 0 ? dn : 1) &&
		    memcmp(a.bytes + i, name.bytes + j, n) == 0)
			buf_add(b, a.bytes + i, n);
		else
			buf_add_char(b, '*');
		i += n;
		j += dn > 0 ? dn : 1;
	}
}

/* False: out of memory. */
static bool
widen_group(struct group *g, struct tach_string name)
{
	struct tach_string now = g->pattern.len > 0 ?
	    (struct tach_string){g->pattern.text, g->pattern.len} : g->first;
	struct buf common = {0};

	if (now.len == name.len && memcmp(now.bytes, name.bytes, name.len) == 0)
		return true;
	add_common(&common, now, name);
	buf_clear(&g->pattern);
	g->pattern = common;
	return !common.failed;
}

/* ---- groups -------------------------------------------------------------- */

struct group_key {
	const struct groups *groups;
	struct tach_string name;
};

static bool
group_equal(const void *arg, uint32_t index)
{
	const struct group_key *k = arg;

	return names_alike(k->groups->list[index].first, k->name);
}

static uint32_t
insert_group(struct groups *g, struct tach_string name, uint64_t hash)
{
	struct group *list = array_grow(g->list, g->count, &g->max,
	    sizeof(*list));

	if (list == NULL)
		return TACH_NONE;
	g->list = list;
	list[g->count] = (struct group){.first = name};
	if (!set_add(&g->set, hash, g->count))
		return TACH_NONE;
	return g->count++;
}

/* The group of a name, which gets wider by it.  TACH_NONE: out of memory. */
static uint32_t
group_of(struct groups *g, struct tach_string name)
{
	struct group_key key = {g, name};
	uint64_t hash = hash_of_name(name);
	uint32_t found = set_find(&g->set, hash, group_equal, &key);

	if (found == TACH_NONE)
		return insert_group(g, name, hash);
	return widen_group(&g->list[found], name) ? found : TACH_NONE;
}

/* Formats have no NUL byte in a name. */
static struct tach_string
cut_name(struct tach_string name)
{
	return (struct tach_string){name.bytes, strnlen(name.bytes, name.len)};
}

/* Takes all names that the table has by now, so that a group has its pattern before
 * its first thread is met. */
static bool
take_thread_names(struct groups *g, const struct tach_table *table)
{
	uint32_t n = tach_table_string_count(table), interp;
	struct tach_string note, name;
	uint64_t thread;

	for (; g->nstrings < n; g->nstrings++)
		if (tach_string_note(tach_table_string(table, g->nstrings),
			&note) && note_thread(note, &interp, &thread, &name) &&
		    group_of(g, cut_name(name)) == TACH_NONE)
			return false;
	return true;
}

uint32_t
groups_find(struct groups *g, const struct tach_table *table, uint32_t interp,
    uint64_t thread)
{
	struct tach_string name = {"", 0};

	if (!take_thread_names(g, table))
		return TACH_NONE;
	if (tach_table_thread_name(table, interp, thread, &name))
		name = cut_name(name);
	return group_of(g, name);
}

struct tach_string
groups_name(const struct groups *g, uint32_t group)
{
	const struct group *p = &g->list[group];

	if (p->first.len == 0)
		return (struct tach_string){NO_NAME, sizeof(NO_NAME) - 1};
	return p->pattern.len > 0 ?
	    (struct tach_string){p->pattern.text, p->pattern.len} : p->first;
}

void
groups_clear(struct groups *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		buf_clear(&g->list[i].pattern);
	free(g->list);
	set_clear(&g->set);
	*g = (struct groups){0};
}
