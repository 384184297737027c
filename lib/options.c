/* SPDX-License-Identifier: ISC */
/* options.c: see options.h. */
#include "options.h"

#include <string.h>

static size_t
size_of(const void *from)
{
	size_t size;

	memcpy(&size, from, sizeof(size));
	return size;
}

bool
options_known(const void *from, size_t size, size_t least)
{
	const char *bytes = from;
	size_t has = size_of(from);

	if (has < least)
		return false;
	for (size_t i = size; i < has; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

bool
options_take(void *to, size_t size, const void *from)
{
	size_t has = size_of(from);
	bool known = options_known(from, size, sizeof(size));

	memset(to, 0, size);
	if (known)
		memcpy(to, from, has < size ? has : size);
	memcpy(to, &size, sizeof(size));
	return known;
}
