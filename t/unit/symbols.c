/* SPDX-License-Identifier: ISC */
/*
 * symbols.c: the names of functions of an ELF file, as libtach-record finds them.
 *
 *	symbols FILE [ROOT]		each function of .eh_frame: ADDR START SOURCE NAME
 *	symbols -a FILE [ROOT] <ADDRS	the same of addresses, as in the file; on stderr
 *					what that cost
 *	symbols -l FILE [ROOT] <ADDRS	ADDR FILE:LINE of addresses
 *	symbols -v			the same of the vdso of this process
 *	symbols -c FILE [ROOT]		the cost: ms, KiB, and how many of each source
 *	symbols -d <NAMES		names that are demangled, or as they are
 *	symbols -p PID [ROOT] <ADDRS	ADDR NAME by a perf map; trampolines are marked
 *	symbols -f			the libraries that this build has
 *
 * ROOT is where debug files of the file's system lie; FILE is then its path there.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fdes.h"
#include "native/demangle.h"
#include "native/lines.h"
#include "native/perfmap.h"
#include "native/symbols.h"

#define VDSO_SIZE 8192 /* bytes: the ELF file is in its first pages */

static const char *const sources[] = {"symtab", "debug", "minidebug", "dynsym",
	"python", "nameless"};

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The root is open until the program ends. */
static struct native_module
open_module(const char *path, const char *root, struct fdes *functions)
{
	char whole[4096];
	struct stat st;
	void *bytes;
	struct native_module m = {.path = path, .root = -1,
	    .function_of = fdes_function, .arg = functions};

	snprintf(whole, sizeof(whole), "%s%s", root != NULL ? root : "", path);
	if ((m.fd = open(whole, O_RDONLY | O_CLOEXEC)) < 0 || fstat(m.fd, &st) != 0)
		err(2, "%s", whole);
	if (root != NULL && (m.root = open(root, O_PATH | O_CLOEXEC)) < 0)
		err(2, "%s", root);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, m.fd, 0);
	if (bytes == MAP_FAILED)
		err(2, "%s", whole);
	fdes_read(functions, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	return m;
}

static void
show(struct native_symbols *s, uint64_t addr)
{
	struct native_symbol found;

	if (native_symbols_find(s, addr, &found))
		printf("%" PRIx64 " %" PRIx64 " %s %s\n", addr, found.start,
		    sources[found.source], found.name);
	else
		printf("%" PRIx64 " - - -\n", addr);
}

static bool
next_addr(uint64_t *addr)
{
	return scanf("%" SCNx64, addr) == 1;
}

/* What the names of some addresses have cost. */
static void
tell_cost(const struct native_symbols *s, double begin)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%.1f ms, %zu KiB, peak %ld KiB\n", now_ms() - begin,
	    native_symbols_memory(s) / 1024, usage.ru_maxrss);
}

static void
show_cost(struct native_symbols *s, const struct fdes *functions)
{
	size_t counts[sizeof(sources) / sizeof(*sources)] = {0};
	double begin = now_ms(), first;
	struct native_symbol found;

	/* A function without a symbol needs all tables. */
	for (size_t i = 0; i < functions->count; i++)
		if (native_symbols_find(s, functions->list[i].start, &found) &&
		    found.source >= SYMBOL_PYTHON)
			break;
	first = now_ms();
	for (size_t i = 0; i < functions->count; i++)
		if (native_symbols_find(s, functions->list[i].start, &found))
			counts[found.source]++;
	printf("functions=%zu load_ms=%.2f find_us=%.2f KiB=%zu", functions->count,
	    first - begin, functions->count > 0 ? (now_ms() - first) * 1e3 /
	    (double)functions->count : 0, native_symbols_memory(s) / 1024);
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		printf(" %s=%zu", sources[i], counts[i]);
	printf("\n");
}

static void
show_lines(const struct native_module *m)
{
	int fd = native_lines_file(m);
	struct native_lines *l = fd >= 0 ? native_lines_open(fd) : NULL;
	struct native_line line;
	uint64_t addr;

	while (next_addr(&addr))
		if (l != NULL && native_lines_find(l, addr, &line))
			printf("%" PRIx64 " %s:%d\n", addr, line.file, line.line);
		else
			printf("%" PRIx64 " ??:0\n", addr);
	native_lines_close(l);
	if (fd >= 0)
		close(fd);
}

static void
show_vdso(void)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	void *at = (void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct native_module m = {.fd = -1, .bytes = at, .size = VDSO_SIZE,
	    .path = "[vdso]", .root = -1, .function_of = fdes_function};
	struct fdes functions;
	struct native_symbols *s;

	fdes_read(&functions, at, VDSO_SIZE);
	m.arg = &functions;
	if ((s = native_symbols_open(&m)) == NULL)
		errx(1, "[vdso]: no names");
	for (size_t i = 0; i < functions.count; i++)
		show(s, functions.list[i].start);
	native_symbols_close(s);
	free(functions.list);
}

static void
show_demangled(void)
{
	char line[8192], text[8192];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		puts(demangle(line, text, sizeof(text)) ? text : line);
	}
}

static void
show_features(void)
{
#ifdef HAVE_IBERTY
	puts("iberty");
#endif
#ifdef HAVE_DW
	puts("dw");
#endif
#ifdef HAVE_LZMA
	puts("lzma");
#endif
}

static void
show_perfmap(const char *pid, const char *root)
{
	int folder = root != NULL ? open(root, O_PATH | O_CLOEXEC) : -1;
	struct perfmap *m = perfmap_open(folder, atoi(pid));
	struct perfmap_name name;
	uint64_t addr;

	if (m == NULL)
		errx(1, "no perf map of %s", pid);
	while (next_addr(&addr)) {
		if (perfmap_find(m, addr, &name))
			printf("%" PRIx64 " %" PRIx64 "-%" PRIx64 "%s %s\n", addr,
			    name.start, name.end, name.trampoline ? " *" : "",
			    name.text);
		else
			printf("%" PRIx64 " -\n", addr);
		fflush(stdout);
	}
	fprintf(stderr, "%zu bytes\n", perfmap_memory(m));
	perfmap_close(m);
	if (folder >= 0)
		close(folder);
}

static void
show_module(char how, const char *path, const char *root)
{
	struct fdes functions;
	struct native_module m = open_module(path, root, &functions);
	struct native_symbols *s = native_symbols_open(&m);
	uint64_t addr;
	double begin;

	if (s == NULL)
		errx(1, "%s: no names", path);
	if (how == 'l')
		show_lines(&m);
	else if (how == 'c')
		show_cost(s, &functions);
	else if (how == 'a') {
		begin = now_ms();
		while (next_addr(&addr))
			show(s, addr);
		tell_cost(s, begin);
	} else
		for (size_t i = 0; i < functions.count; i++)
			show(s, functions.list[i].start);
	native_symbols_close(s);
	free(functions.list);
	close(m.fd);
	if (m.root >= 0)
		close(m.root);
}

int
main(int argc, char *argv[])
{
	char how = '\0';

	if (argc > 1 && argv[1][0] == '-') {
		how = argv[1][1];
		argv++, argc--;
	}
	if (how == 'v')
		show_vdso();
	else if (how == 'd')
		show_demangled();
	else if (how == 'f')
		show_features();
	else if (argc < 2)
		errx(2, "usage: symbols [-a | -c | -l] FILE [ROOT]");
	else if (how == 'p')
		show_perfmap(argv[1], argc > 2 ? argv[2] : NULL);
	else
		show_module(how, argv[1], argc > 2 ? argv[2] : NULL);
	return fflush(stdout) != 0;
}
