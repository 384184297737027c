/* SPDX-License-Identifier: ISC */
/* fake.c: a process whose memory says that it is a Python of VERSION, but for
 * that all zeros. */
#include <stdint.h>
#include <unistd.h>

struct {
	char cookie[8];
	uint64_t version, free_threaded;
	char rest[4096];
} _PyRuntime = {"xdebugpy", VERSION, 0, {0}};

int
main(void)
{
	sleep(60);
	return 0;
}
