/* SPDX-License-Identifier: ISC */
/* confine.h: rights that a command which reads files gives up. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>

/* Confines the process: it opens no socket, starts no program or thread, touches no
 * other process, and writes only in the directories of its outputs and of temporary
 * files.  An input may be made to take the process over. outputs has n paths, each
 * of which may be NULL.  A right that the kernel or the build cannot take away
 * stays. */
void confine(const char *const outputs[], int n);

#endif
