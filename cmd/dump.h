/* SPDX-License-Identifier: ISC */
/* dump.h: prints the stacks of processes' threads as they are now. */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>

#include "tach-record.h"

/* Takes one sample of each thread of a process and prints it, with the local
 * variables if locals is true.  False: it failed, and a message was printed. */
bool dump_process(const struct tach_recorder_options *, pid_t, bool locals);

/* The same for all Pythons that descend from the process, one after the other. */
bool dump_children(const struct tach_recorder_options *, pid_t, bool locals);

#endif
