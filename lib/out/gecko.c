/* SPDX-License-Identifier: ISC */
/*
 * gecko.c: the processed format of the Firefox Profiler, version 57.  Every
 * thread has tables of its own, and each table an array for every column.
 *
 * So nothing can be written before the end.  Until then stacks are nodes of a
 * tree, and samples take a few bytes each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/functions.h"
#include "out/gzip.h"
#include "out/limits.h"
#include "out/numbers.h"
#include "out/out.h"
#include "out/pairs.h"
#include "out/states.h"
#include "out/strings.h"
#include "out/ticks.h"
#include "out/timeline.h"

enum category {
	OTHER,
	IDLE,
	PYTHON,
	NATIVE,
	GC,
	GIL,
	CPU,
	EXCEPTION,
	C_FUNCTION,
	KERNEL,
};

#define CATEGORY(name, color) \
	"{\"name\":\"" name "\",\"color\":\"" color \
	"\",\"subcategories\":[\"Other\"]}"

static const char categories[] =
    "[" CATEGORY("Other", "grey") "," CATEGORY("Idle", "transparent") ","
    CATEGORY("Python", "yellow") "," CATEGORY("Native", "blue") ","
    CATEGORY("GC", "orange") "," CATEGORY("GIL", "green") ","
    CATEGORY("CPU", "purple") "," CATEGORY("Exception", "lightblue") ","
    CATEGORY("C function", "magenta") "," CATEGORY("Kernel", "brown") "]";

static const struct {
	const char *name;
	enum category category;
} markers[STATES] = {
	[STATE_GIL] = {"Has GIL", GIL},
	[STATE_NO_GIL] = {"No GIL", GIL},
	[STATE_CPU] = {"On CPU", CPU},
	[STATE_NO_CPU] = {"Off CPU", CPU},
	[STATE_WANTS_GIL] = {"Waiting for GIL", GIL},
	[STATE_EXCEPTION] = {"Has Exception", EXCEPTION},
	[STATE_GC] = {"GC Collecting", GC},
};

struct gecko_track {
	bool known;
	bool main; /* shown as its process's main thread */
	uint64_t thread;
	uint32_t interp;
	/* Its process, 0: not known, and which one of those with this number. */
	uint32_t pid, twin;
	uint32_t number; /* of the aggregate's thread */
	struct ticks ticks;
};

struct gecko {
	struct tach_sink sink;
	FILE *gzip; /* between out and the file; NULL if not compressed */
	FILE *file;
	struct emit out;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct tracks tracks;
	uint8_t seen; /* statuses */
	size_t kept;  /* bytes of all tracks' ticks */
	/* Set at the end. */
	struct strings strings;
	struct functions functions;
	bool no_memory;
	uint32_t *order; /* nodes without roots, grouped by thread */
	uint32_t *begin; /* where a thread's nodes begin in `order`; one more */
	uint32_t *index; /* by node: its index among the thread's nodes */
	uint32_t most;	 /* greatest number of nodes of one thread */
	uint8_t *gc;	 /* by node: <GC> is in its stack; NULL if in none */
	/* The thread that is being written, and numbers for its keys. */
	const struct gecko_track *track;
	struct numbers special, frames, funcs, resources;
	const struct location **files; /* by resource: a location in it */
	struct states states;
	struct error error;
};

/* ---- while samples come -------------------------------------------------- */

static uint32_t
node_thread(const struct aggregate *a, uint32_t node)
{
	while (!node_is_root(&a->nodes[node]))
		node = a->nodes[node].parent;
	return a->nodes[node].what;
}

static int
keep_ticks(struct gecko *g, struct gecko_track *l, uint32_t node,
    const struct tach_run *run)
{
	size_t before = l->ticks.bytes.len;

	if (g->kept > LIMIT_TICKS)
		return error_set(&g->error, TACH_ELIMIT, LIMIT_TEXT("samples"));
	if (!ticks_add(&l->ticks, node, run->ticks, run->count))
		return emit_failed(&g->out, &g->error);
	g->kept += l->ticks.bytes.len - before;
	return TACH_OK;
}

static int
gecko_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct gecko *g = sink->arg;

	g->meta = meta;
	aggregate_init(&g->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true});
	return TACH_OK;
}

static int
gecko_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct gecko *g = sink->arg;
	uint32_t node = aggregate_stack(&g->stacks, run);
	struct gecko_track *l = tracks_find(&g->tracks, run->index, sizeof(*l));

	if (node == TACH_NONE)
		return aggregate_failed(&g->stacks, &g->error);
	if (l == NULL)
		return emit_failed(&g->out, &g->error);
	if (!l->known) {
		l->known = true;
		l->thread = run->thread;
		l->interp = run->interp;
		l->number = node_thread(&g->stacks, node);
	}
	for (size_t i = 0; i < run->count; i++)
		g->seen |= run->ticks[i].status;
	return keep_ticks(g, l, node, run);
}

/* ---- the nodes of each thread -------------------------------------------- */

/* Sorts the nodes by thread.  Parents stay before their children. */
static void
sort_nodes(struct gecko *g)
{
	const struct node *nodes = g->stacks.nodes;
	uint32_t n = g->stacks.nnodes, *thread = g->index;

	for (uint32_t i = 0; i < n; i++) {
		bool root = node_is_root(&nodes[i]);
		thread[i] = root ? nodes[i].what : thread[nodes[i].parent];
		if (!root)
			g->begin[thread[i] + 1]++;
	}
	for (uint32_t i = 0; i < g->stacks.nthreads; i++) {
		if (g->begin[i + 1] > g->most)
			g->most = g->begin[i + 1];
		g->begin[i + 1] += g->begin[i];
	}
	for (uint32_t i = 0; i < n; i++)
		if (!node_is_root(&nodes[i]))
			g->order[g->begin[thread[i]]++] = i;
	/* Each count is where the next thread begins. */
	memmove(g->begin + 1, g->begin,
	    g->stacks.nthreads * sizeof(*g->begin));
	g->begin[0] = 0;
	for (uint32_t t = 0; t < g->stacks.nthreads; t++)
		for (uint32_t i = g->begin[t]; i < g->begin[t + 1]; i++)
			g->index[g->order[i]] = i - g->begin[t];
}

/* The category of a frame.  A thread that waits for the GIL is not idle. */
static enum category
category_of(const struct location *p)
{
	static const enum category of[KINDS] = {
		[KIND_SOURCE] = PYTHON,
		[KIND_CALLEE] = C_FUNCTION,
		[KIND_NATIVE] = NATIVE,
		[KIND_KERNEL] = KERNEL,
		[KIND_WAIT] = IDLE,
		[KIND_GC] = GC,
		[KIND_TASK] = PYTHON,
		[KIND_MARK] = OTHER,
	};

	return p->kind == KIND_WAIT && p->func.len >= 3 &&
	    memcmp(p->func.bytes, "GIL", 3) == 0 ? GIL : of[p->kind];
}

static bool
find_gc(struct gecko *g)
{
	const struct locations *p = &g->stacks.locations;
	const struct node *nodes = g->stacks.nodes;
	uint32_t location = 0;

	while (location < p->count && category_of(&p->all[location]) != GC)
		location++;
	if (location == p->count)
		return true;
	if ((g->gc = calloc(g->stacks.nnodes, 1)) == NULL)
		return false;
	for (uint32_t i = 0; i < g->stacks.nnodes; i++)
		if (!node_is_root(&nodes[i]))
			g->gc[i] = nodes[i].what == location ||
			    g->gc[nodes[i].parent];
	return true;
}

static bool
gecko_prepare(struct gecko *g)
{
	size_t nodes = (size_t)g->stacks.nnodes + 1;
	size_t locations;

	aggregate_settle(&g->stacks);
	g->order = malloc(nodes * sizeof(*g->order));
	g->index = malloc(nodes * sizeof(*g->index));
	g->begin = calloc((size_t)g->stacks.nthreads + 2, sizeof(*g->begin));
	if (g->order == NULL || g->index == NULL || g->begin == NULL ||
	    !functions_init(&g->functions, &g->stacks.locations) || !find_gc(g))
		return false;
	sort_nodes(g);
	locations = g->stacks.locations.count;
	g->files = malloc(((size_t)g->functions.nfiles + 1) *
	    sizeof(*g->files));
	return g->files != NULL &&
	    numbers_init(&g->special, (size_t)g->most + 2) &&
	    numbers_init(&g->frames, (locations + 1) * 2) &&
	    numbers_init(&g->funcs, (size_t)g->functions.count + 1) &&
	    numbers_init(&g->resources, g->functions.nfiles);
}

/* ---- tables, column by column -------------------------------------------- */

/* Writes the entry at an index of a column. */
typedef void cell_fn(struct gecko *, uint32_t);

static void
next_cell(struct gecko *g, bool first)
{
	if (!first)
		emit_bytes(&g->out, ",", 1);
}

static void
begin_column(struct gecko *g, const char *name)
{
	emit(&g->out, "\"");
	emit(&g->out, name);
	emit(&g->out, "\":[");
}

static void
put_column(struct gecko *g, const char *name, uint32_t count, cell_fn *put)
{
	begin_column(g, name);
	for (uint32_t i = 0; i < count; i++) {
		next_cell(g, i == 0);
		put(g, i);
	}
	emit(&g->out, "],");
}

static void
put_same(struct gecko *g, const char *name, uint64_t count, const char *text)
{
	begin_column(g, name);
	for (uint64_t i = 0; i < count; i++) {
		next_cell(g, i == 0);
		emit(&g->out, text);
	}
	emit(&g->out, "],");
}

static void
end_table(struct gecko *g, uint64_t count)
{
	emit(&g->out, "\"length\":");
	emit_number(&g->out, count);
	emit(&g->out, "}");
}

/* Writes microseconds as milliseconds. */
static void
put_ms(struct gecko *g, uint64_t us)
{
	char digits[] = ".000";
	unsigned rest = (unsigned)(us % 1000);
	size_t n = 4;

	emit_number(&g->out, us / 1000);
	if (rest == 0)
		return;
	digits[1] = (char)('0' + rest / 100);
	digits[2] = (char)('0' + rest / 10 % 10);
	digits[3] = (char)('0' + rest % 10);
	while (digits[n - 1] == '0')
		n--;
	emit_bytes(&g->out, digits, n);
}

static void
put_string(struct gecko *g, struct tach_string s)
{
	uint32_t number = strings_find(&g->strings, s);

	g->no_memory |= number == TACH_NONE;
	emit_number(&g->out, number);
}

static void
put_text(struct gecko *g, const char *text)
{
	put_string(g, (struct tach_string){text, strlen(text)});
}

/* ---- samples ------------------------------------------------------------- */

static uint32_t
nnodes(const struct gecko *g)
{
	return g->begin[g->track->number + 1] - g->begin[g->track->number];
}

static uint32_t
node_at(const struct gecko *g, uint32_t index)
{
	return g->order[g->begin[g->track->number] + index];
}

/*
 * A thread's stacks are its nodes, and behind them special stacks.  A special
 * stack's key is the index of a node, for this node in an idle thread: its
 * frame differs, since it has another category.  The key `most` stands for no
 * frames, and most + 1 for no frames in an idle thread.
 */
static uint32_t
stack_of(struct gecko *g, const struct ticks_cursor *c)
{
	bool idle = tach_status_idle(c->tick.status) && !g->options->keep_idle;
	bool none = node_is_root(&g->stacks.nodes[c->stack]);

	if (none)
		return nnodes(g) + numbers_of(&g->special, g->most + idle);
	if (idle)
		return nnodes(g) + numbers_of(&g->special, g->index[c->stack]);
	return g->index[c->stack];
}

static bool
put_stacks(struct gecko *g)
{
	struct ticks_cursor c = ticks_first(&g->track->ticks);

	states_begin(&g->states, g->seen, &g->error);
	begin_column(g, "stack");
	for (bool first = true; ticks_next(&c); first = false) {
		next_cell(g, first);
		emit_number(&g->out, stack_of(g, &c));
		if (!states_add(&g->states, &c.tick,
			g->gc != NULL && g->gc[c.stack]))
			return false;
	}
	emit(&g->out, "],");
	return states_end(&g->states);
}

static void
put_times(struct gecko *g)
{
	struct ticks_cursor c = ticks_first(&g->track->ticks);

	begin_column(g, "time");
	for (bool first = true; ticks_next(&c); first = false) {
		next_cell(g, first);
		put_ms(g, c.tick.time);
	}
	emit(&g->out, "],");
}

static void
gecko_put_weights(struct gecko *g)
{
	struct ticks_cursor c = ticks_first(&g->track->ticks);
	bool counts = g->options->weight == TACH_WEIGHT_SAMPLES;
	uint8_t switches = tach_table_switches(g->stacks.locations.table);

	if (counts && (g->seen & switches) == 0) {
		emit(&g->out, "\"weight\":null,\"weightType\":\"samples\",");
		return;
	}
	begin_column(g, "weight");
	for (bool first = true; ticks_next(&c); first = false) {
		next_cell(g, first);
		if (counts)
			emit(&g->out, c.tick.status & switches ? "0" : "1");
		else
			put_ms(g, c.tick.duration);
	}
	emit(&g->out, counts ? "],\"weightType\":\"samples\"," :
	    "],\"weightType\":\"tracing-ms\",");
}

/* Writes the CPU time since the sample before, in nanoseconds. */
static void
put_cpu(struct gecko *g)
{
	struct ticks_cursor c = ticks_first(&g->track->ticks);
	uint64_t cpu = 0;

	if ((g->seen & TACH_STATUS_CPU) == 0 ||
	    (g->seen & TACH_STATUS_UNKNOWN) != 0)
		return;
	begin_column(g, "threadCPUDelta");
	for (bool first = true; ticks_next(&c); first = false) {
		next_cell(g, first);
		emit_number(&g->out, cpu * 1000);
		cpu = c.tick.status & TACH_STATUS_CPU ? c.tick.duration : 0;
	}
	emit(&g->out, "],");
}

static bool
gecko_put_samples(struct gecko *g)
{
	emit(&g->out, ",\n\"samples\":{");
	if (!put_stacks(g))
		return false;
	put_times(g);
	put_cpu(g);
	gecko_put_weights(g);
	end_table(g, g->track->ticks.count);
	return true;
}

/* ---- stacks and frames --------------------------------------------------- */

/* A frame's key is the number of its location times two, plus one in idle
 * threads.  The number after the last location stands for no frames. */
static void
put_stack_frame(struct gecko *g, uint32_t i)
{
	uint32_t n = nnodes(g), key, frame;

	if (i < n) {
		frame = g->stacks.nodes[node_at(g, i)].what * 2;
	} else if ((key = g->special.keys[i - n]) < g->most) {
		frame = g->stacks.nodes[node_at(g, key)].what * 2 + 1;
	} else {
		frame = g->stacks.locations.count * 2 + (key - g->most);
	}
	emit_number(&g->out, numbers_of(&g->frames, frame));
}

static void
put_stack_prefix(struct gecko *g, uint32_t i)
{
	const struct node *nodes = g->stacks.nodes;
	uint32_t n = nnodes(g), parent;

	if (i >= n)
		i = g->special.keys[i - n];
	if (i < g->most) {
		parent = nodes[node_at(g, i)].parent;
		if (!node_is_root(&nodes[parent])) {
			emit_number(&g->out, g->index[parent]);
			return;
		}
	}
	emit(&g->out, "null");
}

/* NULL if there are no frames. */
static const struct location *
frame_location(const struct gecko *g, uint32_t i)
{
	uint32_t location = g->frames.keys[i] / 2;

	if (location == g->stacks.locations.count)
		return NULL;
	return &g->stacks.locations.all[location];
}

static void
put_frame_category(struct gecko *g, uint32_t i)
{
	const struct location *p = frame_location(g, i);

	emit_number(&g->out, g->frames.keys[i] % 2 != 0 ? IDLE :
		p == NULL ? OTHER : category_of(p));
}

static void
put_frame_func(struct gecko *g, uint32_t i)
{
	uint32_t location = g->frames.keys[i] / 2;

	emit_number(&g->out, numbers_of(&g->funcs,
	    frame_location(g, i) != NULL ? g->functions.of[location] :
					g->functions.count));
}

static void
put_line(struct gecko *g, const struct location *p)
{
	if (p != NULL && p->line > 0)
		emit_number(&g->out, (uint64_t)p->line);
	else
		emit(&g->out, "null");
}

static void
put_frame_line(struct gecko *g, uint32_t i)
{
	put_line(g, frame_location(g, i));
}

static void
put_stack_table(struct gecko *g)
{
	uint32_t n = nnodes(g) + g->special.count;

	emit(&g->out, ",\n\"stackTable\":{");
	put_column(g, "frame", n, put_stack_frame);
	put_column(g, "prefix", n, put_stack_prefix);
	end_table(g, n);
	n = g->frames.count;
	emit(&g->out, ",\n\"frameTable\":{");
	put_same(g, "address", n, "-1");
	put_same(g, "inlineDepth", n, "0");
	put_column(g, "category", n, put_frame_category);
	put_same(g, "subcategory", n, "0");
	put_column(g, "func", n, put_frame_func);
	put_same(g, "nativeSymbol", n, "null");
	put_same(g, "innerWindowID", n, "null");
	put_column(g, "line", n, put_frame_line);
	put_same(g, "column", n, "null");
	end_table(g, n);
}

/* ---- functions and files ------------------------------------------------- */

/* The first line of a function; NULL for no frames. */
static const struct location *
func_location(const struct gecko *g, uint32_t i)
{
	uint32_t f = g->funcs.keys[i];

	return f == g->functions.count ? NULL : &g->stacks.locations.all[
	    g->functions.lines[g->functions.functions[f].begin]];
}

static bool
has_source(const struct location *p)
{
	return p != NULL && category_of(p) == PYTHON;
}

static void
put_func_name(struct gecko *g, uint32_t i)
{
	const struct location *p = func_location(g, i);

	if (p != NULL)
		put_string(g, p->func);
	else
		put_text(g, NO_FRAMES);
}

static void
put_func_python(struct gecko *g, uint32_t i)
{
	emit(&g->out, has_source(func_location(g, i)) ? "true" : "false");
}

/* Whether a view of Python's frames alone shows the function. */
static void
put_func_relevant(struct gecko *g, uint32_t i)
{
	const struct location *p = func_location(g, i);

	emit(&g->out, p != NULL && kind_is_c(p->kind) ? "false" : "true");
}

static void
put_func_resource(struct gecko *g, uint32_t i)
{
	const struct location *p = func_location(g, i);
	uint32_t resource;

	if (p == NULL || synthetic(p->file, p->line)) {
		emit(&g->out, "-1");
		return;
	}
	resource = numbers_of(&g->resources,
	    g->functions.functions[g->funcs.keys[i]].file);
	g->files[resource] = p;
	emit_number(&g->out, resource);
}

static void
put_resource_name(struct gecko *g, uint32_t i)
{
	put_string(g, g->files[i]->file);
}

static void
put_func_file(struct gecko *g, uint32_t i)
{
	const struct location *p = func_location(g, i);

	if (has_source(p))
		put_string(g, p->file);
	else
		emit(&g->out, "null");
}

static void
put_func_line(struct gecko *g, uint32_t i)
{
	put_line(g, func_location(g, i));
}

static void
put_funcs(struct gecko *g)
{
	uint32_t n = g->funcs.count;

	emit(&g->out, ",\n\"funcTable\":{");
	put_column(g, "name", n, put_func_name);
	put_column(g, "isJS", n, put_func_python);
	put_column(g, "relevantForJS", n, put_func_relevant);
	put_column(g, "resource", n, put_func_resource);
	put_column(g, "fileName", n, put_func_file);
	put_column(g, "lineNumber", n, put_func_line);
	put_same(g, "columnNumber", n, "null");
	end_table(g, n);
}

#define LIBRARY "1" /* the type of a resource */

static void
put_resources(struct gecko *g)
{
	uint32_t n = g->resources.count;

	emit(&g->out, ",\n\"resourceTable\":{");
	put_same(g, "lib", n, "null");
	put_column(g, "name", n, put_resource_name);
	put_same(g, "host", n, "null");
	put_same(g, "type", n, LIBRARY);
	end_table(g, n);
	emit(&g->out, ",\n\"nativeSymbols\":{");
	put_same(g, "libIndex", 0, "");
	put_same(g, "address", 0, "");
	put_same(g, "name", 0, "");
	put_same(g, "functionSize", 0, "");
	end_table(g, 0);
}

/* ---- markers ------------------------------------------------------------- */

#define MARKER "{\"type\":\"state\"}"
#define SCHEMA "{\"name\":\"state\"," \
	"\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[]}"
#define INTERVAL "1" /* the phase of a marker */

static void
put_marker_name(struct gecko *g, uint32_t i)
{
	put_text(g, markers[g->states.intervals[i].state].name);
}

static void
put_marker_begin(struct gecko *g, uint32_t i)
{
	put_ms(g, g->states.intervals[i].begin);
}

static void
put_marker_end(struct gecko *g, uint32_t i)
{
	put_ms(g, g->states.intervals[i].end);
}

static void
put_marker_category(struct gecko *g, uint32_t i)
{
	emit_number(&g->out,
	    markers[g->states.intervals[i].state].category);
}

static void
put_markers(struct gecko *g)
{
	uint32_t n = g->states.count;

	emit(&g->out, ",\n\"markers\":{");
	put_same(g, "data", n, MARKER);
	put_column(g, "name", n, put_marker_name);
	put_column(g, "startTime", n, put_marker_begin);
	put_column(g, "endTime", n, put_marker_end);
	put_same(g, "phase", n, INTERVAL);
	put_column(g, "category", n, put_marker_category);
	end_table(g, n);
}

/* ---- the file ------------------------------------------------------------ */

static void
put_title(struct gecko *g)
{
	const char *title = g->options->title;

	if (title == NULL)
		title = "Python";
	emit_json(&g->out, (struct tach_string){title, strlen(title)});
}

/* One more of that number.  Returns how many there were; TACH_NONE: out of memory. */
static uint32_t
count_twin(struct pairs *counts, uint32_t pid)
{
	uint32_t count = pairs_find(counts, pid, 0);

	if (count != 0)
		pairs_slot(counts, pid, 0)->value++;
	else if (!pairs_add(counts, pid, 0, 1))
		return TACH_NONE;
	return count;
}

/* Finds the process of a track.  Two processes of one number are two, by their first
 * interpreters: recordings of containers can all have process 1.  False if out of
 * memory. */
static bool
find_process(const struct gecko *g, struct pairs *twins, struct pairs *counts,
    struct gecko_track *t)
{
	uint32_t first, known;

	t->pid = tach_table_process(g->stacks.locations.table, t->interp, &first);
	if (t->pid == 0)
		return true;
	known = pairs_find(twins, first, 0);
	t->twin = known != 0 ? known - 1 : count_twin(counts, t->pid);
	return t->twin != TACH_NONE &&
	    (known != 0 || pairs_add(twins, first, 0, t->twin + 1));
}

static bool
find_processes(struct gecko *g)
{
	struct gecko_track *tracks = g->tracks.tracks;
	struct pairs twins = {0}, counts = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < g->tracks.count; i++)
		ok = find_process(g, &twins, &counts, &tracks[i]);
	pairs_clear(&twins);
	pairs_clear(&counts);
	return ok;
}

/* Makes a track the main thread of its process, unless that has one.  Interpreters of
 * which no process is known are one process.  False if out of memory. */
static bool
make_main(struct pairs *mains, struct gecko_track *t)
{
	if (pairs_find(mains, t->pid, t->twin) != 0)
		return true;
	t->main = true;
	return pairs_add(mains, t->pid, t->twin, 1);
}

/* Chooses the main thread of each process, by which the viewer shows it: the first one
 * that is the main thread at a sample, or else the first one. */
static bool
choose_mains(struct gecko *g)
{
	struct gecko_track *tracks = g->tracks.tracks;
	struct pairs mains = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < g->tracks.count; i++)
		if (g->stacks.threads[tracks[i].number].main)
			ok = make_main(&mains, &tracks[i]);
	for (uint32_t i = 0; ok && i < g->tracks.count; i++)
		ok = make_main(&mains, &tracks[i]);
	pairs_clear(&mains);
	return ok;
}

static void
put_thread_head(struct gecko *g, const char *name)
{
	const struct gecko_track *l = g->track;
	struct ticks_cursor c = ticks_first(&l->ticks);

	emit(&g->out, "{\"name\":");
	emit_json(&g->out, (struct tach_string){name, strlen(name)});
	emit(&g->out, ",\"isMainThread\":");
	emit(&g->out, l->main ? "true" : "false");
	emit(&g->out, ",\"pid\":\"");
	emit_number(&g->out, l->pid);
	if (l->twin > 0) {
		emit(&g->out, ".");
		emit_number(&g->out, l->twin);
	}
	emit(&g->out, "\",\"tid\":");
	emit_number(&g->out, l->thread);
	emit(&g->out, ",\"registerTime\":");
	put_ms(g, ticks_next(&c) ? c.tick.time : 0);
	emit(&g->out, ",\"unregisterTime\":null,\"pausedRanges\":[],"
		      "\"processType\":\"default\","
		      "\"processStartupTime\":0,"
		      "\"processShutdownTime\":null,\"processName\":");
	put_title(g);
}

static bool
put_thread(struct gecko *g, const struct gecko_track *l, const char *name)
{
	g->track = l;
	numbers_reset(&g->special);
	numbers_reset(&g->frames);
	numbers_reset(&g->funcs);
	numbers_reset(&g->resources);
	put_thread_head(g, name);
	if (!gecko_put_samples(g))
		return false;
	put_stack_table(g);
	put_funcs(g);
	put_resources(g);
	put_markers(g);
	emit(&g->out, "}");
	return g->out.error == 0;
}

/* Whether there are frames of C code, which the viewer can then leave out. */
static bool
has_c_code(const struct gecko *g)
{
	const struct locations *p = &g->stacks.locations;
	uint32_t i = 0;

	while (i < p->count && !kind_is_c(p->all[i].kind))
		i++;
	return i < p->count;
}

static void
put_meta(struct gecko *g)
{
	const struct tach_meta *m = g->meta;
	struct emit *e = &g->out;

	emit(e, "{\"meta\":{\"version\":32,\"preprocessedProfileVersion\":57,"
		"\"importedFrom\":\"tach ");
	emit(e, tach_version());
	emit(e, "\",\"product\":\"");
	emit(e, locations_of_python(&g->stacks.locations, m) ? "Python" : "program");
	for (int i = 0; i < 3 && m->python[0] != 0; i++) {
		emit(e, i > 0 ? "." : " ");
		emit_number(e, m->python[i]);
	}
	emit(e, "\",\"interval\":");
	put_ms(g, m->interval_us != 0 ? m->interval_us : 1000);
	emit(e, ",\"startTime\":");
	put_ms(g, tach_table_first_time(g->stacks.locations.table));
	emit(e, ",\"processType\":0,\"stackwalk\":0,"
		"\"abi\":\"\",\"misc\":\"\",\"oscpu\":\"\",\"platform\":\"\","
		"\"toolkit\":\"\",\"appBuildID\":\"\",\"CPUName\":\"\","
		"\"physicalCPUs\":0,\"logicalCPUs\":0,\"debug\":false,"
		"\"symbolicated\":true,\"usesOnlyOneStackType\":");
	emit(e, has_c_code(g) ? "false" : "true");
	emit(e, ",\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		"\"threadCPUDelta\":\"ns\"},"
		"\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],"
		"\"length\":0},\"markerSchema\":[" SCHEMA "],\"categories\":");
	emit(e, categories);
	emit(e, "},\n\"libs\":[],\"pages\":[],\"threads\":[\n");
}

static void
gecko_put_strings(struct gecko *g)
{
	emit(&g->out, "],\n\"shared\":{\"stringArray\":[");
	for (uint32_t i = 0; i < g->strings.count; i++) {
		emit(&g->out, i > 0 ? ",\n" : "\n");
		emit_json(&g->out, g->strings.strings[i]);
	}
	emit(&g->out, "]}}\n");
}

/* The viewer needs at least one thread. */
static bool
gecko_put_threads(struct gecko *g)
{
	const struct gecko_track *tracks = g->tracks.tracks;
	const struct gecko_track none = {.main = true};
	struct buf name = {0};
	bool ok = find_processes(g) && choose_mains(g);

	for (uint32_t i = 0; ok && i < g->tracks.count; i++) {
		emit(&g->out, i > 0 ? ",\n" : "");
		ok = put_thread(g, &tracks[i], out_thread_name(&name,
		    g->stacks.locations.table, tracks[i].interp,
		    tracks[i].thread));
	}
	buf_clear(&name);
	if (!ok)
		return false;
	return g->tracks.count > 0 || put_thread(g, &none, "no samples");
}

static bool
gecko_put_profile(struct gecko *g)
{
	if (!gecko_prepare(g))
		return false;
	put_meta(g);
	if (!gecko_put_threads(g))
		return false;
	gecko_put_strings(g);
	return !g->no_memory;
}

/* fclose writes the rest of the compressed data. */
static bool
end_file(struct gecko *g)
{
	FILE *gzip = g->gzip;
	int error = emit_end(&g->out);

	g->gzip = NULL;
	if (gzip != NULL && (fclose(gzip) != 0 || fflush(g->file) != 0) &&
	    error == 0)
		error = errno;
	g->out.error = error;
	return error == 0;
}

static int
gecko_end(struct tach_sink *sink)
{
	struct gecko *g = sink->arg;

	if (g->options->gzip && (g->gzip = gzip_open(g->file)) == NULL) {
		g->out.error = errno;
		return emit_failed(&g->out, &g->error);
	}
	if (g->gzip != NULL)
		g->out.file = g->gzip;
	return gecko_put_profile(g) && end_file(g) ? TACH_OK :
	    emit_failed(&g->out, &g->error);
}

/* ---- the sink ------------------------------------------------------------ */

static void
gecko_free(struct tach_sink *sink)
{
	struct gecko *g = sink->arg;
	struct gecko_track *tracks = g->tracks.tracks;

	for (uint32_t i = 0; i < g->tracks.count; i++)
		ticks_clear(&tracks[i].ticks);
	free(tracks);
	if (g->gzip != NULL)
		fclose(g->gzip);
	aggregate_clear(&g->stacks);
	strings_clear(&g->strings);
	functions_clear(&g->functions);
	numbers_clear(&g->special);
	numbers_clear(&g->frames);
	numbers_clear(&g->funcs);
	numbers_clear(&g->resources);
	free(g->states.intervals);
	free(g->files);
	free(g->order);
	free(g->begin);
	free(g->index);
	free(g->gc);
	emit_clear(&g->out);
	free(g);
}

static enum tach_error
gecko_error(const struct tach_sink *sink, const char **line)
{
	const struct gecko *g = sink->arg;

	return error_get(&g->error, line);
}

struct tach_sink *
gecko_open(FILE *out, const struct tach_format_options *options)
{
	struct gecko *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->sink = (struct tach_sink){.size = sizeof(g->sink),
	    .arg = g,
	    .begin = gecko_begin,
	    .run = gecko_run,
	    .end = gecko_end,
	    .free = gecko_free,
	    .error = gecko_error};
	g->file = g->out.file = out;
	g->options = options;
	return &g->sink;
}
