/* SPDX-License-Identifier: ISC */
/*
 * perfetto.c: Perfetto's own trace format, a packet for each sample, for its
 * viewer and its trace_processor.
 *
 * Strings, frames and stacks are written once and then referred to by number.  If
 * their stacks take too much memory, all are forgotten, and a packet says so to
 * the reader: from there on they are written anew.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/limits.h"
#include "out/message.h"
#include "out/out.h"
#include "out/perfetto.pb-c.h"
#include "out/strings.h"
#include "out/tasknumbers.h"
#include "out/timeline.h"

#define SEQUENCE 1	/* the id of the only sequence of packets */
#define BARE_FRAME 1	/* the iid of NO_FRAMES */
#define FIRST_FRAME 2	/* of the first location */
/* Tracks of processes and threads have numbers of 64 bits. */
#define THREAD_TRACK (UINT64_C(1) << 32)

struct perfetto_track {
	uint64_t thread;
	uint32_t interp;
	struct task_number task;
	uint32_t generation; /* in which its task was written; 0: in none */
	bool known;
	bool skipped; /* its last run was not shown */
};

struct perfetto {
	struct tach_sink sink;
	struct emit out;
	const struct tach_format_options *options;
	const struct tach_meta *meta;
	const struct tach_table *table;
	struct tracks tracks;
	struct task_numbers tasks;
	struct pairs processes; /* that were put: pairs of their number and 0 */
	/* What was written since all was forgotten.  The stack of a node was if
	 * it was counted. */
	struct aggregate stacks;
	struct strings functions, files;
	uint32_t nlocations;
	bool bare; /* the frame of stacks without frames, too */
	uint32_t generation;
	uint64_t *way; /* the frames of a stack */
	size_t way_max;
	struct buf scratch;
	struct error error;
};

/* ---- packets ------------------------------------------------------------- */

static void
perfetto_put(struct perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.n_packet = 1;
	trace.packet = &packet;
	emit_message(&p->out, &trace.base);
}

/* Writes a packet that needs what was interned. */
static void
put_needy(struct perfetto *p, Perfetto__TracePacket *packet)
{
	packet->has_sequence_flags = true;
	packet->sequence_flags =
	    PERFETTO__SEQUENCE_FLAGS__NEEDS_INCREMENTAL_STATE;
	perfetto_put(p, packet);
}

static void
put_interned(struct perfetto *p, Perfetto__InternedData *data)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.interned_data = data;
	put_needy(p, &packet);
}

/* ---- counters ------------------------------------------------------------ */

static const char *
source_name(const struct tach_meta *meta)
{
	static const char *const names[TACH_CONFIG_MODE + 1] = {"python",
		"python.wall", "python.cpu", "python.gil", "python.all",
		"python.exception", "python", "python"};
	const char *name = names[meta->config & TACH_CONFIG_MODE];
	const char *mode = strchr(name, '.');

	if (meta->python[0] != 0)
		return name;
	return mode != NULL ? mode + 1 : "samples";
}

/* Says what samples weigh.  All that was interned is forgotten. */
static void
perfetto_put_head(struct perfetto *p)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TracePacketDefaults defaults =
	    PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__StackSampleDefaults samples =
	    PERFETTO__STACK_SAMPLE_DEFAULTS__INIT;
	Perfetto__CounterDescriptor count = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor time = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	bool by_time = p->options->weight == TACH_WEIGHT_TIME;
	Perfetto__CounterDescriptor *follower = by_time ? &count : &time;

	count.has_name = time.has_name = true;
	count.has_unit = time.has_unit = true;
	count.name = message_text("samples");
	count.unit = PERFETTO__UNIT__UNIT_COUNT;
	time.name = message_text("wall");
	time.unit = PERFETTO__UNIT__UNIT_NANOSECONDS;
	samples.has_source = true;
	samples.source = message_text(source_name(p->meta));
	samples.primary_descriptor = by_time ? &time : &count;
	samples.n_follower_descriptors = 1;
	samples.follower_descriptors = &follower;
	defaults.stack_sample_defaults = &samples;
	packet.trace_packet_defaults = &defaults;
	packet.has_first_packet_on_sequence = p->generation == 0;
	packet.first_packet_on_sequence = true;
	packet.has_sequence_flags = true;
	packet.sequence_flags =
	    PERFETTO__SEQUENCE_FLAGS__INCREMENTAL_STATE_CLEARED;
	perfetto_put(p, &packet);
}

/* Says which time of day the trace's time 0 is. */
static void
put_clocks(struct perfetto *p)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__Clock trace = PERFETTO__CLOCK__INIT, wall = PERFETTO__CLOCK__INIT;
	Perfetto__Clock *clocks[] = {&trace, &wall};
	uint64_t time = tach_table_first_time(p->table);

	if (time == 0)
		return;
	trace.has_clock_id = trace.has_timestamp = true;
	trace.clock_id = PERFETTO__BUILTIN_CLOCK__BOOTTIME;
	trace.timestamp = 0;
	wall.has_clock_id = wall.has_timestamp = true;
	wall.clock_id = PERFETTO__BUILTIN_CLOCK__REALTIME;
	wall.timestamp = (uint64_t)nanoseconds(time);
	snapshot.n_clocks = 2;
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__BOOTTIME;
	packet.clock_snapshot = &snapshot;
	perfetto_put(p, &packet);
}

static void
init_stacks(struct perfetto *p)
{
	aggregate_init(&p->stacks, p->table, (struct aggregate_options){
	    .kind = LOCATION_LINES, .by = TACH_BY_NONE});
}

static void
begin_generation(struct perfetto *p)
{
	perfetto_put_head(p);
	p->generation++;
	p->nlocations = 0;
	p->bare = false;
}

static void
forget(struct perfetto *p)
{
	aggregate_clear(&p->stacks);
	strings_clear(&p->functions);
	strings_clear(&p->files);
	init_stacks(p);
	begin_generation(p);
}

/* ---- interned strings, frames, stacks ------------------------------------ */

/* The iid of a string, which is written if it is new: into the field of the data
 * that is for such strings.  0 if out of memory. */
static uint64_t
intern_string(struct perfetto *p, struct strings *known, struct tach_string s)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString string = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *all = &string;
	uint32_t count = known->count, number = strings_find(known, s);

	if (number == TACH_NONE)
		return 0;
	if (known->count == count)
		return (uint64_t)number + 1;
	string.has_iid = string.has_str = true;
	string.iid = (uint64_t)number + 1;
	string.str = message_string(&p->scratch, s);
	if (known == &p->functions) {
		data.n_function_names = 1;
		data.function_names = &all;
	} else {
		data.n_source_paths = 1;
		data.source_paths = &all;
	}
	put_interned(p, &data);
	return p->scratch.failed ? 0 : string.iid;
}

/* Sets what a frame is, and where.  False if out of memory. */
static bool
set_place(struct perfetto *p, Perfetto__Frame *frame,
    const struct location *where)
{
	static const Perfetto__Kind of[KINDS] = {
		[KIND_SOURCE] = PERFETTO__KIND__KIND_INTERPRETED,
		[KIND_CALLEE] = PERFETTO__KIND__KIND_NATIVE,
		[KIND_NATIVE] = PERFETTO__KIND__KIND_NATIVE,
		[KIND_KERNEL] = PERFETTO__KIND__KIND_KERNEL,
		[KIND_GC] = PERFETTO__KIND__KIND_GC,
		[KIND_TASK] = PERFETTO__KIND__KIND_INTERPRETED,
	};

	frame->has_kind = of[where->kind] != 0;
	frame->kind = of[where->kind];
	if (synthetic(where->file, where->line))
		return true;
	frame->has_line_number = where->line > 0;
	frame->line_number = where->line > 0 ? (uint32_t)where->line : 0;
	frame->has_source_path_iid = true;
	frame->source_path_iid = intern_string(p, &p->files, where->file);
	return frame->source_path_iid != 0;
}

/* False if out of memory. */
static bool
intern_frame(struct perfetto *p, uint64_t iid, const struct location *where)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Frame frame = PERFETTO__FRAME__INIT, *all = &frame;

	frame.has_iid = frame.has_function_name_id = true;
	frame.iid = iid;
	frame.function_name_id = intern_string(p, &p->functions, where->func);
	if (frame.function_name_id == 0 || !set_place(p, &frame, where))
		return false;
	data.n_frames = 1;
	data.frames = &all;
	put_interned(p, &data);
	return true;
}

/* Writes the frames that are new. */
static bool
intern_frames(struct perfetto *p, bool bare)
{
	static const struct location none = {
		.file = {NO_FILE, 1},
		.func = {NO_FRAMES, sizeof(NO_FRAMES) - 1},
		.kind = KIND_MARK,
	};
	const struct locations *all = &p->stacks.locations;

	if (bare && !p->bare) {
		p->bare = true;
		return intern_frame(p, BARE_FRAME, &none);
	}
	for (; p->nlocations < all->count; p->nlocations++)
		if (!intern_frame(p, (uint64_t)p->nlocations + FIRST_FRAME,
			&all->all[p->nlocations]))
			return false;
	return true;
}

/* Writes the stack of a node, whose number is one more. */
static bool
intern_stack(struct perfetto *p, uint32_t node)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT, *all = &stack;
	const struct node *nodes = p->stacks.nodes;
	uint32_t depth = nodes[node].depth - 1;
	uint64_t *way = array_reserve(p->way, &p->way_max, (size_t)depth + 1,
	    sizeof(*way));

	if (way == NULL || !intern_frames(p, depth == 0))
		return false;
	p->way = way;
	way[0] = BARE_FRAME;
	stack.has_iid = true;
	stack.iid = (uint64_t)node + 1;
	stack.n_frame_ids = depth > 0 ? depth : 1;
	stack.frame_ids = way;
	for (; depth > 0; node = nodes[node].parent)
		way[--depth] = (uint64_t)nodes[node].what + FIRST_FRAME;
	data.n_callstacks = 1;
	data.callstacks = &all;
	put_interned(p, &data);
	return true;
}

/* Notes that the run's stack was written.  Returns its iid, 0 if out of memory or
 * if limits.h allows no more. */
static uint64_t
stack_of(struct perfetto *p, const struct tach_run *run)
{
	uint32_t node;

	if (p->stacks.nnodes >= LIMIT_INTERNED)
		forget(p);
	node = aggregate_stack(&p->stacks, run);
	if (node == TACH_NONE)
		return 0;
	if (p->stacks.nodes[node].cell == TACH_NONE && !intern_stack(p, node))
		return 0;
	return aggregate_run(&p->stacks, run) ? (uint64_t)node + 1 : 0;
}

/* ---- threads and processes ----------------------------------------------- */

static void
put_track(struct perfetto *p, Perfetto__TrackDescriptor *track, uint64_t uuid)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = uuid;
	packet.track_descriptor = track;
	perfetto_put(p, &packet);
}

static void
put_process(struct perfetto *p, const struct perfetto_track *t)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	const char *title = p->options->title;

	if (title == NULL)
		title = "python";
	process.has_pid = process.has_process_name = true;
	process.pid = (int32_t)t->task.pid;
	process.process_name = message_string(&p->scratch,
	    (struct tach_string){title, strlen(title)});
	track.process = &process;
	put_track(p, &track, t->task.pid);
}

/* False if out of memory. */
static bool
put_new_process(struct perfetto *p, const struct perfetto_track *t)
{
	if (pairs_find(&p->processes, t->task.pid, 0) != 0)
		return true;
	put_process(p, t);
	return pairs_add(&p->processes, t->task.pid, 0, 1);
}

/* Threads are named at the end, since their names can come late. */
static void
perfetto_put_threads(struct perfetto *p)
{
	const struct perfetto_track *tracks = p->tracks.tracks;
	struct buf name = {0};

	for (uint32_t i = 0; i < p->tracks.count; i++) {
		Perfetto__TrackDescriptor track =
		    PERFETTO__TRACK_DESCRIPTOR__INIT;
		Perfetto__ThreadDescriptor thread =
		    PERFETTO__THREAD_DESCRIPTOR__INIT;
		const char *text = out_thread_name(&name, p->table,
		    tracks[i].interp, tracks[i].thread);
		thread.has_pid = thread.has_tid = true;
		thread.has_thread_name = true;
		thread.pid = (int32_t)tracks[i].task.pid;
		thread.tid = tracks[i].task.tid;
		thread.thread_name = message_text(text);
		track.thread = &thread;
		put_track(p, &track, THREAD_TRACK + i);
	}
	p->scratch.failed |= name.failed;
	buf_clear(&name);
}

/* NULL if out of memory, or if limits.h allows no more threads. */
static struct perfetto_track *
find_track(struct perfetto *p, const struct tach_run *run)
{
	struct perfetto_track *t = tracks_find(&p->tracks, run->index,
	    sizeof(*t));

	if (t == NULL || t->known)
		return t;
	t->thread = run->thread;
	t->interp = run->interp;
	if (!task_numbers_add(&p->tasks, p->table, t->interp, t->thread,
		&t->task))
		return NULL;
	t->known = true;
	return put_new_process(p, t) ? t : NULL;
}

/* Writes which thread samples of an index are of, unless that is known. */
static void
intern_task(struct perfetto *p, struct perfetto_track *t, uint32_t index)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TaskContext task = PERFETTO__TASK_CONTEXT__INIT, *all = &task;

	if (t->generation == p->generation)
		return;
	t->generation = p->generation;
	task.has_iid = task.has_pid = task.has_tid = true;
	task.iid = (uint64_t)index + 1;
	task.pid = t->task.pid;
	task.tid = t->task.tid;
	data.n_stack_sample_task_contexts = 1;
	data.stack_sample_task_contexts = &all;
	put_interned(p, &data);
}

/* ---- samples ------------------------------------------------------------- */

static void
perfetto_put_sample(struct perfetto *p, const struct tach_tick *tick,
    Perfetto__StackSample *sample)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint64_t count = (tick->status & tach_table_switches(p->table)) == 0;
	uint64_t time = (uint64_t)tick->duration * 1000;
	bool by_time = p->options->weight == TACH_WEIGHT_TIME;

	sample->primary_weight = by_time ? time : count;
	sample->follower_weights = by_time ? &count : &time;
	packet.has_timestamp = true;
	packet.timestamp = (uint64_t)nanoseconds(tick->time);
	packet.stack_sample = sample;
	put_needy(p, &packet);
}

static bool
is_shown(const struct perfetto *p, const struct tach_tick *tick)
{
	return p->options->keep_idle || !tach_status_idle(tick->status);
}

/* False if out of memory, or if limits.h allows no more. */
static bool
show_run(struct perfetto *p, struct perfetto_track *t,
    const struct tach_run *run, size_t from)
{
	Perfetto__StackSample sample = PERFETTO__STACK_SAMPLE__INIT;
	struct tach_run whole = *run;

	if (t->skipped) /* frames that are shared with it are not known */
		whole.shared = 0;
	sample.has_task_context_iid = sample.has_callstack_iid = true;
	sample.callstack_iid = stack_of(p, &whole);
	if (sample.callstack_iid == 0)
		return false;
	intern_task(p, t, run->index);
	sample.task_context_iid = (uint64_t)run->index + 1;
	sample.has_primary_weight = true;
	sample.n_follower_weights = 1;
	for (size_t i = from; i < run->count; i++)
		if (is_shown(p, &run->ticks[i]))
			perfetto_put_sample(p, &run->ticks[i], &sample);
	return true;
}

/* ---- the sink ------------------------------------------------------------ */

static int
perfetto_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct perfetto *p = sink->arg;

	p->meta = meta;
	p->table = table;
	init_stacks(p);
	begin_generation(p);
	put_clocks(p);
	return TACH_OK;
}

static int
perfetto_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct perfetto *p = sink->arg;
	struct perfetto_track *t = find_track(p, run);
	size_t from = 0;

	if (t == NULL && run->index >= LIMIT_THREADS)
		return error_set(&p->error, TACH_ELIMIT, LIMIT_TEXT("threads"));
	if (t == NULL)
		return emit_failed(&p->out, &p->error);
	while (from < run->count && !is_shown(p, &run->ticks[from]))
		from++;
	if (from < run->count && !show_run(p, t, run, from))
		return aggregate_failed(&p->stacks, &p->error);
	t->skipped = from == run->count;
	return p->out.error == 0 ? TACH_OK : emit_failed(&p->out, &p->error);
}

static int
perfetto_end(struct tach_sink *sink)
{
	struct perfetto *p = sink->arg;

	perfetto_put_threads(p);
	if (p->scratch.failed)
		return error_system(&p->error, "", ENOMEM);
	return emit_finish(&p->out, &p->error);
}

static void
perfetto_free(struct tach_sink *sink)
{
	struct perfetto *p = sink->arg;

	aggregate_clear(&p->stacks);
	strings_clear(&p->functions);
	strings_clear(&p->files);
	task_numbers_clear(&p->tasks);
	pairs_clear(&p->processes);
	free(p->tracks.tracks);
	free(p->way);
	buf_clear(&p->scratch);
	emit_clear(&p->out);
	free(p);
}

static enum tach_error
perfetto_error(const struct tach_sink *sink, const char **line)
{
	const struct perfetto *p = sink->arg;

	return error_get(&p->error, line);
}

struct tach_sink *
perfetto_open(FILE *out, const struct tach_format_options *options)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->sink = (struct tach_sink){.size = sizeof(p->sink),
	    .arg = p,
	    .begin = perfetto_begin,
	    .run = perfetto_run,
	    .end = perfetto_end,
	    .free = perfetto_free,
	    .error = perfetto_error};
	p->out.file = out;
	p->options = options;
	return &p->sink;
}
