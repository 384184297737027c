/* SPDX-License-Identifier: ISC */
/*
 * fuzz_symbols.c: an ELF file of any bytes, whose functions are named: relocations,
 * CPython's tables, symbols, a packed debug file.  Whoever records its process is root
 * mostly.  Nothing that it says may lead out of it, or cost more than it is large; a
 * name must be valid, and the same the next time.  A function is there for every 16
 * bytes.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "native/lines.h"
#include "native/symbols.h"
#include "utf8.h"

#define LOOKS 64
#define FUNCTION_SIZE 16 /* bytes */

static bool
function_of(void *arg, uint64_t addr, uint64_t *start, uint64_t *end)
{
	(void)arg;
	*start = addr & ~(uint64_t)(FUNCTION_SIZE - 1);
	*end = *start + FUNCTION_SIZE;
	return *end > *start;
}

static void
check_name(const struct native_symbol *s)
{
	size_t len = strlen(s->name), n;
	uint32_t code;

	promise(len > 0);
	promise(s->source <= SYMBOL_NAMELESS);
	for (size_t i = 0; i < len; i += n)
		promise((n = utf8_decode(s->name + i, len - i, &code)) > 0);
}

static void
find(struct native_symbols *s, uint64_t addr)
{
	struct native_symbol found, again;
	char name[16384];

	if (!native_symbols_find(s, addr, &found))
		return;
	check_name(&found);
	promise(strlen(found.name) < sizeof(name));
	memcpy(name, found.name, strlen(found.name) + 1);
	promise(native_symbols_find(s, addr, &again));
	promise(again.start == found.start && again.source == found.source);
	promise(strcmp(again.name, name) == 0);
}

/* Addresses of the file: low ones, and such as it has words of. */
static void
find_some(struct native_symbols *s, const uint8_t *bytes, size_t n)
{
	uint64_t addr;

	for (uint64_t i = 0; i < LOOKS; i++)
		find(s, i * 16 + i % 3);
	for (size_t at = 0; at + 8 <= n && at < (size_t)LOOKS * 64; at += 8) {
		memcpy(&addr, bytes + at, sizeof(addr));
		find(s, addr);
	}
	find(s, UINT64_MAX);
}

static void
find_lines(const struct native_module *m)
{
	int fd = native_lines_file(m);
	struct native_lines *l = fd >= 0 ? native_lines_open(fd) : NULL;
	struct native_line line;

	for (uint64_t i = 0; l != NULL && i < (uint64_t)2 * LOOKS; i++)
		if (native_lines_find(l, i * 64, &line))
			promise(line.line > 0 && line.file != NULL);
	native_lines_close(l);
	if (fd >= 0)
		close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct native_module m = {.path = "/lib/fuzz.so", .root = -1,
	    .function_of = function_of};
	struct native_symbols *s;

	m.fd = fuzz_fd(bytes, n);
	if ((s = native_symbols_open(&m)) != NULL)
		find_some(s, bytes, n);
	promise(s == NULL || native_symbols_memory(s) < ((size_t)1 << 28));
	native_symbols_close(s);
	find_lines(&m);
	close(m.fd);
	return 0;
}
