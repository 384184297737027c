/* SPDX-License-Identifier: ISC */
/* memory.c: another process's memory; see os.h. */
#include "engine/os/os.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>

static struct iovec
iovec_of(uint64_t addr, size_t size)
{
	return (struct iovec){(void *)(uintptr_t)addr, size};
}

static size_t
at_most(size_t n)
{
	return n < IOV_MAX ? n : IOV_MAX;
}

bool
memory_read(pid_t pid, const struct memory_piece *pieces, size_t n)
{
	struct iovec local[IOV_MAX], remote[IOV_MAX];

	for (size_t done = 0; done < n;) {
		size_t k = at_most(n - done);
		ssize_t want = 0;
		for (size_t i = 0; i < k; i++) {
			const struct memory_piece *p = &pieces[done + i];
			local[i] = (struct iovec){p->buf, p->size};
			remote[i] = iovec_of(p->addr, p->size);
			want += (ssize_t)p->size;
		}
		if (process_vm_readv(pid, local, k, remote, k, 0) != want)
			return false;
		done += k;
	}
	return true;
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
		size_t k = at_most(count - i);
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

bool
memory_write(pid_t pid, uint64_t addr, const void *buf, size_t size)
{
	struct iovec ours = {(void *)(uintptr_t)buf, size};
	struct iovec its = iovec_of(addr, size);

	return process_vm_writev(pid, &ours, 1, &its, 1, 0) == (ssize_t)size;
}
