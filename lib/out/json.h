/* SPDX-License-Identifier: ISC */
/* json.h: strings of whatever bytes as JSON. */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "buf.h"
#include "tach.h"

/* Adds bytes as a JSON string with its quotes; what is no UTF-8 becomes
 * U+FFFD.  There is no </ or <! in it, so that it may stand in a page's
 * script. */
void json_add_string(struct buf *, const char *, size_t);

/* The same of text for people: of control characters but tabs, and of what is
 * no UTF-8, each byte is a backslash and three octal digits, since in a page
 * these are obeyed, whatever has escaped them. */
void json_add_visible(struct buf *, const char *, size_t);

#endif
