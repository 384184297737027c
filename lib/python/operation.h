/* SPDX-License-Identifier: ISC */
/*
 * operation.h: the names of operators on types of C's.
 *
 * An operator is done by a function in a slot of one of its operands' types.  A type that
 * was made by Python has its base's function there, unless a method of its class stands
 * for the operator: such a type is told by that its function is not its base's.
 */
#ifndef PYTHON_OPERATION_H
#define PYTHON_OPERATION_H

#include "python/callable.h"
#include "python/callee.h"
#include "python/objects.h"

/* How long an operation takes follows from: */
enum py_measure {
	MEASURE_SHORT,	/* it never takes long */
	MEASURE_LONG,	/* not known: it may take long */
	MEASURE_DIGITS, /* the digits of its operands, which are ints */
	MEASURE_LENGTH, /* the lengths of sequences */
	MEASURE_TABLE,	/* the number of items of dicts or sets */
};

/* What is known of the first word of an operand. */
enum py_size {
	SIZE_UNKNOWN,
	SIZE_LENGTH,
	SIZE_DIGITS, /* the one of an int */
};

struct py_operation {
	bool lasts; /* it follows from types that live as long as their interpreter */
	uint8_t measure; /* enum py_measure */
	uint8_t sizes[CALLED_OBJECTS]; /* enum py_size */
};

/*
 * Names an operator by the type whose function does it, as "int.__pow__", or the end of
 * an object, as "dealloc dict" (PY_DROP).  The types of the operands must be known.  The
 * name is terminated; its bytes are the target's.
 * False if that may be a method of Python's, if it is not certain which operand's type
 * it is, or if a type cannot be read.
 */
bool operation_name(const struct py_objects *, const struct py_called *,
    char name[CALLEE_NAME_MAX], struct py_operation *);

/* Whether the operation takes so long, some hundred nanoseconds, that its time is not
 * that of the interpreter around it. */
bool operation_is_long(const struct py_offsets *, const struct py_operation *,
    const struct py_called *);

/* The operand that is being freed now, when the operation is done.  NULL: none, or it is
 * not certain. */
const struct py_operand_object *operation_freed(const struct py_called *);

#endif
