/* SPDX-License-Identifier: ISC */
/*
 * otlp.c: a request of OpenTelemetry's protocol that has a profile of each type of
 * value, for collectors.
 *
 * A message that is in another one begins with its length.  So the profiles and
 * the dictionary are made twice: first to learn how long they are, and then to be
 * written.  They are never in memory as a whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/images.h"
#include "out/limits.h"
#include "out/message.h"
#include "out/names.h"
#include "out/numbers.h"
#include "out/otlp.pb-c.h"
#include "out/out.h"
#include "out/strings.h"
#include "out/timeline.h"
#include "status.h"
#include "varint.h"

/* The types of values, each with its name and its unit. */
enum type { SAMPLES, WALL, CPU, TYPES };
static const char *const type_names[TYPES] = {"samples", "wall", "cpu"};
static const char *const type_units[TYPES] = {"count", "nanoseconds",
	"nanoseconds"};

#define STATUSES (UINT8_MAX + 1)
#define MAPPING 1 /* the index of the only mapping */
#define LABELS_MAX 5

/* The times of single samples are written if the request has no more bytes with them.
 * It is the size up to which collectors take a request by default. */
#define TIMED_MAX (UINT64_C(20) << 20)
/* Samples of which two profiles have no more bytes than that. */
#define TIMES_MAX (TIMED_MAX / (2 * sizeof(uint64_t)))

/* Fields of messages that hold the messages whose length must be known. */
#define FIELD_RESOURCE_PROFILES 1
#define FIELD_RESOURCE 1
#define FIELD_DICTIONARY 2
#define FIELD_SCOPE_PROFILES 2
#define FIELD_PROFILES 2
#define MESSAGE_MAX INT32_MAX /* bytes: readers refuse more */

/* A key and a value; its index is one more than that in the array. */
struct attribute {
	uint32_t key;  /* a string of the names */
	uint32_t text; /* the value, a string of the values */
	bool is_number;
	uint64_t number;
};

/* A sample, as long as single ones are known. */
struct otlp_time {
	uint64_t time;
	uint32_t duration;
	uint32_t cell;
};

/* The samples of one stack, thread and status. */
struct otlp_cell {
	uint64_t samples, time;
	uint32_t begin; /* of its samples in the sorted times */
	uint32_t node, thread;
	uint8_t status;
};

struct otlp_thread {
	bool known;
	uint64_t thread;
	uint32_t interp;
	uint64_t first, end; /* begin and end of its samples */
	int32_t labels[LABELS_MAX]; /* attributes */
	uint32_t nlabels;
};

struct otlp {
	struct tach_sink sink;
	FILE *out;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	const struct tach_table *table;
	struct aggregate stacks; /* without weights */
	struct tracks threads;
	struct pairs by_key; /* cells: by node, and thread and status */
	struct otlp_cell *cells;
	uint32_t ncells;
	size_t cells_max;
	uint64_t first, end; /* begin and end of all samples */
	struct otlp_time *times; /* of all samples; at the end by cell and time */
	uint32_t ntimes;
	bool timed; /* the times are known, and to be written */
	size_t times_max;
	/* Set at the end. */
	uint64_t origin; /* time of day of the first sample, us; 0: not known */
	uint32_t pid;	 /* of the only process; 0: not known, or there are several */
	int64_t *amounts;  /* scratch: values of a cell's samples ... */
	uint64_t *stamps;  /* ... and their times of day, ns */
	struct tach_table *names; /* frames: the functions; index: their + 1 */
	struct tach_table *values; /* strings: of attributes */
	struct numbers used;	  /* nodes whose stacks are written */
	struct attribute *attributes;
	uint32_t nattributes;
	size_t attributes_max;
	struct pairs by_text; /* attributes: by key and text */
	int32_t statuses[STATUSES]; /* attributes; 0 before it is made */
	int32_t frame_types[KINDS]; /* by kind: the attribute of a frame; 0: none */
	struct images images;
	struct strings modules; /* whose mappings were written, by file or image */
	int32_t before_modules; /* the last index of other mappings: MAPPING, or 0 */
	enum type types[TYPES]; /* in the order of the profiles */
	uint32_t ntypes;
	Otlp__ValueType value_types[TYPES];
	uint32_t program; /* a string */
	int32_t *way;	  /* a stack's locations */
	bool has_cpu;	  /* statuses tell whether a thread ran */
	bool bare;	  /* there are samples without frames */
	bool measuring;
	uint64_t size; /* of what was measured, in bytes */
	struct emit emit;
	struct buf scratch;
	struct error error;
};

/* ---- while samples come -------------------------------------------------- */

static struct otlp_cell *
add_otlp_cell(struct otlp *o, uint32_t node, uint32_t key)
{
	struct otlp_cell *p;

	if (o->ncells >= LIMIT_CELLS) {
		error_set(&o->error, TACH_ELIMIT, LIMIT_TEXT("different stacks"));
		return NULL;
	}
	p = array_grow(o->cells, o->ncells, &o->cells_max, sizeof(*p));
	if (p == NULL)
		return NULL;
	o->cells = p;
	if (!pairs_add(&o->by_key, node, key, o->ncells + 1))
		return NULL;
	p[o->ncells] = (struct otlp_cell){.node = node,
	    .thread = key / STATUSES, .status = key % STATUSES};
	return &p[o->ncells++];
}

static void
drop_times(struct otlp *o)
{
	o->timed = false;
	free(o->times);
	o->times = NULL;
	o->ntimes = 0;
}

/* Keeps the time of a sample, unless there are too many.  False if out of memory. */
static bool
add_time(struct otlp *o, uint32_t cell, const struct tach_tick *tick)
{
	struct otlp_time *p;

	if (o->ntimes >= TIMES_MAX) {
		drop_times(o);
		return true;
	}
	p = array_grow(o->times, o->ntimes, &o->times_max, sizeof(*p));
	if (p == NULL)
		return false;
	o->times = p;
	p[o->ntimes++] = (struct otlp_time){tick->time, tick->duration, cell};
	return true;
}

/* Counts the ticks from one on that have the same status.  Returns the next one,
 * or SIZE_MAX if out of memory, or if limits.h allows no more. */
static size_t
count_status(struct otlp *o, uint32_t node, const struct tach_run *run,
    size_t from)
{
	uint8_t status = run->ticks[from].status;
	uint32_t key = run->index * STATUSES + status;
	uint32_t known = pairs_find(&o->by_key, node, key);
	struct otlp_cell *cell = known != 0 ? &o->cells[known - 1] :
					      add_otlp_cell(o, node, key);
	size_t i = from;

	if (cell == NULL)
		return SIZE_MAX;
	for (; i < run->count && run->ticks[i].status == status; i++) {
		cell->time += run->ticks[i].duration;
		if (o->timed && !add_time(o, (uint32_t)(cell - o->cells),
			&run->ticks[i]))
			return SIZE_MAX;
	}
	cell->samples += i - from;
	return i;
}

/* ---- strings and attributes ---------------------------------------------- */

/* Adds an attribute, unless it is known, and returns its index; 0 if out of memory,
 * as also if the text is TACH_NONE. */
static int32_t
add_attribute(struct otlp *o, const char *key, struct attribute a)
{
	struct attribute *p;
	uint32_t found;

	a.key = names_add_text(o->names, key);
	if (a.key == TACH_NONE || a.text == TACH_NONE)
		return 0;
	if ((found = pairs_find(&o->by_text, a.key, a.text)) != 0)
		return (int32_t)found;
	p = array_grow(o->attributes, o->nattributes, &o->attributes_max,
	    sizeof(*p));
	if (p == NULL)
		return 0;
	o->attributes = p;
	p[o->nattributes++] = a;
	return pairs_add(&o->by_text, a.key, a.text, o->nattributes) ?
	    (int32_t)o->nattributes : 0;
}

/* Likewise. */
static int32_t
add_text_value(struct otlp *o, const char *key, struct tach_string text)
{
	return add_attribute(o, key, (struct attribute){
	    .text = names_add(o->values, text)});
}

static int32_t
add_number_value(struct otlp *o, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return add_attribute(o, key, (struct attribute){
	    .text = names_add_text(o->values, text), .is_number = true,
	    .number = number});
}

static bool
add_label(struct otlp_thread *t, int32_t attribute)
{
	t->labels[t->nlabels++] = attribute;
	return attribute != 0;
}

static bool
label_thread(struct otlp *o, struct otlp_thread *t)
{
	struct tach_string name;
	uint32_t pid, first;

	if (!add_label(t, add_number_value(o, "thread.id", t->thread)))
		return false;
	if (tach_table_thread_name(o->table, t->interp, t->thread, &name) &&
	    !add_label(t, add_text_value(o, "thread.name", name)))
		return false;
	if (t->interp != 0 &&
	    !add_label(t, add_number_value(o, "tach.interp", t->interp)))
		return false;
	pid = o->pid == 0 ? tach_table_process(o->table, t->interp, &first) : 0;
	return pid == 0 || add_label(t, add_number_value(o, "process.pid", pid));
}

static bool
label_status(struct otlp *o, uint8_t status)
{
	struct buf b = {0};

	if (o->statuses[status] != 0)
		return true;
	status_add_label(&b, status);
	if (!b.failed)
		o->statuses[status] = add_text_value(o, "tach.status",
		    (struct tach_string){b.text, b.len});
	buf_clear(&b);
	return o->statuses[status] != 0;
}

static bool
label_frames(struct otlp *o)
{
	static const char *const types[KINDS] = {[KIND_SOURCE] = "cpython",
		[KIND_CALLEE] = "native", [KIND_NATIVE] = "native",
		[KIND_KERNEL] = "kernel", [KIND_TASK] = "cpython"};
	const struct locations *all = &o->stacks.locations;

	for (uint32_t i = 0; i < all->count; i++) {
		enum frame_kind kind = all->all[i].kind;
		const char *name = types[kind];
		if (name == NULL || o->frame_types[kind] != 0)
			continue;
		o->frame_types[kind] = add_text_value(o, "profile.frame.type",
		    (struct tach_string){name, strlen(name)});
		if (o->frame_types[kind] == 0)
			return false;
	}
	return true;
}

/* The attribute of an image's build id; 0 if it has none, or
 * if out of memory. */
static int32_t
build_attribute(struct otlp *o, const struct image *image)
{
	return note_is_build_id(image->note.id) ?
	    add_text_value(o, "process.executable.build_id.gnu", image->note.id) : 0;
}

/* Reads the images, and makes the attributes of those with locations. */
static bool
label_images(struct otlp *o)
{
	const struct locations *all = &o->stacks.locations;
	const struct image *image;
	uint64_t address;

	if (!images_read(&o->images, o->table))
		return false;
	for (uint32_t i = 0; i < all->count; i++) {
		image = images_find(&o->images, &all->all[i], &address);
		if (image != NULL && note_is_build_id(image->note.id) &&
		    build_attribute(o, image) == 0)
			return false;
	}
	return true;
}

/* Makes the attributes of all cells and locations. */
static bool
add_labels(struct otlp *o)
{
	struct otlp_thread *threads = o->threads.tracks;

	for (uint32_t i = 0; i < o->threads.count; i++)
		if (threads[i].known && !label_thread(o, &threads[i]))
			return false;
	for (uint32_t i = 0; i < o->ncells; i++)
		if (!label_status(o, o->cells[i].status))
			return false;
	return label_frames(o) && label_images(o);
}

/* Whether there are samples that are not all in modules: see images_all. */
static bool
has_program(const struct otlp *o)
{
	return o->ncells > 0 &&
	    (o->bare || !images_all(&o->images, &o->stacks.locations));
}

static bool
add_program(struct otlp *o)
{
	const uint8_t *python = o->meta->python;
	char name[32];

	snprintf(name, sizeof(name), "%s",
	    locations_of_python(&o->stacks.locations, o->meta) ? "python" : "program");
	if (python[0] != 0) /* a text may lack the version */
		snprintf(name, sizeof(name), "python%d.%d", python[0],
		    python[1]);
	o->program = names_add_text(o->names, name);
	return o->program != TACH_NONE;
}

/* ---- pieces -------------------------------------------------------------- */

/* Writes or measures a message with a part of a larger one. */
static void
otlp_put(struct otlp *o, const ProtobufCMessage *piece)
{
	if (o->measuring)
		o->size += protobuf_c_message_get_packed_size(piece);
	else
		emit_message(&o->emit, piece);
}

#define TAG_OF(field) ((uint64_t)(field) << 3 | 2)

/* The bytes of a message of that size as a field of another one. */
static uint64_t
field_size(unsigned field, uint64_t size)
{
	return varint_size(TAG_OF(field)) + varint_size(size) + size;
}

/* Begins a message in another one. */
static void
begin_field(struct otlp *o, unsigned field, uint64_t size)
{
	uint8_t bytes[2 * VARINT_MAX];
	uint8_t *end = varint_put(varint_put(bytes, TAG_OF(field)), size);

	emit_bytes(&o->emit, (const char *)bytes, (size_t)(end - bytes));
}

/* ---- profiles ------------------------------------------------------------ */

/* The type of the recording's clock. */
static enum type
clock_type(const struct otlp *o)
{
	return (o->meta->config & TACH_CONFIG_MODE) == TACH_CONFIG_CPU ? CPU :
	    WALL;
}

static bool
add_type(struct otlp *o, enum type type)
{
	Otlp__ValueType *t = &o->value_types[type];
	uint32_t name = names_add_text(o->names, type_names[type]);
	uint32_t unit = names_add_text(o->names, type_units[type]);

	*t = (Otlp__ValueType)OTLP__VALUE_TYPE__INIT;
	t->type_strindex = (int32_t)name;
	t->unit_strindex = (int32_t)unit;
	return name != TACH_NONE && unit != TACH_NONE;
}

/* Puts the types in order.  Viewers show the first one, which was asked for; for
 * time, that which was recorded. */
static bool
choose_types(struct otlp *o)
{
	enum type first = o->options->weight == TACH_WEIGHT_SAMPLES ? SAMPLES :
	    o->has_cpu ? clock_type(o) : WALL;

	o->types[o->ntypes++] = first;
	for (enum type t = SAMPLES; t < TYPES; t++)
		if (t != first && (t != CPU || o->has_cpu))
			o->types[o->ntypes++] = t;
	for (uint32_t i = 0; i < o->ntypes; i++)
		if (!add_type(o, o->types[i]))
			return false;
	return add_type(o, clock_type(o));
}

static void
otlp_put_head(struct otlp *o, enum type type)
{
	Otlp__Profile profile = OTLP__PROFILE__INIT;

	profile.sample_type = &o->value_types[type];
	profile.time_unix_nano = (uint64_t)nanoseconds(o->origin);
	profile.duration_nano = (uint64_t)nanoseconds(o->end - o->first);
	profile.period_type = &o->value_types[clock_type(o)];
	profile.period = nanoseconds(o->meta->interval_us);
	otlp_put(o, &profile.base);
}

/* The time of day of a thread's time, or 0. */
static uint64_t
time_of_day(const struct otlp *o, const struct otlp_thread *t, uint64_t time)
{
	uint64_t origin = tach_table_time(o->table, t->interp);

	if (origin == 0)
		return 0;
	return time < UINT64_MAX - origin ? origin + time : UINT64_MAX;
}

/* For how many a sample of a cell counts: a switch's for none. */
static int64_t
weight_of_cell(const struct otlp *o, const struct otlp_cell *c)
{
	return (c->status & tach_table_switches(o->table)) == 0;
}

/* Sets the values and the times of day of a cell's samples. */
static void
set_times(struct otlp *o, const struct otlp_cell *c, enum type type,
    Otlp__Sample *sample)
{
	const struct otlp_thread *threads = o->threads.tracks;

	for (uint64_t i = 0; i < c->samples; i++) {
		const struct otlp_time *t = &o->times[c->begin + i];
		o->amounts[i] = type == SAMPLES ? weight_of_cell(o, c) :
		    nanoseconds(t->duration);
		o->stamps[i] = (uint64_t)nanoseconds(time_of_day(o,
		    &threads[c->thread], t->time));
	}
	sample->n_values = sample->n_timestamps_unix_nano = (size_t)c->samples;
	sample->values = o->amounts;
	sample->timestamps_unix_nano = o->stamps;
}

static void
put_cell(struct otlp *o, const struct otlp_cell *c, enum type type)
{
	int64_t value = type == SAMPLES ? weight_of_cell(o, c) * (int64_t)c->samples :
	    nanoseconds(c->time);
	const struct otlp_thread *threads = o->threads.tracks;
	const struct otlp_thread *t = &threads[c->thread];
	Otlp__Sample sample = OTLP__SAMPLE__INIT, *all = &sample;
	Otlp__Profile profile = OTLP__PROFILE__INIT;
	int32_t labels[LABELS_MAX];

	memcpy(labels, t->labels, sizeof(labels));
	labels[t->nlabels] = o->statuses[c->status];
	sample.stack_index = (int32_t)numbers_of(&o->used, c->node) + 1;
	sample.n_attribute_indices = t->nlabels + 1;
	sample.attribute_indices = labels;
	sample.n_values = 1;
	sample.values = &value;
	if (o->timed)
		set_times(o, c, type, &sample);
	profile.n_samples = 1;
	profile.samples = &all;
	otlp_put(o, &profile.base);
}

static void
put_profile(struct otlp *o, enum type type)
{
	otlp_put_head(o, type);
	for (uint32_t i = 0; i < o->ncells; i++) {
		const struct otlp_cell *c = &o->cells[i];
		if (type != CPU || status_on_cpu(c->status))
			put_cell(o, c, type);
	}
}

static uint64_t
measure_profile(struct otlp *o, enum type type)
{
	o->size = 0;
	o->measuring = true;
	put_profile(o, type);
	o->measuring = false;
	return o->size;
}

/* ---- the dictionary ------------------------------------------------------ */

/* Writes the entries that stand for nothing, of tables that have others.  All bytes
 * of the link's ids are zero. */
static void
put_empty(struct otlp *o)
{
	uint8_t zeros[16] = {0};
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings = &mapping;
	Otlp__Location location = OTLP__LOCATION__INIT, *locations = &location;
	Otlp__Function function = OTLP__FUNCTION__INIT, *functions = &function;
	Otlp__Link link = OTLP__LINK__INIT, *links = &link;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
	Otlp__KeyValueAndUnit *attributes = &attribute;
	Otlp__Stack stack = OTLP__STACK__INIT, *stacks = &stack;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;

	link.trace_id = (ProtobufCBinaryData){sizeof(zeros), zeros};
	link.span_id = (ProtobufCBinaryData){sizeof(zeros) / 2, zeros};
	d.n_mapping_table = d.n_location_table = d.n_function_table = 1;
	d.n_link_table = d.n_attribute_table = d.n_stack_table = 1;
	d.mapping_table = &mappings;
	d.location_table = &locations;
	d.function_table = &functions;
	d.link_table = &links;
	d.attribute_table = &attributes;
	d.stack_table = &stacks;
	otlp_put(o, &d.base);
}

/* Writes a mapping; of an image, it says where that was. */
static void
otlp_put_mapping(struct otlp *o, uint32_t name, const struct image *image)
{
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *all = &mapping;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
	int32_t build = 0;

	mapping.filename_strindex = (int32_t)name;
	if (image != NULL) {
		mapping.memory_start = image->note.start;
		mapping.memory_limit = image->note.end;
		mapping.file_offset = image->note.offset;
		build = build_attribute(o, image);
		mapping.n_attribute_indices = build != 0;
		mapping.attribute_indices = &build;
	}
	d.n_mapping_table = 1;
	d.mapping_table = &all;
	otlp_put(o, &d.base);
}

/* The index of the mapping of a location: a module has its own.  0 if out of memory. */
static int32_t
mapping_of(struct otlp *o, const struct location *where, const struct image *image)
{
	uint32_t count = o->modules.count, number, name;

	if (image == NULL && !location_in_module(where))
		return MAPPING;
	number = strings_find(&o->modules,
	    image != NULL ? image_key(image) : where->file);
	name = names_add(o->names, image != NULL ? image->note.path : where->file);
	if (number == TACH_NONE || name == TACH_NONE)
		return 0;
	if (o->modules.count > count)
		otlp_put_mapping(o, name, image);
	return o->before_modules + 1 + (int32_t)number;
}

/* The index of a location's function, which must have a name or a file; 0 if out of
 * memory. */
static int32_t
function_of(struct otlp *o, const struct location *where, bool in_file)
{
	struct tach_string func = where->func;
	struct tach_string file = in_file ? where->file :
	    (struct tach_string){"", 0};

	if (func.len == 0 && file.len == 0)
		func = (struct tach_string){"???", 3};
	return (int32_t)names_add_function(o->names, file, func);
}

/* False if out of memory. */
static bool
otlp_put_location(struct otlp *o, const struct location *where)
{
	bool in_file = !synthetic(where->file, where->line);
	Otlp__Line line = OTLP__LINE__INIT, *lines = &line;
	Otlp__Location location = OTLP__LOCATION__INIT, *all = &location;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
	const struct image *image = images_find(&o->images, where, &location.address);

	line.function_index = function_of(o, where, in_file);
	line.line = where->line > 0 ? where->line : 0;
	line.column = where->column >= 0 ? (int64_t)where->column + 1 : 0;
	location.mapping_index = mapping_of(o, where, image);
	location.n_lines = 1;
	location.lines = &lines;
	location.n_attribute_indices = o->frame_types[where->kind] != 0 ? 1 : 0;
	location.attribute_indices = &o->frame_types[where->kind];
	d.n_location_table = 1;
	d.location_table = &all;
	otlp_put(o, &d.base);
	return line.function_index != 0 && location.mapping_index != 0;
}

static bool
otlp_put_locations(struct otlp *o)
{
	static const struct location bare = {
		.file = {NO_FILE, 1},
		.func = {NO_FRAMES, sizeof(NO_FRAMES) - 1},
		.column = -1,
		.kind = KIND_MARK,
	};
	const struct locations *all = &o->stacks.locations;

	for (uint32_t i = 0; i < all->count; i++)
		if (!otlp_put_location(o, &all->all[i]))
			return false;
	return !o->bare || otlp_put_location(o, &bare);
}

static void
otlp_put_functions(struct otlp *o)
{
	Otlp__Function function = OTLP__FUNCTION__INIT, *all = &function;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;

	d.n_function_table = 1;
	d.function_table = &all;
	for (uint32_t i = 0; i < tach_table_frame_count(o->names); i++) {
		const struct tach_frame *f = tach_table_frame(o->names, i);
		function.name_strindex = (int32_t)f->func;
		function.filename_strindex = (int32_t)f->file;
		otlp_put(o, &d.base);
	}
}

static void
put_attributes(struct otlp *o)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT;
	Otlp__KeyValueAndUnit *all = &attribute;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
	ProtobufCBinaryData string;

	value.string_value = &string;
	attribute.value = &value;
	d.n_attribute_table = 1;
	d.attribute_table = &all;
	for (uint32_t i = 0; i < o->nattributes; i++) {
		const struct attribute *a = &o->attributes[i];
		int64_t number = (int64_t)a->number;
		attribute.key_strindex = (int32_t)a->key;
		value.n_int_value = a->is_number;
		value.int_value = &number;
		value.n_string_value = !a->is_number;
		string = message_string(&o->scratch,
		    tach_table_string(o->values, a->text));
		otlp_put(o, &d.base);
	}
}

static void
put_stack(struct otlp *o, uint32_t node)
{
	const struct node *nodes = o->stacks.nodes;
	Otlp__Stack stack = OTLP__STACK__INIT, *all = &stack;
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
	size_t n = 0;

	for (; !node_is_root(&nodes[node]); node = nodes[node].parent)
		o->way[n++] = (int32_t)nodes[node].what + 1;
	if (n == 0)
		o->way[n++] = (int32_t)o->stacks.locations.count + 1;
	stack.n_location_indices = n;
	stack.location_indices = o->way;
	d.n_stack_table = 1;
	d.stack_table = &all;
	otlp_put(o, &d.base);
}

static void
otlp_put_strings(struct otlp *o)
{
	Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
	ProtobufCBinaryData string;

	d.n_string_table = 1;
	d.string_table = &string;
	for (uint32_t i = 0; i < tach_table_string_count(o->names); i++) {
		string = message_string(&o->scratch,
		    tach_table_string(o->names, i));
		otlp_put(o, &d.base);
	}
}

/* False if out of memory. */
static bool
put_dictionary(struct otlp *o)
{
	put_empty(o);
	strings_clear(&o->modules);
	o->before_modules = has_program(o) ? MAPPING : 0;
	if (o->before_modules != 0)
		otlp_put_mapping(o, o->program, NULL);
	if (!otlp_put_locations(o))
		return false;
	otlp_put_functions(o);
	put_attributes(o);
	for (uint32_t i = 0; i < o->used.count; i++)
		put_stack(o, o->used.keys[i]);
	otlp_put_strings(o);
	return !o->scratch.failed;
}

/* 0 if out of memory. */
static uint64_t
measure_dictionary(struct otlp *o)
{
	bool ok;

	o->size = 0;
	o->measuring = true;
	ok = put_dictionary(o);
	o->measuring = false;
	return ok ? o->size : 0;
}

/* ---- the request --------------------------------------------------------- */

/* Writes or measures one attribute of the resource. */
static void
put_fact_value(struct otlp *o, const char *key, Otlp__AnyValue *value)
{
	Otlp__KeyValue fact = OTLP__KEY_VALUE__INIT, *all = &fact;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;

	fact.key = message_text(key);
	fact.value = value;
	resource.n_attributes = 1;
	resource.attributes = &all;
	otlp_put(o, &resource.base);
}

static void
put_fact(struct otlp *o, const char *key, const char *text)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	ProtobufCBinaryData string = message_string(&o->scratch,
	    (struct tach_string){text, strlen(text)});

	value.n_string_value = 1;
	value.string_value = &string;
	put_fact_value(o, key, &value);
}

static void
put_pid(struct otlp *o)
{
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
	int64_t pid = o->pid;

	value.n_int_value = 1;
	value.int_value = &pid;
	put_fact_value(o, "process.pid", &value);
}

/* The resource is the program. */
static void
put_resource(struct otlp *o)
{
	const uint8_t *python = o->meta->python;
	bool is_python = locations_of_python(&o->stacks.locations, o->meta);
	char version[16];

	put_fact(o, "service.name", o->options->title != NULL ? o->options->title :
	    is_python ? "python" : "unknown_service");
	if (is_python)
		put_fact(o, "process.runtime.name", "cpython");
	if (python[0] != 0) {
		snprintf(version, sizeof(version), "%d.%d.%d", python[0],
		    python[1], python[2]);
		put_fact(o, "process.runtime.version", version);
	}
	if (o->pid != 0)
		put_pid(o);
	put_fact(o, "telemetry.sdk.name", "tach");
	put_fact(o, "telemetry.sdk.language", is_python ? "python" : "cpp");
	put_fact(o, "telemetry.sdk.version", tach_version());
}

static uint64_t
measure_resource(struct otlp *o)
{
	o->size = 0;
	o->measuring = true;
	put_resource(o);
	o->measuring = false;
	return o->size;
}

/* Writes the profiles, of these sizes. */
static void
put_profiles(struct otlp *o, const uint64_t sizes[TYPES], uint64_t resource)
{
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;
	Otlp__ScopeProfiles scoped = OTLP__SCOPE_PROFILES__INIT;
	uint64_t size;

	scope.name = message_text("tach");
	scope.version = message_text(tach_version());
	scoped.scope = &scope;
	size = protobuf_c_message_get_packed_size(&scoped.base);
	for (uint32_t i = 0; i < o->ntypes; i++)
		size += field_size(FIELD_PROFILES, sizes[i]);
	begin_field(o, FIELD_RESOURCE_PROFILES,
	    field_size(FIELD_RESOURCE, resource) +
	    field_size(FIELD_SCOPE_PROFILES, size));
	begin_field(o, FIELD_RESOURCE, resource);
	put_resource(o);
	begin_field(o, FIELD_SCOPE_PROFILES, size);
	otlp_put(o, &scoped.base);
	for (uint32_t i = 0; i < o->ntypes; i++) {
		begin_field(o, FIELD_PROFILES, sizes[i]);
		put_profile(o, o->types[i]);
	}
}

/* Sets the error: the failed write, or else out of memory. */
static int
otlp_failed(struct otlp *o)
{
	return emit_failed(&o->emit, &o->error);
}

/* Returns the sum of the profiles' sizes. */
static uint64_t
measure_profiles(struct otlp *o, uint64_t sizes[TYPES])
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < o->ntypes; i++)
		total += sizes[i] = measure_profile(o, o->types[i]);
	return total;
}

static int
put_request(struct otlp *o)
{
	uint64_t sizes[TYPES] = {0}, resource = measure_resource(o);
	uint64_t dictionary = measure_dictionary(o);
	uint64_t rest = dictionary + resource, total;

	if (dictionary == 0)
		return otlp_failed(o);
	total = rest + measure_profiles(o, sizes);
	if (o->timed && total > TIMED_MAX) {
		drop_times(o);
		total = rest + measure_profiles(o, sizes);
	}
	if (total > MESSAGE_MAX)
		return error_set(&o->error, TACH_ELIMIT, "the profile would "
		    "have more than 2 GiB, which OTLP does not allow: take a "
		    "part of it, by --since and --until, --thread or --match");
	put_profiles(o, sizes, resource);
	begin_field(o, FIELD_DICTIONARY, dictionary);
	return put_dictionary(o) ? emit_finish(&o->emit, &o->error) :
				   otlp_failed(o);
}

/* ---- times of day and processes ------------------------------------------ */

/* Sorts the times by their cells; those of a cell keep their order. */
static bool
sort_times(struct otlp *o)
{
	struct otlp_time *sorted = reallocarray(NULL, (size_t)o->ntimes + 1,
	    sizeof(*sorted));
	uint64_t most = 1;
	uint32_t begin = 0;

	if (sorted == NULL)
		return false;
	for (uint32_t i = 0; i < o->ncells; i++) {
		struct otlp_cell *c = &o->cells[i];
		c->begin = begin;
		begin += (uint32_t)c->samples;
		most = c->samples > most ? c->samples : most;
	}
	for (uint32_t i = 0; i < o->ntimes; i++)
		sorted[o->cells[o->times[i].cell].begin++] = o->times[i];
	for (uint32_t i = 0; i < o->ncells; i++)
		o->cells[i].begin -= (uint32_t)o->cells[i].samples;
	free(o->times);
	o->times = sorted;
	o->amounts = reallocarray(NULL, (size_t)most, sizeof(*o->amounts));
	o->stamps = reallocarray(NULL, (size_t)most, sizeof(*o->stamps));
	return o->amounts != NULL && o->stamps != NULL;
}

/* Finds when the samples begin and end, by the time of day if that of all threads is
 * known: each process can have its own time 0. */
static void
find_origin(struct otlp *o)
{
	const struct otlp_thread *threads = o->threads.tracks;
	uint64_t first = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < o->threads.count; i++) {
		const struct otlp_thread *t = &threads[i];
		uint64_t from = time_of_day(o, t, t->first);
		uint64_t to = time_of_day(o, t, t->end);
		if (!t->known)
			continue;
		if (from == 0)
			return;
		first = from < first ? from : first;
		end = to > end ? to : end;
	}
	if (first > end) { /* no samples */
		o->origin = tach_table_first_time(o->table);
		return;
	}
	o->origin = o->first = first;
	o->end = end;
}

/* Finds the process if all threads are of one. */
static void
find_pid(struct otlp *o)
{
	const struct otlp_thread *threads = o->threads.tracks;
	uint32_t pid = 0, process = 0, first;
	bool found = false;

	for (uint32_t i = 0; i < o->threads.count; i++) {
		uint32_t is = tach_table_process(o->table, threads[i].interp,
		    &first);
		if (!threads[i].known)
			continue;
		if (found && (is != pid || first != process))
			return;
		found = true;
		pid = is;
		process = first;
	}
	o->pid = found ? pid : tach_table_process(o->table, 0, &first);
}

static bool
find_times(struct otlp *o)
{
	find_pid(o);
	find_origin(o);
	if (o->origin == 0)
		drop_times(o);
	return !o->timed || sort_times(o);
}

/* ---- the sink ------------------------------------------------------------ */

/* Numbers the stacks; finds the deepest one and the statuses that occur. */
static bool
survey_cells(struct otlp *o)
{
	uint32_t deepest = 1;

	if (!numbers_init(&o->used, o->stacks.nnodes))
		return false;
	for (uint32_t i = 0; i < o->ncells; i++) {
		const struct otlp_cell *c = &o->cells[i];
		const struct node *node = &o->stacks.nodes[c->node];
		numbers_of(&o->used, c->node);
		o->bare |= node_is_root(node);
		o->has_cpu |= status_on_cpu(c->status);
		deepest = node->depth > deepest ? node->depth : deepest;
	}
	o->way = reallocarray(NULL, deepest, sizeof(*o->way));
	return o->way != NULL;
}

static int
otlp_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct otlp *o = sink->arg;

	o->meta = meta;
	o->table = table;
	aggregate_init(&o->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_POSITIONS, .by = TACH_BY_NONE});
	return TACH_OK;
}

static int
otlp_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct otlp *o = sink->arg;
	const struct tach_tick *last = &run->ticks[run->count - 1];
	uint32_t node = aggregate_stack(&o->stacks, run);
	struct otlp_thread *t;

	if (node == TACH_NONE)
		return aggregate_failed(&o->stacks, &o->error);
	if ((t = tracks_find(&o->threads, run->index, sizeof(*t))) == NULL)
		return otlp_failed(o);
	if (!t->known)
		t->first = run->ticks[0].time;
	t->known = true;
	t->thread = run->thread;
	t->interp = run->interp;
	t->end = last->time + last->duration;
	if (run->ticks[0].time < o->first)
		o->first = run->ticks[0].time;
	if (last->time + last->duration > o->end)
		o->end = last->time + last->duration;
	for (size_t i = 0; i < run->count;)
		if ((i = count_status(o, node, run, i)) == SIZE_MAX)
			return o->error.code != TACH_ENONE ? TACH_FATAL :
							     otlp_failed(o);
	return TACH_OK;
}

static int
otlp_end(struct tach_sink *sink)
{
	struct otlp *o = sink->arg;

	if (o->first > o->end) /* no samples */
		o->first = o->end;
	aggregate_settle(&o->stacks);
	pairs_clear(&o->by_key);
	if (!find_times(o) || !survey_cells(o) || !add_labels(o) || !choose_types(o) ||
	    (has_program(o) && !add_program(o)))
		return otlp_failed(o);
	return put_request(o);
}

static void
otlp_free(struct tach_sink *sink)
{
	struct otlp *o = sink->arg;

	aggregate_clear(&o->stacks);
	tach_table_free(o->names);
	tach_table_free(o->values);
	strings_clear(&o->modules);
	images_clear(&o->images);
	numbers_clear(&o->used);
	pairs_clear(&o->by_key);
	pairs_clear(&o->by_text);
	emit_clear(&o->emit);
	buf_clear(&o->scratch);
	free(o->threads.tracks);
	free(o->attributes);
	free(o->times);
	free(o->amounts);
	free(o->stamps);
	free(o->cells);
	free(o->way);
	free(o);
}

static enum tach_error
otlp_error(const struct tach_sink *sink, const char **line)
{
	const struct otlp *o = sink->arg;

	return error_get(&o->error, line);
}

struct tach_sink *
otlp_open(FILE *out, const struct tach_format_options *options)
{
	struct otlp *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->sink = (struct tach_sink){.size = sizeof(o->sink),
	    .arg = o,
	    .begin = otlp_begin,
	    .run = otlp_run,
	    .end = otlp_end,
	    .free = otlp_free,
	    .error = otlp_error};
	o->emit.file = out;
	o->options = options;
	o->first = UINT64_MAX;
	o->timed = true;
	o->names = tach_table_new();
	o->values = tach_table_new();
	if (o->names == NULL || o->values == NULL ||
	    names_add_text(o->names, "") != 0) {
		otlp_free(&o->sink);
		return NULL;
	}
	return &o->sink;
}
