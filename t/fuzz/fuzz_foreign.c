/* SPDX-License-Identifier: ISC */
/* fuzz_foreign.c: profiles of pprof, austin, speedscope and perf script, and what is
 * compressed, of any bytes.  What can be read of them comes back from a TACH file. */
#include <unistd.h>

#include "format/sniff.h"
#include "format/source.h"
#include "format/unpack.h"
#include "fuzz.h"

/* Whether the bytes are taken for one of these. */
static bool
is_foreign(const uint8_t *bytes, size_t n)
{
	size_t head = n < SNIFF_SIZE ? n : SNIFF_SIZE;

	return unpack_known(bytes, n) || pprof_known(bytes, n) ||
	    mojo_known(bytes, n) || speedscope_known(bytes, head) ||
	    sniff((const char *)bytes, head, true) == SNIFF_PERF;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct tach_reader *r;
	int fd, copy;
	uint64_t digest;

	if (!is_foreign(bytes, n))
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
