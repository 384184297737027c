/* SPDX-License-Identifier: ISC */
/* processes.h: the processes of a merged profile, as its notes tell: tach-merge(1). */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

/* The interpreters of one process. */
struct process_note {
	uint32_t first, last;
	uint32_t string; /* of the table: the note */
};

/* All zero at first. */
struct processes {
	struct process_note *list; /* sorted by first, then the longer one */
	size_t count, max;
	uint32_t read; /* strings of the table that were looked at */
};

/* A process. */
struct merged_process {
	struct tach_string name; /* of its file, which is the table's; "": not known */
	uint32_t first; /* its first interpreter, as two may have one name */
};

/* The process that an interpreter is of.  A profile that was merged twice has two notes:
 * the one of the smaller file counts.  False: out of memory. */
bool processes_find(struct processes *, const struct tach_table *, uint32_t interp,
    struct merged_process *);
void processes_clear(struct processes *);

#endif
