/* SPDX-License-Identifier: ISC */
/* places.c: see places.h. */
#include "out/places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "out/limits.h"

#define LAUNCHER "_sync_coordinator.py"

void
places_init(struct places *p, const struct tach_table *table,
    enum place_kind kind, place_text_fn *text)
{
	*p = (struct places){.table = table, .kind = kind, .text = text};
}

void
places_clear(struct places *p)
{
	if (p->text != NULL)
		for (uint32_t i = 0; i < p->count; i++)
			free((char *)(uintptr_t)p->places[i].text.bytes);
	set_clear(&p->set);
	buf_clear(&p->scratch);
	free(p->places);
	free(p->place_of);
	*p = (struct places){0};
}

/* ---- what makes two frames one place ------------------------------------- */

static struct place
place_of_frame(struct places *p, uint32_t index)
{
	const struct tach_frame *f = tach_table_frame(p->table, index);
	struct place place = {
		.file = tach_table_string(p->table, f->file),
		.func = tach_table_string(p->table, f->func),
		.line = f->line == -1 ? 0 : f->line,
		.column = p->kind == PLACE_POSITIONS ? f->column : -1,
	};

	if (p->text != NULL) {
		p->scratch.len = 0;
		p->text(&p->scratch, place.file, place.func, place.line);
		place.text = (struct tach_string){p->scratch.text,
		    p->scratch.len};
	}
	return place;
}

static bool
string_equal(struct tach_string a, struct tach_string b)
{
	return a.len == b.len &&
	    (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
}

struct place_key {
	const struct places *p;
	struct place place;
};

static bool
place_equal(const void *arg, uint32_t index)
{
	const struct place_key *k = arg;
	const struct place *a = &k->place, *b = &k->p->places[index];

	if (k->p->kind == PLACE_TEXTS)
		return string_equal(a->text, b->text);
	return string_equal(a->func, b->func) &&
	    string_equal(a->file, b->file) &&
	    (k->p->kind == PLACE_FUNCTIONS ||
		(a->line == b->line && a->column == b->column));
}

static uint64_t
place_hash(const struct place *place, enum place_kind kind)
{
	uint64_t hash;

	if (kind == PLACE_TEXTS)
		return hash_of(place->text.bytes, place->text.len, 0);
	hash = hash_of(place->file.bytes, place->file.len, 0);
	hash = hash_of(place->func.bytes, place->func.len, hash);
	if (kind == PLACE_FUNCTIONS)
		return hash;
	return hash_of((int32_t[]){place->line, place->column},
	    2 * sizeof(int32_t), hash);
}

/* ---- finding ------------------------------------------------------------- */

/* A text is written to scratch, and becomes the place's own. */
static bool
own_text(struct places *p, struct place *place)
{
	char *copy;

	if (p->text == NULL)
		return true;
	if (p->scratch.len > LIMIT_TEXTS - p->size) {
		p->failure = LIMIT_TEXT("or too long names");
		return false;
	}
	if (p->scratch.failed || (copy = malloc(p->scratch.len + 1)) == NULL)
		return false;
	if (p->scratch.len > 0)
		memcpy(copy, p->scratch.text, p->scratch.len);
	place->text.bytes = copy;
	p->size += p->scratch.len;
	return true;
}

static uint32_t
add_place(struct places *p, struct place *place, uint64_t hash)
{
	struct place *all = array_grow(p->places, p->count, &p->max,
	    sizeof(*all));

	if (all == NULL || p->count >= PLACE_HIDDEN)
		return TACH_NONE;
	p->places = all;
	if (!own_text(p, place) || !set_add(&p->set, hash, p->count)) {
		if (p->text != NULL &&
		    place->text.bytes != p->scratch.text)
			free((char *)(uintptr_t)place->text.bytes);
		return TACH_NONE;
	}
	all[p->count] = *place;
	return p->count++;
}

/* A function's line is the smallest that was seen, as is a text's. */
static void
lower_line(struct place *known, const struct place *place)
{
	if (place->line > 0 &&
	    (known->line <= 0 || place->line < known->line))
		known->line = place->line;
}

static bool
hidden(struct tach_string file)
{
	size_t n = sizeof(LAUNCHER) - 1;

	return file.len >= n &&
	    memcmp(file.bytes + file.len - n, LAUNCHER, n) == 0;
}

/* The place of a frame that was not seen before. */
static uint32_t
find_new(struct places *p, uint32_t frame)
{
	struct place_key key = {p, place_of_frame(p, frame)};
	uint64_t hash;
	uint32_t found;

	if (hidden(key.place.file))
		return PLACE_HIDDEN;
	hash = place_hash(&key.place, p->kind);
	found = set_find(&p->set, hash, place_equal, &key);
	if (found == TACH_NONE)
		return add_place(p, &key.place, hash);
	lower_line(&p->places[found], &key.place);
	return found;
}

/* Makes room to know the place of every frame that the table has by now. */
static bool
reserve_frames(struct places *p)
{
	uint32_t n = tach_table_frames(p->table);
	uint32_t *all = reallocarray(p->place_of, n, sizeof(*all));

	if (all == NULL)
		return false;
	p->place_of = all;
	while (p->nframes < n)
		all[p->nframes++] = TACH_NONE;
	return true;
}

uint32_t
places_find(struct places *p, uint32_t frame)
{
	if (frame >= p->nframes && !reserve_frames(p))
		return TACH_NONE;
	if (p->place_of[frame] == TACH_NONE)
		p->place_of[frame] = find_new(p, frame);
	return p->place_of[frame];
}
