/* SPDX-License-Identifier: ISC */
/*
 * pprof.c: pprof's profile.proto, one sample for each stack and status of a
 * thread.
 *
 * Concatenated messages of protobuf are one message with the fields of all.  So
 * the profile is written as many messages of one entry each, and is never in
 * memory as a whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/gzip.h"
#include "out/images.h"
#include "out/message.h"
#include "out/names.h"
#include "out/out.h"
#include "out/profile.pb-c.h"
#include "out/strings.h"
#include "status.h"

/* The first strings of the table. */
enum { EMPTY, SAMPLES, COUNT, WALL, CPU, NANOSECONDS, THREAD, THREAD_ID,
	INTERP, STATUS };
static const char *const words[] = {"", "samples", "count", "wall", "cpu",
	"nanoseconds", "thread", "thread_id", "interp", "status"};
#define WORDS (sizeof(words) / sizeof(*words))

#define STATUSES (UINT8_MAX + 1)
#define MAPPING 1 /* the id of the mapping of Python; those of modules come next */
#define TYPES_MAX 3

struct pprof {
	struct tach_sink sink;
	FILE *out;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	struct aggregate stacks;
	uint64_t first, end;	/* begin and end of all samples */
	struct tach_table *names; /* frames: the functions; id: index + 1 */
	struct images images;
	struct strings modules; /* that have mappings, by file or image */
	uint32_t statuses[STATUSES]; /* strings; 0 before it is made */
	uint32_t *threads;	     /* strings, by index of the thread */
	uint64_t *way;		     /* a stack's locations */
	bool has_cpu;		     /* statuses tell whether a thread ran */
	bool bare;		     /* there are samples without frames */
	struct emit emit;
	struct buf scratch;
	struct error error;
};

/* ---- strings ------------------------------------------------------------- */

static bool
add_words(struct pprof *p)
{
	for (uint32_t i = 0; i < WORDS; i++)
		if (names_add_text(p->names, words[i]) != i)
			return false;
	return true;
}

static bool
add_threads(struct pprof *p)
{
	const struct aggregate *a = &p->stacks;
	struct buf name = {0};
	bool ok = true;

	p->threads = reallocarray(NULL, (size_t)a->nthreads + 1,
	    sizeof(*p->threads));
	if (p->threads == NULL)
		return false;
	for (uint32_t i = 0; ok && i < a->nthreads; i++) {
		const struct aggregate_thread *t = &a->threads[i];
		p->threads[i] = names_add_text(p->names,
		    aggregate_thread_name(a, t, &name));
		ok = p->threads[i] != TACH_NONE;
	}
	buf_clear(&name);
	return ok;
}

/* The string of a status; TACH_NONE if out of memory. */
static uint32_t
status_string(struct pprof *p, uint8_t status)
{
	struct buf b = {0};
	uint32_t s = p->statuses[status];

	if (s != 0)
		return s;
	status_add_label(&b, status);
	s = b.failed ? TACH_NONE :
	    tach_table_add_string(p->names, b.text, b.len);
	buf_clear(&b);
	return p->statuses[status] = s;
}

/* ---- what is written ----------------------------------------------------- */

/* Writes a message with a part of the profile. */
static void
pprof_put(struct pprof *p, const Pprof__Profile *piece)
{
	emit_message(&p->emit, &piece->base);
}

static uint32_t
mode_type(const struct pprof *p)
{
	return (p->meta->config & TACH_CONFIG_MODE) == TACH_CONFIG_CPU ? CPU :
	    WALL;
}

/* The type that viewers show first: the one that was asked for, for time the
 * one that was recorded. */
static uint32_t
default_type(const struct pprof *p)
{
	if (p->options->weight == TACH_WEIGHT_SAMPLES)
		return SAMPLES;
	return p->has_cpu ? mode_type(p) : WALL;
}

/* The time of day of the first sample, or 0. */
static int64_t
time_of_first(const struct pprof *p)
{
	uint64_t time = tach_table_first_time(p->stacks.locations.table);

	if (time == 0)
		return 0;
	return nanoseconds(p->first < UINT64_MAX - time ? time + p->first :
							  UINT64_MAX);
}

static void
pprof_put_head(struct pprof *p)
{
	Pprof__ValueType types[TYPES_MAX + 1], *all[TYPES_MAX];
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	static const uint32_t names[] = {SAMPLES, WALL, CPU};

	for (int i = 0; i <= TYPES_MAX; i++)
		types[i] = (Pprof__ValueType)PPROF__VALUE_TYPE__INIT;
	for (int i = 0; i < TYPES_MAX; i++) {
		types[i].type = names[i];
		types[i].unit = names[i] == SAMPLES ? COUNT : NANOSECONDS;
		all[i] = &types[i];
	}
	profile.sample_type = all;
	profile.n_sample_type = p->has_cpu ? 3 : 2;
	profile.default_sample_type = default_type(p);
	types[TYPES_MAX].type = mode_type(p);
	types[TYPES_MAX].unit = NANOSECONDS;
	profile.period_type = &types[TYPES_MAX];
	profile.period = nanoseconds(p->meta->interval_us);
	profile.time_nanos = time_of_first(p);
	profile.duration_nanos = nanoseconds(p->end - p->first);
	pprof_put(p, &profile);
}

/* Writes a mapping; of an image it also says where that was.  It says that there are
 * names; otherwise pprof would look for them in a program's file. */
static void
put_mapping(struct pprof *p, uint64_t id, uint32_t name, const struct image *image)
{
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *all = &mapping;
	Pprof__Profile profile = PPROF__PROFILE__INIT;

	mapping.id = id;
	mapping.filename = name;
	if (image != NULL) {
		mapping.memory_start = image->note.start;
		mapping.memory_limit = image->note.end;
		mapping.file_offset = image->note.offset;
		if (note_is_build_id(image->note.id))
			mapping.build_id = names_add(p->names, image->note.id);
	}
	mapping.has_functions = true;
	mapping.has_filenames = true;
	mapping.has_line_numbers = true;
	profile.n_mapping = 1;
	profile.mapping = &all;
	pprof_put(p, &profile);
}

/* Writes the mapping of all locations but those in modules.  It is the first one, which
 * readers take for the program; without it, that of the outermost frame is. */
static bool
put_program(struct pprof *p)
{
	const uint8_t *python = p->meta->python;
	char name[32];
	uint32_t s;

	if (!p->bare && images_all(&p->images, &p->stacks.locations))
		return true;
	snprintf(name, sizeof(name), "%s",
	    locations_of_python(&p->stacks.locations, p->meta) ? "python" : "program");
	if (python[0] != 0) /* a text may lack the version */
		snprintf(name, sizeof(name), "python%d.%d", python[0],
		    python[1]);
	if ((s = names_add_text(p->names, name)) == TACH_NONE)
		return false;
	put_mapping(p, MAPPING, s, NULL);
	return true;
}

/* The id of a location's mapping; 0 if out of memory.  image: of the location; or
 * NULL. */
static uint64_t
mapping_of(struct pprof *p, const struct location *where, const struct image *image)
{
	uint32_t count = p->modules.count, number, name;

	if (image == NULL && !location_in_module(where))
		return MAPPING;
	number = strings_find(&p->modules,
	    image != NULL ? image_key(image) : where->file);
	name = names_add(p->names, image != NULL ? image->note.path : where->file);
	if (number == TACH_NONE || name == TACH_NONE)
		return 0;
	if (p->modules.count > count)
		put_mapping(p, MAPPING + 1 + (uint64_t)number, name, image);
	return MAPPING + 1 + (uint64_t)number;
}

/* ---- samples ------------------------------------------------------------- */

/* Puts the locations of a stack into p->way.  Returns their number; `root` gets
 * the root, which tells the thread. */
static size_t
find_way(struct pprof *p, uint32_t node, uint32_t *root)
{
	const struct aggregate *a = &p->stacks;
	size_t n = 0;

	for (; !node_is_root(&a->nodes[node]); node = a->nodes[node].parent)
		p->way[n++] = (uint64_t)a->nodes[node].what + 1;
	*root = node;
	if (n == 0)
		p->way[n++] = (uint64_t)a->locations.count + 1;
	return n;
}

static void
add_label(Pprof__Label labels[4], size_t *n, int64_t key, int64_t str, int64_t num)
{
	labels[*n] = (Pprof__Label)PPROF__LABEL__INIT;
	labels[*n].key = key;
	labels[*n].str = str;
	labels[*n].num = num;
	++*n;
}

/* Sets the labels.  Returns their number, 0 if out of memory. */
static size_t
fill_labels(struct pprof *p, uint32_t thread, uint8_t status,
    Pprof__Label labels[4])
{
	const struct aggregate_thread *t = &p->stacks.threads[thread];
	enum tach_by by = p->options->by;
	uint32_t s = status_string(p, status);
	size_t n = 0;

	if (s == TACH_NONE)
		return 0;
	if (by != TACH_BY_NONE)
		add_label(labels, &n, THREAD, p->threads[thread], 0);
	add_label(labels, &n, STATUS, s, 0);
	if (by <= TACH_BY_THREAD)
		add_label(labels, &n, THREAD_ID, 0, (int64_t)t->thread);
	if (t->interp != 0)
		add_label(labels, &n, INTERP, 0, t->interp);
	return n;
}

/* Writes one sample with the stack in p->way. */
static bool
put_sample(struct pprof *p, size_t depth, uint32_t thread,
    const struct cell *c)
{
	Pprof__Label labels[4], *all[] = {&labels[0], &labels[1], &labels[2],
	    &labels[3]};
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	int64_t time = nanoseconds(c->time);
	int64_t values[TYPES_MAX] = {(int64_t)c->samples, time,
	    status_on_cpu(c->class) ? time : 0};

	sample.n_location_id = depth;
	sample.location_id = p->way;
	sample.n_value = p->has_cpu ? 3 : 2;
	sample.value = values;
	sample.n_label = fill_labels(p, thread, c->class, labels);
	sample.label = all;
	profile.n_sample = 1;
	profile.sample = &samples;
	pprof_put(p, &profile);
	return sample.n_label > 0;
}

static bool
pprof_put_samples(struct pprof *p)
{
	const struct aggregate *a = &p->stacks;
	uint32_t root;

	for (uint32_t i = 0; i < a->nnodes && p->emit.error == 0; i++) {
		uint32_t c = a->nodes[i].cell;
		size_t depth = c != TACH_NONE ? find_way(p, i, &root) : 0;
		for (; c != TACH_NONE; c = a->cells[c].next)
			if (!put_sample(p, depth, a->nodes[root].what,
				&a->cells[c]))
				return false;
	}
	return true;
}

/* ---- locations, functions, strings --------------------------------------- */

/* False if out of memory. */
static bool
put_location(struct pprof *p, uint64_t id, const struct location *where)
{
	bool in_file = !synthetic(where->file, where->line);
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	Pprof__Location location = PPROF__LOCATION__INIT, *all = &location;
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	const struct image *image = images_find(&p->images, where, &location.address);

	line.function_id = names_add_function(p->names,
	    in_file ? where->file : (struct tach_string){"", 0}, where->func);
	line.line = where->line > 0 ? where->line : 0;
	line.column = where->column >= 0 ? (int64_t)where->column + 1 : 0;
	location.id = id;
	location.mapping_id = mapping_of(p, where, image);
	location.n_line = 1;
	location.line = &lines;
	profile.n_location = 1;
	profile.location = &all;
	pprof_put(p, &profile);
	return line.function_id != 0 && location.mapping_id != 0;
}

static bool
put_locations(struct pprof *p)
{
	static const struct location bare = {
		.file = {"", 0},
		.func = {NO_FRAMES, sizeof(NO_FRAMES) - 1},
		.column = -1,
	};
	const struct locations *all = &p->stacks.locations;

	for (uint32_t i = 0; i < all->count; i++)
		if (!put_location(p, (uint64_t)i + 1, &all->all[i]))
			return false;
	return !p->bare || put_location(p, (uint64_t)all->count + 1, &bare);
}

static void
put_functions(struct pprof *p)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *all = &function;
	Pprof__Profile profile = PPROF__PROFILE__INIT;

	profile.n_function = 1;
	profile.function = &all;
	for (uint32_t i = 0; i < tach_table_frame_count(p->names); i++) {
		const struct tach_frame *f = tach_table_frame(p->names, i);
		function.id = (uint64_t)i + 1;
		function.name = f->func;
		function.filename = f->file;
		pprof_put(p, &profile);
	}
}

/* Writes the strings.  Those of protobuf must be UTF-8.  False if out of
 * memory. */
static bool
pprof_put_strings(struct pprof *p)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	ProtobufCBinaryData string;

	profile.n_string_table = 1;
	profile.string_table = &string;
	for (uint32_t i = 0; i < tach_table_string_count(p->names); i++) {
		string = message_string(&p->scratch,
		    tach_table_string(p->names, i));
		pprof_put(p, &profile);
	}
	return !p->scratch.failed;
}

/* ---- the sink ------------------------------------------------------------ */

/* Finds the depth of the deepest stack, whether one has no frames, and the statuses that
 * occur. */
static bool
survey_stacks(struct pprof *p)
{
	const struct aggregate *a = &p->stacks;
	uint32_t deepest = 1;

	for (uint32_t i = 0; i < a->nnodes; i++) {
		const struct node *n = &a->nodes[i];
		if (n->depth > deepest)
			deepest = n->depth;
		p->bare |= node_is_root(n) && n->cell != TACH_NONE;
	}
	for (uint32_t i = 0; i < a->ncells; i++)
		p->has_cpu |= status_on_cpu(a->cells[i].class);
	p->way = reallocarray(NULL, deepest, sizeof(*p->way));
	return p->way != NULL;
}

static bool
pprof_put_all(struct pprof *p)
{
	if (!survey_stacks(p) || !add_words(p) || !add_threads(p) ||
	    !images_read(&p->images, p->stacks.locations.table))
		return false;
	pprof_put_head(p);
	if (!put_program(p) || !pprof_put_samples(p) || !put_locations(p))
		return false;
	put_functions(p);
	return pprof_put_strings(p);
}

static int
pprof_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct pprof *p = sink->arg;

	p->meta = meta;
	aggregate_init(&p->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_POSITIONS, .interps = true, .by = p->options->by,
	    .class_of = class_status});
	return TACH_OK;
}

static int
pprof_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct pprof *p = sink->arg;
	const struct tach_tick *last = &run->ticks[run->count - 1];

	if (run->ticks[0].time < p->first)
		p->first = run->ticks[0].time;
	if (last->time + last->duration > p->end)
		p->end = last->time + last->duration;
	return aggregate_run(&p->stacks, run) ? TACH_OK :
	    aggregate_failed(&p->stacks, &p->error);
}

static int
pprof_end(struct tach_sink *sink)
{
	struct pprof *p = sink->arg;
	int e;

	if (!aggregate_settle(&p->stacks))
		return aggregate_failed(&p->stacks, &p->error);
	if (p->first > p->end) /* no samples */
		p->first = p->end;
	if ((p->emit.file = gzip_open(p->out)) == NULL)
		return error_system(&p->error, "", errno);
	e = pprof_put_all(p) ? emit_end(&p->emit) : ENOMEM;
	if ((fclose(p->emit.file) != 0 || fflush(p->out) != 0) && e == 0)
		e = errno;
	return e == 0 ? TACH_OK : error_system(&p->error, "", e);
}

static void
pprof_free(struct tach_sink *sink)
{
	struct pprof *p = sink->arg;

	aggregate_clear(&p->stacks);
	tach_table_free(p->names);
	strings_clear(&p->modules);
	images_clear(&p->images);
	emit_clear(&p->emit);
	buf_clear(&p->scratch);
	free(p->threads);
	free(p->way);
	free(p);
}

static enum tach_error
pprof_error(const struct tach_sink *sink, const char **line)
{
	const struct pprof *p = sink->arg;

	return error_get(&p->error, line);
}

struct tach_sink *
pprof_open(FILE *out, const struct tach_format_options *options)
{
	struct pprof *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->sink = (struct tach_sink){.size = sizeof(p->sink),
	    .arg = p,
	    .begin = pprof_begin,
	    .run = pprof_run,
	    .end = pprof_end,
	    .free = pprof_free,
	    .error = pprof_error};
	p->out = out;
	p->options = options;
	p->first = UINT64_MAX;
	p->names = tach_table_new();
	if (p->names == NULL) {
		pprof_free(&p->sink);
		return NULL;
	}
	return &p->sink;
}
