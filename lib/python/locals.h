/* SPDX-License-Identifier: ISC */
/* locals.h: the local variables of a frame. */
#ifndef PYTHON_LOCALS_H
#define PYTHON_LOCALS_H

#include "python/frames.h"
#include "python/objects.h"

#define LOCALS_MAX 256 /* the others are left out */
#define LOCAL_NAME_MAX 256 /* bytes; a longer name is no name */
#define LOCAL_VALUE_MAX 100 /* bytes of object_repr */

/* Gets one variable: its name, and its value for people. */
typedef void local_fn(void *arg, const char *name, const char *value,
    size_t len);

/*
 * Gives the function every local variable and argument of a frame that has a
 * value, in the order of its code object.  False: the frame went on, or ended,
 * while they were read, so that they may be wrong.
 */
bool locals_read(const struct py_objects *, const struct py_place *,
    local_fn *, void *arg);

#endif
