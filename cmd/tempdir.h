/* SPDX-License-Identifier: ISC */
/* tempdir.h: temporary directories, for files that are opened by their names. */
#ifndef TEMPDIR_H
#define TEMPDIR_H

/*
 * Makes a directory NAME.XXXXXX in the directory of temporary files, or in /tmp if other
 * users can rename what is in there.  It is this user's alone.  Returns a descriptor of
 * it, and its path, to be freed; -1, with errno, and no path.
 */
int tempdir_make(const char *name, char **path);

#endif
