/* SPDX-License-Identifier: ISC */
/* segments.c: see segments.h. */
#include "python/segments.h"

#include "python/frames.h"
#include "python/traits.h"

static bool
read_word(const struct segment_walk *w, uint64_t addr, uint64_t *word)
{
	return py_read(w->memory, addr, word, sizeof(*word));
}

bool
segment_walk_begin(struct segment_walk *w, const struct py_offsets *o,
    const struct py_memory *memory, uint64_t thread)
{
	*w = (struct segment_walk){.o = o, .memory = memory};
	if (py_has(o->thread_base_frame) &&
	    !read_word(w, thread + o->thread_base_frame, &w->base))
		return false;
	if (py_has(o->thread_current_frame))
		return read_word(w, thread + o->thread_current_frame, &w->frame);
	return read_word(w, thread + o->thread_cframe, &w->cframe) &&
	    w->cframe != 0 &&
	    read_word(w, w->cframe + o->cframe_current_frame, &w->frame);
}

static enum segment_step
end_segment(struct segment_walk *w, uint64_t entry)
{
	w->at = entry;
	w->open = w->over = false;
	return SEGMENT_END;
}

/*
 * Whether the loop of a cframe may have called the frame that the walk has come to: then
 * that one is its innermost.  A loop that begins has linked its cframe before it sets the
 * frame in it, and then has the one of an earlier call.
 */
static bool
may_have_called(const struct segment_walk *w)
{
	uint64_t innermost;

	return w->cframe == 0 || !read_word(w, w->cframe +
	    w->o->cframe_current_frame, &innermost) || innermost == w->frame;
}

/* In 3.11 a frame that was called from C ends the segment of the next cframe. */
static enum segment_step
end_by_cframe(struct segment_walk *w)
{
	uint64_t entry = w->cframe;

	if (entry == 0 ||
	    !read_word(w, entry + w->o->cframe_previous, &w->cframe) ||
	    !may_have_called(w))
		return SEGMENT_BAD;
	return end_segment(w, entry);
}

/* Whether a frame is the outermost of its segment, without an entry frame behind it. */
static bool
ends_segment(const struct py_offsets *o, const uint8_t *f)
{
	return py_frames_are_objects(o) ||
	    (py_has(o->frame_is_entry) && f[o->frame_is_entry] != 0);
}

enum segment_step
segment_walk_next(struct segment_walk *w)
{
	const struct py_offsets *o = w->o;
	uint8_t f[PY_FRAME_MAX];

	if (w->over)
		return py_frames_are_objects(o) ? end_segment(w, 0) :
		    end_by_cframe(w);
	if (w->frame == 0 || w->frame == w->base) /* of a greenlet's start */
		return w->open ? end_segment(w, 0) : SEGMENT_DONE;
	if (++w->steps > WALK_DEPTH_MAX ||
	    !py_read(w->memory, w->frame, f, o->frame_size))
		return SEGMENT_BAD;
	w->at = w->frame;
	w->frame = load_u64(f + o->frame_previous);
	if (py_has_entry_frames(o) && f[o->frame_owner] >= o->entry_owner)
		return end_segment(w, w->at);
	w->open = true;
	w->over = ends_segment(o, f);
	return SEGMENT_FRAME;
}
