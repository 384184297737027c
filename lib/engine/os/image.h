/* SPDX-License-Identifier: ISC */
/*
 * image.h: the program that a process runs, which an exec replaces: a number that
 * tells it from the next program, and whether it maps files of ours.
 *
 * Both come from the kernel.  A process that has ended has no image, even if its
 * PID is another process's by now.
 */
#ifndef ENGINE_OS_IMAGE_H
#define ENGINE_OS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/os/process.h"

/* A number that is the same as long as the process runs the same program.  0 if
 * it cannot be read, or if the process has ended. */
uint64_t image_of(const struct process *);

/* A file as /proc/PID/maps names it. */
struct image_file {
	unsigned major, minor; /* of its device */
	uint64_t inode;
};

/* The file that this process maps at an address.  False if there is none. */
bool image_file_at(const void *addr, struct image_file *);
/* Whether a process maps the memory, shared and writable, and the library,
 * executable; a library of NULL is not looked for. */
bool image_maps(const struct process *, const struct image_file *memory,
    const struct image_file *library);

#endif
