/* SPDX-License-Identifier: ISC */
/*
 * fuzz_unfinished.c: a profile that was not finished, and its side file.  The
 * bytes are
 *
 *	size of the side file u16, little endian, of which the highest bit asks
 *	for its hashes to be made right; the side file; the sample data
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz.h"

#define HEAD_SIZE 64

/* Where things are in an entry of the side file; see format/names.h. */
enum { NAMES_HEAD = 8, ENTRY_HASH = 4, ENTRY_END = 12, ENTRY_DATA = 20,
	ENTRY_TABLES = 81 };

struct parts {
	uint8_t *names, *data;
	size_t names_size, data_size;
};

static uint64_t
number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

/* Without this hardly any change would ever be looked at. */
static void
make_hashes(const struct parts *p)
{
	size_t at = NAMES_HEAD;

	while (at <= p->names_size && p->names_size - at >= ENTRY_TABLES) {
		uint8_t *entry = p->names + at;
		size_t left = p->names_size - at - ENTRY_END;
		uint64_t size = number(entry, 4), hash;
		uint64_t end = number(entry + ENTRY_END, 8) - HEAD_SIZE;
		XXH128_canonical_t data;
		if (size < ENTRY_TABLES - ENTRY_END || size > left)
			return;
		if (end <= p->data_size) {
			XXH128_canonicalFromHash(&data,
			    XXH3_128bits(p->data, end));
			memcpy(entry + ENTRY_DATA, data.digest, 16);
		}
		hash = XXH3_64bits(entry + ENTRY_END, size);
		memcpy(entry + ENTRY_HASH, &hash, 8);
		at += ENTRY_END + size;
	}
}

/* Writes a new file, of zeros up to an offset. */
static void
put(const char *path, off_t at, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, at) != 0 ||
	    pwrite(fd, bytes, n, at) != (ssize_t)n || close(fd) != 0)
		err(2, "%s", path);
}

static void
read_profile(const struct parts *p)
{
	char dir[] = "/tmp/tach-fuzz.XXXXXX", path[64], names[128];
	struct tach_reader *r = tach_reader_new();
	int res, copy = fuzz_fd(NULL, 0);
	uint64_t digest;

	if (mkdtemp(dir) == NULL)
		err(2, "%s", dir);
	snprintf(path, sizeof(path), "%s/p", dir);
	snprintf(names, sizeof(names), "%s" TACH_NAMES_SUFFIX, path);
	put(path, HEAD_SIZE, p->data, p->data_size);
	put(names, 0, p->names, p->names_size);
	res = tach_reader_open(r, path);
	unlink(path);
	unlink(names);
	rmdir(dir);
	digest = fuzz_read(r, res, copy);
	promise(fuzz_read_again(copy) == digest);
	tach_reader_free(r);
	close(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint8_t *copy;
	struct parts p;
	unsigned size;

	if (n < 2 || (copy = malloc(n)) == NULL)
		return 0;
	memcpy(copy, bytes, n);
	size = copy[0] | (copy[1] & 0x7fu) << 8;
	p.names = copy + 2;
	p.names_size = size < n - 2 ? size : n - 2;
	p.data = p.names + p.names_size;
	p.data_size = n - 2 - p.names_size;
	if ((copy[1] & 0x80) != 0)
		make_hashes(&p);
	read_profile(&p);
	free(copy);
	return 0;
}
