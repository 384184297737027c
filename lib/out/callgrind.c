/* SPDX-License-Identifier: ISC */
/*
 * callgrind.c: the profile format of Valgrind's callgrind: for each function
 * the costs of its lines and the calls from them.
 *
 * callgrind_annotate takes the sum over a function's callers for its inclusive
 * cost.  So each thread is a function that calls its outermost frames.  A
 * sample counts only for the outermost call of a function: the sum is right in
 * spite of recursion.
 *
 * If there are functions of modules, each function has an object: its module, or Python.
 * Those of modules have no file, unless they have lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/calls.h"
#include "out/emit.h"
#include "out/functions.h"
#include "out/images.h"
#include "out/out.h"
#include "out/strings.h"
#include "utf8.h"

struct callgrind {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct functions functions;
	struct calls calls;
	struct calls_index called;
	bool has_time;
	struct images images;
	bool has_modules;
	struct strings objects; /* that were written */
	uint32_t file, object; /* numbers of the caller's */
	/* Whether a name was written, so that its number is known. */
	bool *files_known, *functions_known;
	struct emit out;
	struct error error;
};

/* ---- names --------------------------------------------------------------- */

/* Readers skip a space before a name, and the format has no escapes for it. */
static void
put_name(struct emit *e, struct tach_string s)
{
	size_t skip = s.len > 0 && *s.bytes == ' ';

	if (s.len == 0)
		emit(e, "???");
	if (skip)
		emit(e, "?");
	utf8_add_visible(&e->buf, s.bytes + skip, s.len - skip);
}

/* Writes the number of a name, from 1 on, and the name itself the first
 * time. */
static void
put_numbered(struct callgrind *c, const char *key, uint32_t number,
    bool *known, struct tach_string name)
{
	emit(&c->out, key);
	emit_bytes(&c->out, "(", 1);
	emit_number(&c->out, (uint64_t)number + 1);
	emit_bytes(&c->out, ")", 1);
	if (!*known) {
		emit_bytes(&c->out, " ", 1);
		put_name(&c->out, name);
	}
	*known = true;
	emit_bytes(&c->out, "\n", 1);
}

/* The location that names a function.  NULL for the functions after the last:
 * the one of samples without frames, and the threads. */
static const struct location *
first_location(const struct callgrind *c, uint32_t function)
{
	const struct functions *f = &c->functions;

	return function >= f->count ? NULL : &c->stacks.locations.all[
	    f->lines[f->functions[function].begin]];
}

static struct tach_string
other_name(const struct callgrind *c, uint32_t function,
    struct buf *b)
{
	const struct aggregate_thread *t;
	const char *name;

	if (function == c->functions.count)
		return (struct tach_string){NO_FRAMES, sizeof(NO_FRAMES) - 1};
	t = &c->stacks.threads[function - c->functions.count - 1];
	name = aggregate_thread_name(&c->stacks, t, b);
	return (struct tach_string){name, strlen(name)};
}

/* The object of a location, which is NULL for the program. */
static struct tach_string
name_of_object(const struct callgrind *c, const struct location *p)
{
	const char *program = locations_of_python(&c->stacks.locations, c->meta) ?
	    "python" : "program";
	uint64_t address;
	const struct image *image = p != NULL ?
	    images_find(&c->images, p, &address) : NULL;

	if (image != NULL)
		return image->note.path;
	return p != NULL && location_in_module(p) ? p->file :
	    (struct tach_string){program, strlen(program)};
}

static void
put_object(struct callgrind *c, const struct location *p, bool called)
{
	struct tach_string name = name_of_object(c, p);
	uint32_t count = c->objects.count, object = strings_find(&c->objects, name);
	bool known = object < count;

	if (object == TACH_NONE)
		c->out.error = ENOMEM;
	else if (!called || object != c->object)
		put_numbered(c, called ? "cob=" : "ob=", object, &known, name);
	if (!called)
		c->object = object;
}

/* The number of a function's file.  All modules' functions have one. */
static uint32_t
file_of(const struct callgrind *c, const struct location *p, uint32_t function)
{
	const struct functions *f = &c->functions;

	if (p == NULL)
		return f->nfiles;
	return location_in_module(p) ? f->nfiles + 1 : f->functions[function].file;
}

static struct tach_string
name_of_file(const struct location *p)
{
	if (p == NULL)
		return (struct tach_string){NO_FILE, 1};
	return location_in_module(p) ? (struct tach_string){"", 0} : p->file;
}

/* A callee is in its caller's object and file unless others are named. */
static void
put_function(struct callgrind *c, uint32_t function, bool called)
{
	const struct location *p = first_location(c, function);
	uint32_t file = file_of(c, p, function);
	struct buf name = {0};

	if (c->has_modules)
		put_object(c, p, called);
	if (!called || file != c->file)
		put_numbered(c, called ? "cfi=" : "fl=", file,
		    &c->files_known[file], name_of_file(p));
	if (!called)
		c->file = file;
	put_numbered(c, called ? "cfn=" : "fn=", function,
	    &c->functions_known[function], p != NULL ? p->func :
	    other_name(c, function, &name));
	buf_clear(&name);
}

/* ---- costs --------------------------------------------------------------- */

static uint64_t
line_number(const struct location *p)
{
	return p->line > 0 ? (uint64_t)p->line : 0;
}

static void
put_costs(struct callgrind *c, struct cost a)
{
	emit_number(&c->out, a.samples);
	if (c->has_time) {
		emit_bytes(&c->out, " ", 1);
		emit_number(&c->out, a.time);
	}
	emit_bytes(&c->out, "\n", 1);
}

static void
put_cost(struct callgrind *c, uint64_t line, struct cost a)
{
	emit_number(&c->out, line);
	emit_bytes(&c->out, " ", 1);
	put_costs(c, a);
}

static uint64_t
first_line(const struct callgrind *c, uint32_t function)
{
	const struct location *p = first_location(c, function);

	return p != NULL ? line_number(p) : 0;
}

/* A sampled profile does not have numbers of calls: the number of samples with
 * the call takes its place. */
static void
put_calls(struct callgrind *c, uint32_t from, uint64_t line)
{
	const uint32_t *begin = &c->called.begin[from];

	for (uint32_t i = begin[0]; i < begin[1]; i++) {
		const struct call *call = &c->calls.calls[c->called.calls[i]];
		put_function(c, call->to, true);
		emit(&c->out, "calls=");
		emit_number(&c->out, call->total.samples);
		emit_bytes(&c->out, " ", 1);
		emit_number(&c->out, first_line(c, call->to));
		emit_bytes(&c->out, "\n", 1);
		put_cost(c, line, call->outer);
	}
}

static void
callgrind_put_lines(struct callgrind *c, uint32_t function)
{
	const struct function *f = &c->functions.functions[function];

	put_function(c, function, false);
	for (uint32_t i = f[0].begin; i < f[1].begin; i++) {
		uint32_t location = c->functions.lines[i];
		uint64_t line = line_number(&c->stacks.locations.all[location]);
		if (c->calls.selfs[location].samples > 0)
			put_cost(c, line, c->calls.selfs[location]);
		put_calls(c, location, line);
	}
	emit_bytes(&c->out, "\n", 1);
}

/* Writes the functions after the last: samples without frames, and the threads,
 * which have no cost of their own. */
static void
put_others(struct callgrind *c)
{
	const struct callee *none = &c->calls.callees[c->functions.count];

	if (none->total.samples > 0) {
		put_function(c, c->functions.count, false);
		put_cost(c, 0, none->self);
		emit_bytes(&c->out, "\n", 1);
	}
	for (uint32_t i = 0; i < c->stacks.nthreads; i++) {
		put_function(c, c->functions.count + 1 + i, false);
		put_calls(c, c->stacks.locations.count + i, 0);
		emit_bytes(&c->out, "\n", 1);
	}
}

/* ---- the file ------------------------------------------------------------ */

static struct cost
all(const struct callgrind *c)
{
	struct cost sum = {0, 0};

	for (uint32_t i = 0; i < c->calls.ncallees; i++) {
		sum.samples += c->calls.callees[i].self.samples;
		sum.time += c->calls.callees[i].self.time;
	}
	return sum;
}

static void
callgrind_put_head(struct callgrind *c)
{
	const char *title = c->options->title;

	emit(&c->out, "# callgrind format\nversion: 1\ncreator: tach-convert ");
	emit(&c->out, tach_version());
	emit(&c->out, "\ncmd: ");
	if (title != NULL)
		put_name(&c->out, (struct tach_string){title, strlen(title)});
	emit(&c->out, "\npositions: line\nevent: samples : Samples\n");
	if (c->has_time)
		emit(&c->out, "event: us : Microseconds\n");
	emit(&c->out, c->has_time ? "events: samples us\nsummary: " :
				    "events: samples\nsummary: ");
	put_costs(c, all(c));
	emit_bytes(&c->out, "\n", 1);
}

static void
callgrind_put_all(struct callgrind *c)
{
	callgrind_put_head(c);
	for (uint32_t i = 0; i < c->functions.count; i++)
		callgrind_put_lines(c, i);
	put_others(c);
	emit(&c->out, "totals: ");
	put_costs(c, all(c));
}

/* ---- the sink ------------------------------------------------------------ */

static int
callgrind_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct callgrind *c = sink->arg;

	c->meta = meta;
	aggregate_init(&c->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true, .by = c->options->by});
	return TACH_OK;
}

static int
callgrind_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct callgrind *c = sink->arg;

	return aggregate_run(&c->stacks, run) ? TACH_OK :
	    aggregate_failed(&c->stacks, &c->error);
}

static bool
callgrind_prepare(struct callgrind *c)
{
	bool by_time = c->options->weight == TACH_WEIGHT_TIME;
	uint64_t address;
	size_t n;

	c->has_time = by_time || c->meta->interval_us != 0;
	if (!functions_init(&c->functions, &c->stacks.locations) ||
	    !calls_init(&c->calls, &c->stacks, (struct calls_options){
		c->functions.of, c->functions.count, 0, &c->error, NULL}) ||
	    !calls_by_caller(&c->called, &c->calls) ||
	    !images_read(&c->images, c->stacks.locations.table))
		return false;
	n = (size_t)c->functions.count + 1 + c->stacks.nthreads;
	c->functions_known = calloc(n, sizeof(bool));
	c->files_known = calloc((size_t)c->functions.nfiles + 2, sizeof(bool));
	for (uint32_t i = 0; i < c->stacks.locations.count; i++)
		c->has_modules |= location_in_module(&c->stacks.locations.all[i]) ||
		    images_find(&c->images, &c->stacks.locations.all[i], &address) != NULL;
	return c->functions_known != NULL && c->files_known != NULL;
}

static int
callgrind_end(struct tach_sink *sink)
{
	struct callgrind *c = sink->arg;

	if (!aggregate_settle(&c->stacks))
		return aggregate_failed(&c->stacks, &c->error);
	if (!callgrind_prepare(c))
		return error_system(&c->error, "", ENOMEM);
	callgrind_put_all(c);
	return emit_finish(&c->out, &c->error);
}

static void
callgrind_free(struct tach_sink *sink)
{
	struct callgrind *c = sink->arg;

	aggregate_clear(&c->stacks);
	functions_clear(&c->functions);
	calls_clear(&c->calls);
	calls_index_clear(&c->called);
	emit_clear(&c->out);
	free(c->files_known);
	free(c->functions_known);
	strings_clear(&c->objects);
	images_clear(&c->images);
	free(c);
}

static enum tach_error
callgrind_error(const struct tach_sink *sink, const char **line)
{
	const struct callgrind *c = sink->arg;

	return error_get(&c->error, line);
}

struct tach_sink *
callgrind_open(FILE *out, const struct tach_format_options *options)
{
	struct callgrind *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->sink = (struct tach_sink){.size = sizeof(c->sink),
	    .arg = c,
	    .begin = callgrind_begin,
	    .run = callgrind_run,
	    .end = callgrind_end,
	    .free = callgrind_free,
	    .error = callgrind_error};
	c->options = options;
	c->out.file = out;
	return &c->sink;
}
