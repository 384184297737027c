/* SPDX-License-Identifier: ISC */
/*
 * objects: prints what a running Python's objects look like from outside, for
 * thread-names.bats: `objects PID MODULE NAME...` prints a line for each attribute
 * of a module, NAME and what repr() gives of it.  A name a.b is an attribute
 * of that attribute.  `objects -c ...` prints the names of callables of C, and "-" for
 * other objects.  `objects -o PID MODULE OPERATOR/LEFT/RIGHT...` prints the names of
 * operators on two attributes or one, and "short" behind those that take no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/copy/snapshot.h"
#include "engine/locate/find.h"
#include "engine/os/os.h"
#include "python/callee.h"
#include "python/operation.h"

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

static enum py_operator
operator_of(const char *name)
{
	static const struct {
		const char *name;
		enum py_operator operator;
	} known[] = {{"add", PY_ADD}, {"iadd", PY_INPLACE_ADD}, {"ior", PY_INPLACE_OR},
	    {"or", PY_OR}, {"mul", PY_MULTIPLY}, {"mod", PY_MODULO}, {"pow", PY_POWER},
	    {"lshift", PY_LSHIFT}, {"neg", PY_NEGATIVE}, {"lt", PY_LT}, {"eq", PY_EQ},
	    {"contains", PY_CONTAINS}, {"getitem", PY_GETITEM}, {"setitem", PY_SETITEM},
	    {"delitem", PY_DELITEM}, {"next", PY_NEXT}, {"drop", PY_DROP}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].operator;
	return PY_OPERATORS;
}

static void
print_operation(const struct py_objects *p, uint64_t module, char *text)
{
	char whole[SIZE], name[CALLEE_NAME_MAX], *part, *rest = text;
	uint64_t objects[CALLED_OBJECTS] = {0};
	struct py_operation o;
	struct py_called c;
	enum py_operator operator;
	int n = 0;

	snprintf(whole, sizeof(whole), "%s", text);
	operator = operator_of(strsep(&rest, "/"));
	while ((part = strsep(&rest, "/")) != NULL && n < CALLED_OBJECTS &&
	    object_attribute(p, module, part, &objects[n]))
		n++;
	if (n == 0 || operator == PY_OPERATORS)
		printf("%s none\n", whole);
	else if (!called_read(p->offsets, p->memory, operator, objects, &c) ||
	    !operation_name(p, &c, name, &o))
		printf("%s -\n", whole);
	else
		printf("%s %s%s\n", whole, name,
		    operation_is_long(p->offsets, &o, &c) ? "" : " short");
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
	bool operations = argc > 1 && strcmp(argv[1], "-o") == 0;

	argv += callees || operations;
	argc -= callees || operations;
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
		if (operations)
			print_operation(&p, module, argv[i]);
		else
			print(&p, module, argv[i], callees);
	process_close(&process);
	return 0;
}
