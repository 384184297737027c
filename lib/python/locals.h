/* SPDX-License-Identifier: ISC */
/* locals.h: the local variables of a frame. */
#ifndef PYTHON_LOCALS_H
#define PYTHON_LOCALS_H

#include "python/frames.h"
#include "python/objects.h"

#define LOCALS_MAX 256 /* the others are left out */
#define LOCAL_NAME_MAX 256 /* bytes; variables with longer names are left out */
#define LOCAL_VALUE_MAX 100 /* bytes of object_repr */

/* Gets one variable: its name, terminated, and len bytes of its value for
 * people.  Both are valid only during the call. */
typedef void local_fn(void *arg, const char *name, const char *value,
    size_t len);

/*
 * Calls the function for each local variable and argument of a frame that has
 * a value, in the order of its code object.  False if they cannot be read, or
 * if the frame went on or ended meanwhile: then the values may be wrong.
 */
bool locals_read(const struct py_objects *, const struct py_place *,
    local_fn *, void *arg);

#endif
