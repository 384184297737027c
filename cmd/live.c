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
#include "confine.h"
#include "screen.h"
#include "watch.h"

#define REFRESH 1000	/* ms */
#define BEGIN_STEP 50	/* ms between two looks for the profile of a recorder */
#define SECOND 1000000	/* us */
#define STEPS 100	/* from the begin of a long profile to its end */
#define GONE (POLLHUP | POLLERR | POLLNVAL) /* the terminal is */

static volatile sig_atomic_t ending;

static void
note_end(int sig)
{
	ending = sig;
}

struct live {
	struct child *child; /* that records; NULL: none */
	bool family;	     /* descendants, too */
	const char *name;    /* of the profile, once it is complete */
	char *part;	     /* of the same while it is recorded */
	struct watch watch;
	struct watch_range range;
	uint64_t end; /* of all samples that were seen, us */
	struct screen_view view;
};

/* Reads the profile from its start: while it is recorded, from its part, or from those of
 * all processes. */
static bool
read_profile(struct live *l)
{
	bool goes_on = l->child != NULL && !child_ended(l->child);
	bool part = goes_on && !l->family && access(l->part, F_OK) == 0;

	l->watch.path = part ? l->part : l->name;
	l->watch.gathers = goes_on && l->family;
	if (l->watch.gathers)
		return watch_read(&l->watch, &l->range) &&
		    (l->range.match[0] != '\0' || l->watch.rows.all.samples > 0);
	if (part || l->child == NULL || child_has_profile(l->child))
		return watch_read(&l->watch, &l->range);
	snprintf(l->watch.why, sizeof(l->watch.why), "nothing was recorded");
	return false;
}

/* Reads it again, with the same rows.  False: it cannot be read. */
static bool
read_again(struct live *l)
{
	if (l->watch.rows.end > l->end)
		l->end = l->watch.rows.end;
	return read_profile(l);
}

/* Reads it again, as other rows are to be shown.  False: likewise. */
static bool
restart(struct live *l)
{
	l->range.group = l->view.group;
	l->range.tree = l->view.tree;
	l->range.match = l->view.match;
	l->view.first = l->view.cursor = 0;
	l->view.moved = true;
	outline_fold_all(&l->view.folds, OUTLINE_BY_SHARE);
	return read_again(l);
}

/* Applies an expression that was entered.  One that is wrong is dropped, with a
 * message. */
static bool
filter(struct live *l)
{
	if (restart(l))
		return true;
	snprintf(l->view.message, sizeof(l->view.message), "%s", l->watch.why);
	l->view.match[0] = '\0';
	return restart(l);
}

/* Shows the profile as it was at its present end from now on, or to its end again. */
static bool
freeze(struct live *l)
{
	bool frozen = l->range.until != 0;

	l->range.until = frozen ? 0 : l->watch.rows.end;
	return !frozen || read_again(l);
}

/* Moves the end of the samples that are shown: by a second, or by a hundredth of a long
 * profile.  At its end the view goes on. */
static bool
move_time(struct live *l, bool later)
{
	uint64_t until = l->range.until, begin = l->watch.rows.begin, step;

	if (until == 0 && later)
		return true;
	if (until == 0)
		until = l->end = l->watch.rows.end;
	step = l->end > begin ? (l->end - begin) / STEPS : 0;
	if (step < SECOND)
		step = SECOND;
	if (later)
		until = l->end > until && l->end - until > step ? until + step : 0;
	else
		until = until > begin && until - begin > step ? until - step : until;
	l->range.until = until;
	return read_again(l);
}

static bool
change_group(struct live *l, int by)
{
	l->view.group = (enum tally_group)
	    (((int)l->view.group + by + TALLY_GROUPS) % TALLY_GROUPS);
	return restart(l);
}

static void
change_column(struct live *l, int by)
{
	l->view.column = (enum tally_column)
	    (((int)l->view.column + by + TALLY_COLUMNS) % TALLY_COLUMNS);
}

/* Shows the call tree, which is read from the top, or the table. */
static bool
change_tree(struct live *l)
{
	struct screen_view *v = &l->view;

	v->tree = !v->tree;
	if (v->tree && v->column == TALLY_SELF)
		v->column = TALLY_TOTAL;
	else if (!v->tree && v->column == TALLY_TOTAL)
		v->column = TALLY_SELF;
	return restart(l);
}

/* Shows processes above, nothing, or threads again. */
static bool
change_above(struct live *l)
{
	struct screen_view *v = &l->view;

	if (v->above && l->range.above == TALLY_PROCESS) {
		v->above = false;
		return true;
	}
	l->range.above = v->above ? TALLY_PROCESS : TALLY_THREAD;
	v->above = true;
	return read_again(l);
}

/* Obeys a letter.  False: the profile cannot be read. */
static bool
press(struct live *l, char c)
{
	switch (c) {
	case 'g':
	case 'G':
		return change_group(l, c == 'g' ? 1 : -1);
	case 's':
	case 'S':
		change_column(l, c == 's' ? 1 : -1);
		break;
	case 't':
		return change_tree(l);
	case 'a':
		return change_above(l);
	case '+':
		outline_fold_all(&l->view.folds, OUTLINE_OPEN);
		break;
	case '-':
		outline_fold_all(&l->view.folds, OUTLINE_FOLDED);
		break;
	case '*':
		outline_fold_all(&l->view.folds, OUTLINE_BY_SHARE);
		break;
	case 'w':
		l->view.recent = !l->view.recent;
		break;
	case ' ':
		return freeze(l);
	case '/':
		l->view.editing = true;
		break;
	case '?':
		l->view.help = !l->view.help;
		break;
	default:
		break;
	}
	return true;
}

/* Obeys a key while the expression is typed.  False: likewise. */
static bool
edit(struct live *l, enum screen_key key, char c)
{
	size_t n = strlen(l->view.match);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE) {
		l->view.editing = false;
		if (key == SCREEN_ESCAPE)
			l->view.match[0] = '\0';
		return filter(l);
	}
	if (key == SCREEN_ERASE && n > 0) {
		l->view.match[n - 1] = '\0';
	} else if (key == SCREEN_CHAR && n + 1 < sizeof(l->view.match)) {
		l->view.match[n] = c;
		l->view.match[n + 1] = '\0';
	}
	return true;
}

static void
scroll_by(uint32_t *row, uint32_t rows, bool up)
{
	if (up)
		*row = *row > rows ? *row - rows : 0;
	else
		*row += rows;
}

/* Moves in the table, or the cursor in the tree.  False: it is no key for that. */
static bool
scroll(struct screen_view *v, enum screen_key key)
{
	uint32_t *row = v->tree ? &v->cursor : &v->first;

	switch (key) {
	case SCREEN_UP:
	case SCREEN_DOWN:
		scroll_by(row, 1, key == SCREEN_UP);
		break;
	case SCREEN_PAGE_UP:
	case SCREEN_PAGE_DOWN:
		scroll_by(row, screen_page(), key == SCREEN_PAGE_UP);
		break;
	case SCREEN_HOME:
	case SCREEN_END:
		*row = key == SCREEN_HOME ? 0 : UINT32_MAX / 2;
		break;
	default:
		return false;
	}
	v->moved = true;
	return true;
}

static const char *
state_of(const struct live *l)
{
	if (l->range.until != 0)
		return "frozen";
	if (l->watch.why[0] != '\0')
		return "cut short";
	return l->watch.complete ? "complete" : "recording";
}

/* Draws it.  False: out of memory. */
static bool
show(struct live *l)
{
	l->view.state = state_of(l);
	return screen_draw(&l->view, &l->watch.rows, &l->watch.above);
}

/* Opens the node at the cursor, or folds it.  It is known once the cursor was drawn, and
 * keys may come at once.  False: out of memory. */
static bool
fold(struct live *l)
{
	struct screen_view *v = &l->view;

	if (!v->tree || l->watch.rows.nrows == 0)
		return true;
	return (!v->moved || show(l)) && outline_fold(&v->folds, v->selected,
	    v->open ? OUTLINE_FOLDED : OUTLINE_OPEN);
}

/* Obeys a key.  False: the profile cannot be read. */
static bool
obey(struct live *l, enum screen_key key, char c)
{
	l->view.message[0] = '\0';
	if (l->view.editing)
		return edit(l, key, c);
	if (scroll(&l->view, key))
		return true;
	switch (key) {
	case SCREEN_EARLIER:
	case SCREEN_LATER:
		return move_time(l, key == SCREEN_LATER);
	case SCREEN_ESCAPE:
		if (l->view.match[0] == '\0')
			return true;
		l->view.match[0] = '\0';
		return filter(l);
	case SCREEN_ENTER:
		return fold(l);
	case SCREEN_CHAR:
		return press(l, c);
	default:
		return true;
	}
}

enum live_result {
	LIVE_ON,
	LIVE_QUIT,
	LIVE_FAILED, /* ->watch.why says why; "": out of memory */
};

/* Obeys all keys that were pressed. */
static enum live_result
obey_all(struct live *l)
{
	enum screen_key key;
	char c = 0;

	while ((key = screen_key(&l->view, &c)) != SCREEN_NONE) {
		if (key == SCREEN_QUIT)
			return LIVE_QUIT;
		if (!obey(l, key, c))
			return LIVE_FAILED;
	}
	return LIVE_ON;
}

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Takes the errors of the child until there is something to read from a descriptor, a
 * signal, or until a time.  Returns the events of the descriptor; -1 has none. */
static int
wait_until(struct live *l, int fd, uint64_t until)
{
	struct pollfd fds[] = {{fd, POLLIN, 0}, {-1, POLLIN, 0}};
	uint64_t now;
	int n;

	do {
		if (l->child != NULL)
			fds[1].fd = child_ended(l->child) ? -1 : l->child->messages;
		now = now_ms();
		n = poll(fds, 2, until > now ? (int)(until - now) : 0);
	} while (n > 0 && fds[0].revents == 0);
	return n > 0 ? fds[0].revents : 0;
}

/* Reads what has come since, unless the view is frozen.  Processes that were recorded are
 * one profile now.  False: it cannot be read. */
static bool
refresh_profile(struct live *l)
{
	if (l->range.until != 0 || l->watch.complete)
		return true;
	return l->watch.gathers && child_ended(l->child) ? read_again(l) :
							   watch_more(&l->watch);
}

/* Shows it until the user quits, a signal comes or the terminal is gone. */
static enum live_result
run_view(struct live *l)
{
	enum live_result result = LIVE_ON;
	uint64_t due = now_ms() + REFRESH;

	while (result == LIVE_ON && ending == 0) {
		if (!show(l))
			return LIVE_FAILED;
		if (wait_until(l, STDIN_FILENO, due) & GONE)
			return LIVE_QUIT;
		result = obey_all(l);
		if (now_ms() < due)
			continue;
		due = now_ms() + REFRESH;
		if (!refresh_profile(l))
			return LIVE_FAILED;
	}
	return result == LIVE_ON ? LIVE_QUIT : result;
}

/* Waits until the profile can be read.  False: it cannot. */
static bool
wait_for_profile(struct live *l)
{
	while (!read_profile(l)) {
		if (l->child == NULL || ending != 0)
			return false;
		if (l->child->pid == 0)
			return read_profile(l);
		wait_until(l, -1, now_ms() + BEGIN_STEP);
	}
	return true;
}

/* Says why there is nothing to be shown, or no more. */
static void
tell_failure(const struct live *l)
{
	if (ending != 0)
		return;
	if (l->child != NULL && l->child->len > 0)
		child_tell(l->child);
	else
		warnx("%s: %s", l->view.name, l->watch.why[0] != '\0' ?
		    l->watch.why : "out of memory");
}

/* Shows a profile that can be read.  The exit status. */
static int
show_profile(struct live *l)
{
	enum live_result result;

	if (!screen_open()) {
		warnx("this terminal (TERM) cannot show it: use -1");
		return CMD_FAILED;
	}
	result = run_view(l);
	screen_close();
	if (result == LIVE_FAILED)
		tell_failure(l);
	return result == LIVE_FAILED && ending == 0 ? CMD_FAILED : CMD_OK;
}

int
live_show(const struct live_how *how)
{
	struct live l = {.child = how->child, .family = how->family,
	    .name = how->path, .watch = {.selection = how->selection,
	    .ending = &ending, .since = time(NULL) - 1},
	    .range = {.group = how->group, .match = "",
	    .above = how->family ? TALLY_PROCESS : TALLY_THREAD},
	    .view = {.name = how->name, .group = how->group, .column = how->column,
	    .above = true}};
	int status = CMD_FAILED;

	if (asprintf(&l.part, "%s%s", how->path, TACH_PART_SUFFIX) < 0)
		err(CMD_FAILED, NULL);
	signal(SIGTERM, note_end);
	signal(SIGHUP, note_end);
	signal(SIGINT, note_end);
	signal(SIGQUIT, note_end);
	confine_view(l.child != NULL ? how->path : NULL,
	    l.child != NULL ? l.child->pid : 0);
	if (wait_for_profile(&l))
		status = show_profile(&l);
	else
		tell_failure(&l);
	watch_close(&l.watch);
	outline_forget(&l.view.folds);
	free(l.part);
	return status;
}
