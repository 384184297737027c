/* SPDX-License-Identifier: ISC */
/*
 * jsonpull.h: reads JSON token by token, from any offset of an input that can be read
 * at any.  Memory is that of the longest string, which has a limit; nothing is kept
 * of what was read.
 */
#ifndef FORMAT_JSONPULL_H
#define FORMAT_JSONPULL_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "format/origin.h"
#include "format/zio.h"
#include "tach.h"

#define JSON_DEPTH 64

enum json {
	JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_WORD,
	JSON_CLOSED, /* the object or array that the last value was in has no more */
};

struct jsonpull {
	struct zin zin;
	struct error *error; /* the caller's */
	uint64_t start, at;  /* offsets: of zin, of the last token */
	uint64_t size;
	unsigned depth;
	bool object[JSON_DEPTH]; /* what each level is */
	bool some[JSON_DEPTH];	 /* whether it has a value already */
	struct buf text; /* of a string, of a number or a word */
	struct buf key;	 /* of the last value, in an object */
};

/* Reads the value that begins at an offset.  False: out of memory. */
bool json_open(struct jsonpull *, const struct origin *, uint64_t at,
    uint64_t size, struct error *);
void json_close(struct jsonpull *);

/* Reads the next value, of an object or an array what opens it: what is in it comes
 * next.  TACH_FATAL: the error says why. */
int json_next(struct jsonpull *, enum json *);
/* Passes over the rest of a value that json_next has told. */
int json_skip(struct jsonpull *, enum json);

/* Whether the key of the last value is this one. */
bool json_key(const struct jsonpull *, const char *);

/* An error at the last token.  Returns TACH_FATAL. */
int json_bad(struct jsonpull *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
