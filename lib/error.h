/* SPDX-License-Identifier: ISC */
/* error.h: the error message that a handle keeps. */
#ifndef ERROR_H
#define ERROR_H

#include "tach.h"

struct error {
	char text[512];
	enum tach_error code; /* of the first line */
};

/* Formats the message and returns code, so that `return error_set(...)` is one
 * step.  The first error is the cause and is kept: see error_clear. */
int error_set(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void error_clear(struct error *);
/* Likewise for a failed system call with errno `e`: the message is "WHAT:
 * REASON", or the reason alone if `what` is "".  Returns TACH_FATAL. */
int error_system(struct error *, const char *what, int e);
/* The error as a sink or a source reports it. */
enum tach_error error_get(const struct error *, const char **line);
/* Likewise for a source that reads from another one: its own error, or else the
 * error of the other source. */
enum tach_error error_or(const struct error *, const struct tach_source *from,
    const char **line);
/* Appends one more remark, if there is room. */
int error_add(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
