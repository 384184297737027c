/* SPDX-License-Identifier: ISC */
/* coding.h: decodes Python source. */
#ifndef OUT_CODING_H
#define OUT_CODING_H

#include "buf.h"

/*
 * Converts the text of a file to UTF-8: by its byte order mark, which is
 * removed, or by its coding comment (PEP 263).  A text in an unknown coding
 * stays as it is.  U+FFFD takes the place of a byte that is invalid in its
 * coding.
 */
void coding_undo(struct buf *);

#endif
