/* SPDX-License-Identifier: ISC */
/*
 * select.h: the options that choose among samples; all commands that read profiles
 * have them.  A command adds select_group to its options, and pumps from
 * select_source.
 */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>

#include "cmdline.h"
#include "tach.h"

/* What is selected; all zero: everything. */
struct selection {
	struct tach_selection what; /* the lists are owned */
	bool given;		    /* there was one of the options */
};

/* The options, which set a selection. */
struct option_group select_group(struct selection *);
/* The same but for --idle, for a command whose own --idle has more words; it calls
 * select_drop_idle for "drop". */
struct option_group select_group_but_idle(struct selection *);
void select_drop_idle(struct selection *);
void select_clear(struct selection *);

/* A source of what is selected; see tach_select_new. */
struct tach_source *select_source(const struct selection *,
    struct tach_source *);

#endif
