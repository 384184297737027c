/* SPDX-License-Identifier: ISC */
/* dump.h: prints the stacks of processes' threads as they are now. */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>

#include "tach.h"

/* Takes one sample of every thread of the process and prints it, with the
 * local variables if they are asked for.  False: it failed, and the user was
 * told. */
bool dump_process(const struct tach_recorder_options *, pid_t, bool locals);

/* The same of all Pythons that come from it, one after the other. */
bool dump_children(const struct tach_recorder_options *, pid_t, bool locals);

#endif
