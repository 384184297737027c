/* SPDX-License-Identifier: ISC */
/* print.h: what libtach writes to an output, on a FILE.  The FILE keeps its errors. */
#ifndef PRINT_H
#define PRINT_H

#include <stdio.h>

/* See tach_plain_string.  Without memory it prints nothing. */
void print_plain(FILE *, const char *bytes, size_t len);
/* See tach_json_string.  Without memory it prints "". */
void print_json_string(FILE *, const char *bytes, size_t len);
void print_json_number(FILE *, double);

#endif
