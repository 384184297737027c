/* SPDX-License-Identifier: ISC */
/* profile.h: the options that say how a TACH profile is written, and the remarks about
 * one that is. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>

#include "options.h"
#include "tach.h"

/* Says on standard error what of a finished profile is not as was asked
 * for. */
void profile_remark(const char *name, const struct tach_writer *,
    const struct tach_writer_options *);

/* ---- the options ------------------------------------------------------- */

#define PROFILE_DEFAULTS \
	{TACH_LAYOUT_DOCUMENTED, TACH_ZSTD, TACH_LEVEL_DEFAULT}

/* The options, which set how a profile is written, with a heading; given becomes true
 * if there is any of them, and may be NULL. */
struct option_group profile_group(struct tach_writer_options *,
    const char *heading, bool *given);

#endif
