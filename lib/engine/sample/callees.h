/* SPDX-License-Identifier: ISC */
/* callees.h: the function of C that the innermost frame of a chain calls, as a frame. */
#ifndef ENGINE_SAMPLE_CALLEES_H
#define ENGINE_SAMPLE_CALLEES_H

#include "engine/code/codes.h"
#include "python/calls.h"
#include "tach.h"

struct callees {
	struct py_calls by; /* the process's memory as it is now */
	struct codes *codes;
	struct tach_table *table;
};

/* The frame of the callee of a believed chain.  TACH_NONE if there is none, if it is not
 * known for sure, or if out of memory: the chain is whole without it. */
uint32_t callees_frame(const struct callees *, const struct py_chain *);

#endif
