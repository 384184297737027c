/* SPDX-License-Identifier: ISC */
/* callable.h: a callable, or the operands of an operator, as they were at one moment. */
#ifndef PYTHON_CALLABLE_H
#define PYTHON_CALLABLE_H

#include "python/depths.h"
#include "python/memory.h"
#include "python/offsets.h"

#define CALLABLE_WORDS 6 /* behind its head */
#define CALLABLE_SELF 1 /* the number of the word that has the object it is bound to */
#define OPERAND_WORDS 2 /* likewise */
#define CALLED_OBJECTS 2 /* a callable, or one or two operands */

struct py_callable {
	uint64_t addr; /* 0: there is none */
	uint64_t type; /* 0: the rest is not known */
	uint64_t words[CALLABLE_WORDS];
	uint64_t self_type; /* type of the object that it is bound to; 0: not known */
};

struct py_operand_object {
	uint64_t addr; /* 0: there is none */
	uint64_t type; /* 0: the rest is not known */
	uint64_t words[OPERAND_WORDS];
	uint64_t held; /* it has references; else it is being freed, or was */
};

/* All zero: nothing is called. */
struct py_called {
	uint64_t operator; /* enum py_operator */
	union {
		struct py_callable callable; /* of PY_CALL and PY_ENTER */
		struct py_operand_object operands[CALLED_OBJECTS];
	};
};

/* How many objects a call or an operator has in slots: an operator its operands. */
size_t called_objects(enum py_operator);
/* Whether the one object is a callable, not an operand. */
bool called_is_callable(uint64_t operator);

/* Whether the types of the objects are known. */
bool called_is_known(const struct py_called *);

/* Reads a callable.  False if it is not in that memory: then only ->addr is set. */
bool callable_read(const struct py_offsets *, const struct py_memory *, uint64_t addr,
    struct py_callable *);

/* Reads the objects of a call or an operator, as far as they are in that memory: of the
 * other ones only ->addr is set.  False if one is not. */
bool called_read(const struct py_offsets *, const struct py_memory *, enum py_operator,
    const uint64_t objects[CALLED_OBJECTS], struct py_called *);

#endif
