/* SPDX-License-Identifier: ISC */
/*
 * note.h: reads notes, which are strings of a table that no frame uses: see tach(5).
 * A note begins with the word that says its kind.  It has no .c file, so that commands
 * can use it, too, which link nothing of libtach but what tach.h declares.
 */
#ifndef NOTE_H
#define NOTE_H

#include <string.h>

#include "tach.h"

/* The latest time of day, in microseconds: formats have it as nanoseconds in 63 bits. */
#define NOTE_TIME_MAX (INT64_MAX / 1000)

static inline struct tach_string
note_behind(struct tach_string s, size_t n)
{
	return (struct tach_string){s.bytes + n, s.len - n};
}

/* Gives what is behind the first word and its space.  False: it is another word. */
static inline bool
note_kind(struct tach_string note, const char *word, struct tach_string *rest)
{
	size_t n = strlen(word);

	if (note.len <= n || memcmp(note.bytes, word, n) != 0 ||
	    note.bytes[n] != ' ')
		return false;
	*rest = note_behind(note, n + 1);
	return true;
}

/* Takes a decimal number.  False: there is none, or it is above max. */
static inline bool
note_number(struct tach_string *text, uint64_t max, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < text->len && text->bytes[i] >= '0' &&
	     text->bytes[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(text->bytes[i] - '0');
		if (digit > max || *number > (max - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	*text = note_behind(*text, i);
	return i > 0;
}

static inline bool
note_number32(struct tach_string *text, uint32_t *number)
{
	uint64_t n;

	if (!note_number(text, UINT32_MAX, &n))
		return false;
	*number = (uint32_t)n;
	return true;
}

/* Takes a hexadecimal number of lower-case digits.  False: there is none, or it has more
 * than 64 bits. */
static inline bool
note_hex(struct tach_string *text, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	size_t i = 0;

	*number = 0;
	for (; i < text->len && text->bytes[i] != '\0' &&
	     (digit = strchr(digits, text->bytes[i])) != NULL; i++) {
		if (*number >> 60 != 0)
			return false;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	*text = note_behind(*text, i);
	return i > 0;
}

/* Takes one character.  False: it is another one. */
static inline bool
note_char(struct tach_string *text, char c)
{
	if (text->len == 0 || text->bytes[0] != c)
		return false;
	*text = note_behind(*text, 1);
	return true;
}

/* thread INTERP THREAD NAME.  False: it is no such note, or the name is empty. */
static inline bool
note_thread(struct tach_string note, uint32_t *interp, uint64_t *thread,
    struct tach_string *name)
{
	return note_kind(note, "thread", name) &&
	    note_number32(name, interp) && note_char(name, ' ') &&
	    note_number(name, UINT64_MAX, thread) && note_char(name, ' ') &&
	    name->len > 0;
}

/* WORD INTERP NUMBER.  False: it is no such note. */
static inline bool
note_fact(struct tach_string note, const char *word, uint32_t *interp,
    uint64_t max, uint64_t *number)
{
	struct tach_string rest;

	return note_kind(note, word, &rest) &&
	    note_number32(&rest, interp) && note_char(&rest, ' ') &&
	    note_number(&rest, max, number) && rest.len == 0;
}

/* interval INTERP MICROSECONDS.  False: it is no such note. */
static inline bool
note_interval(struct tach_string note, uint32_t *interp, uint64_t *us)
{
	return note_fact(note, "interval", interp, UINT64_MAX, us);
}

/* process INTERP PID.  Likewise. */
static inline bool
note_process(struct tach_string note, uint32_t *interp, uint64_t *pid)
{
	return note_fact(note, "process", interp, INT32_MAX, pid);
}

/* time INTERP MICROSECONDS.  Likewise. */
static inline bool
note_time(struct tach_string note, uint32_t *interp, uint64_t *us)
{
	return note_fact(note, "time", interp, NOTE_TIME_MAX, us);
}

/* input FIRST-LAST ...; the rest begins with its space.  False: it is no such note. */
static inline bool
note_input(struct tach_string note, uint32_t *first, uint32_t *last,
    struct tach_string *rest)
{
	return note_kind(note, "input", rest) && note_number32(rest, first) &&
	    note_char(rest, '-') && note_number32(rest, last) &&
	    *first <= *last && rest->len > 0 && rest->bytes[0] == ' ';
}

/* ---- modules, and the functions of C in them ----------------------------- */

#define NOTE_ID_MAX 128 /* bytes: no build id has more digits */

/* A file with code that a process had mapped.  Numbers are bytes. */
struct note_module {
	uint64_t start, end;	/* of the mapping that was found first */
	uint64_t offset;	/* of that mapping in the file */
	uint64_t bias;		/* an address in memory is the file's plus this */
	struct tach_string id;	/* build id; of a module without one, '-' and digits */
	struct tach_string path;
};

/* A function of modules that have an id. */
struct note_function {
	struct tach_string id, name;
	uint64_t start; /* its address, as in the file */
};

/* Takes an id and the space behind it.  False: there is none. */
static inline bool
note_id(struct tach_string *text, struct tach_string *id)
{
	size_t i = text->len > 0 && text->bytes[0] == '-', first = i;

	for (; i < text->len && i < NOTE_ID_MAX && text->bytes[i] != '\0' &&
	     strchr("0123456789abcdef", text->bytes[i]) != NULL; i++)
		continue;
	*id = (struct tach_string){text->bytes, i};
	*text = note_behind(*text, i);
	return i > first && note_char(text, ' ');
}

/* Whether an id is a build id. */
static inline bool
note_is_build_id(struct tach_string id)
{
	return id.len > 0 && id.bytes[0] != '-' && id.len % 2 == 0;
}

/* module START-END OFFSET BIAS ID PATH.  False: it is no such note. */
static inline bool
note_module(struct tach_string note, struct note_module *m)
{
	return note_kind(note, "module", &m->path) &&
	    note_hex(&m->path, &m->start) && note_char(&m->path, '-') &&
	    note_hex(&m->path, &m->end) && note_char(&m->path, ' ') &&
	    note_hex(&m->path, &m->offset) && note_char(&m->path, ' ') &&
	    note_hex(&m->path, &m->bias) && note_char(&m->path, ' ') &&
	    note_id(&m->path, &m->id) && m->path.len > 0 && m->start < m->end;
}

/* function ID START NAME.  Likewise. */
static inline bool
note_function(struct tach_string note, struct note_function *f)
{
	return note_kind(note, "function", &f->name) && note_id(&f->name, &f->id) &&
	    note_hex(&f->name, &f->start) && note_char(&f->name, ' ') &&
	    f->name.len > 0;
}

/* A source file that has code of modules with this id. */
struct note_source {
	struct tach_string id, path;
};

/* source ID PATH.  Likewise. */
static inline bool
note_source(struct tach_string note, struct note_source *s)
{
	return note_kind(note, "source", &s->path) && note_id(&s->path, &s->id) &&
	    s->path.len > 0;
}

#endif
