/* SPDX-License-Identifier: ISC */
/* walks.c: see walks.h. */
#include "walks.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "python/code.h"
#include "python/frames.h"
#include "python/locals.h"
#include "python/objects.h"
#include "python/status.h"
#include "python/tasks.h"

#define SPANS 64	  /* a view holds so many at once */
#define HEADER 24	  /* bytes before the blocks */
#define UNPACKED_MAX (16u << 20)
#define LEVEL 19
#define TEXT_MAX 256
#define FRAMES_SHOWN 100 /* of which the variables are shown, or a task's */
#define TASKS_SHOWN 100

/* ---- a view that reads what it lacks ----------------------------------- */

struct reading {
	struct py_view view; /* first: fill gets its address */
	const struct py_memory *memory;
	uint64_t closed; /* an address that cannot be read; 0: none */
	struct py_span spans[SPANS];
};

static void
drop_spans(struct reading *r)
{
	for (size_t i = 0; i < r->view.count; i++)
		free((void *)(uintptr_t)r->spans[i].bytes);
	r->view.count = r->view.hint = 0;
}

static bool
fill(struct py_view *v, uint64_t addr, size_t size)
{
	struct reading *r = (struct reading *)v;
	uint8_t *bytes = malloc(size);

	if (bytes == NULL || (r->closed != 0 && addr == r->closed) ||
	    !py_read(r->memory, addr, bytes, size)) {
		free(bytes);
		return false;
	}
	if (v->count == SPANS)
		drop_spans(r);
	r->spans[v->count++] = (struct py_span){addr, size, bytes};
	return true;
}

/* ---- a thread ---------------------------------------------------------- */

static void
show_code(const struct py_memory *m, const struct py_offsets *o,
    const struct py_place *p, FILE *f)
{
	struct py_location l = {-1, -1, -1, -1};
	struct py_piece pieces[CODE_PIECES];
	struct code_check k;
	struct py_code c;
	size_t n;

	if (!code_read(o, m, p->code, &c)) {
		fputs("  unreadable\n", f);
		return;
	}
	n = code_pieces(o, &c, &k, pieces);
	if (!m->read(m, pieces, n) || !code_check(o, &c, &k))
		fputs("  changed\n", f);
	code_allows(o, &c, p->instr, p->calls);
	code_locate(o, &c, p->instr, &l);
	fprintf(f, "  %.*s:%.*s:%" PRId32 ":%" PRId32 ":%" PRId32 ":%" PRId32
	    "\n", (int)c.file.len, c.file.bytes, (int)c.name.len, c.name.bytes,
	    l.line, l.end_line, l.column, l.end_column);
	code_free(&c);
}

/* The name that the threading module keeps for a thread. */
static void
show_name(const struct py_objects *p, uint64_t interp, uint64_t ident, FILE *f)
{
	char name[TEXT_MAX] = "?";
	uint64_t module, active, thread, value;

	if (object_module(p, interp, "threading", &module) &&
	    object_attribute(p, module, "_active", &active) &&
	    dict_find_int(p, active, (int64_t)ident, &thread) &&
	    object_attribute(p, thread, "_name", &value))
		object_string(p, value, name, sizeof(name));
	fprintf(f, "thread %" PRIu64 " %s\n", ident, name);
}

static void
show_local(void *arg, const char *name, const char *value, size_t len)
{
	fprintf(arg, "    %s = %.*s\n", name, (int)len, value);
}

static void
show_locals(const struct py_objects *p, const struct py_chain *c, FILE *f)
{
	for (size_t i = 0; i < c->depth && i < FRAMES_SHOWN; i++)
		if (!place_is_mark(&c->places[i]) &&
		    !locals_read(p, &c->places[i], show_local, f))
			fputs("    changed\n", f);
}

/* ---- tasks ------------------------------------------------------------- */

struct showing {
	struct py_tasks tasks;
	size_t left;
	FILE *f;
};

static bool
show_task(void *arg, uint64_t addr)
{
	struct showing *s = arg;
	const struct py_objects *o = &s->tasks.objects;
	struct py_chain c = {0};
	struct py_task task;

	if (s->left-- == 0)
		return false;
	if (task_read(&s->tasks, addr, &task)) {
		fprintf(s->f, "task %s of %zu\n", task.name, task.waiters);
		if (!task_frames(&s->tasks, task.coro, &c))
			fputs("  lost\n", s->f);
	}
	for (size_t i = 0; i < c.depth && i < FRAMES_SHOWN; i++)
		show_code(o->memory, o->offsets, &c.places[i], s->f);
	chain_free(&c);
	return true;
}

static void
show_tasks(const struct py_objects *p, uint64_t asyncio, uint64_t thread,
    FILE *f)
{
	struct showing s = {.tasks.objects = *p, .left = TASKS_SHOWN, .f = f};
	uint8_t debug[TASKS_DEBUG_SIZE];
	uint64_t running;

	if (asyncio == 0 || !py_read(p->memory, asyncio, debug,
		sizeof(debug)) ||
	    !task_offsets_load(debug, &s.tasks.offsets))
		return;
	if (task_running(&s.tasks, thread, &running) && running != 0)
		show_task(&s, running);
	tasks_each(&s.tasks, thread + s.tasks.offsets.thread_tasks, show_task,
	    &s);
}

/* ---- all --------------------------------------------------------------- */

/* Any object may seem to be the code of a small frame. */
static size_t
small_frame(const void *arg, uint64_t code)
{
	const struct py_offsets *o = arg;

	return o->frame_size + code % 4096 / 64 * 8;
}

static bool
any_calls(const void *arg, const struct py_place *caller,
    const struct py_place *callee)
{
	(void)arg;
	return caller->code != callee->code;
}

static bool
same_place(const struct py_place *a, const struct py_place *b)
{
	return a->code == b->code && a->instr == b->instr &&
	    a->frame == b->frame && a->copy == b->copy &&
	    a->calls == b->calls && a->resumed == b->resumed &&
	    a->left == b->left;
}

static bool
same_chain(const struct py_chain *a, const struct py_chain *b)
{
	size_t n = 0;

	while (n < a->depth && n < b->depth &&
	    same_place(&a->places[n], &b->places[n]))
		n++;
	return n == a->depth && n == b->depth && a->live == b->live &&
	    a->ending == b->ending && a->returned == b->returned &&
	    a->stack == b->stack && a->entry == b->entry;
}

/* Walks frames that have returned and links that were lost, for whatever may lie
 * there.  With a mark to make, if only of an address that is no frame, each frame is
 * looked at by itself: the result has to be the same. */
static void
walk_past(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    const struct py_chain *chain, FILE *f)
{
	struct py_past past = {.frame_size = small_frame, .calls = any_calls,
	    .arg = o};
	struct py_marks marks = {.past = &past, .stack = chain->stack};
	struct py_chain found = {0}, again = {0};
	enum walk_result result;

	chain_note_resumers(chain, 0, &past);
	result = walk_frames(o, v, thread, &marks, &found);
	marks.gc_frame = 1;
	if (walk_frames(o, v, thread, &marks, &again) != result ||
	    !same_chain(&found, &again))
		fputs("  walks differ\n", f);
	if (result == WALK_OK)
		chain_drop_past(&found);
	chain_free(&found);
	chain_free(&again);
}

/* The same chain again, without what its root leads to; and that is looked at if
 * it is another one than the thread had. */
static void
walk_to_root(const struct py_memory *m, const struct py_offsets *o,
    uint64_t thread, const struct py_chain *chain, FILE *f)
{
	struct reading r = {.view = {.fill = fill}, .memory = m,
	    .closed = chain->entry};
	struct py_marks marks = {.entry = chain->entry};
	struct py_chain found = {0};

	if (chain->depth == 0 || chain->entry == 0)
		return;
	r.view.spans = r.spans;
	r.view.memory.read = view_read;
	marks.root = chain->places[chain->depth - 1].frame;
	if (walk_frames(o, &r.view, thread, &marks, &found) != WALK_OK ||
	    !same_chain(&found, chain))
		fputs("  roots differ\n", f);
	marks.root++;
	if (walk_frames(o, &r.view, thread, &marks, &found) != WALK_MISS)
		fputs("  root not read\n", f);
	chain_free(&found);
	drop_spans(&r);
}

static void
show_thread(const struct py_memory *m, const struct py_runtime *rt,
    const struct py_thread *t, uint64_t asyncio, FILE *f)
{
	const struct py_offsets *o = &rt->offsets;
	struct py_objects objects = {o, m};
	struct reading r = {.view = {.fill = fill}, .memory = m};
	struct py_chain chain = {0};
	struct py_marks marks = {0};
	struct py_none none = {0};
	uint64_t ident = 0;

	r.view.spans = r.spans;
	r.view.memory.read = view_read;
	if (py_has(o->thread_ident))
		py_read(m, t->addr + o->thread_ident, &ident, sizeof(ident));
	show_name(&objects, t->interp, ident, f);
	if (walk_frames(o, &r.view, t->addr, &marks, &chain) == WALK_OK)
		for (size_t i = 0; i < chain.depth; i++)
			show_code(m, o, &chain.places[i], f);
	else
		fputs("  lost\n", f);
	walk_past(o, &r.view, t->addr, &chain, f);
	walk_to_root(m, o, t->addr, &chain, f);
	show_locals(&objects, &chain, f);
	show_tasks(&objects, asyncio, t->addr, f);
	status_exception(o, &r.view, m, t->addr, &none);
	chain_free(&chain);
	drop_spans(&r);
}

void
walk_all(const struct py_memory *m, const struct py_runtime *rt,
    uint64_t asyncio, FILE *f)
{
	struct py_threads list = {0};

	if (!runtime_threads(m, rt, &list))
		fputs("list lost\n", f);
	for (size_t i = 0; i < list.count; i++)
		show_thread(m, rt, &list.list[i], asyncio, f);
	runtime_threads_free(&list);
}

static bool
walk_one(const struct py_memory *m, const struct py_runtime *rt,
    const struct py_thread *t, struct py_chain *chain)
{
	struct reading r = {.view = {.fill = fill}, .memory = m};
	struct py_marks marks = {0};
	bool ok;

	r.view.spans = r.spans;
	ok = walk_frames(&rt->offsets, &r.view, t->addr, &marks, chain) ==
	    WALK_OK;
	drop_spans(&r);
	return ok;
}

bool
walk_longest(const struct py_memory *m, const struct py_runtime *rt,
    struct py_thread *of, struct py_chain *longest)
{
	struct py_threads list = {0};

	longest->depth = 0;
	runtime_threads(m, rt, &list);
	for (size_t i = 0; i < list.count; i++) {
		struct py_chain chain = {0};
		if (walk_one(m, rt, &list.list[i], &chain) &&
		    chain.depth > longest->depth) {
			struct py_chain shorter = *longest;
			*of = list.list[i];
			*longest = chain;
			chain = shorter;
		}
		chain_free(&chain);
	}
	runtime_threads_free(&list);
	return longest->depth > 0;
}

/* ---- stored memories --------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	uint64_t x = ((const struct block *)a)->addr;
	uint64_t y = ((const struct block *)b)->addr;

	return (x > y) - (x < y);
}

struct block *
stored_block(const struct stored *s, uint64_t addr)
{
	struct block key = {.addr = addr / BLOCK * BLOCK};

	return s->count == 0 ? NULL :
	    bsearch(&key, s->blocks, s->count, sizeof(key), compare);
}

static bool
read_piece(struct stored *s, const struct py_piece *p)
{
	uint8_t *out = p->buf;

	s->bytes += p->size;
	for (size_t done = 0; done < p->size;) {
		uint64_t addr = p->addr + done;
		size_t off = addr % BLOCK, n = BLOCK - off;
		const struct block *b = stored_block(s, addr);
		if (b == NULL)
			return false;
		if (n > p->size - done)
			n = p->size - done;
		memcpy(out + done, b->bytes + off, n);
		done += n;
	}
	return true;
}

static bool
stored_read(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct stored *s = (struct stored *)(uintptr_t)m;

	s->reads++;
	for (size_t i = 0; i < n; i++)
		if (!read_piece(s, &pieces[i]))
			return false;
	return true;
}

static const char *
unpack(struct stored *s, const uint8_t *packed, size_t len)
{
	unsigned long long n = ZSTD_getFrameContentSize(packed, len);
	uint8_t *bytes = n < UNPACKED_MAX ? malloc(n) : NULL;

	if (bytes == NULL || ZSTD_decompress(bytes, n, packed, len) != n ||
	    n < HEADER ||
	    (n - HEADER) % sizeof(struct block) != 0) {
		free(bytes);
		return "it is no stored memory";
	}
	s->runtime = load_u64(bytes);
	s->version = load_u64(bytes + 8);
	s->asyncio = load_u64(bytes + 16);
	memmove(bytes, bytes + HEADER, n - HEADER);
	s->blocks = (struct block *)bytes;
	s->count = (n - HEADER) / sizeof(struct block);
	return NULL;
}

const char *
stored_open(struct stored *s, const char *path)
{
	static uint8_t packed[1 << 20];
	FILE *f = fopen(path, "re");
	size_t n;

	*s = (struct stored){.memory.read = stored_read};
	if (f == NULL)
		return "it cannot be opened";
	n = fread(packed, 1, sizeof(packed), f);
	fclose(f);
	return unpack(s, packed, n);
}

void
stored_free(struct stored *s)
{
	free(s->blocks);
	*s = (struct stored){0};
}

bool
stored_save(const struct stored *s, const char *path)
{
	size_t n = HEADER + s->count * sizeof(struct block);
	size_t room = ZSTD_compressBound(n), len;
	uint8_t *bytes = malloc(n), *packed = malloc(room);
	FILE *f = fopen(path, "we");
	bool ok = bytes != NULL && packed != NULL && f != NULL;

	if (ok) {
		qsort(s->blocks, s->count, sizeof(struct block), compare);
		memcpy(bytes, &s->runtime, 8);
		memcpy(bytes + 8, &s->version, 8);
		memcpy(bytes + 16, &s->asyncio, 8);
		memcpy(bytes + HEADER, s->blocks, n - HEADER);
		len = ZSTD_compress(packed, room, bytes, n, LEVEL);
		ok = !ZSTD_isError(len) && fwrite(packed, 1, len, f) == len;
	}
	if (f != NULL && fclose(f) != 0)
		ok = false;
	free(bytes);
	free(packed);
	return ok;
}

size_t
stored_each(void (*visit)(const char *path))
{
	const char *src = getenv("TACH_SRCDIR");
	char pattern[4096];
	size_t n = 0;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/t/data/snapshots/*.snap",
	    src != NULL ? src : ".");
	if (glob(pattern, 0, NULL, &g) == 0)
		for (; n < g.gl_pathc; n++)
			visit(g.gl_pathv[n]);
	globfree(&g);
	return n;
}
