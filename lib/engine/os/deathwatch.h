/* SPDX-License-Identifier: ISC */
/*
 * deathwatch.h: a word in shared memory that says when its owner has died,
 * whatever killed it.
 *
 * A thread that does nothing else has the word on its list of robust futexes,
 * and as it ends the kernel sets FUTEX_OWNER_DIED in there.  The list is in our
 * own memory: who shares the word can write to that, and nowhere else by way of
 * us.  (A robust mutex has its links beside the word, and to unlock it writes to
 * where they lead.)
 */
#ifndef ENGINE_OS_DEATHWATCH_H
#define ENGINE_OS_DEATHWATCH_H

#include <stdatomic.h>
#include <stdint.h>

struct deathwatch;

/* The word must outlive it.  NULL: errno says why. */
struct deathwatch *deathwatch_new(_Atomic uint32_t *word);
/* It has not died: the word is 0 from then on. */
void deathwatch_free(struct deathwatch *);

#endif
