/* SPDX-License-Identifier: ISC */
/* callee.c: see callee.h. */
#include "python/callee.h"

#include <stdio.h>

#include "python/same.h"
#include "utf8.h"

#define BASES_MAX 64 /* a longer chain of types runs in a circle */
#define PARTIAL "functools.partial"
#define NESTED_MAX 4 /* partials and bound methods in each other */

/* The words behind an object's head, by their numbers. */
enum {
	FUNCTION_METHOD = 0, /* builtin_function_or_method: address of its
			      * PyMethodDef, which begins with that of its name */
	FUNCTION_MODULE = 2,
	DESCRIPTOR_TYPE = 0, /* of all descriptors */
	DESCRIPTOR_NAME = 1,
	WRAPPER_DESCRIPTOR = 0, /* method-wrapper */
	INNER_FUNCTION = 0, /* method, functools.partial */
	UFUNC_NAME = 5,
};

#define HEAD_WORDS 3 /* of a function, a descriptor or a type */

struct callable {
	const struct py_objects *objects;
	struct py_object object;
	char *name;
	bool bound; /* to an object */
	enum callee_follows by; /* if it is bound */
	uint64_t owner; /* the type whose name it begins with; 0: of none */
	uint64_t inner; /* its address, if it is in the callable that was asked for */
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

bool
callee_is_visible(const char *text)
{
	size_t len = strlen(text), n;
	uint32_t code;

	for (size_t i = 0; i < len; i += n)
		if ((n = utf8_visible(text + i, len - i, &code)) == 0)
			return false;
	return len > 0;
}

static bool
join_name(const struct callable *c, const char *owner, const char *separator,
    const char *name)
{
	snprintf(c->name, CALLEE_NAME_MAX, "%s%s%s", owner, separator, name);
	return *name != '\0' && callee_is_visible(c->name);
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

/* The owner of a function that is bound to an object: the object's type, or the object
 * itself if that is a type. */
static bool
name_owner(struct callable *c, const struct py_object *self, char *owner)
{
	c->bound = true;
	c->by = self->kind == OBJECT_TYPE ? CALLEE_BY_SELF : CALLEE_BY_SELF_TYPE;
	c->owner = c->by == CALLEE_BY_SELF ? self->addr : self->type;
	return type_name(c->objects, c->owner, owner);
}

/* The owner of a function with a self: its module, or the type that it is a method
 * of. */
static bool
owner_of(struct callable *c, uint64_t self, char *owner)
{
	struct py_object o;

	if (self == 0 || !object_read(c->objects, self, &o))
		return self == 0;
	if (o.kind == OBJECT_MODULE || self == c->object.addr) /* Cython's own */
		module_prefix(c->objects, c->object.addr, owner);
	else
		return name_owner(c, &o, owner);
	return true;
}

/* A function of C, also one of Cython, which begins as such a function does. */
static bool
name_function(struct callable *c)
{
	const struct py_objects *p = c->objects;
	char owner[OBJECT_NAME_MAX] = "", method[OBJECT_NAME_MAX];
	uint64_t definition, at, self;

	if (!word_of(p, c->object.addr, FUNCTION_METHOD, &definition) ||
	    !word_of(p, c->object.addr, CALLABLE_SELF, &self) ||
	    !py_read(p->memory, definition, &at, sizeof(at)) ||
	    !text_read(p, at, method) || !owner_of(c, self, owner))
		return false;
	return join_name(c, owner, *owner != '\0' ? "." : "", method);
}

/* A method of a type, which is not bound: it has the type's name and its own. */
static bool
name_descriptor(struct callable *c, uint64_t descriptor)
{
	const struct py_objects *p = c->objects;
	char owner[OBJECT_NAME_MAX], method[OBJECT_NAME_MAX];
	uint64_t name;

	return word_of(p, descriptor, DESCRIPTOR_TYPE, &c->owner) &&
	    word_of(p, descriptor, DESCRIPTOR_NAME, &name) &&
	    type_name(p, c->owner, owner) &&
	    object_string(p, name, method, sizeof(method)) &&
	    join_name(c, owner, ".", method);
}

static bool
name_method_descriptor(struct callable *c)
{
	return name_descriptor(c, c->object.addr);
}

static bool
name_wrapper(struct callable *c)
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
name_ufunc(struct callable *c)
{
	char name[OBJECT_NAME_MAX];
	uint64_t at;

	return word_of(c->objects, c->object.addr, UFUNC_NAME, &at) &&
	    text_read(c->objects, at, name) &&
	    join_name(c, "numpy.ufunc", " ", name);
}

static bool
name_type(struct callable *c)
{
	char name[OBJECT_NAME_MAX];

	return type_name(c->objects, c->object.addr, name) &&
	    join_name(c, CALLEE_TYPE, "", name);
}

/* Whether a type has a function of C for calls of its objects, as its own. */
static bool
has_own_call(const struct py_objects *p, uint64_t type)
{
	uint64_t dict, call;
	struct py_object o;

	return py_read(p->memory, type + p->offsets->type_dict, &dict, sizeof(dict)) &&
	    dict_find(p, dict, "__call__", &call) && object_read(p, call, &o) &&
	    strcmp(o.type_name, "wrapper_descriptor") == 0;
}

/* The type that has the function of C for calls of the objects of a type: itself, or a
 * base, if no type up to there has another function in its place.  0 if there is none. */
static uint64_t
caller_of(const struct py_objects *p, uint64_t type)
{
	uint64_t words[PY_TYPE_WORDS], call = 0;

	for (int i = 0; i < BASES_MAX && type != 0; i++) {
		if (!py_read(p->memory, type + p->offsets->type_name, words,
		    sizeof(words)) || (i > 0 && words[PY_TYPE_CALL] != call))
			return 0;
		if (has_own_call(p, type))
			return type;
		call = words[PY_TYPE_CALL];
		type = words[PY_TYPE_BASE];
	}
	return 0;
}

/* An object of a type that has a function of C for calls. */
static bool
name_instance(struct callable *c)
{
	char name[OBJECT_NAME_MAX];

	if (is_of_type(c, "function", false) || is_of_type(c, "staticmethod", false))
		return false; /* it runs code of Python */
	c->owner = caller_of(c->objects, c->object.type);
	return c->owner != 0 && type_name(c->objects, c->owner, name) &&
	    join_name(c, name, ".", "__call__");
}

/* The callables that have names of their own, by the last part of their types' names. */
static const struct kind {
	const char *type;
	bool (*name)(struct callable *);
	bool heap; /* the type can be made at run time */
	size_t words; /* as in struct py_callee, unless it is bound */
} kinds[] = {
	{"builtin_function_or_method", name_function, false, HEAD_WORDS},
	{"builtin_method", name_function, false, HEAD_WORDS},
	{"cython_function_or_method", name_function, true, HEAD_WORDS},
	{"fused_cython_function", name_function, true, HEAD_WORDS},
	{"method_descriptor", name_method_descriptor, false, HEAD_WORDS},
	{"classmethod_descriptor", name_method_descriptor, false, HEAD_WORDS},
	{"wrapper_descriptor", name_method_descriptor, false, HEAD_WORDS},
	{"method-wrapper", name_wrapper, false, 0},
	{"ufunc", name_ufunc, false, UFUNC_NAME + 1},
};

static const struct kind type_kind = {NULL, name_type, true, HEAD_WORDS};

/* The kind of a callable; NULL: it is of another type. */
static const struct kind *
kind_of(const struct callable *c)
{
	if (c->object.kind == OBJECT_TYPE)
		return &type_kind;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_of_type(c, kinds[i].type, kinds[i].heap))
			return &kinds[i];
	return NULL;
}

/* Goes into partials and bound methods.  False if there is no end. */
static bool
unwrap(struct callable *c, uint64_t addr)
{
	for (int i = 0; i < NESTED_MAX; i++) {
		if (!object_read(c->objects, addr, &c->object))
			return false;
		if (!is_of_type(c, "method", false) &&
		    strcmp(c->object.type_name, PARTIAL) != 0)
			return true;
		if (!word_of(c->objects, addr, INNER_FUNCTION, &addr))
			return false;
		c->inner = addr;
	}
	return false;
}

bool
callee_name(const struct py_objects *p, uint64_t callable, struct py_callee *to)
{
	struct callable c = {.objects = p, .name = to->name};
	const struct kind *k;

	to->by = CALLEE_FOLLOWS;
	if (!unwrap(&c, callable))
		return false;
	if ((k = kind_of(&c)) == NULL && c.inner == 0)
		to->by = CALLEE_BY_TYPE;
	if (k == NULL ? !name_instance(&c) : !k->name(&c))
		return false;
	to->by = c.inner != 0 ? CALLEE_BY_WORD : k == NULL ? CALLEE_BY_TYPE :
	    c.bound ? c.by : CALLEE_BY_WORD;
	to->type = k == &type_kind;
	to->inner = c.inner;
	to->owner = c.owner;
	to->words = k == NULL || c.bound || c.inner != 0 ? 0 : k->words;
	return true;
}

/* ---- methods and their objects --------------------------------------------- */

/* Whether a type is another one, or has that among the bases of its layout. */
static bool
is_derived(const struct py_objects *p, uint64_t type, uint64_t from)
{
	for (int i = 0; i < BASES_MAX && type != 0; i++)
		if (type == from)
			return true;
		else if (!py_read(p->memory, type + p->offsets->type_base, &type,
		    sizeof(type)))
			return false;
	return false;
}

bool
callee_is_method_of(const struct py_objects *p, uint64_t callable, uint64_t self)
{
	struct callable c = {.objects = p};
	struct py_object o;
	uint64_t owner;

	return object_read(p, callable, &c.object) &&
	    is_of_type(&c, "method_descriptor", false) &&
	    word_of(p, callable, DESCRIPTOR_TYPE, &owner) &&
	    object_read(p, self, &o) && is_derived(p, o.type, owner);
}

/* ---- contexts -------------------------------------------------------------- */

#define EXIT ".__exit__"
#define ENTER ".__enter__"

/* Whether a name ends as that of the function that leaves a context; then it becomes that
 * of the one that enters it. */
static bool
enter_by_exit(char *name)
{
	size_t len = strlen(name), n = sizeof(EXIT) - 1;

	if (len < n || strcmp(name + len - n, EXIT) != 0 || len + 1 >= CALLEE_NAME_MAX)
		return false;
	memcpy(name + len - n, ENTER, sizeof(ENTER));
	return true;
}

bool
callee_name_enter(const struct py_objects *p, uint64_t addr, struct py_callee *to)
{
	struct callable c = {.objects = p, .name = to->name};
	uint64_t dict, enter;

	*to = (struct py_callee){.by = CALLEE_FOLLOWS};
	if (!object_read(p, addr, &c.object))
		return false;
	if (is_of_type(&c, "builtin_function_or_method", false))
		return name_function(&c) && enter_by_exit(c.name);
	return py_read(p->memory, c.object.type + p->offsets->type_dict, &dict,
	    sizeof(dict)) && dict_find(p, dict, "__enter__", &enter) &&
	    object_read(p, enter, &c.object) &&
	    is_of_type(&c, "method_descriptor", false) && name_method_descriptor(&c);
}

/* ---- callables as they were ---------------------------------------------- */

/* The memory of now, with a callable as it was. */
struct memory_then {
	struct py_memory memory; /* first: reads get its address */
	const struct py_objects *now;
	const struct py_callable *callable;
};

static bool
read_then(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct memory_then *t = (const struct memory_then *)m;
	const struct py_offsets *o = t->now->offsets;
	const struct py_callable *c = t->callable;
	const struct py_span parts[] = {
		{c->addr + o->object_type, sizeof(c->type), (const uint8_t *)&c->type},
		{c->addr + o->object_size, sizeof(c->words),
		    (const uint8_t *)c->words},
		{c->words[CALLABLE_SELF] + o->object_type, sizeof(c->self_type),
		    (const uint8_t *)&c->self_type},
	};
	const uint8_t *found;

	for (size_t i = 0; i < n; i++) {
		found = NULL;
		for (size_t k = 0; k < 2 + (c->self_type != 0) && found == NULL; k++)
			found = span_at(&parts[k], pieces[i].addr, pieces[i].size);
		if (found != NULL)
			memcpy(pieces[i].buf, found, pieces[i].size);
		else if (!t->now->memory->read(t->now->memory, &pieces[i], 1))
			return false;
	}
	return true;
}

bool
callee_name_then(const struct py_objects *now, const struct py_callable *c,
    struct py_callee *to)
{
	const struct memory_then then = {{read_then}, now, c};

	return callee_name(&(struct py_objects){now->offsets, &then.memory}, c->addr,
	    to);
}
