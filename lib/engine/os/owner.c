/* SPDX-License-Identifier: ISC */
/* owner.c: see owner.h. */
#include "engine/os/owner.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helper.h"

struct owner {
	_Atomic uint32_t *word;
	struct robust_list_head head; /* of a list of one */
	struct robust_list entry;
	int error; /* 0: it is owned */
	sem_t begun, over;
	pthread_t thread;
};

/* Instead of the list for mutexes, of which this thread has none.  The kernel
 * looks at it after the thread is done, but before it is joined. */
static void *
own(void *arg)
{
	struct owner *o = arg;

	o->entry.next = &o->head.list;
	o->head.list.next = &o->entry;
	o->head.futex_offset =
	    (long)((uintptr_t)o->word - (uintptr_t)&o->entry);
	if (syscall(SYS_set_robust_list, &o->head, sizeof(o->head)) != 0)
		o->error = errno;
	else
		atomic_store(o->word, (uint32_t)syscall(SYS_gettid));
	sem_post(&o->begun);
	while (sem_wait(&o->over) != 0)
		continue;
	atomic_store(o->word, 0);
	return NULL;
}

/* Begins the thread; an errno value. */
static int
begin(struct owner *o)
{
	int e = helper_start(&o->thread, own, o);

	while (e == 0 && sem_wait(&o->begun) != 0)
		continue;
	return e;
}

struct owner *
owner_new(_Atomic uint32_t *word)
{
	struct owner *o = calloc(1, sizeof(*o));
	int e;

	if (o == NULL)
		return NULL;
	o->word = word;
	sem_init(&o->begun, 0, 0);
	sem_init(&o->over, 0, 0);
	if ((e = begin(o)) != 0) {
		free(o);
	} else if ((e = o->error) != 0) {
		owner_free(o);
	} else {
		return o;
	}
	errno = e;
	return NULL;
}

void
owner_free(struct owner *o)
{
	if (o == NULL)
		return;
	sem_post(&o->over);
	pthread_join(o->thread, NULL);
	sem_destroy(&o->begun);
	sem_destroy(&o->over);
	free(o);
}
