/* SPDX-License-Identifier: ISC */
/* names.h: the strings and functions of a format that numbers them, in a table of
 * its own.  A function is a frame of that table. */
#ifndef OUT_NAMES_H
#define OUT_NAMES_H

#include <string.h>

#include "tach.h"

/* The number of a string; TACH_NONE if out of memory. */
static inline uint32_t
names_add(struct tach_table *names, struct tach_string s)
{
	return tach_table_add_string(names, s.bytes, s.len);
}

static inline uint32_t
names_add_text(struct tach_table *names, const char *text)
{
	return tach_table_add_string(names, text, strlen(text));
}

/* The number of a function, from 1 on; 0 if out of memory. */
static inline uint64_t
names_add_function(struct tach_table *names, struct tach_string file,
    struct tach_string func)
{
	struct tach_frame f = {
		.file = names_add(names, file),
		.func = names_add(names, func),
		.opcode = TACH_NO_OPCODE,
	};
	uint32_t index = tach_table_add_frame(names, &f);

	return index == TACH_NONE ? 0 : (uint64_t)index + 1;
}

#endif
