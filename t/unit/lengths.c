/* SPDX-License-Identifier: ISC */
/*
 * lengths.c: reads instructions of x86-64, a line each in hexadecimal, and prints those that
 * instruction_take knows by another length, with that (0: it is none), and their number of
 * all.  Exits with 1 if there are any.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/instruction.h"

/* The bytes of a line; those behind them are 0. */
static unsigned
bytes_of(const char *line, uint8_t bytes[2 * INSTRUCTION_MAX])
{
	unsigned n = 0;

	memset(bytes, 0, 2 * INSTRUCTION_MAX);
	while (n < INSTRUCTION_MAX && isxdigit((unsigned char)line[2 * n]) &&
	    isxdigit((unsigned char)line[2 * n + 1])) {
		const char digits[] = {line[2 * n], line[2 * n + 1], '\0'};
		bytes[n++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

int
main(void)
{
	char line[256];
	uint8_t bytes[2 * INSTRUCTION_MAX];
	unsigned long all = 0, wrong = 0;

	for (; fgets(line, sizeof(line), stdin) != NULL; all++) {
		struct instruction x;
		unsigned n = bytes_of(line, bytes);
		unsigned len = instruction_take(&x, bytes) ? x.len : 0;
		if (len == n)
			continue;
		wrong++;
		printf("%u: %s", len, line);
	}
	printf("%lu of %lu\n", wrong, all);
	return wrong != 0 || all == 0;
}
