/* SPDX-License-Identifier: ISC */
/*
 * callee.h: the names of callables that are written in C.
 *
 * A callable is told by its type, and named by its static definition: its PyMethodDef,
 * its type, or the name in its descriptor.  The structs that are read have been the
 * same behind the object's head since Python 3.6, in all builds.
 */
#ifndef PYTHON_CALLEE_H
#define PYTHON_CALLEE_H

#include "python/objects.h"

#define CALLEE_NAME_MAX 256 /* bytes, with the terminating 0; longer names are cut */

/*
 * Writes the name of the C function that a call of an object runs first, as
 * "time.sleep", "list.sort", "type Decimal" or "numpy.ufunc add"; a partial and a bound
 * method are called as the function in them.  The name is terminated, and its bytes are
 * the target's.  False if the object is no callable that is known to be C's, as a
 * function of Python, or if it cannot be read.
 */
bool callee_name(const struct py_objects *, uint64_t callable,
    char name[CALLEE_NAME_MAX]);

#endif
