/* SPDX-License-Identifier: ISC */
/* name.c: what threads are called. */
#include <inttypes.h>
#include <stdio.h>

#include "out/out.h"

void
out_thread_name(char name[OUT_THREAD_SIZE], uint32_t interp, uint64_t thread)
{
	int n = snprintf(name, OUT_THREAD_SIZE, "thread %" PRIu64, thread);

	if (interp != 0)
		snprintf(name + n, OUT_THREAD_SIZE - (size_t)n,
		    ", interpreter %" PRIu32, interp);
}
