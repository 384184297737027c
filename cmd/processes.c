/* SPDX-License-Identifier: ISC */
/* processes.c: see processes.h. */
#include "processes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "note.h"

#define NESTED_MAX 64 /* merges of merges, so that no file makes a search long */

static int
compare_process_notes(const void *pa, const void *pb)
{
	const struct process_note *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	if (a->last != b->last)
		return a->last < b->last ? 1 : -1;
	return (a->string > b->string) - (a->string < b->string);
}

/* Adds a string if it is the note of a process.  False: out of memory. */
static bool
add_process_note(struct processes *p, const struct tach_table *table, uint32_t string)
{
	struct process_note n = {.string = string}, *list;
	struct tach_string note, rest;

	if (!tach_string_note(tach_table_string(table, string), &note) ||
	    !note_input(note, &n.first, &n.last, &rest))
		return true;
	list = array_grow(p->list, p->count, &p->max, sizeof(*list));
	if (list == NULL)
		return false;
	p->list = list;
	list[p->count++] = n;
	return true;
}

/* Looks at the strings that the table has got since.  False: likewise. */
static bool
read_process_notes(struct processes *p, const struct tach_table *table)
{
	size_t before = p->count;

	for (; p->read < tach_table_string_count(table); p->read++)
		if (!add_process_note(p, table, p->read))
			return false;
	if (p->count > before)
		qsort(p->list, p->count, sizeof(*p->list), compare_process_notes);
	return true;
}

/* The number of notes that begin at an interpreter or before it. */
static size_t
notes_until(const struct processes *p, uint32_t interp)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->list[middle].first <= interp)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The name in a note, behind what else is said of the file. */
static struct tach_string
name_in_note(struct tach_string note)
{
	static const char *const facts[] = {" was=", " start=", " python="};
	uint32_t first, last;
	struct tach_string rest;

	if (!note_input(note, &first, &last, &rest))
		return (struct tach_string){"", 0};
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		size_t n = strlen(facts[i]);
		const char *end;
		if (rest.len <= n || memcmp(rest.bytes, facts[i], n) != 0)
			continue;
		end = memchr(rest.bytes + 1, ' ', rest.len - 1);
		n = end != NULL ? (size_t)(end - rest.bytes) : rest.len;
		rest = note_behind(rest, n);
	}
	return rest.len > 0 ? note_behind(rest, 1) : rest;
}

bool
processes_find(struct processes *p, const struct tach_table *table, uint32_t interp,
    struct merged_process *process)
{
	struct tach_string note;
	size_t end;

	*process = (struct merged_process){{"", 0}, 0};
	if (!read_process_notes(p, table))
		return false;
	end = notes_until(p, interp);
	for (size_t i = end; i > 0 && end - i < NESTED_MAX; i--) {
		const struct process_note *n = &p->list[i - 1];
		if (n->last < interp)
			continue;
		tach_string_note(tach_table_string(table, n->string), &note);
		*process = (struct merged_process){name_in_note(note), n->first};
		break;
	}
	return true;
}

void
processes_clear(struct processes *p)
{
	free(p->list);
	*p = (struct processes){0};
}
