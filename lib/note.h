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

#endif
