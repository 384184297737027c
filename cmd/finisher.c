/* SPDX-License-Identifier: ISC */
/* finisher.c: see finisher.h. */
#include "finisher.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>

#include "thread.h"

struct finisher {
	pthread_t thread;
	sem_t given_more; /* posted for each recording, and for the end */
	handover_box given;
	atomic_bool ending;
};

static void
finish_recording(struct finished *d)
{
	struct recording *r = d->recording;

	d->result = recording_finish(r);
	d->bytes = tach_writer_bytes(r->writer);
	recording_close(r);
	handover_return(&d->handover);
}

static void
finish_given(struct finisher *f)
{
	struct handover *h = handover_take(&f->given), *next;

	for (; h != NULL; h = next) {
		next = h->next; /* the giver has it again as soon as it is done */
		finish_recording((struct finished *)h);
	}
}

static void *
finisher_run(void *arg)
{
	struct finisher *f = arg;

	while (!f->ending) {
		while (sem_wait(&f->given_more) != 0)
			continue;
		finish_given(f);
	}
	return NULL;
}

struct finisher *
finisher_new(void)
{
	struct finisher *f = calloc(1, sizeof(*f));
	int e;

	if (f == NULL)
		return NULL;
	sem_init(&f->given_more, 0, 0);
	if ((e = thread_start(&f->thread, finisher_run, f)) == 0)
		return f;
	sem_destroy(&f->given_more);
	free(f);
	errno = e;
	return NULL;
}

void
finisher_free(struct finisher *f)
{
	if (f == NULL)
		return;
	f->ending = true;
	sem_post(&f->given_more);
	pthread_join(f->thread, NULL);
	sem_destroy(&f->given_more);
	free(f);
}

void
finisher_give(struct finisher *f, struct finished *d)
{
	handover_give(&f->given, &d->handover);
	sem_post(&f->given_more);
}
