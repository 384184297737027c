/* SPDX-License-Identifier: ISC */
/*
 * speedscope_read.c: speedscope's JSON as a source of runs.  Each of its profiles is
 * a thread.  Frames and weights can stand behind what refers to them, so all is read
 * once to find the places of the samples, and then these are read.
 *
 * A sample with a weight becomes as many samples as there are intervals in it.  Calls
 * that begin and end become one sample an interval.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "budget.h"
#include "decimal.h"
#include "format/foreign.h"
#include "format/frametext.h"
#include "format/jsonpull.h"
#include "format/source.h"
#include "format/stacks.h"
#include "format/threadname.h"
#include "table.h"
#include "tach.h"

#define FRAMES_SHARED_MAX (UINT32_C(1) << 22)
#define INTERVAL_ASSUMED 1000 /* us */
#define TIME_MAX 1e15	      /* us */
#define UNIT_NONE 0	      /* weights are numbers of samples */

struct scope_profile {
	uint64_t samples, weights, events; /* offsets of arrays; 0: none */
	double unit;	 /* us, or UNIT_NONE */
	double start, end;
	double least;	 /* weight above 0; 0: none */
	double sum, count; /* of the weights above 0 */
	double rest; /* of the weights, in samples: what rounding has left */
	uint32_t name;	 /* in names */
};

struct scope_reader {
	struct source source;
	struct source_input *in;
	struct origin *from;
	uint64_t size;
	uint32_t *frames; /* of the table, by number */
	uint32_t nframes;
	size_t frames_max;
	struct scope_profile *profiles;
	uint32_t nprofiles, next; /* the next one to be read */
	size_t profiles_max;
	struct tach_table *names;
	bool open;		 /* there is a profile that is being read */
	struct jsonpull json;	 /* its samples or events */
	struct jsonpull weights;
	uint32_t *calls; /* that have begun, outermost first */
	uint32_t ncalls;
	size_t calls_max;
	double now;	 /* us since the profile's start */
	struct stacks stacks;
};

static double
lesser(double a, double b)
{
	return a < b ? a : b;
}

static double
greater(double a, double b)
{
	return a > b ? a : b;
}

/* A number from 0 to TIME_MAX, divided and rounded up. */
static uint64_t
rounded_up(double n, double divisor)
{
	uint64_t whole = (uint64_t)(n / divisor);

	return whole + (n / divisor > (double)whole);
}

static int
scope_no_memory(struct scope_reader *r)
{
	return error_memory(&r->in->error);
}

/* ---- values -------------------------------------------------------------- */

static int
get_number(struct jsonpull *j, enum json kind, const char *field, double *n)
{
	char *end;

	if (kind != JSON_NUMBER)
		return json_bad(j, "%s is no number", field);
	*n = decimal_read(j->text.text, &end);
	if (*end != '\0' || !isfinite(*n))
		return json_bad(j, "%s \"%s\" is no number", field,
		    j->text.text);
	return TACH_OK;
}

/* A whole number from 0 on. */
static int
get_index(struct jsonpull *j, enum json kind, const char *field, uint32_t limit,
    uint32_t *index)
{
	double n;

	if (get_number(j, kind, field, &n) != TACH_OK)
		return TACH_FATAL;
	if (n < 0 || n >= limit || n != (double)(uint32_t)n)
		return json_bad(j, "%s %s is not below %" PRIu32, field,
		    j->text.text, limit);
	*index = (uint32_t)n;
	return TACH_OK;
}

/* Takes the value of a key by a function, or passes over it. */
static int
each_key(struct scope_reader *r, int (*take)(struct scope_reader *, enum json))
{
	struct jsonpull *j = &r->json;
	enum json kind;
	int res;

	while ((res = json_next(j, &kind)) == TACH_OK && kind != JSON_CLOSED)
		if (take(r, kind) != TACH_OK)
			return TACH_FATAL;
	return res;
}

/* ---- frames -------------------------------------------------------------- */

struct scope_frame {
	uint32_t file, func;
	double line, column;
};

static int
add_string(struct scope_reader *r, uint32_t *index)
{
	const struct buf *b = &r->json.text;

	/* A NUL at the beginning would make it a note. */
	if (b->len > 0 && b->text[0] == '\0')
		return json_bad(&r->json, "a name with a zero");
	*index = tach_table_add_string(r->in->table, b->text, b->len);
	return *index != TACH_NONE ? TACH_OK : scope_no_memory(r);
}

static int
take_frame_key(struct scope_reader *r, enum json kind, struct scope_frame *f)
{
	struct jsonpull *j = &r->json;

	if (json_key(j, "name") && kind == JSON_STRING)
		return add_string(r, &f->func);
	if (json_key(j, "file") && kind == JSON_STRING && j->text.len > 0)
		return add_string(r, &f->file);
	if (json_key(j, "line") && kind == JSON_NUMBER)
		return get_number(j, kind, "line", &f->line);
	if (json_key(j, "col") && kind == JSON_NUMBER)
		return get_number(j, kind, "col", &f->column);
	return json_skip(j, kind);
}

static int
add_frame(struct scope_reader *r, const struct scope_frame *s)
{
	struct tach_frame f = {.file = s->file, .func = s->func, .line = -1,
	    .end_line = -1, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE};
	uint32_t *p;

	if (f.file == TACH_NONE)
		f.file = tach_table_add_string(r->in->table, "~", 1);
	if (s->line >= 1 && s->line <= INT32_MAX)
		f.line = f.end_line = (int32_t)s->line;
	if (s->column >= 1 && s->column <= INT32_MAX)
		f.column = (int32_t)s->column - 1;
	if (r->nframes == FRAMES_SHARED_MAX)
		return error_set(&r->in->error, TACH_ELIMIT, "more than %u "
		    "frames are not read", FRAMES_SHARED_MAX);
	p = array_grow(r->frames, r->nframes, &r->frames_max, sizeof(*p));
	if (p == NULL)
		return scope_no_memory(r);
	r->frames = p;
	p[r->nframes] = tach_table_add_frame(r->in->table, &f);
	if (p[r->nframes++] == TACH_NONE)
		return scope_no_memory(r);
	return source_check_names(r->in);
}

static int
take_shared_frame(struct scope_reader *r, enum json kind)
{
	struct scope_frame f = {TACH_NONE, TACH_NONE, 0, 0};
	int res;

	if (kind != JSON_OBJECT)
		return json_bad(&r->json, "a frame that is no object");
	while ((res = json_next(&r->json, &kind)) == TACH_OK &&
	    kind != JSON_CLOSED)
		if (take_frame_key(r, kind, &f) != TACH_OK)
			return TACH_FATAL;
	if (res != TACH_OK)
		return res;
	if (f.func == TACH_NONE)
		return json_bad(&r->json, "a frame without a name");
	return add_frame(r, &f);
}

static int
take_shared(struct scope_reader *r, enum json kind)
{
	if (json_key(&r->json, "frames") && kind == JSON_ARRAY)
		return each_key(r, take_shared_frame);
	return json_skip(&r->json, kind);
}

/* ---- profiles ------------------------------------------------------------ */

static struct scope_profile *
last_profile(struct scope_reader *r)
{
	return &r->profiles[r->nprofiles - 1];
}

static int
take_unit(struct scope_reader *r)
{
	static const struct {
		const char *name;
		double us;
	} units[] = {
	    {"none", UNIT_NONE},
	    {"nanoseconds", 1e-3},
	    {"microseconds", 1},
	    {"milliseconds", 1e3},
	    {"seconds", 1e6},
	};
	const struct buf *b = &r->json.text;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (b->len == strlen(units[i].name) &&
		    memcmp(b->text, units[i].name, b->len) == 0) {
			last_profile(r)->unit = units[i].us;
			return TACH_OK;
		}
	return json_bad(&r->json, "the unit \"%.*s\" is neither a time nor "
	    "\"none\"", b->len < 32 ? (int)b->len : 32, b->text);
}

/* Finds the least weight, and their mean. */
static int
survey_weight(struct scope_reader *r, enum json kind)
{
	struct scope_profile *p = last_profile(r);
	double n;

	if (get_number(&r->json, kind, "weight", &n) != TACH_OK)
		return TACH_FATAL;
	if (n < 0)
		return json_bad(&r->json, "weight %s is negative",
		    r->json.text.text);
	if (n > 0 && (p->least == 0 || n < p->least))
		p->least = n;
	p->sum += n;
	p->count += n > 0;
	return TACH_OK;
}

static int
take_profile_array(struct scope_reader *r)
{
	struct scope_profile *p = last_profile(r);
	struct jsonpull *j = &r->json;

	if (json_key(j, "samples"))
		p->samples = j->at;
	if (json_key(j, "events"))
		p->events = j->at;
	if (!json_key(j, "weights"))
		return json_skip(j, JSON_ARRAY);
	p->weights = j->at;
	return each_key(r, survey_weight);
}

static int
take_profile_key(struct scope_reader *r, enum json kind)
{
	struct scope_profile *p = last_profile(r);
	struct jsonpull *j = &r->json;

	if (json_key(j, "unit") && kind == JSON_STRING)
		return take_unit(r);
	if (json_key(j, "startValue"))
		return get_number(j, kind, "startValue", &p->start);
	if (json_key(j, "endValue"))
		return get_number(j, kind, "endValue", &p->end);
	if (kind == JSON_ARRAY)
		return take_profile_array(r);
	if (!json_key(j, "name") || kind != JSON_STRING)
		return json_skip(j, kind);
	p->name = tach_table_add_string(r->names, j->text.text, j->text.len);
	if (p->name == TACH_NONE)
		return scope_no_memory(r);
	return table_kept(r->names) <= NAMES_MAX ? TACH_OK :
	    error_set(&r->in->error, TACH_ELIMIT, "the names have more than "
	    "%u MiB together, which is not read", NAMES_MAX >> 20);
}

static int
take_profile(struct scope_reader *r, enum json kind)
{
	struct scope_profile *p;

	if (kind != JSON_OBJECT)
		return json_bad(&r->json, "a profile that is no object");
	if (r->nprofiles == THREADS_MAX)
		return error_set(&r->in->error, TACH_ELIMIT, "more than %u "
		    "profiles are not read", THREADS_MAX);
	p = array_grow(r->profiles, r->nprofiles, &r->profiles_max, sizeof(*p));
	if (p == NULL)
		return scope_no_memory(r);
	r->profiles = p;
	p[r->nprofiles++] = (struct scope_profile){.name = TACH_NONE};
	return each_key(r, take_profile_key);
}

static int
take_root_key(struct scope_reader *r, enum json kind)
{
	if (json_key(&r->json, "shared") && kind == JSON_OBJECT)
		return each_key(r, take_shared);
	if (json_key(&r->json, "profiles") && kind == JSON_ARRAY)
		return each_key(r, take_profile);
	return json_skip(&r->json, kind);
}

/* The least weight that is a time, or a hundredth of the mean one, so that one that is
 * tiny makes no millions of samples; of calls a millisecond, or a thousandth of a
 * profile that is shorter than a second. */
static void
find_interval(struct scope_reader *r)
{
	double us = 0;

	for (uint32_t i = 0; i < r->nprofiles; i++) {
		const struct scope_profile *p = &r->profiles[i];
		double own = p->count > 0 ? greater(p->least,
		    p->sum / p->count / 100) : 0;
		if (p->events != 0)
			own = lesser((p->end - p->start) / 1000,
			    p->unit > 0 ? 1000 / p->unit : 0);
		own *= p->unit;
		if (own > 0 && (us == 0 || own < us))
			us = own;
	}
	if (us > 0)
		r->in->meta.interval_us = us < 1 ? 1 :
		    (uint64_t)(lesser(us, TIME_MAX) + 0.5);
}

static int
load_scope(struct scope_reader *r)
{
	enum json kind;

	if (!json_open(&r->json, r->from, 0, r->size, &r->in->error))
		return scope_no_memory(r);
	if (json_next(&r->json, &kind) != TACH_OK ||
	    (kind == JSON_OBJECT && each_key(r, take_root_key) != TACH_OK))
		return TACH_FATAL;
	if (r->nprofiles == 0)
		return error_set(&r->in->error, TACH_EFOREIGN,
		    "it has no \"profiles\" of speedscope's");
	find_interval(r);
	json_close(&r->json);
	return TACH_OK;
}

/* ---- samples ------------------------------------------------------------- */

static int
push_shared(struct scope_reader *r, uint32_t number)
{
	return stacks_push(&r->stacks, r->frames[number]);
}

/* How many samples a weight stands for, one at least.  The rest counts with the next
 * one, so that the sum is right. */
static uint64_t
weight_samples(const struct scope_reader *r, struct scope_profile *p, double weight)
{
	uint64_t whole;
	double n = weight;

	if (p->unit > 0)
		n = weight * p->unit / (double)r->in->meta.interval_us;
	if (n <= 0)
		return 0;
	/* More than SOURCE_COUNTED_MAX is an error further on. */
	n = lesser(n, 9e18) + p->rest;
	whole = n < 1.5 ? 1 : (uint64_t)(n + 0.5);
	p->rest = n - (double)whole;
	return whole;
}

/* Passes time in which there is no stack. */
static int
pass_time(struct scope_reader *r, double us)
{
	struct stacks_thread *t = stacks_current(&r->stacks);

	if (us > 0)
		t->time += (uint64_t)lesser(us, TIME_MAX);
	return t->time <= TIME_MAX ? TACH_OK : error_set(&r->in->error,
	    TACH_ELIMIT, "a profile of more than 10^15 microseconds is not read");
}

/* Takes the next sample and its weight.  TACH_END: there is none. */
static int
next_weighted(struct scope_reader *r, struct scope_profile *p)
{
	struct jsonpull *j = &r->json;
	enum json kind, of_weight;
	double weight = 1;
	uint32_t number;
	char where[32];
	int res;

	if (json_next(j, &kind) != TACH_OK)
		return TACH_FATAL;
	if (kind == JSON_CLOSED)
		return TACH_END;
	if (kind != JSON_ARRAY)
		return json_bad(j, "a sample that is no array");
	snprintf(where, sizeof(where), "byte %" PRIu64 ": ", j->at);
	stacks_begin(&r->stacks);
	while ((res = json_next(j, &kind)) == TACH_OK && kind != JSON_CLOSED)
		if (get_index(j, kind, "frame", r->nframes, &number) !=
			TACH_OK ||
		    push_shared(r, number) != TACH_OK)
			return TACH_FATAL;
	if (res != TACH_OK || json_next(&r->weights, &of_weight) != TACH_OK)
		return TACH_FATAL;
	if (of_weight == JSON_CLOSED)
		return json_bad(&r->weights, "fewer weights than samples");
	if (get_number(&r->weights, of_weight, "weight", &weight) != TACH_OK)
		return TACH_FATAL;
	if (r->stacks.nfresh == 0)
		return pass_time(r, weight * p->unit);
	res = stacks_take(&r->stacks, false, weight_samples(r, p, weight),
	    where);
	return res == TACH_FATAL ? res : TACH_OK;
}

/* ---- calls --------------------------------------------------------------- */

struct scope_event {
	char type; /* O or C; 0: none */
	uint32_t frame;
	double at;
	bool has_frame, has_at;
};

static int
take_event_key(struct scope_reader *r, enum json kind, struct scope_event *e)
{
	struct jsonpull *j = &r->json;

	if (json_key(j, "type") && kind == JSON_STRING && j->text.len == 1) {
		e->type = j->text.text[0];
		return TACH_OK;
	}
	if (json_key(j, "frame")) {
		e->has_frame = true;
		return get_index(j, kind, "frame", r->nframes, &e->frame);
	}
	if (json_key(j, "at")) {
		e->has_at = true;
		return get_number(j, kind, "at", &e->at);
	}
	return json_skip(j, kind);
}

/* Takes the next event.  TACH_END: there is none. */
static int
next_event(struct scope_reader *r, struct scope_event *e)
{
	struct jsonpull *j = &r->json;
	enum json kind;
	int res;

	*e = (struct scope_event){0};
	if (json_next(j, &kind) != TACH_OK)
		return TACH_FATAL;
	if (kind == JSON_CLOSED)
		return TACH_END;
	if (kind != JSON_OBJECT)
		return json_bad(j, "an event that is no object");
	while ((res = json_next(j, &kind)) == TACH_OK && kind != JSON_CLOSED)
		if (take_event_key(r, kind, e) != TACH_OK)
			return TACH_FATAL;
	if (res != TACH_OK)
		return res;
	if ((e->type != 'O' && e->type != 'C') || !e->has_frame || !e->has_at)
		return json_bad(j, "an event without its type, O or C, its frame "
		    "or its time");
	return TACH_OK;
}

/* Begins or ends a call. */
static int
change_calls(struct scope_reader *r, const struct scope_event *e)
{
	uint32_t *p;

	if (e->type == 'C') {
		if (r->ncalls == 0 || r->calls[r->ncalls - 1] != e->frame)
			return json_bad(&r->json, "frame %" PRIu32 " ends, and "
			    "is not the innermost one", e->frame);
		r->ncalls--;
		return TACH_OK;
	}
	if (r->ncalls == FRAMES_MAX)
		return json_bad(&r->json, "more than %u frames", FRAMES_MAX);
	p = array_grow(r->calls, r->ncalls, &r->calls_max, sizeof(*p));
	if (p == NULL)
		return scope_no_memory(r);
	r->calls = p;
	p[r->ncalls++] = e->frame;
	return TACH_OK;
}

/* Makes the samples between two events, of which one is due at each multiple of the
 * interval, the next to be given. */
static int
take_between(struct scope_reader *r, double until)
{
	double interval = (double)r->in->meta.interval_us;
	uint64_t first = rounded_up(r->now, interval);
	uint64_t last = rounded_up(until, interval);
	struct stacks_thread *t = stacks_current(&r->stacks);
	uint64_t time = first * r->in->meta.interval_us;
	char where[32];

	r->now = until;
	if (last <= first || r->ncalls == 0)
		return TACH_OK;
	stacks_begin(&r->stacks);
	for (uint32_t i = 0; i < r->ncalls; i++)
		if (push_shared(r, r->calls[i]) != TACH_OK)
			return TACH_FATAL;
	if (t->time < time)
		t->time = time;
	snprintf(where, sizeof(where), "byte %" PRIu64 ": ", r->json.at);
	return stacks_take(&r->stacks, false, last - first, where);
}

static int
next_call(struct scope_reader *r, const struct scope_profile *p)
{
	struct scope_event e;
	double at;
	int res = next_event(r, &e);

	if (res != TACH_OK)
		return res;
	/* Without a unit speedscope counts samples. */
	at = (e.at - p->start) * (p->unit > 0 ? p->unit :
	    (double)r->in->meta.interval_us);
	if (!(at >= r->now && at <= TIME_MAX))
		return json_bad(&r->json, "a time that goes back or is out of "
		    "range");
	if (take_between(r, at) != TACH_OK)
		return TACH_FATAL;
	return change_calls(r, &e);
}

/* ---- the source ---------------------------------------------------------- */

static void
close_profile(struct scope_reader *r)
{
	json_close(&r->json);
	json_close(&r->weights);
	r->open = false;
}

static int
find_scope_thread(struct scope_reader *r, const struct scope_profile *p)
{
	struct tach_string name = {"", 0};
	struct threadname t;

	if (p->name != TACH_NONE)
		name = tach_table_string(r->names, p->name);
	if (threadname_parse(name, &t))
		return stacks_thread(&r->stacks, t.thread, t.interp, t.name);
	return stacks_named(&r->stacks, r->next, name);
}

/* Opens an array, up to its first value. */
static int
open_array(struct scope_reader *r, struct jsonpull *j, uint64_t at)
{
	enum json kind;

	json_close(j);
	if (!json_open(j, r->from, at, r->size, &r->in->error))
		return scope_no_memory(r);
	return json_next(j, &kind);
}

/* Begins to read the next profile.  TACH_END: there is none. */
static int
open_profile(struct scope_reader *r)
{
	const struct scope_profile *p = &r->profiles[r->next];

	if (r->next == r->nprofiles)
		return TACH_END;
	r->next++;
	r->now = 0;
	r->ncalls = 0;
	if (p->events == 0 && (p->samples == 0 || p->weights == 0))
		return error_set(&r->in->error, TACH_EDAMAGED, "profile %" PRIu32
		    " has neither samples with weights nor events", r->next);
	if (find_scope_thread(r, p) != TACH_OK)
		return TACH_FATAL;
	r->open = true;
	if (p->events != 0)
		return open_array(r, &r->json, p->events);
	if (open_array(r, &r->json, p->samples) != TACH_OK)
		return TACH_FATAL;
	return open_array(r, &r->weights, p->weights);
}

static int
scope_step(struct scope_reader *r)
{
	struct scope_profile *p;
	int res;

	if (!r->open)
		return open_profile(r);
	p = &r->profiles[r->next - 1];
	res = p->events != 0 ? next_call(r, p) : next_weighted(r, p);
	if (res != TACH_END)
		return res;
	close_profile(r);
	return TACH_OK;
}

static int
scope_reader_next(struct source *source, struct tach_run *run)
{
	struct scope_reader *r = (struct scope_reader *)source;
	int res;

	while (r->stacks.left == 0)
		if ((res = scope_step(r)) != TACH_OK)
			return res;
	stacks_run(&r->stacks, run);
	return TACH_OK;
}

static void
scope_reader_free(struct source *source)
{
	struct scope_reader *r = (struct scope_reader *)source;

	close_profile(r);
	stacks_clear(&r->stacks);
	tach_table_free(r->names);
	free(r->frames);
	free(r->profiles);
	free(r->calls);
	free(r);
}

bool
speedscope_known(const uint8_t *bytes, size_t n)
{
	const char *p = (const char *)bytes;

	if (!foreign_json(p, n))
		return false;
	return memmem(p, n, "speedscope.app/file-format-schema", 33) != NULL ||
	    (memmem(p, n, "\"profiles\"", 10) != NULL &&
		(memmem(p, n, "\"sampled\"", 9) != NULL ||
		    memmem(p, n, "\"evented\"", 9) != NULL));
}

struct source *
speedscope_source(struct source_input *in, struct origin *from, uint64_t size)
{
	struct scope_reader *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		error_memory(&in->error);
		return NULL;
	}
	r->source = (struct source){.next = scope_reader_next,
	    .free = scope_reader_free};
	r->in = in;
	r->from = from;
	r->size = size;
	in->info.input = TACH_INPUT_SPEEDSCOPE;
	in->info.file_size = size;
	in->meta.interval_us = INTERVAL_ASSUMED;
	if ((r->names = tach_table_new()) == NULL ||
	    !stacks_init(&r->stacks, in))
		scope_no_memory(r);
	else if (load_scope(r) == TACH_OK)
		return &r->source;
	scope_reader_free(&r->source);
	return NULL;
}
