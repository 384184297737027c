/* SPDX-License-Identifier: ISC */
/*
 * test_cframes.c: frames of Python and of C that are merged, and segments in memory that
 * is written here.  t/native/mixed.bats has real ones.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "python/cframes.h"

/* ---- merging ----------------------------------------------------------- */

#define MAX 16

static struct {
	struct py_place places[MAX];
	struct py_chain chain;
	uint64_t addresses[MAX];
	struct py_segment segment[MAX];
	struct py_segments segments;
	struct native_frame frames[MAX];
	size_t n;
	struct loop_code loop;
	struct merged merged;
} in;

static void
begin(void)
{
	struct merged kept = in.merged;

	memset(&in, 0, sizeof(in));
	in.merged = kept;
	in.chain.places = in.places;
	in.segments.list = in.segment;
	in.segments.frames = in.addresses;
}

/* A segment of so many frames, whose addresses are 1, 2, ...; they are places, too. */
static void
segment(uint64_t entry, size_t count)
{
	struct py_segments *s = &in.segments;

	s->list[s->count++] = (struct py_segment){entry, s->nframes + 1, s->nframes,
	    count};
	for (; count > 0; count--) {
		s->frames[s->nframes] = s->nframes + 1;
		s->nframes++;
		in.places[in.chain.depth++] = (struct py_place){.code = 0x9000,
		    .frame = s->nframes};
	}
}

static void
mark(enum py_mark m)
{
	in.places[in.chain.depth++] = (struct py_place){.code = m};
}

/* A frame of C from an address of the stack to another one. */
static void
c(uint64_t sp, uint64_t cfa, uint64_t pc)
{
	in.frames[in.n++] = (struct native_frame){.pc = pc, .sp = sp, .cfa = cfa,
	    .exact = in.n == 0};
}

static void
lost(void)
{
	in.frames[in.n++] = (struct native_frame){.lost = true};
}

/* The merged stack, a letter a place: p, c, l(oop), ?; / before what is below. */
static void
check_merged(const char *want, enum merge_fault fault)
{
	static const char letters[] = {[MERGED_PYTHON] = 'p', [MERGED_C] = 'c',
	    [MERGED_LOOP] = 'l', [MERGED_LOST] = '?'};
	char got[4 * MAX] = "", *at = got;
	size_t places = 0;

	check(cframes_merge(&in.chain, &in.segments, in.frames, in.n, &in.loop,
	    &in.merged));
	for (size_t i = 0; i < in.merged.count; i++) {
		const struct merged_place *p = &in.merged.list[i];
		if (i == in.merged.below)
			*at++ = '/';
		*at++ = letters[p->kind];
		if (p->kind == MERGED_PYTHON)
			check_number(p->index, places++);
	}
	*at = '\0';
	check_text(got, want);
	check_number(in.merged.fault, fault);
	check_number(places, in.chain.depth);
}

static void
check_entries(void)
{
	begin();
	segment(0x120, 2);
	segment(0x250, 1);
	c(0x100, 0x110, 0x1);
	c(0x110, 0x180, 0x2);
	c(0x180, 0x190, 0x3);
	c(0x190, 0x240, 0x4);
	c(0x240, 0x2c0, 0x2);
	c(0x2c0, 0x300, 0x5);
	check_merged("clppcclp/c", MERGE_EXACT);
	check_number(in.merged.list[1].segment, 0);
	check_number(in.merged.list[6].segment, 1);
	/* A mark belongs to the frame below it; what was added behind the chain stays
	 * there, without frames of C. */
	begin();
	mark(PLACE_GC);
	segment(0x120, 1);
	mark(PLACE_FRAME);
	in.places[in.chain.depth++] = (struct py_place){.code = 0x9000, .frame = 99};
	c(0x100, 0x200, 0x2);
	c(0x200, 0x300, 0x2);
	check_merged("lpppp/c", MERGE_EXACT);
	/* Without segments the chain is strange, also if a mark comes first. */
	begin();
	mark(PLACE_GC);
	in.places[in.chain.depth++] = (struct py_place){.code = 0x9000, .frame = 99};
	c(0x100, 0x200, 0x2);
	check_merged("?pp/c", MERGE_STRANGE);
	/* A frame of the interpreter's own has no place. */
	begin();
	segment(0x120, 2);
	in.places[0] = in.places[1];
	in.chain.depth = 1;
	c(0x100, 0x200, 0x2);
	check_merged("lp", MERGE_EXACT);
}

static void
check_broken(void)
{
	/* Nothing is known from the second frame on. */
	begin();
	segment(0x150, 1);
	segment(0x250, 2);
	c(0x100, 0x110, 0x1);
	lost();
	check_merged("c?ppp", MERGE_BROKEN);
	/* The walk has gone on at the outer loop. */
	begin();
	segment(0x150, 1);
	segment(0x250, 2);
	c(0x100, 0x110, 0x1);
	lost();
	c(0x250, 0x300, 0x2);
	c(0x300, 0x310, 0x3);
	check_merged("c?plpp/c", MERGE_BROKEN);
	/* No frame of C has the loop. */
	begin();
	segment(0x150, 1);
	c(0x100, 0x110, 0x1);
	c(0x160, 0x200, 0x1);
	check_merged("c?p/c", MERGE_BROKEN);
	/* There are none at all. */
	begin();
	segment(0x150, 1);
	check_merged("?p", MERGE_BROKEN);
	/* The chain has other frames. */
	begin();
	segment(0x150, 1);
	in.places[0].frame = 77;
	c(0x100, 0x200, 0x1);
	check_merged("?p/l", MERGE_STRANGE);
}

/* To 3.10: loops are told by their code, and counted. */
static void
check_counts(void)
{
	static const struct loop_code loop = {{{0x1000, 0x2000}, {0x5000, 0x5100}}, 2};

	for (int more = 0; more < 3; more++) {
		begin();
		in.loop = loop;
		segment(0, 1);
		segment(0, 1);
		c(0x100, 0x110, 0x900);
		for (int i = 0; i < more; i++)
			c(0x110, 0x120, 0x1500);
		c(0x120, 0x130, 0x2000); /* a call at its end */
		c(0x130, 0x140, 0x901);
		c(0x140, 0x150, 0x5001);
		c(0x150, 0x160, 0x902);
		if (more == 2)
			check_merged("c?pp", MERGE_COUNT);
		else
			check_merged(more == 0 ? "clpclp/c" : "cllpclp/c",
			    MERGE_EXACT);
	}
	begin();
	segment(0, 1);
	c(0x100, 0x110, 0x900);
	check_merged("c?p", MERGE_COUNT);
}

/* ---- loops without entries ----------------------------------------------- */

/* A stack from 0x100 on: three loops, at 0x110, 0x130 and 0x150, with a frame of C of 16
 * bytes above and one below each. */
static uint64_t words[16];

static void
keep(uint64_t addr, uint64_t frame)
{
	words[(addr - 0x100) / sizeof(uint64_t)] = frame;
}

/* How many segments are linked; *first: the entry of the first one. */
static size_t
link_frames(size_t count, uint64_t in_register, uint64_t *first)
{
	struct native_stack stack = {0x100, (const uint8_t *)words, sizeof(words), NULL};
	size_t linked;

	begin();
	in.loop.count = 1;
	in.loop.parts[0].start = 0x5000;
	in.loop.parts[0].end = 0x6000;
	for (uint64_t sp = 0x100; sp < 0x160; sp += 0x10)
		c(sp, sp + 0x10, sp % 0x20 == 0 ? 0x900 : 0x5100);
	for (; count > 0; count--)
		segment(0, 1);
	linked = segments_link(&in.segments, in.frames, in.n, &in.loop, &stack,
	    &in_register, 1);
	*first = in.segments.list[0].entry;
	return linked;
}

static void
check_links(void)
{
	uint64_t first;

	keep(0x118, 1);
	keep(0x128, 2);
	keep(0x158, 3);
	check_number(link_frames(3, 0, &first), 3);
	check_number(first, 0x110);
	check_number(in.segments.list[2].entry, 0x150);
	/* Fewer segments than loops: which loops have none is told by the frames alone. */
	check_number(link_frames(2, 0, &first), 2);
	check_number(first, 0x110);
	memset(words, 0, sizeof(words));
	keep(0x138, 1);
	keep(0x140, 2);
	check_number(link_frames(2, 0, &first), 2);
	check_number(first, 0x130);
	/* In a register, and so at the first loop alone. */
	memset(words, 0, sizeof(words));
	check_number(link_frames(1, 1, &first), 1);
	check_number(first, 0x110);
	check_number(link_frames(2, 1, &first), 0);
	check_number(first, 0);
	/* Two loops have it. */
	keep(0x130, 1);
	check_number(link_frames(1, 1, &first), 0);
	/* Fewer loops than segments: the stack is cut. */
	memset(words, 0, sizeof(words));
	keep(0x110, 1);
	keep(0x130, 2);
	keep(0x150, 3);
	check_number(link_frames(4, 0, &first), 3);
	check_number(in.segments.list[3].entry, 0);
}

/* ---- segments ---------------------------------------------------------- */

#define BASE 0x10000

static uint8_t memory[0x2000];

static bool
read_memory(const struct py_memory *m, const struct py_piece *p, size_t n)
{
	(void)m;
	for (; n > 0; n--, p++) {
		if (p->addr < BASE || p->addr - BASE > sizeof(memory) ||
		    p->size > sizeof(memory) - (p->addr - BASE))
			return false;
		memcpy(p->buf, memory + (p->addr - BASE), p->size);
	}
	return true;
}

static const struct py_memory live = {read_memory};

static void
set_word(uint64_t addr, uint64_t value)
{
	memcpy(memory + (addr - BASE), &value, sizeof(value));
}

static void
load(struct py_offsets *o, unsigned minor)
{
	check(py_offsets_load(py_layout_find(minor, false), NULL, o) == NULL);
	memset(memory, 0, sizeof(memory));
}

static void
check_segment(const struct py_segments *s, size_t i, uint64_t entry, size_t first,
    size_t count)
{
	check(i < s->count);
	check_number(s->list[i].entry, entry);
	check_number(s->list[i].first, first);
	check_number(s->list[i].count, count);
}

/* 3.12: entry frames are among the frames. */
static void
check_entry_frames(void)
{
	uint64_t cframe = BASE + 0x400, f = BASE + 0x800, step = 0x100;
	struct py_segments s = {0};
	struct py_offsets o;

	load(&o, 12);
	set_word(BASE + o.thread_cframe, cframe);
	set_word(cframe + o.cframe_current_frame, f);
	for (int i = 0; i < 4; i++)
		set_word(f + i * step + o.frame_previous, f + (i + 1) * step);
	memory[f + 2 * step - BASE + o.frame_owner] = o.entry_owner;
	memory[f + 4 * step - BASE + o.frame_owner] = o.entry_owner;
	check(segments_read(&o, &live, BASE, &s));
	check_number(s.count, 2);
	check_segment(&s, 0, f + 2 * step, 0, 2);
	check_segment(&s, 1, f + 4 * step, 2, 1);
	check_number(s.frames[2], f + 3 * step);
	/* A circle, and an address without memory. */
	set_word(f + 4 * step + o.frame_previous, f);
	check(!segments_read(&o, &live, BASE, &s));
	set_word(f + 4 * step + o.frame_previous, 1);
	check(!segments_read(&o, &live, BASE, &s));
	segments_free(&s);
}

/* 3.11: the loop's cframes are linked. */
static void
check_cframes(void)
{
	uint64_t cframe = BASE + 0x400, f = BASE + 0x800, step = 0x100;
	struct py_segments s = {0};
	struct py_offsets o;

	load(&o, 11);
	set_word(BASE + o.thread_cframe, cframe);
	set_word(cframe + o.cframe_current_frame, f);
	set_word(cframe + o.cframe_previous, cframe + 0x40);
	set_word(cframe + 0x40 + o.cframe_current_frame, f + step);
	for (int i = 0; i < 2; i++)
		set_word(f + i * step + o.frame_previous, f + (i + 1) * step);
	memory[f - BASE + o.frame_is_entry] = 1;
	memory[f + 2 * step - BASE + o.frame_is_entry] = 1;
	check(segments_read(&o, &live, BASE, &s));
	check_number(s.count, 2);
	check_segment(&s, 0, cframe, 0, 1);
	check_segment(&s, 1, cframe + 0x40, 1, 2);
	/* The first loop only begins: the frame is the second one's. */
	set_word(cframe + 0x40 + o.cframe_current_frame, f);
	check(!segments_read(&o, &live, BASE, &s));
	segments_free(&s);
}

/* To 3.10: one frame a loop. */
static void
check_frame_objects(void)
{
	uint64_t f = BASE + 0x800, step = 0x200;
	struct py_segments s = {0};
	struct py_offsets o;

	load(&o, 8);
	set_word(BASE + o.thread_current_frame, f);
	set_word(f + o.frame_previous, f + step);
	check(segments_read(&o, &live, BASE, &s));
	check_number(s.count, 2);
	check_segment(&s, 0, 0, 0, 1);
	check_segment(&s, 1, 0, 1, 1);
	check_number(s.frames[1], f + step);
	segments_free(&s);
}

int
main(void)
{
	check_entries();
	check_broken();
	check_counts();
	check_links();
	check_entry_frames();
	check_cframes();
	check_frame_objects();
	merged_free(&in.merged);
	return failures != 0;
}
