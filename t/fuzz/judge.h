/* SPDX-License-Identifier: ISC */
/* judge.h: what formats write must be such, whatever the samples were; each
 * ends the program if it is not. */
#ifndef T_FUZZ_JUDGE_H
#define T_FUZZ_JUDGE_H

#include <stddef.h>

/* Looks at what the format of that name has written. */
void judge(const char *format, const char *text, size_t len);

/* At a page of the heat map, or its profile.js. */
void judge_page(const char *text, size_t len);

#endif
