/* SPDX-License-Identifier: ISC */
/* confine.h: rights that a command which reads files gives up. */
#ifndef CONFINE_H
#define CONFINE_H

#include <sys/types.h>

/* Confines the process: it opens no socket, starts no program or thread, touches no
 * other process, and writes only in the directories of its outputs and of temporary
 * files.  An input may be made to take the process over. outputs has n paths, each
 * of which may be NULL.  A right that the kernel or the build cannot take away
 * stays. */
void confine(const char *const outputs[], int n);

/* The same for a view at a terminal, which may change the terminal.  It may end a child
 * and wait for it; 0: there is none.  Of a child the profile is the output; else NULL. */
void confine_view(const char *output, pid_t child);

#endif
