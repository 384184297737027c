/* SPDX-License-Identifier: ISC */
/* why.h: the line of a handle's error alone, for messages. */
#ifndef WHY_H
#define WHY_H

#include "tach-record.h"

static inline const char *
reader_why(const struct tach_reader *r)
{
	const char *line;

	tach_reader_error(r, &line);
	return line;
}

static inline const char *
writer_why(const struct tach_writer *w)
{
	const char *line;

	tach_writer_error(w, &line);
	return line;
}

static inline const char *
merge_why(const struct tach_merge *m)
{
	const char *line;

	tach_merge_error(m, &line);
	return line;
}

static inline const char *
recorder_why(const struct tach_recorder *r)
{
	const char *line;

	tach_recorder_error(r, &line);
	return line;
}

#endif
