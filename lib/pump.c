/* SPDX-License-Identifier: ISC */
/* pump.c: what a sink need not have. */
#include "tach.h"

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
