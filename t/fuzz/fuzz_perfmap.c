/* SPDX-License-Identifier: ISC */
/*
 * fuzz_perfmap.c: a perf map of any bytes, which a process may write as it likes while
 * it is recorded.  The first byte says how much of it is there at first.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "native/perfmap.h"
#include "utf8.h"

static const uint64_t addrs[] = {0, 1, 0xf, 0x1000, 0x1008, 0x2000, 0x6008,
	0x7ffb6f8c97b2, UINT64_MAX / 2, UINT64_MAX};
#define ADDRS (sizeof(addrs) / sizeof(*addrs))

static void
find_all(struct perfmap *m)
{
	struct perfmap_name name;
	uint32_t code;

	for (size_t i = 0; i < ADDRS; i++) {
		size_t len, n;
		if (!perfmap_find(m, addrs[i], &name))
			continue;
		promise(name.start <= addrs[i] && addrs[i] < name.end);
		promise((len = strlen(name.text)) > 0);
		promise(name.trampoline == (strncmp(name.text, "py::", 4) == 0));
		for (size_t at = 0; at < len; at += n)
			promise((n = utf8_decode(name.text + at, len - at,
			    &code)) > 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char folder[] = "/tmp/tach-fuzz.XXXXXX";
	size_t first = n > 0 ? (n - 1) * bytes[0] / 255 : 0;
	struct perfmap *m;
	int root, fd;

	if (n == 0)
		return 0;
	promise(mkdtemp(folder) != NULL);
	promise((root = open(folder, O_PATH | O_CLOEXEC)) >= 0);
	promise(mkdirat(root, "tmp", 0700) == 0);
	fd = openat(root, "tmp/perf-7.map", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	promise(fd >= 0 && write(fd, bytes + 1, first) == (ssize_t)first);
	promise((m = perfmap_open(root, 7)) != NULL);
	find_all(m);
	promise(write(fd, bytes + 1 + first, n - 1 - first) ==
	    (ssize_t)(n - 1 - first));
	find_all(m);
	promise(perfmap_memory(m) <= 4096 + n * 24);
	perfmap_close(m);
	close(fd);
	unlinkat(root, "tmp/perf-7.map", 0);
	unlinkat(root, "tmp", AT_REMOVEDIR);
	close(root);
	rmdir(folder);
	return 0;
}
