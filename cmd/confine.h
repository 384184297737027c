/* SPDX-License-Identifier: ISC */
/* confine.h: what a command that reads files has no use for. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>

/*
 * From now on this process opens no socket, starts no program nor thread,
 * touches no other process, and writes only in the directories of its outputs (n
 * of them, of which each can be NULL) and in the one for temporary files: what
 * it reads may be made to take it over.  Where the kernel, or the build, has
 * not all that this needs, it goes on with what there is.
 */
void confine(const char *const outputs[], int n);

#endif
