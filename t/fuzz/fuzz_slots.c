/* SPDX-License-Identifier: ISC */
/* fuzz_slots.c: a CPU profile of gperftools of any bytes.  What can be read
 * of it comes back from a TACH file. */
#include <unistd.h>

#include "format/source.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct tach_reader *r;
	int fd, copy;
	uint64_t digest;

	/* Anything else is not taken for one. */
	if (!gperftools_known(bytes, n))
		return 0;
	r = tach_reader_new();
	fd = fuzz_fd(bytes, n);
	copy = fuzz_fd(NULL, 0);
	digest = fuzz_read(r, tach_reader_open_fd(r, fd), copy);
	promise(fuzz_read_again(copy) == digest);
	tach_reader_free(r);
	close(copy);
	close(fd);
	return 0;
}
