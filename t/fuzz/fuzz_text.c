/* SPDX-License-Identifier: ISC */
/* fuzz_text.c: a text of any bytes.  What can be read of it comes back from
 * a TACH file, and as text from its own long form. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/to_file.h"
#include "format/sniff.h"
#include "fuzz.h"

/* The long form of what can be read of a text; the caller frees it. */
static char *
long_form(const void *text, size_t n, size_t *len)
{
	struct tach_reader *r = tach_reader_new();
	int fd = fuzz_fd(text, n);
	char *out = NULL;
	FILE *f = open_memstream(&out, len);
	struct tach_output to = to_file(f);
	struct tach_sink *sink = tach_text_new(&to, true);

	(void)!tach_reader_open_fd(r, fd);
	promise(tach_pump(tach_reader_source(r), sink) != TACH_REFUSED);
	tach_sink_free(sink);
	fclose(f);
	close(fd);
	tach_reader_free(r);
	return out;
}

static void
check_long_form(const void *text, size_t n)
{
	size_t len, again_len;
	char *once = long_form(text, n, &len);
	char *again = long_form(once, len, &again_len);

	promise(len == again_len && memcmp(once, again, len) == 0);
	free(again);
	free(once);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct tach_reader *r;
	int fd, copy;
	uint64_t digest;

	/* Anything else is not taken for text. */
	if (sniff((const char *)bytes, n < SNIFF_SIZE ? n : SNIFF_SIZE,
		true) != SNIFF_TEXT)
		return 0;
	r = tach_reader_new();
	fd = fuzz_fd(bytes, n);
	copy = fuzz_fd(NULL, 0);
	digest = fuzz_read(r, tach_reader_open_fd(r, fd), copy);
	promise(fuzz_read_again(copy) == digest);
	check_long_form(bytes, n);
	tach_reader_free(r);
	close(copy);
	close(fd);
	return 0;
}
