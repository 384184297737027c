/* SPDX-License-Identifier: ISC */
/*
 * select.c: a source of what is selected of another one.  A thread is decided on
 * once, and a frame is matched once; then a run costs a look at its ticks and at
 * what is known of its frames, each only where it is asked for.
 */
#include <errno.h>
#include <locale.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "error.h"
#include "options.h"
#include "tach.h"

/* How much of a name is matched, so that a small hostile file, in which many
 * frames have one long name, cannot ask for time without end. */
#define MATCHED_MAX 65536 /* bytes */

/* What is known of a frame and an expression. */
enum verdict {
	UNKNOWN, /* not matched yet, or there was no memory for it */
	MATCHES,
	MATCHES_NOT,
};

struct select_thread {
	bool decided, selected;
	bool given;	 /* something of it was */
	uint32_t index;	 /* of it, in what is given */
	uint32_t shared; /* with the run that was given last */
};

struct select {
	struct tach_source source, *from;
	struct tach_selection selection;
	bool by_tick;		/* ticks of one run may differ */
	struct select_thread *threads; /* by a run's index */
	size_t nthreads, threads_max;
	uint32_t ngiven;   /* threads */
	regex_t *exprs;	   /* those of match, then those of not_match */
	size_t nexprs;
	uint8_t *verdicts; /* nexprs for each frame */
	size_t frames_max;
	struct buf text; /* scratch: of a frame */
	struct tach_run run; /* as it was read; its ticks are selected from `at` on */
	size_t at;
	bool refused; /* it cannot be used */
	struct error error;
};

/* ---- threads ------------------------------------------------------------- */

static bool
has_thread(const uint64_t *list, size_t n, uint64_t thread)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == thread)
			return true;
	return false;
}

static bool
has_interp(const uint32_t *list, size_t n, uint32_t interp)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == interp)
			return true;
	return false;
}

static bool
has_name(const struct tach_string *list, size_t n, struct tach_string name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].len == name.len &&
		    memcmp(list[i].bytes, name.bytes, name.len) == 0)
			return true;
	return false;
}

static bool
thread_selected(const struct tach_selection *s, const struct tach_run *run,
    struct tach_string name)
{
	return ((s->nthreads == 0 && s->nnames == 0) ||
		   has_thread(s->threads, s->nthreads, run->thread) ||
		   has_name(s->names, s->nnames, name)) &&
	    (s->ninterps == 0 ||
		has_interp(s->interps, s->ninterps, run->interp)) &&
	    !has_thread(s->not_threads, s->nnot_threads, run->thread) &&
	    !has_name(s->not_names, s->nnot_names, name) &&
	    !has_interp(s->not_interps, s->nnot_interps, run->interp);
}

/* Of what is still being recorded, a name can come later than the thread. */
static void
decide(const struct select *f, const struct tach_run *run, struct select_thread *t)
{
	const struct tach_selection *s = &f->selection;
	struct tach_string name = {"", 0};

	t->decided = s->nnames == 0 && s->nnot_names == 0;
	if (!t->decided)
		t->decided = tach_table_thread_name(f->source.table, run->interp,
		    run->thread, &name);
	t->selected = thread_selected(s, run, name);
}

/* NULL: out of memory. */
static struct select_thread *
selected_thread(struct select *f, const struct tach_run *run)
{
	struct select_thread *t;

	while (f->nthreads <= run->index) {
		t = array_grow(f->threads, f->nthreads, &f->threads_max,
		    sizeof(*t));
		if (t == NULL)
			return NULL;
		f->threads = t;
		t[f->nthreads++] = (struct select_thread){0};
	}
	t = &f->threads[run->index];
	if (!t->decided)
		decide(f, run, t);
	return t;
}

/* ---- ticks --------------------------------------------------------------- */

static bool
tick_selected(const struct tach_selection *s, const struct tach_tick *t,
    uint8_t switches)
{
	return (t->status & s->status) == s->status &&
	    (t->status & s->not_status) == 0 &&
	    !(s->no_switches && (t->status & switches) != 0) &&
	    !(s->not_idle && tach_status_idle(t->status)) &&
	    t->time >= s->since &&
	    (s->until == 0 || t->time < s->until);
}

/* The first tick from a place on that is selected, or is not. */
static size_t
find_tick(const struct select *f, const struct tach_run *run, size_t from,
    bool selected)
{
	uint8_t switches = tach_table_switches(f->source.table);

	if (!f->by_tick)
		return selected ? from : run->count;
	while (from < run->count &&
	    tick_selected(&f->selection, &run->ticks[from], switches) != selected)
		from++;
	return from;
}

/* ---- frames -------------------------------------------------------------- */

/* A NUL byte would end the text for regexec. */
static void
add_matched_name(struct buf *b, struct tach_string name)
{
	size_t len = name.len < MATCHED_MAX ? name.len : MATCHED_MAX;
	char *to = len > 0 ? buf_reserve(b, len) : NULL;

	if (to == NULL)
		return;
	for (size_t i = 0; i < len; i++)
		to[i] = name.bytes[i] != '\0' ? name.bytes[i] : '?';
	b->len += len;
}

/* FILE:FUNCTION:LINE.  NULL: out of memory. */
static const char *
matched_text(struct select *f, uint32_t index)
{
	const struct tach_frame *frame = tach_table_frame(f->source.table, index);
	struct buf *b = &f->text;

	b->len = 0;
	add_matched_name(b, tach_table_string(f->source.table, frame->file));
	buf_add_char(b, ':');
	add_matched_name(b, tach_table_string(f->source.table, frame->func));
	buf_add_char(b, ':');
	if (frame->line < -1)
		buf_add_char(b, '-');
	if (frame->line != -1)
		buf_add_number(b, (uint64_t)llabs(frame->line));
	buf_add_char(b, '\0');
	return b->failed ? NULL : b->text;
}

static enum verdict
match_frame(struct select *f, uint32_t index, size_t expr)
{
	const char *text = matched_text(f, index);

	if (text == NULL)
		return UNKNOWN;
	switch (regexec(&f->exprs[expr], text, 0, NULL, 0)) {
	case 0:
		return MATCHES;
	case REG_NOMATCH:
		return MATCHES_NOT;
	default:
		return UNKNOWN;
	}
}

/* Room for what is known of all frames that there are by now. */
static bool
reserve_verdicts(struct select *f)
{
	uint8_t *p = array_reserve_set(f->verdicts, &f->frames_max,
	    tach_table_frame_count(f->source.table), f->nexprs, UNKNOWN);

	if (p == NULL)
		return false;
	f->verdicts = p;
	return true;
}

/* Whether an expression finds something in one of the frames. */
static enum verdict
match_frames(struct select *f, const struct tach_run *run, size_t expr)
{
	for (uint32_t i = 0; i < run->depth; i++) {
		uint8_t *v = &f->verdicts[run->frames[i] * f->nexprs + expr];
		if (*v == UNKNOWN)
			*v = (uint8_t)match_frame(f, run->frames[i], expr);
		if (*v != MATCHES_NOT)
			return *v;
	}
	return MATCHES_NOT;
}

/* Whether the stack is selected. */
static enum verdict
match_stack(struct select *f, const struct tach_run *run)
{
	if (f->nexprs == 0)
		return MATCHES;
	if (!reserve_verdicts(f))
		return UNKNOWN;
	for (size_t i = 0; i < f->nexprs; i++) {
		enum verdict want = i < f->selection.nmatch ? MATCHES :
							      MATCHES_NOT;
		enum verdict got = match_frames(f, run, i);
		if (got != want)
			return got == UNKNOWN ? UNKNOWN : MATCHES_NOT;
	}
	return MATCHES;
}

/* ---- the source ---------------------------------------------------------- */

static int
select_no_memory(struct select *f)
{
	return error_system(&f->error, "", ENOMEM);
}

/* Numbers a run that is given from one of its ticks on. */
static void
begin_run(struct select *f, struct select_thread *t, size_t first)
{
	if (!t->given)
		t->index = f->ngiven++;
	t->given = true;
	f->run.index = t->index;
	f->run.shared = t->shared;
	t->shared = f->run.depth;
	f->at = first;
}

/* Finds what is selected of the run that was read. */
static int
look_at_run(struct select *f)
{
	struct tach_run *run = &f->run;
	struct select_thread *t = selected_thread(f, run);
	enum verdict verdict;
	size_t first;

	f->at = run->count;
	if (t == NULL)
		return select_no_memory(f);
	if (!t->selected)
		return TACH_OK;
	/* Also of a run that is left out: what it changed is not shared. */
	if (run->shared < t->shared)
		t->shared = run->shared;
	first = find_tick(f, run, 0, true);
	if (first == run->count)
		return TACH_OK;
	if ((verdict = match_stack(f, run)) == UNKNOWN)
		return select_no_memory(f);
	if (verdict == MATCHES)
		begin_run(f, t, first);
	return TACH_OK;
}

/* Gives the next selected ticks of the run that was read, those that lie together.
 * False: there are none. */
static bool
give_part(struct select *f, struct tach_run *run)
{
	size_t end;

	if (f->at == f->run.count)
		return false;
	end = find_tick(f, &f->run, f->at, false);
	*run = f->run;
	run->ticks += f->at;
	run->count = end - f->at;
	f->run.shared = run->depth;
	f->at = find_tick(f, &f->run, end, true);
	return true;
}

static int
select_next(struct tach_source *source, struct tach_run *run)
{
	struct select *f = source->arg;
	int rc;

	if (f->refused)
		return TACH_FATAL;
	while (!give_part(f, run)) {
		f->at = f->run.count = 0;
		if ((rc = tach_source_next(f->from, &f->run)) != TACH_OK) {
			f->run.count = 0;
			return rc;
		}
		if (look_at_run(f) != TACH_OK)
			return TACH_FATAL;
	}
	return TACH_OK;
}

static void
select_free(struct tach_source *source)
{
	struct select *f = source->arg;

	tach_source_free(f->from);
	free(f->threads);
	free(f->verdicts);
	for (size_t i = 0; i < f->nexprs; i++)
		regfree(&f->exprs[i]);
	free(f->exprs);
	buf_clear(&f->text);
	free(f);
}

static enum tach_error
select_error(const struct tach_source *source, const char **line)
{
	const struct select *f = source->arg;

	return error_or(&f->error, f->from, line);
}

static bool
selects_by_tick(const struct tach_selection *s)
{
	return (s->status | s->not_status) != 0 || s->since != 0 ||
	    s->until != 0 || s->not_idle || s->no_switches;
}

static bool
selects_all(const struct tach_selection *s)
{
	return !selects_by_tick(s) && s->nthreads == 0 &&
	    s->nnot_threads == 0 && s->nnames == 0 && s->nnot_names == 0 &&
	    s->ninterps == 0 && s->nnot_interps == 0 && s->nmatch == 0 && s->nnot_match == 0;
}

/* Adds an expression, which matches bytes, whatever the locale of the program.  False:
 * it is none, or memory ran out; the error says it. */
static bool
compile(struct select *f, const char *text)
{
	regex_t *re = &f->exprs[f->nexprs];
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = uselocale(c);
	int code = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	char why[256];

	uselocale(before);
	freelocale(c);
	if (code == 0) {
		f->nexprs++;
		return true;
	}
	regerror(code, re, why, sizeof(why));
	error_set(&f->error, code == REG_ESPACE ? TACH_ENOMEM : TACH_EUSE,
	    "%s: %s", text, why);
	return false;
}

static bool
compile_all(struct select *f)
{
	const struct tach_selection *s = &f->selection;
	size_t n = s->nmatch + s->nnot_match;
	bool ok = true;

	if (n == 0)
		return true;
	if ((f->exprs = calloc(n, sizeof(*f->exprs))) == NULL)
		return error_memory(&f->error) == TACH_OK;
	for (size_t i = 0; ok && i < s->nmatch; i++)
		ok = compile(f, s->match[i]);
	for (size_t i = 0; ok && i < s->nnot_match; i++)
		ok = compile(f, s->not_match[i]);
	return ok;
}

struct tach_source *
tach_select_new(struct tach_source *from,
    const struct tach_selection *selection)
{
	struct select *f;

	struct tach_selection known;
	bool usable = options_take(&known, sizeof(known), selection);

	if (from == NULL || (usable && selects_all(&known)))
		return from;
	if ((f = calloc(1, sizeof(*f))) == NULL) {
		tach_source_free(from);
		return NULL;
	}
	f->source = (struct tach_source){.size = sizeof(f->source),
	    .arg = f,
	    .meta = from->meta,
	    .table = from->table,
	    .next = select_next,
	    .free = select_free,
	    .error = select_error};
	f->from = from;
	f->selection = known;
	f->by_tick = selects_by_tick(&known);
	if (!usable)
		error_set(&f->error, TACH_EUSE,
		    "the selection " OPTIONS_FAULT);
	f->refused = !usable || !compile_all(f);
	return &f->source;
}
