/* SPDX-License-Identifier: ISC */
/* base.c: what a profile's stacks weigh, kept to compare another one with. */
#include <stdlib.h>

#include "error.h"
#include "out/aggregate.h"

struct tach_base {
	struct tach_sink sink;
	struct aggregate stacks;
	struct error error;
};

static int
base_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct tach_base *b = (struct tach_base *)sink;

	return aggregate_run(&b->stacks, run) ? TACH_OK :
	    aggregate_failed(&b->stacks, &b->error);
}

static int
base_end(struct tach_sink *sink)
{
	aggregate_settle(&((struct tach_base *)sink)->stacks);
	return TACH_OK;
}

static void
base_keep(struct tach_sink *sink)
{
	(void)sink;
}

static const char *
base_error(const struct tach_sink *sink)
{
	return ((const struct tach_base *)sink)->error.text;
}

const struct aggregate *
base_aggregate(const struct tach_base *b)
{
	return &b->stacks;
}

struct tach_base *
tach_base_new(const struct tach_table *table)
{
	struct tach_base *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->sink = (struct tach_sink){base_run, base_end, base_keep,
	    base_error};
	aggregate_init(&b->stacks, table, (struct aggregate_how){
	    .places = PLACE_FUNCTIONS, .one_thread = true,
	    .class_of = class_idle});
	return b;
}

void
tach_base_free(struct tach_base *b)
{
	if (b == NULL)
		return;
	aggregate_clear(&b->stacks);
	free(b);
}

struct tach_sink *
tach_base_sink(struct tach_base *b)
{
	return &b->sink;
}
