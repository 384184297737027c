/* SPDX-License-Identifier: ISC */
/* table.c: strings and frames, interned once; see tach.h. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "hash.h"
#include "note.h"
#include "set.h"

#define BLOCK_SIZE 65536 /* bytes of string text allocated at once */

/* String text is never moved, so that a tach_string stays valid. */
struct block {
	struct block *next;
	char bytes[];
};

/* What a note says of a thread. */
struct thread_note {
	uint64_t thread;
	uint32_t interp;
	uint32_t note; /* a string */
};

/* And of an interpreter. */
struct interval_note {
	uint32_t interp;
	uint64_t us;
};

/* What a note says of an interpreter, and of those above it up to the next note. */
struct range_note {
	uint32_t first;
	uint64_t value;
};

/* Notes of one kind, ascending. */
struct range_notes {
	struct range_note *list;
	size_t count, max;
};

struct tach_table {
	struct tach_string *strings;
	struct tach_frame *frames;
	uint32_t nstrings, nframes;
	size_t strings_max, frames_max;
	struct set string_set, frame_set;
	/* One of each thread, the last. */
	struct thread_note *threads;
	size_t nthreads, threads_max;
	struct set thread_set;
	/* Likewise. */
	struct interval_note *intervals;
	size_t nintervals, intervals_max;
	struct set interval_set;
	struct range_notes processes, times;
	bool switches;
	struct block *blocks;
	size_t room; /* bytes left in the newest block */
	uint64_t kept; /* bytes of text in all blocks */
	char *next;
};

struct tach_table *
tach_table_new(void)
{
	return calloc(1, sizeof(struct tach_table));
}

void
table_clear(struct tach_table *t)
{
	while (t->blocks != NULL) {
		struct block *next = t->blocks->next;
		free(t->blocks);
		t->blocks = next;
	}
	set_clear(&t->string_set);
	set_clear(&t->frame_set);
	set_clear(&t->thread_set);
	set_clear(&t->interval_set);
	free(t->threads);
	free(t->intervals);
	free(t->processes.list);
	free(t->times.list);
	free(t->strings);
	free(t->frames);
	*t = (struct tach_table){0};
}

uint64_t
table_kept(const struct tach_table *t)
{
	return t->kept;
}

void
tach_table_free(struct tach_table *t)
{
	if (t == NULL)
		return;
	table_clear(t);
	free(t);
}

static bool
new_block(struct tach_table *t, size_t len)
{
	size_t size = len > BLOCK_SIZE ? len : BLOCK_SIZE;
	struct block *b = malloc(sizeof(*b) + size);

	if (b == NULL)
		return false;
	b->next = t->blocks;
	t->blocks = b;
	t->next = b->bytes;
	t->room = size;
	return true;
}

static const char *
keep_text(struct tach_table *t, const char *bytes, size_t len)
{
	char *copy;

	if (len == 0)
		return "";
	if (len > t->room && !new_block(t, len))
		return NULL;
	copy = memcpy(t->next, bytes, len);
	t->next += len;
	t->room -= len;
	t->kept += len;
	return copy;
}

/* ---- threads ------------------------------------------------------------- */

/* The note of a thread that a string is.  False: it is another string. */
static bool
parse_thread(struct tach_string s, struct thread_note *n,
    struct tach_string *name)
{
	return tach_string_note(s, name) &&
	    note_thread(*name, &n->interp, &n->thread, name);
}

struct thread_key {
	const struct tach_table *table;
	uint64_t thread;
	uint32_t interp;
};

static bool
note_equal(const void *arg, uint32_t index)
{
	const struct thread_key *k = arg;
	const struct thread_note *n = &k->table->threads[index];

	return n->thread == k->thread && n->interp == k->interp;
}

static uint32_t
find_note(const struct tach_table *t, uint32_t interp, uint64_t thread,
    uint64_t *hash)
{
	struct thread_key key = {t, thread, interp};

	*hash = hash_of(&thread, sizeof(thread), interp);
	return set_find(&t->thread_set, *hash, note_equal, &key);
}

/* Keeps what a new string tells of a thread.  False: out of memory. */
static bool
learn_thread(struct tach_table *t, uint32_t index)
{
	struct thread_note n = {.note = index}, *p;
	struct tach_string name;
	uint64_t hash;
	uint32_t found;

	if (!parse_thread(t->strings[index], &n, &name))
		return true;
	found = find_note(t, n.interp, n.thread, &hash);
	if (found != TACH_NONE) {
		t->threads[found].note = index;
		return true;
	}
	p = array_grow(t->threads, t->nthreads, &t->threads_max, sizeof(*p));
	if (p == NULL)
		return false;
	t->threads = p;
	if (!set_add(&t->thread_set, hash, (uint32_t)t->nthreads))
		return false;
	p[t->nthreads++] = n;
	return true;
}

bool
tach_table_thread_name(const struct tach_table *t, uint32_t interp,
    uint64_t thread, struct tach_string *name)
{
	struct thread_note n;
	uint64_t hash;
	uint32_t found = find_note(t, interp, thread, &hash);

	return found != TACH_NONE &&
	    parse_thread(t->strings[t->threads[found].note], &n, name);
}

/* ---- intervals ----------------------------------------------------------- */

static bool
parse_interval(struct tach_string s, struct interval_note *n)
{
	struct tach_string note;

	return tach_string_note(s, &note) &&
	    note_interval(note, &n->interp, &n->us);
}

struct interval_key {
	const struct tach_table *table;
	uint32_t interp;
};

static bool
interval_equal(const void *arg, uint32_t index)
{
	const struct interval_key *k = arg;

	return k->table->intervals[index].interp == k->interp;
}

static uint32_t
find_interval(const struct tach_table *t, uint32_t interp, uint64_t *hash)
{
	struct interval_key key = {t, interp};

	*hash = hash_of(&interp, sizeof(interp), 0);
	return set_find(&t->interval_set, *hash, interval_equal, &key);
}

/* Likewise of an interval. */
static bool
learn_interval(struct tach_table *t, uint32_t index)
{
	struct interval_note n, *p;
	uint64_t hash;
	uint32_t found;

	if (!parse_interval(t->strings[index], &n))
		return true;
	found = find_interval(t, n.interp, &hash);
	if (found != TACH_NONE) {
		t->intervals[found] = n;
		return true;
	}
	p = array_grow(t->intervals, t->nintervals, &t->intervals_max,
	    sizeof(*p));
	if (p == NULL)
		return false;
	t->intervals = p;
	if (!set_add(&t->interval_set, hash, (uint32_t)t->nintervals))
		return false;
	p[t->nintervals++] = n;
	return true;
}

uint64_t
tach_table_interval(const struct tach_table *t, const struct tach_meta *meta,
    uint32_t interp)
{
	uint64_t hash;
	uint32_t found = t->nintervals == 0 ? TACH_NONE :
	    find_interval(t, interp, &hash);

	return found != TACH_NONE ? t->intervals[found].us : meta->interval_us;
}

bool
tach_table_intervals(const struct tach_table *t)
{
	return t->nintervals > 0;
}

/* ---- processes and times of day ------------------------------------------ */

/* Keeps a note that is not before the others.  False: out of memory. */
static bool
add_range(struct range_notes *n, struct range_note note)
{
	struct range_note *list;

	if (n->count > 0 && n->list[n->count - 1].first >= note.first) {
		if (n->list[n->count - 1].first == note.first)
			n->list[n->count - 1] = note;
		return true;
	}
	list = array_grow(n->list, n->count, &n->max, sizeof(*list));
	if (list == NULL)
		return false;
	n->list = list;
	list[n->count++] = note;
	return true;
}

/* Likewise of a process, or of a time of day. */
static bool
learn_range(struct tach_table *t, uint32_t index)
{
	struct tach_string text;
	struct range_note note;

	if (!tach_string_note(t->strings[index], &text))
		return true;
	if (note_process(text, &note.first, &note.value))
		return add_range(&t->processes, note);
	if (note_time(text, &note.first, &note.value))
		return add_range(&t->times, note);
	return true;
}

/* The note that an interpreter is in; NULL: there is none. */
static const struct range_note *
find_range(const struct range_notes *n, uint32_t interp)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (n->list[middle].first <= interp)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &n->list[low - 1] : NULL;
}

uint32_t
tach_table_process(const struct tach_table *t, uint32_t interp,
    uint32_t *first)
{
	const struct range_note *n = find_range(&t->processes, interp);

	*first = n != NULL && n->value != 0 ? n->first : interp;
	return n != NULL ? (uint32_t)n->value : 0;
}

uint64_t
tach_table_time(const struct tach_table *t, uint32_t interp)
{
	const struct range_note *n = find_range(&t->times, interp);

	return n != NULL ? n->value : 0;
}

uint64_t
tach_table_first_time(const struct tach_table *t)
{
	uint64_t first = 0;

	for (size_t i = 0; i < t->times.count; i++) {
		uint64_t time = t->times.list[i].value;
		if (time != 0 && (first == 0 || time < first))
			first = time;
	}
	return first;
}

/* ---- strings ----------------------------------------------------------- */

static void
learn_switches(struct tach_table *t, uint32_t index)
{
	struct tach_string note, rest;

	if (tach_string_note(t->strings[index], &note) &&
	    note_kind(note, "switches", &rest))
		t->switches = true;
}

uint8_t
tach_table_switches(const struct tach_table *t)
{
	return t->switches ? TACH_STATUS_SWITCH : 0;
}

/* What a string tells if it is a note. */
static bool
index_note(struct tach_table *t, uint32_t index)
{
	learn_switches(t, index);
	return learn_thread(t, index) && learn_interval(t, index) &&
	    learn_range(t, index);
}

static bool
push_string(struct tach_table *t, const char *bytes, size_t len)
{
	struct tach_string *p = array_grow(t->strings, t->nstrings,
	    &t->strings_max, sizeof(*p));

	if (p == NULL)
		return false;
	t->strings = p;
	p[t->nstrings++] = (struct tach_string){bytes, len};
	return true;
}

bool
table_load_string(struct tach_table *t, const char *bytes, size_t len)
{
	return push_string(t, bytes, len) && index_note(t, t->nstrings - 1);
}

void
table_unload_string(struct tach_table *t)
{
	t->nstrings--;
}

bool
table_load_frame(struct tach_table *t, const struct tach_frame *f)
{
	struct tach_frame *p = array_grow(t->frames, t->nframes,
	    &t->frames_max, sizeof(*p));

	if (p == NULL)
		return false;
	t->frames = p;
	p[t->nframes++] = *f;
	return true;
}

struct string_key {
	const struct tach_table *table;
	const char *bytes;
	size_t len;
};

static bool
string_equal(const void *arg, uint32_t index)
{
	const struct string_key *k = arg;
	const struct tach_string *s = &k->table->strings[index];

	return s->len == k->len && memcmp(s->bytes, k->bytes, k->len) == 0;
}

uint32_t
tach_table_add_string(struct tach_table *t, const char *bytes, size_t len)
{
	struct string_key key = {t, len != 0 ? bytes : "", len};
	uint64_t hash = hash_of(key.bytes, len, 0);
	uint32_t found = set_find(&t->string_set, hash, string_equal, &key);
	const char *copy;

	if (found != TACH_NONE)
		return found;
	if ((copy = keep_text(t, bytes, len)) == NULL ||
	    !push_string(t, copy, len))
		return TACH_NONE;
	if (!set_add(&t->string_set, hash, t->nstrings - 1)) {
		t->nstrings--;
		return TACH_NONE;
	}
	/* Last: what a note says of a thread cannot be taken back. */
	return index_note(t, t->nstrings - 1) ? t->nstrings - 1 : TACH_NONE;
}

struct frame_key {
	const struct tach_table *table;
	const struct tach_frame *frame;
};

static bool
frame_equal(const void *arg, uint32_t index)
{
	const struct frame_key *k = arg;
	const struct tach_frame *a = &k->table->frames[index], *b = k->frame;

	return a->file == b->file && a->func == b->func && a->line == b->line &&
	    a->end_line == b->end_line && a->column == b->column &&
	    a->end_column == b->end_column && a->opcode == b->opcode;
}

static uint64_t
frame_hash(const struct tach_frame *f)
{
	uint32_t words[] = {f->file, f->func, (uint32_t)f->line,
	    (uint32_t)f->end_line, (uint32_t)f->column,
	    (uint32_t)f->end_column, f->opcode};

	return hash_of(words, sizeof(words), 0);
}

uint32_t
tach_table_add_frame(struct tach_table *t, const struct tach_frame *f)
{
	struct frame_key key = {t, f};
	uint64_t hash = frame_hash(f);
	uint32_t found = set_find(&t->frame_set, hash, frame_equal, &key);

	if (found != TACH_NONE)
		return found;
	if (f->file >= t->nstrings || f->func >= t->nstrings ||
	    !table_load_frame(t, f))
		return TACH_NONE;
	if (!set_add(&t->frame_set, hash, t->nframes - 1)) {
		t->nframes--;
		return TACH_NONE;
	}
	return t->nframes - 1;
}

/* A late frame is not in the set: none is found to be equal to it. */
uint32_t
tach_table_add_late_frame(struct tach_table *t, const struct tach_frame *f)
{
	return f->file < t->nstrings && f->func < t->nstrings &&
	    table_load_frame(t, f) ? t->nframes - 1 : TACH_NONE;
}

bool
tach_table_put_frame(struct tach_table *t, uint32_t late, const struct tach_frame *f)
{
	if (late >= t->nframes || f->file >= t->nstrings || f->func >= t->nstrings)
		return false;
	t->frames[late] = *f;
	return true;
}

struct tach_string
tach_table_string(const struct tach_table *t, uint32_t index)
{
	return t->strings[index];
}

const struct tach_frame *
tach_table_frame(const struct tach_table *t, uint32_t index)
{
	return &t->frames[index];
}

uint32_t
tach_table_string_count(const struct tach_table *t)
{
	return t->nstrings;
}

uint32_t
tach_table_frame_count(const struct tach_table *t)
{
	return t->nframes;
}

uint32_t
tach_table_add_note(struct tach_table *t, const char *text)
{
	size_t len = strlen(text);
	char *note = malloc(len + 1);
	uint32_t index;

	if (note == NULL)
		return TACH_NONE;
	note[0] = '\0';
	memcpy(note + 1, text, len);
	index = tach_table_add_string(t, note, len + 1);
	free(note);
	return index;
}

bool
tach_string_note(struct tach_string s, struct tach_string *note)
{
	if (s.len == 0 || s.bytes[0] != '\0')
		return false;
	*note = (struct tach_string){s.bytes + 1, s.len - 1};
	return true;
}
