/* SPDX-License-Identifier: ISC */
/* gather.c: see gather.h. */
#include "gather.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"

/* A list by an index of a member's source; TACH_NONE: not known yet. */
struct number_list {
	uint32_t *list;
	size_t count, max;
};

/* A process. */
struct gathered {
	char *name; /* of its file, in the directory */
	struct tach_reader *reader;
	struct tach_source *source; /* NULL: it has ended */
	uint64_t shift;		    /* of its times, to those of the first member */
	struct number_list strings, frames, threads;
	struct number_list interps; /* pairs: its number, and ours */
};

struct gather {
	struct tach_source source;
	struct tach_meta meta;
	struct tach_table *table;
	char *directory, *stem; /* of the output; and its name up to its last dot */
	time_t since;
	const char *end;	/* and from there on, of the caller's text */
	struct gathered *members;
	size_t count, max, at;
	uint32_t threads, interps; /* how many there are */
	uint32_t *frames;	   /* of the run that was given last */
	size_t frames_max;
	struct tach_tick *ticks; /* likewise */
	size_t ticks_max;
};

/* ---- numbers ------------------------------------------------------------- */

/* The place of an index in a list, which grows to have it.  NULL: out of memory. */
static uint32_t *
number_at(struct number_list *n, uint32_t index)
{
	uint32_t *list = array_reserve(n->list, &n->max, (size_t)index + 1,
	    sizeof(*list));

	if (list == NULL)
		return NULL;
	n->list = list;
	while (n->count <= index)
		list[n->count++] = TACH_NONE;
	return &list[index];
}

static uint32_t
gathered_string(struct gather *g, struct gathered *m, uint32_t string)
{
	uint32_t *own = number_at(&m->strings, string);
	struct tach_string s;

	if (own == NULL || *own != TACH_NONE)
		return own != NULL ? *own : TACH_NONE;
	s = tach_table_string(m->source->table, string);
	return *own = tach_table_add_string(g->table, s.bytes, s.len);
}

static uint32_t
gathered_frame(struct gather *g, struct gathered *m, uint32_t frame)
{
	uint32_t *own = number_at(&m->frames, frame);
	struct tach_frame f;

	if (own == NULL || *own != TACH_NONE)
		return own != NULL ? *own : TACH_NONE;
	f = *tach_table_frame(m->source->table, frame);
	f.file = gathered_string(g, m, f.file);
	f.func = gathered_string(g, m, f.func);
	return *own = f.file == TACH_NONE || f.func == TACH_NONE ? TACH_NONE :
	    tach_table_add_frame(g->table, &f);
}

/* Adds a note to the table.  False: out of memory. */
static bool
add_gathered_note(struct gather *g, char *text)
{
	bool ok = text != NULL && tach_table_add_note(g->table, text) != TACH_NONE;

	free(text);
	return ok;
}

/* Our number of a member's interpreter; TACH_NONE: out of memory. */
static uint32_t
gathered_interp(struct gather *g, struct gathered *m, uint32_t interp)
{
	uint32_t *pair;
	char *text;

	for (size_t i = 0; i + 1 < m->interps.count; i += 2)
		if (m->interps.list[i] == interp)
			return m->interps.list[i + 1];
	if (asprintf(&text, "input %" PRIu32 "-%" PRIu32 " %s", g->interps, g->interps,
		m->name) < 0)
		text = NULL;
	pair = number_at(&m->interps, (uint32_t)m->interps.count + 1);
	if (!add_gathered_note(g, text) || pair == NULL)
		return TACH_NONE;
	pair[-1] = interp;
	return *pair = g->interps++;
}

/* Our number of a run's thread, whose name is noted; TACH_NONE: out of memory. */
static uint32_t
gathered_thread(struct gather *g, struct gathered *m, const struct tach_run *run,
    uint32_t interp)
{
	uint32_t *own = number_at(&m->threads, run->index);
	struct tach_string name;
	char *text;

	if (own == NULL || *own != TACH_NONE)
		return own != NULL ? *own : TACH_NONE;
	if (tach_table_thread_name(m->source->table, run->interp, run->thread, &name)) {
		if (asprintf(&text, "thread %" PRIu32 " %" PRIu64 " %.*s", interp,
			run->thread, (int)name.len, name.bytes) < 0)
			text = NULL;
		if (!add_gathered_note(g, text))
			return TACH_NONE;
	}
	return *own = g->threads++;
}

/* ---- members ------------------------------------------------------------- */

static void
end_member(struct gathered *m)
{
	tach_source_free(m->source);
	tach_reader_free(m->reader);
	free(m->strings.list);
	free(m->frames.list);
	free(m->threads.list);
	free(m->interps.list);
	*m = (struct gathered){.name = m->name};
}

/* Whether a file is a member's: NAME.PID.bin or its part.  Cuts off what a part has. */
static bool
is_member(const struct gather *g, char *file)
{
	size_t n = strlen(g->stem), len = strlen(file), end = strlen(g->end);
	size_t part = strlen(TACH_PART_SUFFIX);

	if (len > part && strcmp(file + len - part, TACH_PART_SUFFIX) == 0)
		file[len -= part] = '\0';
	return len > n + end && strncmp(file, g->stem, n) == 0 &&
	    file[n] >= '0' && file[n] <= '9' && strcmp(file + len - end, g->end) == 0;
}

static bool
is_gathered(const struct gather *g, const char *file)
{
	for (size_t i = 0; i < g->count; i++)
		if (strcmp(g->members[i].name, file) == 0)
			return true;
	return false;
}

/* Takes the start of a member.  That of the first one is ours. */
static void
take_start(struct gather *g, struct gathered *m)
{
	const struct tach_meta *meta = tach_reader_meta(m->reader);

	if (g->count == 0)
		g->meta = *meta;
	if (meta->start_us > g->meta.start_us)
		m->shift = meta->start_us - g->meta.start_us;
}

/* Whether a file or its part was written since the time, by a recorder of this user.
 * Others can put files beside it where they may write, too: a FIFO would be waited for.
 * In a directory like /tmp they cannot replace the file before it is opened. */
static bool
is_new(const struct gather *g, const char *path)
{
	struct stat st;
	char *part;
	bool found = lstat(path, &st) == 0;

	if (!found && asprintf(&part, "%s%s", path, TACH_PART_SUFFIX) >= 0) {
		found = lstat(part, &st) == 0;
		free(part);
	}
	return found && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_mtime >= g->since;
}

/* Opens a member.  One that cannot be read yet is none.  False: out of memory. */
static bool
open_member(struct gather *g, const char *file)
{
	struct gathered m = {.name = strdup(file), .reader = tach_reader_new()};
	struct gathered *members = array_grow(g->members, g->count, &g->max,
	    sizeof(*members));
	bool ok = members != NULL && m.name != NULL && m.reader != NULL, opened = false;
	char *path = NULL;

	if (members != NULL)
		g->members = members;
	if (asprintf(&path, "%s/%s", g->directory, file) < 0)
		path = NULL;
	if (ok && path != NULL && is_new(g, path))
		opened = tach_reader_open(m.reader, path) != TACH_FATAL;
	if (opened) {
		take_start(g, &m);
		m.source = tach_durations_new(tach_reader_follow(m.reader));
	}
	if (m.source != NULL) {
		members[g->count++] = m;
	} else {
		end_member(&m);
		free(m.name);
	}
	ok = ok && path != NULL && opened == (m.source != NULL);
	free(path);
	return ok;
}

/* Looks for new members.  False: out of memory. */
static bool
look_for_members(struct gather *g)
{
	DIR *d = opendir(g->directory);
	struct dirent *e;
	bool ok = true;

	while (ok && d != NULL && (e = readdir(d)) != NULL)
		if (is_member(g, e->d_name) && !is_gathered(g, e->d_name))
			ok = open_member(g, e->d_name);
	if (d != NULL)
		closedir(d);
	return ok;
}

/* ---- the source ---------------------------------------------------------- */

static bool
translate_frames(struct gather *g, struct gathered *m, struct tach_run *run)
{
	uint32_t *frames = array_reserve(g->frames, &g->frames_max, run->depth,
	    sizeof(*frames));

	if (frames == NULL)
		return false;
	g->frames = frames;
	for (uint32_t i = 0; i < run->depth; i++)
		if ((frames[i] = gathered_frame(g, m, run->frames[i])) == TACH_NONE)
			return false;
	run->frames = frames;
	return true;
}

static bool
translate_ticks(struct gather *g, const struct gathered *m, struct tach_run *run)
{
	struct tach_tick *ticks = array_reserve(g->ticks, &g->ticks_max, run->count,
	    sizeof(*ticks));

	if (ticks == NULL)
		return false;
	g->ticks = ticks;
	memcpy(ticks, run->ticks, run->count * sizeof(*ticks));
	for (size_t i = 0; i < run->count; i++)
		ticks[i].time += m->shift;
	run->ticks = ticks;
	return true;
}

/* Makes a member's run ours.  False: out of memory. */
static bool
translate_run(struct gather *g, struct gathered *m, struct tach_run *run)
{
	uint32_t interp = gathered_interp(g, m, run->interp);
	uint32_t index = interp != TACH_NONE ? gathered_thread(g, m, run, interp) :
					       TACH_NONE;

	run->interp = interp;
	run->index = index;
	return index != TACH_NONE && translate_frames(g, m, run) &&
	    translate_ticks(g, m, run);
}

/* The next run of a member; TACH_AGAIN: it has none now.  A member that cannot be read
 * any more has ended. */
static int
next_of_member(struct gather *g, struct gathered *m, struct tach_run *run)
{
	int rc = m->source != NULL ? tach_source_next(m->source, run) : TACH_AGAIN;

	if (rc == TACH_OK)
		return translate_run(g, m, run) ? TACH_OK : TACH_FATAL;
	if (rc == TACH_END || rc == TACH_FATAL)
		end_member(m);
	return TACH_AGAIN;
}

static int
gather_next(struct tach_source *source, struct tach_run *run)
{
	struct gather *g = source->arg;

	if (g->at == 0 && !look_for_members(g))
		return TACH_FATAL;
	for (; g->at < g->count; g->at++) {
		int rc = next_of_member(g, &g->members[g->at], run);
		if (rc != TACH_AGAIN)
			return rc;
	}
	g->at = 0;
	return TACH_AGAIN;
}

static void
gather_free(struct tach_source *source)
{
	struct gather *g = source->arg;

	for (size_t i = 0; i < g->count; i++) {
		end_member(&g->members[i]);
		free(g->members[i].name);
	}
	tach_table_free(g->table);
	free(g->members);
	free(g->frames);
	free(g->ticks);
	free(g->directory);
	free(g->stem);
	free(g);
}

/* All that can fail is to get memory. */
static enum tach_error
gather_error(const struct tach_source *source, const char **line)
{
	(void)source;
	*line = "out of memory";
	return TACH_ENOMEM;
}

/* Takes the output's name apart: its directory, its name with a dot, and its end, which
 * is from the last dot on.  False: out of memory. */
static bool
take_names(struct gather *g, const char *output)
{
	const char *slash = strrchr(output, '/');
	const char *base = slash != NULL ? slash + 1 : output;
	const char *dot = strrchr(base, '.');
	size_t n = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);

	g->directory = slash == NULL ? strdup(".") : slash == output ? strdup("/") :
	    strndup(output, (size_t)(slash - output));
	g->end = base + n;
	if (asprintf(&g->stem, "%.*s.", (int)n, base) < 0)
		g->stem = NULL;
	return g->directory != NULL && g->stem != NULL;
}

struct tach_source *
gather_new(const char *output, time_t since)
{
	struct gather *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->table = tach_table_new();
	g->since = since;
	g->meta.size = sizeof(g->meta);
	g->source = (struct tach_source){.size = sizeof(g->source), .arg = g,
	    .meta = &g->meta, .table = g->table, .next = gather_next,
	    .free = gather_free, .error = gather_error};
	if (g->table != NULL && take_names(g, output))
		return &g->source;
	gather_free(&g->source);
	return NULL;
}
