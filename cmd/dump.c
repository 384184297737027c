/* SPDX-License-Identifier: ISC */
/* dump.c: see dump.h. */
#include "dump.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "hint.h"
#include "kind.h"
#include "print.h"
#include "why.h"

/* The most rounds until one has each stack whole; the last one is printed in any
 * case. */
#define TRIES 20
#define CHILDREN_TRIES 100
#define CHILDREN_WAIT_US 10000
#define NAME_TRIES 50 /* and as many as there are threads: a round notes some names */
#define COMMAND_MAX 200 /* bytes of a command line that are shown */

/* A local variable. */
struct local {
	uint32_t outer; /* number of frames outside of the variable's frame */
	char *text;
	size_t len;
};

struct locals {
	struct local *list;
	size_t count, max;
};

/* A stack that is to be printed. */
struct dumped_stack {
	uint64_t thread;
	uint32_t interp;
	uint8_t status;
	size_t order; /* as they came */
	uint32_t *frames;
	uint32_t depth;
	struct locals locals;
};

struct dump {
	struct tach_sink sink;
	struct tach_source *source; /* rounds of the recorder */
	const struct tach_recorder *recorder;
	struct dumped_stack *stacks;
	size_t count, max;
	struct locals locals; /* of the next sample */
	bool taken;  /* further samples are dropped */
	bool failed; /* out of memory */
};

/* ---- stacks -------------------------------------------------------------- */

static void
print_string(const struct tach_table *t, uint32_t index)
{
	struct tach_string s = tach_table_string(t, index);

	print_plain(stdout, s.bytes, s.len);
}

/* Whether a frame has no line, and this file, as a task's name, a callee and a wait
 * have. */
static bool
is_of(const struct tach_table *t, const struct tach_frame *f, const char *name)
{
	struct tach_string file = tach_table_string(t, f->file);

	return f->line < 0 && file.len == strlen(name) &&
	    memcmp(file.bytes, name, file.len) == 0;
}

/* Whether a frame is the name of an asyncio task. */
static bool
is_task(const struct tach_table *t, const struct tach_frame *f)
{
	return is_of(t, f, TASK_FILE);
}

/* Whether a frame without a line has a file to show: not if that stands for no place
 * at all. */
static bool
has_place(const struct tach_table *t, const struct tach_frame *f)
{
	return !is_of(t, f, NO_FILE);
}

/* The opcode's name, or its number if it has no name. */
static void
print_opcode(const struct tach_meta *meta, uint8_t opcode)
{
	const char *name = tach_opcode_name(meta, opcode);

	if (opcode == TACH_NO_OPCODE)
		return;
	if (name != NULL)
		printf(" %s", name);
	else
		printf(" opcode %u", opcode);
}

static void
print_frame(const struct tach_meta *meta, const struct tach_table *t, uint32_t index)
{
	const struct tach_frame *f = tach_table_frame(t, index);

	fputs("    ", stdout);
	print_string(t, f->func);
	if (f->line >= 0) {
		fputs(" (", stdout);
		print_string(t, f->file);
		printf(":%" PRId32 ")", f->line);
	} else if (has_place(t, f)) {
		fputs(" (", stdout);
		print_string(t, f->file);
		putchar(')');
	}
	print_opcode(meta, f->opcode);
	putchar('\n');
}

static void
print_status(uint8_t status)
{
	const char *before = ": ";

	for (unsigned i = 0; tach_status_name(i) != NULL; i++)
		if (status & 1 << i) {
			printf("%s%s", before, tach_status_name(i));
			before = ", ";
		}
	if (tach_status_idle(status))
		printf("%sidle", before);
	putchar('\n');
}

/* Prints the name of the task that a stack belongs to, if any. */
static void
print_task(const struct tach_table *t, const struct dumped_stack *s)
{
	for (uint32_t i = 0; i < s->depth; i++) {
		const struct tach_frame *f = tach_table_frame(t, s->frames[i]);
		if (!is_task(t, f))
			continue;
		fputs(", task \"", stdout);
		print_string(t, f->func);
		putchar('"');
		return;
	}
}

static void
print_stack_head(const struct tach_table *t, const struct dumped_stack *s)
{
	struct tach_string name;

	printf("thread %" PRIu64, s->thread);
	if (tach_table_thread_name(t, s->interp, s->thread, &name)) {
		fputs(" \"", stdout);
		print_plain(stdout, name.bytes, name.len);
		putchar('"');
	}
	print_task(t, s);
	if (s->interp != 0)
		printf(" of interpreter %" PRIu32, s->interp);
	print_status(s->status);
}

/* ---- local variables, which come before their sample --------------------- */

static void
dump_local(void *arg, uint32_t outer, struct tach_string name,
    struct tach_string value)
{
	struct dump *d = arg;
	struct locals *l = &d->locals;
	struct local *p = array_grow(l->list, l->count, &l->max, sizeof(*p));
	FILE *out;

	d->failed = d->failed || p == NULL;
	if (p == NULL)
		return;
	l->list = p;
	p += l->count;
	*p = (struct local){.outer = outer};
	if ((out = open_memstream(&p->text, &p->len)) == NULL) {
		d->failed = true;
		return;
	}
	l->count++;
	if (name.len == 0) {
		fputs("(changed while it was read)", out);
	} else {
		print_plain(out, name.bytes, name.len);
		fprintf(out, " = %.*s", (int)value.len, value.bytes);
	}
	d->failed = fclose(out) != 0 || d->failed;
}

static void
print_locals(const struct locals *all, uint32_t outer)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct local *l = &all->list[i];
		if (l->outer == outer)
			printf("        %.*s\n", (int)l->len, l->text);
	}
}

static void
forget_locals(struct locals *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i].text);
	free(l->list);
	*l = (struct locals){0};
}

/* ---- the sink ------------------------------------------------------------ */

/* Adds a stack, which takes the variables that were told of it. */
static bool
add_stack(struct dump *d, const struct tach_run *run)
{
	struct dumped_stack *p = array_grow(d->stacks, d->count, &d->max,
	    sizeof(*p));
	uint32_t *frames = reallocarray(NULL, (size_t)run->depth + 1, sizeof(*frames));

	if (p != NULL)
		d->stacks = p;
	if (p == NULL || frames == NULL) {
		free(frames);
		return false;
	}
	if (run->depth > 0)
		memcpy(frames, run->frames, run->depth * sizeof(*frames));
	p[d->count] = (struct dumped_stack){.thread = run->thread,
	    .interp = run->interp, .status = run->ticks[0].status,
	    .order = d->count, .frames = frames, .depth = run->depth,
	    .locals = d->locals};
	d->count++;
	d->locals = (struct locals){0};
	return true;
}

static int
dump_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct dump *d = sink->arg;

	if (d->taken)
		return TACH_OK;
	d->failed = d->failed || !add_stack(d, run);
	return d->failed ? TACH_FATAL : TACH_OK;
}

static void
forget(struct dump *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->stacks[i].frames);
		forget_locals(&d->stacks[i].locals);
	}
	d->count = 0;
	forget_locals(&d->locals);
}

static void
dump_clear(struct dump *d)
{
	forget(d);
	free(d->stacks);
	tach_source_free(d->source);
}

/* ---- taking and printing ------------------------------------------------- */

/* Samples until a round is sound, TRIES times at most. */
static int
take_sample(struct dump *d, struct tach_recorder *r)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(r);
	int rc = TACH_AGAIN;

	for (int i = 0; i < TRIES && rc == TACH_AGAIN; i++) {
		uint64_t bad = s->torn + s->failed, rounds = s->rounds;
		forget(d);
		rc = tach_pump(d->source, &d->sink);
		if (s->rounds > rounds && s->torn + s->failed == bad)
			break;
	}
	return rc;
}

/* Whether the recorder has noted the names of all threads.  It does so some rounds
 * after it saw them. */
static bool
all_named(const struct dump *d, const struct tach_recorder *r)
{
	struct tach_string name;

	for (size_t i = 0; i < d->count; i++)
		if (!tach_table_thread_name(tach_recorder_table(r),
			d->stacks[i].interp, d->stacks[i].thread, &name))
			return false;
	return true;
}

/* Takes further rounds for the names of the threads alone. */
static void
take_names(struct dump *d, struct tach_recorder *r)
{
	static const struct tach_locals none = {.size = sizeof(none)};

	if (tach_rounds_locals(d->source, &none) != TACH_OK)
		return;
	tach_recorder_mix(r, false);
	d->taken = true;
	for (size_t i = 0; i < NAME_TRIES + d->count && !all_named(d, r); i++)
		if (tach_pump(d->source, &d->sink) != TACH_AGAIN)
			return;
}

/* Lets the process go before anything is printed: the reader of the output may be
 * slow. */
static void
let_go(struct dump *d, struct tach_recorder *r)
{
	tach_recorder_stop(r);
	(void)!tach_pump(d->source, &d->sink);
}

/* The main thread first, then by number. */
static int
in_order(const void *a, const void *b)
{
	const struct dumped_stack *x = a, *y = b;
	bool main_x = x->status & TACH_STATUS_MAIN;
	bool main_y = y->status & TACH_STATUS_MAIN;

	if (x->interp != y->interp)
		return x->interp < y->interp ? -1 : 1;
	if (main_x != main_y)
		return main_x ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void
print_process(struct tach_recorder *r)
{
	const uint8_t *python = tach_recorder_meta(r)->python;
	char path[32], command[COMMAND_MAX];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline",
	    (int)tach_recorder_pid(r));
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		n = read(fd, command, sizeof(command));
		close(fd);
	}
	while (n > 0 && command[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	printf("process %d, Python %d.%d.%d: ", (int)tach_recorder_pid(r),
	    python[0], python[1], python[2]);
	print_plain(stdout, command, n > 0 ? (size_t)n : 0);
	putchar('\n');
}

static void
print_stack(const struct tach_recorder *r, const struct dumped_stack *s)
{
	const struct tach_table *t = tach_recorder_table(r);

	print_stack_head(t, s);
	for (uint32_t i = 0; i < s->depth; i++) {
		print_frame(tach_recorder_meta(r), t, s->frames[i]);
		print_locals(&s->locals, s->depth - 1 - i);
	}
}

static void
print_all(struct dump *d, struct tach_recorder *r)
{
	print_process(r);
	if (d->count == 0)
		puts("no thread runs Python code");
	else
		qsort(d->stacks, d->count, sizeof(*d->stacks), in_order);
	for (size_t i = 0; i < d->count; i++)
		print_stack(r, &d->stacks[i]);
}

static bool
dump_with(struct tach_recorder *r, pid_t pid, bool locals)
{
	struct dump d = {.sink = {.size = sizeof(d.sink), .arg = &d,
	    .run = dump_run},
	    .source = tach_rounds_new(r), .recorder = r};
	struct tach_locals l = {sizeof(l), dump_local, &d};
	bool ok;

	if (d.source == NULL) {
		warn(NULL);
		return false;
	}
	ok = (!locals || tach_rounds_locals(d.source, &l) == TACH_OK) &&
	    tach_recorder_attach(r, pid) == TACH_OK;
	if (!ok || take_sample(&d, r) < TACH_OK) {
		warnx("%s", d.failed ? strerror(ENOMEM) :
		    recorder_hinted(r));
		ok = false;
	} else if (tach_recorder_stats(r)->rounds == 0) {
		warnx("process %d has ended", (int)pid);
		ok = false;
	} else {
		take_names(&d, r);
		let_go(&d, r);
		if (tach_recorder_lines(r) != TACH_OK)
			warnx("%s", recorder_why(r));
		print_all(&d, r);
	}
	dump_clear(&d);
	return ok;
}

bool
dump_process(const struct tach_recorder_options *o, pid_t pid, bool locals)
{
	struct tach_recorder *r = tach_recorder_new(o);
	bool ok = r != NULL && dump_with(r, pid, locals);

	if (r == NULL)
		warn(NULL);
	tach_recorder_free(r);
	return ok;
}

/* Waits for processes that have only begun and can still become Pythons; not for
 * ever, as processes may go on beginning. */
static bool
wait_for_children(const struct tach_children *c, int *waited)
{
	if (!tach_children_young(c) || ++*waited > CHILDREN_TRIES)
		return false;
	usleep(CHILDREN_WAIT_US);
	return true;
}

bool
dump_children(const struct tach_recorder_options *o, pid_t pid, bool locals)
{
	struct tach_children *c = tach_children_new(pid, o->pre_release);
	bool ok = c != NULL;
	int rc, waited = 0;
	pid_t child;

	if (c == NULL)
		warn("children of process %d", (int)pid);
	while (c != NULL && ((rc = tach_children_next(c, &child)) != TACH_END ||
	    wait_for_children(c, &waited))) {
		if (rc == TACH_WARN)
			warnx("%s", children_hinted(c, child));
		if (rc != TACH_OK)
			continue;
		putchar('\n');
		fflush(stdout);
		ok = dump_process(o, child, locals) && ok;
	}
	tach_children_free(c);
	return ok;
}
