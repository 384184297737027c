/* SPDX-License-Identifier: ISC */
/*
 * gperftools.c: the CPU profile format of gperftools: slots, which are words of
 * 4 or 8 bytes, and behind them a text with the mapped objects.
 *
 *	0 3 0 PERIOD 0
 *	COUNT N PC...		the innermost frame's first
 *	0 1 0
 *	START-END r-xp OFFSET DEVICE INODE PATH
 *
 * The format knows a frame by its address alone.  Each line of a function is a
 * symbol of 16 bytes: see symbols.h.  The names of symbols are in an ELF file
 * beside the profile, or in a table in front of it, which google-pprof reads.
 * They are also in comments at the end, unchanged, for people and for tach.
 *
 * Readers correct addresses of programs that walk their own stacks, and would
 * damage correct stacks.  They subtract one from each address but the innermost.
 * They remove the address behind the innermost one if (nearly) all records have
 * it there, or if it is one less than the innermost.  So a symbol has several
 * addresses, which are used in turn.
 *
 * A function of C has its own address, if the profile tells it (images.h), and its
 * module is among the mapped objects: then readers can find names in the module, too.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/images.h"
#include "out/out.h"
#include "out/sidecar.h"
#include "utf8.h"
#include "stream.h"

/* The addresses of a symbol, by their place in a stack. */
enum place {
	INNERMOST,
	CALLER, /* of the innermost; alternates with CALLER_TOO */
	CALLER_TOO,
	OUTER,
	PLACES,
};
static const unsigned offsets[PLACES] = {1, 4, 6, 8};
/* A function that calls another one has at least five bytes before its return
 * address. */
static const unsigned real_offsets[PLACES] = {0, 2, 3, 4};

#define UNKNOWN_INTERVAL 1000 /* us; a period must not be 0 */

/* pprof fails on a line of the text that is longer than 64 KiB. */
#define COMMENT_NAME_MAX 4096

struct gperftools {
	struct tach_sink sink;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct symbols symbols;
	struct images images;
	uint64_t *real; /* by symbol: the address of a function of C, or 0 */
	bool *turns; /* by symbol: CALLER_TOO is next */
	uint64_t period;
	uint64_t time; /* of the stacks that were counted so far */
	struct emit out;
	struct error error;
};

/* ---- slots --------------------------------------------------------------- */

static void
store(const struct gperftools *g, char *to, uint64_t n)
{
	bool big = g->options->big_endian;
	uint32_t word = big ? htobe32((uint32_t)n) : htole32((uint32_t)n);

	if (g->options->word_size == sizeof(word)) {
		memcpy(to, &word, sizeof(word));
	} else {
		n = big ? htobe64(n) : htole64(n);
		memcpy(to, &n, sizeof(n));
	}
}

static uint64_t
largest(const struct gperftools *g)
{
	return g->options->word_size == 4 ? UINT32_MAX : INT64_MAX;
}

static void
put_slots(struct gperftools *g, const uint64_t *slots, size_t n)
{
	unsigned size = g->options->word_size;
	char bytes[8];

	for (size_t i = 0; i < n; i++) {
		store(g, bytes, slots[i]);
		emit_bytes(&g->out, bytes, size);
	}
}

/* ---- what a stack counts ------------------------------------------------- */

static uint64_t
rounded(const struct gperftools *g)
{
	return g->time / g->period + (g->time % g->period * 2 >= g->period);
}

/*
 * The count of a stack in samples of one period.  The error of rounding a
 * stack's time is added to the next stacks.  So the sum is right and, since
 * stacks with common outer frames come close to one another, the sum of each
 * function is nearly right, too.
 */
static uint64_t
count_of(struct gperftools *g, uint32_t node)
{
	uint64_t before = rounded(g);

	if (g->options->weight != TACH_WEIGHT_TIME)
		return aggregate_weight(&g->stacks, node, false);
	g->time += aggregate_weight(&g->stacks, node, true);
	return rounded(g) - before;
}

/* Whether there is one stack only, which all records then have in common. */
static bool
only_one(struct gperftools *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->stacks.nnodes && n < 2; i++)
		n += count_of(g, i) > 0;
	g->time = 0;
	return n == 1;
}

/* ---- records ------------------------------------------------------------- */

static uint32_t
symbol_of(const struct gperftools *g, uint32_t node)
{
	return g->symbols.of[g->stacks.nodes[node].what];
}

static uint64_t
address_of(const struct gperftools *g, uint32_t symbol, enum place place)
{
	return g->real[symbol] != 0 ? g->real[symbol] + real_offsets[place] :
				      symbol_address(symbol) + offsets[place];
}

/* The address of the caller of the innermost frame. */
static uint64_t
caller_address(struct gperftools *g, uint32_t symbol)
{
	bool too = g->turns[symbol];

	g->turns[symbol] = !too;
	return address_of(g, symbol, too ? CALLER_TOO : CALLER);
}

/* Stores the addresses of a node's stack; there is room for them.  The
 * innermost frame's caller keeps its address where it is further out, too:
 * readers that list addresses would otherwise count the line of a recursion
 * twice. */
static void
store_stack(struct gperftools *g, char *to, uint32_t node)
{
	const struct node *nodes = g->stacks.nodes;
	unsigned size = g->options->word_size;
	uint32_t symbol = symbol_of(g, node), caller;
	uint64_t address;

	store(g, to, address_of(g, symbol, INNERMOST));
	node = nodes[node].parent;
	if (node_is_root(&nodes[node]))
		return;
	caller = symbol_of(g, node);
	address = caller_address(g, caller);
	for (; !node_is_root(&nodes[node]); node = nodes[node].parent) {
		symbol = symbol_of(g, node);
		store(g, to += size, symbol == caller ? address :
		    address_of(g, symbol, OUTER));
	}
}

static void
put_record(struct gperftools *g, uint32_t node, uint64_t count)
{
	const struct node *n = &g->stacks.nodes[node];
	uint32_t none = g->symbols.count - 1;
	size_t size = (size_t)(n->depth - 1) * g->options->word_size;
	char *to;

	if (node_is_root(n)) {
		put_slots(g, (uint64_t[]){count, 1,
		    address_of(g, none, INNERMOST)}, 3);
		return;
	}
	put_slots(g, (uint64_t[]){count, n->depth - 1}, 2);
	if ((to = buf_reserve(&g->out.buf, size)) == NULL)
		return;
	store_stack(g, to, node);
	g->out.buf.len += size;
}

static void
put_counted_stack(struct gperftools *g, uint32_t node, uint64_t count)
{
	for (; count > largest(g); count -= largest(g))
		put_record(g, node, largest(g));
	if (count > 0)
		put_record(g, node, count);
}

/* Writes a stack in two records, so that the second address is not the same in
 * all records.  If there is one sample only, the second record counts 0. */
static void
put_halves(struct gperftools *g, uint32_t node, uint64_t count)
{
	put_counted_stack(g, node, count - count / 2);
	if (count / 2 > 0)
		put_counted_stack(g, node, count / 2);
	else if (g->stacks.nodes[node].depth > 2)
		put_record(g, node, 0);
}

static void
put_records(struct gperftools *g)
{
	bool one = only_one(g);

	for (uint32_t i = 0; i < g->stacks.nnodes && g->out.error == 0; i++) {
		uint64_t count = count_of(g, i);
		if (one && count > 0)
			put_halves(g, i, count);
		else
			put_counted_stack(g, i, count);
	}
}

static void
put_binary(struct gperftools *g)
{
	uint64_t period = g->period < largest(g) ? g->period : largest(g);

	put_slots(g, (uint64_t[]){0, 3, 0, period, 0}, 5);
	put_records(g);
	put_slots(g, (uint64_t[]){0, 1, 0}, 3);
}

/* ---- text ---------------------------------------------------------------- */

static void
put_hex(struct gperftools *g, uint64_t n)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%0*" PRIx64,
	    (int)g->options->word_size * 2, n);
	emit(&g->out, digits);
}

static void
put_program(struct gperftools *g)
{
	const uint8_t *version = g->meta->python;

	emit(&g->out, locations_of_python(&g->stacks.locations, g->meta) ? "python" :
	    "program");
	if (version[0] == 0)
		return;
	emit_number(&g->out, version[0]);
	emit(&g->out, ".");
	emit_number(&g->out, version[1]);
}

/* Writes all addresses of a symbol, with the name of its function.
 * google-pprof shows functions with the same name as one, unless the name ends
 * in an address, which it does not show. */
static void
put_table_lines(struct gperftools *g, uint32_t symbol, uint32_t function)
{
	for (int i = 0; i < PLACES; i++) {
		emit(&g->out, "0x");
		put_hex(g, address_of(g, symbol, (enum place)i));
		emit(&g->out, " ");
		symbol_add_name(&g->out.buf, g->symbols.list[symbol].func);
		emit(&g->out, "<");
		put_hex(g, symbol_address(function));
		emit(&g->out, ">\n");
	}
}

/* Writes the table of names that google-pprof reads. */
static void
put_table(struct gperftools *g)
{
	const struct symbols *s = &g->symbols;
	uint32_t next;

	emit(&g->out, "--- symbol\nbinary=");
	put_program(g);
	emit(&g->out, "\n");
	for (uint32_t first = 0; first < s->count; first = next) {
		next = symbols_next_function(s, first);
		for (uint32_t i = first; i < next; i++)
			put_table_lines(g, i, first);
	}
	emit(&g->out, "---\n--- profile\n");
}

/* The end of the symbols, rounded up to a page. */
static uint64_t
end_of(const struct symbols *s)
{
	return (symbol_address(s->count) + SYMBOLS_PAGE - 1) &
	    ~(SYMBOLS_PAGE - 1);
}

/* Writes the mapping of the object with the symbols.  Readers do not look for
 * an object with brackets around its name. */
static void
put_mapping(struct gperftools *g)
{
	const char *path = g->options->symbols_path;
	const char *build = g->options->symbols != NULL ? g->options->build :
							  NULL;

	if (build != NULL) {
		emit(&g->out, "build=");
		emit(&g->out, build);
		emit(&g->out, "\n");
	}
	put_hex(g, SYMBOLS_BASE);
	emit(&g->out, "-");
	put_hex(g, end_of(&g->symbols));
	emit(&g->out, " r-xp 00000000 00:00 0          ");
	if (g->options->symbols == NULL) {
		emit(&g->out, "[");
		put_program(g);
		emit(&g->out, "]");
	} else if (build != NULL) {
		emit(&g->out, "$build/");
		emit(&g->out, strrchr(path, '/') + 1);
	} else {
		emit(&g->out, path);
	}
	emit(&g->out, "\n");
}

/* Whether a path is one word without what readers take for a definition, or for a
 * variable of one. */
static bool
is_plain_path(struct tach_string path)
{
	for (size_t i = 0; i < path.len; i++)
		if ((unsigned char)path.bytes[i] <= ' ' || path.bytes[i] == 0x7f ||
		    path.bytes[i] == '=' || path.bytes[i] == '$')
			return false;
	return true;
}

/* Writes the mappings of modules. */
static void
put_images(struct gperftools *g)
{
	for (uint32_t i = 0; i < g->images.count; i++) {
		const struct note_module *m = &g->images.list[i].note;
		if (!g->images.list[i].placed || !is_plain_path(m->path))
			continue;
		put_hex(g, m->start);
		emit(&g->out, "-");
		put_hex(g, m->end);
		emit(&g->out, " r-xp ");
		put_hex(g, m->offset);
		emit(&g->out, " 00:00 0          ");
		emit_string(&g->out, m->path);
		emit(&g->out, "\n");
	}
}

/* Adds a name to a comment.  pprof takes a line with an equals sign for a
 * definition, and a text before a closing bracket for that of a log. */
static void
add_comment_name(struct buf *b, struct tach_string s)
{
	size_t from = b->len;

	utf8_add_visible(b, s.bytes,
	    s.len < COMMENT_NAME_MAX ? s.len : COMMENT_NAME_MAX);
	for (; from < b->len; from++)
		if (b->text[from] == '=' || b->text[from] == ']')
			b->text[from] = '?';
}

static void
put_comments(struct gperftools *g)
{
	const struct symbols *s = &g->symbols;

	for (uint32_t i = 0; i < s->count; i++) {
		emit(&g->out, "# 0x");
		put_hex(g, g->real[i] != 0 ? g->real[i] : symbol_address(i));
		emit(&g->out, " ");
		add_comment_name(&g->out.buf, s->list[i].func);
		emit(&g->out, " (");
		add_comment_name(&g->out.buf, s->list[i].file);
		emit(&g->out, ":");
		emit_number(&g->out, (uint64_t)s->list[i].line);
		emit(&g->out, ")\n");
	}
}

/* ---- the sink ------------------------------------------------------------ */

/* All threads are one: the format has no threads. */
static int
gperftools_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct gperftools *g = sink->arg;

	g->meta = meta;
	aggregate_init(&g->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .interps = true, .thread_frames = true,
	    .by = by_or(g->options->by, TACH_BY_NONE)});
	return TACH_OK;
}

static int
gperftools_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct gperftools *g = sink->arg;

	return aggregate_run(&g->stacks, run) ? TACH_OK :
	    aggregate_failed(&g->stacks, &g->error);
}

/* Whether a path is one word, which readers need. */
static bool
is_word(const char *path)
{
	for (; *path != '\0'; path++)
		if ((unsigned char)*path <= ' ' || *path == 0x7f)
			return false;
	return true;
}

static int
check_options(struct gperftools *g)
{
	const struct tach_format_options *o = g->options;

	if (o->symbols != NULL && !is_word(o->symbols_path))
		return error_set(&g->error, TACH_EUSE, "the path of the "
		    "symbols has a space in it, which this format cannot hold: "
		    "choose another one");
	if (o->symbols != NULL && o->build != NULL && !is_word(o->build))
		return error_set(&g->error, TACH_EUSE, "the path of --build "
		    "has a space in it, which this format cannot hold: choose "
		    "another directory");
	if (end_of(&g->symbols) > largest(g))
		return error_set(&g->error, TACH_ELIMIT, "%" PRIu32 " places "
		    "are more than words of 32 bits can tell apart: choose "
		    "--word 64", g->symbols.count);
	return TACH_OK;
}

/* Finds the addresses of functions of C.  A module that cannot be among the mapped
 * objects has none: its functions are symbols as all others.  False if out of memory. */
static bool
find_real(struct gperftools *g)
{
	const struct locations *all = &g->stacks.locations;

	g->real = calloc(g->symbols.count, sizeof(*g->real));
	if (g->real == NULL || !images_read(&g->images, all->table) ||
	    !images_place(&g->images, SYMBOLS_BASE, end_of(&g->symbols), largest(g)))
		return false;
	for (uint32_t i = 0; i < all->count; i++) {
		uint64_t address;
		const struct image *m = images_find(&g->images, &all->all[i], &address);
		if (m != NULL && m->placed && is_plain_path(m->note.path))
			g->real[g->symbols.of[i]] = address;
	}
	return true;
}

static int
put_symbols(struct gperftools *g)
{
	FILE *to;
	int rc;

	if (g->options->symbols == NULL)
		return TACH_OK;
	if ((to = stream_open(g->options->symbols, &g->error)) == NULL)
		return TACH_FATAL;
	rc = sidecar_write(to, &g->symbols, &g->error);
	if (fclose(to) != 0 && rc == TACH_OK)
		rc = error_system(&g->error, "the symbols", errno);
	return rc;
}

static int
gperftools_put_profile(struct gperftools *g)
{
	if (g->options->symbolized)
		put_table(g);
	put_binary(g);
	put_mapping(g);
	put_images(g);
	put_comments(g);
	return emit_finish(&g->out, &g->error);
}

static int
gperftools_end(struct tach_sink *sink)
{
	struct gperftools *g = sink->arg;

	if (!aggregate_settle(&g->stacks))
		return aggregate_failed(&g->stacks, &g->error);
	g->period = g->meta->interval_us != 0 ? g->meta->interval_us :
						UNKNOWN_INTERVAL;
	if (!symbols_init(&g->symbols, &g->stacks.locations) ||
	    (g->turns = calloc(g->symbols.count, sizeof(bool))) == NULL ||
	    !find_real(g))
		return error_system(&g->error, "", ENOMEM);
	if (check_options(g) != TACH_OK || put_symbols(g) != TACH_OK)
		return TACH_FATAL;
	return gperftools_put_profile(g);
}

static void
gperftools_free(struct tach_sink *sink)
{
	struct gperftools *g = sink->arg;

	aggregate_clear(&g->stacks);
	symbols_clear(&g->symbols);
	images_clear(&g->images);
	free(g->real);
	free(g->turns);
	emit_clear(&g->out);
	free(g);
}

static enum tach_error
gperftools_error(const struct tach_sink *sink, const char **line)
{
	const struct gperftools *g = sink->arg;

	return error_get(&g->error, line);
}

struct tach_sink *
gperftools_open(FILE *out, const struct tach_format_options *options)
{
	struct gperftools *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->sink = (struct tach_sink){.size = sizeof(g->sink),
	    .arg = g,
	    .begin = gperftools_begin,
	    .run = gperftools_run,
	    .end = gperftools_end,
	    .free = gperftools_free,
	    .error = gperftools_error};
	g->options = options;
	g->out.file = out;
	return &g->sink;
}
