/* SPDX-License-Identifier: ISC */
/* locations.c: see locations.h. */
#include "out/locations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "out/limits.h"

#define LAUNCHER "_sync_coordinator.py"

void
locations_init(struct locations *p, const struct tach_table *table,
    enum location_kind kind, location_text_fn *text)
{
	*p = (struct locations){.table = table, .kind = kind, .text = text};
}

void
locations_clear(struct locations *p)
{
	if (p->text != NULL)
		for (uint32_t i = 0; i < p->count; i++)
			free((char *)(uintptr_t)p->all[i].text.bytes);
	set_clear(&p->set);
	buf_clear(&p->scratch);
	free(p->all);
	free(p->location_of);
	*p = (struct locations){0};
}

/* ---- what makes two frames one location ---------------------------------- */

/* Makes the text of a location, in scratch. */
static void
make_text(struct locations *p, struct location *location)
{
	if (p->text == NULL)
		return;
	p->scratch.len = 0;
	p->text(&p->scratch, location->file, location->func, location->line);
	location->text = (struct tach_string){p->scratch.text, p->scratch.len};
}

static struct location
location_of_frame(struct locations *p, uint32_t index)
{
	const struct tach_frame *f = tach_table_frame(p->table, index);
	struct location location = {
		.file = tach_table_string(p->table, f->file),
		.func = tach_table_string(p->table, f->func),
		.line = f->line == -1 ? 0 : f->line,
		.column = p->kind == LOCATION_POSITIONS ? f->column : -1,
	};

	location.kind = kind_of_frame(location.file, location.func, location.line);
	make_text(p, &location);
	return location;
}

static bool
string_equal(struct tach_string a, struct tach_string b)
{
	return a.len == b.len &&
	    (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
}

int
string_order(struct tach_string a, struct tach_string b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n > 0 && a.bytes != b.bytes ? memcmp(a.bytes, b.bytes, n) :
						  0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

struct location_key {
	const struct locations *p;
	struct location location;
};

static bool
location_equal(const void *arg, uint32_t index)
{
	const struct location_key *k = arg;
	const struct location *a = &k->location, *b = &k->p->all[index];

	if (k->p->kind == LOCATION_TEXTS)
		return string_equal(a->text, b->text);
	return string_equal(a->func, b->func) &&
	    string_equal(a->file, b->file) &&
	    (k->p->kind == LOCATION_FUNCTIONS ||
		(a->line == b->line && a->column == b->column));
}

static uint64_t
location_hash(const struct location *location, enum location_kind kind)
{
	uint64_t hash;

	if (kind == LOCATION_TEXTS)
		return hash_of(location->text.bytes, location->text.len, 0);
	hash = hash_of(location->file.bytes, location->file.len, 0);
	hash = hash_of(location->func.bytes, location->func.len, hash);
	if (kind == LOCATION_FUNCTIONS)
		return hash;
	return hash_of((int32_t[]){location->line, location->column},
	    2 * sizeof(int32_t), hash);
}

bool
locations_of_python(const struct locations *p, const struct tach_meta *meta)
{
	uint32_t i = 0;

	while (i < p->count && p->all[i].kind != KIND_SOURCE)
		i++;
	return meta->python[0] != 0 || i < p->count;
}

/* ---- finding ------------------------------------------------------------- */

/* Copies the text from scratch: it becomes the location's own. */
static bool
own_text(struct locations *p, struct location *location)
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
	location->text.bytes = copy;
	p->size += p->scratch.len;
	return true;
}

static uint32_t
add_location(struct locations *p, struct location *location, uint64_t hash)
{
	struct location *all = array_grow(p->all, p->count, &p->max,
	    sizeof(*all));

	if (all == NULL || p->count >= LOCATION_HIDDEN)
		return TACH_NONE;
	p->all = all;
	if (!own_text(p, location) || !set_add(&p->set, hash, p->count)) {
		if (p->text != NULL &&
		    location->text.bytes != p->scratch.text)
			free((char *)(uintptr_t)location->text.bytes);
		return TACH_NONE;
	}
	all[p->count] = *location;
	return p->count++;
}

/* The line of a function or a text is the smallest that was seen. */
static void
lower_line(struct location *known, const struct location *location)
{
	if (location->kind == KIND_SOURCE)
		known->kind = KIND_SOURCE;
	if (location->line > 0 &&
	    (known->line <= 0 || location->line < known->line))
		known->line = location->line;
}

static bool
hidden(struct tach_string file)
{
	size_t n = sizeof(LAUNCHER) - 1;

	return file.len >= n &&
	    memcmp(file.bytes + file.len - n, LAUNCHER, n) == 0;
}

/* The location that is equal to one, which is added if there is none. */
static uint32_t
find_or_add(struct locations *p, struct location_key *key)
{
	uint64_t hash = location_hash(&key->location, p->kind);
	uint32_t found = set_find(&p->set, hash, location_equal, key);

	if (found == TACH_NONE)
		return add_location(p, &key->location, hash);
	lower_line(&p->all[found], &key->location);
	return found;
}

/* The location of a new frame. */
static uint32_t
find_new(struct locations *p, uint32_t frame)
{
	struct location_key key = {p, location_of_frame(p, frame)};

	return hidden(key.location.file) ? LOCATION_HIDDEN :
					   find_or_add(p, &key);
}

uint32_t
locations_add_name(struct locations *p, const char *name)
{
	struct location_key key = {p, {.file = {NO_FILE, 1},
	    .func = {name, strlen(name)}, .column = -1, .kind = KIND_MARK}};

	make_text(p, &key.location);
	return find_or_add(p, &key);
}

/* Makes room for the locations of all frames in the table.  The table of a text has one
 * more at each new frame. */
static bool
reserve_known_frames(struct locations *p)
{
	uint32_t n = tach_table_frame_count(p->table), *all;

	if (p->nframes <= UINT32_MAX / 2 && n < p->nframes * 2)
		n = p->nframes * 2;
	if ((all = reallocarray(p->location_of, n, sizeof(*all))) == NULL)
		return false;
	p->location_of = all;
	while (p->nframes < n)
		all[p->nframes++] = TACH_NONE;
	return true;
}

uint32_t
locations_find(struct locations *p, uint32_t frame)
{
	if (frame >= p->nframes && !reserve_known_frames(p))
		return TACH_NONE;
	if (p->location_of[frame] == TACH_NONE)
		p->location_of[frame] = find_new(p, frame);
	return p->location_of[frame];
}
