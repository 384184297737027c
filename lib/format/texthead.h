/* SPDX-License-Identifier: ISC */
/* texthead.h: the header lines of the text form, both directions. */
#ifndef FORMAT_TEXTHEAD_H
#define FORMAT_TEXTHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "error.h"
#include "tach.h"

/* Writes the header lines except the notes.  False if a write failed. */
bool texthead_put(FILE *, const struct tach_meta *);
void texthead_add_note(struct buf *, struct tach_string note);

/* Without the sign at the beginning of the line and the newline. */
void texthead_add_config(struct buf *, uint32_t config);
void texthead_add_quality(struct buf *, const struct tach_quality *);
/* Reads a text of these two functions.  False if it is another text, or
 * wrong. */
bool texthead_take(struct tach_meta *, const char *, size_t len);

/* The header lines that were read so far. */
struct texthead {
	struct tach_meta *meta;
	struct tach_table *table; /* gets the notes */
	uint32_t seen; /* lines that may come only once, as bits */
	bool closed;   /* a sample has come: only notes may follow */
};

/* Whether a line that begins with `#` is one that only the text form has. */
bool texthead_known(const char *line, size_t len);

/* Reads a line that begins with `#` and has a newline behind it.  Comments are
 * skipped.  TACH_FATAL: the error has no line number yet. */
int texthead_get(struct texthead *, const char *line, size_t len,
    struct error *);

#endif
