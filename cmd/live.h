/* SPDX-License-Identifier: ISC */
/* live.h: tach-top's view of one profile, from the first key to the last. */
#ifndef LIVE_H
#define LIVE_H

#include "child.h"
#include "select.h"
#include "tally_table.h"

struct live_how {
	const char *path; /* of the profile */
	const char *name; /* that the view has for it, without control characters */
	enum tally_group group;	  /* at first */
	enum tally_column column; /* likewise */
	const struct selection *selection;
	struct child *child; /* that records the profile; NULL: none does */
	bool family; /* it records descendants, too, each to a file of its own until all
		      * are merged */
};

/* Shows a profile until the user quits.  Returns CMD_OK or, with a message,
 * CMD_FAILED. */
int live_show(const struct live_how *);

#endif
