/* SPDX-License-Identifier: ISC */
/*
 * coderun.h: from code that has no table to its caller, by the code itself.
 *
 * Code that was made at run time, as by LLVM or oneDNN, and functions in assembly take from
 * the stack what they have put there, and return.  So the code from an address on is run,
 * as far as it moves the stack pointer and restores registers.  It writes nothing.  Each
 * way to a return has to lead to the same frame's end: else the caller is not known.
 */
#ifndef NATIVE_CODERUN_H
#define NATIVE_CODERUN_H

#include "native/unwind.h"

/* Makes registers the caller's.  *cfa: the frame's end.  False if that is not certain, or
 * if the code is not x86-64's; the registers are then as before. */
bool coderun_leave(const struct unwind_tables *, struct native_stack *,
    struct unwind_registers *, uint64_t *cfa);

#endif
