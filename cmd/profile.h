/* SPDX-License-Identifier: ISC */
/*
 * profile.h: options about the encoding of a TACH profile, and remarks about a
 * finished one.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>

#include "cmdline.h"
#include "tach.h"

/* Prints a message if a finished profile differs from the options. */
void profile_remark(const char *name, const struct tach_writer *,
    const struct tach_writer_options *);

/* ---- the options --------------------------------------------------------- */

#define PROFILE_DEFAULTS \
	{ \
		sizeof(struct tach_writer_options), TACH_LAYOUT_DOCUMENTED, \
		    TACH_ZSTD, TACH_LEVEL_DEFAULT \
	}

/* The options, below a heading, which may be NULL. given becomes true if there is
 * one of them; it may be NULL. */
struct option_group profile_group(struct tach_writer_options *,
    const char *heading, bool *given);

#endif
