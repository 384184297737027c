/* SPDX-License-Identifier: ISC */
/* functions.h: the lines of an aggregate, ordered by file and function. */
#ifndef OUT_FUNCTIONS_H
#define OUT_FUNCTIONS_H

#include "out/locations.h"

struct function {
	uint32_t file;  /* its number */
	uint32_t begin; /* its first line in `lines`, the smallest */
};

/* Functions are ordered by the names of their files and, in a file, by their
 * own names. */
struct functions {
	uint32_t *lines; /* locations */
	uint32_t *of;	 /* by location: its function */
	/* One more than `count`: its lines would come next. */
	struct function *functions;
	uint32_t count, nfiles;
};

/* The locations are LOCATION_LINES.  False if out of memory.  To be cleared in
 * either case. */
bool functions_init(struct functions *, const struct locations *);
void functions_clear(struct functions *);

#endif
