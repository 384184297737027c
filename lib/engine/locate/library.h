/* SPDX-License-Identifier: ISC */
/* library.h: where the agent's library lies, which is loaded into programs with
 * their rights: so only somebody who could as well have changed this program may
 * be able to write there. */
#ifndef ENGINE_LOCATE_LIBRARY_H
#define ENGINE_LOCATE_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "error.h"

/* Its path, without links.  False: there is none; the error says what to do. */
bool library_find(char path[PATH_MAX], struct error *);

/* Whether nobody may write to a file, or replace it or a folder on its path, who
 * may not do the same to a program.  Both are paths without links. */
bool library_is_safe(const char *path, const char *program);

#endif
