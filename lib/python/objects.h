/* SPDX-License-Identifier: ISC */
/*
 * objects.h: Python objects, read from a memory that may change meanwhile or
 * be made to mislead: what is read is checked to be what it should be, every
 * loop has an end, and nothing of the target's runs.
 */
#ifndef PYTHON_OBJECTS_H
#define PYTHON_OBJECTS_H

#include "python/memory.h"
#include "python/offsets.h"

/* Where objects are read from; both must outlive it. */
struct py_objects {
	const struct py_offsets *offsets;
	const struct py_memory *memory;
};

enum object_kind {
	OBJECT_OTHER,
	OBJECT_NONE,
	OBJECT_BOOL,
	OBJECT_INT,
	OBJECT_FLOAT,
	OBJECT_STR,
	OBJECT_BYTES,
	OBJECT_TUPLE,
	OBJECT_LIST,
	OBJECT_SET, /* or frozenset */
	OBJECT_DICT,
	OBJECT_TYPE,
	OBJECT_MODULE,
};

#define OBJECT_NAME_MAX 128 /* longer names of types are cut */

/* An object's head, and what its type says of it. */
struct py_object {
	uint64_t addr, type;
	enum object_kind kind; /* its own, or that of what it inherits from */
	bool subclass;	       /* it inherits from that */
	uint64_t flags;
	uint64_t basic_size;
	int64_t dict_offset;
	char type_name[OBJECT_NAME_MAX]; /* as in tp_name */
};

/* False from any of these: there is no such object, or it cannot be read. */
bool object_read(const struct py_objects *, uint64_t addr, struct py_object *);

/* The name of the module that a class was defined in, terminated. */
bool type_module(const struct py_objects *, uint64_t type, char *buf,
    size_t size);

/* Of a bool or an int.  False also if it does not fit. */
bool object_int(const struct py_objects *, const struct py_object *,
    int64_t *);
bool object_float(const struct py_objects *, const struct py_object *,
    double *);

/* The text of a str, as UTF-8, or the bytes of a bytes: how many were
 * written, and how many units (code points, bytes) the object has and were
 * taken. */
struct py_taken {
	size_t len;
	uint64_t units, taken;
};
bool object_text(const struct py_objects *, const struct py_object *,
    char *buf, size_t size, struct py_taken *);

/* A str whole, terminated.  False also if it is longer. */
bool object_string(const struct py_objects *, uint64_t addr, char *buf,
    size_t size);

/* The items of a tuple, list or set: at most max of them; how many it has. */
bool object_items(const struct py_objects *, const struct py_object *,
    uint64_t *items, size_t max, size_t *count, uint64_t *length);

/* ---- dicts, and what else has keys and values -------------------------- */

struct py_item {
	uint64_t key, value; /* addresses */
};

#define DICT_BATCH 32

struct py_dict {
	uint64_t used;	  /* items, if it is known */
	uint64_t entries; /* address of the first one */
	size_t entry;	  /* size of one; bytes */
	uint64_t values;  /* address of the first one; 0: in the entries */
	uint64_t count, next; /* entries, with unused ones */
	/* Those that were read. */
	struct py_item batch[DICT_BATCH];
	size_t batched, taken;
};

bool dict_open(const struct py_objects *, uint64_t addr, struct py_dict *);
/* False also at the end. */
bool dict_next(const struct py_objects *, struct py_dict *, struct py_item *);
/* The value of a key: an ASCII str, or a positive int. */
bool dict_find(const struct py_objects *, uint64_t addr, const char *key,
    uint64_t *value);
bool dict_find_int(const struct py_objects *, uint64_t addr, uint64_t key,
    uint64_t *value);

/* An attribute of the object itself: in its dict, its values or, by `member`s
 * of its type, its slots.  Modules have theirs in their dict. */
bool object_attribute(const struct py_objects *, uint64_t addr,
    const char *name, uint64_t *value);

/* The module of the interpreter at an address. */
bool object_module(const struct py_objects *, uint64_t interp,
    const char *name, uint64_t *module);

/* ---- for people -------------------------------------------------------- */

/*
 * What Python's repr() would give of numbers, str, bytes and containers of
 * them, but for what is beyond the size, depth or number of items; of other
 * objects their type and address.  Without control characters, in valid UTF-8,
 * and never more than `size` bytes, of which there must be 8.  Returns how
 * many; "..." stands where something was left out, "?" for what cannot be
 * read.
 */
size_t object_repr(const struct py_objects *, uint64_t addr, char *buf,
    size_t size);

#endif
