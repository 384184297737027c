/* SPDX-License-Identifier: ISC */
/*
 * objects: prints what a running Python's objects look like from outside, for
 * thread-names.bats: `objects PID MODULE NAME...` prints a line for each attribute
 * of a module, NAME and what repr() gives of it.  A name a.b is an attribute
 * of that attribute.  `objects -c ...` prints the names of callables of C, and "-" for
 * other objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/copy/snapshot.h"
#include "engine/locate/find.h"
#include "engine/os/os.h"
#include "python/callee.h"

#define SIZE 200 /* bytes */

static bool
find_interp(const struct py_memory *m, const struct py_runtime *rt,
    uint64_t *interp)
{
	return py_read(m, rt->addr + rt->offsets.runtime_interpreters_head,
	    interp, sizeof(*interp));
}

static void
print_callee(const struct py_objects *p, uint64_t addr, const char *path)
{
	struct py_callee named;

	printf("%s %s\n", path, callee_name(p, addr, &named) ? named.name : "-");
}

static void
print(const struct py_objects *p, uint64_t addr, char *path, bool callees)
{
	char text[SIZE], *name, *rest = path, whole[SIZE];

	snprintf(whole, sizeof(whole), "%s", path);
	while ((name = strsep(&rest, ".")) != NULL)
		if (!object_attribute(p, addr, name, &addr)) {
			printf("%s none\n", whole);
			return;
		}
	if (callees) {
		print_callee(p, addr, whole);
		return;
	}
	printf("%s %.*s\n", whole, (int)object_repr(p, addr, text, SIZE),
	    text);
}

int
main(int argc, char **argv)
{
	struct process process = {.pidfd = -1};
	struct process_memory m;
	struct py_runtime rt;
	struct py_objects p = {&rt.offsets, &m.memory};
	struct error error = {0};
	uint64_t seen = 0, interp, module;
	bool callees = argc > 1 && strcmp(argv[1], "-c") == 0;

	argv += callees;
	argc -= callees;
	if (argc < 3 || !process_open(&process, atoi(argv[1])))
		return 2;
	process_memory_init(&m, process.pid);
	if (find_python(&process, FIND_DEEP, &seen, &rt, &error) != FIND_OK ||
	    !find_interp(&m.memory, &rt, &interp) ||
	    !object_module(&p, interp, argv[2], &module)) {
		fprintf(stderr, "no Python, or no such module\n");
		return 1;
	}
	for (int i = 3; i < argc; i++)
		print(&p, module, argv[i], callees);
	process_close(&process);
	return 0;
}
