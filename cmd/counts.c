/* SPDX-License-Identifier: ISC */
/* counts.c: see counts.h. */
#include "counts.h"

#include <stdlib.h>

#include "array.h"

/* Counts a sample of a round. */
static void
count_tick(struct sample_counts *c, uint8_t status)
{
	if ((status & tach_table_switches(c->table)) != 0)
		return;
	c->samples++;
	c->gil += (status & TACH_STATUS_GIL) != 0;
	c->cpu += (status & TACH_STATUS_CPU) != 0;
	c->wanted += (status & (TACH_STATUS_GIL | TACH_STATUS_GIL_WANTED)) ==
	    TACH_STATUS_GIL_WANTED;
	c->idle += tach_status_idle(status);
	c->unknown += (status & TACH_STATUS_UNKNOWN) != 0;
}

/* A thread is left out if there is no memory for it. */
static void
count_thread(struct sample_counts *c, const struct tach_run *run)
{
	uint64_t *list;

	if (run->index < c->nthreads)
		return;
	list = array_grow(c->threads, c->nthreads, &c->max, sizeof(*list));
	if (list == NULL)
		return;
	c->threads = list;
	list[c->nthreads++] = run->thread;
}

static int
counts_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct sample_counts *c = sink->arg;

	count_thread(c, run);
	for (size_t i = 0; i < run->count; i++)
		count_tick(c, run->ticks[i].status);
	return tach_sink_run(c->to, run);
}

static int
counts_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct sample_counts *c = sink->arg;

	c->table = table;
	return tach_sink_begin(c->to, meta, table);
}

static int
counts_end(struct tach_sink *sink)
{
	struct sample_counts *c = sink->arg;

	return tach_sink_end(c->to);
}

static enum tach_error
counts_error(const struct tach_sink *sink, const char **line)
{
	const struct sample_counts *c = sink->arg;

	return tach_sink_error(c->to, line);
}

void
counts_init(struct sample_counts *c, struct tach_sink *to)
{
	*c = (struct sample_counts){.to = to};
	c->sink = (struct tach_sink){.size = sizeof(c->sink), .arg = c,
	    .begin = counts_begin, .run = counts_run, .end = counts_end,
	    .error = counts_error};
}

void
counts_clear(struct sample_counts *c)
{
	free(c->threads);
	c->threads = NULL;
	c->nthreads = c->max = 0;
}

void
counts_add(struct sample_counts *c, const struct sample_counts *of)
{
	c->samples += of->samples;
	c->gil += of->gil;
	c->cpu += of->cpu;
	c->wanted += of->wanted;
	c->idle += of->idle;
	c->unknown += of->unknown;
}
