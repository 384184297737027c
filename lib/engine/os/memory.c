/* SPDX-License-Identifier: ISC */
/* memory.c: another process's memory; see os.h. */
#include "engine/os/os.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>

_Static_assert(MEMORY_PIECES <= IOV_MAX, "one call");

static struct iovec
iovec_of(uint64_t addr, size_t size)
{
	return (struct iovec){(void *)(uintptr_t)addr, size};
}

bool
memory_read(pid_t pid, const struct memory_piece *pieces, size_t n)
{
	struct iovec local[MEMORY_PIECES], remote[MEMORY_PIECES];
	ssize_t want = 0;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){pieces[i].buf, pieces[i].size};
		remote[i] = iovec_of(pieces[i].addr, pieces[i].size);
		want += (ssize_t)pieces[i].size;
	}
	return process_vm_readv(pid, local, n, remote, n, 0) == want;
}

/* The range that a short read of n bytes, from range i on, ended in. */
static size_t
range_at(const struct range *ranges, size_t count, size_t i, size_t n)
{
	while (i + 1 < count && n >= ranges[i].size)
		n -= ranges[i++].size;
	return i;
}

bool
memory_copy(pid_t pid, const struct range *ranges, size_t count, uint8_t *bytes,
    size_t *failed)
{
	struct iovec remote[IOV_MAX];

	for (size_t i = 0; i < count; i += IOV_MAX) {
		size_t k = count - i < IOV_MAX ? count - i : IOV_MAX;
		struct iovec local = {bytes, 0};
		ssize_t n;
		for (size_t j = 0; j < k; j++) {
			const struct range *r = &ranges[i + j];
			remote[j] = iovec_of(r->addr, r->size);
			local.iov_len += r->size;
		}
		n = process_vm_readv(pid, &local, 1, remote, k, 0);
		if (n != (ssize_t)local.iov_len) {
			*failed = range_at(ranges, count, i,
			    n > 0 ? (size_t)n : 0);
			if (n >= 0)
				errno = EFAULT;
			return false;
		}
		bytes += local.iov_len;
	}
	return true;
}

size_t
memory_copy_some(pid_t pid, uint64_t addr, void *buf, size_t size)
{
	struct iovec ours = {buf, size}, its = iovec_of(addr, size);
	ssize_t n = process_vm_readv(pid, &ours, 1, &its, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

bool
memory_write(pid_t pid, uint64_t addr, const void *buf, size_t size)
{
	struct iovec ours = {(void *)(uintptr_t)buf, size};
	struct iovec its = iovec_of(addr, size);

	return process_vm_writev(pid, &ours, 1, &its, 1, 0) == (ssize_t)size;
}
