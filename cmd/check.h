/* SPDX-License-Identifier: ISC */
/* check.h: what this machine and this user permit, for `tach-record --check`. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <sys/types.h>

#include "tach-record.h"

/* Prints a line for each right that recording uses, and behind them the commands that
 * give the rights which are missing.  pid is 0, or a process whose lines follow those
 * of the machine.  Whether the engine of the options can record: that process, or a
 * command. */
bool check_show(const struct tach_recorder_options *, pid_t pid);

#endif
