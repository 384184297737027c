/* SPDX-License-Identifier: ISC */
/* dump.h: prints the stacks of a process's threads as they are now. */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>

#include "tach.h"

/* Attaches the recorder to the process, takes one sample of every thread and
 * prints it, with the local variables if they are asked for.  False: it
 * failed, and the user was told. */
bool dump_process(struct tach_recorder *, pid_t, bool locals);

#endif
