/* SPDX-License-Identifier: ISC */
/* hint.h: the lines of errors of recorders, for messages: where a right is missing, the
 * line ends with the command that says what would help. */
#ifndef HINT_H
#define HINT_H

#include "tach-record.h"

/* A line holds until the next call of the thread, or of the handle. */
const char *recorder_hinted(const struct tach_recorder *);
const char *children_hinted(const struct tach_children *, pid_t child);

#endif
