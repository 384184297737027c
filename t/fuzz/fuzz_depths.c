/* SPDX-License-Identifier: ISC */
/*
 * fuzz_depths.c: bytecode and a table of exceptions of any bytes.  The first byte is the
 * minor version, the second how many bytes the table has.  No depth may be impossible,
 * nor differ if it is found again, and no call may lie beyond its operand.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "python/depths.h"

static void
check_call(const struct py_effects *e, const uint16_t *units, size_t n, size_t unit)
{
	int places[2], count = call_places(e, units, n, (int64_t)unit, places);

	promise(count >= 0 && count <= 2);
	promise(count < 1 || (places[0] > 0 && places[0] <= INT16_MAX + 7));
	promise(count < 2 || places[1] == places[0] - 1);
	promise(operator_at(e, units, n, (int64_t)unit) <= PY_OPERATORS);
}

static void
check_depths(const struct py_effects *e, const uint16_t *units, size_t n,
    const uint8_t *table, size_t table_len)
{
	int16_t *depths = malloc(n * sizeof(*depths) + 1);
	int16_t *again = malloc(n * sizeof(*again) + 1);

	promise(depths != NULL && again != NULL);
	promise(depths_find(e, units, n, table, table_len, depths));
	promise(depths_find(e, units, n, table, table_len, again));
	promise(memcmp(depths, again, n * sizeof(*depths)) == 0);
	for (size_t i = 0; i < n; i++) {
		promise(depths[i] >= DEPTH_UNKNOWN);
		check_call(e, units, n, i);
	}
	free(depths);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct py_effects *e;
	size_t table_len;
	uint16_t *units;

	if (n < 2)
		return 0;
	promise((e = py_effects_find(6 + bytes[0] % 10)) != NULL);
	n -= 2;
	table_len = bytes[1] < n ? bytes[1] : n;
	n -= table_len;
	/* Exactly as large, for ASan. */
	promise((units = malloc(n / 2 * sizeof(*units) + 1)) != NULL);
	memcpy(units, bytes + 2 + table_len, n / 2 * sizeof(*units));
	check_depths(e, units, n / 2, bytes + 2, table_len);
	free(units);
	return 0;
}
