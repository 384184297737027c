/* SPDX-License-Identifier: ISC */
/* threadname.h: takes a thread's number out of what a profile calls the thread. */
#ifndef FORMAT_THREADNAME_H
#define FORMAT_THREADNAME_H

#include <stdbool.h>
#include <stdint.h>

#include "tach.h"

struct threadname {
	uint64_t thread;
	uint32_t interp;
	struct tach_string name; /* without the number; may be empty */
};

/*
 * Parses `NAME (7)`, `NAME (7, interpreter 1)`, `thread 7` and `thread 7,
 * interpreter 1`, as tach-convert writes them, and py-spy's `Thread 7 "NAME"` and
 * `Process 5 Thread 7 "NAME"`, where 7 can be 0x7.  False: it is another text.
 */
bool threadname_parse(struct tach_string text, struct threadname *);

#endif
