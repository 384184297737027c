/* SPDX-License-Identifier: ISC */
/* json.h: strings of any bytes, and numbers, as JSON. */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "buf.h"

/* Adds bytes as a JSON string with its quotes.  U+FFFD takes the place of
 * invalid UTF-8.  The string has no </ or <!, so it may stand in the script of
 * a page. */
void json_add_string(struct buf *, const char *, size_t);

/* Likewise for text that people see.  Each byte of a control character except
 * tabs, and of invalid UTF-8, becomes a backslash and three octal digits: a
 * page would obey controls even if they are escaped in JSON. */
void json_add_visible(struct buf *, const char *, size_t);

#endif
