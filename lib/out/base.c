/* SPDX-License-Identifier: ISC */
/* base.c: a baseline: the weights of a profile's stacks, to compare another
 * profile with. */
#include <stdlib.h>

#include "error.h"
#include "out/aggregate.h"

struct tach_baseline {
	struct tach_sink sink;
	const struct tach_meta *meta;
	struct aggregate stacks;
	struct error error;
};

static int
base_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct tach_baseline *b = sink->arg;

	b->meta = meta;
	aggregate_init(&b->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_FUNCTIONS, .by = TACH_BY_NONE,
	    .class_of = class_state});
	return TACH_OK;
}

static int
base_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct tach_baseline *b = sink->arg;

	return aggregate_run(&b->stacks, run) ? TACH_OK :
	    aggregate_failed(&b->stacks, &b->error);
}

static int
base_end(struct tach_sink *sink)
{
	struct tach_baseline *b = sink->arg;

	aggregate_settle(&b->stacks);
	return TACH_OK;
}

static enum tach_error
base_error(const struct tach_sink *sink, const char **line)
{
	const struct tach_baseline *b = sink->arg;

	return error_get(&b->error, line);
}

const struct aggregate *
base_aggregate(const struct tach_baseline *b)
{
	return &b->stacks;
}

const struct tach_meta *
base_meta(const struct tach_baseline *b)
{
	return b->meta;
}

/* ---- how two profiles were recorded -------------------------------------- */

static void
add_difference(struct buf *b, const char *base, const char *now,
    const char *what)
{
	buf_add_text(b, b->len > 0 ? "; the base " : "the base ");
	buf_add_text(b, base);
	buf_add_text(b, ", this one ");
	buf_add_text(b, now);
	buf_add_text(b, what);
}

static void
compare_modes(struct buf *b, uint32_t base, uint32_t now)
{
	static const char *const modes[TACH_CONFIG_MODE + 1] = {NULL,
	    "is of mode wall", "is of mode cpu", "is of mode gil",
	    "is of mode all", "is of mode exception", NULL, NULL};
	const char *was = modes[base & TACH_CONFIG_MODE];
	const char *is = modes[now & TACH_CONFIG_MODE];

	if (was != NULL && is != NULL && was != is)
		add_difference(b, was, is,
		    ": their shares cannot be compared");
}

static void
compare_intervals(struct buf *b, uint64_t base, uint64_t now)
{
	if (base == 0 || now == 0 || base == now)
		return;
	buf_add_text(b, b->len > 0 ? "; " : "");
	buf_add_text(b, "the base has an interval of ");
	buf_add_number(b, base);
	buf_add_text(b, " us, this one of ");
	buf_add_number(b, now);
	buf_add_text(b, " us: compare shares, not samples");
}

static void
compare_features(struct buf *b, uint32_t base, uint32_t now)
{
	static const struct {
		uint32_t bit;
		const char *yes, *no;
	} features[] = {
	    {TACH_CONFIG_ALL_THREADS, "has all threads", "has the main one"},
	    {TACH_CONFIG_NATIVE, "has <native> frames", "has none"},
	    {TACH_CONFIG_GC, "has <GC> frames", "has none"},
	    {TACH_CONFIG_OPCODES, "has opcodes", "has none"},
	};

	if ((base & now & TACH_CONFIG_FEATURES) == 0)
		return;
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (base & ~now & features[i].bit)
			add_difference(b, features[i].yes, features[i].no, "");
		else if (now & ~base & features[i].bit)
			add_difference(b, features[i].no, features[i].yes, "");
}

void
base_compare(struct buf *b, const struct tach_baseline *base,
    const struct tach_meta *now)
{
	compare_modes(b, base->meta->config, now->config);
	compare_intervals(b, base->meta->interval_us, now->interval_us);
	compare_features(b, base->meta->config, now->config);
}

/* ---- the base ------------------------------------------------------------ */

struct tach_baseline *
tach_baseline_new(void)
{
	struct tach_baseline *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->sink = (struct tach_sink){.size = sizeof(b->sink),
	    .arg = b,
	    .begin = base_begin,
	    .run = base_run,
	    .end = base_end,
	    .error = base_error};
	return b;
}

void
tach_baseline_free(struct tach_baseline *b)
{
	if (b == NULL)
		return;
	aggregate_clear(&b->stacks);
	free(b);
}

struct tach_sink *
tach_baseline_sink(struct tach_baseline *b)
{
	return &b->sink;
}
