/* SPDX-License-Identifier: ISC */
/* progress.h: how far a long conversion is, for whoever waits at a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "tach.h"

/* Passes all on to another sink, which is then its own, and says on standard
 * error, if that is a terminal and standard output none, how much of the
 * reader's samples have been read, from one second on.  NULL: out of
 * memory. */
struct tach_sink *progress_new(const struct tach_reader *,
    struct tach_sink *next);

/* Takes away what it has said, before anything else is. */
void progress_clear(void);

#endif
