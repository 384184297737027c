/* SPDX-License-Identifier: ISC */
/*
 * deathwatch.h: a word in shared memory that says that its owner, this process,
 * has died, whatever killed it.
 *
 * A thread that does nothing else has the word on its list of robust futexes.
 * When the thread ends, the kernel sets FUTEX_OWNER_DIED in the word.  The list
 * is in our own memory: a process that shares the word can write to the word,
 * but cannot make us write elsewhere.  (A robust mutex has its links beside the
 * word, and its unlock writes to the addresses in these links.)
 */
#ifndef ENGINE_OS_DEATHWATCH_H
#define ENGINE_OS_DEATHWATCH_H

#include <stdatomic.h>
#include <stdint.h>

struct deathwatch;

/* Starts the thread, which puts its id into the word.  The word must outlive the
 * deathwatch.  NULL if that failed, with errno. */
struct deathwatch *deathwatch_new(_Atomic uint32_t *word);
/* Ends the thread.  The owner has not died: the word is 0 from then on. */
void deathwatch_free(struct deathwatch *);

#endif
