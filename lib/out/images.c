/* SPDX-License-Identifier: ISC */
/* images.c: see images.h. */
#include "out/images.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"

/* Images of one path that are looked at for a function: a file of a stranger can have
 * any number. */
#define SAME_PATH_MAX 64

void
images_clear(struct images *m)
{
	free(m->list);
	free(m->functions);
	free(m->sources);
	set_clear(&m->paths);
	set_clear(&m->ids);
	set_clear(&m->source_set);
	set_clear(&m->known);
	set_clear(&m->function_set);
	*m = (struct images){0};
}

/* ---- sets -------------------------------------------------------------- */

struct image_wanted {
	const struct images *images;
	struct tach_string id, text; /* a path or a name */
};

static bool
has_path(const void *arg, uint32_t index)
{
	const struct image_wanted *k = arg;

	return string_order(k->images->list[index].note.path, k->text) == 0;
}

static bool
is_image(const void *arg, uint32_t index)
{
	const struct image_wanted *k = arg;

	return has_path(arg, index) &&
	    string_order(k->images->list[index].note.id, k->id) == 0;
}

static bool
is_image_function(const void *arg, uint32_t index)
{
	const struct image_wanted *k = arg;
	const struct note_function *f = &k->images->functions[index];

	return string_order(f->name, k->text) == 0 && string_order(f->id, k->id) == 0;
}

static bool
has_id(const void *arg, uint32_t index)
{
	const struct image_wanted *k = arg;

	return string_order(k->images->list[index].note.id, k->id) == 0;
}

static bool
has_source(const void *arg, uint32_t index)
{
	const struct image_wanted *k = arg;

	return string_order(k->images->sources[index].path, k->text) == 0;
}

static uint64_t
hash_text(struct tach_string s, uint64_t with)
{
	return hash_of(s.bytes, s.len, with);
}

static uint64_t
hash_both(const struct image_wanted *k)
{
	return hash_text(k->text, hash_text(k->id, 0));
}

/* ---- reading ----------------------------------------------------------- */

/* Puts an image behind those of the same path that came before.  Only the first one's
 * place is known by the set. */
static bool
link_image(struct images *m, const struct image_wanted *key, uint32_t index)
{
	uint64_t hash = hash_text(key->text, 0);
	uint32_t first = set_find(&m->paths, hash, has_path, key);

	m->list[index].next = TACH_NONE;
	if (first == TACH_NONE)
		return set_add(&m->paths, hash, index);
	m->list[index].next = m->list[first].next;
	m->list[first].next = index;
	return true;
}

/* Adds an image; one that is known is at the place that was noted first. */
static bool
add_image(struct images *m, const struct note_module *note)
{
	const struct image_wanted key = {m, note->id, note->path};
	uint64_t hash = hash_both(&key);
	struct image *p;

	if (set_find(&m->known, hash, is_image, &key) != TACH_NONE)
		return true;
	p = array_grow(m->list, m->count, &m->max, sizeof(*p));
	if (p == NULL)
		return false;
	m->list = p;
	p[m->count].note = *note;
	if (!link_image(m, &key, m->count) || !set_add(&m->known, hash, m->count) ||
	    (set_find(&m->ids, hash_text(note->id, 0), has_id, &key) == TACH_NONE &&
		!set_add(&m->ids, hash_text(note->id, 0), m->count)))
		return false;
	m->count++;
	return true;
}

/* Adds a source of the image that has its id, behind the first one of the same path. */
static bool
add_source(struct images *m, const struct note_source *note)
{
	const struct image_wanted key = {m, note->id, note->path};
	uint32_t image = set_find(&m->ids, hash_text(note->id, 0), has_id, &key);
	uint32_t first = set_find(&m->source_set, hash_text(note->path, 0), has_source,
	    &key);
	struct image_source *p;

	if (image == TACH_NONE)
		return true;
	p = array_grow(m->sources, m->nsources, &m->sources_max, sizeof(*p));
	if (p == NULL)
		return false;
	m->sources = p;
	p[m->nsources] = (struct image_source){note->path, image, TACH_NONE};
	if (first == TACH_NONE &&
	    !set_add(&m->source_set, hash_text(note->path, 0), m->nsources))
		return false;
	if (first != TACH_NONE) {
		p[m->nsources].next = p[first].next;
		p[first].next = m->nsources;
	}
	m->nsources++;
	return true;
}

static bool
add_image_function(struct images *m, const struct note_function *f)
{
	const struct image_wanted key = {m, f->id, f->name};
	uint64_t hash = hash_both(&key);
	struct note_function *p;

	if (set_find(&m->function_set, hash, is_image_function, &key) != TACH_NONE)
		return true;
	p = array_grow(m->functions, m->nfunctions, &m->functions_max, sizeof(*p));
	if (p == NULL)
		return false;
	m->functions = p;
	p[m->nfunctions] = *f;
	if (!set_add(&m->function_set, hash, m->nfunctions))
		return false;
	m->nfunctions++;
	return true;
}

/* Reads the sources, once all images are known. */
static bool
read_sources(struct images *m, const struct tach_table *table)
{
	struct note_source source;
	struct tach_string note;

	for (uint32_t i = 0; m->count > 0 && i < tach_table_string_count(table); i++)
		if (tach_string_note(tach_table_string(table, i), &note) &&
		    note_source(note, &source) && !add_source(m, &source))
			return false;
	return true;
}

bool
images_read(struct images *m, const struct tach_table *table)
{
	struct note_function function;
	struct note_module module;
	struct tach_string note;

	for (uint32_t i = 0; i < tach_table_string_count(table); i++) {
		if (!tach_string_note(tach_table_string(table, i), &note))
			continue;
		if (note_module(note, &module) ? !add_image(m, &module) :
		    note_function(note, &function) && !add_image_function(m, &function))
			return false;
	}
	return read_sources(m, table);
}

/* ---- finding ----------------------------------------------------------- */

static bool
has_address(const struct image *m, uint64_t wanted, uint64_t *address)
{
	if (wanted < m->note.start || wanted >= m->note.end)
		return false;
	*address = wanted;
	return true;
}

/* Whether an image has a function; *start: its address, as in the file. */
static bool
has_function(const struct images *m, const struct image *i, struct tach_string name,
    uint64_t *start)
{
	struct image_wanted key = {m, i->note.id, name};
	uint32_t found = set_find(&m->function_set, hash_both(&key), is_image_function,
	    &key);

	if (found != TACH_NONE)
		*start = m->functions[found].start;
	return found != TACH_NONE;
}

/* The image of a path that has a function; NULL if there is none. */
static const struct image *
find_by_path(const struct images *m, const struct location *where, uint64_t *start)
{
	struct image_wanted key = {m, {NULL, 0}, where->file};
	uint32_t at = set_find(&m->paths, hash_text(where->file, 0), has_path, &key);

	for (unsigned n = 0; at != TACH_NONE && n < SAME_PATH_MAX; n++) {
		if (has_function(m, &m->list[at], where->func, start))
			return &m->list[at];
		at = m->list[at].next;
	}
	return NULL;
}

/* The same by the path of its source. */
static const struct image *
find_by_source(const struct images *m, const struct location *where, uint64_t *start)
{
	struct image_wanted key = {m, {NULL, 0}, where->file};
	uint32_t at = set_find(&m->source_set, hash_text(where->file, 0), has_source,
	    &key);

	for (unsigned n = 0; at != TACH_NONE && n < SAME_PATH_MAX; n++) {
		const struct image_source *s = &m->sources[at];
		if (has_function(m, &m->list[s->image], where->func, start))
			return &m->list[s->image];
		at = s->next;
	}
	return NULL;
}

const struct image *
images_find(const struct images *m, const struct location *where, uint64_t *address)
{
	const struct image *i = NULL;
	uint64_t start = 0;

	if (m->count > 0 && location_in_module(where))
		i = find_by_path(m, where, &start);
	else if (m->count > 0 && location_in_c_source(where))
		i = find_by_source(m, where, &start);
	return i != NULL && has_address(i, start + i->note.bias, address) ? i : NULL;
}

bool
images_all(const struct images *m, const struct locations *all)
{
	uint64_t address;

	for (uint32_t i = 0; i < all->count; i++)
		if (!location_in_module(&all->all[i]) &&
		    images_find(m, &all->all[i], &address) == NULL)
			return false;
	return m->count > 0;
}

/* ---- placing ----------------------------------------------------------- */

static int
by_image_start(const void *pa, const void *pb)
{
	const struct image *a = *(struct image *const *)pa;
	const struct image *b = *(struct image *const *)pb;

	if (a->note.start != b->note.start)
		return a->note.start < b->note.start ? -1 : 1;
	return a < b ? -1 : a > b;
}

bool
images_place(struct images *m, uint64_t low, uint64_t high, uint64_t max)
{
	struct image **sorted = reallocarray(NULL, (size_t)m->count + 1,
	    sizeof(struct image *));
	uint64_t end = 0;

	if (sorted == NULL)
		return false;
	for (uint32_t i = 0; i < m->count; i++)
		sorted[i] = &m->list[i];
	qsort(sorted, m->count, sizeof(struct image *), by_image_start);
	for (uint32_t i = 0; i < m->count; i++) {
		const struct note_module *n = &sorted[i]->note;
		sorted[i]->placed = n->start >= end && n->end <= max &&
		    (n->end <= low || n->start >= high);
		if (sorted[i]->placed)
			end = n->end;
	}
	free(sorted);
	return true;
}
