/* SPDX-License-Identifier: ISC */
/*
 * got.h: the agent's wrappers put in force in a process that runs already.
 *
 * What a preloaded library is to the dynamic linker, one that comes later
 * has to be by hand: each object has a table of the addresses of what it calls
 * in others, and those of the functions that we stand in front of are changed.
 */
#ifndef AGENT_GOT_H
#define AGENT_GOT_H

/* Puts all wrappers in force, in all objects that have been loaded since the
 * last time.  Not in a handler. */
void got_wrap(void);

#endif
