/* SPDX-License-Identifier: ISC */
/*
 * fuzz_elf.c: a file of any bytes that a process has mapped as its program or a
 * library.  It is read by whoever records the process, root mostly: nothing
 * that it says may lead out of it, cost more than it is large, or be told
 * otherwise the next time.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "native/elf.h"

/* What the recorder looks for, and the sizes that it believes. */
static void
find_section(int fd, const char *name, uint64_t size)
{
	uint64_t addr = 0, base = 0, addr_again = 0, base_again = 0;
	bool found = elf_find_section(fd, name, size, &addr, &base);

	promise(elf_find_section(fd, name, size, &addr_again, &base_again) ==
	    found);
	promise(!found || (addr == addr_again && base == base_again));
}

static void
find_python(int fd)
{
	struct elf_python p, again;
	bool found;

	memset(&p, 0xa5, sizeof(p));
	memset(&again, 0x5a, sizeof(again));
	found = elf_find_python(fd, &p);
	promise(elf_find_python(fd, &again) == found);
	promise(p.runtime == again.runtime && p.version == again.version);
	promise(p.head == again.head && p.current == again.current);
	promise(p.data == again.data && p.data_size == again.data_size);
	promise(p.base == again.base && p.foreign == again.foreign);
	promise(found || (p.runtime == 0 && p.version == 0 && p.head == 0));
	promise(p.base % 4096 == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	int fd = fuzz_fd(bytes, n);

	find_python(fd);
	find_section(fd, ".AsyncioDebug", 96);
	find_section(fd, ".PyRuntime", 64);
	close(fd);
	return 0;
}
