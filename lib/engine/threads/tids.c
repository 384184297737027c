/* SPDX-License-Identifier: ISC */
/* tids.c: see tids.h. */
#include "engine/threads/tids.h"

#include <unistd.h>

#define STRUCT_SIZE 1024 /* bytes of a thread's struct that are searched */
#define PROOF_MAX 8	 /* threads that are enough to learn from */
#define TRIES_MAX 100	 /* to learn from one list: threads can have ended */

/* Some of the threads, to learn from. */
struct thread_sample {
	uint64_t pthread[PROOF_MAX];
	size_t count;
};

static void
sample_threads(const struct py_memory *m, const struct py_offsets *o,
    const struct py_threads *list, struct thread_sample *s)
{
	s->count = 0;
	for (size_t i = 0; i < list->count && s->count < PROOF_MAX; i++) {
		uint64_t pthread;
		if (!py_read(m, list->list[i].addr + o->thread_ident,
			&pthread, sizeof(pthread)))
			continue;
		/* One thread can be in several interpreters. */
		for (size_t k = 0; k < s->count; k++)
			if (s->pthread[k] == pthread)
				pthread = 0;
		if (pthread != 0)
			s->pthread[s->count++] = pthread;
	}
}

static uint32_t
id_at(const struct py_memory *m, uint64_t pthread, uint32_t offset)
{
	uint32_t id;

	return py_read(m, pthread + offset, &id, sizeof(id)) ? id : 0;
}

/* Whether the other threads of a sample have ids at this offset, too, and all ids
 * differ. */
static bool
others_agree(const struct process *p, const struct py_memory *m,
    const struct thread_sample *s, uint32_t offset)
{
	uint32_t ids[PROOF_MAX];

	for (size_t i = 0; i < s->count; i++) {
		ids[i] = id_at(m, s->pthread[i], offset);
		for (size_t k = 0; k < i; k++)
			if (ids[k] == ids[i])
				return false;
		if (i > 0 && process_thread(p, ids[i]) == 0)
			return false;
	}
	return true;
}

/* Learns the offset of the id.  False if there is none at which all threads have
 * an id. */
static bool
learn(struct tids *t, const struct process *p, const struct py_memory *m,
    const struct thread_sample *s)
{
	uint8_t bytes[STRUCT_SIZE];

	if (s->count == 0 || !py_read(m, s->pthread[0], bytes, sizeof(bytes)))
		return false;
	for (uint32_t off = 0; off < STRUCT_SIZE; off += sizeof(uint32_t)) {
		if (process_thread(p, load_u32(bytes + off)) == 0 ||
		    !others_agree(p, m, s, off))
			continue;
		t->offset = off;
		return t->known = true;
	}
	return false;
}

uint64_t
tids_find(struct tids *t, const struct process *p, const struct py_memory *m,
    const struct py_offsets *o, const struct py_threads *list,
    uint64_t pthread, uint64_t last)
{
	struct thread_sample s;
	uint32_t id;

	/* An offset that fits few threads may fit by chance. */
	if (t->listed < PROOF_MAX && t->listed < list->count) {
		sample_threads(m, o, list, &s);
		if (learn(t, p, m, &s) || ++t->tries == TRIES_MAX) {
			t->listed = list->count;
			t->tries = 0;
		}
	}
	if (!t->known)
		return 0;
	id = id_at(m, pthread, t->offset);
	if (last != 0 && (id == 0 || id == last)) /* 0: it has just ended */
		return last;
	return process_thread(p, id) != 0 ? id : 0;
}
