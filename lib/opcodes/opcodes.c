/* SPDX-License-Identifier: ISC */
/* opcodes.c: what opcodes are called; see tach.h and opcodes.h. */
#include "opcodes/opcodes.h"

#include <string.h>

static const char *const *
names_of(const struct tach_meta *meta)
{
	const struct opcode_names *const *l = opcodes_lists;

	while (*l != NULL && (*l)->minor != meta->python[1])
		l++;
	return meta->python[0] == 3 && *l != NULL ? (*l)->names : NULL;
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
