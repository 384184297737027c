/* SPDX-License-Identifier: ISC */
/* rootfile.h: opens files that a stranger may have put there. */
#ifndef NATIVE_ROOTFILE_H
#define NATIVE_ROOTFILE_H

/*
 * Opens a regular file for reading, by its path in a root: no link leads out of it,
 * and no device and no pipe is opened.  root: a descriptor of that folder, -1 for our
 * own root.  The caller closes the descriptor.  -1 if there is no such file, or if the
 * kernel cannot keep links in that root (Linux before 5.6).
 */
int rootfile_open(int root, const char *path);

#endif
