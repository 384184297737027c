/* SPDX-License-Identifier: ISC */
/* screen.c: see screen.h. */
#include "screen.h"

#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <curses.h>

#include "cmd.h"
#include "kind.h"
#include "print.h"

#define ABOVE_MIN 4  /* threads or processes */
#define ABOVE_PART 6 /* of the lines have them at most */
#define HEAD_LINES 3 /* the profile, the states, the headings of columns */
#define WIDE 104     /* columns of a terminal that shows times, too */
#define LONGEST 1024 /* bytes of a string that are looked at */
#define SECOND 1000000 /* us */
#define HOT 10	     /* per cent of self that make a row stand out */

enum { COLOR_HOT = 1 };

static SCREEN *screen;
static attr_t hot; /* of rows that stand out */

static const char *const keys[] = {
    "q        quit                    space    freeze, and go on",
    "g G      group by the next, the previous: function, line, file, module, task,",
    "         thread, process",
    "s S      sort by the next column, by the previous one",
    "t        the call tree           enter    open or fold what the cursor is at",
    "+ -      open all, fold all       *        open what has 5 % of the time",
    "w        the last five seconds, or all since the start",
    "a        above: threads, processes, nothing",
    "/        show stacks with a frame that matches a regular expression only",
    "left     earlier by a second, or by a hundredth of the profile",
    "right    later",
    "up down  page-up page-down  home end  wheel   move",
    "?        this help, and back",
    "",
    "self: in the function itself      total: in it and in all that it called",
    "5 s: self in the last five seconds",
    "gil: holds the GIL   cpu: on a CPU   want: waits for the GIL   wait: for others",
};

/* ---- the terminal -------------------------------------------------------- */

/* Colours on the terminal's own background, light or dark.  A terminal that cannot come
 * back to this background has none. */
static void
start_colors(void)
{
	const char *no = getenv("NO_COLOR");

	hot = A_BOLD;
	if ((no != NULL && *no != '\0') || !has_colors() ||
	    use_default_colors() != OK || start_color() != OK ||
	    init_pair(COLOR_HOT, COLOR_RED, -1) != OK)
		return;
	hot |= (attr_t)COLOR_PAIR(COLOR_HOT);
}

bool
screen_open(void)
{
	setlocale(LC_CTYPE, "");
	if ((screen = newterm(NULL, stdout, stdin)) == NULL)
		return false;
	atexit(screen_close);
	cbreak();
	noecho();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(50);
	curs_set(0);
	mousemask(BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	start_colors();
	return true;
}

void
screen_close(void)
{
	if (screen == NULL)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

/* ---- text ---------------------------------------------------------------- */

/* A string as a terminal can show it, or of a long one the end; NULL: out of memory. */
static char *
plain(struct tach_string s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	size_t from = s.len > LONGEST ? s.len - LONGEST : 0;

	if (f == NULL)
		return NULL;
	print_plain(f, s.bytes + from, s.len - from);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* The first character of a text in UTF-8, and its bytes; '?' for bytes that are none. */
static wchar_t
first_char(const char *text, size_t *bytes)
{
	unsigned char c = (unsigned char)*text;
	size_t n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	wchar_t code = n > 1 ? c & (0x7f >> n) : c;

	*bytes = 1;
	if (n == 0)
		return L'?';
	for (; *bytes < n; ++*bytes) {
		c = (unsigned char)text[*bytes];
		if ((c & 0xc0) != 0x80)
			return L'?';
		code = (wchar_t)(code << 6 | (c & 0x3f));
	}
	return code;
}

/* The same as the terminal can show it: '?' for a character that the locale has not. */
static wchar_t
shown_char(const char *text, size_t *bytes)
{
	char encoded[MB_LEN_MAX];
	mbstate_t state = {0};
	wchar_t c = first_char(text, bytes);

	return wcrtomb(encoded, c, &state) == (size_t)-1 || wcwidth(c) < 0 ? L'?' : c;
}

static int
text_width(const char *text)
{
	int width = 0;
	size_t n;

	for (; *text != '\0'; text += n)
		width += wcwidth(shown_char(text, &n));
	return width;
}

/* Prints a text at the cursor, cut to some columns.  Returns how many it took. */
static int
draw_text(const char *text, int most)
{
	int width = 0;
	size_t n;

	for (; *text != '\0'; text += n) {
		wchar_t c = shown_char(text, &n);
		if (width + wcwidth(c) > most)
			break;
		addnwstr(&c, 1);
		width += wcwidth(c);
	}
	return width;
}

/* The same of the end of a text. */
static int
draw_end(const char *text, int most)
{
	size_t n;

	for (int width = text_width(text); width > most && *text != '\0'; text += n)
		width -= wcwidth(shown_char(text, &n));
	return draw_text(text, most);
}

/* ---- above the table ----------------------------------------------------- */

static void
draw_name(const struct screen_view *v, const struct tally *t)
{
	char line[96];

	snprintf(line, sizeof(line), "  %s  %.1f s, %" PRIu64 " samples, %" PRIu32
	    " thread%s%s%s", v->state, (double)tally_duration(t) / 1e6, t->all.samples,
	    t->nthreads, t->nthreads == 1 ? "" : "s",
	    v->recent ? ", last 5 s" : "", v->match[0] != '\0' ? ", /" : "");
	move(0, 0);
	clrtoeol();
	attron(A_BOLD);
	draw_end(v->name, COLS - text_width(line) - text_width(v->match));
	attroff(A_BOLD);
	addstr(line);
	draw_text(v->match, COLS - getcurx(stdscr) - 1);
}

static void
draw_states(const struct tally_cost *all, double seconds)
{
	double us = seconds > 0 ? seconds * 1e6 : 1;

	mvprintw(1, 0, "threads on average: %.2f gil, %.2f cpu, %.2f want, %.2f wait",
	    (double)all->gil / us, (double)all->cpu / us, (double)all->wanted / us,
	    (double)all->waiting / us);
	clrtoeol();
}

/* How a thread is, or the threads of a process are, at the end of a tally. */
static const char *
state_word(const struct tally_state *s, uint64_t end)
{
	if (!s->known || end - s->time > SECOND)
		return "not seen";
	if (s->status & TACH_STATUS_GIL)
		return s->status & TACH_STATUS_CPU ? "running" : "holds gil";
	if (s->status & TACH_STATUS_GIL_WANTED)
		return "wants gil";
	if (s->status & TACH_STATUS_CPU)
		return "on cpu";
	return s->status & TACH_STATUS_UNKNOWN ? "unknown" : "waiting";
}

/* Draws a thread or a process with its shares of the time that is shown, us. */
static void
draw_above(int y, const struct tally *t, const struct tally_cost *c, uint32_t row,
    uint64_t time)
{
	char *name = plain(tally_string(t, tally_frame(t, row)->func));

	mvprintw(y, 0, "  %-9s  gil %3.0f%%  cpu %3.0f%%  want %3.0f%%  wait %3.0f%%  ",
	    state_word(&t->states[row], t->end), cmd_percent(c->gil, time),
	    cmd_percent(c->cpu, time), cmd_percent(c->wanted, time),
	    cmd_percent(c->waiting, time));
	if (name != NULL)
		draw_text(name, COLS - getcurx(stdscr) - 1);
	free(name);
	clrtoeol();
}

/* ---- the table ----------------------------------------------------------- */

static void
draw_headings(int y, const struct screen_view *v)
{
	attron(A_REVERSE);
	move(y, 0);
	printw("  self  %5s  total", v->recent ? "start" : "5 s");
	if (COLS >= WIDE)
		printw("      self     total");
	printw("  gil  cpu want wait");
	if (COLS >= WIDE)
		printw("  samples");
	printw("  %s%s by %s", tally_groups[v->group], v->tree ? " tree" : "",
	    tally_columns[v->column]);
	while (getcurx(stdscr) < COLS - 1)
		addch(' ');
	attroff(A_REVERSE);
}

static void
draw_place(const struct tally *t, uint32_t row, int32_t line)
{
	struct tach_string s = tally_string(t, tally_frame(t, row)->file);
	char *file = plain(s), number[16] = "";
	int room = COLS - getcurx(stdscr) - 3;

	if (line > 0)
		snprintf(number, sizeof(number), ":%" PRId32, line);
	room -= (int)strlen(number);
	if (file != NULL && s.len > 0 && !file_is_none(s) && room > 4) {
		addstr("  ");
		attron(A_DIM);
		draw_end(file, room);
		addstr(number);
		attroff(A_DIM);
	}
	free(file);
}

/* Draws where a node is: below how many callers, and whether it is folded. */
static void
draw_depth(const struct outline_row *r)
{
	int most = (COLS - getcurx(stdscr)) / 2;

	for (uint32_t i = 0; i < r->depth && (int)i < most; i++)
		addch(' ');
	addstr(!r->callees ? "  " : r->open ? "- " : "+ ");
}

static void
draw_costs(const struct tally *t, const struct outline *o, bool recent, uint32_t row)
{
	const struct tally_cost *c = &o->costs[row];
	double self = cmd_percent(c->self, o->all.self), beside = recent ?
	    cmd_percent(t->rows[row].self, t->all.self) :
	    cmd_percent(tally_recent_row(t, row).self, o->all_recent.self);

	attron(self >= HOT ? hot : A_NORMAL);
	printw("%5.1f%% %5.1f%% %5.1f%%", self, beside,
	    cmd_percent(c->total, o->all.self));
	attroff(self >= HOT ? hot : A_NORMAL);
	if (COLS >= WIDE)
		printw(" %8.2fs %8.2fs", (double)c->self / 1e6,
		    (double)c->total / 1e6);
	printw(" %3.0f%% %3.0f%% %3.0f%% %3.0f%%", cmd_percent(c->gil, c->total),
	    cmd_percent(c->cpu, c->total), cmd_percent(c->wanted, c->total),
	    cmd_percent(c->waiting, c->total));
	if (COLS >= WIDE)
		printw(" %8" PRIu64, c->samples);
	addstr("  ");
}

static void
draw_row(int y, const struct screen_view *v, const struct tally *t,
    const struct outline *o, uint32_t i)
{
	const struct outline_row *r = &o->rows[i];
	char *name = plain(tally_string(t, tally_frame(t, r->row)->func));
	bool selected = v->tree && i == v->cursor;

	move(y, 0);
	attron(selected ? A_REVERSE : A_NORMAL);
	draw_costs(t, o, v->recent, r->row);
	if (v->tree)
		draw_depth(r);
	if (name != NULL)
		draw_text(name, COLS - getcurx(stdscr) - 1);
	free(name);
	draw_place(t, r->row, o->costs[r->row].line);
	attroff(selected ? A_REVERSE : A_NORMAL);
	clrtoeol();
}

/* Keeps the cursor at its node, or selects the node that it was moved to; and keeps it
 * between the first line and the last. */
static void
place_cursor(struct screen_view *v, const struct outline *o, uint32_t room)
{
	for (uint32_t i = 0; i < o->count && !v->moved; i++)
		if (o->rows[i].row == v->selected) {
			v->cursor = i;
			break;
		}
	v->moved = false;
	if (v->cursor >= o->count)
		v->cursor = o->count > 0 ? o->count - 1 : 0;
	if (o->count > 0) {
		v->selected = o->rows[v->cursor].row;
		v->open = o->rows[v->cursor].open;
	}
	if (v->first > v->cursor)
		v->first = v->cursor;
	if (room > 0 && v->cursor - v->first >= room)
		v->first = v->cursor - room + 1;
}

static uint32_t
room_below(int y)
{
	return LINES - 1 > y ? (uint32_t)(LINES - 1 - y) : 0;
}

static void
draw_table(struct screen_view *v, const struct tally *t, const struct outline *o, int y)
{
	uint32_t room = room_below(y);

	if (v->tree)
		place_cursor(v, o, room);
	if (v->first > UINT32_MAX - room || v->first + room > o->count)
		v->first = o->count > room ? o->count - room : 0;
	for (uint32_t i = v->first; i < o->count && y < LINES - 1; i++)
		draw_row(y++, v, t, o, i);
	move(y, 0);
	clrtobot();
}

/* ---- all ----------------------------------------------------------------- */

static void
draw_help(int y)
{
	move(y, 0);
	clrtobot();
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && y < LINES - 1; i++) {
		move(y++, 0);
		draw_text(keys[i], COLS - 1);
	}
}

static void
draw_foot(const struct screen_view *v)
{
	move(LINES - 1, 0);
	clrtoeol();
	if (v->editing) {
		addch('/');
		draw_text(v->match, COLS - 3);
		addch('_');
	} else if (v->message[0] != '\0') {
		draw_text(v->message, COLS - 1);
	} else {
		draw_text("q quit  ? help  g group  t tree  s sort  w last 5 s  "
		    "/ filter  space freeze", COLS - 1);
	}
}

/* How long the costs that are shown lasted, s. */
static double
shown_seconds(const struct screen_view *v, const struct tally *t)
{
	double all = (double)tally_duration(t) / 1e6;
	double begun = (double)(t->end % 1000000) / 1e6;

	return v->recent && all > 5 + begun ? 5 + begun : all;
}

/* Draws threads or processes below a line.  Returns the line behind them. */
static int
draw_all_above(const struct screen_view *v, const struct tally *t,
    const struct outline *o, int y)
{
	int room = LINES / ABOVE_PART;
	uint64_t time = (uint64_t)(shown_seconds(v, t) * 1e6);

	if (room < ABOVE_MIN)
		room = ABOVE_MIN;
	for (uint32_t i = 0; i < o->count && room > 0 && y < LINES / 2; i++, room--)
		draw_above(y++, t, &o->costs[o->rows[i].row], o->rows[i].row, time);
	return y;
}

static void
draw_screen(struct screen_view *v, const struct tally *rows, const struct outline *o,
    const struct tally *above, const struct outline *of_above)
{
	int y = HEAD_LINES - 1;

	draw_name(v, rows);
	draw_states(&o->all, shown_seconds(v, rows));
	if (v->above)
		y = draw_all_above(v, above, of_above, y);
	draw_headings(y++, v);
	if (v->help)
		draw_help(y);
	else
		draw_table(v, rows, o, y);
	draw_foot(v);
	refresh();
}

bool
screen_draw(struct screen_view *v, const struct tally *rows, const struct tally *above)
{
	const uint32_t lines = LINES > 0 ? (uint32_t)LINES : 0;
	const uint32_t first = v->tree && v->moved && v->cursor > v->first ?
	    v->cursor : v->first;
	const struct outline_how how = {v->column, v->recent,
	    first < UINT32_MAX - lines ? first + lines : UINT32_MAX,
	    v->moved ? TACH_NONE : v->selected, v->tree ? &v->folds : NULL};
	const struct outline_how how_above = {TALLY_CPU, v->recent, lines, TACH_NONE,
	    NULL};
	struct outline o, of_above;
	bool ok = outline_make(&o, rows, &how);

	if (outline_make(&of_above, above, &how_above) && ok)
		draw_screen(v, rows, &o, above, &of_above);
	else
		ok = false;
	outline_clear(&o);
	outline_clear(&of_above);
	return ok;
}

uint32_t
screen_page(void)
{
	return LINES > 8 ? (uint32_t)(LINES - 8) : 1;
}

/* ---- keys ---------------------------------------------------------------- */

static enum screen_key
wheel(void)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return SCREEN_NONE;
	return e.bstate & BUTTON4_PRESSED ? SCREEN_UP :
	    e.bstate & BUTTON5_PRESSED	  ? SCREEN_DOWN :
					    SCREEN_NONE;
}

static enum screen_key
special_key(int key)
{
	static const struct {
		int key;
		enum screen_key means;
	} table[] = {{KEY_UP, SCREEN_UP}, {KEY_DOWN, SCREEN_DOWN},
	    {KEY_PPAGE, SCREEN_PAGE_UP}, {KEY_NPAGE, SCREEN_PAGE_DOWN},
	    {KEY_HOME, SCREEN_HOME}, {KEY_END, SCREEN_END},
	    {KEY_LEFT, SCREEN_EARLIER}, {KEY_RIGHT, SCREEN_LATER},
	    {KEY_ENTER, SCREEN_ENTER}, {'\n', SCREEN_ENTER},
	    {'\r', SCREEN_ENTER}, {033, SCREEN_ESCAPE},
	    {KEY_BACKSPACE, SCREEN_ERASE}, {0177, SCREEN_ERASE},
	    {'\b', SCREEN_ERASE}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].key == key)
			return table[i].means;
	return SCREEN_NONE;
}

enum screen_key
screen_key(const struct screen_view *v, char *c)
{
	int key = getch();
	enum screen_key means;

	if (key == ERR || key == KEY_RESIZE)
		return SCREEN_NONE;
	if (key == KEY_MOUSE)
		return wheel();
	if ((means = special_key(key)) != SCREEN_NONE)
		return means;
	if (key > 0xff || key < ' ')
		return SCREEN_NONE;
	*c = (char)key;
	return *c == 'q' && !v->editing ? SCREEN_QUIT : SCREEN_CHAR;
}
