/* SPDX-License-Identifier: ISC */
/* callable.c: see callable.h. */
#include "python/callable.h"

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
