/* SPDX-License-Identifier: ISC */
/* name.c: names of threads. */
#include "out/out.h"
#include "utf8.h"

const char *
out_thread_name(struct buf *b, const struct tach_table *table, uint32_t interp,
    uint64_t thread)
{
	struct tach_string name;
	bool named = tach_table_thread_name(table, interp, thread, &name);

	b->len = 0;
	if (named)
		utf8_add(b, name.bytes, strnlen(name.bytes, name.len));
	buf_add_text(b, named ? " (" : "thread ");
	buf_add_number(b, thread);
	if (interp != 0) {
		buf_add_text(b, ", interpreter ");
		buf_add_number(b, interp);
	}
	buf_add_text(b, named ? ")" : "");
	buf_add_char(b, '\0');
	return b->failed ? "" : b->text;
}
