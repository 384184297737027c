/* SPDX-License-Identifier: ISC */
/* threadname.c: see threadname.h. */
#include "format/threadname.h"

#include <string.h>

#include "note.h"

static bool
take_word(struct tach_string *text, const char *word)
{
	size_t n = strlen(word);

	if (text->len < n || memcmp(text->bytes, word, n) != 0)
		return false;
	*text = note_behind(*text, n);
	return true;
}

static bool
take_hex(struct tach_string *text, uint64_t *n)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *digit;
	size_t i = 0;

	*n = 0;
	for (; i < text->len && i < 16; i++) {
		digit = memchr(digits, text->bytes[i], sizeof(digits) - 1);
		if (digit == NULL)
			break;
		*n = *n << 4 | (uint64_t)((digit - digits) & 15);
	}
	*text = note_behind(*text, i);
	return i > 0;
}

static bool
take_thread_number(struct tach_string *text, uint64_t *n)
{
	if (take_word(text, "0x") || take_word(text, "0X"))
		return take_hex(text, n);
	return note_number(text, UINT64_MAX, n);
}

/* `7` or `7, interpreter 1`, and then `end`. */
static bool
take_ours(struct tach_string text, const char *end, struct threadname *t)
{
	t->interp = 0;
	if (!note_number(&text, UINT64_MAX, &t->thread))
		return false;
	if (take_word(&text, ", interpreter ") &&
	    !note_number32(&text, &t->interp))
		return false;
	return take_word(&text, end) && text.len == 0;
}

static bool
parse_ours(struct tach_string text, struct threadname *t)
{
	const char *open;

	t->name = (struct tach_string){text.bytes, 0};
	if (take_word(&text, "thread "))
		return take_ours(text, "", t);
	open = memrchr(text.bytes, '(', text.len);
	if (open == NULL || open < text.bytes + 1 || open[-1] != ' ')
		return false;
	t->name.len = (size_t)(open - 1 - text.bytes);
	return take_ours(note_behind(text, (size_t)(open + 1 - text.bytes)),
	    ")", t);
}

static bool
parse_py_spy(struct tach_string text, struct threadname *t)
{
	uint64_t process;

	t->interp = 0;
	if (take_word(&text, "Process ") &&
	    (!note_number(&text, UINT64_MAX, &process) ||
		!take_word(&text, " ")))
		return false;
	if (!take_word(&text, "Thread ") ||
	    !take_thread_number(&text, &t->thread))
		return false;
	t->name = (struct tach_string){text.bytes, 0};
	if (text.len == 0)
		return true;
	if (!take_word(&text, " \"") || text.len == 0 ||
	    text.bytes[text.len - 1] != '"')
		return false;
	t->name = (struct tach_string){text.bytes, text.len - 1};
	return true;
}

bool
threadname_parse(struct tach_string text, struct threadname *t)
{
	struct threadname found = *t;

	if (!parse_ours(text, &found) && !parse_py_spy(text, &found))
		return false;
	*t = found;
	return true;
}
