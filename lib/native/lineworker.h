/* SPDX-License-Identifier: ISC */
/*
 * lineworker.h: source lines of one file, found by a process of its own.
 *
 * The file may be made to take over the process that reads it (lines.h).  Therefore the
 * process that does is a child: it has no descriptors but the file and a pipe, no memory
 * that it shares with others, no rights of root, and no system calls but for memory and
 * for these two descriptors; memory, CPU time and time are bounded.  Each line that it
 * tells is checked.
 */
#ifndef NATIVE_LINEWORKER_H
#define NATIVE_LINEWORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_FILE_MAX 4096 /* bytes of a path */

/* Tells that the address of an index has a line above 0 of a file, whose path is valid
 * until the call returns, not empty, and has no control characters. */
typedef void lineworker_tell(void *arg, size_t index, const char *file, int line);

enum lineworker_end {
	LINEWORKER_DONE,   /* all lines that there are were told */
	LINEWORKER_DAMAGED, /* some could not be read; or the child has ended before, or
			    * told nonsense */
	LINEWORKER_LATE,   /* it was ended, as the time was over */
	LINEWORKER_REFUSED, /* there is no such child: errno says why */
};

/* Finds the lines of addresses, in ascending order, of a file of native_lines_file.  May
 * take `ms` milliseconds.  The child has no signals, and is reaped. */
enum lineworker_end lineworker_find(int fd, const uint64_t *addrs, size_t count,
    unsigned ms, lineworker_tell *, void *arg);

#endif
