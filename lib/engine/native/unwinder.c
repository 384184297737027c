/* SPDX-License-Identifier: ISC */
/* unwinder.c: see unwinder.h. */
#include "engine/native/unwinder.h"

#include <stdio.h>
#include <stdlib.h>

#include "native/elf.h"
#include "native/parts.h"

#define FRAMES_MAX 65536	 /* in a stack */
#define LOOP_SIZE_MAX (1u << 20) /* bytes of code */
#define LOOP_FRAME_MAX 1024	 /* bytes of a loop's frame above its entry */
#define WORD 8			 /* bytes */
#define STACK_REST 64 /* bytes above the last frame's stack pointer */

bool
unwinder_init(struct unwinder *w, const struct process *p,
    const struct py_memory *memory)
{
	*w = (struct unwinder){.frames = malloc(FRAMES_MAX * sizeof(*w->frames))};
	process_modules_init(&w->modules, p, memory);
	stack_window_init(&w->window, memory);
	return w->frames != NULL;
}

void
unwinder_free(struct unwinder *w)
{
	process_modules_free(&w->modules);
	stack_window_free(&w->window);
	free(w->frames);
	*w = (struct unwinder){0};
}

/* ---- frames ------------------------------------------------------------ */

uint64_t
unwinder_inside(const struct native_frame *f)
{
	return f->exact ? f->pc : f->pc - 1;
}

uint64_t
unwinder_function(struct unwinder *w, const struct native_frame *f)
{
	struct module *of = process_modules_find(&w->modules, unwinder_inside(f));
	uint64_t start, end;

	return of != NULL && module_function(of, unwinder_inside(f) - of->bias, &start,
	    &end) ? start + of->bias : 0;
}

bool
unwinder_is_loop(const struct unwinder *w, uint64_t start)
{
	for (size_t i = 0; i < w->nloops; i++)
		if (w->loops[i].start == start)
			return true;
	return false;
}

static bool
is_in_loop(const struct unwinder *w, uint64_t pc)
{
	for (size_t i = 0; i < w->nloops; i++)
		if (pc >= w->loops[i].start && pc < w->loops[i].end)
			return true;
	return false;
}

static void
add_native_frame(struct unwinder *w, struct native_frame f)
{
	if (w->count < FRAMES_MAX)
		w->frames[w->count++] = f;
}

/* ---- the loop's code --------------------------------------------------- */

/* Notes a function of a module, and the parts of it that lie elsewhere. */
static void
note_code(struct unwinder *w, const struct module *of, uint64_t addr)
{
	struct split_part parts[LOOP_PARTS - 1];
	uint64_t start, end;
	uint8_t *code;
	size_t n;

	if (!module_function(of, addr, &start, &end) ||
	    end - start > LOOP_SIZE_MAX ||
	    (code = module_bytes(of, start, (size_t)(end - start))) == NULL)
		return;
	n = parts_find(of, start, code, (size_t)(end - start), parts,
	    LOOP_PARTS - 1);
	free(code);
	w->code.parts[0].start = start + of->bias;
	w->code.parts[0].end = end + of->bias;
	for (size_t i = 0; i < n; i++) {
		w->code.parts[1 + i].start = parts[i].start + of->bias;
		w->code.parts[1 + i].end = parts[i].end + of->bias;
	}
	w->code.count = 1 + n;
}

/* The loop's address as in a module's file; 0: it has none. */
static uint64_t
loop_in_module(struct unwinder *w, struct module *of)
{
	struct elf_python p;

	module_open(&w->modules.modules, of);
	return of->is_elf && of->elf.fd >= 0 && elf_find_python(of->elf.fd, &p) ?
	    p.loop : 0;
}

static void
look_in_module(struct unwinder *w, struct module *of)
{
	uint64_t loop = loop_in_module(w, of);

	if (loop != 0)
		note_code(w, of, loop);
}

bool
unwinder_is_python(struct unwinder *w, struct module *of)
{
	return loop_in_module(w, of) != 0;
}

/* Finds the loop's code in the first module that has it. */
static void
seek_code(struct unwinder *w)
{
	struct modules *ms = &w->modules.modules;

	if (w->code_sought)
		return;
	w->code_sought = true;
	for (size_t i = 0; i < ms->nlist && w->code.count == 0; i++)
		look_in_module(w, ms->list[i]);
}

bool
unwinder_in_loop(const struct unwinder *w, const struct native_frame *f, uint64_t *entry)
{
	*entry = w->loop.known && f->cfa > w->loop.above ? f->cfa - w->loop.above : 0;
	return !f->lost && is_in_loop(w, unwinder_inside(f));
}

bool
unwinder_reaches(const struct native_frame *f, size_t n, uint64_t at, size_t *i)
{
	while (*i < n && f[*i].cfa <= at)
		++*i;
	return *i < n && at >= f[*i].sp;
}

/* ---- causes ------------------------------------------------------------ */

static const char *
cause_of(enum unwind_end end)
{
	static const char *const causes[UNWIND_ENDS] = {
		[UNWIND_NO_TABLE] = "code without a table",
		[UNWIND_NO_FILE] = "code made at run time",
		[UNWIND_NO_STACK] = "a stack that cannot be read",
		[UNWIND_NO_REGISTER] = "a register that is not known",
		[UNWIND_BACKWARD] = "a stack that makes no sense",
		[UNWIND_FULL] = "too many frames",
	};

	return causes[end];
}

/* Notes why an unwind ended at an address, and in which module.  An address that no file
 * and no code made at run time has was none.  The first cause stays. */
static void
note_cause(struct unwinder *w, enum unwind_end end, uint64_t pc)
{
	struct module *of = process_modules_find(&w->modules, pc);

	if (of == NULL && end == UNWIND_NO_TABLE)
		end = UNWIND_BACKWARD;
	if (w->cause[0] == '\0')
		snprintf(w->cause, sizeof(w->cause), "%s%s%s", cause_of(end),
		    of != NULL ? " in " : "", of != NULL ? of->path : "");
}

/* ---- going on at a loop ------------------------------------------------ */

/* The first entry at or above an address of the stack; 0: there is none. */
static uint64_t
entry_above(const struct py_segments *s, uint64_t sp)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].entry >= sp)
			return s->list[i].entry;
	return 0;
}

/* Goes on at the caller of a loop whose frame of C ends at an address.  False if its
 * registers are not there. */
static bool
leave_loop(struct unwinder *w, struct unwind *u, const struct loop_frame *l,
    uint64_t cfa)
{
	const struct cfi_machine *machine = w->modules.tables.machine;
	struct native_stack *stack = &w->window.stack;
	uint64_t below = machine->ra_in_frame ? 1 : (uint64_t)l->slot - 1, pc, fp;

	if ((l->slot == 0 && !machine->ra_in_frame) ||
	    !native_stack_word(stack, cfa - WORD * below, &pc))
		return false;
	u->at = (struct unwind_registers){.pc = pc & machine->pc_mask};
	u->at.value[machine->sp] = cfa;
	u->at.known = UINT64_C(1) << machine->sp;
	if (l->slot != 0 &&
	    native_stack_word(stack, cfa - WORD * (uint64_t)l->slot, &fp)) {
		u->at.value[machine->fp] = fp;
		u->at.known |= UINT64_C(1) << machine->fp;
	}
	u->exact = false;
	return true;
}

/* Whether frames have the loop of each segment above an entry, at one distance.
 * *loops: how many there are. */
static bool
has_loops(const struct py_segments *segments, const struct native_frame *f, size_t n,
    uint64_t entry, uint64_t above, size_t *loops)
{
	*loops = 0;
	for (size_t s = 0, i = 0; s < segments->count; s++) {
		uint64_t next = segments->list[s].entry;
		if (next <= entry)
			continue;
		if (!unwinder_reaches(f, n, next, &i) || f[i].cfa - next != above)
			return false;
		++*loops;
	}
	return true;
}

/* Whether the loop at an entry may end so far above: then the stack goes on there, to
 * its end or through more loops alike. */
static bool
loop_may_end(struct unwinder *w, const struct unwind *u, const struct py_segments *s,
    uint64_t entry, const struct loop_frame *l)
{
	struct native_frame *more = w->frames + w->count;
	struct unwind v = *u;
	enum unwind_end end;
	size_t n = 0, loops;

	if (!leave_loop(w, &v, l, entry + l->above) ||
	    !unwind_is_return(v.tables, v.at.pc))
		return false;
	end = unwind_all(&v, more, &n, FRAMES_MAX - w->count);
	return n > 0 && has_loops(s, more, n - 1, entry, l->above, &loops) &&
	    (end == UNWIND_COMPLETE || loops > 0);
}

/* What a loop keeps, by the row in the middle of its code.  False if that is not
 * simple. */
static bool
middle_of_loop(struct unwinder *w, struct loop_frame *l)
{
	uint64_t pc = w->code.parts[0].start +
	    (w->code.parts[0].end - w->code.parts[0].start) / 2;
	struct module *of = process_modules_find(&w->modules, pc);
	const struct cfi *t = of != NULL ? module_cfi(of, pc - of->bias) : NULL;
	uint32_t row = t != NULL ? cfi_row(t, pc - of->bias) : CFI_NONE;

	*l = (struct loop_frame){true, 0, ROW_SLOT(row), pc};
	return ROW_KIND(row) == CFI_SP || ROW_KIND(row) == CFI_FP;
}

/* Finds where the loop's frame of C ends above an entry, where no stack has shown it
 * yet.  False if that is not certain. */
static bool
seek_loop(struct unwinder *w, const struct unwind *u, const struct py_segments *s,
    uint64_t entry)
{
	struct loop_frame l;
	unsigned found = 0;

	seek_code(w);
	if (w->code.count == 0 || !middle_of_loop(w, &l))
		return false;
	for (l.above = WORD; l.above <= LOOP_FRAME_MAX; l.above += WORD)
		if (loop_may_end(w, u, s, entry, &l) && found++ == 0)
			w->loop = l;
	return w->loop.known = found == 1;
}

/* Goes on at the first loop above an address of the stack. */
static bool
resync(struct unwinder *w, struct unwind *u, const struct py_segments *s, uint64_t sp)
{
	uint64_t entry = entry_above(s, sp), cfa;

	if (entry == 0 || (!w->loop.known && !seek_loop(w, u, s, entry)))
		return false;
	cfa = entry + w->loop.above;
	if (!leave_loop(w, u, &w->loop, cfa))
		return false;
	add_native_frame(w, (struct native_frame){.lost = true});
	add_native_frame(w, (struct native_frame){.pc = w->loop.pc, .sp = entry,
	    .cfa = cfa});
	return true;
}

/* ---- proof ------------------------------------------------------------- */

/* The number of the first frame, from one on, that has an entry and does not end where
 * loops end; the number of frames if there is none.  *sure: behind the last frame that
 * ends there. */
static size_t
first_doubtful(const struct unwinder *w, size_t from, const struct py_segments *s,
    size_t *sure)
{
	size_t i = from;

	*sure = from;
	for (size_t k = 0; k < s->count; k++) {
		uint64_t entry = s->list[k].entry;
		if (!unwinder_reaches(w->frames, w->count, entry, &i))
			continue;
		if (w->frames[i].cfa - entry != w->loop.above)
			return i;
		*sure = i + 1;
	}
	return w->count;
}

/* Whether each loop above a frame is a frame of the loop's own code. */
static bool
are_loops(struct unwinder *w, size_t from, const struct py_segments *s)
{
	uint64_t sp = w->frames[from].sp;
	size_t i = from;

	seek_code(w);
	for (size_t k = 0; k < s->count; k++) {
		uint64_t entry = s->list[k].entry;
		if (entry >= sp &&
		    (!unwinder_reaches(w->frames, w->count, entry, &i) ||
			!loop_has(&w->code, unwinder_inside(&w->frames[i]))))
			return false;
	}
	return true;
}

/* Drops what a walk from a frame on has found, if loops do not end where they do
 * elsewhere, but for the frame itself.  *sp: where the stack is to go on.  False if
 * there is nothing to drop. */
static bool
drop_doubtful(struct unwinder *w, size_t from, const struct py_segments *s, uint64_t *sp)
{
	size_t sure, bad;

	if (!w->loop.known)
		return false;
	bad = first_doubtful(w, from, s, &sure);
	if (bad == w->count)
		return false;
	*sp = w->frames[sure].sp;
	w->count = sure == 0 ? 1 : sure;
	return true;
}

/* ---- reading ----------------------------------------------------------- */

/* Walks on, and proves what the walk has found.  *sp: where a loop is to be sought if
 * the walk is not complete. */
static enum unwind_end
walk_on(struct unwinder *w, struct unwind *u, const struct py_segments *s, uint64_t *sp)
{
	uint64_t entry = entry_above(s, u->at.value[w->modules.tables.machine->sp]);
	size_t from = w->count;
	enum unwind_end end;

	u->guessed = false;
	end = unwind_all(u, w->frames, &w->count, FRAMES_MAX);
	*sp = u->at.value[w->modules.tables.machine->sp];
	if (u->guessed && entry != 0 && !w->loop.known && !are_loops(w, from, s) &&
	    !seek_loop(w, u, s, entry)) {
		w->count = from + 1;
		*sp = w->frames[from].sp;
		return process_modules_find(&w->modules, w->frames[from].pc) != NULL ?
		    UNWIND_NO_TABLE : UNWIND_NO_FILE;
	}
	w->guessed = w->guessed || u->guessed;
	return drop_doubtful(w, from, s, sp) ? UNWIND_BACKWARD : end;
}

static void
walk_thread(struct unwinder *w, struct unwind *u, const struct py_segments *s)
{
	enum unwind_end end;
	uint64_t sp;

	do {
		end = walk_on(w, u, s, &sp);
		if (end == UNWIND_NO_STACK && w->window.stack.more == NULL)
			w->short_of_stack = true;
		else if (end != UNWIND_COMPLETE)
			note_cause(w, end, unwinder_inside(&w->frames[w->count - 1]));
	} while (end != UNWIND_COMPLETE && end != UNWIND_FULL &&
	    resync(w, u, s, sp));
	if (end != UNWIND_COMPLETE)
		add_native_frame(w, (struct native_frame){.lost = true});
	else if (w->cause[0] == '\0')
		w->end = w->frames[w->count - 1].sp + STACK_REST;
}

void
unwinder_read(struct unwinder *w, const struct native_capture *from,
    const struct py_segments *s)
{
	const struct task_registers *r = &from->registers;
	struct unwind u = {.tables = &w->modules.tables, .stack = &w->window.stack,
	    .at.pc = r->pc, .exact = true};

	for (unsigned i = 0; i < r->count; i++) {
		if ((r->lacks >> i & 1) != 0)
			continue;
		u.at.value[i] = r->value[i];
		u.at.known |= UINT64_C(1) << i;
	}
	w->count = 0;
	w->guessed = w->short_of_stack = false;
	w->cause[0] = '\0';
	w->end = 0;
	w->modules.may_look = true;
	if (!stack_window_open(&w->window, from,
		u.at.value[u.tables->machine->sp])) {
		note_cause(w, UNWIND_NO_STACK, r->pc);
		return;
	}
	walk_thread(w, &u, s);
	/* To 3.10. */
	if (s->count > 0 && s->list[0].entry == 0)
		seek_code(w);
}

void
unwinder_take(struct unwinder *w, const struct native_capture *from,
    const struct native_frame *f, size_t n, uint64_t end)
{
	stack_window_open(&w->window, from, from->low);
	w->count = 0;
	w->guessed = w->short_of_stack = false;
	w->cause[0] = '\0';
	w->end = end;
	for (size_t i = 0; i < n; i++)
		add_native_frame(w, f[i]);
}

void
unwinder_forget(struct unwinder *w, const char *cause)
{
	w->count = 0;
	w->end = 0;
	w->short_of_stack = false;
	snprintf(w->cause, sizeof(w->cause), "%s", cause);
}

/* Another distance than before is that of a frame that only looks like a loop's. */
void
unwinder_learn(struct unwinder *w, const struct native_frame *f, uint64_t entry)
{
	uint64_t pc = unwinder_inside(f), start, end;
	struct module *of;
	uint32_t row;

	if (w->loop.known && is_in_loop(w, pc))
		return;
	of = process_modules_find(&w->modules, pc);
	if (of == NULL || !module_function(of, pc - of->bias, &start, &end))
		return;
	if (!is_in_loop(w, pc) && w->nloops < LOOPS_MAX)
		w->loops[w->nloops++] = (struct loop_function){start + of->bias,
		    end + of->bias};
	row = cfi_row(module_cfi(of, pc - of->bias), pc - of->bias);
	if (w->loop.known || w->guessed || entry == 0 ||
	    (ROW_KIND(row) != CFI_SP && ROW_KIND(row) != CFI_FP))
		return;
	w->loop = (struct loop_frame){true, f->cfa - entry, ROW_SLOT(row), f->pc};
}
