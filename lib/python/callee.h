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

#include "python/callable.h"
#include "python/objects.h"

#define CALLEE_TYPE "type " /* before the names of types */
#define CALLEE_DEALLOC "dealloc " /* before those of types whose object is freed */
#define CALLEE_NAME_MAX 256 /* bytes, with the terminating 0; longer names are cut */

/* What the name of a callable follows from, besides its type. */
enum callee_follows {
	CALLEE_BY_TYPE,
	CALLEE_BY_WORD,	     /* its first word */
	CALLEE_BY_SELF_TYPE, /* that, and the type of the object that it is bound to */
	CALLEE_BY_SELF,	     /* the first word, and that object */
	CALLEE_FOLLOWS, /* that is not known */
};

struct py_callee {
	char name[CALLEE_NAME_MAX]; /* terminated; its bytes are the target's */
	/* If the object lives as long as its module or its class: how many words behind
	 * its head the name follows from, at most CALLABLE_WORDS; else 0. */
	size_t words;
	bool type; /* it is the call of a type */
	enum callee_follows by; /* if `words` is 0 */
	uint64_t owner; /* address of the type whose name it begins with; 0: of none */
	uint64_t inner; /* address of the callable in this one that it is the name of; 0:
			 * there is none */
};

/*
 * Names the C function that a call of an object runs first, as "time.sleep",
 * "list.sort", "type Decimal" or "numpy.ufunc add"; a partial and a bound method are
 * called as the function in them.  False if the object is no callable that is known to
 * be C's, as a function of Python, or if it cannot be read.  Then ->by is
 * CALLEE_BY_TYPE if no object of its type is one.
 */
bool callee_name(const struct py_objects *, uint64_t callable, struct py_callee *);

/* Names the C function that a with runs as it begins, as "_thread.lock.__enter__".  addr:
 * the context manager, or its bound __exit__.  False likewise. */
bool callee_name_enter(const struct py_objects *, uint64_t addr, struct py_callee *);

/* Whether a callable is a method of a type, and `self` an object of that type or of one
 * that is derived from it. */
bool callee_is_method_of(const struct py_objects *, uint64_t callable, uint64_t self);

/* Whether a name is one that people can read: memory that was freed has others. */
bool callee_is_visible(const char *name);

/* The name of a callable as it was: but for the one in ->inner, only objects that live as
 * long as their module or their class are read now. */
bool callee_name_then(const struct py_objects *now, const struct py_callable *,
    struct py_callee *);

#endif
