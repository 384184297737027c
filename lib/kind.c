/* SPDX-License-Identifier: ISC */
/* kind.c: see kind.h. */
#include "kind.h"

#include <string.h>

static bool
spells(struct tach_string s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.bytes, text, s.len) == 0;
}

static bool
begins_with(struct tach_string s, const char *text)
{
	return s.len >= strlen(text) && memcmp(s.bytes, text, strlen(text)) == 0;
}

#define NAME_LONGEST 255 /* bytes; a string of a hostile file can have megabytes */

/* The name behind the last slash of a path, or the end of a longer name. */
static struct tach_string
last_name(struct tach_string path)
{
	size_t n = path.len < NAME_LONGEST ? path.len : NAME_LONGEST;
	const char *end = path.bytes + path.len;
	const char *slash = n > 0 ? memrchr(end - n, '/', n) : NULL;

	return slash != NULL ?
	    (struct tach_string){slash + 1, (size_t)(end - slash - 1)} :
	    (struct tach_string){end - n, n};
}

/* Whether a name has a suffix, which a dot or a space may follow: "libc.so.6". */
static bool
has_suffix(struct tach_string name, const char *suffix)
{
	size_t n = strlen(suffix);

	for (size_t i = 1; i + n <= name.len; i++)
		if (memcmp(name.bytes + i, suffix, n) == 0 && (i + n == name.len ||
			name.bytes[i + n] == '.' || name.bytes[i + n] == ' '))
			return true;
	return false;
}

static bool
is_source(struct tach_string name)
{
	static const char *const suffixes[] = {".py", ".pyc", ".pyw", ".pyx", ".pyi"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (has_suffix(name, suffixes[i]))
			return true;
	return false;
}

/* A module by its path, or by the name that perf and py-spy have for it. */
static bool
is_module(struct tach_string file)
{
	struct tach_string name = last_name(file);

	if (is_source(name))
		return false;
	return file.bytes[0] == '/' || has_suffix(name, ".so");
}

/* A name in square brackets is one of the kernel's modules, or memory that it has
 * mapped. */
static enum frame_kind
kind_in_brackets(struct tach_string file)
{
	static const char *const mapped[] = {"[vdso]", "[vsyscall]", "[heap]", "[stack]"};

	for (size_t i = 0; i < sizeof(mapped) / sizeof(*mapped); i++)
		if (spells(file, mapped[i]))
			return KIND_NATIVE;
	return KIND_KERNEL;
}

/* perf has addresses of which no module is known. */
static enum frame_kind
kind_without_file(struct tach_string func)
{
	if (spells(func, "<GC>"))
		return KIND_GC;
	return begins_with(func, "<native") || begins_with(func, "0x") ? KIND_NATIVE :
									 KIND_MARK;
}

enum frame_kind
kind_of_frame(struct tach_string file, struct tach_string func, int32_t line)
{
	if (line > 0 || file.len == 0)
		return KIND_SOURCE;
	switch (file.bytes[0]) {
	case '~':
		return file_is_none(file) ? kind_without_file(func) : KIND_SOURCE;
	case '[':
		return file.bytes[file.len - 1] == ']' ? kind_in_brackets(file) :
							 KIND_SOURCE;
	case '<':
		break;
	default:
		if (spells(file, "kernel")) /* of austin */
			return KIND_KERNEL;
		return is_module(file) ? KIND_NATIVE : KIND_SOURCE;
	}
	if (spells(file, CALLEE_FILE))
		return KIND_CALLEE;
	if (spells(file, WAIT_FILE))
		return KIND_WAIT;
	if (spells(file, TASK_FILE))
		return KIND_TASK;
	return begins_with(file, "<native") || spells(file, "<jit>") ? KIND_NATIVE :
									KIND_SOURCE;
}
