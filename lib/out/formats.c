/* SPDX-License-Identifier: ISC */
/* formats.c: the one list of formats that there are. */
#include "out/out.h"

const struct tach_format tach_formats[] = {
	{"collapsed", "one line a distinct stack, with its number of samples",
	    collapsed_open},
	{NULL, NULL, NULL},
};
