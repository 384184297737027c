/* SPDX-License-Identifier: ISC */
/* pump.c: the one loop from a source to a sink, and what these need not have. */
#include "options.h"
#include "tach.h"

#define SIZE_FAULT(what) "the " what " " OPTIONS_FAULT

static bool
source_known(const struct tach_source *s)
{
	return s->size == sizeof(*s) || options_known(s, sizeof(*s),
	    offsetof(struct tach_source, free));
}

static bool
sink_known(const struct tach_sink *s)
{
	return s->size == sizeof(*s) || options_known(s, sizeof(*s),
	    offsetof(struct tach_sink, end));
}

/* ---- sources ------------------------------------------------------------- */

int
tach_source_next(struct tach_source *s, struct tach_run *run)
{
	return source_known(s) ? s->next(s, run) : TACH_FATAL;
}

void
tach_source_free(struct tach_source *s)
{
	if (s != NULL && OPTIONS_HAS(s, free) && s->free != NULL)
		s->free(s);
}

enum tach_error
tach_source_error(const struct tach_source *s, const char **line)
{
	const char *unused;

	if (line == NULL)
		line = &unused;
	*line = "";
	if (!source_known(s)) {
		*line = SIZE_FAULT("source");
		return TACH_EUSE;
	}
	return OPTIONS_HAS(s, error) && s->error != NULL ? s->error(s, line) :
							   TACH_ENONE;
}

/* ---- sinks --------------------------------------------------------------- */

/* What has become of a sink. */
enum sink_state {
	SINK_BEGUN = 0x01,
	SINK_ENDED = 0x02,
	SINK_MISUSED = 0x04, /* it was to take a run after its end */
};

int
tach_sink_begin(struct tach_sink *s, const struct tach_meta *meta,
    const struct tach_table *table)
{
	if (!sink_known(s))
		return TACH_FATAL;
	if (s->state & SINK_BEGUN)
		return TACH_OK;
	s->state |= SINK_BEGUN;
	return s->begin != NULL ? s->begin(s, meta, table) : TACH_OK;
}

int
tach_sink_run(struct tach_sink *s, const struct tach_run *run)
{
	if (!sink_known(s))
		return TACH_FATAL;
	if (s->state & SINK_ENDED) {
		s->state |= SINK_MISUSED;
		return TACH_FATAL;
	}
	return s->run(s, run);
}

int
tach_sink_end(struct tach_sink *s)
{
	if (!sink_known(s))
		return TACH_FATAL;
	if (s->state & SINK_ENDED)
		return TACH_OK;
	s->state |= SINK_ENDED;
	return OPTIONS_HAS(s, end) && s->end != NULL ? s->end(s) : TACH_OK;
}

void
tach_sink_free(struct tach_sink *s)
{
	if (s != NULL && OPTIONS_HAS(s, free) && s->free != NULL)
		s->free(s);
}

enum tach_error
tach_sink_error(const struct tach_sink *s, const char **line)
{
	const char *unused;

	if (line == NULL)
		line = &unused;
	*line = "";
	if (!sink_known(s)) {
		*line = SIZE_FAULT("sink");
		return TACH_EUSE;
	}
	if (s->state & SINK_MISUSED) {
		*line = "the sink has been ended";
		return TACH_EUSE;
	}
	return OPTIONS_HAS(s, error) && s->error != NULL ? s->error(s, line) :
							   TACH_ENONE;
}

/* ---- from one to the other ----------------------------------------------- */

int
tach_pump(struct tach_source *source, struct tach_sink *sink)
{
	struct tach_run run;
	bool over;
	int rc;

	if (!source_known(source))
		return TACH_FATAL;
	if (tach_sink_begin(sink, source->meta, source->table) != TACH_OK)
		return TACH_REFUSED;
	while ((rc = tach_source_next(source, &run)) == TACH_OK)
		if (tach_sink_run(sink, &run) != TACH_OK)
			return TACH_REFUSED;
	over = rc == TACH_END || rc == TACH_FATAL;
	return over && tach_sink_end(sink) != TACH_OK ? TACH_REFUSED : rc;
}
