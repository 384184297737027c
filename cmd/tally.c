/* SPDX-License-Identifier: ISC */
/* tally.c: see tally.h. */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "kind.h"
#include "tick.h"

/* The file of frames by which CPython's profiler starts a program, which its own
 * outputs leave out, too. */
#define COORDINATOR "_sync_coordinator.py"
#define HIDDEN (TACH_NONE - 1) /* the row of such a frame */
#define NO_FRAMES "<no frames>" /* stands for a stack without frames */
#define NO_TASK "<no task>"	/* for one without tasks */
#define NO_PROCESS "(one process)" /* for samples of which no note says the process */
/* A node's frame has the node that it is below as its end_line. */
#define IS_ROOT (-2)
#define NO_NODE (-1)

const char *const tally_groups[] = {"function", "line", "file", "module", "task",
    "thread", "process", NULL};

const struct tach_frame *
tally_frame(const struct tally *t, uint32_t row)
{
	return tach_table_frame(t->table, row);
}

struct tach_string
tally_string(const struct tally *t, uint32_t string)
{
	return tach_table_string(t->table, string);
}

/* ---- rows ---------------------------------------------------------------- */

/* Whether a row is a thread or more. */
static bool
has_threads(const struct tally *t)
{
	return t->group == TALLY_THREAD || t->group == TALLY_PROCESS;
}

/* Makes room for the state of the next row.  False: out of memory. */
static bool
reserve_state(struct tally *t)
{
	struct tally_state *states;

	if (!has_threads(t))
		return true;
	states = array_grow(t->states, t->nrows, &t->states_max, sizeof(*states));
	if (states == NULL)
		return false;
	t->states = states;
	states[t->nrows] = (struct tally_state){0};
	return true;
}

/* Makes room for the links of the next node.  False: out of memory. */
static bool
reserve_node(struct tally *t)
{
	struct tally_node *nodes;

	if (!t->tree)
		return true;
	nodes = array_grow(t->nodes, t->nrows, &t->nodes_max, sizeof(*nodes));
	if (nodes == NULL)
		return false;
	t->nodes = nodes;
	nodes[t->nrows] = (struct tally_node){TACH_NONE, TACH_NONE};
	return true;
}

/* Makes room for the costs of a row.  Returns the row; TACH_NONE: out of memory. */
static uint32_t
reserve_row(struct tally *t, uint32_t row)
{
	struct tally_cost *rows;
	uint64_t *seen;
	uint8_t *kinds;

	if (row == TACH_NONE || row < t->nrows)
		return row;
	if (!reserve_state(t) || !reserve_node(t))
		return TACH_NONE;
	rows = array_grow(t->rows, t->nrows, &t->rows_max, sizeof(*rows));
	if (rows != NULL)
		t->rows = rows;
	seen = array_grow(t->seen, t->nrows, &t->seen_max, sizeof(*seen));
	if (seen != NULL)
		t->seen = seen;
	kinds = array_grow(t->kinds, t->nrows, &t->kinds_max, sizeof(*kinds));
	if (kinds != NULL)
		t->kinds = kinds;
	if (rows == NULL || seen == NULL || kinds == NULL)
		return TACH_NONE;
	t->kinds[t->nrows] = KIND_SOURCE;
	t->rows[t->nrows] = (struct tally_cost){.line = -1};
	t->seen[t->nrows++] = 0;
	return row;
}

/* The row of strings of its table, and of a line; TACH_NONE: out of memory. */
static uint32_t
add_row_of(struct tally *t, uint32_t file, uint32_t func, int32_t line)
{
	struct tach_frame f = {.file = file, .func = func, .line = line,
	    .end_line = NO_NODE, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE};

	return file == TACH_NONE || func == TACH_NONE ? TACH_NONE :
	    reserve_row(t, tach_table_add_frame(t->table, &f));
}

/* The same of other strings. */
static uint32_t
add_row(struct tally *t, struct tach_string file, struct tach_string func, int32_t line)
{
	uint32_t own_file = tach_table_add_string(t->table, file.bytes, file.len);
	uint32_t own_func = tach_table_add_string(t->table, func.bytes, func.len);

	return add_row_of(t, own_file, own_func, line);
}

/* The entry at an index of a list of n, which grows to have it; new ones are TACH_NONE.
 * NULL: out of memory. */
static uint32_t *
entry_of(uint32_t **list, uint32_t *n, size_t *max, uint32_t index)
{
	uint32_t *p;

	if (index < *n)
		return &(*list)[index];
	if ((p = array_reserve(*list, max, (size_t)index + 1, sizeof(*p))) == NULL)
		return NULL;
	*list = p;
	while (*n <= index)
		p[(*n)++] = TACH_NONE;
	return &p[index];
}

/* The entry of a string of the source; NULL: out of memory. */
static uint32_t *
entry_of_string(struct tally *t, uint32_t string)
{
	return entry_of(&t->string_of, &t->nstring_of, &t->string_of_max, string);
}

/* The same string in its own table; TACH_NONE: out of memory.  A long string that many
 * frames have is looked at once. */
static uint32_t
own_string(struct tally *t, uint32_t string)
{
	uint32_t *kept = entry_of_string(t, string);
	struct tach_string s;

	if (kept != NULL && *kept == TACH_NONE) {
		s = tach_table_string(t->from, string);
		*kept = tach_table_add_string(t->table, s.bytes, s.len);
	}
	return kept != NULL ? *kept : TACH_NONE;
}

/* ---- modules ------------------------------------------------------------- */

/* Whether Python imports from directories of this name, such as python3.11. */
static bool
is_import_root(const char *name, size_t len)
{
	static const char *const names[] = {"site-packages", "dist-packages",
	    "lib-dynload"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (len == strlen(names[i]) && memcmp(name, names[i], len) == 0)
			return true;
	return len > 7 && memcmp(name, "python3", 7) == 0 && name[7] == '.';
}

/* A path without the directory that Python imports from; of other paths the last part. */
static struct tach_string
module_path(struct tach_string path)
{
	const char *end = path.bytes + path.len, *root = path.bytes, *from = root;
	bool known = false;

	for (const char *p = path.bytes; p < end; p++) {
		if (*p != '/')
			continue;
		known |= is_import_root(from, (size_t)(p - from));
		if (!known || is_import_root(from, (size_t)(p - from)))
			root = p + 1;
		from = p + 1;
	}
	return (struct tach_string){root, (size_t)(end - root)};
}

static bool
has_end(struct tach_string s, const char *end)
{
	size_t n = strlen(end);

	return s.len >= n && memcmp(s.bytes + s.len - n, end, n) == 0;
}

static struct tach_string
drop_end(struct tach_string s, const char *end)
{
	if (s.len > strlen(end) && has_end(s, end))
		s.len -= strlen(end);
	return s;
}

/* The name by which a file is imported, as far as its path tells: "json.decoder". */
static uint32_t
module_row(struct tally *t, struct tach_string file)
{
	struct tach_string s = drop_end(drop_end(module_path(file), ".py"),
	    "/__init__");
	char *name = malloc(s.len + 1);
	uint32_t row;

	if (name == NULL)
		return TACH_NONE;
	for (size_t i = 0; i < s.len; i++)
		name[i] = s.bytes[i] == '/' ? '.' : s.bytes[i];
	row = add_row(t, file, (struct tach_string){name, s.len}, -1);
	free(name);
	return row;
}

/* ---- the row of a frame or a thread -------------------------------------- */

static uint32_t
new_file_row(struct tally *t, struct tach_string file)
{
	return t->frames == TALLY_MODULE ? module_row(t, file) :
	    add_row(t, file, (struct tach_string){"", 0}, -1);
}

/* The row of a file, which is found once. */
static uint32_t
file_row(struct tally *t, uint32_t string)
{
	uint32_t *kept = entry_of_string(t, string), row;

	if (kept == NULL || *kept != TACH_NONE)
		return kept != NULL ? *kept : TACH_NONE;
	row = new_file_row(t, tach_table_string(t->from, string));
	t->string_of[string] = row;
	return row;
}

/* The row of a frame that is a task; HIDDEN: it is none. */
static uint32_t
task_row(struct tally *t, const struct tach_frame *f)
{
	struct tach_string file = tach_table_string(t->from, f->file);

	if (file.len != strlen(TASK_FILE) ||
	    memcmp(file.bytes, TASK_FILE, file.len) != 0)
		return HIDDEN;
	return add_row(t, (struct tach_string){"", 0},
	    tach_table_string(t->from, f->func), -1);
}

static uint32_t
new_row(struct tally *t, uint32_t frame)
{
	const struct tach_frame *f = tach_table_frame(t->from, frame);
	struct tach_string file = tach_table_string(t->from, f->file);

	if (t->frames == TALLY_TASK)
		return task_row(t, f);
	if (has_end(file, COORDINATOR))
		return HIDDEN;
	if (t->frames == TALLY_FUNCTION || t->frames == TALLY_LINE)
		return add_row_of(t, own_string(t, f->file),
		    own_string(t, f->func),
		    t->frames == TALLY_LINE ? f->line : -1);
	return file_is_none(file) ?
	    add_row(t, file, tach_table_string(t->from, f->func), -1) :
	    file_row(t, f->file);
}

/* The kind of a frame as it matters to its row: a module is a file like others, and a
 * line of C one like others. */
static enum frame_kind
kind_in_row(const struct tally *t, const struct tach_frame *f)
{
	struct tach_string file = tach_table_string(t->from, f->file);
	enum frame_kind kind = kind_of_frame(file,
	    tach_table_string(t->from, f->func), f->line);
	bool files = t->frames == TALLY_FILE || t->frames == TALLY_MODULE ||
	    f->line > 0;

	return files && kind_is_c(kind) && *file.bytes != '<' &&
	    !file_is_none(file) ? KIND_SOURCE : kind;
}

/* Notes the kind and the line of a frame that its row has got.  Returns the row. */
static uint32_t
see_row(struct tally *t, uint32_t frame, uint32_t row)
{
	int32_t line = tach_table_frame(t->from, frame)->line;
	struct tally_cost *r;

	if (row == HIDDEN || row == TACH_NONE)
		return row;
	t->kinds[row] = (uint8_t)kind_in_row(t, tach_table_frame(t->from, frame));
	if (line <= 0 ||
	    (t->frames != TALLY_FUNCTION && t->frames != TALLY_LINE))
		return row;
	r = &t->rows[row];
	if (r->line < 0 || line < r->line)
		r->line = line;
	return row;
}

/* Whether the frames of a row count with the frame of another row that has led to
 * them, if there is one. */
static bool
has_caller(const struct tally *t, uint32_t row)
{
	return t->frames != TALLY_FUNCTION && kind_is_c(t->kinds[row]);
}

/* The row of a frame of the source.  TACH_NONE: out of memory. */
static uint32_t
row_of(struct tally *t, uint32_t frame)
{
	uint32_t *row = entry_of(&t->row_of, &t->nrow_of, &t->row_of_max, frame);

	if (row != NULL && *row == TACH_NONE)
		*row = see_row(t, frame, new_row(t, frame));
	return row != NULL ? *row : TACH_NONE;
}

static uint32_t
new_thread_row(struct tally *t, const struct tach_run *run)
{
	struct tach_string name;
	char text[64];

	if (!tach_table_thread_name(t->from, run->interp, run->thread, &name)) {
		snprintf(text, sizeof(text), "thread %" PRIu64, run->thread);
		if (run->interp != 0)
			snprintf(text, sizeof(text), "thread %" PRIu64
			    " of interpreter %" PRIu32, run->thread, run->interp);
		name = (struct tach_string){text, strlen(text)};
	}
	/* Two threads may have one name. */
	return add_row(t, (struct tach_string){"", 0}, name,
	    (int32_t)(run->index & INT32_MAX));
}

/* The row of the process that an interpreter is of. */
static uint32_t
process_row(struct tally *t, uint32_t interp)
{
	struct merged_process p;

	if (!processes_find(&t->processes, t->from, interp, &p))
		return TACH_NONE;
	if (p.name.len == 0)
		p.name = (struct tach_string){NO_PROCESS, strlen(NO_PROCESS)};
	return add_row(t, (struct tach_string){"", 0}, p.name,
	    (int32_t)(p.first & INT32_MAX));
}

/* The row of a thread or its process, if they are rows.  Counts the thread.  False: out
 * of memory. */
static bool
thread_row(struct tally *t, const struct tach_run *run, uint32_t *row)
{
	uint32_t *entry = entry_of(&t->thread_rows, &t->nthreads,
	    &t->thread_rows_max, run->index);

	if (entry == NULL)
		return false;
	if (has_threads(t) && *entry == TACH_NONE)
		*entry = t->group == TALLY_THREAD ? new_thread_row(t, run) :
						    process_row(t, run->interp);
	*row = *entry;
	return !has_threads(t) || *row != TACH_NONE;
}

/* ---- nodes --------------------------------------------------------------- */

/* Puts a new node below its caller. */
static void
link_node(struct tally *t, uint32_t parent, uint32_t node)
{
	uint32_t *first = parent == TACH_NONE ? &t->root : &t->nodes[parent].callee;

	t->nodes[node].sister = *first;
	*first = node;
}

/* The node of a row, and of a frame of the source unless that is NULL, below another
 * node or, if that is TACH_NONE, at the root.  TACH_NONE: out of memory. */
static uint32_t
add_node(struct tally *t, uint32_t parent, uint32_t row, const struct tach_frame *from)
{
	struct tach_frame f = *tach_table_frame(t->table, row);
	bool lines = t->frames == TALLY_FUNCTION || t->frames == TALLY_LINE;
	uint32_t node, nrows = t->nrows;
	int32_t *line;

	if (parent != TACH_NONE && parent > INT32_MAX)
		return TACH_NONE;
	f.end_line = parent == TACH_NONE ? IS_ROOT : (int32_t)parent;
	node = reserve_row(t, tach_table_add_frame(t->table, &f));
	if (node == nrows) {
		link_node(t, parent, node);
		t->kinds[node] = t->kinds[row];
	}
	if (node == TACH_NONE || from == NULL || !lines || from->line <= 0)
		return node;
	line = &t->rows[node].line;
	if (*line < 0 || from->line < *line)
		*line = from->line;
	return node;
}

/* The node of a frame below another one, which may be that itself. */
static uint32_t
node_of(struct tally *t, uint32_t parent, uint32_t frame)
{
	uint32_t row = row_of(t, frame);
	const struct tach_frame *p, *f;

	if (row == HIDDEN)
		return parent;
	if (row == TACH_NONE)
		return HIDDEN;
	if (parent != TACH_NONE && has_caller(t, row) && !has_caller(t, parent))
		return parent;
	/* A file that calls itself is one node, a function that does is another. */
	if (parent != TACH_NONE && t->frames != TALLY_FUNCTION &&
	    t->frames != TALLY_LINE) {
		p = tach_table_frame(t->table, parent);
		f = tach_table_frame(t->table, row);
		if (p->file == f->file && p->func == f->func)
			return parent;
	}
	row = add_node(t, parent, row, tach_table_frame(t->from, frame));
	return row != TACH_NONE ? row : HIDDEN;
}

/* The path of a thread, with room for a stack.  NULL: out of memory. */
static struct tally_path *
path_of_thread(struct tally *t, const struct tach_run *run)
{
	struct tally_path *paths = array_reserve(t->paths, &t->paths_max,
	    (size_t)run->index + 1, sizeof(*paths));
	uint32_t *nodes;

	if (paths == NULL)
		return NULL;
	t->paths = paths;
	while (t->npaths <= run->index)
		paths[t->npaths++] = (struct tally_path){0};
	paths += run->index;
	nodes = array_reserve(paths->nodes, &paths->max, run->depth, sizeof(*nodes));
	if (nodes == NULL)
		return NULL;
	paths->nodes = nodes;
	return paths;
}

/* Finds the nodes of a stack below a root, which may be TACH_NONE.  Nodes of frames that
 * were in the thread's stack before are known.  NULL: out of memory. */
static const struct tally_path *
find_path(struct tally *t, const struct tach_run *run, uint32_t root)
{
	struct tally_path *path = path_of_thread(t, run);
	uint32_t known;

	if (path == NULL)
		return NULL;
	known = run->shared < path->depth ? run->shared : path->depth;
	if (known > run->depth)
		known = run->depth;
	path->depth = 0;
	for (uint32_t k = known; k < run->depth; k++) {
		path->nodes[k] = node_of(t, k > 0 ? path->nodes[k - 1] : root,
		    run->frames[run->depth - 1 - k]);
		if (path->nodes[k] == HIDDEN)
			return NULL;
	}
	path->depth = run->depth;
	return path;
}

/* ---- counting ------------------------------------------------------------ */

/* The costs of some ticks; switches: the bit of samples that are no samples of rounds. */
static struct tally_cost
cost_of(const struct tach_tick *ticks, size_t n, uint8_t switches)
{
	struct tally_cost c = {0};

	for (size_t i = 0; i < n; i++) {
		uint64_t us = ticks[i].duration;
		uint8_t status = ticks[i].status;
		c.samples += (status & switches) == 0;
		c.total += us;
		c.gil += status & TACH_STATUS_GIL ? us : 0;
		c.wanted += (status & TACH_STATUS_GIL_WANTED) != 0 &&
		    (status & TACH_STATUS_GIL) == 0 ? us : 0;
		c.cpu += status & TACH_STATUS_CPU ? us : 0;
		c.waiting += tach_status_idle(status) ? us : 0;
	}
	c.self = c.total;
	return c;
}

static void
add_total(struct tally_cost *to, const struct tally_cost *c)
{
	to->total += c->total;
	to->gil += c->gil;
	to->wanted += c->wanted;
	to->cpu += c->cpu;
	to->waiting += c->waiting;
}

static void
add_self(struct tally_cost *to, const struct tally_cost *c)
{
	to->self += c->self;
	to->samples += c->samples;
}

static void
add_cost(struct tally_cost *to, const struct tally_cost *c)
{
	add_total(to, c);
	add_self(to, c);
}

/* The costs of a row in a second; NULL: out of memory.  Its line is -1 if it is among
 * the rows that are used, and 0 if not. */
static struct tally_cost *
cost_in(struct tally_second *s, uint32_t row)
{
	size_t max = s->max;
	uint32_t *used;
	struct tally_cost *rows = array_reserve(s->rows, &s->max, (size_t)row + 1,
	    sizeof(*rows));

	if (rows == NULL)
		return NULL;
	s->rows = rows;
	memset(rows + max, 0, (s->max - max) * sizeof(*rows));
	if (rows[row].line != 0)
		return &rows[row];
	used = array_grow(s->used, s->nused, &s->used_max, sizeof(*used));
	if (used == NULL)
		return NULL;
	s->used = used;
	used[s->nused++] = row;
	rows[row].line = -1;
	return &rows[row];
}

/* Adds to a row, and to the second if there is one.  False: out of memory. */
static bool
add_to_row(struct tally *t, struct tally_second *s, uint32_t row,
    const struct tally_cost *c, bool inner)
{
	struct tally_cost *recent = s != NULL ? cost_in(s, row) : NULL;

	if (s != NULL && recent == NULL)
		return false;
	if (t->seen[row] != t->runs) {
		add_total(&t->rows[row], c);
		if (recent != NULL)
			add_total(recent, c);
	}
	t->seen[row] = t->runs;
	if (inner || t->kinds[t->innermost] == KIND_WAIT)
		t->innermost = row;
	if (!inner)
		return true;
	add_self(&t->rows[row], c);
	if (recent != NULL)
		add_self(recent, c);
	return true;
}

static uint32_t
row_without_frames(struct tally *t)
{
	const char *name = t->frames == TALLY_TASK ? NO_TASK : NO_FRAMES;
	uint32_t row = add_row(t, (struct tach_string){"", 0},
	    (struct tach_string){name, strlen(name)}, -1);

	return t->tree && row != TACH_NONE ? add_node(t, TACH_NONE, row, NULL) : row;
}

/* Adds to the row of stacks that show no frame. */
static bool
add_without_frames(struct tally *t, struct tally_second *s, const struct tally_cost *c)
{
	uint32_t row = row_without_frames(t);

	return row != TACH_NONE && add_to_row(t, s, row, c, true);
}

/* Takes the newest status of a run's thread. */
static void
take_state(struct tally_state *s, const struct tach_run *run)
{
	const struct tach_tick *last = &run->ticks[run->count - 1];

	if (!s->known || last->time > s->time)
		*s = (struct tally_state){last->time, 0, true};
	if (last->time == s->time)
		s->status |= last->status;
}

/* The outermost frame of a run, counted from the inside, with which others count; 0:
 * there is none. */
static uint32_t
outermost_caller(struct tally *t, const struct tach_run *run)
{
	uint32_t i = t->frames == TALLY_FUNCTION ? 0 : run->depth;

	for (; i > 0; i--) {
		uint32_t row = row_of(t, run->frames[i - 1]);
		if (row != HIDDEN && row != TACH_NONE && !has_caller(t, row))
			return i - 1;
	}
	return 0;
}

/* Adds to the rows of a run's frames. */
static bool
add_frames(struct tally *t, struct tally_second *s, const struct tach_run *run,
    const struct tally_cost *c)
{
	uint32_t caller = outermost_caller(t, run);
	bool inner = true;

	for (uint32_t i = 0; i < run->depth; i++) {
		uint32_t row = row_of(t, run->frames[i]);
		if (row == HIDDEN || (row != TACH_NONE && i < caller &&
			has_caller(t, row)))
			continue;
		if (row == TACH_NONE || !add_to_row(t, s, row, c, inner))
			return false;
		inner = false;
	}
	return !inner || add_without_frames(t, s, c);
}

/* Adds to the nodes of a run's frames, which are below that of its thread or process if
 * these are rows. */
static bool
add_nodes(struct tally *t, struct tally_second *s, const struct tach_run *run,
    uint32_t thread, const struct tally_cost *c)
{
	uint32_t root = TACH_NONE, last = TACH_NONE;
	const struct tally_path *path;
	bool inner = true;

	if (has_threads(t) &&
	    (root = add_node(t, TACH_NONE, thread, NULL)) == TACH_NONE)
		return false;
	if ((path = find_path(t, run, root)) == NULL)
		return false;
	for (uint32_t k = path->depth; k-- > 0;) {
		if (path->nodes[k] == last || path->nodes[k] == TACH_NONE)
			continue;
		last = path->nodes[k];
		if (!add_to_row(t, s, last, c, inner))
			return false;
		inner = false;
	}
	if (root != TACH_NONE && root != last)
		return add_to_row(t, s, root, c, inner);
	return !inner || add_without_frames(t, s, c);
}

static bool
add_run(struct tally *t, struct tally_second *s, const struct tach_run *run,
    const struct tally_cost *c)
{
	uint32_t thread;

	if (!thread_row(t, run, &thread))
		return false;
	if (has_threads(t))
		take_state(&t->states[thread], run);
	if (t->tree)
		return add_nodes(t, s, run, thread, c);
	return has_threads(t) ? add_to_row(t, s, thread, c, true) :
				add_frames(t, s, run, c);
}

static void
begin_second(struct tally_second *s, uint64_t number)
{
	s->number = number;
	s->all = (struct tally_cost){0};
	for (size_t i = 0; i < s->nused; i++)
		s->rows[s->used[i]] = (struct tally_cost){0};
	s->nused = 0;
}

/* The second of a time, which may begin with it; NULL: too old, or none are kept. */
static struct tally_second *
second_of(struct tally *t, uint64_t time)
{
	uint64_t number = time / 1000000;
	struct tally_second *s = &t->seconds[number % TALLY_SECONDS];

	if (!t->recent || s->number > number)
		return NULL;
	if (s->number < number)
		begin_second(s, number);
	return s;
}

/* Adds the ticks of a run that are of one second; all of them if seconds are not kept.
 * Returns how many; 0: out of memory. */
static size_t
add_second(struct tally *t, const struct tach_run *run, size_t from)
{
	struct tally_second *s = second_of(t, run->ticks[from].time);
	size_t end = t->recent ? from + 1 : run->count;
	struct tally_cost c;

	while (end < run->count && run->ticks[end].time / 1000000 ==
	    run->ticks[from].time / 1000000)
		end++;
	c = cost_of(run->ticks + from, end - from, tach_table_switches(t->from));
	t->runs++;
	add_cost(&t->all, &c);
	if (s != NULL)
		add_cost(&s->all, &c);
	return add_run(t, s, run, &c) ? end - from : 0;
}

bool
tally_has_samples(const struct tally *t, uint32_t row)
{
	return t->seen[row] != 0;
}

uint64_t
tally_duration(const struct tally *t)
{
	return t->all.samples > 0 ? t->end - t->begin : 0;
}

/* Takes the begin and the end of a run. */
static void
take_time(struct tally *t, const struct tach_run *run)
{
	uint64_t end = tick_end(&run->ticks[run->count - 1]);

	if (t->all.samples == 0 || run->ticks[0].time < t->begin)
		t->begin = run->ticks[0].time;
	if (end > t->end)
		t->end = end;
}

static int
tally_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct tally *t = sink->arg;
	size_t done = 0, n;

	if (run->count == 0)
		return TACH_OK;
	take_time(t, run);
	do
		done += n = add_second(t, run, done);
	while (n > 0 && done < run->count);
	return n > 0 ? TACH_OK : TACH_FATAL;
}

/* ---- trees --------------------------------------------------------------- */

void
tally_make_tree(struct tally *t)
{
	t->tree = true;
}

uint32_t
tally_callee(const struct tally *t, uint32_t node)
{
	return node == TACH_NONE ? t->root : t->nodes[node].callee;
}

uint32_t
tally_sister(const struct tally *t, uint32_t node)
{
	return t->nodes[node].sister;
}

/* ---- the last seconds ---------------------------------------------------- */

void
tally_keep_recent(struct tally *t)
{
	t->recent = true;
}

/* Whether a second is among the last ones. */
static bool
is_recent(const struct tally *t, const struct tally_second *s)
{
	return s->number + TALLY_SECONDS > t->end / 1000000;
}

struct tally_cost
tally_recent_all(const struct tally *t)
{
	struct tally_cost all = {0};

	for (size_t k = 0; k < TALLY_SECONDS; k++)
		if (is_recent(t, &t->seconds[k]))
			add_cost(&all, &t->seconds[k].all);
	return all;
}

struct tally_cost
tally_recent_row(const struct tally *t, uint32_t row)
{
	struct tally_cost c = {.line = t->rows[row].line};

	for (size_t k = 0; k < TALLY_SECONDS; k++)
		if (is_recent(t, &t->seconds[k]) && row < t->seconds[k].max)
			add_cost(&c, &t->seconds[k].rows[row]);
	return c;
}

void
tally_recent(const struct tally *t, struct tally_cost rows[])
{
	for (uint32_t i = 0; i < t->nrows; i++)
		rows[i] = (struct tally_cost){.line = t->rows[i].line};
	for (size_t k = 0; k < TALLY_SECONDS; k++) {
		const struct tally_second *s = &t->seconds[k];
		for (size_t i = 0; is_recent(t, s) && i < s->nused; i++)
			add_cost(&rows[s->used[i]], &s->rows[s->used[i]]);
	}
}

/* ---- life ---------------------------------------------------------------- */

static int
tally_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct tally *t = sink->arg;

	(void)meta;
	t->from = table;
	return TACH_OK;
}

/* All that can fail is to get memory. */
static enum tach_error
tally_error(const struct tach_sink *sink, const char **line)
{
	(void)sink;
	*line = "out of memory";
	return TACH_ENOMEM;
}

bool
tally_init(struct tally *t, enum tally_group group)
{
	*t = (struct tally){.group = group, .frames = group, .root = TACH_NONE,
	    .table = tach_table_new()};
	if (has_threads(t))
		t->frames = TALLY_FUNCTION;
	t->sink = (struct tach_sink){.size = sizeof(t->sink), .arg = t,
	    .begin = tally_begin, .run = tally_run,
	    .error = tally_error};
	return t->table != NULL;
}

void
tally_clear(struct tally *t)
{
	tach_table_free(t->table);
	for (size_t i = 0; i < TALLY_SECONDS; i++) {
		free(t->seconds[i].rows);
		free(t->seconds[i].used);
	}
	for (uint32_t i = 0; i < t->npaths; i++)
		free(t->paths[i].nodes);
	processes_clear(&t->processes);
	free(t->paths);
	free(t->nodes);
	free(t->states);
	free(t->string_of);
	free(t->rows);
	free(t->row_of);
	free(t->thread_rows);
	free(t->seen);
	free(t->kinds);
	*t = (struct tally){0};
}
