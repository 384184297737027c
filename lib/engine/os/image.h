/* SPDX-License-Identifier: ISC */
/*
 * image.h: the program that a process runs, which an exec replaces: a number
 * that tells it from the next one, and whether files of ours are mapped there.
 *
 * Both come from the kernel.  A process that has ended has no image, whatever
 * its number stands for by now.
 */
#ifndef ENGINE_OS_IMAGE_H
#define ENGINE_OS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/os/process.h"

/* The same as long as the process runs the same program; 0: it cannot be seen,
 * or the process has ended. */
uint64_t image_of(const struct process *);

/* A file as lists of mappings name it. */
struct image_file {
	unsigned major, minor; /* of its device */
	uint64_t inode;
};

/* The file that we have mapped at an address.  False: there is none. */
bool image_file_at(const void *addr, struct image_file *);
/* Whether a process maps the memory, shared and to write, and runs code of the
 * library, unless that is NULL. */
bool image_maps(const struct process *, const struct image_file *memory,
    const struct image_file *library);

#endif
