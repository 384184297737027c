/* SPDX-License-Identifier: ISC */
/* error.h: the one line that a handle keeps about what went wrong. */
#ifndef ERROR_H
#define ERROR_H

struct error {
	char text[512];
};

/* Formats the line and returns code, so that `return error_set(...)` reads
 * as one step.  The first error is the cause and is kept: see error_clear. */
int error_set(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void error_clear(struct error *);
/* Puts one more remark behind what is there, if there is room. */
int error_add(struct error *, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
