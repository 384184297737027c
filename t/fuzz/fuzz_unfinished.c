/* SPDX-License-Identifier: ISC */
/*
 * fuzz_unfinished.c: a profile that was not finished, and its journal, which
 * may grow while they are read.  The bytes are
 *
 *	options u8; size of the journal u16; for each of up to three steps how
 *	much it has more of the journal u16 and of the sample data u16; the
 *	journal; the sample data
 *
 * all little endian.  What the steps leave is there after them.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "fuzz.h"

#define HEAD_SIZE 64

/* The options. */
enum {
	STEPS = 0x03,	   /* how many */
	MAKE_HASHES = 0x10, /* the journal's hashes are made right */
	DATA_FIRST = 0x20, /* all sample data is there at first */
	COMPLETE = 0x40,   /* the header is written at last */
	RECORDED = 0x80,   /* a recorder is there, until then */
};

/* Where things are in an entry of the journal; see format/journal.h. */
enum { NAMES_HEAD = 8, ENTRY_HASH = 4, ENTRY_END = 12, ENTRY_DATA = 20,
	ENTRY_TABLES = 81 };

struct part {
	uint8_t *bytes;
	size_t size, there;
};

struct profile {
	struct fuzz_growth growth; /* first: grow gets its address */
	uint8_t options;
	const uint8_t *steps;
	unsigned left; /* steps */
	struct part names, data;
	char dir[32], path[64], names_path[128];
	int lock;      /* what a recorder holds; -1: none */
	bool complete; /* by now */
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
make_hashes(const struct profile *p)
{
	size_t at = NAMES_HEAD;

	while (at <= p->names.size && p->names.size - at >= ENTRY_TABLES) {
		uint8_t *entry = p->names.bytes + at;
		size_t left = p->names.size - at - ENTRY_END;
		uint64_t size = number(entry, 4), hash;
		uint64_t end = number(entry + ENTRY_END, 8) - HEAD_SIZE;
		XXH128_canonical_t data;
		if (size < ENTRY_TABLES - ENTRY_END || size > left)
			return;
		if (end <= p->data.size) {
			XXH128_canonicalFromHash(&data,
			    XXH3_128bits(p->data.bytes, end));
			memcpy(entry + ENTRY_DATA, data.digest, 16);
		}
		hash = XXH3_64bits(entry + ENTRY_END, size);
		memcpy(entry + ENTRY_HASH, &hash, 8);
		at += ENTRY_END + size;
	}
}

/* ---- a profile that grows ------------------------------------------------ */

/* Writes to a file from an offset on; what is before it is zeros. */
static void
put(const char *path, off_t at, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite(fd, bytes, n, at) != (ssize_t)n || close(fd) != 0)
		err(2, "%s", path);
}

static void
put_more(const char *path, off_t from, struct part *p, size_t n)
{
	n = n < p->size - p->there ? n : p->size - p->there;
	put(path, from + (off_t)p->there, p->bytes + p->there, n);
	p->there += n;
}

/* The samples come first, as a recorder writes them. */
static void
put_step(struct profile *p, size_t names, size_t data)
{
	put_more(p->path, HEAD_SIZE, &p->data, data);
	put_more(p->names_path, 0, &p->names, names);
}

/* What a recorder does at last. */
static void
complete(struct profile *p)
{
	static const uint8_t head[HEAD_SIZE] = {'H', 'C', 'A', 'T'};

	put(p->path, 0, head, sizeof(head));
	if (p->lock >= 0)
		close(p->lock);
	p->lock = -1;
	p->complete = true;
}

static bool
all_there(const struct profile *p)
{
	return p->data.there == p->data.size && p->names.there == p->names.size;
}

static bool
grow(struct fuzz_growth *growth)
{
	struct profile *p = (struct profile *)growth;
	bool more = !all_there(p);

	if (p->left > 0) {
		put_step(p, number(p->steps, 2), number(p->steps + 2, 2));
		p->steps += 4;
		p->left--;
	} else if (more) {
		put_step(p, SIZE_MAX, SIZE_MAX);
	} else if ((p->options & COMPLETE) != 0 && !p->complete) {
		complete(p);
		more = true;
	}
	return more;
}

/* ---- reading it ---------------------------------------------------------- */

/* The lock is one that this process's own readers see. */
static void
lock(struct profile *p)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	p->lock = open(p->path, O_RDWR | O_CLOEXEC);
	promise(fcntl(p->lock, F_OFD_SETLK, &all) == 0);
}

/* Makes the files as they are at first. */
static void
begin(struct profile *p)
{
	strcpy(p->dir, "/tmp/tach-fuzz.XXXXXX");
	if (mkdtemp(p->dir) == NULL)
		err(2, "%s", p->dir);
	snprintf(p->path, sizeof(p->path), "%s/p", p->dir);
	snprintf(p->names_path, sizeof(p->names_path), "%s" TACH_JOURNAL_SUFFIX,
	    p->path);
	put(p->path, 0, (const uint8_t[HEAD_SIZE]){0}, HEAD_SIZE);
	if ((p->options & DATA_FIRST) != 0)
		put_step(p, 0, SIZE_MAX);
	if (p->left > 0)
		grow(&p->growth);
	else
		put_step(p, SIZE_MAX, SIZE_MAX);
	if ((p->options & RECORDED) != 0)
		lock(p);
}

static void
end(struct profile *p)
{
	if (p->lock >= 0)
		close(p->lock);
	unlink(p->path);
	unlink(p->names_path);
	rmdir(p->dir);
}

/* Gives the number of what was read, and how that ended. */
static uint64_t
read_profile(struct profile p, int *res)
{
	struct tach_reader *r = tach_reader_new();
	int copy = fuzz_fd(NULL, 0);
	uint64_t digest;

	begin(&p);
	*res = tach_reader_open(r, p.path);
	digest = fuzz_read_on(r, *res, copy, &p.growth);
	*res = p.growth.res;
	promise(fuzz_read_again(copy) == digest);
	if (*res == TACH_END)
		promise(tach_reader_info(r)->unfinished == !p.complete);
	tach_reader_free(r);
	close(copy);
	end(&p);
	return digest;
}

/* What was read piece by piece is what is read at once. */
static void
compare(const struct profile *p)
{
	struct profile whole = *p;
	int res, whole_res;
	uint64_t digest = read_profile(*p, &res);

	if (p->left == 0 || (p->options & DATA_FIRST) == 0 || res != TACH_END)
		return;
	whole.options = 0;
	whole.left = 0;
	promise(read_profile(whole, &whole_res) == digest);
	promise(whole_res == TACH_END);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct profile p = {.growth = {.grow = grow}, .lock = -1};
	size_t head;
	uint8_t *copy;

	if (n < 3 || n < (head = 3 + (bytes[0] & STEPS) * 4u))
		return 0;
	copy = malloc(n);
	promise(copy != NULL);
	memcpy(copy, bytes, n);
	p.options = copy[0];
	p.left = copy[0] & STEPS;
	p.steps = copy + 3;
	p.names = (struct part){copy + head, number(copy + 1, 2), 0};
	if (p.names.size > n - head)
		p.names.size = n - head;
	p.data = (struct part){p.names.bytes + p.names.size,
	    n - head - p.names.size, 0};
	if ((p.options & MAKE_HASHES) != 0)
		make_hashes(&p);
	compare(&p);
	free(copy);
	return 0;
}
