/* SPDX-License-Identifier: ISC */
/* coding.h: Python source in whatever coding it says that it is in. */
#ifndef OUT_CODING_H
#define OUT_CODING_H

#include "buf.h"

/*
 * Makes the text of a file UTF-8: by its first bytes, if these are the mark of
 * UTF-8, which goes, or by its coding line (PEP 263).  What is in no coding
 * that is known here stays as it is; what is no text in its coding becomes
 * U+FFFD.
 */
void coding_undo(struct buf *);

#endif
