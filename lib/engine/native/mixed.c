/* SPDX-License-Identifier: ISC */
/* mixed.c: see mixed.h. */
#include "engine/native/mixed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/native/glue.h"
#include "engine/native/process_modules.h"
#include "engine/native/stack_window.h"
#include "engine/sample/emit.h"
#include "native/elf.h"
#include "native/names.h"
#include "native/parts.h"
#include "python/cframes.h"
#include "python/traits.h"

#define FRAMES_MAX 65536  /* of C in a stack */
#define LOOPS_MAX 8	  /* starts of the loop's functions that are known */
#define LOOP_SIZE_MAX (1u << 20) /* bytes of code */
#define LOOP_FRAME_MAX 1024 /* bytes of it above its entry */
#define LOST_NAME "<native?>"
#define CAUSE_MAX 512 /* bytes */

/* Where the loop's frame of C ends, and what it keeps there. */
struct loop_frame {
	bool known;
	uint64_t above; /* bytes from the entry to the frame's end */
	uint32_t slot;	/* of the caller's frame pointer; 0: it is unchanged */
	uint64_t pc;	/* where one was */
};

struct mixed {
	const struct process *process;
	const struct py_offsets *offsets;
	const struct py_memory *memory;
	struct tach_table *table;
	bool all;
	struct process_modules modules;
	struct stack_window window;
	struct py_segments segments;
	struct native_frame *frames;
	size_t nframes;
	struct merged merged;
	struct py_chain chain; /* the result */
	struct loop_code code; /* to 3.10 */
	bool code_sought;
	struct loop_frame loop; /* from 3.11 on */
	uint64_t loops[LOOPS_MAX]; /* starts of the loop's functions, in memory */
	size_t nloops;
	char cause[CAUSE_MAX]; /* why the stack is not exact; "" if it is */
	bool nomem;
};

struct mixed *
mixed_new(const struct process *p, const struct py_offsets *o,
    const struct py_memory *memory, struct tach_table *table, bool all)
{
	struct mixed *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->process = p;
	m->offsets = o;
	m->memory = memory;
	m->table = table;
	m->all = all;
	process_modules_init(&m->modules, p, memory);
	stack_window_init(&m->window, memory);
	m->frames = malloc(FRAMES_MAX * sizeof(*m->frames));
	if (m->frames == NULL) {
		mixed_free(m);
		return NULL;
	}
	return m;
}

void
mixed_free(struct mixed *m)
{
	if (m == NULL)
		return;
	process_modules_free(&m->modules);
	stack_window_free(&m->window);
	segments_free(&m->segments);
	merged_free(&m->merged);
	chain_free(&m->chain);
	free(m->frames);
	free(m);
}

/* ---- the loop's code, to 3.10 ------------------------------------------ */

/* Notes a function of a module, and the parts of it that lie elsewhere. */
static void
note_loop(struct mixed *m, const struct module *of, uint64_t addr)
{
	struct split_part parts[LOOP_PARTS - 1];
	uint64_t start, end;
	uint8_t *code;
	size_t n;

	if (!cfi_function(&of->cfi, addr, &start, &end) ||
	    end - start > LOOP_SIZE_MAX ||
	    (code = module_bytes(of, start, (size_t)(end - start))) == NULL)
		return;
	n = parts_find(&of->cfi, start, code, (size_t)(end - start), parts,
	    LOOP_PARTS - 1);
	free(code);
	m->code.parts[0].start = start + of->bias;
	m->code.parts[0].end = end + of->bias;
	for (size_t i = 0; i < n; i++) {
		m->code.parts[1 + i].start = parts[i].start + of->bias;
		m->code.parts[1 + i].end = parts[i].end + of->bias;
	}
	m->code.count = 1 + n;
}

static void
look_in_module(struct mixed *m, struct module *of)
{
	struct elf_python p;

	module_open(&m->modules.modules, of);
	if (of->elf != NULL && of->fd >= 0 && elf_find_python(of->fd, &p) &&
	    p.loop != 0)
		note_loop(m, of, p.loop);
}

/* Finds the loop's code in the first module that has it. */
static void
seek_code(struct mixed *m)
{
	struct modules *ms = &m->modules.modules;

	if (m->code_sought)
		return;
	m->code_sought = true;
	for (size_t i = 0; i < ms->nlist && m->code.count == 0; i++)
		look_in_module(m, ms->list[i]);
}

/* ---- unwinding --------------------------------------------------------- */

static const char *
cause_of(enum unwind_end end)
{
	static const char *const causes[UNWIND_ENDS] = {
		[UNWIND_NO_TABLE] = "code without a table",
		[UNWIND_NO_FILE] = "code made at run time",
		[UNWIND_NO_STACK] = "stack that cannot be read",
		[UNWIND_NO_REGISTER] = "a register that is not known",
		[UNWIND_BACKWARD] = "a stack that makes no sense",
		[UNWIND_FULL] = "too many frames",
	};

	return causes[end];
}

/* Notes why an unwind ended at a frame, and in which module.  The first cause stays. */
static void
note_cause(struct mixed *m, enum unwind_end end, uint64_t pc)
{
	struct module *of = process_modules_find(&m->modules, pc);

	if (m->cause[0] == '\0')
		snprintf(m->cause, sizeof(m->cause), "%s%s%s", cause_of(end),
		    of != NULL ? " in " : "", of != NULL ? of->path : "");
}

/* The first entry at or above an address of the stack; 0: there is none. */
static uint64_t
entry_above(const struct mixed *m, uint64_t sp)
{
	for (size_t i = 0; i < m->segments.count; i++)
		if (m->segments.list[i].entry >= sp)
			return m->segments.list[i].entry;
	return 0;
}

static void
add_native(struct mixed *m, struct native_frame f)
{
	if (m->nframes < FRAMES_MAX)
		m->frames[m->nframes++] = f;
}

/* Goes on at the caller of a loop whose frame of C ends at an address.  False if its
 * registers are not there. */
static bool
leave_loop(struct mixed *m, struct unwind *u, const struct loop_frame *l, uint64_t cfa)
{
	const struct cfi_machine *machine = m->modules.tables.machine;
	struct native_stack *stack = &m->window.stack;
	uint64_t below = machine->ra_in_frame ? 1 : (uint64_t)l->slot - 1, pc, fp;

	if ((l->slot == 0 && !machine->ra_in_frame) ||
	    !native_stack_word(stack, cfa - 8 * below, &pc))
		return false;
	u->at = (struct unwind_registers){.pc = pc & machine->pc_mask};
	u->at.value[machine->sp] = cfa;
	u->at.known = UINT64_C(1) << machine->sp;
	if (l->slot != 0 &&
	    native_stack_word(stack, cfa - 8 * (uint64_t)l->slot, &fp)) {
		u->at.value[machine->fp] = fp;
		u->at.known |= UINT64_C(1) << machine->fp;
	}
	u->exact = false;
	return true;
}

/* Whether an address is one that a call returns to. */
static bool
is_behind_call(struct mixed *m, uint64_t pc)
{
	const struct unwind_tables *t = &m->modules.tables;
	const struct cfi *cfi;
	uint64_t bias, start, end;
	uint8_t code[7]; /* bytes of a call at most, up to the address */

	if (t->find(t, pc - 1, &cfi, &bias) != CODE_TABLE ||
	    !cfi_function(cfi, pc - 1 - bias, &start, &end) ||
	    !t->read_code(t, pc - sizeof(code), code, sizeof(code)))
		return false;
	if (!t->machine->ra_in_frame) /* bl, or blr */
		return code[6] >> 2 == 0x25 || (code[6] == 0xd6 && code[5] >> 6 == 0);
	if (code[2] == 0xe8)
		return true;
	for (size_t n = 2; n <= sizeof(code); n++)
		if (code[sizeof(code) - n] == 0xff &&
		    (code[sizeof(code) - n + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

/* Whether frames have the loop of each segment above an entry, at one distance. */
static bool
has_loops(const struct mixed *m, const struct native_frame *f, size_t n,
    uint64_t entry, uint64_t above, size_t *loops)
{
	*loops = 0;
	for (size_t s = 0, i = 0; s < m->segments.count; s++) {
		uint64_t next = m->segments.list[s].entry;
		if (next <= entry)
			continue;
		while (i < n && f[i].cfa <= next)
			i++;
		if (i == n || f[i].sp > next || f[i].cfa - next != above)
			return false;
		++*loops;
	}
	return true;
}

/* Whether the loop at an entry may end so far above: then the stack goes on there, to
 * its end or through more loops alike. */
static bool
loop_may_end(struct mixed *m, const struct unwind *u, uint64_t entry,
    const struct loop_frame *l)
{
	struct native_frame *more = m->frames + m->nframes;
	struct unwind v = *u;
	enum unwind_end end;
	size_t n = 0, loops;

	if (!leave_loop(m, &v, l, entry + l->above) || !is_behind_call(m, v.at.pc))
		return false;
	end = unwind_all(&v, more, &n, FRAMES_MAX - m->nframes);
	return has_loops(m, more, n - 1, entry, l->above, &loops) &&
	    (end == UNWIND_COMPLETE || loops > 0);
}

/* Finds where the loop's frame of C ends above the entry, where no stack has shown it
 * yet.  False if that is not certain. */
static bool
seek_loop(struct mixed *m, const struct unwind *u, uint64_t entry)
{
	struct loop_frame l = {.known = true};
	struct module *of;
	uint32_t row;

	seek_code(m);
	if (m->code.count == 0)
		return false;
	l.pc = m->code.parts[0].start +
	    (m->code.parts[0].end - m->code.parts[0].start) / 2;
	of = process_modules_find(&m->modules, l.pc);
	row = of != NULL ? cfi_row(&of->cfi, l.pc - of->bias) : CFI_NONE;
	l.slot = ROW_SLOT(row);
	if (ROW_KIND(row) != CFI_SP && ROW_KIND(row) != CFI_FP)
		return false;
	for (l.above = 8; l.above <= LOOP_FRAME_MAX; l.above += 8)
		if (loop_may_end(m, u, entry, &l)) {
			if (m->loop.known) {
				m->loop.known = false;
				return false;
			}
			m->loop = l;
		}
	return m->loop.known;
}

/* Goes on at the next loop, which is known to end above its entry. */
static bool
resync(struct mixed *m, struct unwind *u)
{
	const struct cfi_machine *machine = m->modules.tables.machine;
	uint64_t entry = entry_above(m, u->at.value[machine->sp]);
	uint64_t cfa = entry + m->loop.above;

	if (entry == 0 || (!m->loop.known && !seek_loop(m, u, entry)))
		return false;
	cfa = entry + m->loop.above;
	if (!leave_loop(m, u, &m->loop, cfa))
		return false;
	add_native(m, (struct native_frame){.lost = true});
	add_native(m, (struct native_frame){.pc = m->loop.pc, .sp = entry,
	    .cfa = cfa});
	return true;
}

/* Unwinds a thread that has these registers. */
static void
unwind_thread(struct mixed *m, const struct task_registers *r)
{
	struct unwind u = {.tables = &m->modules.tables, .stack = &m->window.stack,
	    .at.pc = r->pc, .exact = true};
	enum unwind_end end;

	for (unsigned i = 0; i < r->count; i++) {
		u.at.value[i] = r->value[i];
		u.at.known |= UINT64_C(1) << i;
	}
	m->nframes = 0;
	do {
		end = unwind_all(&u, m->frames, &m->nframes, FRAMES_MAX);
		if (end != UNWIND_COMPLETE && end != UNWIND_FULL)
			note_cause(m, end, u.exact ? u.at.pc : u.at.pc - 1);
	} while (end != UNWIND_COMPLETE && end != UNWIND_FULL && resync(m, &u));
	if (end != UNWIND_COMPLETE)
		add_native(m, (struct native_frame){.lost = true});
}

/* Copies the registers and the stack of a thread, and unwinds it. */
static bool
read_native(struct mixed *m, const struct mixed_thread *t)
{
	struct task_registers r;

	m->nframes = 0;
	m->modules.may_look = true;
	if (!stop_registers(t->stops, t->task, &r)) {
		snprintf(m->cause, sizeof(m->cause), t->task != 0 ?
		    "a thread that did not stop" : "a thread that is not known");
		return false;
	}
	if (!stack_window_open(&m->window, r.value[m->modules.tables.machine->sp])) {
		snprintf(m->cause, sizeof(m->cause), "%s", cause_of(UNWIND_NO_STACK));
		return false;
	}
	unwind_thread(m, &r);
	return true;
}

/* ---- what is learned --------------------------------------------------- */

/* Where a frame is, for a look into tables. */
static uint64_t
inside(const struct native_frame *f)
{
	return f->exact ? f->pc : f->pc - 1;
}

/* The start of the function that a frame is in, in memory; 0: not known. */
static uint64_t
function_of(struct mixed *m, const struct native_frame *f)
{
	struct module *of = process_modules_find(&m->modules, inside(f));
	uint64_t start, end;

	return of != NULL && cfi_function(&of->cfi, inside(f) - of->bias, &start,
	    &end) ? start + of->bias : 0;
}

static bool
is_loop_function(const struct mixed *m, uint64_t start)
{
	for (size_t i = 0; i < m->nloops; i++)
		if (m->loops[i] == start)
			return true;
	return false;
}

/* Notes where a loop's frame of C ends.  Another distance than before is that of a
 * frame that only looks like a loop's, such as greenlet's. */
static void
learn_loop(struct mixed *m, const struct native_frame *f, uint64_t entry)
{
	struct module *of = process_modules_find(&m->modules, inside(f));
	uint64_t start = function_of(m, f);
	uint32_t row;

	if (of == NULL || start == 0)
		return;
	if (!is_loop_function(m, start) && m->nloops < LOOPS_MAX)
		m->loops[m->nloops++] = start;
	row = cfi_row(&of->cfi, inside(f) - of->bias);
	if (m->loop.known || entry == 0 || f->cfa == 0 ||
	    (ROW_KIND(row) != CFI_SP && ROW_KIND(row) != CFI_FP))
		return;
	m->loop = (struct loop_frame){true, f->cfa - entry, ROW_SLOT(row), f->pc};
}

static void
learn_loops(struct mixed *m)
{
	for (size_t i = 0; i < m->merged.count; i++) {
		const struct merged_place *p = &m->merged.list[i];
		if (p->kind == MERGED_LOOP && p->segment != SIZE_MAX)
			learn_loop(m, &m->frames[p->index],
			    m->segments.list[p->segment].entry);
	}
}

/* ---- places ------------------------------------------------------------ */

static void
add_place(struct mixed *m, struct py_place p)
{
	m->nomem = m->nomem || !chain_add(&m->chain, p);
}

static void
add_frame_index(struct mixed *m, uint32_t index)
{
	m->nomem = m->nomem || index == TACH_NONE;
	add_place(m, (struct py_place){.code = PLACE_FRAME, .instr = index});
}

static void
add_lost(struct mixed *m)
{
	add_frame_index(m, emit_lineless(m->table, m->cause,
	    (struct tach_string){LOST_NAME, strlen(LOST_NAME)}));
}

/* Names a frame of C.  Frames of the interpreter's own glue are left out. */
static void
add_c_frame(struct mixed *m, const struct native_frame *f)
{
	struct module *of = process_modules_find(&m->modules, inside(f));
	char name[NATIVE_NAME_MAX];
	bool named;

	if (of == NULL) {
		if (m->all)
			add_frame_index(m, emit_synthetic(m->table, "<jit>"));
		return;
	}
	native_name(of, inside(f) - of->bias, name, &named);
	if (!m->all && glue_has(name))
		return;
	add_frame_index(m, emit_lineless(m->table, of->path,
	    (struct tach_string){name, strlen(name)}));
}

/* Adds the frames of C from place i of the merged list on, up to the next place of
 * another kind.  Returns the number of that place. */
static size_t
add_run(struct mixed *m, size_t i)
{
	for (; i < m->merged.count && m->merged.list[i].kind == MERGED_C; i++) {
		const struct native_frame *f = &m->frames[m->merged.list[i].index];
		if (m->all || !is_loop_function(m, function_of(m, f)))
			add_c_frame(m, f);
	}
	return i;
}

/* Adds the callee of the innermost frame of Python, once. */
static void
add_callee(struct mixed *m, uint32_t *callee)
{
	if (*callee != TACH_NONE)
		add_frame_index(m, *callee);
	*callee = TACH_NONE;
}

/* Makes the chain of the merged list. */
static void
list_places(struct mixed *m, const struct py_chain *c, uint32_t callee)
{
	size_t end = m->all ? m->merged.count : m->merged.below;

	for (size_t i = 0; i < end;) {
		const struct merged_place *p = &m->merged.list[i];
		switch (p->kind) {
		case MERGED_C:
			i = add_run(m, i);
			continue;
		case MERGED_PYTHON:
			if (!place_is_mark(&c->places[p->index]))
				add_callee(m, &callee);
			add_place(m, c->places[p->index]);
			break;
		case MERGED_LOST:
			add_lost(m);
			break;
		case MERGED_LOOP:
			add_callee(m, &callee);
			if (m->all)
				add_c_frame(m, &m->frames[p->index]);
			break;
		}
		i++;
	}
}

/* ---- merging ----------------------------------------------------------- */

/* The cause of a fault that no unwind has. */
static void
note_fault(struct mixed *m)
{
	static const char *const causes[] = {
		[MERGE_EXACT] = "",
		[MERGE_BROKEN] = "frames that are missing",
		[MERGE_COUNT] = "loops and frames that differ in number",
		[MERGE_STRANGE] = "frames that have changed",
	};

	if (m->cause[0] == '\0')
		snprintf(m->cause, sizeof(m->cause), "%s", causes[m->merged.fault]);
}

struct py_chain *
mixed_merge(struct mixed *m, const struct mixed_thread *t, const struct py_chain *c,
    uint32_t callee)
{
	m->cause[0] = '\0';
	m->nomem = false;
	m->chain.depth = 0;
	if (!segments_read(m->offsets, m->memory, t->state, &m->segments))
		m->segments.count = m->segments.nframes = 0;
	if (read_native(m, t) && py_frames_are_objects(m->offsets))
		seek_code(m);
	if (!cframes_merge(c, &m->segments, m->frames, m->nframes, &m->code,
		&m->merged))
		return NULL;
	note_fault(m);
	learn_loops(m);
	list_places(m, c, callee);
	m->chain.live = m->chain.depth;
	return m->nomem ? NULL : &m->chain;
}
