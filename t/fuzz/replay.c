/* SPDX-License-Identifier: ISC */
/*
 * replay.c: gives a fuzzer the files of a folder, without libFuzzer.
 *
 *	fuzz_reader FOLDER
 */
#include <dirent.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* In memory of exactly its size, so that a read beyond it is seen. */
static void
replay(const char *folder, const char *name)
{
	static uint8_t buf[1 << 20];
	char path[4096];
	uint8_t *bytes;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if ((f = fopen(path, "re")) == NULL)
		err(2, "%s", path);
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	if ((bytes = malloc(n)) == NULL)
		err(2, NULL);
	memcpy(bytes, buf, n);
	LLVMFuzzerTestOneInput(bytes, n);
	free(bytes);
}

int
main(int argc, char *argv[])
{
	struct dirent **names;
	int n, cases = 0;

	if (argc != 2 || (n = scandir(argv[1], &names, NULL, alphasort)) < 0)
		errx(2, "usage: %s FOLDER", argv[0]);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.') {
			/* The last one is the one that it ends with. */
			puts(names[i]->d_name);
			fflush(stdout);
			replay(argv[1], names[i]->d_name);
			cases++;
		}
		free(names[i]);
	}
	free(names);
	printf("%d cases\n", cases);
	return cases == 0;
}
