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

/* All but the notes.  False: a write failed. */
bool texthead_put(FILE *, const struct tach_meta *);
void texthead_add_note(struct buf *, struct tach_string note);

/* Without the sign at the beginning of the line and its end. */
void texthead_add_config(struct buf *, uint32_t config);
void texthead_add_quality(struct buf *, const struct tach_quality *);
/* Takes what these two have added; false: it is neither, or wrong. */
bool texthead_take(struct tach_meta *, const char *, size_t len);

/* What was read of a text until now. */
struct texthead {
	struct tach_meta *meta;
	struct tach_table *table; /* gets the notes */
	uint32_t seen; /* lines that may come only once, as bits */
	bool closed;   /* samples have come: only notes may come still */
};

/* Whether a line that begins with `#` says something by which the text form
 * is known. */
bool texthead_known(const char *line, size_t len);

/* Takes a line that begins with `#`; a newline is behind it.  Comments are
 * passed over.  TACH_FATAL: the error has no line number yet. */
int texthead_get(struct texthead *, const char *line, size_t len,
    struct error *);

#endif
