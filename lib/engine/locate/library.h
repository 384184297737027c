/* SPDX-License-Identifier: ISC */
/* library.h: where the agent's library lies.  Programs load it with their
 * rights: therefore only users that could as well change this program may be
 * able to write there. */
#ifndef ENGINE_LOCATE_LIBRARY_H
#define ENGINE_LOCATE_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "error.h"

/* Finds the library's path, without links.  False if there is none that may be
 * used; the error says what to do. */
bool library_find(char path[PATH_MAX], struct error *);

/* Whether all users that may write to a file, or replace it or a folder on its
 * path, may do the same to a program.  Both are paths without links. */
bool library_is_safe(const char *path, const char *program);

#endif
