/* SPDX-License-Identifier: ISC */
/* test_kind.c: the kinds of frames of recorders, of CPython's profiler, perf, py-spy and
 * austin. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "kind.h"

static const struct {
	const char *file, *func;
	int32_t line;
	enum frame_kind kind;
} frames[] = {
	{"/srv/app.py", "f", 3, KIND_SOURCE},
	{"/srv/app.py", "f", 0, KIND_SOURCE},
	{"/srv/app.pyc", "f", 0, KIND_SOURCE},
	{"/srv/c.pyx", "f", 0, KIND_SOURCE},
	{"app", "f", 0, KIND_SOURCE},
	{"", "f", 0, KIND_SOURCE},
	{"/usr/bin/pip", "main", 8, KIND_SOURCE},
	{"/src/list.c", "list_sort", 8, KIND_NATIVE},
	{"/src/list.c.h", "list_sort", 8, KIND_NATIVE},
	{"./vec/mod.rs", "push", 8, KIND_NATIVE},
	{"/src/list.c", "list_sort", -1, KIND_NATIVE},
	{".c", "f", 8, KIND_SOURCE},
	{"/src/list.cpy", "f", 8, KIND_SOURCE},
	{"<string>", "<module>", 1, KIND_SOURCE},
	{"<string>", "<module>", 0, KIND_SOURCE},
	{"<frozen importlib._bootstrap>", "_find_and_load", 0, KIND_SOURCE},
	{"~x", "f", 0, KIND_SOURCE},
	{"[", "f", 0, KIND_SOURCE},
	{"<built-in>", "time.sleep", 0, KIND_CALLEE},
	{"<built-in>", "time.sleep", -1, KIND_CALLEE},
	{"<built-in>", "", -1, KIND_CALLEE},
	{"<wait>", "GIL", -1, KIND_WAIT},
	{"<task>", "Task-1", -1, KIND_TASK},
	{"/usr/lib/x86_64-linux-gnu/libc.so.6", "read", -1, KIND_NATIVE},
	{"libc.so.6", "read", 0, KIND_NATIVE},
	{"_ssl.cpython-311-x86_64-linux-gnu.so", "read", 0, KIND_NATIVE},
	{"/lib/libx.so (deleted)", "f", 0, KIND_NATIVE},
	{"/usr/bin/python3.13", "list_sort", -1, KIND_NATIVE},
	{"/tmp/perf-41.map", "f", 0, KIND_NATIVE},
	{"//anon", "f", 0, KIND_NATIVE},
	{"[vdso]", "clock_gettime", 0, KIND_NATIVE},
	{"<native?>", "<native?>", -1, KIND_NATIVE},
	{"<jit>", "<jit>", -1, KIND_NATIVE},
	{"~", "<native>", 0, KIND_NATIVE},
	{"~", "<native?>", 0, KIND_NATIVE},
	{"~", "0x7f001000", -1, KIND_NATIVE},
	{"[kernel]", "vfs_read", -1, KIND_KERNEL},
	{"[kernel.kallsyms]", "vfs_read", 0, KIND_KERNEL},
	{"[xfs]", "xfs_read", 0, KIND_KERNEL},
	{"kernel", "vfs_read", 0, KIND_KERNEL},
	{"~", "<GC>", 0, KIND_GC},
	{"~", "<torn>", 0, KIND_MARK},
	{"~", "BINARY_OP_ADD_INT", -1, KIND_MARK},
};

static struct tach_string
text(const char *s)
{
	return (struct tach_string){s, strlen(s)};
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		if (kind_of_frame(text(frames[i].file), text(frames[i].func),
			frames[i].line) != frames[i].kind)
			errx(1, "%s %s %d: not of kind %d", frames[i].file,
			    frames[i].func, frames[i].line, frames[i].kind);
	return 0;
}
