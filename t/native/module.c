/* SPDX-License-Identifier: ISC */
/* module.c: an extension module's tables, without Python's headers.  Its functions are
 * hidden, and differ, so that none is taken for another one. */
#include <stddef.h>

#define HIDDEN __attribute__((noinline, visibility("hidden")))

struct method {
	const char *name;
	void *(*function)(void *, void *);
	int flags;
	const char *doc;
};

struct definition {
	size_t head[5];
	const char *name, *doc;
	ptrdiff_t size;
	const struct method *methods;
	void *slots, *traverse, *clear, *free;
};

void *PyModuleDef_Init(struct definition *);
void *PyInit_m(void);

HIDDEN void *
first(void *self, void *args)
{
	return (char *)self + ((size_t)args & 3);
}

HIDDEN void *
second(void *self, void *args)
{
	return (char *)args - ((size_t)self & 5);
}

static struct method methods[] = {{"open", first, 1, "text"}, {"close", second, 4, 0},
    {0, 0, 0, 0}};
static struct definition definition = {.name = "m", .size = -1, .methods = methods};

void *
PyInit_m(void)
{
	return PyModuleDef_Init(&definition);
}
