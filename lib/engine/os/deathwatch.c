/* SPDX-License-Identifier: ISC */
/* deathwatch.c: see os.h. */
#include "engine/os/os.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helper.h"

struct deathwatch {
	_Atomic uint32_t *word;
	struct robust_list_head head; /* of a list of one */
	struct robust_list entry;
	int error; /* errno value; 0: the thread owns the word */
	sem_t begun, over;
	pthread_t thread;
};

/* Replaces the thread's list of robust mutexes, of which it has none.  The kernel
 * reads the list after the thread is done, but before it is joined. */
static void *
own(void *arg)
{
	struct deathwatch *d = arg;

	d->entry.next = &d->head.list;
	d->head.list.next = &d->entry;
	d->head.futex_offset =
	    (long)((uintptr_t)d->word - (uintptr_t)&d->entry);
	if (syscall(SYS_set_robust_list, &d->head, sizeof(d->head)) != 0)
		d->error = errno;
	else
		atomic_store(d->word, (uint32_t)syscall(SYS_gettid));
	sem_post(&d->begun);
	while (sem_wait(&d->over) != 0)
		continue;
	atomic_store(d->word, 0);
	return NULL;
}

/* Starts the thread, and waits for ->error.  Returns 0 or an errno value. */
static int
begin_watch(struct deathwatch *d)
{
	int e = helper_start(&d->thread, own, d);

	while (e == 0 && sem_wait(&d->begun) != 0)
		continue;
	return e;
}

struct deathwatch *
deathwatch_new(_Atomic uint32_t *word)
{
	struct deathwatch *d = calloc(1, sizeof(*d));
	int e;

	if (d == NULL)
		return NULL;
	d->word = word;
	sem_init(&d->begun, 0, 0);
	sem_init(&d->over, 0, 0);
	if ((e = begin_watch(d)) != 0) {
		free(d);
	} else if ((e = d->error) != 0) {
		deathwatch_free(d);
	} else {
		return d;
	}
	errno = e;
	return NULL;
}

void
deathwatch_free(struct deathwatch *d)
{
	if (d == NULL)
		return;
	sem_post(&d->over);
	pthread_join(d->thread, NULL);
	sem_destroy(&d->begun);
	sem_destroy(&d->over);
	free(d);
}
