/* SPDX-License-Identifier: ISC */
/*
 * screen.h: tach-top's view at a terminal, by ncurses: threads or processes above, then
 * the rows of a tally.  screen_close, and exit, give the terminal back as it was found.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "outline.h"

#define SCREEN_MATCH_MAX 128   /* bytes of a regular expression, with its NUL */
#define SCREEN_MESSAGE_MAX 256 /* bytes */

/* What is shown, and how. */
struct screen_view {
	const char *name;  /* of the profile */
	const char *state; /* "recording", "frozen", ... */
	enum tally_group group;
	enum tally_column column; /* that rows are sorted by */
	bool recent;		  /* the last five seconds, not all */
	bool tree;		  /* rows are nodes of a call tree */
	bool above;		  /* there are threads or processes above */
	bool help;		  /* the keys instead of the rows */
	bool editing;		  /* the regular expression is being typed */
	char match[SCREEN_MATCH_MAX];
	char message[SCREEN_MESSAGE_MAX]; /* shown until the next key */
	uint32_t first; /* row at the top of the table */
	/* Of a tree. */
	struct outline_folds folds;
	uint32_t cursor;   /* a row of the table */
	bool moved;	   /* the cursor was, so another node is selected */
	uint32_t selected; /* the node at the cursor ... */
	bool open;	   /* ... is not folded */
};

/* False: the terminal cannot do it, or there is none. */
bool screen_open(void);
void screen_close(void);

/* Draws all of it.  Moves ->first and ->cursor where the table is shorter or its rows
 * have moved.  False: out of memory. */
bool screen_draw(struct screen_view *, const struct tally *rows,
    const struct tally *above);

enum screen_key {
	SCREEN_NONE, /* none was pressed */
	SCREEN_QUIT,
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_EARLIER,
	SCREEN_LATER,
	SCREEN_ENTER,
	SCREEN_ESCAPE,
	SCREEN_ERASE,
	SCREEN_CHAR, /* any other: *c */
};

/* The next key, without waiting.  In a text that is being edited, keys are
 * characters. */
enum screen_key screen_key(const struct screen_view *, char *c);

/* Rows of a page. */
uint32_t screen_page(void);

#endif
