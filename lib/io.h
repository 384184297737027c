/* SPDX-License-Identifier: ISC */
/* io.h: reads and writes whole, whatever interrupts them. */
#ifndef IO_H
#define IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Reads until n bytes are there or the file ends.  The number of bytes, or
 * -1 with errno. */
ssize_t io_read(int fd, void *, size_t n);
ssize_t io_read_at(int fd, void *, size_t n, uint64_t at);

/* False, with errno: not all of it is written. */
bool io_write(int fd, const void *, size_t n);
bool io_write_at(int fd, const void *, size_t n, uint64_t at);

/* A file without a name, in TMPDIR or /tmp; NULL, with errno: none. */
FILE *io_temporary(void);

#endif
