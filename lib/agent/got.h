/* SPDX-License-Identifier: ISC */
/*
 * got.h: puts the agent's wrappers in force in a process that runs already.
 *
 * The dynamic linker has objects call the functions of a preloaded library.
 * For a library that comes later this file does so.  Each object has a table of
 * the addresses of the functions that it calls in others: the addresses of
 * wrapped functions are changed.
 */
#ifndef AGENT_GOT_H
#define AGENT_GOT_H

/* Puts all wrappers in force in the objects that were loaded since the last
 * call.  Does nothing if the agent was preloaded.  Not in a handler. */
void got_wrap(void);

#endif
