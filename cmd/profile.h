/* SPDX-License-Identifier: ISC */
/*
 * profile.h: options about the form of a TACH profile, and remarks about a finished
 * one.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>

#include "cmdline.h"
#include "tach.h"

/* Prints what CPython's reader does not take of a finished profile, and how it
 * differs from the options. */
void profile_remark(const char *name, const struct tach_writer *,
    const struct tach_writer_options *);

/* ---- the options --------------------------------------------------------- */

struct profile_options {
	struct tach_writer_options writer;
	uint32_t depth; /* of stacks, as tach_depth_new has it */
};

#define PROFILE_DEFAULTS \
	{ \
		.writer = {sizeof(struct tach_writer_options), \
		    TACH_LAYOUT_CPYTHON, TACH_ZSTD, TACH_LEVEL_DEFAULT} \
	}

/* The options, below a heading, which may be NULL. given becomes true if there is
 * one of them; it may be NULL. */
struct option_group profile_group(struct profile_options *, const char *heading,
    bool *given);

#endif
