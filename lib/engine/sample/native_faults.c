/* SPDX-License-Identifier: ISC */
/* native_faults.c: see native_faults.h. */
#include "engine/sample/native_faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define FAULTS_MAX 64 /* causes that are told apart */
#define OTHER_CAUSES "other causes"
#define FAULT_NOTE_MAX 640 /* bytes */

void
native_faults_free(struct native_faults *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->list[i].cause);
	free(f->list);
	*f = (struct native_faults){0};
}

static struct native_fault *
find_fault(const struct native_faults *f, const char *cause)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->list[i].cause, cause) == 0)
			return &f->list[i];
	return NULL;
}

static struct native_fault *
add_fault(struct native_faults *f, const char *cause)
{
	struct native_fault *p = array_grow(f->list, f->count, &f->max, sizeof(*p));

	if (p == NULL)
		return NULL;
	f->list = p;
	p += f->count;
	*p = (struct native_fault){strdup(cause), 0};
	if (p->cause == NULL)
		return NULL;
	f->count++;
	return p;
}

bool
native_faults_add(struct native_faults *f, const char *cause)
{
	struct native_fault *p;

	f->stacks++;
	f->whole += cause[0] == '\0';
	if (cause[0] == '\0' || (p = find_fault(f, cause)) != NULL) {
		if (cause[0] != '\0')
			p->count++;
		return true;
	}
	if (f->count >= FAULTS_MAX - 1)
		cause = OTHER_CAUSES;
	if ((p = find_fault(f, cause)) == NULL && (p = add_fault(f, cause)) == NULL)
		return false;
	p->count++;
	return true;
}

static int
faults_in_order(const void *a, const void *b)
{
	const struct native_fault *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) :
	    strcmp(x->cause, y->cause);
}

void
native_faults_tell(struct native_faults *f, struct tach_recorder_stats *s)
{
	if (f->count > 0)
		qsort(f->list, f->count, sizeof(*f->list), faults_in_order);
	s->native = f->stacks;
	s->native_whole = f->whole;
	for (size_t i = 0; i < f->count && i < TACH_NATIVE_FAULTS; i++) {
		struct tach_native_fault *to = &s->native_faults[i];
		to->count = f->list[i].count;
		snprintf(to->cause, sizeof(to->cause), "%s", f->list[i].cause);
	}
}

void
native_faults_note(const struct native_faults *f, struct tach_table *t)
{
	char text[FAULT_NOTE_MAX];

	if (f->stacks == 0)
		return;
	snprintf(text, sizeof(text), "native stacks=%" PRIu64 " whole=%" PRIu64,
	    f->stacks, f->whole);
	tach_table_add_note(t, text);
	for (size_t i = 0; i < f->count; i++) {
		snprintf(text, sizeof(text), "native-lost %" PRIu64 " %s",
		    f->list[i].count, f->list[i].cause);
		tach_table_add_note(t, text);
	}
}
