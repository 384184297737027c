/* SPDX-License-Identifier: ISC */
/*
 * same.h: values of CPython's that are the same in all versions that have them.  If one
 * is another one in a new version, mkoffsets makes no layout of it: each has a line of
 * `same` in offsets.list.  Values that differ are in PY_FACTS.
 */
#ifndef PYTHON_SAME_H
#define PYTHON_SAME_H

/* Owners of a frame, from 3.11 on: a data stack, a generator; higher numbers are
 * other owners, from 3.12 on the interpreter last: see entry_owner in offsets.h. */
#define PY_OWNER_THREAD 0
#define PY_OWNER_GENERATOR 1

/* A code object's kinds of variables: bits of a variable that is kept in a cell. */
#define PY_KIND_CELL (0x40 | 0x80)

/* Kinds of entry of a line table, from 3.11 on: bits 3 to 6 of its first byte. */
#define PY_LINES_SHORT 0	/* to 9: same line, columns below 80 */
#define PY_LINES_ONE_LINE 10	/* to 12: 0 to 2 lines on, two columns */
#define PY_LINES_NO_COLUMNS 13
#define PY_LINES_LONG 14
#define PY_LINES_NONE 15

/* Bits of tp_flags. */
#define PY_FLAG_INLINE_VALUES (1u << 2) /* 3.13 and later */
#define PY_FLAG_MANAGED_DICT (1u << 4)	/* 3.11 and later; before, another flag */
#define PY_FLAG_IMMUTABLE (1u << 8) /* 3.10 and later; before, none */
#define PY_FLAG_HEAP (1u << 9)
#define PY_FLAG_INT (1u << 24)
#define PY_FLAG_LIST (1u << 25)
#define PY_FLAG_TUPLE (1u << 26)
#define PY_FLAG_BYTES (1u << 27)
#define PY_FLAG_STR (1u << 28)
#define PY_FLAG_DICT (1u << 29)
#define PY_FLAG_TYPE (1u << 31)

/* Fields of a type, in words from its tp_name on: tables of functions, and functions. */
#define PY_TYPE_NUMBER 9
#define PY_TYPE_SEQUENCE 10
#define PY_TYPE_MAPPING 11
#define PY_TYPE_CALL 13
#define PY_TYPE_FLAGS 18
#define PY_TYPE_COMPARE 22
#define PY_TYPE_NEXT 25
#define PY_TYPE_BASE 29
#define PY_TYPE_WORDS 30

/* Types of members whose slot holds an object. */
#define PY_MEMBER_OBJECT 6
#define PY_MEMBER_OBJECT_EX 16

/* An int's digits and, from 3.12 on, its tag: its sign, then how many digits. */
#define PY_DIGIT_BITS 30
#define PY_INT_SIGN 3u /* 0: positive, PY_INT_NEGATIVE, or 1: it is 0 */
#define PY_INT_NEGATIVE 2u
#define PY_INT_SHIFT 3

/* A str's state word, from kind_shift on: its kind, and two bits more. */
#define PY_STR_KIND 7u
#define PY_STR_COMPACT 3
#define PY_STR_ASCII 4

/* The kind of a table of keys whose entries hold the keys' hashes, and the sizes of
 * entries: (hash, key, value), or (key, value).  A set has (key, hash). */
#define PY_KEYS_GENERAL 0
#define PY_ENTRY_HASHED 24 /* bytes */
#define PY_ENTRY_PLAIN 16
#define PY_ENTRY_SET 16

/* Low bits of a free-threaded object's count of shared references: flags. */
#define PY_SHARED_FLAGS 3

#endif
