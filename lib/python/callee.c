/* SPDX-License-Identifier: ISC */
/* callee.c: see callee.h. */
#include "python/callee.h"

#include <stdio.h>

#define NESTED_MAX 4 /* partials and bound methods in each other */

/* The words behind an object's head, by their numbers. */
enum {
	FUNCTION_METHOD = 0, /* builtin_function_or_method: address of its
			      * PyMethodDef, which begins with that of its name */
	FUNCTION_SELF = 1,
	FUNCTION_MODULE = 2,
	DESCRIPTOR_TYPE = 0, /* of all descriptors */
	DESCRIPTOR_NAME = 1,
	WRAPPER_DESCRIPTOR = 0, /* method-wrapper */
	INNER_FUNCTION = 0, /* method, functools.partial */
	UFUNC_NAME = 5,
};

struct callable {
	const struct py_objects *objects;
	struct py_object object;
	char *name;
};

static bool
word_of(const struct py_objects *p, uint64_t addr, int number, uint64_t *word)
{
	return py_read(p->memory, addr + p->offsets->object_size +
	    (uint64_t)number * sizeof(*word), word, sizeof(*word));
}

/* The part of a name behind its last dot. */
static const char *
last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? dot + 1 : name;
}

/* Whether the type of the callable has this name, with or without a module.  heap: a
 * type that was made at run time may have it, as well. */
static bool
is_of_type(const struct callable *c, const char *name, bool heap)
{
	return (heap || !c->object.subclass) &&
	    strcmp(last_part(c->object.type_name), name) == 0;
}

static bool
join_name(const struct callable *c, const char *owner, const char *separator,
    const char *name)
{
	if (*name == '\0')
		return false;
	snprintf(c->name, CALLEE_NAME_MAX, "%s%s%s", owner, separator, name);
	return true;
}

/* Reads the name of a type, as in tp_name. */
static bool
type_name(const struct py_objects *p, uint64_t type, char *name)
{
	uint64_t at;

	return py_read(p->memory, type + p->offsets->type_name, &at, sizeof(at)) &&
	    text_read(p, at, name);
}

/* ---- functions and descriptors ------------------------------------------ */

/* The name of a function's module, with a dot; "" for builtins. */
static void
module_prefix(const struct py_objects *p, uint64_t function, char *prefix)
{
	uint64_t module;

	if (!word_of(p, function, FUNCTION_MODULE, &module) ||
	    !object_string(p, module, prefix, OBJECT_NAME_MAX) ||
	    strcmp(prefix, "builtins") == 0)
		*prefix = '\0';
}

/* The owner of a function with a self: its module, or the type that it is a method
 * of. */
static bool
owner_of(const struct callable *c, uint64_t self, char *owner)
{
	struct py_object o;

	if (self == 0 || !object_read(c->objects, self, &o))
		return self == 0;
	if (o.kind == OBJECT_MODULE || self == c->object.addr) /* Cython's own */
		module_prefix(c->objects, c->object.addr, owner);
	else if (o.kind == OBJECT_TYPE)
		return type_name(c->objects, self, owner);
	else
		memcpy(owner, o.type_name, OBJECT_NAME_MAX);
	return true;
}

/* A function of C, also one of Cython, which begins as such a function does. */
static bool
name_function(const struct callable *c)
{
	const struct py_objects *p = c->objects;
	char owner[OBJECT_NAME_MAX] = "", method[OBJECT_NAME_MAX];
	uint64_t definition, at, self;

	if (!word_of(p, c->object.addr, FUNCTION_METHOD, &definition) ||
	    !word_of(p, c->object.addr, FUNCTION_SELF, &self) ||
	    !py_read(p->memory, definition, &at, sizeof(at)) ||
	    !text_read(p, at, method) || !owner_of(c, self, owner))
		return false;
	return join_name(c, owner, *owner != '\0' ? "." : "", method);
}

/* A method of a type, which is not bound: it has the type's name and its own. */
static bool
name_descriptor(const struct callable *c, uint64_t descriptor)
{
	const struct py_objects *p = c->objects;
	char owner[OBJECT_NAME_MAX], method[OBJECT_NAME_MAX];
	uint64_t type, name;

	return word_of(p, descriptor, DESCRIPTOR_TYPE, &type) &&
	    word_of(p, descriptor, DESCRIPTOR_NAME, &name) &&
	    type_name(p, type, owner) &&
	    object_string(p, name, method, sizeof(method)) &&
	    join_name(c, owner, ".", method);
}

static bool
name_method_descriptor(const struct callable *c)
{
	return name_descriptor(c, c->object.addr);
}

static bool
name_wrapper(const struct callable *c)
{
	struct py_object o;
	uint64_t descriptor;

	return word_of(c->objects, c->object.addr, WRAPPER_DESCRIPTOR,
	    &descriptor) && object_read(c->objects, descriptor, &o) &&
	    strcmp(o.type_name, "wrapper_descriptor") == 0 &&
	    name_descriptor(c, descriptor);
}

/* ---- other callables ---------------------------------------------------- */

static bool
name_ufunc(const struct callable *c)
{
	char name[OBJECT_NAME_MAX];
	uint64_t at;

	return word_of(c->objects, c->object.addr, UFUNC_NAME, &at) &&
	    text_read(c->objects, at, name) &&
	    join_name(c, "numpy.ufunc", " ", name);
}

static bool
name_type(const struct callable *c)
{
	char name[OBJECT_NAME_MAX];

	return type_name(c->objects, c->object.addr, name) &&
	    join_name(c, "type", " ", name);
}

/* An object of a type of C, which can be called. */
static bool
name_instance(const struct callable *c)
{
	return join_name(c, c->object.type_name, ".", "__call__");
}

/* The callables that are known, by the last part of their types' names. */
static const struct {
	const char *type;
	bool (*name)(const struct callable *);
	bool heap; /* the type can be made at run time */
} kinds[] = {
	{"builtin_function_or_method", name_function, false},
	{"builtin_method", name_function, false},
	{"cython_function_or_method", name_function, true},
	{"fused_cython_function", name_function, true},
	{"method_descriptor", name_method_descriptor, false},
	{"classmethod_descriptor", name_method_descriptor, false},
	{"wrapper_descriptor", name_method_descriptor, false},
	{"method-wrapper", name_wrapper, false},
	{"ufunc", name_ufunc, false},
	{"itemgetter", name_instance, true},
	{"attrgetter", name_instance, true},
	{"methodcaller", name_instance, true},
	{"_lru_cache_wrapper", name_instance, true},
};

/* Goes into partials and bound methods.  False if there is no end. */
static bool
unwrap(struct callable *c, uint64_t addr)
{
	for (int i = 0; i < NESTED_MAX; i++) {
		if (!object_read(c->objects, addr, &c->object))
			return false;
		if (!is_of_type(c, "method", false) &&
		    !is_of_type(c, "partial", true))
			return true;
		if (!word_of(c->objects, addr, INNER_FUNCTION, &addr))
			return false;
	}
	return false;
}

bool
callee_name(const struct py_objects *p, uint64_t callable,
    char name[CALLEE_NAME_MAX])
{
	struct callable c = {.objects = p, .name = name};

	if (!unwrap(&c, callable))
		return false;
	if (c.object.kind == OBJECT_TYPE)
		return name_type(&c);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_of_type(&c, kinds[i].type, kinds[i].heap))
			return kinds[i].name(&c);
	return false;
}
