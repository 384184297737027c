/* SPDX-License-Identifier: ISC */
/*
 * kind.h: the kinds of frames.  A frame of Python has the file of its source.  The other
 * ones have a word in angle brackets, a module's path, source of another language or no
 * file: by it their kind is known, in profiles of other programs, too.
 */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>
#include <string.h>

#include "tach.h"

#define CALLEE_FILE "<built-in>" /* a function of C that a frame of Python calls */
#define WAIT_FILE "<wait>"	 /* the reason why a thread waits */
#define KERNEL_FILE "[kernel]"	 /* a function of the kernel */
#define TASK_FILE "<task>"	 /* a task of asyncio */
#define NO_FILE "~"		 /* <GC>, <native> and other marks */

/* One digit each: flamegraph.html knows them by number. */
enum frame_kind {
	KIND_SOURCE, /* code of a source file: of Python, mostly */
	KIND_CALLEE, /* a function of C, by the object that Python calls */
	KIND_NATIVE, /* a function of a module, by its instructions, with the module as
		      * its file or a line of source; or <native> */
	KIND_KERNEL,
	KIND_WAIT,
	KIND_GC,
	KIND_TASK,
	KIND_MARK, /* another frame without a file */
	KINDS,
};

/* Whether a frame has no file. */
static inline bool
file_is_none(struct tach_string file)
{
	return file.len == 1 && *file.bytes == *NO_FILE;
}

/* Whether a frame of this kind is C code, or a reason to wait. */
static inline bool
kind_is_c(enum frame_kind kind)
{
	return kind >= KIND_CALLEE && kind <= KIND_WAIT;
}

/* Whether views of source lines count a frame with the line that has led to it, mostly
 * of Python: it has no line of its own. */
static inline bool
kind_has_caller(enum frame_kind kind, int32_t line)
{
	return kind_is_c(kind) && line <= 0;
}

/* ---- telling it --------------------------------------------------------- */

#define KIND_NAME_LONGEST 255 /* bytes; a string of a hostile file can have megabytes */

static inline bool
kind_spells(struct tach_string s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.bytes, text, s.len) == 0;
}

static inline bool
kind_begins(struct tach_string s, const char *text)
{
	return s.len >= strlen(text) && memcmp(s.bytes, text, strlen(text)) == 0;
}

/* The name behind the last slash of a path, or the end of a longer name. */
static inline struct tach_string
kind_last_name(struct tach_string path)
{
	size_t n = path.len < KIND_NAME_LONGEST ? path.len : KIND_NAME_LONGEST;
	const char *end = path.bytes + path.len;
	const char *slash = n > 0 ? memrchr(end - n, '/', n) : NULL;

	return slash != NULL ?
	    (struct tach_string){slash + 1, (size_t)(end - slash - 1)} :
	    (struct tach_string){end - n, n};
}

/* Whether a name has a suffix, which a dot or a space may follow: "libc.so.6". */
static inline bool
kind_has_suffix(struct tach_string name, const char *suffix)
{
	size_t n = strlen(suffix);

	for (size_t i = 1; i + n <= name.len; i++)
		if (memcmp(name.bytes + i, suffix, n) == 0 && (i + n == name.len ||
			name.bytes[i + n] == '.' || name.bytes[i + n] == ' '))
			return true;
	return false;
}

/* Source of Python. */
static inline bool
kind_is_source(struct tach_string name)
{
	static const char *const suffixes[] = {".py", ".pyc", ".pyw", ".pyx", ".pyi"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (kind_has_suffix(name, suffixes[i]))
			return true;
	return false;
}

/* Source of C, C++, Rust, Fortran or assembler. */
static inline bool
kind_is_c_source(struct tach_string file)
{
	static const char *const suffixes[] = {".c", ".h", ".cc", ".hh", ".cpp", ".hpp",
	    ".cxx", ".hxx", ".c++", ".h++", ".C", ".H", ".inl", ".ipp", ".tcc", ".tpp",
	    ".rs", ".f", ".F", ".f90", ".F90", ".f95", ".f03", ".f08", ".s", ".S",
	    ".asm", ".cu", ".cuh"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i]);
		if (file.len > n &&
		    memcmp(file.bytes + file.len - n, suffixes[i], n) == 0)
			return true;
	}
	return false;
}

/* A module by its path, or by the name that perf and py-spy have for it. */
static inline bool
kind_is_module(struct tach_string file)
{
	struct tach_string name = kind_last_name(file);

	if (kind_is_source(name))
		return false;
	return file.bytes[0] == '/' || kind_has_suffix(name, ".so");
}

/* A name in square brackets is one of the kernel's modules, or memory that it has
 * mapped. */
static inline enum frame_kind
kind_in_brackets(struct tach_string file)
{
	static const char *const mapped[] = {"[vdso]", "[vsyscall]", "[heap]", "[stack]"};

	for (size_t i = 0; i < sizeof(mapped) / sizeof(*mapped); i++)
		if (kind_spells(file, mapped[i]))
			return KIND_NATIVE;
	return KIND_KERNEL;
}

/* perf has addresses of which no module is known. */
static inline enum frame_kind
kind_without_file(struct tach_string func)
{
	if (kind_spells(func, "<GC>"))
		return KIND_GC;
	return kind_begins(func, "<native") || kind_begins(func, "0x") ? KIND_NATIVE :
									 KIND_MARK;
}

/*
 * The kind of a frame.  A path without a line is a module's, unless it ends as source of
 * Python does: a frame of a script without such an end can be at an instruction without
 * a line, but hardly ever is.  With a line, it is source of C by its end.
 */
static inline enum frame_kind
kind_of_frame(struct tach_string file, struct tach_string func, int32_t line)
{
	if (file.len == 0)
		return KIND_SOURCE;
	if (line > 0)
		return kind_is_c_source(file) ? KIND_NATIVE : KIND_SOURCE;
	switch (file.bytes[0]) {
	case '~':
		return file_is_none(file) ? kind_without_file(func) : KIND_SOURCE;
	case '[':
		return file.bytes[file.len - 1] == ']' ? kind_in_brackets(file) :
							 KIND_SOURCE;
	case '<':
		break;
	default:
		if (kind_spells(file, "kernel")) /* of austin */
			return KIND_KERNEL;
		return kind_is_module(file) ? KIND_NATIVE : KIND_SOURCE;
	}
	if (kind_spells(file, CALLEE_FILE))
		return KIND_CALLEE;
	if (kind_spells(file, WAIT_FILE))
		return KIND_WAIT;
	if (kind_spells(file, TASK_FILE))
		return KIND_TASK;
	return kind_begins(file, "<native") || kind_spells(file, "<jit>") ? KIND_NATIVE :
									KIND_SOURCE;
}

#endif
