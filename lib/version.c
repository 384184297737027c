/* SPDX-License-Identifier: ISC */
/* version.c: which libtach this is. */
#include "tach.h"

const char *
tach_version(void)
{
	return PACKAGE_VERSION;
}
