/* SPDX-License-Identifier: ISC */
/* pump.c: the one loop from a source to a sink, and the defaults for functions
 * that these lack. */
#include "tach.h"

void
tach_source_free(struct tach_source *s)
{
	if (s != NULL && s->free != NULL)
		s->free(s);
}

enum tach_error
tach_source_error(const struct tach_source *s, const char **line)
{
	*line = "";
	return s->error != NULL ? s->error(s, line) : TACH_ENONE;
}

int
tach_sink_begin(struct tach_sink *s, const struct tach_meta *meta,
    const struct tach_table *table)
{
	if (s->begun)
		return TACH_OK;
	s->begun = true;
	return s->begin != NULL ? s->begin(s, meta, table) : TACH_OK;
}

int
tach_sink_end(struct tach_sink *s)
{
	return s->end != NULL ? s->end(s) : TACH_OK;
}

void
tach_sink_free(struct tach_sink *s)
{
	if (s != NULL && s->free != NULL)
		s->free(s);
}

enum tach_error
tach_sink_error(const struct tach_sink *s, const char **line)
{
	*line = "";
	return s->error != NULL ? s->error(s, line) : TACH_ENONE;
}

int
tach_pump(struct tach_source *source, struct tach_sink *sink)
{
	struct tach_run run;
	bool over;
	int rc;

	if (tach_sink_begin(sink, source->meta, source->table) != TACH_OK)
		return TACH_REFUSED;
	while ((rc = source->next(source, &run)) == TACH_OK)
		if (sink->run(sink, &run) != TACH_OK)
			return TACH_REFUSED;
	over = rc == TACH_END || rc == TACH_FATAL;
	return over && tach_sink_end(sink) != TACH_OK ? TACH_REFUSED : rc;
}
