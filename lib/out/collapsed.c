/* SPDX-License-Identifier: ISC */
/*
 * collapsed.c: one line for each distinct stack, root first, and its weight.
 * The heaviest line comes first; lines of equal weight are in the order of
 * their text.  The grammar is that of CPython 3.15's own collector,
 *
 *	tid:THREAD;BASENAME:FUNCTION:LINE;... COUNT
 *
 * or that of another tool that writes such lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/limits.h"
#include "out/out.h"
#include "utf8.h"

/* A grammar: how a stack begins, how a frame is written, and whether stacks
 * with equal text are one line.  In CPython's grammar they are not, since it
 * omits the directories of files. */
struct style {
	/* NULL if the thread is not written unless that is asked for. */
	void (*thread)(struct buf *, const struct aggregate_thread *);
	location_text_fn *frame;
	enum location_kind kind;
};

struct collapsed {
	struct tach_sink sink;
	const struct style *style;
	enum tach_by by;
	bool by_time;
	struct aggregate stacks;
	struct emit out;
	struct error error;
};

/* ---- grammars ------------------------------------------------------------ */

/* A semicolon would end the frame, and the format has no escapes: a comma takes
 * its place. */
static void
add_frame_name(struct buf *b, struct tach_string s)
{
	size_t from = b->len;

	utf8_add_visible(b, s.bytes, s.len);
	for (; from < b->len; from++)
		if (b->text[from] == ';')
			b->text[from] = ',';
}

static void
add_line_number(struct buf *b, int32_t line)
{
	buf_add(b, ":-", line < 0 ? 2 : 1);
	buf_add_number(b, (uint64_t)llabs(line));
}

static struct tach_string
basename_of(struct tach_string file)
{
	const char *slash = file.len == 0 ? NULL :
	    memrchr(file.bytes, '/', file.len);
	size_t dir = slash == NULL ? 0 : (size_t)(slash + 1 - file.bytes);

	return (struct tach_string){file.bytes + dir, file.len - dir};
}

static void
add_file_func_line(struct buf *b, struct tach_string file,
    struct tach_string func, int32_t line)
{
	add_frame_name(b, file);
	buf_add_char(b, ':');
	add_frame_name(b, func);
	add_line_number(b, line);
}

static void
cpython_frame(struct buf *b, struct tach_string file, struct tach_string func,
    int32_t line)
{
	if (synthetic(file, line))
		add_frame_name(b, func);
	else
		add_file_func_line(b, basename_of(file), func, line);
}

static void
cpython_thread(struct buf *b, const struct aggregate_thread *t)
{
	buf_add(b, "tid:", 4);
	buf_add_number(b, t->thread);
	buf_add_char(b, ';');
}

static void
austin_frame(struct buf *b, struct tach_string file, struct tach_string func,
    int32_t line)
{
	if (synthetic(file, line))
		add_frame_name(b, func);
	else
		add_file_func_line(b, file, func, line);
}

/* A profile does not have the process: its number is 0. */
static void
austin_thread(struct buf *b, const struct aggregate_thread *t)
{
	buf_add(b, "P0;T", 4);
	buf_add_number(b, t->interp);
	buf_add_char(b, ':');
	buf_add_number(b, t->thread);
	buf_add_char(b, ';');
}

static void
pyspy_frame(struct buf *b, struct tach_string file, struct tach_string func,
    int32_t line)
{
	add_frame_name(b, func);
	if (synthetic(file, line))
		return;
	buf_add(b, " (", 2);
	add_frame_name(b, file);
	if (line != 0)
		add_line_number(b, line);
	buf_add_char(b, ')');
}

static void
function_frame(struct buf *b, struct tach_string file,
    struct tach_string func, int32_t line)
{
	(void)file, (void)line;
	add_frame_name(b, func);
}

static const struct style styles[] = {
	[TACH_FRAME_CPYTHON] = {cpython_thread, cpython_frame, LOCATION_LINES},
	[TACH_FRAME_PYSPY] = {NULL, pyspy_frame, LOCATION_TEXTS},
	[TACH_FRAME_AUSTIN] = {austin_thread, austin_frame, LOCATION_TEXTS},
	[TACH_FRAME_FUNCTION] = {NULL, function_frame, LOCATION_TEXTS},
};

/* ---- order --------------------------------------------------------------- */

/*
 * Orders lines by their text without comparing lines.  A walk of the tree
 * visits the children of a node in the order of their texts.  A line can end at
 * a node or go on below it.  These are two texts, "f" and "f;", and other texts
 * may lie between: so each is an item of its own.  If the stacks of two nodes
 * have equal texts, the first node is the other one's twin and stands for both.
 */
typedef uint32_t item; /* twice the node, plus one if a line ends here */

struct order {
	const struct collapsed *c;
	uint32_t *ranks; /* of a location's texts, like items */
	uint32_t *twins; /* by node; NULL if all texts differ */
	item *items;
	uint32_t *first; /* of a node's items; one more behind the last */
	struct weighed_line *lines; /* in order */
	struct node_step *steps; /* of the walk, by depth */
	uint32_t nitems, nlines;
	bool equal; /* two locations have the same text */
	size_t deepest; /* greatest depth of a node */
};

/* The items of a node on the path that are left. */
struct node_step {
	uint32_t next, end;
};

struct weighed_line {
	uint64_t weight;
	uint32_t node;
};

/* In the order of their texts nodes are scattered over the memory: a node is
 * prefetched some steps before it is used. */
#define AHEAD 16

static inline void
fetch(const struct collapsed *c, uint32_t node)
{
	__builtin_prefetch(&c->stacks.nodes[node]);
}

/* The key of a sorting pass. */
typedef uint32_t key_fn(const struct order *, uint32_t);

/* Sorts stably by keys below nkeys.  counts gets the begin of each key. */
static void
sort_by(const struct order *o, key_fn *key, uint32_t *counts, uint32_t nkeys,
    const uint32_t *from, uint32_t *to, uint32_t n)
{
	memset(counts, 0, ((size_t)nkeys + 1) * sizeof(*counts));
	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			fetch(o->c, from[i + AHEAD] / 2);
		counts[key(o, from[i]) + 1]++;
	}
	for (uint32_t i = 0; i < nkeys; i++)
		counts[i + 1] += counts[i];
	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			fetch(o->c, from[i + AHEAD] / 2);
		to[counts[key(o, from[i])]++] = from[i];
	}
	/* Each count is where the next key begins. */
	memmove(counts + 1, counts, (size_t)nkeys * sizeof(*counts));
	counts[0] = 0;
}

static struct tach_string
location_text(const struct order *o, uint32_t location)
{
	const struct locations *p = &o->c->stacks.locations;

	if (location == p->count)
		return (struct tach_string){NO_FRAMES, sizeof(NO_FRAMES) - 1};
	return p->all[location].text;
}

/* Compares two texts.  A text that goes on has a semicolon behind it. */
static int
compare_texts(const void *pa, const void *pb, void *arg)
{
	item a = *(const item *)pa, b = *(const item *)pb;
	struct tach_string ta = location_text(arg, a / 2);
	struct tach_string tb = location_text(arg, b / 2);
	size_t n = ta.len < tb.len ? ta.len : tb.len;
	int order = n > 0 ? memcmp(ta.bytes, tb.bytes, n) : 0;
	int ca, cb;

	if (order != 0)
		return order;
	ca = ta.len > n ? (unsigned char)ta.bytes[n] : a & 1 ? -1 : ';';
	cb = tb.len > n ? (unsigned char)tb.bytes[n] : b & 1 ? -1 : ';';
	return ca - cb;
}

/* Ranks all texts of locations, and behind them the text of a stack without
 * frames.  Equal texts have the same rank. */
static bool
rank_texts(struct order *o)
{
	uint32_t n = (o->c->stacks.locations.count + 1) * 2;
	item *texts = reallocarray(NULL, n, sizeof(*texts));

	o->ranks = reallocarray(NULL, n, sizeof(*o->ranks));
	if (texts == NULL || o->ranks == NULL) {
		free(texts);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		texts[i] = i;
	qsort_r(texts, n, sizeof(*texts), compare_texts, o);
	for (uint32_t i = 0; i < n; i++) {
		bool equal = i > 0 &&
		    compare_texts(&texts[i - 1], &texts[i], o) == 0;
		o->ranks[texts[i]] = equal ? o->ranks[texts[i - 1]] : i;
		o->equal |= equal;
	}
	free(texts);
	return true;
}

static uint32_t
twin(const struct order *o, uint32_t node)
{
	return o->twins == NULL ? node : o->twins[node];
}

static uint32_t
text_rank(const struct order *o, uint32_t node)
{
	return o->ranks[o->c->stacks.nodes[node].what * 2];
}

/* The node itself, or the first node whose stack has the same text. */
static uint32_t
find_twin(const struct order *o, struct pairs *firsts, uint32_t node)
{
	uint32_t parent = o->twins[o->c->stacks.nodes[node].parent];
	uint32_t rank = text_rank(o, node);
	uint32_t found = pairs_find(firsts, parent, rank);

	if (found != 0) /* node 0 is a root, and has no twin */
		return found;
	return pairs_add(firsts, parent, rank, node) ? node : TACH_NONE;
}

static bool
find_twins(struct order *o)
{
	const struct aggregate *a = &o->c->stacks;
	struct pairs firsts = {0};
	bool ok;

	if (!o->equal)
		return true;
	o->twins = reallocarray(NULL, a->nnodes, sizeof(*o->twins));
	ok = o->twins != NULL;
	for (uint32_t i = 0; ok && i < a->nnodes; i++) {
		o->twins[i] = node_is_root(&a->nodes[i]) ? i :
		    find_twin(o, &firsts, i);
		ok = o->twins[i] != TACH_NONE;
	}
	pairs_clear(&firsts);
	return ok;
}

static uint32_t
item_rank(const struct order *o, item i)
{
	const struct node *n = &o->c->stacks.nodes[i / 2];

	if (!node_is_root(n))
		return o->ranks[n->what * 2 + i % 2];
	/* A root's line has no frames.  It is an item below the root. */
	return o->ranks[o->c->stacks.locations.count * 2 + 1];
}

static uint32_t
item_parent(const struct order *o, item i)
{
	const struct node *n = &o->c->stacks.nodes[i / 2];

	return node_is_root(n) ? i / 2 : twin(o, n->parent);
}

/* Lists the items: all ends of lines, and all nodes but the roots. */
static uint32_t
list_items(const struct order *o)
{
	const struct aggregate *a = &o->c->stacks;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->nnodes; i++) {
		if (!node_is_root(&a->nodes[i]) && twin(o, i) == i)
			o->items[n++] = i * 2;
		if (a->nodes[i].cell != TACH_NONE)
			o->items[n++] = i * 2 + 1;
	}
	return n;
}

/* Sorts the items by their parent and, below each, by their text. */
static bool
sort_items(struct order *o)
{
	const struct aggregate *a = &o->c->stacks;
	uint32_t nranks = (a->locations.count + 1) * 2;
	uint32_t nkeys = nranks > a->nnodes ? nranks : a->nnodes;
	item *other = reallocarray(NULL, (size_t)a->nnodes * 2, sizeof(item));

	o->items = reallocarray(NULL, (size_t)a->nnodes * 2, sizeof(item));
	o->first = reallocarray(NULL, (size_t)nkeys + 1, sizeof(*o->first));
	if (other == NULL || o->items == NULL || o->first == NULL) {
		free(other);
		return false;
	}
	o->nitems = list_items(o);
	sort_by(o, item_rank, o->first, nranks, o->items, other, o->nitems);
	sort_by(o, item_parent, o->first, a->nnodes, other, o->items,
	    o->nitems);
	free(other);
	return true;
}

/* Lists the lines below a root. */
static void
walk_root(struct order *o, uint32_t root)
{
	struct node_step *step = o->steps;

	*step = (struct node_step){o->first[root], o->first[root + 1]};
	for (;;) {
		if (step->next == step->end) {
			if (step-- == o->steps)
				return;
		} else if (o->items[step->next] % 2 != 0) {
			o->lines[o->nlines++] = (struct weighed_line){0,
			    o->items[step->next++] / 2};
		} else {
			uint32_t node = o->items[step->next++] / 2;
			*++step = (struct node_step){o->first[node],
			    o->first[node + 1]};
		}
	}
}

/* ---- the order of threads, then of weights ------------------------------- */

static void
add_root_name(const struct collapsed *c, struct buf *b, uint32_t root)
{
	const struct aggregate *a = &c->stacks;

	const struct aggregate_thread *t = &a->threads[a->nodes[root].what];
	struct buf name = {0};

	if (c->by == TACH_BY_NONE)
		return;
	if (c->by == TACH_BY_THREAD && c->style->thread != NULL) {
		c->style->thread(b, t);
		return;
	}
	aggregate_thread_name(a, t, &name);
	if (name.failed)
		b->failed = true;
	else
		add_frame_name(b, (struct tach_string){name.text, name.len - 1});
	buf_add_char(b, ';');
	buf_clear(&name);
}

static int
compare_roots(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	struct buf a = {0}, b = {0};
	int order;

	add_root_name(o->c, &a, *(const uint32_t *)pa);
	add_root_name(o->c, &b, *(const uint32_t *)pb);
	/* No such text is a prefix of another one. */
	order = a.len == 0 || b.len == 0 ? 0 :
	    memcmp(a.text, b.text, a.len < b.len ? a.len : b.len);
	buf_clear(&a);
	buf_clear(&b);
	return order;
}

static bool
walk_threads(struct order *o)
{
	const struct aggregate *a = &o->c->stacks;
	uint32_t *roots = reallocarray(NULL, a->nthreads, sizeof(*roots));
	uint32_t n = 0;

	if (roots == NULL)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++)
		if (node_is_root(&a->nodes[i]))
			roots[n++] = i;
	qsort_r(roots, n, sizeof(*roots), compare_roots, o);
	for (uint32_t i = 0; i < n; i++)
		walk_root(o, roots[i]);
	free(roots);
	return true;
}

static void
weigh_lines(struct order *o)
{
	const struct aggregate *a = &o->c->stacks;

	for (uint32_t i = 0; i < o->nlines; i++) {
		if (i + 2 * AHEAD < o->nlines)
			fetch(o->c, o->lines[i + 2 * AHEAD].node);
		if (i + AHEAD < o->nlines)
			__builtin_prefetch(&a->cells[
			    a->nodes[o->lines[i + AHEAD].node].cell]);
		o->lines[i].weight = aggregate_weight(a, o->lines[i].node,
		    o->c->by_time);
	}
}

#define DIGIT_BITS 16
#define DIGITS (1u << DIGIT_BITS)

/* The greatest digit comes first. */
static uint32_t
weight_digit(const struct weighed_line *line, unsigned shift)
{
	return DIGITS - 1 - (line->weight >> shift & (DIGITS - 1));
}

/* Sorts stably by one digit of the weights. */
static void
sort_digit(const struct weighed_line *from, struct weighed_line *to, uint32_t n,
    uint32_t *counts, unsigned shift)
{
	memset(counts, 0, (DIGITS + 1) * sizeof(*counts));
	for (uint32_t i = 0; i < n; i++)
		counts[weight_digit(&from[i], shift) + 1]++;
	for (uint32_t i = 0; i < DIGITS; i++)
		counts[i + 1] += counts[i];
	for (uint32_t i = 0; i < n; i++)
		to[counts[weight_digit(&from[i], shift)]++] = from[i];
}

static bool
sort_weights(struct order *o)
{
	struct weighed_line *other = reallocarray(NULL, (size_t)o->nlines + 1,
	    sizeof(*other));
	uint32_t *counts = reallocarray(NULL, DIGITS + 1, sizeof(*counts));
	bool ok = other != NULL && counts != NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < o->nlines; i++)
		if (o->lines[i].weight > most)
			most = o->lines[i].weight;
	for (unsigned shift = 0; ok && shift < 64 && most >> shift != 0;
	     shift += DIGIT_BITS) {
		struct weighed_line *sorted = other;
		sort_digit(o->lines, sorted, o->nlines, counts, shift);
		other = o->lines;
		o->lines = sorted;
	}
	free(other);
	free(counts);
	return ok;
}

/* ---- lines --------------------------------------------------------------- */

static void
order_clear(struct order *o)
{
	free(o->ranks);
	free(o->twins);
	free(o->items);
	free(o->first);
	free(o->lines);
	free(o->steps);
}

/* Makes the list of the lines' nodes in order.  False if out of memory. */
static bool
order_lines(struct order *o)
{
	const struct aggregate *a = &o->c->stacks;

	if (a->nnodes > UINT32_MAX / 2 - 1)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++)
		if (a->nodes[i].depth > o->deepest)
			o->deepest = a->nodes[i].depth;
	o->steps = reallocarray(NULL, o->deepest + 1, sizeof(*o->steps));
	o->lines = reallocarray(NULL, (size_t)a->ncells + 1,
	    sizeof(*o->lines)); /* all cells have class 0: one for a node */
	if (o->steps == NULL || o->lines == NULL || !rank_texts(o) ||
	    !find_twins(o) || !sort_items(o) || !walk_threads(o))
		return false;
	weigh_lines(o);
	free(o->items);
	free(o->first);
	o->items = NULL;
	o->first = NULL;
	return sort_weights(o);
}

/* The text of a stack.  The next stack may share its beginning.  A text above
 * LIMIT_STACK bytes is not kept as a whole: its length has no bound. */
struct stack_text {
	struct buf text;
	uint32_t *nodes; /* by depth less one: the nodes of the text */
	size_t *ends;	 /* the ends of their texts */
	uint32_t depth;
	uint32_t kept; /* nodes whose text is kept: the last ones' is not */
};

static struct tach_string
node_text(const struct collapsed *c, uint32_t node)
{
	return c->stacks.locations.all[c->stacks.nodes[node].what].text;
}

static void
add_node_text(const struct collapsed *c, struct stack_text *t, uint32_t node)
{
	if (node_is_root(&c->stacks.nodes[node])) {
		add_root_name(c, &t->text, node);
	} else {
		struct tach_string s = node_text(c, node);
		buf_add(&t->text, s.bytes, s.len);
		buf_add_char(&t->text, ';');
	}
}

/* Makes the text that of a node's stack. */
static void
change_text(const struct collapsed *c, struct stack_text *t, uint32_t node)
{
	const struct node *nodes = c->stacks.nodes;
	uint32_t depth = nodes[node].depth, known = depth;

	for (uint32_t i = node; known > 0 &&
	     (known > t->depth || t->nodes[known - 1] != i);
	     i = nodes[i].parent)
		t->nodes[--known] = i;
	if (known < t->kept)
		t->kept = known;
	t->text.len = t->kept > 0 ? t->ends[t->kept - 1] : 0;
	for (; t->kept < depth && t->text.len <= LIMIT_STACK; t->kept++) {
		add_node_text(c, t, t->nodes[t->kept]);
		t->ends[t->kept] = t->text.len;
	}
	t->depth = depth;
}

/* Writes the frames whose text is not kept. */
static void
put_rest(struct collapsed *c, const struct stack_text *t)
{
	for (uint32_t i = t->kept; i < t->depth; i++) {
		emit(&c->out, ";");
		emit_string(&c->out, node_text(c, t->nodes[i]));
	}
}

static void
put_line(struct collapsed *c, struct stack_text *t, const struct weighed_line *line)
{
	change_text(c, t, line->node);
	if (t->depth == 1) { /* only the thread */
		emit_bytes(&c->out, t->text.text, t->text.len);
		emit(&c->out, NO_FRAMES);
	} else {
		emit_bytes(&c->out, t->text.text, t->text.len - 1);
		put_rest(c, t);
	}
	buf_add_char(&c->out.buf, ' ');
	emit_number(&c->out, line->weight);
	buf_add_char(&c->out.buf, '\n');
}

/* False if out of memory. */
static bool
collapsed_put_lines(struct collapsed *c, const struct order *o)
{
	struct stack_text t = {0};
	bool ok;

	t.nodes = reallocarray(NULL, o->deepest + 1, sizeof(*t.nodes));
	t.ends = reallocarray(NULL, o->deepest + 1, sizeof(*t.ends));
	ok = t.nodes != NULL && t.ends != NULL;
	for (uint32_t i = 0; ok && i < o->nlines && c->out.error == 0; i++) {
		if (i + AHEAD < o->nlines)
			fetch(c, o->lines[i + AHEAD].node);
		put_line(c, &t, &o->lines[i]);
		ok = !t.text.failed;
	}
	buf_clear(&t.text);
	free(t.nodes);
	free(t.ends);
	return ok;
}

/* ---- the sink ------------------------------------------------------------ */

static int
collapsed_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct collapsed *c = sink->arg;

	(void)meta;
	aggregate_init(&c->stacks, table, (struct aggregate_options){
	    .kind = c->style->kind, .text = c->style->frame,
	    .interps = c->style != &styles[TACH_FRAME_CPYTHON],
	    .by = c->by});
	return TACH_OK;
}

static int
collapsed_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct collapsed *c = sink->arg;

	return aggregate_run(&c->stacks, run) ? TACH_OK :
	    aggregate_failed(&c->stacks, &c->error);
}

static int
collapsed_end(struct tach_sink *sink)
{
	struct collapsed *c = sink->arg;
	struct order o = {.c = c};
	bool ok;

	if (!aggregate_settle(&c->stacks))
		return aggregate_failed(&c->stacks, &c->error);
	ok = c->stacks.nnodes == 0 ||
	    (order_lines(&o) && collapsed_put_lines(c, &o));
	order_clear(&o);
	if (!ok)
		return error_system(&c->error, "", ENOMEM);
	return emit_finish(&c->out, &c->error);
}

static void
collapsed_free(struct tach_sink *sink)
{
	struct collapsed *c = sink->arg;

	aggregate_clear(&c->stacks);
	emit_clear(&c->out);
	free(c);
}

static enum tach_error
collapsed_error(const struct tach_sink *sink, const char **line)
{
	const struct collapsed *c = sink->arg;

	return error_get(&c->error, line);
}

struct tach_sink *
collapsed_open(FILE *out, const struct tach_format_options *options)
{
	struct collapsed *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->sink = (struct tach_sink){.size = sizeof(c->sink),
	    .arg = c,
	    .begin = collapsed_begin,
	    .run = collapsed_run,
	    .end = collapsed_end,
	    .free = collapsed_free,
	    .error = collapsed_error};
	c->style = &styles[options->frame];
	c->by = by_or(options->by, c->style->thread != NULL ? TACH_BY_THREAD :
							      TACH_BY_NONE);
	c->by_time = options->weight == TACH_WEIGHT_TIME;
	c->out.file = out;
	return &c->sink;
}
