/* SPDX-License-Identifier: ISC */
/*
 * native_frames.c: see native_frames.h.  The notes name no frame by its number, which
 * is another one in a merged profile, but the function by the module's id and the name,
 * as the frame does.
 */
#include "engine/native/native_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"

#define NUMBERS_SIZE 96

void
native_frames_init(struct native_frames *n, struct tach_table *table)
{
	*n = (struct native_frames){.table = table};
}

void
native_frames_free(struct native_frames *n)
{
	free(n->noted);
	free(n->modules);
	*n = (struct native_frames){0};
}

/* Adds a note of numbers and a name. */
static bool
add_named_note(struct native_frames *n, const char *numbers, struct tach_string name)
{
	struct buf b = {0};
	uint32_t note = TACH_NONE;

	buf_add(&b, numbers, strlen(numbers));
	buf_add(&b, name.bytes, name.len);
	buf_add_char(&b, '\0');
	if (!b.failed)
		note = tach_table_add_note(n->table, b.text);
	buf_clear(&b);
	return note != TACH_NONE;
}

static bool
note_its_module(struct native_frames *n, const struct module *m, const char *id)
{
	char numbers[NUMBERS_SIZE + MODULE_ID_SIZE];
	const struct module **p;

	for (size_t i = 0; i < n->nmodules; i++)
		if (n->modules[i] == m)
			return true;
	p = array_grow(n->modules, n->nmodules, &n->modules_max,
	    sizeof(const struct module *));
	if (p == NULL)
		return false;
	n->modules = p;
	p[n->nmodules++] = m;
	snprintf(numbers, sizeof(numbers), "module %" PRIx64 "-%" PRIx64 " %" PRIx64
	    " %" PRIx64 " %s ", m->start, m->end, m->offset, m->bias, id);
	return add_named_note(n, numbers,
	    (struct tach_string){m->path, strlen(m->path)});
}

/* Makes room for a frame and all before it. */
static bool
reserve_noted(struct native_frames *n, uint32_t frame_index)
{
	bool *p = array_reserve(n->noted, &n->max, (size_t)frame_index + 1, sizeof(*p));

	if (p == NULL)
		return false;
	n->noted = p;
	while (n->count <= frame_index)
		p[n->count++] = false;
	return true;
}

bool
native_frames_note(struct native_frames *n, uint32_t frame_index,
    const struct module *m, uint64_t start)
{
	char id[MODULE_ID_SIZE], numbers[NUMBERS_SIZE + MODULE_ID_SIZE];
	const struct tach_frame *f;

	if (frame_index < n->count && n->noted[frame_index])
		return true;
	if (frame_index >= tach_table_frame_count(n->table) ||
	    !reserve_noted(n, frame_index))
		return false;
	n->noted[frame_index] = true;
	module_id(id, m);
	f = tach_table_frame(n->table, frame_index);
	snprintf(numbers, sizeof(numbers), "function %s %" PRIx64 " ", id, start);
	return note_its_module(n, m, id) && add_named_note(n, numbers,
	    tach_table_string(n->table, f->func));
}
