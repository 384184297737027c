/* SPDX-License-Identifier: ISC */
/* progress.h: how far a long conversion is, for whoever waits at a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "tach.h"

/* A reader as a source that says on standard error, if that is a terminal and
 * standard output none, how many of the reader's samples have been read, from one
 * second on.  NULL: out of memory. */
struct tach_source *progress_new(struct tach_reader *);

/* Takes away what it has said, before anything else is. */
void progress_clear(void);

#endif
