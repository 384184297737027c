/* SPDX-License-Identifier: ISC */
/* live.c: see live.h. */
#include "live.h"

#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "screen.h"
#include "watch.h"

#define REFRESH 1000	/* ms */
#define BEGIN_STEP 50	/* ms between two looks for the profile of a recorder */
#define SECOND 1000000	/* us */

static volatile sig_atomic_t ending;

static void
note_end(int sig)
{
	ending = sig;
}

struct live {
	struct child *child; /* that records; NULL: none */
	struct watch watch;
	struct watch_what what;
	struct screen_view view;
	bool frozen;
};

/* Says why, once the terminal is as it was. */
static noreturn void
quit_with(struct live *l, const char *why)
{
	screen_close();
	warnx("%s: %s", l->watch.path, why);
	if (l->child != NULL) {
		child_end(l->child);
		child_close(l->child);
	}
	exit(CMD_FAILED);
}

static bool
restart(struct live *l)
{
	l->what.group = l->view.group;
	l->view.first = 0;
	return watch_read(&l->watch, &l->what);
}

/* Reads the profile again with another expression.  One that is none is told, and
 * what is shown stays. */
static void
filter(struct live *l)
{
	l->what.match = l->view.match;
	if (restart(l))
		return;
	snprintf(l->view.message, sizeof(l->view.message), "%s", l->watch.why);
	l->view.match[0] = '\0';
	if (!restart(l))
		quit_with(l, l->watch.why);
}

/* Moves the end of what is shown, which is frozen then. */
static void
move_time(struct live *l, int seconds)
{
	uint64_t now = l->watch.rows.end, step = SECOND;

	if (l->what.until == 0 && seconds > 0)
		return;
	if (l->what.until == 0)
		l->what.until = now;
	if (seconds < 0)
		l->what.until = l->what.until > 2 * step ?
		    l->what.until - step : step;
	else
		l->what.until += step;
	l->frozen = true;
	if (!restart(l))
		quit_with(l, l->watch.why);
}

static void
thaw(struct live *l)
{
	bool back = l->what.until != 0;

	l->frozen = !l->frozen;
	if (l->frozen || !back)
		return;
	l->what.until = 0;
	if (!restart(l))
		quit_with(l, l->watch.why);
}

static void
change_group(struct live *l, int by)
{
	l->view.group = (enum tally_group)
	    (((int)l->view.group + by + TALLY_GROUPS) % TALLY_GROUPS);
	if (!restart(l))
		quit_with(l, l->watch.why);
}

static void
change_column(struct live *l, int by)
{
	l->view.column = (enum tally_column)
	    (((int)l->view.column + by + TALLY_COLUMNS) % TALLY_COLUMNS);
}

static void
press(struct live *l, char c)
{
	switch (c) {
	case 'g':
	case 'G':
		change_group(l, c == 'g' ? 1 : -1);
		break;
	case 's':
	case 'S':
		change_column(l, c == 's' ? 1 : -1);
		break;
	case 'w':
		l->view.recent = !l->view.recent;
		break;
	case ' ':
		thaw(l);
		break;
	case '/':
		l->view.editing = true;
		break;
	case '?':
		l->view.help = !l->view.help;
		break;
	default:
		break;
	}
}

/* A key while the expression is typed. */
static void
edit(struct live *l, enum screen_key key, char c)
{
	size_t n = strlen(l->view.match);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE) {
		l->view.editing = false;
		if (key == SCREEN_ESCAPE)
			l->view.match[0] = '\0';
		filter(l);
	} else if (key == SCREEN_ERASE && n > 0) {
		l->view.match[n - 1] = '\0';
	} else if (key == SCREEN_CHAR && n + 1 < sizeof(l->view.match)) {
		l->view.match[n] = c;
		l->view.match[n + 1] = '\0';
	}
}

static void
scroll_by(struct screen_view *v, uint32_t rows, bool up)
{
	if (up)
		v->first = v->first > rows ? v->first - rows : 0;
	else
		v->first += rows;
}

/* False: to quit. */
static bool
obey(struct live *l, enum screen_key key, char c)
{
	struct screen_view *v = &l->view;

	v->message[0] = '\0';
	if (v->editing) {
		edit(l, key, c);
		return true;
	}
	switch (key) {
	case SCREEN_QUIT:
		return false;
	case SCREEN_UP:
	case SCREEN_DOWN:
		scroll_by(v, 1, key == SCREEN_UP);
		break;
	case SCREEN_PAGE_UP:
	case SCREEN_PAGE_DOWN:
		scroll_by(v, screen_page(), key == SCREEN_PAGE_UP);
		break;
	case SCREEN_HOME:
		v->first = 0;
		break;
	case SCREEN_END:
		v->first = UINT32_MAX / 2;
		break;
	case SCREEN_EARLIER:
	case SCREEN_LATER:
		move_time(l, key == SCREEN_EARLIER ? -1 : 1);
		break;
	case SCREEN_ESCAPE:
		if (v->match[0] != '\0') {
			v->match[0] = '\0';
			filter(l);
		}
		break;
	case SCREEN_CHAR:
		press(l, c);
		break;
	default:
		break;
	}
	return true;
}

static const char *
state_of(const struct live *l)
{
	if (l->what.until != 0)
		return "until here";
	if (l->frozen)
		return "frozen";
	return l->watch.complete ? "complete" : "recording";
}

static void
show(struct live *l)
{
	l->view.state = state_of(l);
	if (!screen_draw(&l->view, &l->watch.rows, &l->watch.threads))
		quit_with(l, "out of memory");
}

/* Obeys all keys that were pressed.  False: to quit. */
static bool
obey_all(struct live *l)
{
	enum screen_key key;
	char c = 0;

	while ((key = screen_key(&l->view, &c)) != SCREEN_NONE)
		if (!obey(l, key, c))
			return false;
	return true;
}

static void
watch_until_quit(struct live *l)
{
	struct pollfd in = {STDIN_FILENO, POLLIN, 0};

	show(l);
	while (ending == 0) {
		int n = poll(&in, 1, REFRESH);
		if (n > 0 && (in.revents & POLLIN) == 0)
			return; /* the terminal is gone */
		if (!obey_all(l))
			return;
		if (n == 0 && !l->frozen && !l->watch.complete &&
		    !watch_more(&l->watch))
			quit_with(l, l->watch.why);
		show(l);
	}
}

/* Waits until a recorder has a profile to be read.  False: it has ended without. */
static bool
wait_for_profile(struct live *l)
{
	struct timespec step = {.tv_nsec = BEGIN_STEP * 1000000};

	while (!watch_read(&l->watch, &l->what)) {
		if (l->child == NULL || ending != 0)
			return false;
		if (child_ended(l->child))
			return watch_read(&l->watch, &l->what);
		nanosleep(&step, NULL);
	}
	return true;
}

int
live_show(const struct live_how *how)
{
	struct live l = {.child = how->child, .watch = {.path = how->path,
	    .selection = how->selection}, .what = {.group = how->group,
	    .match = ""}, .view = {.name = how->name, .group = how->group,
	    .column = how->column}};

	signal(SIGTERM, note_end);
	signal(SIGHUP, note_end);
	signal(SIGINT, note_end);
	if (!wait_for_profile(&l)) {
		warnx("%s: %s", how->path, l.watch.why);
		watch_close(&l.watch);
		return CMD_FAILED;
	}
	if (!screen_open())
		errx(CMD_FAILED, "this terminal (TERM) cannot show it: use -1");
	watch_until_quit(&l);
	screen_close();
	watch_close(&l.watch);
	return CMD_OK;
}
