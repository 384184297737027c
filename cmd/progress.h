/* SPDX-License-Identifier: ISC */
/* progress.h: the progress of a long conversion, at a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "tach.h"

/* A reader as a source that shows how many samples have been read.  It does so from
 * one second on, and only if standard error is a terminal and standard output is
 * none.  NULL: out of memory. */
struct tach_source *progress_new(struct tach_reader *);

/* Clears the line of progress; to be called before other output. */
void progress_clear(void);

#endif
