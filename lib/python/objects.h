/* SPDX-License-Identifier: ISC */
/*
 * objects.h: Python objects, read from a memory that may change meanwhile or
 * be made to mislead.  Each object is checked to be of the expected kind, every
 * loop has an end, and no code of the target runs.
 */
#ifndef PYTHON_OBJECTS_H
#define PYTHON_OBJECTS_H

#include "python/memory.h"
#include "python/offsets.h"

/* The memory that objects are read from.  Both must outlive the struct. */
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

/* An object's head, and facts of its type. */
struct py_object {
	uint64_t addr, type;
	enum object_kind kind; /* of its type, or of a base of that */
	bool subclass;	       /* its type is a heap type: a subclass of that */
	uint64_t flags;
	uint64_t basic_size;
	int64_t dict_offset;
	char type_name[OBJECT_NAME_MAX]; /* as in tp_name */
};

/* All functions below but object_repr return false if there is no such object,
 * or if it cannot be read. */

bool object_read(const struct py_objects *, uint64_t addr, struct py_object *);

/* Reads a terminated text of C, and cuts a longer one. */
bool text_read(const struct py_objects *, uint64_t addr,
    char text[OBJECT_NAME_MAX]);

/* Copies the name of the module that a class was defined in, terminated.  False
 * also for a static type of C. */
bool type_module(const struct py_objects *, uint64_t type, char *buf,
    size_t size);

/* Gets the value of a bool or an int.  False also if it does not fit. */
bool object_int(const struct py_objects *, const struct py_object *,
    int64_t *);
bool object_float(const struct py_objects *, const struct py_object *,
    double *);

/* Copies the text of a str, as UTF-8, or the bytes of a bytes object, as far as
 * they fit; not terminated.  A unit is a code point or a byte. */
struct py_taken {
	size_t len; /* bytes written */
	uint64_t units, taken; /* of the object, written */
};
bool object_text(const struct py_objects *, const struct py_object *,
    char *buf, size_t size, struct py_taken *);

/* Copies a whole str, terminated.  False also if it does not fit. */
bool object_string(const struct py_objects *, uint64_t addr, char *buf,
    size_t size);

/* Copies the addresses of the items of a tuple, list or set, at most max.
 * *count: how many were copied; *length: how many the object has. */
bool object_items(const struct py_objects *, const struct py_object *,
    uint64_t *items, size_t max, size_t *count, uint64_t *length);

/* ---- dicts, and other tables of keys and values ------------------------ */

struct py_item {
	uint64_t key, value; /* addresses */
};

#define DICT_BATCH 32

struct py_dict {
	uint64_t used;	  /* items; 0 also if not known */
	uint64_t entries; /* address of the first entry */
	size_t entry;	  /* size of an entry; bytes */
	uint64_t values;  /* address of the first value; 0: in the entries */
	uint64_t count, next; /* entries, with unused ones; the next to read */
	/* The items that were read last, and how many of them were taken. */
	struct py_item batch[DICT_BATCH];
	size_t batched, taken;
};

bool dict_open(const struct py_objects *, uint64_t addr, struct py_dict *);
/* Gets the next item.  False also at the end. */
bool dict_next(const struct py_objects *, struct py_dict *, struct py_item *);
/* Finds the value of a key: an ASCII str, or a positive int. */
bool dict_find(const struct py_objects *, uint64_t addr, const char *key,
    uint64_t *value);
bool dict_find_int(const struct py_objects *, uint64_t addr, uint64_t key,
    uint64_t *value);

/* Finds an attribute of the object itself, also of a module: in its dict, in its
 * values or, by `member`s of its type, in its slots. */
bool object_attribute(const struct py_objects *, uint64_t addr,
    const char *name, uint64_t *value);

/* Finds a module of the interpreter at an address. */
bool object_module(const struct py_objects *, uint64_t interp,
    const char *name, uint64_t *module);

/* ---- for people -------------------------------------------------------- */

/*
 * Writes an object as a text for people.  Numbers, str, bytes and containers of
 * them are written as by Python's repr(), other objects as their type and
 * address.  "..." stands for parts beyond the size, depth or number of items,
 * "?" for parts that cannot be read.  The text is valid UTF-8 without control
 * characters, and not terminated.  size must be at least 8 bytes.  Returns the
 * number of bytes, which is at most size.
 */
size_t object_repr(const struct py_objects *, uint64_t addr, char *buf,
    size_t size);

#endif
