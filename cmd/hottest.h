/* SPDX-License-Identifier: ISC */
/* hottest.h: the functions in which a program spent most of its time. */
#ifndef HOTTEST_H
#define HOTTEST_H

/* Prints ten functions of the profile at a descriptor, which can seek, on standard error.
 * A profile that cannot be read has none. */
void hottest_show(int fd);

#endif
