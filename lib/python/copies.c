/* SPDX-License-Identifier: ISC */
/* copies.c: see copies.h. */
#include "python/copies.h"

bool
code_copy(const struct py_offsets *o, const struct py_memory *m, uint64_t code,
    uint32_t number, uint64_t *addr)
{
	uint64_t copies, count;
	struct py_piece pieces[2] = {{.size = sizeof(count), .buf = &count},
	    {.size = sizeof(*addr), .buf = addr}};

	if (!py_read(m, code + o->code_copies, &copies, sizeof(copies)) ||
	    copies == 0)
		return false;
	pieces[0].addr = copies + o->copies_count;
	pieces[1].addr = copies + o->copies_first + number * sizeof(*addr);
	return m->read(m, pieces, 2) && number < count && *addr != 0;
}
