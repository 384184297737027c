/* SPDX-License-Identifier: ISC */
/* foreign.h: formats of other programs that tach does not read. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* Names the format that begins with these bytes, and says what to do with it,
 * in one line.  NULL if the format is not known. */
const char *foreign_fault(const char *, size_t n);

/* Whether the bytes begin a JSON object or list. */
bool foreign_json(const char *, size_t n);

#endif
