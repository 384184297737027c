/* SPDX-License-Identifier: ISC */
/*
 * flamegraph.c: a page that shows a profile as a flame graph: flamegraph.html
 * with the data in it.  The data are the tree of functions as numbers, in the
 * order of its nodes.  For each node:
 *
 *	how many nodes up its parent is from the one before
 *	its function
 *	how many weights, and each: 32 * thread + state, samples, microseconds
 *	how many lines, and each: line less the one before, samples
 *
 * and names and totals as JSON; the kind of each function is one digit.  A number is
 * written in digits of five bits, the lowest first; a sixth bit in a digit says that
 * more follow.  A state has the low five bits of a status.  In a difference, the
 * baseline is one more thread after the last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "out/emit.h"
#include "out/graph.h"
#include "out/limits.h"
#include "out/out.h"
#include "out/page.h"
#include "out/source.h"

#define TEXT_MAX 200 /* bytes of a line of source */

static const char digits[64] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct flamegraph {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct graph graph;
	double folded; /* the greatest share that was folded */
	struct emit out;
	struct error error;
};

/* ---- numbers ------------------------------------------------------------- */

static void
put_base32(struct flamegraph *f, uint64_t n)
{
	char text[13], *p = text;

	for (; n >= 32; n >>= 5)
		*p++ = digits[32 | (n & 31)];
	*p++ = digits[n];
	emit_bytes(&f->out, text, (size_t)(p - text));
}

/* ---- what went into each node -------------------------------------------- */

/* The nodes of an aggregate that became one node of the graph: those of node n
 * are list[first[n]] to list[first[n + 1] - 1]. */
struct origins {
	uint32_t *first, *list;
};

static bool
find_origins(const struct graph *g, const struct graph_side *side,
    struct origins *o)
{
	uint32_t n = side->stacks != NULL ? side->stacks->nnodes : 0;

	o->first = calloc((size_t)g->nnodes + 2, sizeof(*o->first));
	o->list = reallocarray(NULL, (size_t)n + 1, sizeof(*o->list));
	if (o->first == NULL || o->list == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		o->first[side->node_of[i] + 2]++;
	for (uint32_t i = 0; i < g->nnodes; i++)
		o->first[i + 2] += o->first[i + 1];
	for (uint32_t i = 0; i < n; i++)
		o->list[o->first[side->node_of[i] + 1]++] = i;
	return true;
}

static void
clear_origins(struct origins *o)
{
	free(o->first);
	free(o->list);
}

/* ---- weights ------------------------------------------------------------- */

/* The weight of the samples of one thread and state that end at one node. */
struct thread_weight {
	uint64_t key; /* CLASS_STATES * thread + state */
	struct weight weight;
};

struct thread_weights {
	struct thread_weight *all;
	size_t count, max;
};

static bool
add_parts(struct thread_weights *p, const struct aggregate *a, uint32_t node,
    uint32_t thread)
{
	for (uint32_t i = a->nodes[node].cell; i != TACH_NONE;
	     i = a->cells[i].next) {
		const struct cell *c = &a->cells[i];
		struct thread_weight *all;
		if (c->samples == 0)
			continue;
		if ((all = array_grow(p->all, p->count, &p->max,
			sizeof(*all))) == NULL)
			return false;
		p->all = all;
		all[p->count++] = (struct thread_weight){
		    (uint64_t)CLASS_STATES * thread + c->class,
		    {c->samples, c->time}};
	}
	return true;
}

static int
compare_parts(const void *pa, const void *pb)
{
	const struct thread_weight *a = pa, *b = pb;

	return (a->key > b->key) - (a->key < b->key);
}

/* Makes the parts of one key one. */
static void
unite_parts(struct thread_weights *p)
{
	size_t kept = 0;

	if (p->count == 0)
		return;
	qsort(p->all, p->count, sizeof(*p->all), compare_parts);
	for (size_t i = 1; i < p->count; i++)
		if (p->all[i].key == p->all[kept].key) {
			p->all[kept].weight.samples += p->all[i].weight.samples;
			p->all[kept].weight.time += p->all[i].weight.time;
		} else {
			p->all[++kept] = p->all[i];
		}
	p->count = kept + 1;
}

static void
put_parts(struct flamegraph *f, struct thread_weights *p)
{
	unite_parts(p);
	put_base32(f, p->count);
	for (size_t i = 0; i < p->count; i++) {
		put_base32(f, p->all[i].key);
		put_base32(f, p->all[i].weight.samples);
		put_base32(f, p->all[i].weight.time);
	}
	p->count = 0;
}

/* ---- lines --------------------------------------------------------------- */

struct line_samples {
	int32_t line;
	uint64_t samples;
};

static int
compare_lines(const void *pa, const void *pb)
{
	const struct line_samples *a = pa, *b = pb;

	return (a->line > b->line) - (a->line < b->line);
}

static uint32_t
unite_lines(struct line_samples *lines, uint32_t n)
{
	uint32_t kept = 0;

	qsort(lines, n, sizeof(*lines), compare_lines);
	for (uint32_t i = 1; i < n; i++)
		if (lines[i].line == lines[kept].line)
			lines[kept].samples += lines[i].samples;
		else
			lines[++kept] = lines[i];
	return n > 0 ? kept + 1 : 0;
}

static void
flamegraph_put_lines(struct flamegraph *f, struct line_samples *lines,
    uint32_t n)
{
	int32_t before = 0;

	n = unite_lines(lines, n);
	put_base32(f, n);
	for (uint32_t i = 0; i < n; i++) {
		put_base32(f, (uint32_t)lines[i].line - (uint32_t)before);
		put_base32(f, lines[i].samples);
		before = lines[i].line;
	}
}

/* ---- the tree ------------------------------------------------------------ */

struct tree {
	struct origins now, base;
	uint32_t *thread_of;  /* thread by node of the aggregate */
	uint64_t *samples_of; /* samples that end there or below, likewise */
	struct thread_weights parts;	    /* scratch */
	struct line_samples *lines; /* scratch */
};

static bool
weigh_origins(const struct aggregate *a, struct tree *t)
{
	t->thread_of = calloc((size_t)a->nnodes + 1, sizeof(*t->thread_of));
	t->samples_of = calloc((size_t)a->nnodes + 1, sizeof(*t->samples_of));
	if (t->thread_of == NULL || t->samples_of == NULL)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++) {
		const struct node *n = &a->nodes[i];
		t->thread_of[i] = node_is_root(n) ? n->what :
						    t->thread_of[n->parent];
		t->samples_of[i] = aggregate_weight(a, i, false);
	}
	for (uint32_t i = a->nnodes; i-- > 0;)
		if (!node_is_root(&a->nodes[i]))
			t->samples_of[a->nodes[i].parent] += t->samples_of[i];
	return true;
}

static bool
init_tree(const struct flamegraph *f, struct tree *t)
{
	const struct graph *g = &f->graph;
	uint32_t most = 0;

	*t = (struct tree){0};
	if (!find_origins(g, &g->now, &t->now) ||
	    !find_origins(g, &g->base, &t->base) ||
	    !weigh_origins(&f->stacks, t))
		return false;
	for (uint32_t i = 0; i < g->nnodes; i++)
		if (t->now.first[i + 1] - t->now.first[i] > most)
			most = t->now.first[i + 1] - t->now.first[i];
	t->lines = reallocarray(NULL, (size_t)most + 1, sizeof(*t->lines));
	return t->lines != NULL;
}

static void
clear_tree(struct tree *t)
{
	clear_origins(&t->now);
	clear_origins(&t->base);
	free(t->thread_of);
	free(t->samples_of);
	free(t->parts.all);
	free(t->lines);
}

static bool
flamegraph_put_weights(struct flamegraph *f, struct tree *t, uint32_t node)
{
	bool ok = true;

	for (uint32_t i = t->now.first[node]; i < t->now.first[node + 1]; i++)
		ok = ok && add_parts(&t->parts, &f->stacks, t->now.list[i],
		    t->thread_of[t->now.list[i]]);
	for (uint32_t i = t->base.first[node]; i < t->base.first[node + 1]; i++)
		ok = ok && add_parts(&t->parts, f->graph.base.stacks,
		    t->base.list[i], f->stacks.nthreads);
	put_parts(f, &t->parts);
	return ok;
}

/* A folded node has the number of its nodes in place of the lines. */
static void
put_node_lines(struct flamegraph *f, struct tree *t, uint32_t node)
{
	const struct graph_node *n = &f->graph.nodes[node];
	uint32_t count = 0;

	if (n->function == GRAPH_FOLDED) {
		put_base32(f, 1);
		put_base32(f, 0);
		put_base32(f, n->folded);
		return;
	}
	for (uint32_t i = t->now.first[node]; i < t->now.first[node + 1]; i++) {
		uint32_t from = t->now.list[i];
		const struct node *origin = &f->stacks.nodes[from];
		if (!node_is_root(origin) && t->samples_of[from] > 0)
			t->lines[count++] = (struct line_samples){
			    f->stacks.locations.all[origin->what].line,
			    t->samples_of[from]};
	}
	flamegraph_put_lines(f, t->lines, count);
}

static bool
put_tree(struct flamegraph *f, struct tree *t)
{
	const struct graph *g = &f->graph;

	for (uint32_t i = 1; i < g->nnodes; i++) {
		uint32_t up = 0;
		for (uint32_t at = i - 1; at != g->nodes[i].parent;
		     at = g->nodes[at].parent)
			up++;
		put_base32(f, up);
		put_base32(f, g->nodes[i].function);
		if (!flamegraph_put_weights(f, t, i))
			return false;
		put_node_lines(f, t, i);
	}
	return true;
}

/* ---- source -------------------------------------------------------------- */

/* A sampled line of a file. */
struct sampled_line {
	uint32_t file; /* the number of its name */
	int32_t line;
};

static int
compare_sampled(const void *pa, const void *pb)
{
	const struct sampled_line *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* The lines that were sampled, in order.  NULL if out of memory. */
static struct sampled_line *
find_sampled(struct flamegraph *f)
{
	const struct locations *p = &f->stacks.locations;
	struct sampled_line *s = reallocarray(NULL, (size_t)p->count + 1,
	    sizeof(*s));

	for (uint32_t i = 0; i < p->count && s != NULL; i++) {
		s[i].line = p->all[i].line;
		s[i].file = strings_find(&f->graph.strings, p->all[i].file);
	}
	if (s != NULL)
		qsort(s, p->count, sizeof(*s), compare_sampled);
	return s;
}

static struct tach_string
trim_source(struct tach_string s)
{
	while (s.len > 0 && (*s.bytes == ' ' || *s.bytes == '\t')) {
		s.bytes++;
		s.len--;
	}
	if (s.len > TEXT_MAX)
		for (s.len = TEXT_MAX; s.len > 0 &&
		     (s.bytes[s.len] & 0xc0) == 0x80;)
			s.len--; /* characters are left out as a whole */
	return s;
}

/* Writes the texts of lines of one file, as LINE, TEXT, ... */
static void
put_texts(struct flamegraph *f, const struct buf *text,
    const struct sampled_line *s, uint32_t n)
{
	struct tach_string line;
	const char *before = "";
	int32_t number = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < n && source_line(text, &at, &line);) {
		number++;
		while (i < n && s[i].line < number)
			i++;
		if (i == n || s[i].line != number)
			continue;
		emit(&f->out, before);
		emit_number(&f->out, (uint32_t)number);
		emit(&f->out, ",");
		emit_visible(&f->out, trim_source(line));
		before = ",";
	}
}

/* Writes the texts of the readable files, by the numbers of their names. */
static bool
put_sources(struct flamegraph *f)
{
	struct sampled_line *s = find_sampled(f);
	uint32_t count = f->stacks.locations.count, end;
	struct buf text = {0};
	const char *before = "";

	if (s == NULL)
		return false;
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i; end < count && s[end].file == s[i].file;)
			end++;
		if (!source_read(&text, f->graph.strings.strings[s[i].file],
			f->options->sources))
			continue;
		emit(&f->out, before);
		emit(&f->out, "\"");
		emit_number(&f->out, s[i].file);
		emit(&f->out, "\":[");
		put_texts(f, &text, s + i, end - i);
		emit(&f->out, "]");
		before = ",\n";
	}
	buf_clear(&text);
	free(s);
	return true;
}

/* ---- names --------------------------------------------------------------- */

static void
put_field(struct flamegraph *f, const char *name, uint64_t n)
{
	emit(&f->out, ",\"");
	emit(&f->out, name);
	emit(&f->out, "\":");
	emit_number(&f->out, n);
}

static void
put_facts(struct flamegraph *f, const struct tach_meta *meta, const char *title)
{
	page_put_facts(&f->out, meta, title != NULL ? title : "");
}

static void
put_totals(struct flamegraph *f)
{
	const struct tach_baseline *base = f->options->base;

	emit(&f->out, "{\"now\":");
	put_facts(f, f->meta, f->options->title);
	if (base != NULL) {
		emit(&f->out, ",\n\"base\":");
		put_facts(f, base_meta(base), f->options->base_title);
	}
	put_field(f, "samples", f->stacks.samples);
	put_field(f, "time", f->stacks.time);
	put_field(f, "nodes", f->graph.nnodes);
	put_field(f, "byTime", f->options->weight == TACH_WEIGHT_TIME);
	/* In billionths. */
	put_field(f, "folded", (uint64_t)(f->folded * 1e9));
	put_field(f, "diff", base != NULL);
}

/* Writes how the recordings of the two profiles differed. */
static void
put_caution(struct flamegraph *f)
{
	struct buf text = {0};

	if (f->options->base != NULL)
		base_compare(&text, f->options->base, f->meta);
	emit(&f->out, ",\"unlike\":");
	emit_visible(&f->out, (struct tach_string){text.text, text.len});
	buf_clear(&text);
}

static void
flamegraph_put_threads(struct flamegraph *f)
{
	struct buf name = {0};

	emit(&f->out, ",\n\"threads\":[");
	for (uint32_t i = 0; i < f->stacks.nthreads; i++) {
		const struct aggregate_thread *t = &f->stacks.threads[i];
		aggregate_thread_name(&f->stacks, t, &name);
		if (t->main && f->options->by <= TACH_BY_THREAD) {
			name.len--;
			buf_add(&name, ", main", 7);
		}
		emit(&f->out, i == 0 ? "" : ",");
		emit_visible(&f->out, (struct tach_string){name.text,
		    name.failed ? 0 : name.len - 1});
	}
	buf_clear(&name);
	emit(&f->out, "]");
}

static void
put_names(struct flamegraph *f)
{
	const struct graph *g = &f->graph;

	emit(&f->out, ",\n\"strings\":[");
	for (uint32_t i = 0; i < g->strings.count; i++) {
		emit(&f->out, i == 0 ? "" : ",\n");
		emit_visible(&f->out, g->strings.strings[i]);
	}
	emit(&f->out, "],\n\"functions\":[");
	for (uint32_t i = 0; i < g->nfunctions; i++) {
		emit(&f->out, i == 0 ? "" : ",");
		emit_number(&f->out, g->functions[i].file);
		emit(&f->out, ",");
		emit_number(&f->out, g->functions[i].name);
	}
	emit(&f->out, "],\n\"kinds\":\"");
	for (uint32_t i = 0; i < g->nfunctions; i++)
		emit_number(&f->out, g->functions[i].kind);
	emit(&f->out, "\"");
}

/* ---- the sink ------------------------------------------------------------ */

static int
flamegraph_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct flamegraph *f = sink->arg;

	f->meta = meta;
	aggregate_init(&f->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true, .by = f->options->by,
	    .class_of = class_state});
	return TACH_OK;
}

static int
flamegraph_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct flamegraph *f = sink->arg;

	return aggregate_run(&f->stacks, run) ? TACH_OK :
	    aggregate_failed(&f->stacks, &f->error);
}

static bool
make_graph(struct flamegraph *f)
{
	const struct tach_baseline *base = f->options->base;

	return graph_init(&f->graph, &f->stacks,
	    base != NULL ? base_aggregate(base) : NULL) &&
	    graph_fold(&f->graph, LIMIT_SHOWN, &f->folded);
}

static bool
put_page(struct flamegraph *f, struct tree *t)
{
	bool ok;

	emit_bytes(&f->out, flamegraph_page, page_head(flamegraph_page));
	emit(&f->out, "<script type=\"text/plain\" id=\"tree\">");
	ok = put_tree(f, t);
	emit(&f->out, "</script>\n"
	    "<script type=\"application/json\" id=\"names\">\n");
	put_totals(f);
	put_caution(f);
	flamegraph_put_threads(f);
	put_names(f);
	emit(&f->out, ",\n\"source\":{");
	ok = put_sources(f) && ok;
	emit(&f->out, "}}\n</script>\n");
	emit(&f->out, page_tail(flamegraph_page));
	return ok;
}

static int
flamegraph_end(struct tach_sink *sink)
{
	struct flamegraph *f = sink->arg;
	struct tree t = {0};
	bool ok;

	if (!aggregate_settle(&f->stacks))
		return aggregate_failed(&f->stacks, &f->error);
	ok = make_graph(f) && init_tree(f, &t) && put_page(f, &t);
	clear_tree(&t);
	if (!ok)
		return error_system(&f->error, "", ENOMEM);
	return emit_finish(&f->out, &f->error);
}

static void
flamegraph_free(struct tach_sink *sink)
{
	struct flamegraph *f = sink->arg;

	graph_clear(&f->graph);
	aggregate_clear(&f->stacks);
	emit_clear(&f->out);
	free(f);
}

static enum tach_error
flamegraph_error(const struct tach_sink *sink, const char **line)
{
	const struct flamegraph *f = sink->arg;

	return error_get(&f->error, line);
}

struct tach_sink *
flamegraph_open(FILE *out, const struct tach_format_options *options)
{
	struct flamegraph *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->sink = (struct tach_sink){.size = sizeof(f->sink),
	    .arg = f,
	    .begin = flamegraph_begin,
	    .run = flamegraph_run,
	    .end = flamegraph_end,
	    .free = flamegraph_free,
	    .error = flamegraph_error};
	f->options = options;
	f->out.file = out;
	return &f->sink;
}
