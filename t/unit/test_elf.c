/* SPDX-License-Identifier: ISC */
/*
 * test_elf.c: an ELF file that is cut at any moment, and at any place, is no
 * Python; it never ends who reads it.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "native/elf.h"

#define SECONDS 0.5
#define CUTS 400
#define PATIENCE 30 /* s of CPU time: it takes one, not hours */

/* It has what is looked for in a Python. */
uint64_t Py_Version = 1;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *
read_self(size_t *size)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	char *bytes;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		err(2, "/proc/self/exe");
	*size = (size_t)ftell(f);
	rewind(f);
	if ((bytes = malloc(*size)) == NULL ||
	    fread(bytes, 1, *size, f) != *size)
		err(2, "/proc/self/exe");
	fclose(f);
	return bytes;
}

static void
fill(int fd, const char *bytes, size_t size)
{
	if (ftruncate(fd, 0) != 0 ||
	    pwrite(fd, bytes, size, 0) != (ssize_t)size)
		err(2, "pwrite");
}

static void
check_cuts(int fd, const char *bytes, size_t size)
{
	struct elf_python p;
	bool foreign;

	fill(fd, bytes, size);
	/* Of a machine whose processes cannot be recorded, no more is known. */
	if (!elf_find_python(fd, &p) || (p.version == 0 && !p.foreign))
		errx(1, "the whole file: not found");
	foreign = p.foreign;
	for (size_t i = 0; i < CUTS; i++) {
		fill(fd, bytes, size * i / CUTS);
		if (elf_find_python(fd, &p) && p.foreign != foreign)
			errx(1, "cut: of another machine");
	}
}

/* Another process cuts it while it is read. */
static void
check_race(int fd, const char *bytes, size_t size)
{
	double end = now() + SECONDS;
	struct elf_python p;
	size_t found = 0, lost = 0;
	pid_t pid = fork();

	while (pid == 0 && now() < end + SECONDS) {
		fill(fd, bytes, size);
		usleep(50);
	}
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		err(2, "fork");
	while (now() < end)
		if (elf_find_python(fd, &p) && p.version != 0)
			found++;
		else
			lost++;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("%zu found, %zu not\n", found, lost);
}

/*
 * Many tables of symbols at one place, whose names are one long one: what costs
 * far more than the file is large: 60,000 times 4 MB, each name to its end.
 */
static void
check_cost(int fd)
{
	const size_t table = 0x400000, text = 0x800000, size = 0x400000;
	const size_t symbols = size / sizeof(Elf64_Sym);
	Elf64_Sym symbol = {.st_shndx = 1};
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
	    ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
	    .e_machine = ELF_MACHINE, .e_version = EV_CURRENT, .e_shoff = 64,
	    .e_ehsize = sizeof(h), .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = 60000, .e_shstrndx = 1};
	Elf64_Shdr s = {.sh_type = SHT_SYMTAB, .sh_offset = table,
	    .sh_size = symbols * sizeof(symbol), .sh_link = 1,
	    .sh_entsize = sizeof(symbol)};
	Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_offset = text,
	    .sh_size = size};
	struct elf_python p;
	uint64_t addr, base;
	char *bytes = calloc(1, text + size);
	clock_t begin;

	if (bytes == NULL)
		err(2, NULL);
	memcpy(bytes, &h, sizeof(h));
	for (size_t i = 0; i < h.e_shnum; i++)
		memcpy(bytes + 64 + i * sizeof(s), i == 1 ? &names : &s,
		    sizeof(s));
	for (size_t i = 0; i < symbols; i++)
		memcpy(bytes + table + i * sizeof(symbol), &symbol,
		    sizeof(symbol));
	memset(bytes + text, 'a', size - 1);
	fill(fd, bytes, text + size);
	begin = clock();
	if (elf_find_python(fd, &p) && p.version != 0)
		errx(1, "many tables: found");
	if (elf_find_section(fd, ".none", 1, &addr, &base))
		errx(1, "many tables: a section was found");
	if ((clock() - begin) / CLOCKS_PER_SEC > PATIENCE)
		errx(1, "many tables: more than %d s", PATIENCE);
	/* So many sections that another place counts them. */
	h.e_shnum = 0;
	memcpy(bytes, &h, sizeof(h));
	fill(fd, bytes, text + size);
	if (elf_find_python(fd, &p))
		errx(1, "sections that are counted elsewhere");
	free(bytes);
}

int
main(void)
{
	char path[] = "/tmp/tach.XXXXXX";
	int fd = mkstemp(path);
	size_t size;
	char *bytes = read_self(&size);

	if (fd < 0)
		err(2, "%s", path);
	unlink(path);
	check_cost(fd);
	check_cuts(fd, bytes, size);
	check_race(fd, bytes, size);
	free(bytes);
	close(fd);
	return 0;
}
