/* SPDX-License-Identifier: ISC */
/* error.h: the error message that a handle keeps. */
#ifndef ERROR_H
#define ERROR_H

#include "tach.h"

struct error {
	char text[512];
	enum tach_error code; /* of the first line */
	bool warned;	      /* it is a warning: see error_warn */
};

/* Formats the line and returns TACH_FATAL, so that `return error_set(...)` reads
 * as one step.  The first error is the cause and is kept: see error_clear. */
int error_set(struct error *, enum tach_error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a warning, which an error replaces.  Returns TACH_WARN. */
int error_warn(struct error *, enum tach_error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void error_clear(struct error *);
/* Clears a warning, which belongs to the call that gave it alone. */
void error_forget(struct error *);
/* "out of memory".  Returns TACH_FATAL. */
int error_memory(struct error *);
/* The code of a call of the system's, by its errno. */
enum tach_error error_code(int e);
/* The error of such a call: the line is "WHAT: ..." or, if that is "", the reason
 * alone.  Returns TACH_FATAL. */
int error_system(struct error *, const char *what, int e);
/* The error as a handle tells it; line may be NULL. */
enum tach_error error_get(const struct error *, const char **line);
/* The error of a source that reads from another one: its own, else that of the
 * other one. */
enum tach_error error_or(const struct error *, const struct tach_source *from,
    const char **line);
/* Appends one more remark, if there is room. */
int error_add(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
