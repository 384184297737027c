/* SPDX-License-Identifier: ISC */
/*
 * heatmap.c: a directory of pages: index.html, and one page for each source
 * file.  Its lines are coloured by their weight and link to their callers and
 * callees.  C code counts with the line that has called it, and has no page.
 *
 * All pages are heatmap.html with their own data.  They share profile.js, which
 * has the names of files, functions and threads; the pages have their numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ascii.h"
#include "error.h"
#include "out/calls.h"
#include "out/emit.h"
#include "out/functions.h"
#include "out/out.h"
#include "out/page.h"
#include "out/source.h"

#define NEIGHBOURS_MAX 100 /* callers, or callees, that a line shows at most */

/* A page's name has its rank and a part of the file's name. */
#define SLUG_MAX 40
#define NAME_SIZE (SLUG_MAX + 24)

/* A caller or callee of a line. */
struct neighbour {
	uint32_t who;
	uint64_t weight;
};

struct heatmap {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct functions functions;
	uint32_t *file_of, *row_of; /* by location */
	uint32_t *order; /* locations, by file and line: row after row */
	uint32_t *rows;	 /* where each row begins in `order`; one more */
	uint32_t *first_row; /* by file, and one more */
	uint32_t nrows;
	struct calls files; /* callees are files */
	struct calls callees; /* callees are functions */
	struct calls callers; /* callees are rows */
	struct calls_index callees_of, callers_of;
	uint32_t *ranked, *rank; /* files, the heaviest first; by file */
	bool *paged; /* by file: it has a page, as not all in it is C code */
	struct neighbour *neighbours; /* scratch */
	struct buf source;
	struct emit out;
	struct error error;
};

/* ---- rows: the lines of files -------------------------------------------- */

static int32_t
line_number(const struct heatmap *h, uint32_t location)
{
	int32_t line = h->stacks.locations.all[location].line;

	return line > 0 ? line : 0;
}

static bool
same_row(const struct heatmap *h, uint32_t a, uint32_t b)
{
	return h->file_of[a] == h->file_of[b] &&
	    line_number(h, a) == line_number(h, b);
}

static int
compare_rows(const void *pa, const void *pb, void *arg)
{
	const struct heatmap *h = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int32_t la = line_number(h, a), lb = line_number(h, b);

	if (h->file_of[a] != h->file_of[b])
		return h->file_of[a] < h->file_of[b] ? -1 : 1;
	if (la != lb)
		return la < lb ? -1 : 1;
	return (a > b) - (a < b);
}

/* A line of two functions, such as a line with a generator, is one row. */
static void
divide_rows(struct heatmap *h)
{
	uint32_t n = h->stacks.locations.count;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t location = h->order[i];
		if (i == 0 || !same_row(h, h->order[i - 1], location)) {
			if (i == 0 || h->file_of[h->order[i - 1]] !=
			    h->file_of[location])
				h->first_row[h->file_of[location]] = h->nrows;
			h->rows[h->nrows++] = i;
		}
		h->row_of[location] = h->nrows - 1;
	}
	h->rows[h->nrows] = n;
	h->first_row[h->functions.nfiles] = h->nrows;
}

static uint32_t *
numbers(size_t n)
{
	return calloc(n + 1, sizeof(uint32_t));
}

static bool
make_rows(struct heatmap *h)
{
	uint32_t n = h->stacks.locations.count;

	if (!functions_init(&h->functions, &h->stacks.locations))
		return false;
	h->file_of = numbers(n);
	h->row_of = numbers(n);
	h->order = numbers(n);
	h->rows = numbers(n);
	h->first_row = numbers(h->functions.nfiles);
	h->paged = calloc((size_t)h->functions.nfiles + 1, sizeof(*h->paged));
	if (h->file_of == NULL || h->row_of == NULL || h->order == NULL ||
	    h->rows == NULL || h->first_row == NULL || h->paged == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		h->order[i] = i;
		h->file_of[i] = h->functions.functions[h->functions.of[i]].file;
		h->paged[h->file_of[i]] |= !location_has_caller(
		    &h->stacks.locations.all[i]);
	}
	qsort_r(h->order, n, sizeof(*h->order), compare_rows, h);
	divide_rows(h);
	return true;
}

/* ---- weights ------------------------------------------------------------- */

static uint64_t
weight(const struct heatmap *h, struct cost a)
{
	return h->options->weight == TACH_WEIGHT_TIME ? a.time : a.samples;
}

static bool
count_calls(struct heatmap *h)
{
	const struct aggregate *a = &h->stacks;

	return calls_init(&h->files, a, (struct calls_options){h->file_of,
		   h->functions.nfiles, 0, &h->error, NULL}) &&
	    calls_init(&h->callees, a, (struct calls_options){h->functions.of,
		h->functions.count, 0, &h->error, NULL}) &&
	    calls_init(&h->callers, a, (struct calls_options){h->row_of,
		h->nrows, 0, &h->error, NULL}) &&
	    calls_by_caller(&h->callees_of, &h->callees) &&
	    calls_by_callee(&h->callers_of, &h->callers);
}

/* Orders files by their own weight, then by their weight with all that they
 * called.  Files without a page come last. */
static int
compare_files(const void *pa, const void *pb, void *arg)
{
	const struct heatmap *h = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct callee *sa = &h->files.callees[a],
	    *sb = &h->files.callees[b];

	if (h->paged[a] != h->paged[b])
		return h->paged[a] ? -1 : 1;
	if (weight(h, sa->self) != weight(h, sb->self))
		return weight(h, sa->self) < weight(h, sb->self) ? 1 : -1;
	if (weight(h, sa->total) != weight(h, sb->total))
		return weight(h, sa->total) < weight(h, sb->total) ? 1 : -1;
	return (a > b) - (a < b);
}

static bool
rank_files(struct heatmap *h)
{
	uint32_t n = h->functions.nfiles;

	h->ranked = numbers(n);
	h->rank = numbers(n);
	h->neighbours = calloc((size_t)h->callees.ncalls + h->callers.ncalls +
	    1, sizeof(*h->neighbours));
	if (h->ranked == NULL || h->rank == NULL || h->neighbours == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		h->ranked[i] = i;
	qsort_r(h->ranked, n, sizeof(*h->ranked), compare_files, h);
	for (uint32_t i = 0; i < n; i++)
		h->rank[h->ranked[i]] = i;
	return true;
}

/* ---- names --------------------------------------------------------------- */

static struct tach_string
file_name(const struct heatmap *h, uint32_t file)
{
	return h->stacks.locations.all[h->order[
	    h->rows[h->first_row[file]]]].file;
}

/* The name of a file's page.  A file's name can have any bytes.  The page's
 * name has its last part, of letters and digits, and a number that makes it
 * unique. */
static void
page_name(const struct heatmap *h, uint32_t file, char name[NAME_SIZE])
{
	struct tach_string s = file_name(h, file);
	size_t from = s.len, n;

	while (from > 0 && s.bytes[from - 1] != '/' && s.len - from < SLUG_MAX)
		from--;
	n = (size_t)snprintf(name, NAME_SIZE, "%04u-", h->rank[file] + 1);
	for (; from < s.len; from++) {
		char c = s.bytes[from];
		name[n++] = ascii_is_word(c) || c == '.' ? c : '_';
	}
	memcpy(name + n, ".html", sizeof(".html"));
}

/* ---- files of the directory ---------------------------------------------- */

static bool
open_file(struct heatmap *h, const char *name)
{
	int fd = openat(h->options->directory, name,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	h->out.error = 0;
	if (fd >= 0 && (h->out.file = fdopen(fd, "w")) != NULL)
		return true;
	error_system(&h->error, name, errno);
	if (fd >= 0)
		close(fd);
	return false;
}

static bool
close_file(struct heatmap *h, const char *name)
{
	int why = emit_end(&h->out);

	if (fclose(h->out.file) != 0 && why == 0)
		why = errno;
	h->out.file = NULL;
	if (why != 0)
		error_system(&h->error, name, why);
	return why == 0;
}

static void
put_page_head(struct heatmap *h)
{
	emit_bytes(&h->out, heatmap_page, page_head(heatmap_page));
	emit(&h->out, "<script>\nconst page = {");
}

static void
put_page_tail(struct heatmap *h)
{
	emit(&h->out, "};\n</script>\n");
	emit(&h->out, page_tail(heatmap_page));
}

/* ---- profile.js: what has a number --------------------------------------- */

static void
put_string(struct heatmap *h, const char *s)
{
	emit_visible(&h->out, (struct tach_string){s, strlen(s)});
}

static void
heatmap_put_weights(struct heatmap *h, const struct callee *s)
{
	emit(&h->out, ",");
	emit_number(&h->out, weight(h, s->self));
	emit(&h->out, ",");
	emit_number(&h->out, weight(h, s->total));
}

/* [name, page or nothing, self, total, sampled lines], the heaviest first. */
static void
put_files(struct heatmap *h)
{
	char name[NAME_SIZE];

	emit(&h->out, "files: [");
	for (uint32_t i = 0; i < h->functions.nfiles; i++) {
		uint32_t file = h->ranked[i];
		*name = '\0';
		if (h->paged[file])
			page_name(h, file, name);
		emit(&h->out, i == 0 ? "\n[" : ",\n[");
		emit_visible(&h->out, file_name(h, file));
		emit(&h->out, ",");
		put_string(h, name);
		heatmap_put_weights(h, &h->files.callees[file]);
		emit(&h->out, ",");
		emit_number(&h->out, h->first_row[file + 1] -
		    h->first_row[file]);
		emit(&h->out, "]");
	}
	emit(&h->out, "],\n");
}

/* [name, file, first line, self, total] */
static void
put_functions(struct heatmap *h)
{
	const struct functions *f = &h->functions;

	emit(&h->out, "functions: [");
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t location = f->lines[f->functions[i].begin];
		emit(&h->out, i == 0 ? "\n[" : ",\n[");
		emit_visible(&h->out, h->stacks.locations.all[location].func);
		emit(&h->out, ",");
		emit_number(&h->out, h->rank[f->functions[i].file]);
		emit(&h->out, ",");
		emit_signed(&h->out, line_number(h, location));
		heatmap_put_weights(h, &h->callees.callees[i]);
		emit(&h->out, "]");
	}
	emit(&h->out, "],\n");
}

static void
heatmap_put_threads(struct heatmap *h)
{
	struct buf name = {0};

	emit(&h->out, "threads: [");
	for (uint32_t i = 0; i < h->stacks.nthreads; i++) {
		const struct aggregate_thread *t = &h->stacks.threads[i];
		emit(&h->out, i == 0 ? "" : ",");
		put_string(h, aggregate_thread_name(&h->stacks, t, &name));
	}
	buf_clear(&name);
	emit(&h->out, "],\nby: \"");
	emit(&h->out, h->options->by == TACH_BY_NAME ? "name\"" :
		h->options->by == TACH_BY_NONE ? "none\"" : "thread\"");
}

/* The weight of the samples of C code alone, which no page has. */
static uint64_t
unpaged_weight(const struct heatmap *h)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < h->functions.nfiles; i++)
		sum += h->paged[i] ? 0 : weight(h, h->files.callees[i].self);
	return sum;
}

static bool
write_profile(struct heatmap *h)
{
	const struct callee *none = &h->files.callees[h->functions.nfiles];
	struct cost all = {h->stacks.samples, h->stacks.time};

	if (!open_file(h, "profile.js"))
		return false;
	emit(&h->out, "const profile = {\ntitle: ");
	put_string(h, h->options->title != NULL ? h->options->title : "");
	emit(&h->out, ", time: ");
	emit(&h->out, h->options->weight == TACH_WEIGHT_TIME ? "true" :
							       "false");
	emit(&h->out, ", all: ");
	emit_number(&h->out, weight(h, all));
	emit(&h->out, ", samples: ");
	emit_number(&h->out, h->stacks.samples);
	emit(&h->out, ",\nfacts: ");
	page_put_facts(&h->out, h->meta,
	    h->options->title != NULL ? h->options->title : "");
	emit(&h->out, ", frameless: ");
	emit_number(&h->out, weight(h, none->self));
	emit(&h->out, ", unpaged: ");
	emit_number(&h->out, unpaged_weight(h));
	emit(&h->out, ",\n");
	put_files(h);
	put_functions(h);
	heatmap_put_threads(h);
	emit(&h->out, "};\n");
	return close_file(h, "profile.js");
}

/* ---- the page of a file -------------------------------------------------- */

static int
compare_neighbours(const void *pa, const void *pb)
{
	const struct neighbour *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->who > b->who) - (a->who < b->who);
}

/* A caller: function and line.  A thread is a negative function. */
static void
put_caller(struct heatmap *h, uint32_t from)
{
	uint32_t locations = h->stacks.locations.count;

	if (from < locations) {
		emit_number(&h->out, h->functions.of[from]);
		emit(&h->out, ",");
		emit_signed(&h->out, line_number(h, from));
	} else {
		emit_signed(&h->out, -1 - (int64_t)(from - locations));
		emit(&h->out, ",0");
	}
}

/* A callee: the function's number alone, which tells its line. */
static void
put_callee(struct heatmap *h, uint32_t to)
{
	emit_number(&h->out, to);
}

/* Writes the heaviest neighbours in a flat list, each with its weight; then the
 * number of the others. */
static void
put_neighbours(struct heatmap *h, size_t n,
    void (*put)(struct heatmap *, uint32_t))
{
	size_t shown = n < NEIGHBOURS_MAX ? n : NEIGHBOURS_MAX;

	qsort(h->neighbours, n, sizeof(*h->neighbours), compare_neighbours);
	emit(&h->out, ",[");
	for (size_t i = 0; i < shown; i++) {
		emit(&h->out, i == 0 ? "" : ",");
		put(h, h->neighbours[i].who);
		emit(&h->out, ",");
		emit_number(&h->out, h->neighbours[i].weight);
	}
	emit(&h->out, "],");
	emit_number(&h->out, n - shown);
}

static void
put_callers(struct heatmap *h, uint32_t row)
{
	const struct calls_index *x = &h->callers_of;
	size_t n = 0;

	for (uint32_t i = x->begin[row]; i < x->begin[row + 1]; i++) {
		const struct call *c = &h->callers.calls[x->calls[i]];
		h->neighbours[n++] = (struct neighbour){c->from,
		    weight(h, c->total)};
	}
	put_neighbours(h, n, put_caller);
}

static void
put_callees(struct heatmap *h, uint32_t row)
{
	const struct calls_index *x = &h->callees_of;
	size_t n = 0;

	for (uint32_t i = h->rows[row]; i < h->rows[row + 1]; i++) {
		const uint32_t *begin = &x->begin[h->order[i]];
		for (uint32_t k = begin[0]; k < begin[1]; k++) {
			const struct call *c = &h->callees.calls[x->calls[k]];
			if (c->total.samples > 0) /* no C code ended there */
				h->neighbours[n++] = (struct neighbour){c->to,
				    weight(h, c->total)};
		}
	}
	put_neighbours(h, n, put_callee);
}

/* [line, self, total, functions, callers, more, callees, more] */
static void
put_row(struct heatmap *h, uint32_t row)
{
	uint32_t i = h->rows[row];

	emit(&h->out, "\n[");
	emit_signed(&h->out, line_number(h, h->order[i]));
	heatmap_put_weights(h, &h->callers.callees[row]);
	emit(&h->out, ",[");
	for (; i < h->rows[row + 1]; i++) {
		emit(&h->out, i == h->rows[row] ? "" : ",");
		emit_number(&h->out, h->functions.of[h->order[i]]);
	}
	emit(&h->out, "]");
	put_callers(h, row);
	put_callees(h, row);
	emit(&h->out, "]");
}

/* Writes the text of the file, if it is on this machine. */
static void
put_text(struct heatmap *h, uint32_t file)
{
	struct tach_string line;
	const char *comma = "";

	if (!source_read(&h->source, file_name(h, file), h->options->sources))
		return;
	emit(&h->out, ",\ntext: [");
	for (size_t at = 0; source_line(&h->source, &at, &line); comma = ",") {
		emit(&h->out, comma);
		emit(&h->out, "\n");
		emit_visible(&h->out, line);
	}
	emit(&h->out, "]");
}

static bool
write_page(struct heatmap *h, uint32_t file)
{
	char name[NAME_SIZE];

	page_name(h, file, name);
	if (!open_file(h, name))
		return false;
	put_page_head(h);
	emit(&h->out, "file: ");
	emit_number(&h->out, h->rank[file]);
	emit(&h->out, ",\nlines: [");
	for (uint32_t i = h->first_row[file]; i < h->first_row[file + 1]; i++) {
		emit(&h->out, i == h->first_row[file] ? "" : ",");
		put_row(h, i);
	}
	emit(&h->out, "]");
	put_text(h, file);
	put_page_tail(h);
	return close_file(h, name);
}

static bool
write_index(struct heatmap *h)
{
	if (!open_file(h, "index.html"))
		return false;
	put_page_head(h);
	put_page_tail(h);
	return close_file(h, "index.html");
}

/* ---- the sink ------------------------------------------------------------ */

static int
heatmap_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct heatmap *h = sink->arg;

	h->meta = meta;
	aggregate_init(&h->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true, .by = h->options->by,
	    .source = true});
	return TACH_OK;
}

static int
heatmap_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct heatmap *h = sink->arg;

	return aggregate_run(&h->stacks, run) ? TACH_OK :
	    aggregate_failed(&h->stacks, &h->error);
}

static int
heatmap_end(struct tach_sink *sink)
{
	struct heatmap *h = sink->arg;

	if (!aggregate_settle(&h->stacks))
		return aggregate_failed(&h->stacks, &h->error);
	if (!make_rows(h) || !count_calls(h) || !rank_files(h))
		return error_system(&h->error, "", ENOMEM);
	for (uint32_t i = 0; i < h->functions.nfiles; i++)
		if (h->paged[i] && !write_page(h, i))
			return TACH_FATAL;
	return write_profile(h) && write_index(h) ? TACH_OK : TACH_FATAL;
}

static void
heatmap_free(struct tach_sink *sink)
{
	struct heatmap *h = sink->arg;

	aggregate_clear(&h->stacks);
	functions_clear(&h->functions);
	calls_clear(&h->files);
	calls_clear(&h->callees);
	calls_clear(&h->callers);
	calls_index_clear(&h->callees_of);
	calls_index_clear(&h->callers_of);
	buf_clear(&h->source);
	emit_clear(&h->out);
	free(h->file_of);
	free(h->row_of);
	free(h->order);
	free(h->rows);
	free(h->first_row);
	free(h->paged);
	free(h->ranked);
	free(h->rank);
	free(h->neighbours);
	free(h);
}

static enum tach_error
heatmap_error(const struct tach_sink *sink, const char **line)
{
	const struct heatmap *h = sink->arg;

	return error_get(&h->error, line);
}

struct tach_sink *
heatmap_open(FILE *out, const struct tach_format_options *options)
{
	struct heatmap *h = calloc(1, sizeof(*h));

	(void)out;
	if (h == NULL)
		return NULL;
	h->sink = (struct tach_sink){.size = sizeof(h->sink),
	    .arg = h,
	    .begin = heatmap_begin,
	    .run = heatmap_run,
	    .end = heatmap_end,
	    .free = heatmap_free,
	    .error = heatmap_error};
	h->options = options;
	return &h->sink;
}
