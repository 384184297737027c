/* SPDX-License-Identifier: ISC */
/* to_file.h: a sink's output that goes through the buffer of a FILE. */
#ifndef TO_FILE_H
#define TO_FILE_H

#include <stdio.h>

#include "tach.h"

static inline int
write_to_file(void *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, (FILE *)file) == n ? 0 : -1;
}

static inline struct tach_output
to_file(FILE *file)
{
	return (struct tach_output){.size = sizeof(struct tach_output),
	    .write = write_to_file, .arg = file};
}

#endif
