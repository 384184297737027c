/* SPDX-License-Identifier: ISC */
/* variables.h: tells the local variables of a chain. */
#ifndef ENGINE_SAMPLE_VARIABLES_H
#define ENGINE_SAMPLE_VARIABLES_H

#include "python/frames.h"
#include "python/memory.h"
#include "tach-record.h"

/* Tells the variables of each frame of a chain.  The thread must stand still.  Of a
 * frame whose variables cannot be read it tells one without name and value. */
void variables_tell(const struct tach_locals *, const struct py_offsets *,
    const struct py_memory *, const struct py_chain *);

#endif
