/* SPDX-License-Identifier: ISC */
/* callsite.h: tables of calls by their instructions.  Programs in the kernel include it,
 * too, so it includes nothing. */
#ifndef CALLSITE_H
#define CALLSITE_H

/* The one place for an instruction in a table of so many, a power of two. */
#define CALLSITE_PLACE(instr, count) \
	(((instr) * 0x9e3779b97f4a7c15ull >> 32) & ((count) - 1))

#endif
