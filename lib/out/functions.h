/* SPDX-License-Identifier: ISC */
/* functions.h: an aggregate's lines in the order of their files and
 * functions. */
#ifndef OUT_FUNCTIONS_H
#define OUT_FUNCTIONS_H

#include "out/locations.h"

struct function {
	uint32_t file;  /* its number */
	uint32_t begin; /* the first of its lines in `lines`: that with the
			 * smallest number, if any is known */
};

/* Functions are in the order of their files, these in that of their names,
 * as the functions of a file are. */
struct functions {
	uint32_t *lines; /* locations */
	uint32_t *of;	 /* by location: its function */
	/* One more than there are, whose lines would come next. */
	struct function *functions;
	uint32_t count, nfiles;
};

/* The locations are LOCATION_LINES.  False if out of memory.  To be cleared in
 * either case. */
bool functions_init(struct functions *, const struct locations *);
void functions_clear(struct functions *);

#endif
