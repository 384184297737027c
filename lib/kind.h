/* SPDX-License-Identifier: ISC */
/*
 * kind.h: the kinds of frames.  A frame of Python has the file of its source.  The other
 * ones have a word in angle brackets, a module's path or no file: by it their kind is
 * known, in profiles of other programs, too.
 */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>

#include "tach.h"

#define CALLEE_FILE "<built-in>" /* a function of C that a frame of Python calls */
#define WAIT_FILE "<wait>"	 /* the reason why a thread waits */
#define TASK_FILE "<task>"	 /* a task of asyncio */
#define NO_FILE "~"		 /* <GC>, <native> and other marks */

/* One digit each: flamegraph.html knows them by number. */
enum frame_kind {
	KIND_SOURCE, /* code of a source file: of Python, mostly */
	KIND_CALLEE, /* a function of C, by the object that Python calls */
	KIND_NATIVE, /* a function of a module, by its instructions; or <native> */
	KIND_KERNEL,
	KIND_WAIT,
	KIND_GC,
	KIND_TASK,
	KIND_MARK, /* another frame without a file */
	KINDS,
};

/*
 * The kind of a frame.  A path without a line is a module's, unless it ends as source of
 * Python does: a frame of a script without such an end can be at an instruction without
 * a line, but hardly ever is.
 */
enum frame_kind kind_of_frame(struct tach_string file, struct tach_string func,
    int32_t line);

/* Whether a frame has no file. */
static inline bool
file_is_none(struct tach_string file)
{
	return file.len == 1 && *file.bytes == *NO_FILE;
}

/* Whether views of source lines count a frame of this kind with the line of Python that
 * has led to it: it has no line of its own. */
static inline bool
kind_has_caller(enum frame_kind kind)
{
	return kind >= KIND_CALLEE && kind <= KIND_WAIT;
}

#endif
