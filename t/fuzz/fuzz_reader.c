/* SPDX-License-Identifier: ISC */
/* fuzz_reader.c: a TACH file of any bytes.  What can be read of it comes back
 * from a file that it is written to. */
#include <unistd.h>

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct tach_reader *r = tach_reader_new();
	int fd = fuzz_fd(bytes, n), copy = fuzz_fd(NULL, 0);
	uint64_t digest = fuzz_read(r, tach_reader_open_fd(r, fd), copy);

	promise(fuzz_read_again(copy) == digest);
	tach_reader_free(r);
	close(copy);
	close(fd);
	return 0;
}
