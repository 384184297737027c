/* SPDX-License-Identifier: ISC */
/* foreign.h: what other programs write that is not read. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stddef.h>

/* Says in one line what an input is that begins with these bytes, and what to
 * do with it.  NULL if it is none that is known. */
const char *foreign_fault(const char *, size_t n);

#endif
