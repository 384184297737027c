/* SPDX-License-Identifier: ISC */
/* frametext.h: parses frames that profilers write as one word. */
#ifndef FORMAT_FRAMETEXT_H
#define FORMAT_FRAMETEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/stacktext.h"
#include "tach.h"

struct frametext {
	struct piece file, func; /* file "~" if it is not known */
	int32_t line;		 /* -1 if not known */
};

/* Parses `NAME (FILE:LINE)` or `NAME (FILE)`; any other text is a name. */
struct frametext frametext_py_spy(struct piece);

/* Parses the former, `FILE:FUNCTION:LINE`, or austin's `:GC:`; any other text
 * is a name. */
struct frametext frametext_any(struct piece);

/* Interns the names and makes a frame of them.  False if out of memory. */
bool frametext_intern(struct tach_table *, const struct frametext *,
    struct tach_frame *);

#endif
