/* SPDX-License-Identifier: ISC */
/* select.c: see select.h. */
#include "select.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define TIME_MAX 1e15 /* us, some 30 years: a double has all of them */

enum {
	SELECT_IDLE = 1024,
	SELECT_THREAD,
	SELECT_NOT_THREAD,
	SELECT_INTERP,
	SELECT_NOT_INTERP,
	SELECT_STATUS,
	SELECT_NOT_STATUS,
	SELECT_SINCE,
	SELECT_UNTIL,
	SELECT_MATCH,
	SELECT_NOT_MATCH,
};

/* The names of tach_status_name, for shells. */
static const char *const statuses[] = {"gil", "cpu", "unknown", "gil-wanted",
	"exception", "main", "0x40", "0x80", NULL};

static const char *const idles[] = {"keep", "drop", NULL};

/* The first one is not for commands that have an --idle of their own. */
static const struct option_row rows[] = {
	{"idle", SELECT_IDLE, "WHAT", "keep (the default) or drop those of idle\n"
	    "threads", VALUES_NONE, idles},
	{"thread", SELECT_THREAD, "ID|NAME,...", "of these threads",
	    VALUES_NONE, NULL},
	{"not-thread", SELECT_NOT_THREAD, "ID,...", "of others than these",
	    VALUES_NONE, NULL},
	{"interp", SELECT_INTERP, "N,...", "of these interpreters", VALUES_NONE,
	    NULL},
	{"not-interp", SELECT_NOT_INTERP, "N,...", "of others than these",
	    VALUES_NONE, NULL},
	{"status", SELECT_STATUS, "WORD,...", "with all of gil, cpu, unknown,\n"
	    "gil-wanted, exception, main, 0x40, 0x80", VALUES_LIST, statuses},
	{"not-status", SELECT_NOT_STATUS, "WORD,...", "with none of these",
	    VALUES_LIST, statuses},
	{"since", SELECT_SINCE, "TIME", "from then on: 1.5s, 200ms, 50us, 2m",
	    VALUES_NONE, NULL},
	{"until", SELECT_UNTIL, "TIME", "before then", VALUES_NONE, NULL},
	{"match", SELECT_MATCH, "REGEX",
	    "a frame, file:function:line, matches it", VALUES_NONE, NULL},
	{"not-match", SELECT_NOT_MATCH, "REGEX", "no frame does", VALUES_NONE,
	    NULL},
	{0},
};

/* An option and its value, for messages. */
struct given {
	const char *name, *value;
};

/* Makes room for one more entry behind the n ones of a list, which has room for
 * these at least. */
static void *
grow_list(const void *list, size_t n, size_t size)
{
	size_t max = n;

	return cmd_grow((void *)(uintptr_t)list, n, &max, size);
}

/* A copy of the value that strsep can cut up. */
static char *
copy_value(const struct given *g)
{
	char *copy = strdup(g->value);

	if (copy == NULL)
		err(CMD_FAILED, NULL);
	return copy;
}

/* ---- numbers ------------------------------------------------------------- */

static uint64_t
select_number(const struct given *g, const char *item, uint64_t max)
{
	bool hex = item[0] == '0' && (item[1] == 'x' || item[1] == 'X');
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(item, &end, hex ? 16 : 10);
	if (!isdigit((unsigned char)item[0]) || *end != '\0')
		cmd_usage("--%s %s: '%s' is no number such as 12699 or 0x319b",
		    g->name, g->value, item);
	if (errno == ERANGE || n > max)
		cmd_usage("--%s %s: '%s' is too large (up to %ju)", g->name,
		    g->value, item, (uintmax_t)max);
	return n;
}

static void
add_interps(const struct given *g, const uint32_t **list, size_t *n)
{
	char *copy = copy_value(g), *rest = copy, *item;

	while ((item = strsep(&rest, ",")) != NULL) {
		uint32_t *p = grow_list(*list, *n, sizeof(*p));
		*list = p;
		p[(*n)++] = (uint32_t)select_number(g, item, UINT32_MAX);
	}
	free(copy);
}

/* ---- threads ------------------------------------------------------------- */

/* A list of ids and a list of names. */
struct thread_lists {
	const uint64_t **ids;
	size_t *nids;
	const struct tach_string **names;
	size_t *nnames;
};

static bool
is_number(const char *item)
{
	bool hex = item[0] == '0' && (item[1] == 'x' || item[1] == 'X');
	const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";

	item += hex ? 2 : 0;
	return *item != '\0' && item[strspn(item, digits)] == '\0';
}

static void
add_id(const struct given *g, const struct thread_lists *t, const char *item)
{
	uint64_t *p = grow_list(*t->ids, *t->nids, sizeof(*p));

	*t->ids = p;
	p[(*t->nids)++] = select_number(g, item, UINT64_MAX);
}

static void
add_name(const struct given *g, const struct thread_lists *t, const char *item)
{
	struct tach_string *p;

	if (*item == '\0')
		cmd_usage("--%s %s: '' is no thread", g->name, g->value);
	p = grow_list(*t->names, *t->nnames, sizeof(*p));
	*t->names = p;
	p += (*t->nnames)++;
	*p = (struct tach_string){strdup(item), strlen(item)};
	if (p->bytes == NULL)
		err(CMD_FAILED, NULL);
}

/* Adds numbers as ids and all other items as names. */
static void
add_threads(const struct given *g, const struct thread_lists *t)
{
	char *copy = copy_value(g), *rest = copy, *item;

	while ((item = strsep(&rest, ",")) != NULL)
		if (is_number(item))
			add_id(g, t, item);
		else
			add_name(g, t, item);
	free(copy);
}

static void
free_names(const struct tach_string *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)list[i].bytes);
	free((void *)(uintptr_t)list);
}

/* ---- words --------------------------------------------------------------- */

static uint8_t
parse_status(const struct given *g, const char *item)
{
	const char *name;

	for (unsigned bit = 0; (name = tach_status_name(bit)) != NULL; bit++)
		if (strcmp(item, name) == 0)
			return (uint8_t)(1 << bit);
	cmd_usage("--%s %s: '%s' is none of gil, cpu, unknown, gil-wanted, "
	    "exception, main, 0x40 and 0x80", g->name, g->value, item);
}

static void
add_status(const struct given *g, uint8_t *status)
{
	char *copy = copy_value(g), *rest = copy, *item;

	while ((item = strsep(&rest, ",")) != NULL)
		*status |= parse_status(g, item);
	free(copy);
}

/* Whether samples of idle threads are left out. */
static bool
parse_idle(const struct given *g)
{
	int word = cmdline_word(idles, g->value);

	if (word < 0)
		cmd_usage("--%s %s: there are keep and drop", g->name, g->value);
	return word == 1;
}

/* ---- times --------------------------------------------------------------- */

/* The microseconds of a unit; 0: there is no such unit. */
static double
unit_size(const char *unit)
{
	static const struct {
		const char *name;
		double size;
	} units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6},
	    {"", 1e6}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].size;
	return 0;
}

/* Takes digits and a point only: strtod would take "inf", "0x1p3" and more. */
static uint64_t
parse_time(const struct given *g)
{
	const char *unit = g->value + strspn(g->value, "0123456789.");
	char *end;
	double n = strtod(g->value, &end), size = unit_size(unit);

	if (end == g->value || end != unit || size == 0)
		cmd_usage("--%s %s: not a time such as 1.5s, 200ms, 50us or 2m",
		    g->name, g->value);
	if (n * size >= TIME_MAX)
		cmd_usage("--%s %s: too large", g->name, g->value);
	return (uint64_t)(n * size + 0.5);
}

static void
set_since(const struct given *g, struct tach_selection *s)
{
	s->since = parse_time(g);
	if (s->until != 0 && s->since >= s->until)
		cmd_usage("--%s %s: that is not before --until", g->name,
		    g->value);
}

/* 0 is an error: no sample comes before it, and to the library it means no end. */
static void
set_until(const struct given *g, struct tach_selection *s)
{
	s->until = parse_time(g);
	if (s->until <= s->since)
		cmd_usage("--%s %s: that is not after %s", g->name, g->value,
		    s->since != 0 ? "--since" : "the start");
}

/* ---- expressions --------------------------------------------------------- */

static int
no_runs(struct tach_source *source, struct tach_run *run)
{
	(void)source;
	(void)run;
	return TACH_END;
}

/* Exits if no source can be made of an expression; the line of its error begins
 * with the expression. */
static void
check_regex(const struct given *g)
{
	struct tach_source none = {.size = sizeof(none), .next = no_runs};
	struct tach_selection one = {.size = sizeof(one), .match = &g->value,
	    .nmatch = 1};
	struct tach_source *source = tach_select_new(&none, &one);
	const char *line;

	if (source == NULL)
		err(CMD_FAILED, NULL);
	if (tach_source_error(source, &line) != TACH_ENONE)
		cmd_usage("--%s %s", g->name, line);
	tach_source_free(source);
}

static void
add_regex(const struct given *g, const char *const **list, size_t *n)
{
	const char **p = grow_list(*list, *n, sizeof(*p));

	check_regex(g);
	*list = p;
	p[(*n)++] = g->value;
}

/* ---- the options --------------------------------------------------------- */

static void
set_selection(void *target, const struct option_row *row, const char *value)
{
	struct tach_selection *s = target;
	const struct given given = {row->name, value}, *g = &given;

	s->size = sizeof(*s);
	switch (row->key) {
	case SELECT_IDLE:
		s->not_idle = parse_idle(g);
		break;
	case SELECT_THREAD:
		add_threads(g, &(struct thread_lists){&s->threads, &s->nthreads,
		    &s->names, &s->nnames});
		break;
	case SELECT_NOT_THREAD:
		add_threads(g, &(struct thread_lists){&s->not_threads,
		    &s->nnot_threads, &s->not_names, &s->nnot_names});
		break;
	case SELECT_INTERP:
		add_interps(g, &s->interps, &s->ninterps);
		break;
	case SELECT_NOT_INTERP:
		add_interps(g, &s->not_interps, &s->nnot_interps);
		break;
	case SELECT_STATUS:
		add_status(g, &s->status);
		break;
	case SELECT_NOT_STATUS:
		add_status(g, &s->not_status);
		break;
	case SELECT_SINCE:
		set_since(g, s);
		break;
	case SELECT_UNTIL:
		set_until(g, s);
		break;
	case SELECT_MATCH:
		add_regex(g, &s->match, &s->nmatch);
		break;
	case SELECT_NOT_MATCH:
		add_regex(g, &s->not_match, &s->nnot_match);
		break;
	}
}

struct option_group
select_group(struct selection *s)
{
	return (struct option_group){rows, 29, "Samples to take; all of these must "
	    "hold:", set_selection, &s->what,
	    &s->given};
}

struct option_group
select_group_but_idle(struct selection *s)
{
	struct option_group group = select_group(s);

	group.rows++;
	return group;
}

void
select_drop_idle(struct selection *s)
{
	s->what.size = sizeof(s->what);
	s->what.not_idle = s->given = true;
}

void
select_clear(struct selection *s)
{
	struct tach_selection *w = &s->what;

	free((void *)(uintptr_t)w->threads);
	free((void *)(uintptr_t)w->not_threads);
	free_names(w->names, w->nnames);
	free_names(w->not_names, w->nnot_names);
	free((void *)(uintptr_t)w->interps);
	free((void *)(uintptr_t)w->not_interps);
	free((void *)(uintptr_t)w->match);
	free((void *)(uintptr_t)w->not_match);
	*s = (struct selection){0};
}

struct tach_source *
select_source(const struct selection *s, struct tach_source *from)
{
	return s->given ? tach_select_new(from, &s->what) : from;
}
