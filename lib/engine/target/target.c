/* SPDX-License-Identifier: ISC */
/* target.c: see target.h. */
#include "engine/target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/copy/snapshot.h"
#include "python/traits.h"

/* Time until memory is searched for a Python; each further pause is twice as long. */
#define DEEP_FIRST (50 * NS_PER_MS)
/* Time in which a Python that has not begun is expected to. */
#define EMPTY_PATIENCE NS_PER_S

static uint32_t
config_of(const struct tach_recorder_options *o)
{
	static const uint32_t modes[] = {
		[TACH_MODE_WALL] = TACH_CONFIG_WALL,
		[TACH_MODE_CPU] = TACH_CONFIG_CPU,
		[TACH_MODE_GIL] = TACH_CONFIG_GIL,
		[TACH_MODE_EXCEPTION] = TACH_CONFIG_EXCEPTION,
	};

	return modes[o->mode] | TACH_CONFIG_FEATURES |
	    (o->main_only ? 0 : TACH_CONFIG_ALL_THREADS) |
	    (o->native || o->mixed != TACH_MIXED_NONE ? TACH_CONFIG_NATIVE : 0) |
	    (o->no_gc ? 0 : TACH_CONFIG_GC) |
	    (o->opcodes ? TACH_CONFIG_OPCODES : 0) |
	    (o->blocking ? TACH_CONFIG_BLOCKING : 0);
}

bool
target_init(struct target *t, const struct tach_recorder_options *o)
{
	t->options = *o;
	t->process.pidfd = -1;
	t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->table = tach_table_new();
	t->pace = pace_new(o->interval_ns, o->jitter);
	t->meta.size = sizeof(t->meta);
	t->meta.interval_us = o->interval_ns / NS_PER_US;
	t->meta.config = config_of(o);
	t->stats.inprocess.size = sizeof(t->stats.inprocess);
	return t->wake_fd >= 0 && t->table != NULL && t->pace != NULL;
}

void
target_free(struct target *t)
{
	process_close(&t->process);
	thread_names_free(&t->names);
	tach_table_free(t->table);
	pace_drop(t->pace);
	if (t->wake_fd >= 0)
		close(t->wake_fd);
}

bool
target_has_ended(const struct target *t)
{
	return t->gone || (t->process.pidfd >= 0 && process_ended(&t->process));
}

void
target_heed_wake(const struct target *t)
{
	uint64_t count;
	ssize_t n = read(t->wake_fd, &count, sizeof(count));

	(void)n; /* nothing read: something else woke the recorder */
}

size_t
target_fds(const struct target *t, struct pollfd fds[TARGET_FDS])
{
	fds[0] = (struct pollfd){t->wake_fd, POLLIN, 0};
	fds[1] = (struct pollfd){process_end_fd(&t->process), POLLIN, 0};
	return TARGET_FDS;
}

/* ---- its Python ---------------------------------------------------------- */

void
target_wait(struct target *t)
{
	uint64_t now = clock_ns();

	pace_leave(t->pace, &t->mark);
	t->state = TACH_RECORDER_WAITING;
	t->search = (struct python_search){.deep_at = now + DEEP_FIRST,
	    .deep_step = DEEP_FIRST, .began = now, .last = FIND_OK};
	t->next = now;
}

static enum find_how
how_to_find(const struct target *t, bool deep)
{
	return (deep ? FIND_DEEP : FIND_SHALLOW) |
	    (t->options.pre_release ? FIND_EARLY : FIND_SHALLOW);
}

static enum find_result
look_for_python(struct target *t)
{
	struct python_search *s = &t->search;
	struct process_memory m;
	enum find_result result;
	uint64_t now;
	bool deep;

	if (s->found) {
		process_memory_init(&m, t->process.task);
		switch (runtime_check(&m.memory, &t->runtime)) {
		case RUNTIME_OK:
			return FIND_OK;
		case RUNTIME_EMPTY:
			return FIND_EMPTY;
		default:
			s->found = false;
			s->seen = 0;
		}
	}
	now = clock_ns();
	deep = now >= s->deep_at;
	result = find_python(&t->process, how_to_find(t, deep), &s->seen,
	    &t->runtime, &t->error);
	if (deep) {
		s->deep_step *= 2;
		s->deep_at = clock_ns() + s->deep_step;
	}
	/* A Python that does not tell its offsets yet is looked for again. */
	s->found = (result == FIND_OK || result == FIND_EMPTY) &&
	    t->runtime.offsets.runtime_size != 0;
	if (result == FIND_EMPTY && !s->found)
		s->seen = 0;
	return result;
}

enum find_result
target_look(struct target *t)
{
	return t->search.last = look_for_python(t);
}

/* Mappings that stay the same are not looked at again, so after a search of memory a
 * look that finds none is as good as that search. */
bool
target_shows_none(const struct target *t, uint64_t now)
{
	const struct python_search *s = &t->search;

	if (process_is_kernel(&t->process) || process_borrows_memory(&t->process))
		return false;
	return (s->last == FIND_NONE && s->deep_step > DEEP_FIRST) ||
	    (s->last == FIND_EMPTY && now > s->began + EMPTY_PATIENCE);
}

/* Notes in the profile that a Python is a pre-release. */
static void
note_early(struct target *t)
{
	char version[FIND_VERSION_MAX], note[128];

	if (!find_is_early(t->runtime.version))
		return;
	find_write_version(t->runtime.version, version);
	snprintf(note, sizeof(note), "pre-release %s: its layout may differ, "
	    "and samples be wrong", version);
	tach_table_add_note(t->table, note);
}

/* Notes which process it is, and which time of day time 0 is.  Both are of interpreter 0,
 * and so of all others. */
static void
note_process_and_time(struct target *t)
{
	uint64_t since = clock_ns() - t->start;
	char note[64];

	snprintf(note, sizeof(note), "process 0 %d", (int)t->process.pid);
	tach_table_add_note(t->table, note);
	snprintf(note, sizeof(note), "time 0 %" PRIu64,
	    (clock_wall_ns() - since) / NS_PER_US);
	tach_table_add_note(t->table, note);
}

bool
target_lacks_tasks(const struct target *t)
{
	return t->options.async != TACH_ASYNC_NONE &&
	    !py_has_tasks(&t->runtime.offsets);
}

/* Begins the rounds, which may be those of a later program. */
static void
begin_rounds(struct target *t, uint64_t now)
{
	t->state = TACH_RECORDER_SAMPLING;
	t->error = (struct error){0}; /* of an earlier program */
	if (t->start != 0)
		return;
	t->start = now;
	t->meta.start_us = now / NS_PER_US;
	note_process_and_time(t);
}

void
target_begin(struct target *t, uint64_t now)
{
	begin_rounds(t, now);
	if (t->meta.python[0] != 0)
		return;
	t->meta.python[0] = PY_MAJOR(t->runtime.version);
	t->meta.python[1] = PY_MINOR(t->runtime.version);
	t->meta.python[2] = PY_MICRO(t->runtime.version);
	t->stats.no_tasks = target_lacks_tasks(t);
	note_early(t);
}

void
target_begin_plain(struct target *t, uint64_t now)
{
	begin_rounds(t, now);
	t->search.deep_at = UINT64_MAX;
}

/* ---- its rounds ---------------------------------------------------------- */

uint64_t
target_elapsed(const struct target *t, uint64_t now)
{
	return now - t->start - t->stats.paused_ns;
}

bool
target_is_over(const struct target *t, uint64_t now)
{
	return t->options.duration_ns != 0 && t->start != 0 &&
	    t->paused_at == 0 && target_elapsed(t, now) >= t->options.duration_ns;
}

void
target_count_missed(struct target *t, uint64_t missed, uint64_t spared)
{
	t->stats.missed += missed;
	t->stats.spared += spared;
}

void
target_begin_pause(struct target *t, uint64_t now)
{
	t->paused_at = now;
	t->stats.elapsed_ns = target_elapsed(t, now);
}

void
target_end_pause(struct target *t, uint64_t now)
{
	t->stats.paused_ns += now - t->paused_at;
	t->paused_at = 0;
	pace_leave(t->pace, &t->mark);
}
