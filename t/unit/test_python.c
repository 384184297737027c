/* SPDX-License-Identifier: ISC */
/*
 * test_python: the walks over a target's memory, on memory that is made up
 * here: chains of frames as they should be, and as a torn read, a freed
 * object or a hostile process can make them look.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/copy/workset.h"
#include "profile.h"
#include "python/code.h"
#include "python/frames.h"
#include "python/lines.h"
#include "python/offsets.h"
#include "python/runtime.h"
#include "python/status.h"
#include "python/unicode.h"

/* ---- memory ----------------------------------------------------------- */

#define BASE UINT64_C(0x7f0000000000)

static uint8_t memory[131072];
static struct py_span span = {BASE, sizeof(memory), memory};

static struct py_view
whole_view(void)
{
	return (struct py_view){.memory.read = view_read, .spans = &span,
	    .count = 1};
}

static void
put(uint64_t addr, uint64_t value)
{
	memcpy(memory + (addr - BASE), &value, sizeof(value));
}

static struct py_offsets
offsets_of(unsigned minor)
{
	const struct py_layout *l = py_layout_find(minor, false);
	struct py_offsets o;

	check(l != NULL);
	check(py_offsets_load(l, NULL, &o) == NULL);
	return o;
}

/* ---- the text of a version --------------------------------------------- */

static uint32_t
version_in(const char *text)
{
	uint8_t bytes[1024] = "3.4.5 is no version; nor is 3.x (";
	size_t len = strlen(text);

	memcpy(bytes + 64, text, len);
	return runtime_version(bytes, sizeof(bytes));
}

static void
test_version_texts(void)
{
	check_number(version_in("3.8.10 (default, Nov 14 2022, 12:59:47) \n"
	    "[GCC 9.4.0]"), 0x03080af0);
	check_number(version_in("3.10.13 (main, Nov  1 2023, 10:00:00) "
	    "[GCC 12.2.0]"), 0x030a0df0);
	check_number(version_in("3.9.0b3+ (heads/3.9:1234abc, Jun 9 2020) \n"
	    "[Clang 10.0.0 ]"), 0x030900b3);
	check_number(version_in("3.7.0rc1 (default, 2018) \n[GCC 7]"),
	    0x030700c1);
	check_number(version_in("2.7.18 (default, Jul  4 2022) \n[GCC]"),
	    0x020712f0);
	check_number(version_in("3.8.10 (default, Nov 14 2022)"), 0);
	check_number(version_in("3.8.10 [GCC 9.4.0]"), 0);
	check_number(version_in("3.8.999 (default) [GCC 9.4.0]"), 0);
	check_number(version_in(""), 0);
	check_number(runtime_version((const uint8_t *)"3.8", 3), 0);
}

/* ---- offsets ------------------------------------------------------------- */

static void
test_versions(void)
{
	check(py_layout_find(5, false) == NULL);
	check(py_layout_find(16, false) == NULL);
	for (unsigned minor = 6; minor <= 15; minor++)
		check(py_layout_find(minor, false) != NULL);
	check(py_layout_find(12, false)->debug_size == 0);
	check_number(py_layout_find(13, false)->debug_size, 584);
	check_number(py_layout_find(14, false)->debug_size, 760);
	check_number(py_layout_find(15, false)->debug_size, 888);
}

static void
tell(uint8_t *debug, uint32_t where, uint64_t value)
{
	memcpy(debug + where, &value, sizeof(value));
}

/* A table as 3.15 gives it: sizes large enough, every field at 8 but where
 * an object's text begins. */
static void
make_debug(const struct py_layout *l, uint8_t *debug)
{
	const struct py_offsets *t = &l->told;
	uint64_t size = PY_CODE_MAX, at = 8;

	memset(debug, 0, PY_DEBUG_MAX);
#define X(section, field, width)                                              \
	if (py_has(t->section##_##field))                                     \
		memcpy(debug + t->section##_##field,                          \
		    strcmp(#field, "size") == 0 ? &size : &at, 8);
	PY_OFFSETS(X)
#undef X
	tell(debug, t->unicode_ascii_size, 40);
	tell(debug, t->unicode_compact_size, 56);
	tell(debug, t->bytes_data, 32);
	tell(debug, t->int_digits, 24);
}

/* Fields that lie inside their struct, but not in what is read of it. */
static void
test_heads(const struct py_layout *l)
{
	const struct py_offsets *t = &l->told;
	const struct {
		uint32_t where;
		uint64_t value;
		const char *what;
	} cases[] = {
	    {t->code_size, PY_CODE_MAX + 1, "code.size"},
	    {t->unicode_ascii_size, PY_HEAD_MAX + 1, "unicode.ascii_size"},
	    {t->unicode_state, 37, "unicode.ascii_size"},
	    {t->unicode_length, 200, "unicode.ascii_size"},
	    {t->bytes_data, PY_HEAD_MAX + 1, "bytes.data"},
	    {t->bytes_length, 25, "bytes.data"},
	    {t->int_digits, PY_HEAD_MAX + 1, "int.digits"},
	    {t->int_tag, 17, "int.digits"},
	    {t->frame_size, PY_FRAME_MAX + 1, "frame.size"},
	    {t->object_type, 0, "object.type"},
	    {t->object_type, 4, "object.type"},
	};
	uint8_t debug[PY_DEBUG_MAX];
	struct py_offsets o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		make_debug(l, debug);
		tell(debug, cases[i].where, cases[i].value);
		check_text(py_offsets_load(l, debug, &o), cases[i].what);
	}
	make_debug(l, debug);
	tell(debug, t->object_size, 4096);
	tell(debug, t->object_type, PY_CODE_MAX - 7);
	check_text(py_offsets_load(l, debug, &o), "code.size");
}

static void
test_debug_table(void)
{
	const struct py_layout *l = py_layout_find(15, false);
	uint8_t debug[PY_DEBUG_MAX];
	struct py_offsets o;
	uint64_t values[] = {PY_CODE_MAX - 3, 1 << 24, UINT64_MAX};

	make_debug(l, debug);
	check(py_offsets_load(l, debug, &o) == NULL);
	check_number(o.frame_previous, 8);
	check_number(o.code_size, PY_CODE_MAX);
	for (size_t i = 0; i < 3; i++) {
		make_debug(l, debug);
		memcpy(debug + l->told.frame_previous, &values[i], 8);
		check_text(py_offsets_load(l, debug, &o), "frame.previous");
	}
	make_debug(l, debug);
	memcpy(debug + l->told.code_size, &values[2], 8);
	check_text(py_offsets_load(l, debug, &o), "code.size");
	test_heads(l);
}

/* ---- frames ------------------------------------------------------------ */

#define TSTATE BASE
#define CFRAME (BASE + sizeof(memory) - 1024) /* on the C stack */
#define FRAME(i) (BASE + 4096 + 256 * (uint64_t)(i))

static void
put_frame(const struct py_offsets *o, int i, uint64_t previous, uint64_t code,
    uint8_t owner)
{
	put(FRAME(i) + o->frame_previous, previous);
	put(FRAME(i) + o->frame_code, code);
	put(FRAME(i) + o->frame_instr, 1000 + (uint64_t)i);
	memory[FRAME(i) + o->frame_owner - BASE] = owner;
}

static void
start_at(const struct py_offsets *o, uint64_t frame)
{
	memset(memory, 0, sizeof(memory));
	put(TSTATE + o->thread_cframe, CFRAME);
	put(CFRAME + o->cframe_current_frame, frame);
}

static enum walk_result
walk(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    struct py_chain *c)
{
	return walk_frames(o, v, thread, &(struct py_marks){0}, c);
}

static void
test_chain(void)
{
	struct py_offsets o = offsets_of(12);
	struct py_view v = whole_view();
	struct py_chain c = {0};

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 0, 0);   /* being popped */
	o.tags = 3; /* as in 3.14 and later */
	put_frame(&o, 1, FRAME(2), 107, 0); /* tagged: 104 */
	put_frame(&o, 2, FRAME(3), 222 & ~7, 3); /* the interpreter's own */
	put_frame(&o, 3, FRAME(4), 333 & ~7, 1);
	put_frame(&o, 4, 0, 0, 3);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 2);
	check_number(c.places[0].code, 104);
	check_number(c.places[0].instr, 1001);
	check_number(c.places[1].code, 328);
	/* None, by a cframe on the C stack: what ran is lost. */
	start_at(&o, 0);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	/* By that in the state: none of Python's does. */
	put(TSTATE + o.thread_cframe, TSTATE + o.thread_size - 24);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 0);
	chain_free(&c);
}

/* What says which frame is current can be older than the frames: callees of
 * one that runs, or has not begun, have returned. */
static void
test_returned(void)
{
	struct py_offsets o = offsets_of(12);
	struct py_view v = whole_view();
	struct py_chain c = {0};
	uint32_t running = UINT32_MAX; /* no top of the stack is noted */

	start_at(&o, FRAME(0));
	for (int i = 0; i < 4; i++)
		put_frame(&o, i, FRAME(i + 1), 8, 0);
	put_frame(&o, 4, 0, 8, o.entry_owner);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 4);
	check(!c.places[0].calls && c.places[1].calls && c.places[3].calls);
	memcpy(memory + (FRAME(2) + o.frame_stacktop - BASE), &running, 4);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 2);
	check_number(c.places[0].instr, 1002);
	check(!c.places[0].calls);
	/* Called from C, it may run. */
	memory[FRAME(1) + o.frame_owner - BASE] = o.entry_owner;
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 3);
	check(!c.places[1].calls);
	/* At its first instruction. */
	memory[FRAME(1) + o.frame_owner - BASE] = 0;
	memset(memory + (FRAME(2) + o.frame_stacktop - BASE), 0, 4);
	put(FRAME(3) + o.frame_instr, 8 + o.code_bytecode);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 1);
	chain_free(&c);
}

static enum walk_result
walk_past(const struct py_offsets *o, const struct py_past *r,
    struct py_chain *c)
{
	struct py_view v = whole_view();

	return walk_frames(o, &v, TSTATE, &(struct py_marks){.past = r}, c);
}

/* If they are wanted, they are there, and can be left out afterwards. */
static void
test_past(void)
{
	static const struct py_past none;
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};
	uint32_t running = UINT32_MAX;

	start_at(&o, FRAME(0));
	for (int i = 0; i < 4; i++)
		put_frame(&o, i, FRAME(i + 1), 8, 0);
	put_frame(&o, 4, 0, 8, o.entry_owner);
	memcpy(memory + (FRAME(0) + o.frame_stacktop - BASE), &running, 4);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 4 && c.live == 4 && !c.ending);
	check(!c.places[1].left && !c.places[3].left);
	/* It goes on, and has left the call of the one before. */
	memcpy(memory + (FRAME(2) + o.frame_stacktop - BASE), &running, 4);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 4 && c.live == 2 && !c.returned);
	check(!c.places[1].left && c.places[2].left && !c.places[3].left);
	chain_drop_past(&c);
	check_number(c.depth, 2);
	check_number(c.places[0].instr, 1002);
	check(!c.places[0].calls && !c.places[0].left);
	/* It has no code object any more; nor has any. */
	put(FRAME(1) + o.frame_code, 0);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 4 && c.live == 2);
	check(c.places[1].code == PLACE_PAST && c.places[1].instr == 1001);
	for (int i = 0; i < 4; i++)
		put(FRAME(i) + o.frame_code, 0);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 4 && c.live == 0 && c.returned);
	chain_drop_past(&c);
	check_number(c.depth, 0);
	chain_free(&c);
}

/* Two frames of Python's, the inner one of an owner, and their entry. */
static void
put_two(const struct py_offsets *o, uint8_t owner)
{
	start_at(o, FRAME(0));
	put_frame(o, 0, FRAME(1), 8, owner);
	put_frame(o, 1, FRAME(2), 8, 0);
	put_frame(o, 2, 0, 8, o->entry_owner);
}

/* One that notes the top of its stack may be about to return: where its caller
 * is then says nothing. */
static void
test_ending(void)
{
	static const struct py_past none;
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_two(&o, 0);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 2 && c.live == 2 && c.ending && !c.places[1].left);
	chain_free(&c);
}

/* No code object is known. */
static size_t
no_size(const void *arg, uint64_t code)
{
	(void)arg;
	(void)code;
	return 0;
}

static bool
no_calls(const void *arg, const struct py_place *caller,
    const struct py_place *callee)
{
	(void)arg;
	(void)caller;
	(void)callee;
	return false;
}

/* A suspended generator was resumed by whom it was seen to be. */
static void
test_resumers(void)
{
	struct py_past r = {.frame_size = no_size, .calls = no_calls};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_two(&o, 1);
	check(walk_past(&o, &r, &c) == WALK_OK);
	check(c.depth == 2 && c.live == 2);
	chain_note_resumers(&c, 2, &r); /* it is among those of before */
	put_frame(&o, 0, 0, 8, 1);
	check(walk_past(&o, &r, &c) == WALK_BAD);
	c.depth = 0;
	put_frame(&o, 0, FRAME(1), 8, 1);
	check(walk_past(&o, &r, &c) == WALK_OK);
	chain_note_resumers(&c, 1, &r);
	put_frame(&o, 0, 0, 8, 1);
	check(walk_past(&o, &r, &c) == WALK_OK);
	check(c.depth == 2 && c.live == 1 && c.places[1].left);
	check_number(c.places[1].frame, FRAME(1));
	/* One that has ended is not who resumed it this time. */
	put(FRAME(1) + o.frame_code, 0);
	check(walk_past(&o, &r, &c) == WALK_BAD);
	check_number(c.depth, 1);
	/* Two that resume each other, which nothing does. */
	put_frame(&o, 1, FRAME(0), 8, 1);
	check(walk_past(&o, &r, &c) == WALK_BAD);
	chain_free(&c);
}

/* Frames of a shim are passed over, but entry frames that have its code object
 * stay what they are. */
static void
test_shims(void)
{
	const struct py_shims shims = {{24, 16}};
	struct py_offsets o = offsets_of(12);
	struct py_view v = whole_view();
	struct py_chain c = {0};

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 8, 0);
	put_frame(&o, 1, FRAME(2), 16, 0);
	put_frame(&o, 2, FRAME(3), 8, 0);
	put_frame(&o, 3, 0, 16, o.entry_owner);
	check(walk_frames(&o, &v, TSTATE, &(struct py_marks){.shims = &shims},
		  &c) == WALK_OK);
	check_number(c.depth, 2);
	check_number(c.places[1].frame, FRAME(2));
	chain_free(&c);
}

/* ---- what the C stack has lost ----------------------------------------- */

#define ENTRY (CFRAME + 64) /* the loop's, beside its cframe */

/* Of code object 8. */
static size_t
one_size(const void *arg, uint64_t code)
{
	(void)arg;
	return code == 8 ? FRAME(1) - FRAME(0) : 0;
}

/* It calls itself. */
static bool
one_calls(const void *arg, const struct py_place *caller,
    const struct py_place *callee)
{
	(void)arg;
	return caller->code == 8 && callee->code == 8;
}

static enum walk_result
walk_relinked(const struct py_offsets *o, struct py_past *past,
    struct py_chain *c)
{
	past->frame_size = one_size;
	past->calls = one_calls;
	return walk_past(o, past, c);
}

/* On the data stack the innermost frame lies behind its callers: 2 behind 1,
 * which lies behind 0.  Their entry is 8. */
static void
put_stack(const struct py_offsets *o)
{
	start_at(o, FRAME(2));
	put_frame(o, 2, FRAME(1), 8, 0);
	put_frame(o, 1, FRAME(0), 8, 0);
	put_frame(o, 0, FRAME(8), 8, 0);
	put_frame(o, 8, 0, 8, o->entry_owner);
	put(TSTATE + o->thread_stack_top, FRAME(3));
	put(TSTATE + o->thread_exc_info, TSTATE + o->thread_exc_state);
}

/* The loop has one of its own variables for its current frame. */
static void
test_lost_current(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_stack(&o);
	put(CFRAME + o.cframe_current_frame, ENTRY);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 3);
	check_number(c.places[0].frame, FRAME(2));
	put(CFRAME + o.cframe_current_frame, 0);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 3);
	/* What the state tells is older than what runs now. */
	put(CFRAME + o.cframe_current_frame, FRAME(1));
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 2);
	/* No frame ends there: another one has its place. */
	put(CFRAME + o.cframe_current_frame, ENTRY);
	put(FRAME(2) + o.frame_code, 16);
	check(walk_relinked(&o, &past, &c) != WALK_OK);
	chain_free(&c);
}

/* Puts an entry frame between 2 and 1, which the loop has left. */
static void
put_lost(const struct py_offsets *o)
{
	put_stack(o);
	put_frame(o, 2, ENTRY, 8, 0);
	put(ENTRY + o->frame_code, 24);
	put(ENTRY + o->frame_previous, 0x1234567890);
}

static void
test_lost_caller(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_lost(&o);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check(c.depth == 3 && c.places[1].left && !c.places[1].calls);
	check_number(c.places[1].frame, FRAME(1));
	/* It does not call such a one. */
	put(FRAME(1) + o.frame_code, 16);
	check(walk_relinked(&o, &past, &c) == WALK_BAD);
	chain_free(&c);
}

/* Puts an entry frame on the C stack. */
static void
put_entry(const struct py_offsets *o, uint64_t entry, uint64_t previous)
{
	put(entry + o->frame_code, 24);
	put(entry + o->frame_previous, previous);
	memory[entry + o->frame_owner - BASE] = o->entry_owner;
}

/* A finalizer is called by the loop that ran what has left it. */
static void
test_entry_of_entry(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_lost(&o);
	put_entry(&o, ENTRY, ENTRY + 256);
	put_entry(&o, ENTRY + 256, FRAME(0));
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 2);
	check_number(c.places[1].frame, FRAME(0));
	check(!c.places[1].left);
	/* Another one, which has not been copied, is not lost either. */
	put_entry(&o, ENTRY + 256, ENTRY + 4096);
	check(walk_relinked(&o, &past, &c) == WALK_MISS);
	/* But what has been something else since then is. */
	put(ENTRY + 256 + o.frame_previous, 1);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 3);
	check_number(c.places[1].frame, FRAME(1));
	chain_free(&c);
}

/* A program can lose as many as it likes, but not have them all sought. */
static void
test_many_lost(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	for (int n = 65; n <= 66; n++) {
		put_lost(&o);
		start_at(&o, FRAME(n));
		put(TSTATE + o.thread_stack_top, FRAME(n + 1));
		put(ENTRY + o.frame_code, 24);
		for (int i = 1; i <= n; i++)
			put_frame(&o, i, ENTRY, 8, 0);
		put_frame(&o, 1, FRAME(0), 8, 0);
		put_frame(&o, 0, FRAME(100), 8, 0);
		put_frame(&o, 100, 0, 8, o.entry_owner);
		check(walk_relinked(&o, &past, &c) ==
		    (n == 65 ? WALK_OK : WALK_BAD));
	}
	chain_free(&c);
}

/* Generator 6 was seen to be resumed by frame n. */
static void
note_resumer(struct py_past *past, uint64_t code, int n)
{
	struct py_place generator = {.frame = FRAME(6), .code = code};
	struct py_place by = {.frame = FRAME(n), .code = 8};

	past_note_resumer(past, &generator, n < 0 ? NULL : &by);
}

/* What is not on the C stack is not lost: its code object is only new. */
static void
test_new_caller(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_lost(&o);
	put_frame(&o, 2, FRAME(6), 8, 0);
	put_frame(&o, 6, FRAME(0), 32, 1);
	note_resumer(&past, 32, 1);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 3);
	check_number(c.places[1].frame, FRAME(6));
	check_number(c.places[1].code, 32);
	check_number(c.places[2].frame, FRAME(0));
	put(FRAME(6) + o.frame_previous, 0x1234567890);
	check(walk_relinked(&o, &past, &c) == WALK_MISS);
	chain_free(&c);
}

/* The state tells which generator ran, earlier samples who resumes it. */
static void
test_lost_generator(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_lost(&o);
	put_frame(&o, 6, ENTRY, 8, 1);
	put(TSTATE + o.thread_exc_info,
	    FRAME(6) - o.generator_frame + o.generator_exc_item);
	put(CFRAME + o.cframe_current_frame, ENTRY);
	put(FRAME(2) + o.frame_previous, FRAME(1));
	/* By whom is not known: it is taken to be outside of the others. */
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.places[0].frame, FRAME(2));
	note_resumer(&past, 8, 2);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[0].frame, FRAME(6));
	check_number(c.places[1].frame, FRAME(2));
	/* It was resumed by the caller of the current frame, and called that. */
	note_resumer(&past, 8, 1);
	put(CFRAME + o.cframe_current_frame, FRAME(2));
	put_frame(&o, 2, ENTRY, 8, 0);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[0].frame, FRAME(2));
	check_number(c.places[1].frame, FRAME(6));
	check_number(c.places[2].frame, FRAME(1));
	/* One of another code object had its address. */
	note_resumer(&past, 32, 0);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.places[2].frame, FRAME(1));
	/* Both may have called it. */
	note_resumer(&past, 8, -1);
	check(walk_relinked(&o, &past, &c) == WALK_BAD);
	chain_free(&c);
}

/* Generator 6 ran, and was suspended. */
static void
put_suspended(const struct py_offsets *o)
{
	put_stack(o);
	put_frame(o, 6, 0, 8, 1);
	put(CFRAME + o->cframe_current_frame, FRAME(6));
}

/* There are several who may have resumed it. */
static void
test_resumed_again(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_suspended(&o);
	put_frame(&o, 7, 0, 8, 1);
	/* Nobody is known to: it is the innermost of the data stack. */
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[1].frame, FRAME(2));
	/* The newest, generator 7, was resumed by nobody who is there. */
	note_resumer(&past, 8, 2);
	note_resumer(&past, 8, 7);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[1].frame, FRAME(2));
	/* One that has another's address by now. */
	put_frame(&o, 2, FRAME(1), 16, 0);
	check(walk_relinked(&o, &past, &c) == WALK_BAD);
	chain_free(&c);
}

/* Generator i holds the generator of frame 6, with what low bits of a reference
 * may say. */
static void
put_holder(const struct py_offsets *o, int i, uint64_t code)
{
	put_frame(o, i, 0, code, 1);
	put(FRAME(i) + o->frame_size + 16, (FRAME(6) - o->generator_frame) | 1);
}

/* Nobody has noted who resumed generator 6, but one generator holds it. */
static void
test_held_generator(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	o.tags = 3; /* as in 3.14 and later */
	put_suspended(&o);
	put_holder(&o, 7, 8);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 5);
	check_number(c.places[1].frame, FRAME(7));
	check_number(c.places[2].frame, FRAME(2));
	/* So does another one, but of code that does not call it. */
	put_holder(&o, 9, 16);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.places[1].frame, FRAME(7));
	/* Two that may have called it: neither is taken for who did. */
	put_holder(&o, 9, 8);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[1].frame, FRAME(2));
	/* Behind the frame of another code object. */
	put_holder(&o, 9, 16);
	put_frame(&o, 7, 0, 32, 1);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.places[1].frame, FRAME(2));
	chain_free(&c);
}

/* More words than are looked at say that a generator is held. */
static void
test_held_everywhere(void)
{
	struct py_past past = {0};
	struct py_offsets o = offsets_of(12);
	struct py_chain c = {0};

	put_suspended(&o);
	put_holder(&o, 7, 8);
	for (int i = 0; i < 64; i++)
		put(FRAME(20) + 8 * (uint64_t)i, FRAME(6) - o.generator_frame);
	check(walk_relinked(&o, &past, &c) == WALK_OK);
	check_number(c.depth, 4);
	check_number(c.places[1].frame, FRAME(2));
	chain_free(&c);
}

static bool
is_shim(unsigned minor, const char *name, const char *file)
{
	const struct py_offsets *o = &py_layout_find(minor, false)->fixed;

	return frame_is_shim(o, name, strlen(name), file, strlen(file));
}

/* A function or a file may be called so, but not both. */
static void
test_shim(void)
{
	check(is_shim(13, "__init__", "__init__"));
	check(is_shim(15, "__init__", "__init__"));
	check(!is_shim(12, "__init__", "__init__"));
	check(is_shim(12, "<interpreter trampoline>", "<shim>"));
	check(!is_shim(13, "<interpreter trampoline>", "<shim>"));
	check(!is_shim(12, "<interpreter trampoline>", "x.py"));
	check(!is_shim(13, "__init__", "x.py"));
	check(!is_shim(13, "__init__", "__exit__"));
	check(!is_shim(13, "<module>", "<module>"));
	check(!is_shim(13, "", ""));
	check(!is_shim(8, "", ""));
}

static void
test_bad_chains(void)
{
	struct py_offsets o = offsets_of(12);
	struct py_view v = whole_view();
	struct py_chain c = {0};

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 8, 0);
	put_frame(&o, 1, FRAME(0), 8, 0); /* a circle */
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame(&o, 1, FRAME(2) + 3, 8, 0); /* no address of a frame */
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame(&o, 1, BASE + sizeof(memory) - 8, 8, 0); /* over the end */
	check(walk(&o, &v, TSTATE, &c) == WALK_MISS);
	put_frame(&o, 1, UINT64_MAX - 7, 8, 0);
	check(walk(&o, &v, TSTATE, &c) == WALK_MISS);
	check(walk(&o, &v, BASE - 4096, &c) == WALK_MISS);
	chain_free(&c);
}

/* A generator that was suspended has no caller, and is no root. */
static void
test_root(void)
{
	struct py_view v = whole_view();
	struct py_chain c = {0};
	struct py_offsets o = offsets_of(12);

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 8, 0);
	put_frame(&o, 1, 0, 8, 1);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame(&o, 1, 0, 8, 0);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame(&o, 1, 0, 0, 3);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);

	o = offsets_of(11);
	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 8, 0);
	put_frame(&o, 1, 0, 8, 0);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	memory[FRAME(1) + o.frame_is_entry - BASE] = 1;
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	put_frame(&o, 1, 0, 8, 1);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	chain_free(&c);
}

/* Frames that have all returned are not a thread without any: that one is at
 * the frame that all chains end with, which CPython 3.15 tells. */
static void
test_none_left(void)
{
	struct py_view v = whole_view();
	struct py_chain c = {0};
	struct py_offsets o = offsets_of(12);

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 0, 0);
	put_frame(&o, 1, 0, 0, 3);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check(c.depth == 0 && c.returned);
	o.thread_base_frame = 32;
	put(TSTATE + o.thread_base_frame, FRAME(2));
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check(c.depth == 0 && c.returned);
	put(TSTATE + o.thread_base_frame, FRAME(1));
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check(c.depth == 0 && !c.returned);
	start_at(&o, 0);
	put(TSTATE + o.thread_cframe, TSTATE + o.thread_size - 24);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check(c.depth == 0 && !c.returned);
	chain_free(&c);
}

static void
put_refs(const struct py_offsets *o, int i, uint64_t refs)
{
	put(FRAME(i) + o->object_type - sizeof(uint64_t), refs);
}

static void
put_frame_object(const struct py_offsets *o, int i, uint64_t back, int32_t lasti,
    uint8_t state)
{
	put_refs(o, i, 1);
	put(FRAME(i) + o->frame_previous, back);
	put(FRAME(i) + o->frame_code, 8);
	put(FRAME(i) + o->frame_generator, 0);
	memcpy(memory + (FRAME(i) + o->frame_lasti - BASE), &lasti, 4);
	memory[FRAME(i) + o->frame_state - BASE] = state;
}

/* To 3.10: frame objects, of which only live ones count. */
static void
check_heap_frames(unsigned minor, uint8_t live, uint8_t dead)
{
	static const struct py_past none;
	struct py_offsets o = offsets_of(minor);
	struct py_view v = whole_view();
	struct py_chain c = {0};

	memset(memory, 0, sizeof(memory));
	put(TSTATE + o.thread_current_frame, FRAME(0));
	put_frame_object(&o, 0, FRAME(1), -1, live);
	put_frame_object(&o, 1, FRAME(2), 6, live);
	put_frame_object(&o, 2, 0, 0, live);
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 3);
	check_number(c.places[0].instr, 8 - (uint64_t)o.lasti_unit);
	check_number(c.places[1].instr, 8 + 6 * (uint64_t)o.lasti_unit);
	put_frame_object(&o, 1, FRAME(2), 6, dead); /* it has returned */
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 1);
	check(walk_past(&o, &none, &c) == WALK_OK);
	check(c.depth == 3 && c.live == 1);
	check(!c.places[0].resumed && c.places[1].left && c.places[2].left);
	put_refs(&o, 1, 0); /* and is being freed */
	check(walk_past(&o, &none, &c) == WALK_OK);
	put_frame_object(&o, 0, FRAME(1), -1, dead);
	put_refs(&o, 0, 0); /* two that are: a list of free ones, more likely */
	check(walk_past(&o, &none, &c) == WALK_BAD);
	put_frame_object(&o, 0, FRAME(1), -1, live);
	put_frame_object(&o, 1, FRAME(2), -1, live); /* it has called nothing yet */
	check(walk(&o, &v, TSTATE, &c) == WALK_OK);
	check_number(c.depth, 2);
	put_frame_object(&o, 2, 0, 0, dead); /* the end of a list of free ones */
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame_object(&o, 2, 0, 0, live);
	put(FRAME(2) + o.frame_generator, 8); /* suspended in the meantime */
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame_object(&o, 2, 0, 0, 0xff);
	check(walk(&o, &v, TSTATE, &c) == WALK_BAD);
	put_frame_object(&o, 0, 0, 6, dead); /* a generator that has ended */
	check(walk_past(&o, &none, &c) == WALK_BAD);
	check(c.depth == 1 && c.places[0].resumed);
	chain_free(&c);
}

/* To 3.10: two generators that have ended forget their callers; those are noted,
 * whoever holds the frames. */
static void
test_ended_generators(void)
{
	struct py_past past = {.frame_size = no_size, .calls = no_calls};
	struct py_offsets o = offsets_of(9);
	struct py_view v = whole_view();
	struct py_chain c = {0};

	memset(memory, 0, sizeof(memory));
	put(TSTATE + o.thread_current_frame, FRAME(0));
	for (int i = 0; i < 2; i++) {
		struct py_place ended = {.code = 8, .frame = FRAME(i)};
		struct py_place by = {.code = 8, .frame = FRAME(i + 1)};
		past_note_resumer(&past, &ended, &by);
		put_frame_object(&o, i, 0, 6, 0);
		put_refs(&o, i, 0);
	}
	put_frame_object(&o, 2, 0, 6, 1);
	check(walk_frames(&o, &v, TSTATE, &(struct py_marks){.past = &past},
	    &c) == WALK_OK);
	check_number(c.depth, 3);
	chain_free(&c);
}

static void
test_heap_frames(void)
{
	check_heap_frames(6, 1, 0);
	check_heap_frames(9, 1, 0);
	check_heap_frames(10, 0, 1);
	check_heap_frames(10, 2, 4);
}

/* Whatever is in memory, a walk ends and reads nothing else. */
static void
check_codes(const struct py_offsets *o, const struct py_marks *m,
    const uint64_t *codes, size_t n)
{
	struct py_view v = whole_view();
	struct py_chain c = {0};

	check(walk_frames(o, &v, TSTATE, m, &c) == WALK_OK);
	check_number(c.depth, n);
	for (size_t i = 0; i < n; i++)
		check_number(c.places[i].code, codes[i]);
	chain_free(&c);
}

/* f calls C, which calls g; the collector was called from f. */
static void
test_marks(void)
{
	struct py_offsets o = offsets_of(12);

	start_at(&o, FRAME(0));
	put_frame(&o, 0, FRAME(1), 104, 0);
	put_frame(&o, 1, FRAME(2), 8, o.entry_owner);
	put_frame(&o, 2, FRAME(3), 112, 0);
	put_frame(&o, 3, 0, 8, o.entry_owner);
	check_codes(&o, &(struct py_marks){0}, (uint64_t[]){104, 112}, 2);
	check_codes(&o, &(struct py_marks){.native = true},
	    (uint64_t[]){104, PLACE_NATIVE, 112, PLACE_NATIVE}, 4);
	check_codes(&o, &(struct py_marks){.gc_frame = FRAME(2)},
	    (uint64_t[]){104, PLACE_GC, 112}, 3);
	check_codes(&o,
	    &(struct py_marks){.gc_frame = FRAME(2), .native = true},
	    (uint64_t[]){104, PLACE_GC, 112, PLACE_NATIVE}, 4);
	check_codes(&o, &(struct py_marks){.gc_inner = true},
	    (uint64_t[]){PLACE_GC, 104, 112}, 3);
	check_codes(&o, &(struct py_marks){.gc_frame = FRAME(9)},
	    (uint64_t[]){104, 112}, 2);
}

/* ---- status ------------------------------------------------------------ */

#define OBJECT(i) (BASE + 16384 + 64 * (uint64_t)(i))
#define ITEM(i) (BASE + 32768 + 64 * (uint64_t)(i))

/* An object whose type has a name. */
static uint64_t
put_object(const struct py_offsets *o, int i, const char *name)
{
	uint64_t type = BASE + 40000 + 512 * (uint64_t)i;

	put(OBJECT(i) + o->object_type, type);
	put(type + o->type_name, type + 256);
	memcpy(memory + (type + 256 - BASE), name, strlen(name) + 1);
	return OBJECT(i);
}

static bool
has_exception(const struct py_offsets *o, struct py_none *none)
{
	struct py_span state = {TSTATE, o->thread_size, memory};
	struct py_view copy = {.memory.read = view_read, .spans = &state,
	    .count = 1};
	struct py_view live = whole_view();

	return status_exception(o, &copy, &live.memory, TSTATE, none);
}

/* On its way up; handled; handled by a caller of generators; by none. */
static void
test_exceptions(unsigned minor)
{
	struct py_offsets o = offsets_of(minor);
	struct py_none none = {0};
	uint64_t nothing, value;

	memset(memory, 0, sizeof(memory));
	nothing = put_object(&o, 0, "NoneType");
	value = put_object(&o, 1, "NoneTypeError");
	check(!has_exception(&o, &none));
	put(TSTATE + o.thread_raised, value);
	check(has_exception(&o, &none));
	put(TSTATE + o.thread_raised, 0);
	put(TSTATE + o.thread_exc_info, TSTATE + o.thread_exc_state);
	check(!has_exception(&o, &none));
	put(TSTATE + o.thread_exc_state + o.exc_item_value, value);
	check(has_exception(&o, &none));
	check_number(none.other, value);
	put(TSTATE + o.thread_exc_state + o.exc_item_value, nothing);
	check(!has_exception(&o, &none));
	check_number(none.none, nothing);

	put(TSTATE + o.thread_exc_info, ITEM(0));
	put(ITEM(0) + o.exc_item_previous, ITEM(1));
	put(ITEM(1) + o.exc_item_value, nothing);
	put(ITEM(1) + o.exc_item_previous, TSTATE + o.thread_exc_state);
	check(!has_exception(&o, &none));
	put(TSTATE + o.thread_exc_state + o.exc_item_value, value);
	check(has_exception(&o, &none));
	put(ITEM(1) + o.exc_item_previous, ITEM(0)); /* a circle */
	check(!has_exception(&o, &none));
	put(TSTATE + o.thread_exc_info, BASE - 8); /* nowhere */
	check(!has_exception(&o, &none));
}

static void
test_collections(void)
{
	struct py_offsets o = offsets_of(12);
	uint8_t words[PY_GC_MAX] = {1};
	uint64_t addr;
	size_t size;

	o.interp_gc = 100;
	o.gc_collecting = 40;
	check(status_gc_words(&o, 0, BASE, &addr, &size));
	check(addr == BASE + 140 && size == 4);
	check(status_gc(&o, words).collecting);
	o.gc_frame = 32;
	check(status_gc_words(&o, 0, BASE, &addr, &size));
	check(addr == BASE + 132 && size == 12);
	check(!status_gc(&o, words).collecting);
	words[8] = 1;
	check(status_gc(&o, words).collecting);
	check_number(status_gc(&o, words).frame, 1);
	o.gc_frame = 4096; /* no such struct */
	check(!status_gc_words(&o, 0, BASE, &addr, &size));
	o.interp_gc = PY_ABSENT;
	check(!status_gc_words(&o, 0, BASE, &addr, &size));

	check(status_waits(&o, BASE, BASE + o.gil_cond));
	check(!status_waits(&o, BASE, BASE + o.gil_size));
	check(!status_waits(&o, BASE, 0));
}

/* ---- lists of threads ---------------------------------------------------- */

/* Memory in which a thread state ends just before its fields are read. */
struct ending {
	struct py_memory memory;
	uint64_t thread, now_next; /* what its link says from then on */
	uint64_t link, now_link;   /* a link that changes then, too */
	bool done;
};

static bool
read_ending(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct ending *e = (struct ending *)(uintptr_t)m;
	struct py_view v = whole_view();
	uint32_t field = offsets_of(12).thread_next;

	for (size_t i = 0; i < n; i++) {
		if (pieces[i].addr != e->thread + field || e->done)
			continue;
		put(e->thread + field, e->now_next);
		put(e->link, e->now_link);
		e->done = true;
	}
	return view_read(&v.memory, pieces, n);
}

#define INTERP (BASE + 4096)
#define STATE(n) (BASE + 65536 + (n) * 512)

/* One interpreter with n threads. */
static void
make_threads(const struct py_runtime *rt, size_t n)
{
	const struct py_offsets *o = &rt->offsets;

	memset(memory, 0, sizeof(memory));
	put(rt->addr + o->runtime_interpreters_head, INTERP);
	put(INTERP + o->interp_threads_head, STATE(0));
	for (size_t i = 0; i < n; i++) {
		put(STATE(i) + o->thread_interp, INTERP);
		put(STATE(i) + o->thread_next, i + 1 < n ? STATE(i + 1) : 0);
	}
}

static void
test_changing_lists(void)
{
	struct py_runtime rt = {.addr = BASE, .offsets = offsets_of(12)};
	const struct py_offsets *o = &rt.offsets;
	struct ending e = {.memory.read = read_ending};
	struct py_view v = whole_view();
	struct py_threads t = {0};

	make_threads(&rt, 5);
	check(runtime_threads(&v.memory, &rt, &t));
	check_number(t.count, 5);
	check(runtime_threads_hold(&v.memory, &rt, &t));
	put(STATE(4) + o->thread_next, STATE(5)); /* behind the last */
	check(!runtime_threads_hold(&v.memory, &rt, &t));

	/* What is freed leads nowhere: the others are lacking. */
	make_threads(&rt, 5);
	e.thread = STATE(2);
	e.link = STATE(1) + o->thread_next;
	e.now_link = STATE(3);
	check(runtime_threads(&e.memory, &rt, &t));
	check_number(t.count, 3);
	check(!runtime_threads_hold(&e.memory, &rt, &t));
	check(runtime_threads(&e.memory, &rt, &t));
	check_number(t.count, 4);
	check(runtime_threads_hold(&e.memory, &rt, &t));

	/* It is put before the others at once: they are named twice. */
	make_threads(&rt, 5);
	e = (struct ending){.memory.read = read_ending, .thread = STATE(1),
	    .now_next = STATE(0), .link = STATE(0) + o->thread_next,
	    .now_link = STATE(2)};
	check(runtime_threads(&e.memory, &rt, &t));
	check_number(t.count, 6);
	check(!runtime_threads_hold(&e.memory, &rt, &t));

	/* More than are read at once. */
	make_threads(&rt, 100);
	check(runtime_threads(&v.memory, &rt, &t));
	put(INTERP + o->interp_next, INTERP + 8);
	check(!runtime_threads_hold(&v.memory, &rt, &t));
	runtime_threads_free(&t);
}

static void
test_random_memory(void)
{
	struct py_offsets o = offsets_of(11);
	struct py_runtime rt = {.addr = BASE, .offsets = o};
	struct py_view v = whole_view();
	struct py_chain c = {0};
	struct py_threads threads = {0};
	struct py_code code;

	srandom(1);
	for (int n = 0; n < 300; n++) {
		for (size_t i = 0; i < sizeof(memory); i += 8)
			put(BASE + i, random() % 4 == 0 ? (uint64_t)random() :
			    BASE + (uint64_t)random() % sizeof(memory) / 8 * 8);
		walk(&o, &v, BASE + (uint64_t)random() % 65000, &c);
		if (runtime_threads(&v.memory, &rt, &threads))
			runtime_threads_hold(&v.memory, &rt, &threads);
		runtime_check(&v.memory, &rt);
		check(!code_read(&o, &v.memory, BASE + 8, &code));
	}
	chain_free(&c);
	runtime_threads_free(&threads);
}

static void
test_shared(void)
{
	struct py_place a[] = {{.code = 1, .instr = 1},
	    {.code = 2, .instr = 2}, {.code = 3, .instr = 3}};
	struct py_place b[] = {{.code = 9, .instr = 9},
	    {.code = 2, .instr = 5}, {.code = 2, .instr = 2},
	    {.code = 3, .instr = 3}};
	struct py_chain x = {.places = a, .depth = 3};
	struct py_chain y = {.places = b, .depth = 4};
	struct py_chain z = {.places = a + 1, .depth = 2};

	check_number(chain_shared(&x, &y), 2);
	check_number(chain_shared(&x, &x), 3);
	check_number(chain_shared(&x, &z), 2);
	check(!chain_continues(&x, &y)); /* 1 is not 2 */
	check(chain_continues(&x, &z) && chain_continues(&z, &x));
	a[0].code = 2; /* the innermost frame may have gone on */
	check(chain_continues(&x, &y));
	a[1].instr = 7; /* its caller may not */
	check(!chain_continues(&x, &y));
	check(chain_continues(&z, &z));
	z.depth = 0;
	check_number(chain_shared(&x, &z), 0);
	check(chain_continues(&x, &z));
}

/* ---- code objects ------------------------------------------------------ */

#define TYPE (BASE + 512)
#define CODE (BASE + 8192)
#define NAME (BASE + 12288)
#define PATH (BASE + 12800)
#define LINES (BASE + 13312)

static void
put_string(const struct py_offsets *o, uint64_t addr, const char *text)
{
	uint32_t state = 1u << 2 | 1u << 5 | 1u << 6; /* kind 1, ASCII */

	put(addr + o->unicode_length, strlen(text));
	memcpy(memory + (addr + o->unicode_state - BASE), &state, 4);
	memcpy(memory + (addr + o->unicode_ascii_size - BASE), text,
	    strlen(text));
}

static void
put_code(const struct py_offsets *o, const char *name)
{
	memset(memory, 0, sizeof(memory));
	put(TYPE + o->type_name, TYPE + 256);
	memcpy(memory + (TYPE + 256 - BASE), "code", 5);
	put(CODE, 1); /* somebody holds it */
	put(CODE + o->object_type, TYPE);
	put(CODE + o->code_firstlineno, 7);
	put(CODE + o->code_qualname, NAME);
	put(CODE + o->code_name, NAME);
	put(CODE + o->code_filename, PATH);
	put(CODE + o->code_linetable, LINES);
	put_string(o, NAME, name);
	put_string(o, PATH, "x.py");
	/* Two units on line 7, columns 4 to 9; two on line 8, no columns. */
	put(LINES + o->bytes_length, 4);
	memcpy(memory + (LINES + o->bytes_data - BASE), "\x81\x45\xe9\x02", 4);
}

/* Whether what lies in memory now is the code object that was read. */
static bool
is_same(const struct py_offsets *o, const struct py_view *v,
    const struct py_code *c)
{
	struct code_check k;
	struct py_piece pieces[CODE_PIECES];
	size_t n = code_pieces(o, c, &k, pieces);

	check(v->memory.read(&v->memory, pieces, n));
	return code_check(o, c, &k);
}

static void
test_code(unsigned minor)
{
	struct py_offsets o = offsets_of(minor);
	struct py_view v = whole_view();
	struct py_location l;
	struct py_code c;

	put_code(&o, "f.g");
	check(code_read(&o, &v.memory, CODE, &c));
	check(c.name.len == 3 && memcmp(c.name.bytes, "f.g", 3) == 0);
	check(c.file.len == 4 && memcmp(c.file.bytes, "x.py", 4) == 0);
	check(code_locate(&o, &c, CODE + o.code_bytecode + 2, &l));
	check(l.line == 7 && l.end_line == 7 && l.column == 4 &&
	    l.end_column == 9);
	check(code_locate(&o, &c, CODE + o.code_bytecode + 4, &l));
	check(l.line == 8 && l.column == -1);
	check(code_locate(&o, &c, CODE + o.code_bytecode - 2, &l));
	check(l.line == 7 && l.column == -1);
	check(!code_locate(&o, &c, CODE + o.code_bytecode + 8, &l));
	check_number((uint32_t)l.line, UINT32_MAX);
	check(is_same(&o, &v, &c));
	code_free(&c);
}

/* Three units: a call with a cache that looks like a return, and a return. */
static void
test_instructions(void)
{
	static const uint16_t units[] = {171, 83, 83, 83, 83, 0};
	struct py_offsets o = offsets_of(12);
	struct py_view v = whole_view();
	struct py_code c;
	uint64_t start = CODE + o.code_bytecode;

	check_number(o.opcodes[171] & PY_OPCODE_CACHES, 3);
	check(o.opcodes[83] & PY_OPCODE_LEAVES);
	put_code(&o, "f");
	put(LINES + o.bytes_length, 3);
	memcpy(memory + (LINES + o.bytes_data - BASE), "\x85\x45\x00", 3);
	memcpy(memory + (start - BASE), units, sizeof(units));
	check(code_read(&o, &v.memory, CODE, &c));
	check_number((uint64_t)c.units, 6);
	check(code_allows(&o, &c, start, true));
	check(code_allows(&o, &c, start + 6, true)); /* its last cache */
	check(!code_allows(&o, &c, start + 8, true));
	check(code_allows(&o, &c, start + 8, false));
	check(code_allows(&o, &c, start - 2, false)); /* not begun */
	check(!code_allows(&o, &c, start - 2, true));
	check(!code_allows(&o, &c, start - 4, false));
	check(!code_allows(&o, &c, start + 12, false));
	code_free(&c);
}

/* Freed, and made again at the same addresses. */
static void
test_reused_code(void)
{
	struct py_offsets o = offsets_of(11);
	struct py_view v = whole_view();
	struct py_code c;

	put_code(&o, "f1");
	check(code_read(&o, &v.memory, CODE, &c));
	put_code(&o, "f2"); /* same pointers, same lengths */
	check(!is_same(&o, &v, &c));
	put_code(&o, "f1");
	check(is_same(&o, &v, &c));
	memory[LINES + o.bytes_data + 1 - BASE] ^= 1; /* another body */
	check(!is_same(&o, &v, &c));
	code_free(&c);

	o = offsets_of(12); /* a version number says so */
	put_code(&o, "f1");
	check(code_read(&o, &v.memory, CODE, &c));
	check(c.nparts > 0); /* there is none: they have run out */
	code_free(&c);
	put(CODE + o.code_version, 1);
	check(code_read(&o, &v.memory, CODE, &c));
	check_number(c.nparts, 0);
	check(c.held);
	put(CODE + o.code_version, 2);
	check(!is_same(&o, &v, &c));
	code_free(&c);

	put_code(&o, "f1"); /* but of what is freed not all */
	put(CODE, BASE);
	check(code_read(&o, &v.memory, CODE, &c));
	check(!c.held);
	check(is_same(&o, &v, &c));
	put_string(&o, NAME, "f2");
	check(!is_same(&o, &v, &c));
	code_free(&c);
}

static void
test_bad_code(void)
{
	struct py_offsets o = offsets_of(11);
	struct py_view v = whole_view();
	struct py_code c;

	put_code(&o, "f");
	memory[TYPE + 256 - BASE] = 'k';
	check(!code_read(&o, &v.memory, CODE, &c));
	put_code(&o, "f");
	put(NAME + o.unicode_length, UINT64_MAX);
	check(!code_read(&o, &v.memory, CODE, &c));
	put_code(&o, "f");
	put(LINES + o.bytes_length, UINT64_MAX / 2);
	check(!code_read(&o, &v.memory, CODE, &c));
	put_code(&o, "f");
	put(CODE + o.code_filename, 0);
	check(!code_read(&o, &v.memory, CODE, &c));
	check(!code_read(&o, &v.memory, BASE + sizeof(memory) - 8, &c));
}

/* ---- lines ------------------------------------------------------------- */

static void
test_damaged_lines(void)
{
	static const uint8_t table[] = {0xf0, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f,
	    0x7f, 0x7f, 0x7f, 0x3f, 0x00, 0x00, 0x00};
	struct py_location l;

	for (size_t n = 0; n < sizeof(table); n++)
		check(!lines_find(LINES_LOCATIONS, table, n, 1, 0, &l) || n >= 10);
	check(!lines_find(LINES_LOCATIONS, (const uint8_t *)"\x01", 1, 1, 0, &l));
	check(!lines_find(LINES_LOCATIONS, table, 0, 1, 0, &l));
	check(lines_find(LINES_LOCATIONS, table, 0, 1, -1, &l));
}

/* ---- strings ----------------------------------------------------------- */

static void
test_unicode(void)
{
	static const uint32_t text[] = {'a', 0xe9, 0x20ac, 0x1f40d, 0xd800,
	    0xdfff, 0x110000, 0xffffffff, 0};
	static const char utf8[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d"
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd";
	static const uint8_t latin1[] = {'a', 0xe9, 0xff};
	static const uint16_t two[] = {'a', 0x20ac};
	char out[64];

	check_number(unicode_utf8((const uint8_t *)text, 9, 4, out),
	    sizeof(utf8)); /* with its NUL: that is a character, too */
	check(memcmp(out, utf8, sizeof(utf8)) == 0);
	check_number(unicode_utf8(latin1, 3, 1, out), 5);
	check(memcmp(out, "a\xc3\xa9\xc3\xbf", 5) == 0);
	check_number(unicode_utf8((const uint8_t *)two, 2, 2, out), 4);
	check(memcmp(out, "a\xe2\x82\xac", 4) == 0);
}

/* ---- working sets ------------------------------------------------------ */

/* Whether no whole page lies between two blocks. */
static bool
are_near(size_t a, size_t b)
{
	return b * WORKSET_BLOCK / WORKSET_PAGE <=
	    a * WORKSET_BLOCK / WORKSET_PAGE + 1;
}

/* Each range is found by any address in it, and both orders have them all. */
static void
check_order(const struct workset *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct range *r = &w->ranges[i];
		check_number(workset_find(w, r->addr), i);
		check_number(workset_find(w, r->addr + r->size - 1), i);
		check_number(workset_nth(w, i, false, 0), i);
		check_number(workset_nth(w, i, true, w->count - 1), i);
		for (size_t n = 1; n < w->count; n++) {
			size_t after = workset_nth(w, i, false, n);
			check_number(after,
			    (workset_nth(w, i, false, n - 1) + 1) % w->count);
			check_number(workset_nth(w, i, true,
			    w->count - 1 - n), after);
		}
	}
}

/* Against a map of blocks. */
static void
test_workset(void)
{
	bool want[1024] = {false};
	struct workset w = {0};
	size_t total = 0;

	srandom(2);
	for (int n = 0; n < 90; n++) {
		uint64_t addr = (uint64_t)random() % (1000 * WORKSET_BLOCK);
		size_t size = 1 + (size_t)random() % 2000;
		check(workset_add(&w, addr, size) == COPY_OK);
		for (uint64_t b = addr / WORKSET_BLOCK;
		     b <= (addr + size - 1) / WORKSET_BLOCK; b++)
			want[b] = true;
	}
	check(w.count > 10);
	for (size_t i = 0, b = 0, end; i < w.count; i++) {
		const struct range *r = &w.ranges[i];
		while (!want[b])
			b++;
		check_number(r->addr, b * WORKSET_BLOCK);
		for (end = b + 1; end < 1024; end++)
			if (want[end] && are_near(b, end))
				b = end;
		check_number(r->addr + r->size, ++b * WORKSET_BLOCK);
		total += r->size;
	}
	check_number(total, w.bytes);
	check_order(&w);
	while (w.count > 0) {
		size_t i = w.count / 2, size = w.ranges[i].size;
		uint64_t next = i + 1 < w.count ? w.ranges[i + 1].addr : 0;
		workset_drop(&w, i);
		check_number(w.bytes, total -= size);
		check(i == w.count || w.ranges[i].addr == next);
	}
	check_number(w.bytes, 0);
	check(workset_add(&w, UINT64_MAX - 10, 8) == COPY_FAILED);
	check(workset_add(&w, 0, (size_t)WORKSET_MAX + 1) == COPY_FAILED);
	workset_free(&w);
}

int
main(void)
{
	test_versions();
	test_version_texts();
	test_debug_table();
	test_chain();
	test_returned();
	test_past();
	test_ending();
	test_resumers();
	test_shim();
	test_shims();
	test_lost_current();
	test_lost_caller();
	test_entry_of_entry();
	test_many_lost();
	test_new_caller();
	test_lost_generator();
	test_resumed_again();
	test_held_generator();
	test_held_everywhere();
	test_bad_chains();
	test_root();
	test_none_left();
	test_heap_frames();
	test_ended_generators();
	test_marks();
	test_exceptions(11);
	test_exceptions(12);
	test_collections();
	test_changing_lists();
	test_random_memory();
	test_shared();
	test_code(11);
	test_code(12);
	test_instructions();
	test_reused_code();
	test_bad_code();
	test_damaged_lines();
	test_unicode();
	test_workset();
	return failures != 0;
}
