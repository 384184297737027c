/* SPDX-License-Identifier: ISC */
/* survey.c: see survey.h. */
#include "survey.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "io.h"
#include "note.h"
#include "place.h"
#include "why.h"

static bool
skip_input(const struct input *in, const char *why)
{
	warnx("%s: %s: skipped", cmd_input_name(in->name), why);
	return false;
}

/* ---- opening ------------------------------------------------------------- */

/* Copies an input that can be read only once to a temporary file.  Returns its
 * descriptor, or -1 with errno. */
static int
copy_input(int from)
{
	int to = cmd_temporary(CMD_FAILED), e;

	if (io_copy(from, to))
		return to;
	e = errno;
	close(to);
	errno = e;
	return -1;
}

/* Whether an input can be read only once.  The reader reports an input that does
 * not exist or is a directory. */
static bool
reads_once(const char *name)
{
	struct stat st;
	int res = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st) :
	    stat(name, &st);

	return res == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Makes sure that an input can be read twice. */
static bool
prepare_input(struct input *in)
{
	bool is_stdin = strcmp(in->name, "-") == 0;
	int fd = STDIN_FILENO;

	place_reads(in->name);
	if (!reads_once(in->name)) {
		in->copy = is_stdin ? fd : -1;
		return true;
	}
	if (!is_stdin && (fd = open(in->name, O_RDONLY | O_CLOEXEC)) < 0)
		return skip_input(in, strerror(errno));
	if ((in->copy = copy_input(fd)) < 0)
		skip_input(in, strerror(errno));
	if (!is_stdin)
		close(fd);
	return in->copy >= 0;
}

int
survey_open(const struct input *in, struct tach_reader **r)
{
	if ((*r = tach_reader_new()) == NULL)
		err(CMD_FAILED, "%s", cmd_input_name(in->name));
	if (in->copy >= 0) {
		lseek(in->copy, 0, SEEK_SET);
		return tach_reader_open_fd(*r, in->copy);
	}
	if (strcmp(in->name, "-") == 0)
		return tach_reader_open_fd(*r, STDIN_FILENO);
	return tach_reader_open(*r, in->name);
}

void
survey_clear(struct input *in)
{
	for (size_t i = 0; i < in->nnotes; i++)
		free(in->notes[i]);
	free(in->notes);
	free(in->name);
	free(in->interps);
	free(in->facts);
	if (in->copy > STDIN_FILENO)
		close(in->copy);
}

/* ---- notes --------------------------------------------------------------- */

/* The most interpreters without samples that one note, and all notes of an input,
 * may name.  A selection leaves some, but numbers of a stranger must not use up all
 * that there are. */
#define EMPTY_OF_NOTE (UINT64_C(1) << 16)
#define EMPTY_OF_INPUT (UINT64_C(1) << 20)

static struct tach_string
string_of(const char *text)
{
	return (struct tach_string){text, strlen(text)};
}

/* The strings of a table that are names, not notes: an entry for each string, to be
 * freed. */
static bool *
names_of(const struct tach_table *t)
{
	bool *names =
	    calloc((size_t)tach_table_string_count(t) + 1, sizeof(*names));

	if (names == NULL)
		err(CMD_FAILED, NULL);
	for (uint32_t i = 0; i < tach_table_frame_count(t); i++) {
		const struct tach_frame *f = tach_table_frame(t, i);
		names[f->file] = names[f->func] = true;
	}
	return names;
}

/* Whether a note looks like the ones that the meta is read from.  If it became the
 * last one of the result, it would be taken for one. */
static bool
is_meta(struct tach_string note)
{
	struct tach_string rest;

	return note_kind(note, "config", &rest) ||
	    note_kind(note, "quality", &rest);
}

static void
add_note(struct input *in, struct tach_string note)
{
	char *text;

	if (is_meta(note))
		return;
	if ((text = strndup(note.bytes, note.len)) == NULL)
		err(CMD_FAILED, NULL);
	in->notes = cmd_grow(in->notes, in->nnotes, &in->notes_max,
	    sizeof(*in->notes));
	in->notes[in->nnotes++] = text;
}

void
survey_notes(struct input *in, const struct tach_table *t)
{
	bool *names = names_of(t);
	struct tach_string note;

	for (uint32_t i = 0; i < tach_table_string_count(t); i++)
		if (!names[i] &&
		    tach_string_note(tach_table_string(t, i), &note))
			add_note(in, note);
	free(names);
}

/* Parses thread INTERP ...; the rest begins with its space. */
static bool
parse_thread(struct tach_string note, uint32_t *interp,
    struct tach_string *rest)
{
	uint64_t n;

	if (!note_kind(note, "thread", rest) ||
	    !note_number(rest, UINT32_MAX, &n) || rest->len == 0 ||
	    rest->bytes[0] != ' ')
		return false;
	*interp = (uint32_t)n;
	return true;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The new number of an interpreter; UINT64_MAX: it has no samples. */
static uint64_t
new_number(const struct input *in, uint32_t interp)
{
	const uint32_t *other;

	if (interp < in->kept)
		return in->base + interp;
	other = in->nothers == 0 ? NULL : bsearch(&interp, in->others,
	    in->nothers, sizeof(interp), by_number);
	return other == NULL ? UINT64_MAX :
	    in->base + in->kept + (uint64_t)(other - in->others);
}

/* The note of a thread with its new interpreter; NULL: the interpreter has no
 * samples. */
static char *
thread_note(const struct input *in, uint32_t interp, struct tach_string rest)
{
	uint64_t number = new_number(in, interp);
	char *out;

	if (number == UINT64_MAX)
		return NULL;
	if (asprintf(&out, "thread %" PRIu64 "%.*s", number, (int)rest.len,
		rest.bytes) < 0)
		err(CMD_FAILED, NULL);
	return out;
}

char *
survey_note(const struct input *in, size_t note)
{
	struct tach_string text = string_of(in->notes[note]), rest;
	uint32_t first, last;
	uint64_t number;
	char *out;
	int n;

	/* Written anew: in the result, other intervals may differ from the
	 * header's, and other notes come before those of ranges. */
	if (note_kind(text, "interval", &rest) ||
	    note_process(text, &first, &number) ||
	    note_time(text, &first, &number))
		return NULL;
	if (parse_thread(text, &first, &rest))
		return thread_note(in, first, rest);
	if (!note_input(text, &first, &last, &rest))
		n = asprintf(&out, "%s", in->notes[note]);
	else if (last >= in->kept)
		return NULL;
	else
		n = asprintf(&out, "input %" PRIu64 "-%" PRIu64 "%.*s",
		    in->base + first, in->base + last, (int)rest.len,
		    rest.bytes);
	if (n < 0)
		err(CMD_FAILED, NULL);
	return out;
}

/* The note WORD INTERP NUMBER of an interpreter. */
static char *
fact_note(const struct input *in, const char *word, size_t interp,
    uint64_t number)
{
	char *out;

	if (asprintf(&out, "%s %" PRIu64 " %" PRIu64, word,
		new_number(in, in->interps[interp]), number) < 0)
		err(CMD_FAILED, NULL);
	return out;
}

char *
survey_interval_note(const struct input *in, size_t interp, uint64_t all)
{
	uint64_t interval = in->facts[interp].interval;

	return interval == all ? NULL : fact_note(in, "interval", interp, interval);
}

char *
survey_process_note(const struct input *in, size_t interp,
    struct interp_facts *last)
{
	const struct interp_facts *f = &in->facts[interp];
	bool begins = interp == 0 || f->first != in->facts[interp - 1].first;

	if (f->process == last->process && (f->process == 0 || !begins))
		return NULL;
	last->process = f->process;
	return fact_note(in, "process", interp, f->process);
}

char *
survey_time_note(const struct input *in, size_t interp,
    struct interp_facts *last)
{
	uint64_t time = in->facts[interp].time;

	time = time > in->shift ? time - in->shift : 0;
	if (time == last->time)
		return NULL;
	last->time = time;
	return fact_note(in, "time", interp, time);
}

/* The text of the old interpreter numbers; empty if they were 0, 1, 2 and so on.
 * To be freed. */
static char *
old_numbers(const struct input *in)
{
	char *text;
	size_t size, i = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		err(CMD_FAILED, NULL);
	while (i < in->nothers && in->others[i] == i)
		i++;
	for (size_t k = 0; i < in->nothers && k < in->nothers; k++)
		fprintf(f, "%s%" PRIu32, k == 0 ? " was=" : ",",
		    in->others[k]);
	if (fclose(f) != 0)
		err(CMD_FAILED, NULL);
	return text;
}

char *
survey_own_note(const struct input *in)
{
	uint64_t first = in->base + in->kept;
	const struct tach_meta *meta = &in->meta;
	char *was, *out;

	if (in->kept > 0 && in->nothers == 0)
		return NULL;
	was = old_numbers(in);
	if (asprintf(&out, "input %" PRIu64 "-%" PRIu64 "%s start=%" PRIu64
	    " python=%u.%u.%u %s", first,
	    first + (in->nothers > 0 ? in->nothers - 1 : 0), was,
	    meta->start_us, meta->python[0], meta->python[1], meta->python[2],
	    in->name) < 0)
		err(CMD_FAILED, NULL);
	free(was);
	return out;
}

/* ---- the survey ---------------------------------------------------------- */

/* Sorts the interpreters of all threads, and keeps each once. */
static void
sort_interps(struct input *in)
{
	size_t n = 0;

	if (in->ninterps > 0)
		qsort(in->interps, in->ninterps, sizeof(*in->interps),
		    by_number);
	for (size_t i = 0; i < in->ninterps; i++)
		if (n == 0 || in->interps[n - 1] != in->interps[i])
			in->interps[n++] = in->interps[i];
	in->ninterps = n;
}

/* Finds what is known of each interpreter: its interval by the notes, or else by the
 * header. */
static void
find_facts(struct input *in, const struct tach_table *t)
{
	in->facts = reallocarray(NULL, in->ninterps + 1, sizeof(*in->facts));
	if (in->facts == NULL)
		err(CMD_FAILED, NULL);
	for (size_t i = 0; i < in->ninterps; i++) {
		uint32_t interp = in->interps[i];
		struct interp_facts *f = &in->facts[i];
		f->interval = tach_table_interval(t, &in->meta, interp);
		f->process = tach_table_process(t, interp, &f->first);
		f->time = tach_table_time(t, interp);
	}
}

struct id_range {
	uint32_t first, last;
};

static int
by_first(const void *a, const void *b)
{
	return by_number(&((const struct id_range *)a)->first,
	    &((const struct id_range *)b)->first);
}

/* The ranges of an input's notes, ascending; to be freed. */
static struct id_range *
ranges_of(const struct input *in, size_t *n)
{
	struct id_range *ranges = calloc(in->nnotes + 1, sizeof(*ranges)), *r;
	struct tach_string rest;

	if (ranges == NULL)
		err(CMD_FAILED, NULL);
	*n = 0;
	for (size_t i = 0; i < in->nnotes; i++) {
		r = &ranges[*n];
		*n += note_input(string_of(in->notes[i]), &r->first, &r->last,
		    &rest);
	}
	if (*n > 0)
		qsort(ranges, *n, sizeof(*ranges), by_first);
	return ranges;
}

/* Whether a merge can have given a range: it numbers inputs without gaps, and an
 * input has no more interpreters than samples, except for those whose samples were
 * not selected. */
static bool
believed(const struct input *in, const struct id_range *r)
{
	uint64_t end = (uint64_t)r->last + 1;

	return r->first <= in->kept &&
	    end - r->first <= EMPTY_OF_NOTE + in->ninterps &&
	    end <= EMPTY_OF_INPUT + in->ninterps;
}

/* Finds the interpreters that an earlier merge has numbered.  All that come after
 * them are others. */
static void
keep_interps(struct input *in)
{
	size_t n, i, kept = 0;
	struct id_range *ranges = ranges_of(in, &n);

	for (i = 0; i < n && believed(in, &ranges[i]); i++)
		if (ranges[i].last >= in->kept)
			in->kept = (uint64_t)ranges[i].last + 1;
	if (i < n)
		warnx("%s: its note \"input %" PRIu32 "-%" PRIu32
		    "\" has numbers that no merge gives: "
		    "left out%s", cmd_input_name(in->name), ranges[i].first,
		    ranges[i].last, i + 1 < n ? ", as are others" : "");
	free(ranges);
	while (kept < in->ninterps && in->interps[kept] < in->kept)
		kept++;
	in->others = kept < in->ninterps ? in->interps + kept : NULL;
	in->nothers = in->ninterps - kept;
}

/* Counts a run, and adds the interpreter of a new thread. */
static int
survey_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct input *in = sink->arg;
	uint64_t time = run->ticks[run->count - 1].time;

	if (run->index >= in->ninterps) {
		in->interps = cmd_grow(in->interps, in->ninterps,
		    &in->interps_max, sizeof(*in->interps));
		in->interps[in->ninterps++] = run->interp;
	}
	in->samples += run->count;
	if (time > in->latest)
		in->latest = time;
	return TACH_OK;
}

static bool
survey_reader(struct input *in, struct tach_reader *r)
{
	struct tach_sink sink = {
	    .size = sizeof(sink), .arg = in, .run = survey_run};
	size_t said = cmd_remark(r, in->name, 0);
	int rc = tach_pump(tach_reader_source(r), &sink);

	cmd_remark(r, in->name, said);
	if (rc < TACH_OK || tach_reader_verify(r) == TACH_FATAL)
		return skip_input(in, reader_why(r));
	in->meta = *tach_reader_meta(r);
	survey_notes(in, tach_reader_table(r));
	sort_interps(in);
	find_facts(in, tach_reader_table(r));
	keep_interps(in);
	return true;
}

bool
survey_input(struct input *in)
{
	struct tach_reader *r;
	bool sound;

	if (!prepare_input(in))
		return false;
	sound = survey_open(in, &r) != TACH_FATAL ? survey_reader(in, r) :
	    skip_input(in, reader_why(r));
	tach_reader_free(r);
	return sound;
}

/* ---- numbers and times --------------------------------------------------- */

/* The number of interpreters that an input takes: at least one, so that its note
 * has a place. */
static uint64_t
width(const struct input *in)
{
	uint64_t n = in->kept + in->nothers;

	return n > 0 ? n : 1;
}

/* Moves an input's times to a clock that starts at `start`.  False: they do not
 * fit, and a message was printed. */
static bool
set_clock(struct input *in, uint64_t start)
{
	in->shift = in->meta.start_us - start;
	if (in->meta.start_us == 0)
		warnx("%s: it has no start time: taken as 0 us on "
		    "the clock", cmd_input_name(in->name));
	if (in->latest <= UINT64_MAX - in->shift)
		return true;
	return skip_input(in, "its times are out of range on the common clock");
}

/* Marks the inputs of another minor version than the result's: the names of their
 * opcodes would be wrong. */
static void
find_foreign(struct input *list, size_t n)
{
	struct tach_meta meta = survey_meta(list, n);

	for (size_t i = 0; i < n; i++)
		list[i].foreign = memcmp(list[i].meta.python, meta.python,
		    2) != 0;
}

/* Moves all inputs' times to the clock of the earliest input. */
static size_t
set_clocks(struct input *list, size_t n)
{
	uint64_t start = survey_meta(list, n).start_us;
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (set_clock(&list[i], start))
			list[left++] = list[i];
		else
			survey_clear(&list[i]);
	return left;
}

static size_t
widest(const struct input *list, size_t n)
{
	size_t most = 0;

	for (size_t i = 1; i < n; i++)
		if (width(&list[i]) > width(&list[most]))
			most = i;
	return most;
}

/* Takes out the inputs with the most interpreters while all together have more than
 * can be numbered. */
static size_t
drop_widest(struct input *list, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += width(&list[i]);
	while (all > UINT32_MAX + UINT64_C(1)) {
		size_t at = widest(list, n);
		all -= width(&list[at]);
		skip_input(&list[at], "all files together have more interpreters "
		    "than can be numbered");
		survey_clear(&list[at]);
		n--;
		memmove(list + at, list + at + 1, (n - at) * sizeof(*list));
	}
	return n;
}

size_t
survey_place(struct input *list, size_t n, bool clock)
{
	uint64_t base = 0;

	if (clock)
		n = set_clocks(list, n);
	n = drop_widest(list, n);
	for (size_t i = 0; i < n; i++) {
		list[i].base = base;
		base += width(&list[i]);
	}
	find_foreign(list, n);
	return n;
}

/* Whether the opcodes of a Python have names. */
static bool
has_opcodes(const struct tach_meta *meta)
{
	for (unsigned i = 0; i < TACH_NO_OPCODE; i++)
		if (tach_opcode_name(meta, (uint8_t)i) != NULL)
			return true;
	return false;
}

/* Takes the newer of two Pythons.  A version that is not known is taken only if
 * both are not: it would take all opcodes' names away. */
static void
take_python(struct tach_meta *to, const struct tach_meta *from)
{
	bool old = has_opcodes(to), new = has_opcodes(from);

	if (new != old ? new : memcmp(from->python, to->python, 3) > 0)
		memcpy(to->python, from->python, sizeof(to->python));
}

struct tach_meta
survey_meta(const struct input *list, size_t n)
{
	struct tach_meta meta = {.size = sizeof(meta)};

	if (n > 0)
		meta = list[0].meta;
	for (size_t i = 1; i < n; i++) {
		const struct tach_meta *m = &list[i].meta;
		take_python(&meta, m);
		if (m->start_us < meta.start_us)
			meta.start_us = m->start_us;
		if (meta.interval_us == 0 || (m->interval_us != 0 &&
			m->interval_us < meta.interval_us))
			meta.interval_us = m->interval_us;
		if (m->config != meta.config)
			meta.config = 0;
		meta.quality = (struct tach_quality){0};
	}
	return meta;
}
