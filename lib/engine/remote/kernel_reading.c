/* SPDX-License-Identifier: ISC */
/* kernel_reading.c: threads that are read with their frames of the kernel: see
 * reading.h. */
#include "engine/remote/reading.h"
#include "engine/sched/colocate.h"
#include "engine/stack/read_twice.h"

/* Reads a thread that has no CPU, and its frames of the kernel.  The sample holds until
 * the thread gets a CPU.  READ_RETRY if it has one. */
static struct verdict
read_standing_kernel(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	t->looks.parked = switches_count(&t->switches, r->process, t->task);
	if (t->looks.parked == SWITCHES_UNKNOWN)
		return v;
	if (!kernel_frames_look(&r->kernel, r->process, t->task, t->state_fd))
		return (struct verdict){.is = READ_NOMEM};
	if (!r->kernel.known)
		return v;
	v = read_twice(&r->reader, t, &r->stack);
	if (v.is == READ_SURE && !reading_has_stood_still(r, t))
		v.is = READ_RETRY;
	if (v.is == READ_SURE)
		thread_make_current(t);
	return v;
}

/* It is read in an interrupt, or as it stands; if neither can be, without these frames.
 * A thread whose CPU the recorder has taken gets it back first: it stands where it could
 * be made to leave it. */
struct verdict
reading_with_kernel(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	for (int i = 0; i < READING_TRIES && t->task == 0; i++)
		bindings_find(&r->bindings, t);
	thread_make_stale(t);
	for (int i = 0; i < READING_TRIES && t->task != 0 && verdict_can_improve(&v); i++) {
		bool runs = reading_can_interrupt(r, t);
		if (runs) {
			colocate_make_way(&r->reader.colocation, t->interrupt.cpu);
			v = reading_interrupted(r, t);
		}
		if (!verdict_can_improve(&v) || (runs && i == 0))
			continue;
		r->from.in = NULL;
		v = read_standing_kernel(r, t);
		if (!runs && !r->kernel.known)
			break;
	}
	if (!verdict_can_improve(&v))
		return v;
	r->from.in = NULL;
	kernel_frames_forget(&r->kernel);
	return reading_racing(r, t);
}

bool
reading_show_kernel(struct reading *r, uint32_t callee, struct py_chain **shown,
    struct tach_recorder_stats *stats)
{
	struct py_chain *chain = &r->stack.chain, *all;

	if (r->from.in != NULL && !kernel_frames_take(&r->kernel, &r->from.kernel))
		return false;
	kernel_frames_count(&r->kernel, stats);
	all = *shown != NULL ? kernel_frames_show(&r->kernel, *shown, TACH_NONE) :
			       kernel_frames_show(&r->kernel, chain, callee);
	if (all != chain)
		*shown = all;
	return all != NULL;
}
