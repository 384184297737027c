/* SPDX-License-Identifier: ISC */
/* glue.h: functions of the interpreter that only pass a call on, between its loop and
 * the function that is called. */
#ifndef ENGINE_NATIVE_GLUE_H
#define ENGINE_NATIVE_GLUE_H

#include <stdbool.h>

/* Whether a function has the name of such a one. */
bool glue_has(const char *name);

#endif
