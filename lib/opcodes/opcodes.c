/* SPDX-License-Identifier: ISC */
/* opcodes.c: what opcodes are called; see tach.h and opcodes.h. */
#include "opcodes/opcodes.h"

#include <string.h>

/* By the minor version of Python 3. */
static const char *const *const names[] = {
    [6] = opcodes_3_6,
    [7] = opcodes_3_7,
    [8] = opcodes_3_8,
    [9] = opcodes_3_9,
    [10] = opcodes_3_10,
    [11] = opcodes_3_11,
    [12] = opcodes_3_12,
    [13] = opcodes_3_13,
    [14] = opcodes_3_14,
    [15] = opcodes_3_15,
};

static const char *const *
names_of(const struct tach_meta *meta)
{
	size_t minor = meta->python[1];

	if (meta->python[0] != 3 || minor >= sizeof(names) / sizeof(*names))
		return NULL;
	return names[minor];
}

const char *
tach_opcode_name(const struct tach_meta *meta, uint8_t opcode)
{
	const char *const *list = names_of(meta);

	return list != NULL ? list[opcode] : NULL;
}

int
opcodes_find(const struct tach_meta *meta, const char *name, size_t len)
{
	const char *const *list = names_of(meta);

	for (int i = 0; list != NULL && i < OPCODES; i++)
		if (list[i] != NULL && strlen(list[i]) == len &&
		    memcmp(list[i], name, len) == 0)
			return i;
	return -1;
}
