/* SPDX-License-Identifier: ISC */
/* screen.c: see screen.h. */
#include "screen.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <curses.h>

#include "cmd.h"

#define THREADS_SHOWN 4
#define HEAD_LINES 3 /* the profile, the states, the headings of columns */
#define WIDE 104     /* columns of a terminal that shows times, too */
#define LONGEST 1024 /* bytes of a string that are looked at */
#define HOT 10	     /* per cent of self that make a row stand out */

enum { COLOR_HOT = 1, COLOR_WAIT, COLOR_HEAD };

static SCREEN *screen;

static const char *const keys[] = {
    "q        quit                    space    freeze, and go on",
    "g G      group by the next, the previous: function, line, file, module, thread",
    "s S      sort by the next column, by the previous one",
    "w        the last five seconds, or all since the start",
    "/        show stacks with a frame that matches a regular expression only",
    "left     a second earlier        right    a second later",
    "up down  page-up page-down  home end  wheel   move",
    "?        this help, and back",
    "",
    "self: in the function itself      total: in it and in all that it called",
    "gil: holds the GIL   cpu: on a CPU   want: waits for the GIL   wait: for others",
};

/* ---- the terminal -------------------------------------------------------- */

static void
start_colors(void)
{
	if (getenv("NO_COLOR") != NULL || !has_colors() || start_color() != OK ||
	    use_default_colors() != OK)
		return;
	init_pair(COLOR_HOT, COLOR_RED, -1);
	init_pair(COLOR_WAIT, COLOR_BLUE, -1);
	init_pair(COLOR_HEAD, COLOR_GREEN, -1);
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
	tach_plain_string(f, s.bytes + from, s.len - from);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* The columns of the first character of a text, and its bytes. */
static int
width_of(const char *text, size_t *bytes)
{
	wchar_t c;
	mbstate_t state = {0};
	size_t n = mbrtowc(&c, text, MB_CUR_MAX, &state);
	int width;

	*bytes = n == 0 || n > MB_CUR_MAX ? 1 : n;
	width = n > MB_CUR_MAX ? 1 : wcwidth(c);
	return width < 0 ? 1 : width;
}

static int
text_width(const char *text)
{
	int width = 0;
	size_t n;

	for (; *text != '\0'; text += n)
		width += width_of(text, &n);
	return width;
}

/* Prints a text at the cursor, cut to some columns.  Returns how many it took.  Bytes
 * that are no characters of the locale become question marks. */
static int
draw_text(const char *text, int most)
{
	int width = 0;
	size_t n;

	for (; *text != '\0'; text += n) {
		int w = width_of(text, &n);
		if (width + w > most)
			break;
		if (n == 1 && (unsigned char)*text >= 0x80)
			addch('?');
		else
			addnstr(text, (int)n);
		width += w;
	}
	return width;
}

/* The same of the end of a text. */
static int
draw_end(const char *text, int most)
{
	size_t n;

	for (int width = text_width(text); width > most && *text != '\0'; text += n)
		width -= width_of(text, &n);
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

static void
draw_thread(int y, const struct tally *t, const struct tally_cost *c, uint32_t row)
{
	char *name = plain(tally_string(t, tally_frame(t, row)->func));

	mvprintw(y, 0, "  gil %3.0f%%  cpu %3.0f%%  want %3.0f%%  wait %3.0f%%  ",
	    cmd_percent(c->gil, c->total), cmd_percent(c->cpu, c->total),
	    cmd_percent(c->wanted, c->total), cmd_percent(c->waiting, c->total));
	if (name != NULL)
		draw_text(name, COLS - getcurx(stdscr) - 1);
	free(name);
	clrtoeol();
}

/* ---- the table ----------------------------------------------------------- */

/* The rows of one drawing. */
struct drawing {
	struct tally_cost *costs; /* of rows */
	uint32_t *order;
	struct tally_cost all;
};

static void
free_drawing(struct drawing *d)
{
	free(d->costs);
	free(d->order);
}

static bool
prepare(struct drawing *d, const struct tally *t, bool recent, enum tally_column column)
{
	size_t n = (size_t)t->nrows + 1;

	d->costs = malloc(n * sizeof(*d->costs));
	d->order = malloc(n * sizeof(*d->order));
	if (d->costs == NULL || d->order == NULL)
		return false;
	d->all = t->all;
	if (recent)
		tally_recent(t, d->costs, &d->all);
	else if (t->nrows > 0)
		memcpy(d->costs, t->rows, t->nrows * sizeof(*t->rows));
	tally_sort(d->order, t->nrows, d->costs, column);
	return true;
}

static void
draw_headings(int y, const struct screen_view *v)
{
	attron(A_REVERSE);
	move(y, 0);
	printw("  self  total");
	if (COLS >= WIDE)
		printw("      self     total");
	printw("  gil  cpu want wait  %s by %s", tally_groups[v->group],
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
	if (file != NULL && s.len > 0 && strcmp(file, "~") != 0 && room > 4) {
		addstr("  ");
		attron(A_DIM);
		draw_end(file, room);
		addstr(number);
		attroff(A_DIM);
	}
	free(file);
}

static void
draw_row(int y, const struct tally *t, const struct drawing *d, uint32_t row)
{
	const struct tally_cost *c = &d->costs[row];
	bool hot = cmd_percent(c->self, d->all.self) >= HOT;
	char *name = plain(tally_string(t, tally_frame(t, row)->func));
	attr_t how = hot ? A_BOLD | (attr_t)COLOR_PAIR(COLOR_HOT) : A_NORMAL;

	move(y, 0);
	attron(how);
	printw("%5.1f%% %5.1f%%", cmd_percent(c->self, d->all.self),
	    cmd_percent(c->total, d->all.total));
	attroff(how);
	if (COLS >= WIDE)
		printw(" %8.2fs %8.2fs", (double)c->self / 1e6,
		    (double)c->total / 1e6);
	printw(" %3.0f%% %3.0f%% %3.0f%% %3.0f%%  ", cmd_percent(c->gil, c->total),
	    cmd_percent(c->cpu, c->total), cmd_percent(c->wanted, c->total),
	    cmd_percent(c->waiting, c->total));
	if (name != NULL)
		draw_text(name, COLS - getcurx(stdscr) - 1);
	free(name);
	draw_place(t, row, c->line);
	clrtoeol();
}

static void
draw_table(struct screen_view *v, const struct tally *t, const struct drawing *d, int y)
{
	uint32_t room = LINES - 1 > y ? (uint32_t)(LINES - 1 - y) : 0;

	if (v->first + room > t->nrows)
		v->first = t->nrows > room ? t->nrows - room : 0;
	for (uint32_t i = v->first; i < t->nrows && y < LINES - 1; i++)
		draw_row(y++, t, d, d->order[i]);
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
		draw_text("q quit  ? help  g group  s sort  w last 5 s  / filter  "
		    "space freeze", COLS - 1);
	}
}

static int
draw_threads(const struct tally *t, const struct drawing *d, int y)
{
	for (uint32_t i = 0; i < t->nrows && i < THREADS_SHOWN && y < LINES / 2; i++)
		draw_thread(y++, t, &d->costs[d->order[i]], d->order[i]);
	return y;
}

/* How long the costs that are shown lasted, s. */
static double
shown_seconds(const struct screen_view *v, const struct tally *t)
{
	double all = (double)tally_duration(t) / 1e6;
	double begun = (double)(t->end % 1000000) / 1e6;

	return v->recent && all > 5 + begun ? 5 + begun : all;
}

bool
screen_draw(struct screen_view *v, const struct tally *rows, const struct tally *threads)
{
	struct drawing d = {0}, of_threads = {0};
	bool ok = prepare(&d, rows, v->recent, v->column) &&
	    prepare(&of_threads, threads, v->recent, TALLY_CPU);
	int y = HEAD_LINES - 1;

	if (ok) {
		draw_name(v, rows);
		draw_states(&d.all, shown_seconds(v, rows));
		y = draw_threads(threads, &of_threads, y);
		draw_headings(y++, v);
		if (v->help)
			draw_help(y);
		else
			draw_table(v, rows, &d, y);
		draw_foot(v);
		refresh();
	}
	free_drawing(&d);
	free_drawing(&of_threads);
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
