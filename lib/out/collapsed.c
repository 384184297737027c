/* SPDX-License-Identifier: ISC */
/*
 * collapsed.c: one line a distinct stack, root first, and its number of
 * samples, in the grammar of CPython 3.15's own collector:
 *
 *	tid:THREAD;BASENAME:FUNCTION:LINE;... COUNT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "out/aggregate.h"
#include "out/out.h"

struct collapsed {
	struct tach_sink sink;
	FILE *out;
	struct aggregate *stacks;
	struct buf text;	    /* of all places, then of all threads */
	size_t *places, *threads;   /* where each one's text begins */
	uint32_t *lines, nlines;    /* the nodes that get a line */
	uint32_t *way, *other_way;  /* scratch: nodes below an ancestor */
	struct error error;
};

/* ---- the text of a node -------------------------------------------------- */

/* A semicolon in a name would end a frame, a control character perhaps the
 * line: nothing in this format can escape them, so others stand for them. */
static void
add_name(struct buf *b, const char *bytes, size_t len)
{
	char *to = len > 0 ? buf_reserve(b, len) : NULL;

	if (to == NULL)
		return;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];
		to[i] = c == ';' ? ',' : c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	b->len += len;
}

static void
add_place(struct buf *b, const struct place *p)
{
	const char *slash;
	size_t dir = 0;

	if (p->line != 0 || p->file.len != 1 || p->file.bytes[0] != '~') {
		slash = memrchr(p->file.bytes, '/', p->file.len);
		if (slash != NULL)
			dir = (size_t)(slash + 1 - p->file.bytes);
		add_name(b, p->file.bytes + dir, p->file.len - dir);
		buf_add_char(b, ':');
		add_name(b, p->func.bytes, p->func.len);
		buf_add(b, ":-", p->line < 0 ? 2 : 1);
		buf_add_number(b, (uint64_t)llabs(p->line));
	} else {
		add_name(b, p->func.bytes, p->func.len);
	}
}

/* Every place's text once, each with the semicolon that may follow it. */
static bool
make_texts(struct collapsed *c)
{
	uint32_t nplaces = aggregate_places(c->stacks);
	uint32_t nthreads = aggregate_threads(c->stacks);

	c->places = reallocarray(NULL, nplaces + 1, sizeof(*c->places));
	c->threads = reallocarray(NULL, nthreads + 1, sizeof(*c->threads));
	if (c->places == NULL || c->threads == NULL)
		return false;
	for (uint32_t i = 0; i < nplaces; i++) {
		c->places[i] = c->text.len;
		add_place(&c->text, aggregate_place(c->stacks, i));
		buf_add_char(&c->text, ';');
	}
	c->places[nplaces] = c->text.len;
	for (uint32_t i = 0; i < nthreads; i++) {
		c->threads[i] = c->text.len;
		buf_add(&c->text, "tid:", 4);
		buf_add_number(&c->text, aggregate_thread(c->stacks, i));
		buf_add_char(&c->text, ';');
	}
	c->threads[nthreads] = c->text.len;
	return !c->text.failed;
}

static struct tach_string
node_text(const struct collapsed *c, uint32_t node)
{
	const struct node *n = aggregate_node(c->stacks, node);
	const size_t *from = n->parent == TACH_NONE ? &c->threads[n->what] :
						      &c->places[n->what];

	return (struct tach_string){c->text.text + from[0], from[1] - from[0]};
}

/* ---- order --------------------------------------------------------------- */

/* The rest of a stack's text, from some node on; the last node's text ends
 * before its semicolon. */
struct rest {
	const uint32_t *way; /* innermost first */
	uint32_t left;
	struct tach_string text;
};

static void
refill(const struct collapsed *c, struct rest *r)
{
	while (r->text.len == 0 && r->left > 0) {
		r->text = node_text(c, r->way[--r->left]);
		if (r->left == 0)
			r->text.len--;
	}
}

static void
advance(struct rest *r, size_t n)
{
	r->text.bytes += n;
	r->text.len -= n;
}

static int
compare_rests(const struct collapsed *c, struct rest *a, struct rest *b)
{
	for (;;) {
		size_t n;
		int order;

		refill(c, a);
		refill(c, b);
		n = a->text.len < b->text.len ? a->text.len : b->text.len;
		if (n == 0)
			return (a->text.len > 0) - (b->text.len > 0);
		if ((order = memcmp(a->text.bytes, b->text.bytes, n)) != 0)
			return order;
		advance(a, n);
		advance(b, n);
	}
}

static uint32_t
depth(const struct collapsed *c, uint32_t node)
{
	return node == TACH_NONE ? 0 : aggregate_node(c->stacks, node)->depth;
}

/* Compares the texts of two stacks below their last common node, above which
 * they are the same. */
static int
compare_texts(const struct collapsed *c, uint32_t a, uint32_t b)
{
	struct rest ra = {c->way, 0, {NULL, 0}};
	struct rest rb = {c->other_way, 0, {NULL, 0}};

	while (a != b) {
		if (depth(c, a) >= depth(c, b)) {
			c->way[ra.left++] = a;
			a = aggregate_node(c->stacks, a)->parent;
		} else {
			c->other_way[rb.left++] = b;
			b = aggregate_node(c->stacks, b)->parent;
		}
	}
	if (ra.left == 0 || rb.left == 0) /* one is the other's beginning */
		return (ra.left > 0) - (rb.left > 0);
	return compare_rests(c, &ra, &rb);
}

/* By count, the greatest first, then by text. */
static int
compare_lines(const void *pa, const void *pb, void *arg)
{
	const struct collapsed *c = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t wa = aggregate_node(c->stacks, a)->weight;
	uint64_t wb = aggregate_node(c->stacks, b)->weight;

	if (wa != wb)
		return wa < wb ? 1 : -1;
	return compare_texts(c, a, b);
}

/* ---- lines --------------------------------------------------------------- */

/* A sample without frames gets no line: there is no stack to show. */
static bool
make_lines(struct collapsed *c)
{
	uint32_t n = aggregate_nodes(c->stacks), deepest = 0;

	c->lines = reallocarray(NULL, (size_t)n + 1, sizeof(*c->lines));
	if (c->lines == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct node *node = aggregate_node(c->stacks, i);
		if (node->weight > 0 && node->parent != TACH_NONE)
			c->lines[c->nlines++] = i;
		if (node->depth > deepest)
			deepest = node->depth;
	}
	c->way = reallocarray(NULL, (size_t)deepest + 1, sizeof(*c->way));
	c->other_way = reallocarray(NULL, (size_t)deepest + 1, sizeof(*c->way));
	return c->way != NULL && c->other_way != NULL;
}

static bool
put_line(struct collapsed *c, uint32_t line)
{
	uint64_t weight = aggregate_node(c->stacks, line)->weight;
	uint32_t left = 0;

	for (uint32_t i = line; i != TACH_NONE;) {
		c->way[left++] = i;
		i = aggregate_node(c->stacks, i)->parent;
	}
	while (left-- > 0) {
		struct tach_string s = node_text(c, c->way[left]);
		if (fwrite(s.bytes, 1, s.len - (left == 0), c->out) !=
		    s.len - (left == 0))
			return false;
	}
	return fprintf(c->out, " %ju\n", (uintmax_t)weight) >= 0;
}

static int
no_memory(struct collapsed *c)
{
	return error_set(&c->error, TACH_FATAL, "%s", strerror(ENOMEM));
}

static int
collapsed_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct collapsed *c = (struct collapsed *)sink;

	return aggregate_run(c->stacks, run) ? TACH_OK : no_memory(c);
}

static int
collapsed_end(struct tach_sink *sink)
{
	struct collapsed *c = (struct collapsed *)sink;

	if (!make_texts(c) || !make_lines(c))
		return no_memory(c);
	qsort_r(c->lines, c->nlines, sizeof(*c->lines), compare_lines, c);
	for (uint32_t i = 0; i < c->nlines; i++)
		if (!put_line(c, c->lines[i]))
			return error_set(&c->error, TACH_FATAL, "%s",
			    strerror(errno));
	return TACH_OK;
}

static void
collapsed_free(struct tach_sink *sink)
{
	struct collapsed *c = (struct collapsed *)sink;

	aggregate_free(c->stacks);
	buf_clear(&c->text);
	free(c->places);
	free(c->threads);
	free(c->lines);
	free(c->way);
	free(c->other_way);
	free(c);
}

static const char *
collapsed_error(const struct tach_sink *sink)
{
	return ((const struct collapsed *)sink)->error.text;
}

struct tach_sink *
collapsed_open(FILE *out, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct collapsed *c = calloc(1, sizeof(*c));

	(void)meta;
	if (c == NULL)
		return NULL;
	c->sink = (struct tach_sink){collapsed_run, collapsed_end,
	    collapsed_free, collapsed_error};
	c->out = out;
	if ((c->stacks = aggregate_new(table)) == NULL) {
		free(c);
		return NULL;
	}
	return &c->sink;
}
