/* SPDX-License-Identifier: ISC */
/*
 * positions: decodes location tables for t/programs/positions.py to compare
 * with what the interpreter says.  Standard input holds one code object a
 * line: its first line, how many code units it has, and its table as hex
 * digits.  Standard output gets a line for each unit: line, end line, column
 * and end column.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "python/lines.h"

static size_t
unhex(char *text)
{
	uint8_t *out = (uint8_t *)text;
	size_t n = 0;
	unsigned byte;

	/* Two digits are read before the byte that they become is written. */
	for (; sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		out[n] = (uint8_t)byte;
	return n;
}

int
main(void)
{
	char *line = NULL, *hex;
	size_t room = 0, len;
	struct py_location l;
	int32_t first;
	int64_t units;

	while (getline(&line, &room, stdin) > 0) {
		first = (int32_t)strtol(line, &hex, 10);
		units = strtoll(hex, &hex, 10);
		hex++;
		len = unhex(hex);
		for (int64_t i = 0; i < units; i++) {
			if (!lines_find(LINES_LOCATIONS, (uint8_t *)hex, len, first, i, &l))
				puts("none");
			else
				printf("%d %d %d %d\n", l.line, l.end_line,
				    l.column, l.end_column);
		}
	}
	free(line);
	return 0;
}
