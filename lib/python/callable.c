/* SPDX-License-Identifier: ISC */
/* callable.c: see callable.h. */
#include "python/callable.h"

#include "python/held.h"
#include "python/traits.h"

size_t
called_objects(enum py_operator operator)
{
	switch (operator) {
	case PY_CALL:
	case PY_NEGATIVE:
	case PY_POSITIVE:
	case PY_INVERT:
	case PY_NEXT:
	case PY_DROP:
	case PY_ENTER:
		return 1;
	default:
		return 2;
	}
}

bool
called_is_callable(uint64_t operator)
{
	return operator == PY_CALL || operator == PY_ENTER;
}

bool
called_is_known(const struct py_called *c)
{
	if (called_is_callable(c->operator))
		return c->callable.type != 0;
	for (size_t i = 0; i < called_objects((enum py_operator)c->operator); i++)
		if (c->operands[i].type == 0)
			return false;
	return true;
}

bool
callable_read(const struct py_offsets *o, const struct py_memory *m, uint64_t addr,
    struct py_callable *c)
{
	struct py_callable read = {.addr = addr};

	*c = read;
	if (!py_read(m, addr + o->object_type, &read.type, sizeof(read.type)) ||
	    !py_read(m, addr + o->object_size, read.words, sizeof(read.words)))
		return false;
	*c = read;
	if (!py_read(m, read.words[CALLABLE_SELF] + o->object_type, &c->self_type,
		sizeof(c->self_type)))
		c->self_type = 0;
	return true;
}

static bool
operand_read(const struct py_offsets *o, const struct py_memory *m, uint64_t addr,
    struct py_operand_object *to)
{
	struct py_operand_object read = {.addr = addr};

	*to = read;
	if (!py_read(m, addr + o->object_type, &read.type, sizeof(read.type)) ||
	    !py_read(m, addr + o->object_size, read.words, sizeof(read.words)))
		return false;
	*to = read;
	to->held = object_is_held(o, m, addr);
	return true;
}

bool
called_read(const struct py_offsets *o, const struct py_memory *m,
    enum py_operator operator, const uint64_t objects[CALLED_OBJECTS],
    struct py_called *c)
{
	bool all = true;

	*c = (struct py_called){.operator = operator};
	if (called_is_callable(operator))
		return callable_read(o, m, objects[0], &c->callable);
	for (size_t i = 0; i < called_objects(operator); i++)
		all &= operand_read(o, m, objects[i], &c->operands[i]);
	return all;
}
