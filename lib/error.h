/* SPDX-License-Identifier: ISC */
/* error.h: the one line that a handle keeps about what went wrong. */
#ifndef ERROR_H
#define ERROR_H

#include "tach.h"

struct error {
	char text[512];
	enum tach_error code; /* of the first line */
};

/* Formats the line and returns code, so that `return error_set(...)` reads
 * as one step.  The first error is the cause and is kept: see error_clear. */
int error_set(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void error_clear(struct error *);
/* The same of a call of the system's, by its errno: the line is "WHAT: ..." or,
 * where that is "", the reason alone.  Returns TACH_FATAL. */
int error_system(struct error *, const char *what, int e);
/* The error as a sink or a source tells it. */
enum tach_error error_get(const struct error *, const char **line);
/* The same of a source that reads from another one: its own error, else that of
 * the other one. */
enum tach_error error_or(const struct error *, const struct tach_source *from,
    const char **line);
/* Puts one more remark behind what is there, if there is room. */
int error_add(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
