/* SPDX-License-Identifier: ISC */
/* functions.h: an aggregate's lines in the order of their files and
 * functions. */
#ifndef OUT_FUNCTIONS_H
#define OUT_FUNCTIONS_H

#include "out/places.h"

struct function {
	uint32_t file;  /* its number */
	uint32_t begin; /* the first of its lines in `lines`: that with the
			 * smallest number, if any is known */
};

/* Functions are in the order of their files, these in that of their names,
 * as the functions of a file are. */
struct functions {
	uint32_t *lines; /* places */
	uint32_t *of;	 /* by place: its function */
	/* One more than there are, whose lines would come next. */
	struct function *functions;
	uint32_t count, nfiles;
};

/* Of PLACE_LINES.  False: out of memory.  It is to be cleared in any case. */
bool functions_init(struct functions *, const struct places *);
void functions_clear(struct functions *);

#endif
