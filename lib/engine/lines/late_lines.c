/* SPDX-License-Identifier: ISC */
/* late_lines.c: see late_lines.h. */
#include "engine/lines/late_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "engine/os/os.h"
#include "hash.h"
#include "kind.h"
#include "native/lines.h"
#include "native/lineworker.h"
#include "set.h"
#include "utf8.h"

#define ADDRESSES_MAX (1 << 20)
#define PATIENCE (20 * NS_PER_S) /* for all modules */

/* A file with lines. */
struct lined_module {
	char *path;
	uint64_t device, inode;
	char id[MODULE_ID_SIZE];
	int fd; /* of the file that has them; -1: there are none */
};

struct late_address {
	uint32_t module;
	uint32_t frame; /* of the table */
	uint64_t addr;
};

struct late_lines {
	struct tach_table *table;
	struct lined_module *modules;
	size_t nmodules, modules_max;
	struct late_address *list;
	size_t count, max;
	struct set set; /* by module and address */
	/* While they are found: */
	const struct late_address *asked; /* the module's addresses */
	size_t known;
	bool nomem;
};

struct late_lines *
late_lines_new(struct tach_table *table)
{
	struct late_lines *l = calloc(1, sizeof(*l));

	if (l != NULL)
		l->table = table;
	return l;
}

void
late_lines_free(struct late_lines *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->nmodules; i++) {
		if (l->modules[i].fd >= 0)
			close(l->modules[i].fd);
		free(l->modules[i].path);
	}
	free(l->modules);
	free(l->list);
	set_clear(&l->set);
	free(l);
}

/* ---- gathering ----------------------------------------------------------- */

static struct lined_module *
add_lined_module(struct late_lines *l, const struct module *m, int root)
{
	struct lined_module *p = array_grow(l->modules, l->nmodules, &l->modules_max,
	    sizeof(*p));
	char *path = strdup(m->path);

	if (p != NULL)
		l->modules = p;
	if (p == NULL || path == NULL) {
		free(path);
		return NULL;
	}
	p += l->nmodules++;
	*p = (struct lined_module){.path = path, .device = m->device,
	    .inode = m->inode,
	    .fd = native_lines_file(&(struct native_module){.fd = m->elf.fd,
		.path = m->path, .root = root})};
	module_id(p->id, m);
	return p;
}

/* The same file is one module, wherever processes have mapped it.  NULL if out of
 * memory. */
static struct lined_module *
lined_module_of(struct late_lines *l, const struct module *m, int root)
{
	for (size_t i = 0; i < l->nmodules; i++) {
		struct lined_module *p = &l->modules[i];
		if (p->device == m->device && p->inode == m->inode &&
		    strcmp(p->path, m->path) == 0)
			return p;
	}
	return add_lined_module(l, m, root);
}

struct late_key {
	const struct late_lines *lines;
	uint32_t module;
	uint64_t addr;
};

static bool
late_equal(const void *arg, uint32_t index)
{
	const struct late_key *k = arg;
	const struct late_address *a = &k->lines->list[index];

	return a->module == k->module && a->addr == k->addr;
}

/* Adds a late frame for an address.  Until its line is known, it has the module as its
 * file. */
static uint32_t
add_late(struct late_lines *l, const struct late_key *k, uint64_t hash,
    struct tach_string name)
{
	struct late_address *p = array_grow(l->list, l->count, &l->max, sizeof(*p));
	const char *path = l->modules[k->module].path;
	uint32_t frame;

	if (p == NULL)
		return TACH_NONE;
	l->list = p;
	frame = tach_table_add_late_frame(l->table, &(struct tach_frame){
	    .file = tach_table_add_string(l->table, path, strlen(path)),
	    .func = tach_table_add_string(l->table, name.bytes, name.len),
	    .line = -1, .end_line = -1, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE});
	if (frame == TACH_NONE || !set_add(&l->set, hash, (uint32_t)l->count))
		return TACH_NONE;
	p[l->count++] = (struct late_address){k->module, frame, k->addr};
	return frame;
}

uint32_t
late_lines_frame(struct late_lines *l, const struct module *m, int root, uint64_t addr,
    struct tach_string name)
{
	const struct lined_module *of = lined_module_of(l, m, root);
	struct late_key key = {.lines = l, .addr = addr};
	uint32_t found;
	uint64_t hash;

	if (of == NULL || of->fd < 0)
		return TACH_NONE;
	key.module = (uint32_t)(of - l->modules);
	hash = hash_of(&addr, sizeof(addr), key.module);
	found = set_find(&l->set, hash, late_equal, &key);
	if (found != TACH_NONE)
		return l->list[found].frame;
	return l->count < ADDRESSES_MAX ? add_late(l, &key, hash, name) : TACH_NONE;
}

/* ---- finding ------------------------------------------------------------- */

static int
compare_addresses(const void *one, const void *other)
{
	const struct late_address *a = one, *b = other;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Notes that a source file's code is in a module.  False if out of memory. */
static bool
note_its_source(struct late_lines *l, const char *id, struct tach_string file)
{
	struct buf b = {0};
	uint32_t note = TACH_NONE;

	buf_add_text(&b, "source ");
	buf_add_text(&b, id);
	buf_add_char(&b, ' ');
	buf_add(&b, file.bytes, file.len);
	buf_add_char(&b, '\0');
	if (!b.failed)
		note = tach_table_add_note(l->table, b.text);
	buf_clear(&b);
	return note != TACH_NONE;
}

/* Makes a late frame one with a line, unless its kind would then be another one: a file
 * of C is told by its name (kind.h). */
static bool
give_line(struct late_lines *l, const struct late_address *a, struct tach_string file,
    int line)
{
	struct tach_frame f = *tach_table_frame(l->table, a->frame);

	if (kind_of_frame(file, tach_table_string(l->table, f.func), line) !=
	    KIND_NATIVE)
		return true;
	f.file = tach_table_add_string(l->table, file.bytes, file.len);
	f.line = line;
	if (f.file == TACH_NONE || !tach_table_put_frame(l->table, a->frame, &f))
		return false;
	l->known++;
	return note_its_source(l, l->modules[a->module].id, file);
}

static void
take_line(void *arg, size_t index, const char *file, int line)
{
	struct late_lines *l = arg;
	struct buf b = {0};

	utf8_add(&b, file, strlen(file));
	l->nomem = l->nomem || b.failed || !give_line(l, &l->asked[index],
	    (struct tach_string){b.text, b.len}, line);
	buf_clear(&b);
}

static void
say_missing(struct late_lines_found *found, const char *path, enum lineworker_end end)
{
	static const char *const causes[] = {
		[LINEWORKER_DAMAGED] = "its debug information cannot be read",
		[LINEWORKER_LATE] = "its debug information takes too long to read",
	};

	if (*found->missing != '\0' || end == LINEWORKER_DONE)
		return;
	snprintf(found->missing, sizeof(found->missing),
	    "source lines are missing of %.400s: %s", path,
	    end == LINEWORKER_REFUSED ? strerror(errno) : causes[end]);
}

/* Finds the lines of a module, whose addresses are `count` of the list. */
static void
find_of_module(struct late_lines *l, size_t first, size_t count, uint64_t until,
    struct late_lines_found *found)
{
	const struct lined_module *m = &l->modules[l->list[first].module];
	uint64_t *addrs = reallocarray(NULL, count, sizeof(*addrs)), now = clock_ns();
	enum lineworker_end end = LINEWORKER_LATE;

	l->nomem = l->nomem || addrs == NULL;
	if (addrs == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		addrs[i] = l->list[first + i].addr;
	l->asked = l->list + first;
	if (now < until)
		end = lineworker_find(m->fd, addrs, count,
		    (unsigned)((until - now) / NS_PER_MS + 1), take_line, l);
	say_missing(found, m->path, end);
	free(addrs);
}

bool
late_lines_find(struct late_lines *l, struct late_lines_found *found)
{
	uint64_t until = clock_ns() + PATIENCE;
	size_t count;

	*found = (struct late_lines_found){.addresses = l->count};
	if (l->count > 0)
		qsort(l->list, l->count, sizeof(*l->list), compare_addresses);
	for (size_t i = 0; i < l->count && !l->nomem; i += count) {
		for (count = 1; i + count < l->count &&
		     l->list[i + count].module == l->list[i].module; count++)
			continue;
		find_of_module(l, i, count, until, found);
	}
	found->known = l->known;
	return !l->nomem;
}
