/* SPDX-License-Identifier: ISC */
/* frametext.h: frames as profilers write them in one word, taken apart. */
#ifndef FORMAT_FRAMETEXT_H
#define FORMAT_FRAMETEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/stacktext.h"
#include "tach.h"

struct frametext {
	struct piece file, func; /* file "~": none is known */
	int32_t line;		 /* -1: not known */
};

/* `NAME (FILE:LINE)` or `NAME (FILE)`; anything else is a name. */
struct frametext frametext_py_spy(struct piece);

/* That, `FILE:FUNCTION:LINE`, or austin's `:GC:`; anything else is a name. */
struct frametext frametext_any(struct piece);

/* Interns its names and makes a frame of it.  False: out of memory. */
bool frametext_intern(struct tach_table *, const struct frametext *,
    struct tach_frame *);

#endif
