/* SPDX-License-Identifier: ISC */
/* unicode.c: see unicode.h. */
#include "python/unicode.h"

#include "python/memory.h"
#include "python/same.h"

bool
unicode_text(const struct py_offsets *o, uint64_t addr, const uint8_t *head,
    struct py_text *t)
{
	uint32_t state = load_u32(head + o->unicode_state) >> o->kind_shift;
	bool compact = state >> PY_STR_COMPACT & 1;
	bool ascii = state >> PY_STR_ASCII & 1;

	t->kind = state & PY_STR_KIND;
	t->length = load_u64(head + o->unicode_length);
	t->indirect = !compact; /* an instance of a subclass of str */
	t->addr = addr + (compact && ascii ? o->unicode_ascii_size :
					     o->unicode_compact_size);
	return (t->kind == 1 || t->kind == 2 || t->kind == 4) &&
	    t->length <= INT64_MAX / UTF8_MAX;
}

static uint32_t
code_point(const uint8_t *text, size_t i, unsigned kind)
{
	uint16_t two;

	if (kind == 1)
		return text[i];
	if (kind == 4)
		return load_u32(text + i * 4);
	memcpy(&two, text + i * 2, sizeof(two));
	return two;
}

static size_t
put(uint32_t c, char *out)
{
	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t
unicode_utf8(const uint8_t *text, size_t length, unsigned kind, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += put(code_point(text, i, kind), out + n);
	return n;
}
